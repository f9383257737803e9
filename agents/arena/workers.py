"""Where chunks of work are done: in this process, in several, or on a Ray cluster. Whatever does them, results are the same.

    with Workers(4).doing(work) as do:
        for chunk, result in do(chunks):
            ...

A chunk is asked for when a worker will soon be free. A worker that dies loses nothing: its chunks are done anew, and every
chunk has one result.
"""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, Literal, Protocol

from pirate_envs.core.errors import ClusterError, OptionError, shown
from pirate_envs.core.extras import import_extra
from pirate_envs.core.options import whole_number

Work = Callable[[Any], Any]
MOST_WORKERS = 4096
AHEAD = 3  # chunks that wait for a worker, beside the one that it does
GRACE = 5.0  # seconds for a chunk that has been begun when all is to end
MOST_DEATHS = 10  # of workers, with no result between them


class Place(Protocol):
    """Where one kind of work is done, a chunk at a time."""

    def room(self) -> int:
        """How many chunks may be under way."""

    def submit(self, chunk: Any) -> Any:
        """Begin a chunk; what is returned stands for it."""

    def done(self, under_way: Iterable[Any]) -> Iterable[Any]:
        """Wait for one or more of these."""

    def result(self, ticket: Any) -> Any:
        """The result of one that is done. Raises WorkerDied, or what the work raised."""

    def close(self) -> None:
        """Give up what is under way."""


class WorkerDied(Exception):  # noqa: N818 (it is no mistake of anybody's)
    """The worker that did this chunk is no more."""


class Doing:
    """A kind of work that can be done: call it with chunks."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def __call__(self, chunks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Every chunk with its result, as it comes; `chunks` may be an iterator, asked when there is room."""
        coming = iter(chunks)
        return self.as_asked(lambda: next(coming, None))

    def as_asked(self, ask: Callable[[], Any | None]) -> Iterator[tuple[Any, Any]]:
        """Every chunk with its result, as it comes. `ask` gives a chunk when there is room, or None: nothing for now.

        It is asked again after each result, so that a chunk may follow from what another one gave.
        """
        numbers = itertools.count()

        def numbered() -> tuple[int, Any] | None:
            chunk = ask()
            return None if chunk is None else (next(numbers), chunk)

        return ((chunk, result) for _, chunk, result in self._numbered(numbered))

    def in_order(self, chunks: Iterable[Any], told: Callable[[int], None] = lambda done: None) -> list[Any]:
        """The results in the order of the chunks. `told` hears how many are there."""
        found: dict[int, Any] = {}
        coming = enumerate(chunks)
        for number, _, result in self._numbered(lambda: next(coming, None)):
            found[number] = result
            told(len(found))
        return [found[number] for number in sorted(found)]

    def _numbered(self, ask: Callable[[], tuple[int, Any] | None]) -> Iterator[tuple[int, Any, Any]]:
        place = self._place
        under_way: dict[Any, tuple[int, Any]] = {}
        lost: deque[tuple[int, Any]] = deque()
        deaths = 0
        while True:
            while len(under_way) < place.room() and (item := lost.popleft() if lost else ask()) is not None:
                under_way[place.submit(item[1])] = item
            if not under_way:
                return
            for ticket in place.done(under_way):
                number, chunk = under_way.pop(ticket)
                try:
                    result = place.result(ticket)
                except WorkerDied as death:
                    lost.append((number, chunk))
                    deaths += 1
                    if deaths > MOST_DEATHS * place.room():
                        raise ClusterError(f"workers die again and again; the last one did {shown(chunk)}: {death}") from None
                    continue
                deaths = 0
                yield number, chunk, result


@dataclass(frozen=True)
class Workers:
    """Who does chunks of work, and where."""

    workers: int | None = None
    """chunks that are done at once; none given: one here, on Ray as many as the cluster has cores"""
    on: Literal["here", "ray"] = "here"
    """where chunks are done: in processes of this machine, or on a Ray cluster"""
    address: str | None = None
    """HOST:PORT of a Ray cluster's head; none given: the one that RAY_ADDRESS names or that runs here, else one is started"""

    @classmethod
    def of(cls, workers: int | Workers) -> Workers:
        """A number stands for so many processes."""
        return workers if isinstance(workers, Workers) else cls(workers)

    def check(self) -> Workers:
        """Connects to a cluster, if there is to be one. Raises OptionError, MissingExtraError or ClusterError."""
        if self.workers is not None:
            whole_number("workers", self.workers, 1, MOST_WORKERS)
        if self.on not in ("here", "ray"):
            raise OptionError(f"on is {shown(self.on)}; allowed: here, ray")
        if self.on == "ray":
            _ray_cluster().connect(self.address)
        elif self.address is not None:
            raise OptionError(f"address is {shown(self.address)}, of a Ray cluster; it goes with --on ray only")
        return self

    @contextmanager
    def doing(self, work: Work, *, hear_ctrl_c: bool = True) -> Iterator[Doing]:
        """Within it chunks can be done: `work(chunk)` for each. Beyond this process both must be such as pickle knows.

        A terminal's Ctrl-C is sent to processes of this machine too; those that do not hear it finish their chunks, and it is
        for this process alone to stop. Raises as `check` does.
        """
        place = self.check()._place(work, hear_ctrl_c)
        try:
            yield Doing(place)
        finally:
            place.close()

    def _place(self, work: Work, hear_ctrl_c: bool) -> Place:
        if self.on == "ray":
            return _ray_cluster().OnRay(work, self.workers)  # type: ignore[no-any-return]
        return _Here(work) if (self.workers or 1) == 1 else _Processes(work, self.workers or 1, hear_ctrl_c)


def _ray_cluster() -> Any:
    """The module, imported when it is asked for."""
    return import_extra("pirate_envs.agents.arena.ray_cluster", "a Ray cluster", "ray")


class _Here:
    """In this process, one chunk after the other."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._results: dict[int, Any] = {}

    def room(self) -> int:
        return 1

    def submit(self, chunk: Any) -> int:
        self._results = {0: self._work(chunk)}
        return 0

    def done(self, under_way: Iterable[int]) -> list[int]:
        return list(under_way)

    def result(self, ticket: int) -> Any:
        return self._results[ticket]

    def close(self) -> None:
        self._results = {}


class _Processes:
    """Processes of this machine; the work is sent to each once."""

    def __init__(self, work: Work, workers: int, hear_ctrl_c: bool) -> None:
        self._work, self._workers, self._hear_ctrl_c = work, workers, hear_ctrl_c
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, get_context("spawn"), initializer=_take, initargs=(self._work,))

    def room(self) -> int:
        return self._workers * (1 + AHEAD)

    def submit(self, chunk: Any) -> Future[Any]:
        with _one_thread_each(), nullcontext() if self._hear_ctrl_c else _deaf_to_ctrl_c():
            try:
                return self._pool.submit(_do, chunk)
            except (BrokenProcessPool, OSError):  # OSError: it broke while one of its processes was being started
                self._pool.shutdown()
                self._pool = self._start()
                return self._pool.submit(_do, chunk)

    def done(self, under_way: Iterable[Future[Any]]) -> set[Future[Any]]:
        return wait(under_way, return_when=FIRST_COMPLETED).done

    def result(self, ticket: Future[Any]) -> Any:
        try:
            return ticket.result()
        except BrokenProcessPool as error:
            raise WorkerDied(str(error)) from None

    def close(self) -> None:
        """Let go of what waits. What has been begun is waited for: for a moment, or to its end where Ctrl-C is not heard."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=not self._hear_ctrl_c, cancel_futures=True)
        if self._hear_ctrl_c:
            _end(processes)


def _end(processes: Sequence[BaseProcess]) -> None:
    """A chunk may take minutes, and who asks for an end by a signal waits for seconds; nothing is lost with it."""
    until = time.monotonic() + GRACE
    for process in processes:
        process.join(max(until - time.monotonic(), 0))
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that start within it compute matrices in one thread, unless the environment says otherwise."""
    name = "OMP_NUM_THREADS"
    told = name in os.environ
    os.environ.setdefault(name, "1")
    try:
        yield
    finally:
        if not told:
            del os.environ[name]


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that start within it never hear SIGINT, this one hears it afterwards; where none can be held back, all do."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_works: list[Work] = []  # in a worker process: the one that it does


def _take(work: Work) -> None:
    _works[:] = [work]
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    """A worker whose parent was killed would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(chunk: Any) -> Any:
    return _works[0](chunk)
