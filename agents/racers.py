"""Piraten Kapern at larger tables: every player a racer of its own.

Each of the others is taken to play `exact.solve`'s turns, whatever the rest do, until somebody has reached the target; who
has a last turn then takes it with the best chance to get past the highest score. So the chance that the one who has just
moved wins is a sum over the round in which somebody reaches the target, over who it is and with how many points, of
products of one factor a player. Every turn is played for the highest such chance: one step of policy improvement. Left out
are what a visit to the Island of Skulls costs the others, and wins over a second one who has got past the call.

Scores are rows from LOWEST to TARGET - 1, calls (scores that reach the target) from TARGET to HIGHEST, in units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from agents import exact
from agents.exact import CARDS, THROWS
from agents.turns import (
    BUST,
    BUST_CHANCE,
    HIGHEST,
    LOWEST,
    SAVED,
    STOP,
    TARGET,
    TREASURE,
    WEIGHTS,
    Key,
    scratch,
    seen_from_mover,
    solve_for,
)  # fmt: skip
from pirate_envs.core.jit import kernel

ROUNDS = 20  # looked ahead
SCORES, CALLS = TARGET - LOWEST, HIGHEST - TARGET + 1
LEAST, MOST = -10, 110  # what a turn can bring, units
SHARES = np.array(WEIGHTS) / sum(WEIGHTS)


# -- turns as chances --------------------------------------------------------------------------------------------------


def _marks(units: np.ndarray) -> np.ndarray:
    """One row of zeros and a one for each number of units, float64 (..., 121)."""
    return (units[..., None] == np.arange(LEAST, MOST + 1)).astype(float)


def gains() -> np.ndarray:
    """Chances of what a turn played for points brings its player, from LEAST to MOST units, float64 (121,)."""
    total = np.zeros(MOST - LEAST + 1)
    for number in np.flatnonzero(SHARES):
        again = np.zeros((len(exact.LAID), len(total)))
        if number == TREASURE:  # what is saved counts in place of the bust's nothing
            again = BUST_CHANCE[:, None] * (_marks(SAVED) - _marks(np.zeros(1, int)))
        stop, bust = _marks(STOP[number]), _marks(BUST[number])
        counts = exact.Counts(stop, bust, _marks(np.zeros(len(THROWS), int)), again)
        total += SHARES[number] * exact.followed(exact.solve(CARDS[number]), counts)
    return total


def misses() -> np.ndarray:
    """Chance that one last turn does not get past a lead of 0, 1, ... units, float64 (141,); to draw level is half."""
    room = scratch()
    out = np.zeros(HIGHEST - LOWEST + 1)
    for lead in range(len(out)):
        curve = 0.5 + 0.5 * np.sign(np.arange(LOWEST, HIGHEST + 1) - lead)
        for card in np.flatnonzero(SHARES):
            out[lead] += SHARES[card] * (1 - solve_for(curve, 0, card, *room))
    return out


# -- the racers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Racers:
    """Chances of one racer by turns taken, 0 to ROUNDS, and score before them."""

    calls: np.ndarray
    """To reach the target with the last of them, at that call, float64 (ROUNDS + 1, CALLS, SCORES)."""
    holds: np.ndarray
    """Not to have reached it, and not to get past that call with a last turn, float64 (ROUNDS + 1, CALLS, SCORES)."""
    races: np.ndarray
    """Not to have reached it, float64 (ROUNDS + 1, SCORES)."""
    last: np.ndarray
    """Not to get past a lead with a last turn, float64 (141,)."""


@cache
def racers() -> Racers:
    """Of all scores, from the chances of one turn."""
    gain, last = gains(), misses()
    before, after = np.arange(LOWEST, TARGET)[:, None], np.arange(LEAST, MOST + 1)
    landing = np.clip(before + after, LOWEST, HIGHEST) - LOWEST
    step = np.zeros((SCORES, HIGHEST - LOWEST + 1))
    np.add.at(step, (np.arange(SCORES)[:, None], landing), gain)
    falls_short = last[np.arange(TARGET, HIGHEST + 1) - before]
    stays = np.array([np.linalg.matrix_power(step[:, :SCORES], k) for k in range(ROUNDS + 1)])
    calls = np.concatenate([np.zeros((1, SCORES, CALLS)), stays[:-1] @ step[:, SCORES:]])
    by_call = [np.ascontiguousarray(chances.transpose(0, 2, 1)) for chances in (calls, stays @ falls_short)]
    return Racers(*by_call, stays.sum(2), last)


@kernel
def fill_race(others, calls, holds, races, curve):
    """The chance to win of who has just moved, by own score from LOWEST to HIGHEST; others: scores in the order of turns."""
    curve[:] = 0
    for call in range(CALLS):
        chance = 1.0
        for other in others:
            chance *= holds[0, call, other - LOWEST]
        curve[SCORES + call] = chance
    for k in range(1, ROUNDS + 1):
        for call in range(CALLS):
            mine, theirs = 1.0, 0.0
            for i in range(len(others)):
                mine *= holds[k, call, others[i] - LOWEST]
                chance = calls[k, call, others[i] - LOWEST]
                for j in range(len(others)):
                    if j != i:
                        chance *= holds[k - int(j > i), call, others[j] - LOWEST]
                theirs += chance
            for score in range(SCORES):
                now = mine * calls[k, call, score] + theirs * (races[k - 1, score] - holds[k - 1, call, score])
                curve[score] += now


@kernel
def fill_last_turn(best, waiting, last, curve):
    """The same in the final round; best: the highest score that stands, waiting: scores of who has a turn to come."""
    for i in range(len(curve)):
        score = LOWEST + i
        chance = 1.0 if score > best else 0.5 if score == best else 0.0
        for other in waiting:
            chance *= last[max(score - other, 0)]
        curve[i] = chance


# -- turns by chances ----------------------------------------------------------------------------------------------------

NONE = HIGHEST + 1  # no score stands yet


class Field:
    """The turns of three and more players, by their racers' chances."""

    def __init__(self, players: int) -> None:
        self._players = players
        self._racers = racers()
        self._room = scratch()
        self._curve = np.zeros(HIGHEST - LOWEST + 1)

    def keys(self, g: np.ndarray) -> list[Key]:
        """Card, the mover's score, in a final round the highest score that stands (else NONE), scores of those to come."""
        scores = np.clip(seen_from_mover(g, self._players), LOWEST, HIGHEST).tolist()
        columns = [g[name].tolist() for name in ("card", "trigger", "to_move", "turns_left")]
        return [self._key(*row) for row in zip(scores, *columns, strict=True)]

    def _key(self, scores: list[int], card: int, trigger: int, seat: int, turns_left: int) -> Key:
        if trigger < 0:
            return card, min(scores[0], TARGET - 1), NONE, *(min(score, TARGET - 1) for score in scores[1:])
        places = [place for place in range(1, self._players) if (seat + place) % self._players != trigger]
        waiting = places[:turns_left]
        standing = max(scores[place] for place in range(1, self._players) if place not in waiting)
        return card, scores[0], standing, *(scores[place] for place in waiting)

    def laid(self, key: Key) -> np.ndarray:
        """Dice to leave lying by state of the turn and throw, int32 (3, 1287); on the island as for the highest loss."""
        card, mine, standing, *others = key
        if standing == NONE:
            chances = self._racers
            fill_race(np.array(others), chances.calls, chances.holds, chances.races, self._curve)
        else:
            fill_last_turn(standing, np.array(others, np.int64), self._racers.last, self._curve)
        solve_for(self._curve, mine, card, *self._room)
        laid = self._room[1]
        laid[2] = exact.solve(CARDS[card]).island_laid
        return laid
