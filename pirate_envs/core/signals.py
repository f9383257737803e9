"""Signals that end a command: what it does then, and its exit status."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a process to end: a cluster's, a container's, a terminal's that is closed."""


class Terminated(KeyboardInterrupt):
    """A signal of ENDINGS came: to be treated as Ctrl-C, but for the exit status."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextmanager
def handling(handler: Callable[[int, Any], None], numbers: Iterable[int]) -> Iterator[None]:
    """Within it these signals call `handler`; those that are ignored, as under `nohup`, stay so."""
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number, handled in before.items() if handled is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


def terminating() -> AbstractContextManager[None]:
    """Within it the signals of ENDINGS raise Terminated."""

    def terminate(number: int, _: Any) -> None:
        raise Terminated(number)

    return handling(terminate, ENDINGS)
