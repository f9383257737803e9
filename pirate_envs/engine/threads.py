"""Threads: one loop over several ranges of lanes, or several searches, at once, each on a core of its own.

Compiled loops run without Python's global lock, so that threads of one process do not wait for each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np

from pirate_envs.core.errors import BatchError, shown

MOST_THREADS = 256

Result = TypeVar("Result")


def checked_threads(threads: Any) -> int:
    """A number of threads. Raises BatchError."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= MOST_THREADS:
        raise BatchError(f"threads is {shown(threads)}; allowed: an integer from 1 to {MOST_THREADS}")
    return int(threads)


class Threads:
    """The calling thread and `count` - 1 others. These are started when they are first needed, in each process anew after a
    fork, and end when this object goes; a copy of it, or what is unpickled, starts its own.
    """

    def __init__(self, count: int) -> None:
        """Raises BatchError for a bad number."""
        self.count = checked_threads(count)
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def enough_for(self, shares: int) -> int:
        """How many threads find work in so many shares, each worth handing over; at least the calling one."""
        return max(1, min(self.count, shares))

    def map(self, function: Callable[..., Result], parts: Sequence[tuple[Any, ...]]) -> list[Result]:
        """What `function` returns of the arguments of each part, all parts at once, in their order; at most `count` parts."""
        if len(parts) == 1:
            return [function(*parts[0])]
        pool = self._others()
        others = [pool.submit(function, *part) for part in parts[1:]]
        try:
            own = function(*parts[0])
            return [own, *(other.result() for other in others)]
        finally:
            if not all(other.done() for other in others):  # an error in one part: no other may go on behind the caller's back
                wait(others)

    def _others(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.count - 1, "pirate_envs"), os.getpid()
        return self._pool

    def __reduce__(self) -> tuple[type[Threads], tuple[int]]:
        return Threads, (self.count,)


def ranges(size: int, parts: int, multiple: int = 1) -> list[slice]:
    """`size` rows as at most so many ranges of about equal length, each but the last a multiple of that many rows."""
    blocks = -(-size // multiple)
    parts = min(parts, blocks)
    bounds = [blocks * part // parts * multiple for part in range(parts)]
    return [slice(start, stop) for start, stop in zip(bounds, [*bounds[1:], size], strict=True)]
