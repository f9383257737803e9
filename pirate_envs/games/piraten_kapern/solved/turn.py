"""Piraten Kapern: the optimal single turn, solved from the rules alone.

A turn is a Markov decision process over throws: the 1,287 multisets of eight dice. `solve` finds, for a fortune card, the
policy with the highest mean of the turn's own points by value iteration to a fixed point; on the Island of Skulls, where
the own points are zero, it is what the opponents lose that counts (with the peace card the own points again). No code of
the engine is used but, by the player, its numbers of throws. Rule numbers are those of the game's manual.

    exact:turn     the player that plays so, at any number of players and with every option: those of R31 to R35 change the
                   turn and are solved for (`Variant`); the others do not change what a turn brings
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields
from functools import cache

import numpy as np

from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.games.piraten_kapern.state import COUNTS

GAME = "piraten_kapern"
DICE = 8
COIN, DIAMOND, MONKEY, PARROT, SABRE, SKULL = FACES = range(6)
CARDS = (
    "treasure_island", "captain", "sorceress", "monkey_business", "gold", "diamond", "skulls_1", "skulls_2",
    "sea_battle_2", "sea_battle_3", "sea_battle_4", "after_the_storm", "peace",
)  # fmt: skip
CARD_SKULLS = {"skulls_1": 1, "skulls_2": 2}  # R19
BATTLES = {"sea_battle_2": (2, 300), "sea_battle_3": (3, 500), "sea_battle_4": (4, 1000)}  # R16
SET_POINTS = np.array([0, 0, 0, 100, 200, 500, 1000, 2000, 4000, 4000])  # R8, R12
TOLERANCE = 1e-9  # points


# -- dice --------------------------------------------------------------------------------------------------------------


def _multisets(dice: int) -> list[tuple[int, ...]]:
    """All counts by face of that many dice."""
    return [tuple(chosen.count(face) for face in FACES) for chosen in itertools.combinations_with_replacement(FACES, dice)]


LAID = np.array([counts for dice in range(DICE + 1) for counts in _multisets(dice)])
"""Dice lying, fewer first, as counts by face, (3003, 6); the last 1,287 are the throws."""
NUMBER = {tuple(counts): i for i, counts in enumerate(LAID.tolist())}
FIRST_THROW = int(np.searchsorted(LAID.sum(1), DICE))
THROWS = LAID[FIRST_THROW:]
_LEVELS = [np.flatnonzero(LAID.sum(1) == dice) for dice in range(DICE + 1)]
FALL = np.array([[NUMBER[tuple(row + (np.arange(6) == face))] for face in FACES] for row in LAID[:FIRST_THROW]])


def means(worth: np.ndarray) -> np.ndarray:
    """Mean worth of any dice lying once the others have fallen, float64 (3003,); `worth`: by throw, float64 (1287,)."""
    out = np.concatenate([np.zeros(FIRST_THROW), worth])
    for dice in range(DICE - 1, -1, -1):
        out[_LEVELS[dice]] = out[FALL[_LEVELS[dice]]].mean(1)
    return out


def _choices() -> tuple[np.ndarray, np.ndarray]:
    """Every way to roll again: (throw, dice left lying), one skull less lying where the sorceress is asked, int64 (n,) each."""
    rows = []
    for throw, counts in enumerate(THROWS.tolist()):
        skulls = counts[SKULL]
        for kept in itertools.product(*(range(count + 1) for count in counts[:SKULL])):
            if DICE - skulls - sum(kept) >= 2:  # R4
                rows.append((throw, NUMBER[*kept, skulls]))
            if skulls:  # R17
                rows.append((throw, NUMBER[*kept, skulls - 1]))
    throws, laid = np.array(rows).T
    return throws, laid


CHOICE_THROW, CHOICE_LAID = _choices()
ASKS = LAID[CHOICE_LAID, SKULL] < THROWS[CHOICE_THROW, SKULL]  # the sorceress


# -- rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """The options that change a turn, as the game names them (R31 to R35)."""

    battle_island: bool = False
    battle_bust: str = "lost"
    sorceress_rescues: bool = True
    sorceress_alone: bool = True
    peace_rolls_sabres: bool = True


USUAL = Variant()


def variant_of(game: Game) -> Variant:
    """The rules by which the game's turns are played."""
    return Variant(**{field.name: getattr(game.options, field.name) for field in fields(Variant)})


def lands(card: str, variant: Variant = USUAL) -> np.ndarray:
    """Whether a first roll leads to the Island of Skulls, by throw (R22, R31)."""
    skulls = THROWS[:, SKULL] + CARD_SKULLS.get(card, 0)
    return (skulls > 3) & (variant.battle_island or card not in BATTLES)


# -- points ------------------------------------------------------------------------------------------------------------


def objects(card: str, dice: np.ndarray) -> np.ndarray:
    """Objects by face with the card's own (R10, R15); `dice`: counts by face, (n, 6)."""
    counts = dice.copy()
    counts[:, SKULL] = 0
    if card == "gold":
        counts[:, COIN] += 1
    if card == "diamond":
        counts[:, DIAMOND] += 1
    if card == "monkey_business":
        counts[:, MONKEY] += counts[:, PARROT]
        counts[:, PARROT] = 0
    return counts


def treasure(counts: np.ndarray) -> np.ndarray:
    """Points of sets, coins and diamonds (R8, R9)."""
    return SET_POINTS[counts].sum(1) + 100 * (counts[:, COIN] + counts[:, DIAMOND])


def full_chest(card: str, dice: np.ndarray) -> np.ndarray:
    """Whether all eight dice score (R11, R13)."""
    counts = objects(card, dice)
    in_set = counts >= 3
    in_set[:, [COIN, DIAMOND]] = True
    if card in BATTLES:
        in_set[:, SABRE] |= counts[:, SABRE] >= BATTLES[card][0]
    if card == "monkey_business":
        in_set[:, PARROT] = in_set[:, MONKEY]
    return ((dice == 0) | in_set)[:, :SKULL].all(1) & (dice[:, SKULL] == 0)


def at_stop(card: str) -> np.ndarray:
    """Own points of a stop, by throw (R8-R21)."""
    sabres = THROWS[:, SABRE]
    if card == "after_the_storm":
        shining = THROWS * np.isin(np.arange(6), (COIN, DIAMOND))
        return 2.0 * treasure(shining)
    points = treasure(objects(card, THROWS)) + 500.0 * full_chest(card, THROWS)
    if card == "captain":
        return 2 * points
    if card in BATTLES:
        needed, prize = BATTLES[card]
        return np.where(sabres >= needed, points + prize, -prize)
    if card == "peace":
        return np.where(sabres > 0, -1000.0 * sabres, points)
    return points


def at_bust(card: str, variant: Variant = USUAL) -> np.ndarray:
    """Own points of a bust but for the treasure island's, by throw (R7, R16, R21, R32)."""
    if card in BATTLES and variant.battle_bust == "lost":
        return np.full(len(THROWS), -float(BATTLES[card][1]))
    return -1000.0 * THROWS[:, SABRE] if card == "peace" else np.zeros(len(THROWS))


def on_island(card: str) -> np.ndarray:
    """What a visit to the Island of Skulls that ends so is worth: the loss of each opponent, or with peace own points."""
    skulls = 100.0 * (THROWS[:, SKULL] + CARD_SKULLS.get(card, 0))
    if card == "peace":
        return -1000.0 * THROWS[:, SABRE]
    return 2 * skulls if card == "captain" else skulls


def skull_chances() -> np.ndarray:
    """Chance of three skulls or more on the dice, by dice lying (3003,)."""
    return means((THROWS[:, SKULL] >= 3).astype(float))


# -- solving -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """The optimal turn with one card, by throw. Dice to leave lying are rows of LAID, or -1: stop."""

    card: str
    variant: Variant
    away: np.ndarray
    """Mean own points from here on, float64 (2, 1287): before and after the sorceress has been asked."""
    away_laid: np.ndarray
    """Dice to leave lying, int64 (2, 1287)."""
    island: np.ndarray
    """The same on the Island of Skulls, of what `on_island` counts, float64 (1287,)."""
    island_laid: np.ndarray
    """Dice to leave lying there, int64 (1287,)."""
    mean: float
    """Mean own points of a turn, before its first roll."""


def best_choice(worth: np.ndarray, allowed: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value and dice left lying by throw, from the worth of every choice; stopping wins ties."""
    value, laid = stop.copy(), np.full(len(stop), -1)
    order = np.flatnonzero(allowed)
    order = order[np.lexsort((-worth[order], CHOICE_THROW[order]))]
    throws, first = np.unique(CHOICE_THROW[order], return_index=True)
    best = order[first]
    better = worth[best] > stop[throws] + TOLERANCE
    value[throws[better]] = worth[best[better]]
    laid[throws[better]] = CHOICE_LAID[best[better]]
    return value, laid


def may_ask(variant: Variant) -> np.ndarray:
    """Choices that ask the sorceress and are legal away from the island (R17, R33, R34)."""
    most_skulls = 3 if variant.sorceress_rescues else 2
    most_lying = DICE - 1 if variant.sorceress_alone else DICE - 2
    return ASKS & (THROWS[CHOICE_THROW, SKULL] <= most_skulls) & (LAID[CHOICE_LAID].sum(1) <= most_lying)


def _away(card: str, variant: Variant, after_sorceress: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The turn away from the island, by value iteration; `after_sorceress`: values once she has been asked, if she can be."""
    skulls = THROWS[:, SKULL] + CARD_SKULLS.get(card, 0)
    alive = skulls < 3
    end, bust = at_stop(card), at_bust(card, variant)
    stop = np.where(alive, end, bust)
    allowed = alive[CHOICE_THROW] & ~ASKS
    saved = np.zeros(len(CHOICE_LAID))
    if card == "treasure_island":  # R18
        kept = LAID[CHOICE_LAID]
        saved = skull_chances()[CHOICE_LAID] * treasure(objects(card, kept))
    asked = np.zeros(0)
    if after_sorceress is not None:
        asks = may_ask(variant)
        allowed |= asks
        asked = means(after_sorceress)[CHOICE_LAID[asks]]
    value = stop
    while True:
        worth = means(value)[CHOICE_LAID] + saved
        if after_sorceress is not None:
            worth[asks] = asked
        before = value
        value, laid = best_choice(worth, allowed, stop)
        if card == "after_the_storm" or np.abs(value - before).max() < TOLERANCE:  # R20: one re-roll
            return value, laid


def _island(card: str, variant: Variant) -> tuple[np.ndarray, np.ndarray]:
    """The island: the turn goes on only after a roll with a new skull (R23); the sorceress is never asked there."""
    end = on_island(card)
    lie = card == "peace" and not variant.peace_rolls_sabres  # R35
    allowed = ~ASKS & ~(lie & (LAID[CHOICE_LAID, SABRE] < THROWS[CHOICE_THROW, SABRE]))
    value, laid = end.copy(), np.full(len(end), -1)
    for skulls in range(DICE - 2, -1, -1):  # throws with more skulls are solved
        here = (THROWS[CHOICE_THROW, SKULL] == skulls) & allowed
        goes_on = (THROWS[:, SKULL] > skulls) & (card != "after_the_storm")  # R20
        worth = means(np.where(goes_on, value, end))[CHOICE_LAID]
        now, choice = best_choice(worth, here, value)
        mine = THROWS[:, SKULL] == skulls
        value[mine], laid[mine] = now[mine], choice[mine]
    return value, laid


@cache
def solve(card: str, variant: Variant = USUAL) -> Turn:
    """The optimal turn with that card."""
    after, laid_after = _away(card, variant, None)
    before, laid_before = _away(card, variant, after) if card == "sorceress" else (after, laid_after)
    island, laid_island = _island(card, variant)
    first = np.where(lands(card, variant), island if card == "peace" else 0.0, before)
    return Turn(
        card,
        variant,
        away=np.array([before, after]),
        away_laid=np.array([laid_before, laid_after]),
        island=island,
        island_laid=laid_island,
        mean=float(means(first)[0]),
    )


# -- what happens in turns so played -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Visits:
    """How often a turn played by a solution comes by each throw and leaves each choice of dice lying: means a turn."""

    met: np.ndarray
    """Throws to decide on or to end with, away from the island, before and after the sorceress was asked, float64 (2, 1287)."""
    ends: np.ndarray
    """Throws with which a turn away from the island ends, float64 (1287,)."""
    island_ends: np.ndarray
    """Throws with which a visit to the island ends, float64 (1287,)."""
    lying: np.ndarray
    """Dice left lying, of LAID, float64 (3003,)."""


def fallen(lying: np.ndarray) -> np.ndarray:
    """How often each throw comes when the dice that do not lie fall, float64 (1287,); `lying`: how often each does, (3003,)."""
    out = np.concatenate([lying[:FIRST_THROW], np.zeros(len(THROWS))])
    for level in _LEVELS[:DICE]:
        np.add.at(out, FALL[level], out[level, None] / 6)
    return out[FIRST_THROW:]


def visits(turn: Turn) -> Visits:
    """Of all turns played by this solution."""
    there = lands(turn.card, turn.variant)
    first = fallen(np.eye(1, len(LAID))[0])
    met, ends, lying = _visits_away(turn, np.where(there, 0, first))
    island_ends, lying_there = _visits_island(turn, np.where(there, first, 0))
    return Visits(met, ends, island_ends, lying + lying_there)


def _visits_away(turn: Turn, first: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    met, ends, lying = np.zeros((2, len(THROWS))), np.zeros(len(THROWS)), np.zeros(len(LAID))
    rolls = turn.away_laid >= 0
    asks = rolls[0] & (LAID[turn.away_laid[0], SKULL] < THROWS[:, SKULL])
    now = np.array([first, np.zeros(len(THROWS))])
    while now.sum() > TOLERANCE:
        met += now
        ends += np.where(rolls, 0, now).sum(0)
        stays, leaves = np.zeros(len(LAID)), np.zeros(len(LAID))
        np.add.at(stays, turn.away_laid[0], now[0] * (rolls[0] & ~asks))
        np.add.at(leaves, turn.away_laid[0], now[0] * asks)
        np.add.at(leaves, turn.away_laid[1], now[1] * rolls[1])
        lying += stays + leaves
        now = np.array([fallen(stays), fallen(leaves)])
        if turn.card == "after_the_storm":  # R20
            return met, ends + now.sum(0), lying
    return met, ends, lying


def _visits_island(turn: Turn, now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ends, lying = np.zeros(len(THROWS)), np.zeros(len(LAID))
    for skulls in range(DICE + 1):  # a roll goes on only with more of them
        here = now * (THROWS[:, SKULL] == skulls)
        rolls = turn.island_laid >= 0
        ends += np.where(rolls, 0, here)
        left = np.zeros(len(LAID))
        np.add.at(left, turn.island_laid, here * rolls)
        after = fallen(left)
        goes_on = (THROWS[:, SKULL] > skulls) & (turn.card != "after_the_storm")
        ends += np.where(goes_on, 0, after)
        now = now - here + np.where(goes_on, after, 0)
        lying += left
    return ends, lying


# -- the player --------------------------------------------------------------------------------------------------------


def slots(throw: int, laid: int) -> int:
    """The game's action that leaves these dice lying: the lowest slots of each face among the sorted dice; 0 for -1."""
    action, start = 0, 0
    if laid < 0:
        return 0
    for count, kept in zip(THROWS[throw], LAID[laid], strict=True):
        action |= ((1 << int(count - kept)) - 1) << start
        start += int(count)
    return action


@cache
def _slots_by_choice() -> tuple[np.ndarray, np.ndarray]:
    """Keys throw * len(LAID) + laid of all choices, ascending, and their actions, uint8."""
    keys = CHOICE_THROW * len(LAID) + CHOICE_LAID
    order = np.argsort(keys)
    actions = [slots(throw, laid) for throw, laid in zip(CHOICE_THROW.tolist(), CHOICE_LAID.tolist(), strict=True)]
    return keys[order], np.array(actions, np.uint8)[order]


def actions_of(laid: np.ndarray) -> np.ndarray:
    """The game's actions for dice to leave lying, shape (..., 1287), uint8."""
    keys, actions = _slots_by_choice()
    at = np.searchsorted(keys, np.arange(len(THROWS)) * len(LAID) + np.maximum(laid, 0))
    return np.where(laid < 0, 0, actions[np.minimum(at, len(keys) - 1)]).astype(np.uint8)


def engine_throws(game: Game, player: str) -> np.ndarray:
    """The number that each of the engine's throws has here. Raises UnknownPlayerError for a game that is another."""
    if game.name != GAME:
        raise UnknownPlayerError(f"unknown player {player!r} in {game.name}; it plays {GAME} only")
    return np.array([NUMBER[tuple(counts)] - FIRST_THROW for counts in COUNTS.tolist()])


class ExactTurn:
    """Plays every turn for the highest mean of its own points, whatever the scores."""

    name = "exact:turn"

    def __init__(self, game: Game) -> None:
        """Solves the turns of all cards, which takes seconds. Raises UnknownPlayerError for another game."""
        self._throw = engine_throws(game, self.name)
        turns = [solve(card, variant_of(game)) for card in CARDS]
        self._actions = actions_of(np.array([[*turn.away_laid, turn.island_laid] for turn in turns]))

    def __call__(self, g: np.ndarray) -> np.ndarray:
        """The actions for these redacted records."""
        where = np.where(g["island"] != 0, 2, g["sorceress_used"] != 0)
        return self._actions[g["card"], where, self._throw[g["dice"]]].astype(np.int64)
