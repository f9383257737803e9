"""The players at a table, and where those that think do it."""

from __future__ import annotations

import asyncio
import functools
import json
import multiprocessing
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

import numpy as np

from pirate_envs.agents.names import agent
from pirate_envs.agents.player import Agent, decisions_of
from pirate_envs.agents.table.limits import STARTING, THINKING
from pirate_envs.core.errors import PirateError, TableError
from pirate_envs.core.game import Game
from pirate_envs.games import load

PLAYERS = 64  # kept at hand
T = TypeVar("T")
THINKS = ("search:", "exact:")  # kinds of players that take more than a few milliseconds, or long to be made


def thinks(name: str) -> bool:
    """Whether the player is asked in the worker process."""
    return name.startswith(THINKS)


def seated(game: Game, name: str) -> Agent:
    """The player of that name, one for all tables of these options. Raises UnknownPlayerError or CheckpointError."""
    return _seated(game.name, _as_text(game.options.changed()), name)[1]


def has(game: Game, name: str) -> bool:
    """Whether there is a player of that name under the game's options."""
    try:
        seated(game, name)
    except PirateError:
        return False
    return True


def _as_text(options: Mapping[str, Any]) -> str:
    return json.dumps(options, sort_keys=True)


@functools.lru_cache(maxsize=PLAYERS)
def _seated(game: str, options: str, name: str) -> tuple[Game, Agent]:
    loaded = load(game, **json.loads(options))
    return loaded, agent(loaded, name)


def think(game: str, options: str, name: str, record: bytes, chance: float) -> int:
    """What the player would do in a redacted record: the worker's work."""
    loaded, player = _seated(game, options, name)
    g = np.frombuffer(record, loaded.state).copy()[0]
    return int(player.act(decisions_of(loaded, g, chance))[0])


def ready() -> None:
    """What a process is asked first: it answers when it has been made."""


class Worker:
    """One process that thinks, of one thing at a time; made when it is first asked, and anew when it has died or hangs."""

    def __init__(self, patience: float = THINKING, starting: float = STARTING) -> None:
        self.patience, self.starting = patience, starting
        self._pool: ProcessPoolExecutor | None = None
        self._turn = asyncio.Lock()

    async def think(self, game: Game, options: Mapping[str, Any], name: str, g: np.record, chance: float) -> int | None:
        """The action of the player to move, or None if it failed or took too long."""
        record = game.redacted(g, game.seat_to_move(g)).tobytes()
        try:
            return await self.do(think, game.name, _as_text(options), name, record, chance)
        except Exception:  # whatever a player raises: the table gives its seat to another
            return None

    async def do(self, work: Callable[..., T], *given: Any) -> T:
        """What `work` makes of what it is given, there. Raises what it raises, and TableError if it took too long or died.

        Its time is its own: it waits its turn, then for the process, and only then is it in a hurry.
        """
        async with self._turn:
            try:
                await self._started()
                return await asyncio.wait_for(self._begun(work, *given), self.patience)
            except (TimeoutError, BrokenProcessPool):
                self.close()
                raise TableError(f"that took more than {self.patience:g} seconds, or its process ended") from None
            except asyncio.CancelledError:  # nobody waits for it any more
                self.close()
                raise

    async def _started(self) -> None:
        """See that there is a process: a new one, if the last has died since it was asked.

        Raises BrokenProcessPool, and TableError if it does not answer.
        """
        try:
            await self._answered()
        except BrokenProcessPool:
            self.close()
            await self._answered()

    async def _answered(self) -> None:
        try:
            await asyncio.wait_for(self._begun(ready), self.starting)
        except TimeoutError:
            self.close()
            raise TableError(f"the process for it did not answer within {self.starting:g} seconds") from None

    def _begun(self, work: Callable[..., T], *given: Any) -> asyncio.Future[T]:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        return asyncio.get_running_loop().run_in_executor(self._pool, work, *given)

    def close(self) -> None:
        """End the process, whatever it does."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)
