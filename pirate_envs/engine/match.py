"""Match: one match at full speed, a compiled call a decision.

The calls go through the compiled functions' own entry points, which do no type checks, so every argument is prepared
here. They take an array of one record: handing over a bare record costs eighty times as much.
"""

from __future__ import annotations

import copy
import functools
import operator
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import allows, clear, words_for
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled, entry_point
from pirate_envs.core.ranges import Use, check_records
from pirate_envs.core.rng import seed_words
from pirate_envs.core.seeds import begin_match, next_match
from pirate_envs.engine.checks import Snapshot, check_snapshot
from pirate_envs.engine.kernels import play

ILLEGAL = -1
OVER_AT, PAID_AT = 8, 16  # step_one's result: seat to move, from these bits on how the match ended and whether it paid
SEAT = (1 << OVER_AT) - 1


@compiled
def look_one(records, words, action_mask):
    """Write the legal actions as words and as bytes; all zero after the end."""
    g = records[0]
    if g.over:
        clear(words)
    else:
        verbs.legal(g, words)
    for action in range(len(action_mask)):
        action_mask[action] = (words[action >> 6] >> np.uint64(action & 63)) & np.uint64(1)


@compiled
def observe_one(records, seat, observation):
    """Write what the seat sees."""
    verbs.observe(records[0], seat, observation)


@compiled
def step_one(records, words, points, before, rewards, action, action_mask, observation):
    """Play `action` if it is legal and write what follows: rewards, legal actions and the next seat's observation.

    Returns ILLEGAL, with nothing changed, or the seat to move with how the match ended and whether something was paid.
    """
    g = records[0]
    if action < 0 or action >= len(action_mask) or not allows(words, action):
        return ILLEGAL
    play(g, action, points, before, rewards)
    look_one(records, words, action_mask)
    observe_one(records, int(g.to_move), observation)
    paid = 0
    for seat in range(int(g.players)):
        if rewards[seat] != 0.0:
            paid = 1
    return int(g.to_move) | int(g.over) << OVER_AT | paid << PAID_AT


class Match:
    """One match of a game: its record, its legal actions and what the last decision paid.

    Arrays handed out (`action_mask`, `observation`) are never written again: every decision makes new ones.
    """

    records: np.ndarray
    """The match itself, dtype game.state, shape (1,)."""
    seat: int
    """Seat to move; after the end: the seat that decided last."""
    over: int
    """0, or how the match ended (1 finished, 2 truncated)."""
    paid: int
    """1 if the last decision paid something to someone."""
    rewards: np.ndarray
    """What the last decision paid to every seat, float64, shape (players,); overwritten by the next."""
    action_mask: np.ndarray
    """Legal actions of the seat to move, int8 zeros and ones, shape (game.actions,); zeros after the end."""
    observation: np.ndarray
    """What the seat to move sees, float32, shape (game.layout.size,)."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        """Deal the match of that seed; None: a seed from the operating system. Raises OptionError for a bad seed."""
        self.game = game
        self._actions = game.actions
        self._cells = game.layout.size
        self.records = game.empty(1)
        self.rewards = np.zeros(game.players)
        self._points = np.zeros(game.players, np.int64)
        self._before = np.zeros(game.players)
        self._words = np.zeros(words_for(game.actions), np.uint64)
        self._bind()
        self.deal(secrets.randbits(64) if seed is None else seed)

    def _bind(self) -> None:
        self._look, self._observe, step = _kernels(self.game.state)
        self._step = functools.partial(step, self.records, self._words, self._points, self._before, self.rewards)

    # -- playing -----------------------------------------------------------------------------------------------------

    def deal(self, seed: int) -> None:
        """Deal the match of that seed. Raises OptionError."""
        self.records["seed"] = seed_words(seed)
        begin_match(self.records[0])
        self._look_anew()

    def deal_next(self) -> None:
        """Deal the match that follows this one in the chain that begins with its seed."""
        next_match(self.records[0])
        self._look_anew()

    def step(self, action: Any) -> None:
        """Play one decision. Raises IllegalActionError or MatchOverError and then leaves everything as it was."""
        number = action if type(action) is int else action_number(action)
        action_mask = np.empty(self._actions, np.int8)
        observation = np.empty(self._cells, np.float32)
        try:
            result = self._step(number, action_mask, observation)
        except OverflowError:  # more than 64 bits
            result = ILLEGAL
        if result < 0:
            self.game.check_action(self.records[0], action)
        self.action_mask = action_mask
        self.observation = observation
        self.seat = result & SEAT
        if result <= SEAT:
            self.over = self.paid = 0
        else:
            self.over = result >> OVER_AT & SEAT
            self.paid = result >> PAID_AT

    def observe(self, seat: int) -> np.ndarray:
        """What the seat sees now: a new float32 array of shape (game.layout.size,)."""
        out = np.empty(self._cells, np.float32)
        self._observe(self.records, seat, out)
        return out

    def _look_anew(self) -> None:
        self.action_mask = np.empty(self._actions, np.int8)
        self._look(self.records, self._words, self.action_mask)
        self.seat = int(self.records["to_move"][0])
        self.over = int(self.records["over"][0])
        self.observation = self.observe(self.seat)
        self.paid = 0
        self.rewards[:] = 0

    # -- snapshots ---------------------------------------------------------------------------------------------------

    @property
    def seed(self) -> int:
        """The seed of this match."""
        low, high = self.records["seed"][0]
        return int(low) | int(high) << 32

    def get_state(self) -> Snapshot:
        """A snapshot to give to `set_state`: a copy of the record, shape (1,)."""
        return {"records": self.records.copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a snapshot of a match of the same game and options.

        Raises SnapshotError, of its kind RecordError for what a record holds; then nothing has changed.
        """
        check_snapshot(self.game, state, {"records": self.records})
        check_records(self.game, state["records"], Use.PLAY)
        self.records[:] = state["records"]
        self._look_anew()

    def __copy__(self) -> Match:
        """A match of its own where this one stands."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_look", "_observe", "_step")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()


@functools.lru_cache(maxsize=64)
def _kernels(state: np.dtype) -> tuple[Callable[..., Any], ...]:
    """Entry points of look_one, observe_one and step_one for records of this type."""
    records, words = np.zeros(1, state), np.zeros(1, np.uint64)
    points, rewards = np.zeros(1, np.int64), np.zeros(1)
    action_mask, observation = np.zeros(1, np.int8), np.zeros(1, np.float32)
    return (
        entry_point(look_one, records, words, action_mask),
        entry_point(observe_one, records, 0, observation),
        entry_point(step_one, records, words, points, rewards, rewards, 0, action_mask, observation),
    )


def action_number(action: Any) -> int:
    """An action of another type than int as one, or ILLEGAL."""
    try:
        return ILLEGAL if isinstance(action, bool) else operator.index(action)
    except TypeError:
        return ILLEGAL
