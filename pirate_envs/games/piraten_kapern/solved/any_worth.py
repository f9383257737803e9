"""Piraten Kapern: the turn that is best for any worth of its end, compiled.

`exact.solve` maximises points; here the worth of every end is given, so that a turn can be played for the chance of
winning. Points and scores are in units of a hundred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pirate_envs.core.jit import compiled, kernel
from pirate_envs.games.piraten_kapern.solved import turn as exact
from pirate_envs.games.piraten_kapern.solved.turn import CARDS, SKULL, THROWS

UNIT, TARGET = 100, 60  # points; units
LOWEST, HIGHEST = -20, 120  # scores told apart, units
TOLERANCE = 1e-5  # of a chance, within a turn
EVEN = 1e-9  # of a chance: who gains no more by rolling stops
WEIGHTS = (4, 4, 4, 4, 4, 4, 3, 2, 2, 2, 2, 0, 0)  # of the cards in the deck (R1)


def _drop() -> np.ndarray:
    """Dice lying when one die of a face is taken up, int32 (3003, 6); themselves where there is none."""
    rows = []
    for i, counts in enumerate(exact.LAID.tolist()):
        fewer = [tuple(np.subtract(counts, np.arange(6) == face)) for face in range(6)]
        rows.append([exact.NUMBER[row] if min(row) >= 0 else i for row in fewer])
    return np.array(rows, np.int32)


DROP = _drop()
FIRST_SEVEN = int(np.searchsorted(exact.LAID.sum(1), 7))
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


@kernel
def fill_best(mean, extra, end, best):
    """The best worth, mean and extra, of these dice lying or of fewer of them, as many skulls; rows from `end` may not lie."""
    for i in range(len(best)):
        now = mean[i] + extra[i] if i < end else -np.inf
        best[i] = now
        now = max(now, best[DROP[i, 0]], best[DROP[i, 1]], best[DROP[i, 2]], best[DROP[i, 3]], best[DROP[i, 4]])
        best[i] = now


@compiled
def best_lying(i, mean, extra, end, best):
    """The dice lying from which best[i] comes."""
    while i >= end or mean[i] + extra[i] < best[i]:
        for face in range(SKULL):
            if best[DROP[i, face]] == best[i] and DROP[i, face] != i:
                i = DROP[i, face]
                break
    return i


@kernel
def solve_away(card, asks, saved, worth, laid, room):
    """The turn away from the island: worth and dice left lying by throw; with `asks` the sorceress may still be asked.

    Value iteration from stopping at once. `saved`: what a bust is worth by the dice lying (room.saved or room.nothing).
    """
    stop, bust, mean, best = room.stop, room.bust, room.mean, room.best
    asked, best_asked = room.asked, room.best_asked
    left = 3 - CARD_SKULLS[card]
    if asks:
        fill_best(asked, room.nothing, FIRST, best_asked)
    for t in range(len(SKULLS)):
        worth[t] = stop[t] if SKULLS[t] < left else bust[t]
        laid[t] = -1
    change = 1.0
    while change > TOLERANCE:
        change = 0.0
        fill_means(worth, mean)
        fill_best(mean, saved, FIRST_SEVEN, best)
        for t in range(len(SKULLS)):
            if SKULLS[t] < left + int(asks):
                now = max(stop[t], best[FIRST + t]) if SKULLS[t] < left else bust[t]
                if asks and SKULLS[t] > 0:
                    now = max(now, best_asked[DROP[FIRST + t, SKULL]])
                change = max(change, abs(worth[t] - now))
                worth[t] = now
        if card == STORM:
            break
    for t in range(len(SKULLS)):
        if SKULLS[t] < left and worth[t] > stop[t] + EVEN:
            laid[t] = best_lying(FIRST + t, mean, saved, FIRST_SEVEN, best)
        if asks and 0 < SKULLS[t] <= left and worth[t] > (stop[t] if SKULLS[t] < left else bust[t]) + EVEN:
            at = DROP[FIRST + t, SKULL]
            if SKULLS[t] == left or best_asked[at] > best[FIRST + t]:
                laid[t] = best_lying(at, asked, room.nothing, FIRST, best_asked)


@kernel
def solve_island(card, room):
    """The turn on the island, throws with the most skulls first, into the third rows; room.stop: the worth of its end."""
    end, first, mean, nothing, best = room.stop, room.bust, room.mean, room.nothing, room.best
    worth, laid = room.worth[2], room.laid[2]
    for t in range(len(SKULLS)):
        worth[t] = end[t]
        laid[t] = -1
    for skulls in range(6, 2 - CARD_SKULLS[card], -1):
        for t in range(len(SKULLS)):
            first[t] = worth[t] if SKULLS[t] > skulls and card != STORM else end[t]
        fill_means(first, mean)
        fill_best(mean, nothing, FIRST_SEVEN, best)
        for t in range(len(SKULLS)):
            if SKULLS[t] == skulls and best[FIRST + t] > end[t] + EVEN:
                worth[t] = best[FIRST + t]
                laid[t] = best_lying(FIRST + t, mean, nothing, FIRST_SEVEN, best)


@kernel
def solve_dice(card, room):
    """The turn away from the island before and after the sorceress was asked, into the first two rows."""
    worth, laid = room.worth, room.laid
    solve_away(card, False, room.saved if card == TREASURE else room.nothing, worth[1], laid[1], room)
    if card == SORCERESS:
        fill_means(worth[1], room.asked)
        solve_away(card, True, room.nothing, worth[0], laid[0], room)
    else:
        for t in range(len(SKULLS)):
            worth[0, t] = worth[1, t]
            laid[0, t] = laid[1, t]


class TurnRoom(NamedTuple):
    """What a turn is solved in: by throw, (1287,), or by dice lying, (3003,), float64."""

    worth: np.ndarray
    """(3, 1287): before and after the sorceress was asked, and on the island."""
    laid: np.ndarray
    """Dice left lying (rows of LAID, -1: stop), int32, (3, 1287), likewise."""
    stop: np.ndarray
    """By throw: worth of a stop; on the island of its end."""
    bust: np.ndarray
    """By throw: worth of a bust; room of the island's."""
    mean: np.ndarray
    """By dice lying."""
    asked: np.ndarray
    """By dice lying: means once the sorceress was asked."""
    saved: np.ndarray
    """By dice lying: what a bust is worth more with the treasure island."""
    nothing: np.ndarray
    """By dice lying: zeros."""
    best: np.ndarray
    best_asked: np.ndarray

    @classmethod
    def empty(cls) -> TurnRoom:
        """Room for one turn."""
        throws, lying = len(THROWS), len(exact.LAID)
        by_throw = np.zeros((3, throws)), np.zeros((3, throws), np.int32), np.zeros(throws), np.zeros(throws)
        return cls(*by_throw, *(np.zeros(lying) for _ in range(6)))
