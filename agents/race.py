"""Piraten Kapern for two: the race to the target, solved for the chance of winning instead of points.

A position between turns is the mover's score and the other's, in hundreds. Its value, the chance that the mover wins (a
shared win is half), is the fixed point of the optimal turn, every outcome of which is worth one less the other's value of
the position that it leads to. Who is to move against a score at the target has the last turn (R26-R28), so the final
round is part of it. Approximations: the fortune card of each turn is drawn from the whole deck, scores beyond the ends of
the table count as at its ends, and matches are not cut short.

    exact:race     the player that plays so; at a larger table it races against the best of the others
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from agents import exact
from agents.base import Agent, Decisions
from agents.exact import CARDS, SKULL, THROWS
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled, kernel

TABLE = Path(__file__).with_name("race.npy")
UNIT, TARGET = 100, 60  # points; units
LOWEST, HIGHEST = -20, 120  # scores in the table, units
TOLERANCE = 1e-5  # of a chance, within a turn
SHAPE = (TARGET - LOWEST, HIGHEST - LOWEST + 1)
WEIGHTS = (4, 4, 4, 4, 4, 4, 3, 2, 2, 2, 2, 0, 0)  # of the cards in the deck (R1)

# -- the turn as arrays ------------------------------------------------------------------------------------------------


def _rows(which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The dice left lying by the choices of each throw, one throw after the other, and where each throw's begin."""
    starts = np.searchsorted(exact.CHOICE_THROW[which], np.arange(len(THROWS) + 1))
    return exact.CHOICE_LAID[which].astype(np.int32), starts.astype(np.int32)


PLAIN, PLAIN_STARTS = _rows(~exact.ASKS)
ASKED, ASKED_STARTS = _rows(exact.ASKS)
SKULLS = THROWS[:, SKULL].astype(np.int64)
FIRST = exact.FIRST_THROW
BUST_CHANCE = exact.skull_chances()
FALL = exact.FALL.astype(np.int32)


def _in_units(points: np.ndarray) -> np.ndarray:
    return np.round(points / UNIT).astype(np.int64)


def _outcomes(card: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Own points at a stop, at a bust, and what counts on the island, in units, int64 (3, 1287), by throw."""
    return _in_units(exact.at_stop(card)), _in_units(exact.at_bust(card)), _in_units(exact.on_island(card))


STOP, BUST, ISLAND = (np.array(rows) for rows in zip(*map(_outcomes, CARDS), strict=True))
SAVED = _in_units(exact.treasure(exact.LAID * (np.arange(6) != SKULL)))  # R18, by dice left lying
CARD_SKULLS = np.array([exact.CARD_SKULLS.get(card, 0) for card in CARDS])
BATTLE = np.array([card in exact.BATTLES for card in CARDS])
ISLAND_OWN = np.array([card == "peace" for card in CARDS])  # what counts there is own points, not a loss of the others
TREASURE, SORCERESS, STORM = (CARDS.index(card) for card in ("treasure_island", "sorceress", "after_the_storm"))


@kernel
def fill_means(worth, out):
    """From the worth of the throws the mean worth of all dice lying."""
    for t in range(len(worth)):
        out[FIRST + t] = worth[t]
    for i in range(FIRST - 1, -1, -1):
        out[i] = (out[FALL[i, 0]] + out[FALL[i, 1]] + out[FALL[i, 2]] + out[FALL[i, 3]] + out[FALL[i, 4]] + out[FALL[i, 5]]) / 6


@compiled
def after_turn(values, mine, other, own, loss):
    """The mover's chance of winning once the turn has brought these units."""
    mine, after = mine + own, other - loss
    if other >= TARGET and after >= TARGET:
        return 1.0 if mine > after else 0.5 if mine == after else 0.0
    return 1.0 - values[min(max(after, LOWEST), TARGET - 1) - LOWEST, min(max(mine, LOWEST), HIGHEST) - LOWEST]


@compiled
def best_of(worth, laid, lying, starts, throw, mean, extra):
    """Improve worth[throw] by the best choice among rows of `lying`; notes it in laid[throw]."""
    best, choice = worth[throw], laid[throw]
    for i in range(starts[throw], starts[throw + 1]):
        at = lying[i]
        now = mean[at] + extra[at]
        choice = at if now > best else choice
        best = max(best, now)
    worth[throw] = best
    laid[throw] = choice


@kernel
def solve_away(card, stop, bust, asked, asks, saved, worth, laid, mean, tolerance):
    """The turn away from the island: worth and dice left lying by throw. `asked`: means once the sorceress was asked.

    Value iteration from whatever `worth` holds.
    """
    skulls = CARD_SKULLS[card]
    for t in range(len(SKULLS)):
        if SKULLS[t] + skulls >= 3 or card == STORM:
            worth[t] = stop[t] if SKULLS[t] + skulls < 3 else bust[t]
            laid[t] = -1
    change = 1.0
    while change > tolerance:
        change = 0.0
        fill_means(worth, mean)
        for t in range(len(SKULLS)):
            over = SKULLS[t] + skulls
            if over > 3 or (over == 3 and not asks):
                continue
            before = worth[t]
            worth[t] = stop[t] if over < 3 else bust[t]
            laid[t] = -1
            if over < 3:
                best_of(worth, laid, PLAIN, PLAIN_STARTS, t, mean, saved)
            if asks:
                best_of(worth, laid, ASKED, ASKED_STARTS, t, asked, saved)
            change = max(change, abs(worth[t] - before))
        if card == STORM:
            break


@kernel
def solve_island(card, end, nothing, worth, laid, mean, first):
    """The turn on the island, throws with the most skulls first."""
    for t in range(len(SKULLS)):
        worth[t] = end[t]
        laid[t] = -1
    for skulls in range(6, 2 - CARD_SKULLS[card], -1):
        for t in range(len(SKULLS)):
            first[t] = worth[t] if SKULLS[t] > skulls and card != STORM else end[t]
        fill_means(first, mean)
        for t in range(len(SKULLS)):
            if SKULLS[t] == skulls:
                best_of(worth, laid, PLAIN, PLAIN_STARTS, t, mean, nothing)


@kernel
def solve_turn(values, mine, other, card, worth, laid, stop, bust, mean, asked, saved, nothing, tolerance):
    """The mover's chance of winning with this card before the first roll; worth and laid: (3, throws), as in `exact.Turn`."""
    loss_of_own = 1 - int(ISLAND_OWN[card])
    for t in range(len(SKULLS)):
        stop[t] = after_turn(values, mine, other, STOP[card, t], 0)
        bust[t] = after_turn(values, mine, other, BUST[card, t], 0)
        if card == STORM:
            bust[t] = after_turn(values, mine, other, 0, SKULLS[t])
    if card == TREASURE:
        for i in range(len(saved)):
            saved[i] = BUST_CHANCE[i] * (after_turn(values, mine, other, SAVED[i], 0) - bust[0])
    solve_away(card, stop, bust, asked, False, saved if card == TREASURE else nothing, worth[1], laid[1], mean, tolerance)
    if card == SORCERESS:
        fill_means(worth[1], asked)
        solve_away(card, stop, bust, asked, True, nothing, worth[0], laid[0], mean, tolerance)
    else:
        for t in range(len(SKULLS)):
            worth[0, t] = worth[1, t]
            laid[0, t] = laid[1, t]
    for t in range(len(SKULLS)):
        count = ISLAND[card, t]
        stop[t] = after_turn(values, mine, other, count * (1 - loss_of_own), count * loss_of_own)
    solve_island(card, stop, nothing, worth[2], laid[2], mean, bust)
    for t in range(len(SKULLS)):
        lands = SKULLS[t] + CARD_SKULLS[card] > 3 and not BATTLE[card]
        bust[t] = worth[2, t] if lands else worth[0, t]
    fill_means(bust, mean)
    return mean[0]


@kernel
def sweep(values, worth, laid, stop, bust, mean, asked, saved, nothing, tolerance):
    """Every position once, the ones nearest to the end first; returns the largest change."""
    change = 0.0
    for total in range(TARGET - 1 + HIGHEST, 2 * LOWEST - 1, -1):
        for mine in range(max(LOWEST, total - HIGHEST), min(TARGET - 1, total - LOWEST) + 1):
            chance = 0.0
            for card in range(len(CARD_SKULLS)):
                if WEIGHTS[card] > 0:
                    chance += WEIGHTS[card] * solve_turn(
                        values, mine, total - mine, card, worth[card], laid, stop, bust, mean, asked, saved, nothing, tolerance
                    )
            chance /= 35
            at = mine - LOWEST, total - mine - LOWEST
            change = max(change, abs(values[at] - chance))
            values[at] = chance
    return change


def scratch() -> tuple[np.ndarray, ...]:
    """Room: worth by card, and for one turn laid, stop, bust, mean, asked, saved, nothing."""
    throws, lying = len(THROWS), len(exact.LAID)
    return (
        np.zeros((len(CARDS), 3, throws)), np.zeros((3, throws), np.int32), np.zeros(throws), np.zeros(throws),
        np.zeros(lying), np.zeros(lying), np.zeros(lying), np.zeros(lying),
    )  # fmt: skip


def solve(tolerance: float = 1e-4, told: Callable[[float], None] = lambda change: None) -> np.ndarray:
    """The chance of winning by the mover's score (rows) and the other's, from LOWEST up, float64 (80, 141).

    Sweeps until no position changes by more than `tolerance`; `told` hears of the largest change of each.
    """
    values = np.full(SHAPE, 0.5)
    room = scratch()
    for exactness in (1e-3, 1e-4, *[TOLERANCE] * 30):
        change = sweep(values, *room, exactness)
        told(change)
        if change < tolerance:
            break
    return values


# -- the player --------------------------------------------------------------------------------------------------------


@cache
def table() -> np.ndarray:
    """The solved chances, from the file beside this one. Raises CheckpointError if it is missing or something else."""
    try:
        values = np.load(TABLE, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise CheckpointError(f"{TABLE} cannot be read ({error}); python -m experiments.race makes it anew") from None
    if values.shape != SHAPE or values.dtype != np.float64 or not ((values >= 0) & (values <= 1)).all():
        raise CheckpointError(f"{TABLE} does not hold chances of winning, float64, shape {SHAPE}")
    return values


class ExactRace(Agent):
    """Plays every turn for the chance of winning against the best of the others."""

    name = "exact:race"
    wants_records = True

    def __init__(self, game: Game) -> None:
        """Raises UnknownPlayerError for another game, CheckpointError without its table."""
        self._throw = exact.engine_throws(game, self.name)
        self._values = table()
        self._room = scratch()
        self._turns: dict[tuple[int, int, int], np.ndarray] = {}

    def act(self, decisions: Decisions) -> np.ndarray:
        g = decisions.records
        assert g is not None
        mine, other = self._scores(g)
        where = np.where(g["island"] != 0, 2, g["sorceress_used"] != 0)
        throws = self._throw[g["dice"]]
        keys = zip(mine.tolist(), other.tolist(), g["card"].tolist(), strict=True)
        return np.array([self._turn(key)[w, t] for key, w, t in zip(keys, where, throws, strict=True)], np.int64)

    def _scores(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mover's score and the best of the others, in units within the table."""
        scores = np.floor_divide(g["scores"], UNIT).astype(np.int64)
        seats, at = np.arange(scores.shape[1]), g["to_move"].astype(np.int64)[:, None]
        others = np.where((seats != at) & (seats < g["players"][:, None]), scores, LOWEST).max(axis=1)
        mine = np.take_along_axis(scores, at, axis=1)[:, 0]
        return np.clip(mine, LOWEST, TARGET - 1), np.clip(others, LOWEST, HIGHEST)

    def _turn(self, key: tuple[int, int, int]) -> np.ndarray:
        """Actions by state of the turn and throw, uint8 (3, 1287)."""
        if key not in self._turns:
            mine, other, card = key
            worth, laid, *room = self._room
            solve_turn(self._values, mine, other, card, worth[card], laid, *room, TOLERANCE)
            self._turns[key] = exact.actions_of(laid)
        return self._turns[key]
