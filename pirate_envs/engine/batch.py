"""Batch: many matches of one game in lockstep, arrays in and out."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from typing import Any

import numpy as np

from pirate_envs.core.bits import words_for
from pirate_envs.core.game import Game
from pirate_envs.core.jit import entry_point
from pirate_envs.core.ranges import Use, check_records
from pirate_envs.core.rng import seed_words
from pirate_envs.engine import kernels
from pirate_envs.engine.checks import Snapshot, check_generators, check_snapshot, checked_actions, checked_size

CACHE_LINE, HUGE_PAGE = 64, 1 << 21  # bytes


def aligned_rows(count: int, width: int, dtype: Any) -> np.ndarray:
    """Zeros, `count` rows of at least `width`, each beginning at a cache line: stores that straddle lines cost twice."""
    size = np.dtype(dtype).itemsize
    padded = -(-width * size // CACHE_LINE) * CACHE_LINE
    return memory(count * padded).view(dtype).reshape(count, padded // size)


def memory(size: int) -> np.ndarray:
    """`size` zero bytes that begin at a cache line, in huge pages where the system has them.

    A step walks through all of a batch's memory: in small pages that is more of them than the processor remembers.
    """
    if size < HUGE_PAGE // 8 or not hasattr(mmap, "MADV_HUGEPAGE"):
        raw = np.zeros(size + CACHE_LINE, np.uint8)
        start = -raw.ctypes.data % CACHE_LINE
    else:
        pages = mmap.mmap(-1, (size // HUGE_PAGE + 2) * HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        pages.madvise(mmap.MADV_HUGEPAGE)
        raw = np.frombuffer(pages, np.uint8)
        start = -raw.ctypes.data % HUGE_PAGE
    return raw[start : start + size]


def unwritten_like(rows: np.ndarray) -> np.ndarray:
    """Rows of the same shape that hold anything, from what the process has freed before if it can: new pages cost time."""
    raw = np.empty(rows.nbytes + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + rows.nbytes].view(rows.dtype).reshape(rows.shape)


class Batch:
    """`size` matches played in lockstep. Lane i starts with match seed `seed + i` and deals its next match when one ends.

    After the constructor and after every `step` the attributes below show the position of every lane. They are views,
    overwritten by the next step; with `fresh=True` the observations and masks shown so far are left to the caller.

    >>> import pirate_envs
    >>> batch = pirate_envs.Batch(pirate_envs.load("skull_king"), size=4, seed=7)
    >>> batch.step(batch.random_actions())
    0
    """

    records: np.ndarray
    """The matches themselves, dtype game.state, shape (size,)."""
    seats: np.ndarray
    """Seat to move, int64, shape (size,)."""
    action_masks: np.ndarray
    """Legal actions of the seat to move, int8 zeros and ones, shape (size, game.actions); empty if not asked for."""
    observations: np.ndarray
    """What the seat to move sees, float32, shape (size, game.layout.size); empty if not asked for."""
    rewards: np.ndarray
    """What the last step paid to every seat, float64, shape (size, players)."""
    ended: np.ndarray
    """int8, shape (size,): 0, or how the match that the last step ended came out (1 finished, 2 truncated)."""
    points: np.ndarray
    """Points of each lane's match that ended last, int64, shape (size, players)."""

    def __init__(self, game: Game, size: int, seed: int = 0, *, observations: bool = True, action_masks: bool = True) -> None:
        """Raises BatchError for a bad size, OptionError for a bad seed."""
        self.game, self.size = game, checked_size("size", size)
        self.records = memory(self.size * game.state.itemsize).view(game.state)
        self.records[:] = game.empty(self.size)
        self.seats = np.zeros(self.size, np.int64)
        words = np.zeros((self.size, words_for(game.actions)), np.uint64)
        mask_rows = aligned_rows(self.size if action_masks else 0, game.actions, np.int8)
        rows = aligned_rows(self.size if observations else 0, game.layout.size, np.float32)
        self.rewards = np.zeros((self.size, game.players))
        self.ended = np.zeros(self.size, np.int8)
        self.points = np.zeros((self.size, game.players), np.int64)
        self._shown = kernels.Shown(self.seats, words, mask_rows.view(np.uint64), rows)
        self._name_rows()
        self._outcome = kernels.Outcome(self.rewards, self.points, self.ended)
        self._scratch = kernels.Scratch(np.zeros(game.players, np.int64), np.zeros(game.players))
        self._generators = np.zeros((self.size, 4), np.uint32)
        self._actions = np.zeros(self.size, np.int64)
        self._every = np.arange(self.size)
        bundles = self._shown, self._outcome, self._scratch
        self._step = entry_point(kernels.step_all, self.records, self._actions, *bundles)  # the dispatcher reads bundles slowly
        self.reset(seed)

    def _name_rows(self) -> None:
        self.action_masks = self._shown.groups.view(np.int8)[:, : self.game.actions]
        self.observations = self._shown.observations[:, : self.game.layout.size]

    def _renew_rows(self) -> None:
        groups, observations = unwritten_like(self._shown.groups), unwritten_like(self._shown.observations)
        self._shown = self._shown._replace(groups=groups, observations=observations)
        self._name_rows()

    def _look(self) -> None:
        kernels.look(self.records, 0, self.size, self._shown)

    def reset(self, seed: int = 0, *, fresh: bool = False) -> None:
        """Deal anew: lane i from match seed `seed + i`; `fresh` as in `step`. Raises OptionError for a bad seed."""
        low, high = seed_words(seed)
        if fresh:
            self._renew_rows()
        kernels.seed_records(self.records, low, high)
        kernels.seed_generators(self._generators, low, high)
        self.rewards[:] = 0
        self.ended[:] = 0
        self.points[:] = 0
        kernels.deal_all(self.records)
        self._look()

    def step(self, actions: Any, *, fresh: bool = False) -> int:
        """Play `actions` (integers, shape (size,)); returns how many matches ended.

        With `fresh` the observations and masks are new arrays; those shown before are the caller's and never written again.
        Raises BatchError for a wrong shape or dtype and IllegalActionError for an illegal action; then nothing is played.
        """
        actions = checked_actions(self.game, actions, self._shown.words, self.records, self._every)
        if fresh:
            self._renew_rows()
        return int(self._step(self.records, actions, self._shown, self._outcome, self._scratch))

    def random_actions(self) -> np.ndarray:
        """A uniformly drawn legal action for every lane, int64, shape (size,); a view that the next call overwrites."""
        kernels.draw_all(self._shown.words, self._generators, self._actions)
        return self._actions

    def get_state(self) -> Snapshot:
        """A snapshot to give to `set_state`: copies of the records and of the lanes' generators."""
        return {"records": self.records.copy(), "generators": self._generators.copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a snapshot of a batch of the same game, options and size.

        Raises SnapshotError, of its kind RecordError for what a record holds; then nothing has changed.
        """
        check_snapshot(self.game, state, {"records": self.records, "generators": self._generators})
        check_records(self.game, state["records"], Use.PLAY_ON)
        check_generators("generators", state["generators"])
        self.records[:], self._generators[:] = state["records"], state["generators"]
        self._look()
