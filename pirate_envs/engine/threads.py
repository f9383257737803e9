"""Threads: one loop over several ranges of lanes, or several searches, at once, each on a core of its own.

Compiled loops run without Python's global lock, so that threads of one process do not wait for each other.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Sequence
from operator import itemgetter
from queue import SimpleQueue
from threading import Thread
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


Task = tuple[Callable[..., Any], tuple[Any, ...], int, "SimpleQueue[Answer]"]
"""A function, its arguments, the part's number, and where the answer goes."""
Answer = tuple[int, Any, BaseException | None]


def _serve(tasks: SimpleQueue[Task | None]) -> None:
    """A thread's life: one task after another, until None. Nothing of a task is kept while it waits for the next."""
    while (task := tasks.get()) is not None:
        _answer(*task)
        del task


def _answer(function: Callable[..., Any], part: tuple[Any, ...], number: int, answers: SimpleQueue[Answer]) -> None:
    try:
        answers.put((number, function(*part), None))
    except BaseException as error:
        answers.put((number, None, error))


def _end(tasks: SimpleQueue[Task | None], count: int) -> None:
    for _ in range(count):
        tasks.put(None)


class Threads:
    """The calling thread and `count` - 1 others. These are started when they are first needed, in each process anew after a
    fork, and end when this object goes; a copy of it, or what is unpickled, starts its own.

    Work is handed over by a bare queue, which costs less than the standard library's pool does.
    """

    def __init__(self, count: int) -> None:
        """Raises BatchError for a bad number."""
        self.count = checked_threads(count)
        self._tasks: SimpleQueue[Task | None] | None = None
        self._process = 0

    def enough_for(self, shares: int) -> int:
        """How many threads find work in so many shares, each worth handing over; at least the calling one."""
        return max(1, min(self.count, shares))

    def map(self, function: Callable[..., Result], parts: Sequence[tuple[Any, ...]]) -> list[Result]:
        """What `function` returns of the arguments of each part, all parts at once, in their order; at most `count` parts."""
        if len(parts) == 1:
            return [function(*parts[0])]
        tasks, answers = self._others(), SimpleQueue[Answer]()
        for number, part in enumerate(parts[1:], 1):
            tasks.put((function, part, number, answers))
        found: list[Answer] = []
        try:
            found.append((0, function(*parts[0]), None))
        finally:  # an error in one part: no other may go on behind the caller's back
            found += [answers.get() for _ in parts[1:]]
        for _, _, error in found:
            if error is not None:
                raise error
        return [result for _, result, _ in sorted(found, key=itemgetter(0))]

    def _others(self) -> SimpleQueue[Task | None]:
        if self._tasks is None or self._process != os.getpid():
            self._tasks, self._process = SimpleQueue(), os.getpid()
            for number in range(1, self.count):
                Thread(target=_serve, args=(self._tasks,), name=f"pirate_envs_{number}", daemon=True).start()
            weakref.finalize(self, _end, self._tasks, self.count - 1)
        return self._tasks

    def __reduce__(self) -> tuple[type[Threads], tuple[int]]:
        return Threads, (self.count,)


def ranges(size: int, parts: int, multiple: int = 1) -> list[slice]:
    """`size` rows as at most so many ranges of about equal length, each but the last a multiple of that many rows."""
    blocks = -(-size // multiple)
    parts = min(parts, blocks)
    bounds = [blocks * part // parts * multiple for part in range(parts)]
    return [slice(start, stop) for start, stop in zip(bounds, [*bounds[1:], size], strict=True)]
