"""What a browser may ask for, and how often. Beyond it there is a RefusedError: a sentence for the person, no traceback."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pirate_envs.core.errors import TableError

MESSAGE = 4096  # bytes of one message
A_SECOND, AT_ONCE = 20.0, 40  # messages of a socket
SOCKETS_A_SEAT, WATCHERS = 4, 16  # of one table
VIEWERS = 64  # of one show
PACE = (0.02, 30.0)  # seconds between two decisions of a show, least and most
TABLES = 1000  # in memory; others wait on disk
REPLAY = 256 << 10  # bytes of an uploaded replay
IDLE = 600.0  # seconds until a table without sockets leaves memory
STARTING = 120.0  # seconds the process in which players think may take until it answers
THINKING = 10.0  # seconds a player may think
COACHING = 120.0  # seconds the coach may take for a match


class RefusedError(TableError):
    """Something asked for that is not granted; the table is as it was."""

    code = 4400
    """With which a socket is closed that may not come in."""


class NotHereError(RefusedError):
    """A table that is not there, or a link that is not for it."""

    code = 4404


class CrowdedError(RefusedError):
    """As many are there already as there may be."""

    code = 4429


@dataclass
class Rate:
    """How fast messages may come: `a_second` on the long run, `at_once` in a burst."""

    a_second: float = A_SECOND
    at_once: float = AT_ONCE
    clock: Callable[[], float] = time.monotonic
    left: float = field(init=False)
    then: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.then = self.at_once, self.clock()

    def allows(self) -> bool:
        """Whether one more may come now."""
        now = self.clock()
        self.left = min(self.at_once, self.left + (now - self.then) * self.a_second)
        self.then = now
        if self.left < 1:
            return False
        self.left -= 1
        return True
