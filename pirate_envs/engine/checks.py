"""What callers hand to the engine, checked before anything changes: sizes, actions, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pirate_envs.core.errors import BatchError, IllegalActionError, OptionError, SnapshotError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.ranges import PLAIN_ARRAYS
from pirate_envs.engine import kernels

LARGEST = 1 << 24

Snapshot = dict[str, np.ndarray]
"""What every `get_state` of the engine gives and every `set_state` takes: copies of arrays, by name."""


def checked_game(game: Any) -> Game:
    """A game, not its name. Raises OptionError."""
    if not isinstance(game, Game):
        raise OptionError(f"the game is {shown(game)}; allowed: a game, as `load` makes it")
    return game


def checked_size(name: str, size: Any) -> int:
    """A number of matches in lockstep. Raises BatchError."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 1 <= size <= LARGEST:
        raise BatchError(f"{name} is {shown(size)}; allowed: an integer from 1 to {LARGEST}")
    return int(size)


def checked_actions(game: Game, actions: Any, words: np.ndarray, records: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """An action for each of these lanes (numbers of rows of `records`), int64; row k of `words` allows lane lanes[k] its own.

    Raises BatchError for a wrong shape or dtype, or IllegalActionError.
    """
    try:
        if isinstance(actions, np.ma.MaskedArray):
            raise TypeError("a masked one hides some")
        array = np.asarray(actions)
    except (ValueError, TypeError, OverflowError) as error:  # as for rows of different lengths
        raise BatchError(f"actions are no array ({error}); needed: {lanes.shape} integers") from None
    if array.shape != lanes.shape or array.dtype.kind not in "iu":
        raise BatchError(f"actions have shape {array.shape} and dtype {array.dtype}; needed: {lanes.shape} integers")
    numbers = np.ascontiguousarray(array, np.int64)
    wrong = kernels.first_illegal(numbers, words, game.actions)
    if wrong >= 0:
        lane = int(lanes[wrong])
        legal = game.legal_actions(records[lane])
        raise IllegalActionError(f"action {int(array[wrong])} is not legal in lane {lane}; legal: {legal}")
    return numbers


# -- snapshots -----------------------------------------------------------------------------------------------------------


def check_snapshot(game: Game, state: Any, own: Mapping[str, np.ndarray]) -> None:
    """Raise SnapshotError unless `state` holds arrays as `own` does: these names, shapes and dtypes.

    What is in its records, `check_records` tells; what is in its generators, `check_generators`.
    """
    for name, mine in own.items():
        theirs = state.get(name) if isinstance(state, Mapping) else None
        if theirs is None:
            raise SnapshotError(f"the snapshot lacks {name!r}; needed for {game.id}: {', '.join(own)}")
        if type(theirs) not in PLAIN_ARRAYS:
            raise SnapshotError(f"the snapshot's {name} is a {type(theirs).__name__}; needed for {game.id}: a plain array")
        if theirs.shape != mine.shape or theirs.dtype != mine.dtype:
            other = "" if theirs.dtype == mine.dtype else " of another type"
            needed = f"needed for {game.id}: shape {mine.shape}"
            raise SnapshotError(f"the snapshot's {name} have shape {theirs.shape}{other}; {needed}")


def check_generators(name: str, generators: np.ndarray) -> None:
    """Raise SnapshotError for a generator (uint32, (n, 4)) that stands still: all 0, it would draw for ever."""
    still = ~generators.any(axis=1)
    if still.any():
        raise SnapshotError(f"the snapshot's {name} are all 0 in row {int(np.argmax(still))}; allowed: any other generator")


def check_within(name: str, values: np.ndarray, low: Any, high: Any) -> None:
    """Raise SnapshotError unless all values, shape (n,) or (n, m), lie from low to high (as NaN does not)."""
    outside = ~((values >= low) & (values <= high))
    if outside.any():
        row = int(np.argmax(outside.reshape(len(values), -1).any(axis=1)))
        wrong = values[row] if values.ndim == 1 else values[row][outside[row]][0]
        low, high = (np.broadcast_to(bound, outside.shape)[outside][0] for bound in (low, high))
        raise SnapshotError(f"the snapshot's {name} in row {row} is {wrong}; allowed: {low} to {high}")
