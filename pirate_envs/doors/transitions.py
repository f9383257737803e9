"""What replay buffers take, from a batch in which one learner decides for every seat: each decision with what followed it.

>>> import pirate_envs
>>> from pirate_envs.doors.transitions import SeatTransitions
>>> batch = pirate_envs.Batch(pirate_envs.load("skull_king"), size=64)
>>> played = SeatTransitions(batch)
>>> for _ in range(100):
...     transitions = played.step(batch.random_actions())  # or yours, from batch.observations and batch.action_masks
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pirate_envs.engine.batch import Batch


class Transitions(NamedTuple):
    """Decisions whose outcome is known now, k of them in any order; of one seat in the order in which it made them."""

    lanes: np.ndarray
    """Where each was made, int64, shape (k,)."""
    seats: np.ndarray
    """By whom, int64, shape (k,)."""
    observations: np.ndarray
    """What the seat saw, float32, shape (k, layout size)."""
    action_masks: np.ndarray
    """What was legal, int8, shape (k, actions)."""
    actions: np.ndarray
    """int64, shape (k,)."""
    rewards: np.ndarray
    """What the seat was paid from then until it decides again or the match ends, float32, shape (k,)."""
    next_observations: np.ndarray
    """What it sees at its next decision, float32, shape (k, layout size); after the end: the same as `observations`."""
    next_action_masks: np.ndarray
    """What is legal then, int8, shape (k, actions); after the end: the same as `action_masks`."""
    ended: np.ndarray
    """Whether the match was over before the seat's next decision, so that nothing follows; bool, shape (k,)."""


class SeatTransitions:
    """Plays a batch and strings each seat's decisions together, whoever moves in between.

    A match that is cut off by the bound on its length counts as ended.
    """

    def __init__(self, batch: Batch) -> None:
        """`batch` shows observations and action masks."""
        game, size = batch.game, batch.size
        self.batch = batch
        self._observations = np.zeros((size, game.players, game.layout.size), np.float32)
        self._action_masks = np.zeros((size, game.players, game.actions), np.int8)
        self._actions = np.zeros((size, game.players), np.int64)
        self._paid = np.zeros((size, game.players))
        self._waits = np.zeros((size, game.players), bool)  # for what follows a decision
        self._every = np.arange(size)

    def step(self, actions: Any) -> Transitions:
        """Play `actions` as `Batch.step` does and raises; returns the decisions whose outcome is known now."""
        batch = self.batch
        seats, observations, action_masks = batch.seats.copy(), batch.observations, batch.action_masks
        batch.step(actions, fresh=True)
        had = self._waits[self._every, seats]
        lanes, movers = self._every[had], seats[had]
        resumed = self._take(lanes, movers, observations[had], action_masks[had], False)
        self._observations[self._every, seats] = observations
        self._action_masks[self._every, seats] = action_masks
        self._actions[self._every, seats] = actions
        self._paid[self._every, seats] = 0
        self._waits[self._every, seats] = True
        self._paid += batch.rewards
        lanes, movers = np.nonzero(self._waits & (batch.ended > 0)[:, None])
        last = self._observations[lanes, movers], self._action_masks[lanes, movers]
        ended = self._take(lanes, movers, *last, True)
        self._waits[batch.ended > 0] = False
        return Transitions(*(np.concatenate(parts) for parts in zip(resumed, ended, strict=True)))

    def _take(
        self, lanes: np.ndarray, seats: np.ndarray, after: np.ndarray, masks_after: np.ndarray, ended: bool
    ) -> Transitions:
        """The decisions of these seats that wait, with what is seen after them."""
        at = lanes, seats
        paid = self._paid[at].astype(np.float32)
        own = self._observations[at], self._action_masks[at], self._actions[at]
        return Transitions(lanes, seats, *own, paid, after, masks_after, np.full(len(lanes), ended))
