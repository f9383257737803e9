"""What callers hand to the engine, checked before anything changes: sizes, actions, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pirate_envs.core.errors import BatchError, IllegalActionError, SnapshotError, shown
from pirate_envs.core.game import Game
from pirate_envs.engine import kernels

LARGEST = 1 << 24

Snapshot = dict[str, np.ndarray]
"""What every `get_state` of the engine gives and every `set_state` takes: copies of arrays, by name."""


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
        array = np.asarray(actions)
    except (ValueError, TypeError, OverflowError) as error:  # as for rows of different lengths
        raise BatchError(f"actions are no array ({error}); needed: {lanes.shape} integers") from None
    if array.shape != lanes.shape or array.dtype.kind not in "iu":
        raise BatchError(f"actions have shape {array.shape} and dtype {array.dtype}; needed: {lanes.shape} integers")
    array = np.ascontiguousarray(array, np.int64)
    wrong = kernels.first_illegal(array, words, game.actions)
    if wrong >= 0:
        lane = int(lanes[wrong])
        legal = game.legal_actions(records[lane])
        raise IllegalActionError(f"action {int(array[wrong])} is not legal in lane {lane}; legal: {legal}")
    return array


# -- snapshots -----------------------------------------------------------------------------------------------------------


def check_snapshot(game: Game, state: Any, own: Mapping[str, np.ndarray], option_sets: np.ndarray | None = None) -> None:
    """Raise SnapshotError unless `state` holds arrays as `own` does: these names, shapes and dtypes, and the game's options.

    `option_sets`: records of other options that its "records" may have been dealt with.
    """
    for name, mine in own.items():
        theirs = state.get(name) if isinstance(state, Mapping) else None
        if not isinstance(theirs, np.ndarray):
            raise SnapshotError(f"the snapshot lacks {name!r}; needed for {game.id}: {', '.join(own)}")
        if theirs.shape != mine.shape or theirs.dtype != mine.dtype:
            other = "" if theirs.dtype == mine.dtype else " of another type"
            needed = f"needed for {game.id}: shape {mine.shape}"
            raise SnapshotError(f"the snapshot's {name} have shape {theirs.shape}{other}; {needed}")
    _check_options(game, state["records"], game.empty(0) if option_sets is None else option_sets)


def _check_options(game: Game, records: np.ndarray, option_sets: np.ndarray) -> None:
    allowed = np.concatenate([game.empty(1), option_sets])
    names = [name for name in ("scale", *vars(game.options)) if name in (records.dtype.names or ())]

    def alike(name: str, options: np.ndarray) -> np.ndarray:
        same: np.ndarray = np.equal(records[name], options[name]).reshape(len(records), -1).all(axis=1)
        return same

    kept = np.any([np.all([alike(name, options) for name in names], axis=0) for options in allowed], axis=0)
    if not kept.all():
        wrong = int(np.argmin(kept))
        made = [f"{name}={records[name][wrong]}" for name in names if not alike(name, allowed[0])[wrong]]
        raise SnapshotError(f"the snapshot's records were dealt with {', '.join(made)}; needed for {game.id}: {game.options}")
