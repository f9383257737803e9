"""The server: new tables, replays, and one socket for each viewer of a table.

A socket's first message is ``{"hello": SECRET, "seen": 17}``; then come ``{"act": "play yellow_5", "at": 17}``, ``{"hint": 1}``
and ``{"undo": 1}``. Each answer is the whole position as that viewer may see it, with the events since its last one
(`rooms.Table.message`), or ``{"error": SENTENCE}``. A secret is never part of an address that a server or a log sees.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from pirate_envs.agents.names import strongest_name
from pirate_envs.agents.table import limits
from pirate_envs.agents.table.levels import Worker, levels, thinks
from pirate_envs.agents.table.limits import Rate, RefusedError
from pirate_envs.agents.table.rooms import Table, opened
from pirate_envs.agents.table.store import Store
from pirate_envs.core.errors import PirateError
from pirate_envs.core.events import WATCHER, Viewer
from pirate_envs.core.files import parse_json
from pirate_envs.core.game import Game
from pirate_envs.games import games, load

log = logging.getLogger("pirate_envs.table")
POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
}
BODY = 16 << 10  # bytes of a request for a new table
HELLO = 10.0  # seconds until a socket must have said who it is
BAD_MESSAGE, TOO_MUCH = 4400, 1008  # why a socket is closed


@dataclass(eq=False)
class Socket:
    """A viewer that is connected."""

    connection: WebSocket
    viewer: Viewer
    seen: int | None
    rate: Rate = field(default_factory=Rate)

    async def tell(self, table: Table) -> None:
        """Send where the table is now, and what has happened since the last time."""
        message = table.message(self.viewer, self.seen)
        self.seen = message["at"]
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has gone
            await self.connection.send_text(json.dumps(message))


@dataclass(eq=False)
class OpenTable:
    """A table with those who look at it; whoever changes it holds the lock."""

    table: Table
    sockets: list[Socket] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    used: float = field(default_factory=time.monotonic)

    async def tell_all(self) -> None:
        self.used = time.monotonic()
        for socket in list(self.sockets):
            await socket.tell(self.table)


class Hall:
    """All that the server knows: the store, the tables in memory, the worker."""

    def __init__(self, store: Store, offered: Sequence[str] = (), hosts: Sequence[str] = ()) -> None:
        """`offered`: players' names in place of the levels; `hosts`: names, with port, under which the server is reached."""
        self.store, self.offered, self.hosts = store, tuple(offered), tuple(hosts)
        self.rooms: dict[str, OpenTable] = {}
        self.worker = Worker()

    def players(self, game: Game) -> dict[str, str]:
        """What a browser may name as a player -> the player's name."""
        return {name: name for name in self.offered} if self.offered else levels(game)

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
        known = {"person": None, **self.players(game)}
        for seat in asked["seats"]:
            if not isinstance(seat, str) or seat not in known:
                raise RefusedError(f"a seat is for {seat!r:.100}; allowed: {', '.join(known)}")
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


# -- tables -------------------------------------------------------------------------------------------------------------


async def told_games(request: Request) -> Response:
    """What may be played: each game with its options and players."""
    hall: Hall = request.app.state.hall
    return JSONResponse([_told(hall, load(name)) for name in games()])


def _told(hall: Hall, game: Game) -> dict[str, Any]:
    rows = game.options.table()
    options = [dict(zip(("name", "default", "allowed", "meaning"), row, strict=True)) for row in rows]
    return {
        "name": game.name,
        "title": game.title,
        "players": game.players,
        "options": options,
        "seats": list(hall.players(game)),
    }


async def make_table(request: Request) -> Response:
    hall: Hall = request.app.state.hall
    try:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > BODY:
                raise RefusedError(f"a request has at most {BODY} bytes")
        return JSONResponse(hall.new_table(_parsed(body)), status_code=201)
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=400)


def _parsed(text: str | bytes) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        raise RefusedError("that is not JSON") from None


async def told_replay(request: Request) -> Response:
    """The replay of a match that is over."""
    hall: Hall = request.app.state.hall
    try:
        return JSONResponse(hall.room(request.path_params["table"]).table.replay().content())
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=404)


# -- sockets -----------------------------------------------------------------------------------------------------------


async def serve_socket(connection: WebSocket) -> None:
    """One viewer, from its hello until it leaves."""
    hall: Hall = connection.app.state.hall
    await connection.accept()
    socket = None
    try:
        room, socket = await _greeted(hall, connection)
        await socket.tell(room.table)
        while True:
            text = await connection.receive_text()
            if not socket.rate.allows():
                await connection.close(TOO_MUCH, "too many messages")
                return
            await _answer(hall, room, socket, text)
    except (WebSocketDisconnect, TimeoutError, KeyError):  # KeyError: bytes in place of text
        with contextlib.suppress(RuntimeError):
            await connection.close(BAD_MESSAGE)
    except PirateError as error:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await connection.send_text(json.dumps({"error": str(error)}))
            await connection.close(BAD_MESSAGE)
    finally:
        if socket is not None and socket in room.sockets:
            room.sockets.remove(socket)


async def _greeted(hall: Hall, connection: WebSocket) -> tuple[OpenTable, Socket]:
    """Who has connected, by its first message. Raises RefusedError, TableError, or TimeoutError."""
    hello = _parsed(await asyncio.wait_for(connection.receive_text(), HELLO))
    if not isinstance(hello, dict) or not isinstance(hello.get("hello"), str) or set(hello) - {"hello", "seen"}:
        raise RefusedError("the first message says hello")
    seen = hello.get("seen")
    if seen is not None and (isinstance(seen, bool) or not isinstance(seen, int)):
        raise RefusedError("seen is the number of a decision")
    room = hall.room(connection.path_params["table"])
    viewer = room.table.viewer(hello["hello"])
    there = sum(1 for socket in room.sockets if socket.viewer == viewer)
    most = limits.WATCHERS if viewer == WATCHER else limits.SOCKETS_A_SEAT
    if there >= most:
        raise RefusedError(f"this link is open {there} times already")
    socket = Socket(connection, viewer, seen)
    room.sockets.append(socket)
    async with room.lock:
        await hall.play_on(room)
    return room, socket


async def _answer(hall: Hall, room: OpenTable, socket: Socket, text: str) -> None:
    """Do what a message asks for, or send what is wrong with it."""
    try:
        if len(text.encode()) > limits.MESSAGE:
            raise RefusedError(f"a message has at most {limits.MESSAGE} bytes")
        asked = _parsed(text)
        keys = frozenset(asked) if isinstance(asked, dict) else frozenset()
        if keys not in MESSAGES:
            raise RefusedError("a message is an act with its at, a hint or an undo")
        async with room.lock:
            await MESSAGES[keys](hall, room, socket, asked)
    except PirateError as error:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await socket.connection.send_text(json.dumps({"error": str(error)}))


async def _act(hall: Hall, room: OpenTable, socket: Socket, asked: Mapping[str, Any]) -> None:
    name, at = asked["act"], asked["at"]
    if not isinstance(name, str) or isinstance(at, bool) or not isinstance(at, int):
        raise RefusedError("act is an action's name, at the number of the decision")
    if room.table.act(socket.viewer, name, at):
        await room.tell_all()
        await hall.play_on(room)
    else:
        await socket.tell(room.table)


async def _undo(hall: Hall, room: OpenTable, socket: Socket, _: Mapping[str, Any]) -> None:
    room.table.take_back(socket.viewer)
    for other in room.sockets:
        other.seen = None
    await room.tell_all()


async def _hint(hall: Hall, room: OpenTable, socket: Socket, _: Mapping[str, Any]) -> None:
    table = room.table
    if not table.setup.practice or table.over or socket.viewer != table.game.seat_to_move(table.g):
        raise RefusedError("hints are given at practice tables, to the person whose turn it is")
    name = strongest_name(table.game)
    action = table.game.action_name(table.g, table.answer(name))
    await socket.connection.send_text(json.dumps({"hint": action, "by": name}))


MESSAGES = {frozenset(["act", "at"]): _act, frozenset(["undo"]): _undo, frozenset(["hint"]): _hint}


# -- the application ---------------------------------------------------------------------------------------------------


class Guard:
    """Refuses other hosts' names and pages (DNS rebinding, sockets across sites), and sends HEADERS with every answer."""

    def __init__(self, app: ASGIApp, hall: Hall) -> None:
        self.app, self.hall = app, hall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hall.hosts or (origin is not None and urlsplit(origin).netloc != host):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await Response("this address is not served here", status_code=421)(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            await send(message)

        await self.app(scope, receive, with_headers)


def application(hall: Hall) -> Starlette:
    """The ASGI application of a hall; when it ends, the worker does and the store is closed."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            hall.worker.close()
            hall.store.close()

    routes = [
        Route("/api/games", told_games),
        Route("/api/tables", make_table, methods=["POST"]),
        Route("/api/replays/{table}", told_replay),
        WebSocketRoute("/ws/{table}", serve_socket),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, hall=hall)], lifespan=lifespan)
    app.state.hall = hall
    return app
