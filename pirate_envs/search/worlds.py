"""Worlds: determinized copies of redacted records, played in lockstep by a player that decides in batches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import padded_bytes, words_for
from pirate_envs.core.cells import expand
from pirate_envs.core.game import Game
from pirate_envs.core.jit import kernel
from pirate_envs.core.rng import Stream, branch, key, next32
from pirate_envs.search.tree import ACTIONS, TO_MATCH_END, draw_world, judge

BY_ACT = -2  # no rule player's number: -1 is the strongest
Act = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From observations (float32, (n, layout size)), action masks (bool, (n, actions)) and chances from 0 to below 1 (float64,
(n,)) to n action ids."""


@kernel
def open_all(records, seeds, numbers, stages, before, gens):
    """Note each root's stage and points, fill it with world `numbers[i]` of its seed and let sealed choices be made anew.

    `seeds`, `numbers`, `stages`: int64, (n,); `before`: int64, (n, players); `gens`: of what players draw, uint32, (n, 4).
    """
    for i in range(len(records)):
        stages[i] = verbs.stage(records[i])
        verbs.score(records[i], before[i])
        draw_world(records[i], seeds[i], numbers[i])
        key(gens[i], seeds[i], numbers[i], branch(Stream.WORLD, ACTIONS))
        verbs.reopen(records[i])


@kernel
def look_at(records, rows, words, groups, observations):
    """Write legal actions and observation of the seat to move in each of these k rows, one after the other.

    `rows`: int64, (k,); `words`: room for one row's, uint64, (words,); `groups`: uint64, (k, groups); `observations`:
    float32, (k, layout size).
    """
    for k in range(len(rows)):
        g = records[rows[k]]
        verbs.legal(g, words)
        expand(words, groups[k])
        verbs.observe(g, int(g.to_move), observations[k])


@kernel
def draw_chances(gens, rows, chances):
    """The next chance of each of these k rows, from 0 to below 1, into `chances` (float64, (k,)); `gens`: as in `open_all`."""
    for k in range(len(rows)):
        chances[k] = next32(gens[rows[k]]) / 2**32


@kernel
def look_as(records, rows, seats, observations):
    """Write what these seats (int64, (k,)), to move or not, see in each of these k rows."""
    for k in range(len(rows)):
        verbs.observe(records[rows[k]], seats[k], observations[k])


@kernel
def score_all(records, points, winners):
    """Each record's points (int64, (n, players)) and who has most, a seat a bit (int64, (n,))."""
    for i in range(len(records)):
        winners[i] = verbs.score(records[i], points[i])


@kernel
def stages_of(records, stages):
    """Each record's stage (int64, (n,)): which hand, turn or cycle it is in."""
    for i in range(len(records)):
        stages[i] = verbs.stage(records[i])


@kernel
def advise_at(records, rows, players, actions):
    """What rule player `players[k]` does in each of these k rows, into `actions` (int64, (k,))."""
    for k in range(len(rows)):
        actions[k] = verbs.rule_action(records[rows[k]], players[k])


@kernel
def apply_all(records, rows, actions, stages, horizon, goes_on):
    """Play an action (int64, (k,)) in each of these k rows and note (bool, (k,)) whether it goes on before the horizon.

    `stages`: of every record's root, int64, (n,).
    """
    for k in range(len(rows)):
        g = records[rows[k]]
        verbs.apply(g, actions[k])
        goes_on[k] = g.over == 0 and (horizon == TO_MATCH_END or verbs.stage(g) - stages[rows[k]] < horizon)


@kernel
def judge_all(records, seats, horizon, points, before, worth, outcomes):
    """What each world is worth to its seat (int64, (n,)) into `outcomes` (float64, (n,)); `worth`: room for one world's."""
    for i in range(len(records)):
        judge(records[i], horizon, points, before[i], worth)
        outcomes[i] = worth[seats[i]]


class Worlds:
    """Worlds of redacted records that all have decisions to make."""

    def __init__(self, game: Game, roots: np.ndarray, counts: np.ndarray) -> None:
        """`counts[i]` worlds of `roots[i]`."""
        self.game = game
        self.records = np.repeat(roots, counts)
        size = len(self.records)
        self.seats = self.records["to_move"].astype(np.int64)
        self._stages = np.zeros(size, np.int64)
        self._before = np.zeros((size, game.players), np.int64)
        self._words = np.zeros(words_for(game.actions), np.uint64)
        self._mask_rows = np.zeros((size, padded_bytes(game.actions)), np.int8)
        self._observations = np.zeros((size, game.layout.size), np.float32)
        self._goes_on = np.zeros(size, np.bool_)
        self._gens, self._chances = np.zeros((size, 4), np.uint32), np.zeros(size)

    def draw(self, seeds: np.ndarray, numbers: np.ndarray) -> None:
        """Fill world i by (seeds[i], numbers[i]), int64 each: equal ones of the same root become the same world.

        There the same chances are drawn, decision after decision.
        """
        open_all(self.records, seeds, numbers, self._stages, self._before, self._gens)

    def play(
        self,
        first: np.ndarray,
        act: Act,
        horizon: int,
        others: np.ndarray | None = None,
    ) -> np.ndarray:
        """Play each root's seat's next decision as `first` (int64) says and all others by `act`, to the horizon.

        `others`: in each world the number of the rule player that decides for the other seats, or BY_ACT; int64, (n,).
        Returns what each world is worth to that seat, float64; `worth` tells it again.
        """
        rows, waiting = np.arange(len(self.records)), np.ones(len(self.records), np.bool_)
        while len(rows):
            own = self.records["to_move"][rows] == self.seats[rows]
            tried = waiting[rows] & own
            advised = np.zeros(len(rows), np.bool_) if others is None else ~own & (others[rows] != BY_ACT)
            asked = np.flatnonzero(~tried & ~advised)
            actions = first[rows]
            if len(asked):
                actions[asked] = self._asked(rows[asked], act)
            if others is not None and advised.any():
                advice = np.zeros(int(advised.sum()), np.int64)
                advise_at(self.records, rows[advised], others[rows[advised]], advice)
                actions[advised] = advice
            waiting[rows[tried]] = False
            apply_all(self.records, rows, actions, self._stages, horizon, self._goes_on)
            rows = rows[self._goes_on[: len(rows)]]
        return self.worth(horizon)

    def _asked(self, rows: np.ndarray, act: Act) -> np.ndarray:
        """What `act` decides in these rows."""
        look_at(self.records, rows, self._words, self._mask_rows.view(np.uint64), self._observations)
        draw_chances(self._gens, rows, self._chances)
        action_masks = self._mask_rows[: len(rows), : self.game.actions].view(np.bool_)
        return act(self._observations[: len(rows)], action_masks, self._chances[: len(rows)])

    def shares(self, value: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Each root's seat's share of the win, float64: as it is where the match has ended.

        Elsewhere `value` foretells it from that seat's observations, float32, (n, layout size).
        """
        points, winners = np.zeros((len(self.records), self.game.players), np.int64), np.zeros(len(self.records), np.int64)
        score_all(self.records, points, winners)
        won = winners[:, None] >> np.arange(self.game.players) & 1
        shares = (won / won.sum(axis=1, keepdims=True))[np.arange(len(won)), self.seats]
        goes_on = np.flatnonzero(self.records["over"] == 0)
        if len(goes_on):
            look_as(self.records, goes_on, self.seats[goes_on], self._observations)
            shares[goes_on] = value(self._observations[: len(goes_on)])
        return shares

    def worth(self, horizon: int) -> np.ndarray:
        """What each world is worth to its root's seat as it lies now, under its own `reward`, float64."""
        outcomes = np.zeros(len(self.records))
        points, worth = np.zeros(self.game.players, np.int64), np.zeros(self.game.players)
        judge_all(self.records, self.seats, horizon, points, self._before, worth, outcomes)
        return outcomes
