"""Hostile states: records that no match of the game has been in, or not this one, and what a door must make of them.

A door refuses a state with one of the project's errors, or plays on from it soundly: something is legal, and what is seen
lies in its bounds. `outcomes` tries them in forks of a process in which all is compiled, so that a signal or a hang is told.
Uncompiled (`NUMBA_DISABLE_JIT=1`) an index beyond an array is an error, where machine code would go on.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable

import numpy as np
from numba import config

import pirate_envs
from pirate_envs.core.game import Game
from pirate_envs.core.ranges import OF_OPTIONS, Of, ranges_of
from pirate_envs.games import shipped
from tests.games.setups import seats, setup_of

CHUNK = 500  # states a fork tries
SECONDS = 3600.0 if config.DISABLE_JIT else 120.0  # that it has for them
ROWS = 8

Door = Callable[[np.random.Generator], None]
"""Tries one state, drawn by the generator. Raises PirateError if it is refused, any other error if it is not played soundly."""
GOOD = np.random.default_rng(0)  # instead of a generator: a state of the game, so that all is compiled


# -- states ------------------------------------------------------------------------------------------------------------


def some_rows(game: Game, rng: np.random.Generator) -> np.ndarray:
    """Rows of matches that are being played, some decisions after their deals."""
    batch = pirate_envs.Batch(game, ROWS, int(rng.integers(1000)), observations=False)
    for _ in range(int(rng.integers(0, 80))):
        batch.step(batch.random_actions())
    return batch.records.copy()


def as_bytes(rows: np.ndarray) -> np.ndarray:
    return rows.view(np.uint8).reshape(len(rows), -1)


def strange_bytes(game: Game, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A few bytes of a row are others, or all."""
    count = int(rng.choice([1, 2, 4, 16, rows.dtype.itemsize]))
    at = rng.integers(rows.dtype.itemsize, size=count)
    as_bytes(rows)[rng.integers(len(rows)), at] = rng.integers(256, size=count)
    return rows


def at_a_limit(game: Game, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A cell of a field is at an end of its range, or beyond it."""
    ranges, g = ranges_of(game), rows[rng.integers(len(rows))]
    name = str(rng.choice([name for name, bounds in ranges.items() if bounds != OF_OPTIONS]))
    low, high = (int(g[bound.field]) + bound.plus if isinstance(bound, Of) else bound for bound in ranges[name])
    limits = np.iinfo(rows.dtype[name].base)
    values = [low - 1, low, low + 1, high - 1, high, high + 1, limits.min, limits.max, 0, 1]
    value = int(rng.choice([value for value in values if limits.min <= value <= limits.max]))
    cells = np.atleast_1d(g[name]).copy()
    which = rng.random(cells.shape) < rng.choice([0.1, 1.0])
    cells[which] = value
    g[name] = cells if g[name].shape else cells[0]
    return rows


def of_another_match(game: Game, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One field or a few are those of another row: each by itself is in order."""
    others = some_rows(game, rng)
    for name in rng.choice(list(rows.dtype.names or ()), size=int(rng.integers(1, 4))):
        rows[name] = others[name]
    return rows


def of_other_options(game: Game, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows of a table of another size, or of other rules."""
    if rng.random() < 0.5:
        return some_rows(game.with_options(players=int(rng.choice(seats(game.name)))), rng)
    return some_rows(game.with_options(**setup_of(game.name).random_options(random.Random(int(rng.integers(1 << 30))))), rng)


def of_another_game(game: Game, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The bytes of another game's rows, with this game's options or without."""
    other = pirate_envs.load(str(rng.choice([name for name in shipped() if name != game.name])))
    given, taken = as_bytes(some_rows(other, rng)), as_bytes(rows)
    width = min(given.shape[1], taken.shape[1])
    taken[:, :width] = given[:, :width]
    if rng.random() < 0.5:
        own = game.empty(1)[0]
        for name in [name for name, bounds in ranges_of(game).items() if bounds == OF_OPTIONS]:
            rows[name] = own[name]
    return rows


def not_in_play(game: Game, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A row is redacted, over, or nothing is dealt in it."""
    at = int(rng.integers(len(rows)))
    how = rng.integers(3)
    if how == 0:
        rows[at] = game.redacted(rows[at], int(rng.integers(game.players)))
    elif how == 1:
        rows[at]["over"] = rng.integers(1, 3)
    else:
        rows[at] = game.empty(1)[0]
    return rows


KINDS = (strange_bytes, at_a_limit, at_a_limit, of_another_match, of_other_options, of_another_game, not_in_play)


def hostile_rows(game: Game, rng: np.random.Generator) -> np.ndarray:
    """Rows of which some, or all, are hostile."""
    if rng is GOOD:
        return some_rows(game, rng)
    return KINDS[rng.integers(len(KINDS))](game, some_rows(game, rng), rng)


# -- playing on --------------------------------------------------------------------------------------------------------


def check_seen(game: Game, observations: np.ndarray, masks: np.ndarray) -> None:
    """What is seen is finite and in its bounds, and something is legal."""
    assert ((observations >= game.layout.low) & (observations <= game.layout.high)).all(), "seen beyond the bounds"
    assert masks.any(axis=-1).all(), "nothing is legal"


# -- forks -------------------------------------------------------------------------------------------------------------


def _try_all(door: Door, seeds: range, out: int) -> None:
    """In a fork: tell each state before it is tried, and what became of it."""
    for seed in seeds:
        os.write(out, f"{seed}\n".encode())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                door(np.random.default_rng(seed))
            told = "played"
        except pirate_envs.PirateError:
            told = "refused"
        except BaseException:
            told = traceback.format_exc(limit=-4)
        os.write(out, (json.dumps(told) + "\n").encode())
    os._exit(0)


def _in_a_fork(door: Door, seeds: range) -> tuple[list[str], str]:
    """What a fork wrote, line by line, and how it ended."""
    into, out = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # (of threads that a library keeps)
        child = os.fork()
    if child == 0:
        _try_all(door, seeds, out)
    os.close(out)
    written, end = b"", time.monotonic() + SECONDS
    while True:
        ready, _, _ = select.select([into], [], [], max(end - time.monotonic(), 0))
        part = os.read(into, 1 << 16) if ready else b""
        if not part:
            break
        written += part
    hangs = not ready
    if hangs:
        os.kill(child, signal.SIGKILL)
    os.close(into)
    _, status = os.waitpid(child, 0)
    ended = "hangs" if hangs else f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else ""
    return written.decode().splitlines(), ended


def outcomes(door: Door, count: int, first: int = 0) -> Counter[str]:
    """How many of these states were played on from and refused. Raises AssertionError for the first that was neither."""
    for name in shipped():
        some_rows(pirate_envs.load(name), GOOD)
    door(GOOD)
    counts: Counter[str] = Counter()
    for start in range(first, first + count, CHUNK):
        lines, ended = _in_a_fork(door, range(start, min(start + CHUNK, first + count)))
        for seed, told in zip(lines[::2], map(json.loads, lines[1::2]), strict=False):
            assert told in ("played", "refused"), f"state {seed}: {told}"
            counts[told] += 1
        assert not ended, f"state {lines[-1] if lines else start}: {ended}"
    return counts
