"""The hall: all tables that the server knows, those who look at them, and the shows, where players play among themselves."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from pirate_envs.agents.names import levels, strongest_name
from pirate_envs.agents.table import limits
from pirate_envs.agents.table.limits import CrowdedError, NotHereError, Rate, RefusedError
from pirate_envs.agents.table.looks import USUAL_LOOK, Look
from pirate_envs.agents.table.rooms import RECENT, Table, opened
from pirate_envs.agents.table.store import Store, Unkept
from pirate_envs.agents.table.worker import Worker, has, thinks
from pirate_envs.core.errors import OptionError
from pirate_envs.core.events import WATCHER, Viewer
from pirate_envs.core.game import Game
from pirate_envs.games import games, load

REST = 4  # paces that the end of a show's match is shown


@dataclass(eq=False)
class Socket:
    """A viewer that is connected."""

    connection: WebSocket
    viewer: Viewer
    seen: int | None
    look: Look = USUAL_LOOK
    rate: Rate = field(default_factory=Rate)

    async def tell(self, table: Table, told: dict[Any, str] | None = None) -> None:
        """Send where the table is now, and what has happened since the last time.

        `told`: what others have just been sent, by what they are and have seen; it is added to.
        """
        told = {} if told is None else told
        alike = self.viewer, self.seen, self.look
        if alike not in told:
            message = table.message(*alike)
            message["again"] = again(table) if table.over and isinstance(self.viewer, int) else None
            told[alike] = json.dumps(message)
        self.seen = table.at
        await self._send(told[alike])

    async def send(self, message: dict[str, Any]) -> None:
        await self._send(json.dumps(message))

    async def _send(self, text: str) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has gone
            await self.connection.send_text(text)


def again(table: Table) -> dict[str, Any]:
    """What a browser asks for to have such a table once more."""
    setup = table.setup
    return {"game": table.game.name, "options": dict(setup.options), "seats": table.sitting(), "practice": setup.practice}


@dataclass(eq=False)
class OpenTable:
    """A table with those who look at it; whoever changes it holds the lock."""

    table: Table
    sockets: list[Socket] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    used: float = field(default_factory=time.monotonic)

    async def tell_all(self) -> None:
        """Tell everybody, but for who wants no steps while players who decide at once are about to."""
        self.used = time.monotonic()
        told: dict[Any, str] = {}
        for socket in list(self.sockets):
            if socket.look.steps or self.waits() or self.table.at >= (socket.seen or 0) + RECENT:
                await socket.tell(self.table, told)

    def waits(self) -> bool:
        """Whether the next decision takes its time: a person's, a player's that thinks, or none at all."""
        name = self.table.mover()
        return name is None or thinks(name)

    def let_in(self, socket: Socket, most: int) -> None:
        """Raises CrowdedError if that viewer looks on `most` times already."""
        if sum(1 for other in self.sockets if other.viewer == socket.viewer) >= most:
            raise CrowdedError(f"this link is open {most} times already")
        self.sockets.append(socket)


class Show(OpenTable):
    """A match of players alone, all cards open, that goes on by itself while somebody looks; then comes the next."""

    def __init__(self, game: Game, players: Sequence[str], pace: float) -> None:
        """`pace`: seconds between two decisions."""
        self.game, self.players, self.pace = game, players, pace
        self._going: asyncio.Task[None] | None = None
        super().__init__(self._dealt())

    def waits(self) -> bool:
        """It always does: `pace`."""
        return True

    def _dealt(self) -> Table:
        table, _, _ = Table.made(Unkept(), self.game, self.players, practice=False)
        return table

    def wake(self) -> None:
        """Go on, if it sleeps."""
        if self._going is None or self._going.done():
            self._going = asyncio.create_task(self._go_on())

    def sleep(self) -> None:
        if self._going is not None:
            self._going.cancel()

    async def _go_on(self) -> None:
        while self.sockets:
            await asyncio.sleep(self.pace)
            if self.table.over:
                await asyncio.sleep(self.pace * REST)
                self.table = self._dealt()
                for socket in self.sockets:
                    socket.seen = None
            else:
                self.table.player_decides()
            await self.tell_all()


class Hall:
    """All that the server knows: the store, the tables in memory, the worker."""

    def __init__(self, store: Store, offered: Sequence[str] = (), hosts: Sequence[str] = (), pace: float = 1.5) -> None:
        """`offered`: players' names in place of the levels; `hosts`: names, with port, under which the server is reached;
        `pace`: seconds between two decisions of a show. Raises OptionError.
        """
        least, most = limits.PACE
        if not least <= pace <= most:
            raise OptionError(f"pace is {pace}; allowed: {least} to {most} seconds")
        self.store, self.offered, self.hosts, self.pace = store, tuple(offered), tuple(hosts), pace
        self.rooms: dict[str, OpenTable] = {}
        self.shows: dict[str, Show] = {}
        self.worker, self.coach = Worker(), Worker(limits.COACHING)

    def players(self, game: Game) -> dict[str, str]:
        """What a browser may name as a player of this game -> the player's name."""
        return {name: name for name in self.offered if has(game, name)} if self.offered else levels(game)

    def room(self, table: str) -> OpenTable:
        """The table of that id, from memory or from the store. Raises RefusedError or TableError."""
        if table not in self.rooms:
            self.make_room()
            self.rooms[table] = OpenTable(opened(self.store, table))
        return self.rooms[table]

    def make_room(self) -> None:
        """Let go of tables that nobody looks at. Raises RefusedError if there are too many others."""
        now = time.monotonic()
        for name, room in list(self.rooms.items()):
            if not room.sockets and not room.lock.locked() and now - room.used > limits.IDLE:
                del self.rooms[name]
        if len(self.rooms) >= limits.TABLES:
            raise RefusedError(f"{limits.TABLES} tables are open, as many as there may be; try again later")

    def new_table(self, asked: Any) -> dict[str, Any]:
        """Make the table that a browser asks for. Raises PirateError."""
        wanted = {"game": str, "options": dict, "seats": list, "practice": bool}
        if not isinstance(asked, dict) or set(asked) != set(wanted):
            raise RefusedError(f"a new table is told by {', '.join(wanted)}")
        for key, kind in wanted.items():
            if not isinstance(asked[key], kind):
                raise RefusedError(f"{key} is a {type(asked[key]).__name__}; needed: a {kind.__name__}")
        self.make_room()
        game = load(asked["game"], **asked["options"])
        offered = self.players(game)
        known = {"person": None, **{name: name for name in offered.values()}, **offered}
        for seat in asked["seats"]:
            if not isinstance(seat, str) or seat not in known:
                raise RefusedError(f"a seat is for {seat!r:.100}; allowed: {', '.join(['person', *offered])}")
        table, links, watch = Table.made(self.store, game, [known[seat] for seat in asked["seats"]], asked["practice"])
        self.rooms[table.setup.id] = OpenTable(table)
        return {"table": table.setup.id, "links": links, "watch": watch}

    async def play_on(self, room: OpenTable) -> None:
        """Let players decide until a person is to, or the match is over; everybody is told after each decision."""
        table = room.table
        while (name := table.mover()) is not None:
            if thinks(name):
                asked = table.game, table.setup.options, name, table.g, table.chance.random()
                table.player_thought(await self.worker.think(*asked))
            else:
                table.player_decides()
            await room.tell_all()
            await asyncio.sleep(0)

    def show(self, name: str) -> Show:
        """The show of a game. Raises NotHereError."""
        if name not in games():
            raise NotHereError(f"there is no game {name!r:.100}")
        if name not in self.shows:
            game = load(name)
            quick = [player for player in reversed(self.players(game).values()) if not thinks(player)]
            quick = list(dict.fromkeys(quick)) or [strongest_name(game)]
            self.shows[name] = Show(game, [quick[seat % len(quick)] for seat in range(game.players)], self.pace)
        return self.shows[name]

    def warm(self) -> None:
        """Compile what the games' tables need, so that nobody waits for it later."""
        for name in games():
            table = self.show(name).table
            while table.at < 3 and not table.over:
                table.player_decides()
            table.message(WATCHER, 0)

    def close(self) -> None:
        """End the shows and the worker, and close the store."""
        for show in self.shows.values():
            show.sleep()
        self.worker.close()
        self.coach.close()
        self.store.close()
