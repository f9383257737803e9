"""Batch: many matches of one game in lockstep, arrays in and out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pirate_envs.core.bits import words_for
from pirate_envs.core.game import Game
from pirate_envs.core.jit import entry_point
from pirate_envs.core.ranges import Use, check_records
from pirate_envs.core.rng import seed_words
from pirate_envs.engine import kernels
from pirate_envs.engine.checks import Snapshot, check_generators, check_snapshot, checked_actions, checked_game, checked_size
from pirate_envs.engine.memory import CACHE_LINE, aligned_rows, room_for, zeros
from pirate_envs.engine.threads import Threads, ranges

A_SHARE = 2048  # decisions that take longer than it takes to hand them to another thread
DRAWS = 8  # actions that are drawn in the time of one decision


class Part(NamedTuple):
    """A range of a batch's lanes, as views of the batch's arrays, and room of its own for one lane's step."""

    rows: slice
    records: np.ndarray
    generators: np.ndarray
    actions: np.ndarray
    shown: kernels.Shown
    outcome: kernels.Outcome
    scratch: kernels.Scratch


def unwritten_like(rows: np.ndarray) -> np.ndarray:
    """Rows of the same shape that hold anything, from what the process has freed before if it can: new pages cost time."""
    raw = np.empty(rows.nbytes + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + rows.nbytes].view(rows.dtype).reshape(rows.shape)


class Batch:
    """`size` matches played in lockstep. Lane i starts with match seed `seed + i` and deals its next match when one ends.

    After the constructor and after every `step` or `play` the attributes below show the position of every lane. They are
    views, overwritten by the next step; with `fresh=True` the observations and masks shown so far are left to the caller.

    With `threads` above 1 as many cores share a step's lanes, to the same bytes. A hand-over between threads takes some
    20 to 100 microseconds, so that this pays from about 4,096 lanes on; `play` hands over once for all its steps. Steps too
    small for all threads are played by fewer.

    >>> import pirate_envs
    >>> batch = pirate_envs.Batch(pirate_envs.load("skull_king"), size=4, seed=7)
    >>> batch.step(batch.random_actions())
    0
    """

    records: np.ndarray
    """The matches themselves, dtype game.state, shape (size,): to look at; what is written here nobody checks."""
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

    def __init__(
        self,
        game: Game,
        size: int,
        seed: int = 0,
        *,
        observations: bool = True,
        action_masks: bool = True,
        threads: int = 1,
    ) -> None:
        """Raises BatchError for a bad size, one that there is no memory for, or a bad number of threads (1 to 256), OptionError
        for a bad seed or what is no game.
        """
        self.game, self.size = checked_game(game), checked_size("size", size)
        self._threads = Threads(threads)
        with room_for("size", self.size):
            self._make_arrays(observations, action_masks)
        self._splits: dict[int, list[Part]] = {}
        (whole,) = self._parts(0)
        bundles = whole.shown, whole.outcome, whole.scratch  # which the dispatcher reads slowly
        self._step = entry_point(kernels.step_all, self.records, self._actions, *bundles)
        self._play: Callable[..., int] | None = None
        self.reset(seed)

    def _make_arrays(self, observations: bool, action_masks: bool) -> None:
        game = self.game
        self.records = zeros((self.size,), game.state)
        self.records[:] = game.empty(self.size)
        self.seats = zeros((self.size,), np.int64)
        words = zeros((self.size, words_for(game.actions)), np.uint64)
        mask_rows = aligned_rows(self.size if action_masks else 0, game.actions, np.int8)
        rows = aligned_rows(self.size if observations else 0, game.layout.size, np.float32)
        self.rewards = zeros((self.size, game.players), np.float64)
        self.ended = zeros((self.size,), np.int8)
        self.points = zeros((self.size, game.players), np.int64)
        self._shown = kernels.Shown(self.seats, words, mask_rows.view(np.uint64), rows)
        self._name_rows()
        self._outcome = kernels.Outcome(self.rewards, self.points, self.ended)
        self._generators = zeros((self.size, 4), np.uint32)
        self._actions = zeros((self.size,), np.int64)
        self._every = np.arange(self.size)

    @property
    def threads(self) -> int:
        """How many threads share the lanes at most."""
        return self._threads.count

    def _parts(self, decisions: int) -> list[Part]:
        """The lanes in parts, for as many threads as have enough to do with so many decisions."""
        count = self._threads.enough_for(decisions // A_SHARE)
        if count not in self._splits:
            self._splits[count] = [self._part(rows) for rows in ranges(self.size, count, kernels.BLOCK)]
        return self._splits[count]

    def _part(self, rows: slice) -> Part:
        players = self.game.players
        points, before = (aligned_rows(1, players, dtype)[0, :players] for dtype in (np.int64, np.float64))
        return Part(
            rows, self.records[rows], self._generators[rows], self._actions[rows],
            kernels.Shown(*(array[rows] for array in self._shown)),
            kernels.Outcome(*(array[rows] for array in self._outcome)),
            kernels.Scratch(points, before),
        )  # fmt: skip

    def _name_rows(self) -> None:
        self.action_masks = self._shown.groups.view(np.int8)[:, : self.game.actions]
        self.observations = self._shown.observations[:, : self.game.layout.size]

    def _renew_rows(self) -> None:
        groups, observations = unwritten_like(self._shown.groups), unwritten_like(self._shown.observations)
        self._shown = self._shown._replace(groups=groups, observations=observations)
        self._splits.clear()
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
        parts = self._parts(self.size)
        return sum(self._threads.map(self._step, [(p.records, actions[p.rows], p.shown, p.outcome, p.scratch) for p in parts]))

    def random_actions(self) -> np.ndarray:
        """A uniformly drawn legal action for every lane, int64, shape (size,); a view that the next call overwrites."""
        parts = self._parts(self.size // DRAWS)
        self._threads.map(kernels.draw_all, [(part.shown.words, part.generators, part.actions) for part in parts])
        return self._actions

    def play(self, steps: int) -> int:
        """Draw and play a uniform legal action in every lane, `steps` times; returns how many matches ended.

        It leaves what as many times `step(random_actions())` would leave, to the byte, and is faster: all steps are one call,
        and what nobody could see between them is not written. Raises BatchError for steps out of 1 to 2**24.
        """
        steps = checked_size("steps", steps)
        parts = self._parts(self.size * steps)
        work = [(p.records, p.generators, steps, p.actions, p.shown, p.outcome, p.scratch) for p in parts]
        self._play = self._play or entry_point(kernels.play_all, *work[0])
        return sum(self._threads.map(self._play, work))

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

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, by `copy` or `pickle`, is a batch of its own where this one stands."""
        given = {
            "threads": self.threads,
            "observations": len(self.observations) > 0,
            "action_masks": len(self.action_masks) > 0,
        }
        return _copied, (type(self), self.game, self.size, given, self.get_state(), tuple(self._outcome))


def _copied(
    kind: type[Batch], game: Game, size: int, given: Mapping[str, Any], state: Snapshot, outcome: Sequence[np.ndarray]
) -> Batch:
    """What `Batch.__reduce__` tells, made anew."""
    other = kind(game, size, **given)
    other.set_state(state)
    for mine, theirs in zip(outcome, other._outcome, strict=True):
        theirs[:] = mine
    return other
