"""Piraten Kapern for two: the race to the target, solved for the chance of winning instead of points.

A position between turns is the mover's score and the other's, in hundreds. Its value, the chance that the mover wins (a
shared win is half), is the fixed point of the optimal turn, every outcome of which is worth one less the other's value of
the position that it leads to. Who is to move against a score at the target has the last turn (R26-R28), so the final
round is part of it. Another target is the same race from further on. Approximations: the fortune card of each turn is
drawn from the whole deck, scores beyond the ends of the table count as at its ends, and matches are not cut short.

    exact:race     the player that plays so; at a larger table it races against the best of the others. The table is solved
                   for the usual deck and the usual rules (HOLDS_FOR): it plays no match with another deck, the promo
                   cards, nine_identical='win' or an option of R31 to R35 at another value than the usual one
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.core.errors import CheckpointError, OptionError
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled, kernel
from pirate_envs.games.piraten_kapern.solved import turn as exact
from pirate_envs.games.piraten_kapern.solved.any_worth import (
    BATTLE,
    BUST,
    BUST_CHANCE,
    CARD_SKULLS,
    HIGHEST,
    ISLAND,
    ISLAND_OWN,
    LOWEST,
    SAVED,
    SKULLS,
    STOP,
    STORM,
    TARGET,
    TREASURE,
    UNIT,
    WEIGHTS,
    TurnRoom,
    fill_means,
    solve_dice,
    solve_island,
)
from pirate_envs.games.piraten_kapern.solved.choices import Outlook
from pirate_envs.games.piraten_kapern.state import DECK

TABLE = Path(__file__).with_name("race.npy")
MOST_SWEEPS = 32
SHAPE = (TARGET - LOWEST, HIGHEST - LOWEST + 1)
HOLDS_FOR = {"promo": False, "nine_identical": "eight", **asdict(exact.USUAL)}  # and decks like the usual one

# -- the positions ----------------------------------------------------------------------------------------------------


@compiled
def after_turn(values, mine, other, own, loss):
    """The mover's chance of winning once the turn has brought these units."""
    mine, after = mine + own, other - loss
    if other >= TARGET and after >= TARGET:
        return 1.0 if mine > after else 0.5 if mine == after else 0.0
    return 1.0 - values[min(max(after, LOWEST), TARGET - 1) - LOWEST, min(max(mine, LOWEST), HIGHEST) - LOWEST]


@kernel
def solve_turn(values, mine, other, card, room):
    """The mover's chance of winning with this card before the first roll; `room`, a TurnRoom, then holds the turn."""
    stop, bust, saved, worth = room.stop, room.bust, room.saved, room.worth
    loss_of_own = 1 - int(ISLAND_OWN[card])
    for t in range(len(SKULLS)):
        stop[t] = after_turn(values, mine, other, STOP[card, t], 0)
        bust[t] = after_turn(values, mine, other, BUST[card, t], 0)
        if card == STORM:
            bust[t] = after_turn(values, mine, other, 0, SKULLS[t])
    if card == TREASURE:
        for i in range(len(saved)):
            saved[i] = BUST_CHANCE[i] * (after_turn(values, mine, other, SAVED[i], 0) - bust[0])
    solve_dice(card, room)
    for t in range(len(SKULLS)):
        count = ISLAND[card, t]
        stop[t] = after_turn(values, mine, other, count * (1 - loss_of_own), count * loss_of_own)
    solve_island(card, room)
    for t in range(len(SKULLS)):
        lands = SKULLS[t] + CARD_SKULLS[card] > 3 and not BATTLE[card]
        bust[t] = worth[2, t] if lands else worth[0, t]
    fill_means(bust, room.mean)
    return room.mean[0]


@kernel
def fill_ends(values, mine, other, card, ends):
    """By throw the chance of winning when the turn ends so away from the island, with nothing kept on the treasure island."""
    for t in range(len(SKULLS)):
        own = STOP[card, t] if SKULLS[t] + CARD_SKULLS[card] < 3 else BUST[card, t]
        ends[t] = after_turn(values, mine, other, own, 0)


@kernel
def sweep(values, room):
    """Every position once, the ones nearest to the end first; returns the largest change."""
    change = 0.0
    for total in range(TARGET - 1 + HIGHEST, 2 * LOWEST - 1, -1):
        for mine in range(max(LOWEST, total - HIGHEST), min(TARGET - 1, total - LOWEST) + 1):
            chance = 0.0
            for card in range(len(CARD_SKULLS)):
                if WEIGHTS[card] > 0:
                    chance += WEIGHTS[card] * solve_turn(values, mine, total - mine, card, room)
            chance /= 35
            at = mine - LOWEST, total - mine - LOWEST
            change = max(change, abs(values[at] - chance))
            values[at] = chance
    return change


def solve(tolerance: float = 1e-4, told: Callable[[float], None] = lambda change: None) -> np.ndarray:
    """The chance of winning by the mover's score (rows) and the other's, from LOWEST up, float64 (80, 141).

    Sweeps until no position changes by more than `tolerance`; `told` hears of the largest change of each.
    """
    values = np.full(SHAPE, 0.5)
    room = TurnRoom.empty()
    for _ in range(MOST_SWEEPS):
        change = sweep(values, room)
        told(change)
        if change < tolerance:
            break
    return values


# -- the table -----------------------------------------------------------------------------------------------------------


@cache
def table() -> np.ndarray:
    """The solved chances, from the file beside this one. Raises CheckpointError if it is missing or something else."""
    try:
        values = np.load(TABLE, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise CheckpointError(
            f"{TABLE} cannot be read ({error}); python -m experiments.studies.solve_race makes it anew"
        ) from None
    if values.shape != SHAPE or values.dtype != np.float64 or not ((values >= 0) & (values <= 1)).all():
        raise CheckpointError(f"{TABLE} does not hold chances of winning, float64, shape {SHAPE}")
    return values


# -- the player's rules --------------------------------------------------------------------------------------------------


def refusal(game: Game) -> str:
    """Which option of this match the table is not solved for, and for what it is; '' if it holds."""
    options: Any = game.options
    for name, value in HOLDS_FOR.items():
        if getattr(options, name) != value and not (name == "promo" and options.deck is not None):
            return f"option {name!r} is {getattr(options, name)!r}; {ExactRace.name} is solved for {value!r} only"
    if options.counts != DECK:
        return f"option 'deck' is {options.deck!r}; {ExactRace.name} is solved for the usual deck only, {usual_deck()}"
    return ""


def usual_deck() -> str:
    """'4 treasure_island, 4 captain, ...'."""
    return ", ".join(f"{count} {card}" for card, count in zip(exact.CARDS, DECK, strict=True) if count)


# -- the player ----------------------------------------------------------------------------------------------------------


class ExactRace:
    """Plays every turn for the chance of winning against the best of the others."""

    name, unit = "exact:race", "win"

    def __init__(self, game: Game) -> None:
        """Raises UnknownPlayerError for another game, OptionError for other rules, CheckpointError without its table."""
        self._game, self._throw = game, exact.engine_throws(game, self.name)
        if refused := refusal(game):
            raise OptionError(refused)
        self._values = table()
        self._room = TurnRoom.empty()
        self._turns: dict[tuple[int, int, int], np.ndarray] = {}
        self._turn((0, 0, 0))  # what takes seconds, before the first decision waits for it

    def __call__(self, g: np.ndarray) -> np.ndarray:
        """The actions for these redacted records."""
        mine, other = self._scores(g)
        where = np.where(g["island"] != 0, 2, g["sorceress_used"] != 0)
        throws = self._throw[g["dice"]]
        keys = zip(mine.tolist(), other.tolist(), g["card"].tolist(), strict=True)
        return np.array([self._turn(key)[w, t] for key, w, t in zip(keys, where, throws, strict=True)], np.int64)

    def _scores(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mover's score and the best of the others, in units within the table, as if the target were its own."""
        scores = np.floor_divide(g["scores"] - g["target"][:, None], UNIT).astype(np.int64) + TARGET
        seats, at = np.arange(scores.shape[1]), g["to_move"].astype(np.int64)[:, None]
        others = np.where((seats != at) & (seats < g["players"][:, None]), scores, LOWEST).max(axis=1)
        mine = np.take_along_axis(scores, at, axis=1)[:, 0]
        return np.clip(mine, LOWEST, TARGET - 1), np.clip(others, LOWEST, HIGHEST)

    def worths(self, g: np.record) -> dict[int, float]:
        """The chance of winning by each legal action of a decision's record."""
        mine, other = (int(scores[0]) for scores in self._scores(np.array([g])))
        card, room, ends = int(g.card), self._room, np.zeros(len(SKULLS))
        solve_turn(self._values, mine, other, card, room)
        fill_ends(self._values, mine, other, card, ends)
        saved = room.saved if card == TREASURE else room.nothing
        outlook = Outlook(exact.CARDS[card], room.worth[:2], room.worth[2], ends, room.stop, saved)
        return outlook.worths(g, int(self._throw[g.dice]), self._game.legal_actions(g))

    def _turn(self, key: tuple[int, int, int]) -> np.ndarray:
        """Actions by state of the turn and throw, uint8 (3, 1287)."""
        if key not in self._turns:
            solve_turn(self._values, *key, self._room)
            self._turns[key] = exact.actions_of(self._room.laid)
        return self._turns[key]
