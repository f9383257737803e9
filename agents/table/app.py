"""The server: pages, new tables, replays, and one socket for each viewer of a table or a show.

A socket's first message is ``{"hello": SECRET, "seen": 17, "look": {...}}`` (the secret of a show is ""; seen and look may be
left out); then come ``{"act": "play yellow_5", "at": 17}``, ``{"hint": 1}``, ``{"undo": 1}`` and ``{"look": {"theme": "dark",
"language": "fr", "tall": true, "steps": false}}``. Each answer is the whole position as that viewer may see it, with the events
since its last one (`rooms.Table.message`), or ``{"error": SENTENCE}``. A secret is never part of an address that a server or a
log sees.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from pirate_envs.agents.table import limits, pages, puzzles, replays
from pirate_envs.agents.table.halls import Hall, OpenTable, Show, Socket
from pirate_envs.agents.table.limits import RefusedError
from pirate_envs.agents.table.looks import Look
from pirate_envs.core.errors import PirateError
from pirate_envs.core.events import WATCHER
from pirate_envs.core.files import parse_json
from pirate_envs.core.game import Game
from pirate_envs.core.sentences import action_labels, languages, option_meaning
from pirate_envs.games import games, load

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
BAD_MESSAGE, TOO_MUCH = RefusedError.code, 1008  # why a socket is closed


# -- tables -------------------------------------------------------------------------------------------------------------


async def told_games(request: Request) -> Response:
    """What may be played: each game with its options and players."""
    hall: Hall = request.app.state.hall
    return JSONResponse([_told(hall, load(name)) for name in games()])


def _told(hall: Hall, game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "players": game.players,
        "options": [_told_option(game, option) for option in dataclasses.fields(game.options)],
        "seats": list(hall.players(game)),
    }


def _told_option(game: Game, option: dataclasses.Field[Any]) -> dict[str, Any]:
    """An option as a form asks for it: of the kind bool, choice, number or counts."""
    meta = option.metadata
    choices = meta.get("choices") or meta.get("counts") or ()
    kind = "choice" if meta.get("choices") else "counts" if meta.get("counts") else "number"
    return {
        "name": option.name,
        "kind": "bool" if isinstance(option.default, bool) else kind,
        "default": option.default,
        "low": meta.get("low"),
        "high": meta.get("high"),
        "choices": list(choices),
        "meaning": {language: option_meaning(game, option.name, language) for language in languages()},
    }


async def told_rules(request: Request) -> Response:
    """The manual of a game."""
    name = request.path_params["game"]
    if name not in games():
        return JSONResponse({"error": f"there is no game {name!r:.100}"}, status_code=404)
    game = load(name)
    return JSONResponse({"title": game.title, "manual": game.manual})


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
        await _welcome(hall, room, socket)
        while True:
            text = await _heard(connection)
            if not socket.rate.allows():
                await connection.close(TOO_MUCH, "too many messages")
                return
            await _answer(hall, room, socket, text)
    except (WebSocketDisconnect, TimeoutError, KeyError):  # KeyError: bytes in place of text
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await connection.close(BAD_MESSAGE)
    except PirateError as error:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await connection.send_text(json.dumps({"error": str(error)}))
            await connection.close(error.code if isinstance(error, RefusedError) else BAD_MESSAGE)
    finally:
        if socket is not None and socket in room.sockets:
            room.sockets.remove(socket)


async def _heard(connection: WebSocket) -> str:
    """The next message. Raises WebSocketDisconnect, even if the connection was lost while something was sent."""
    try:
        return await connection.receive_text()
    except RuntimeError:
        raise WebSocketDisconnect from None


async def _greeted(hall: Hall, connection: WebSocket) -> tuple[OpenTable, Socket]:
    """Who has connected, by its first message. Raises RefusedError, TableError, or TimeoutError."""
    hello = _parsed(await asyncio.wait_for(_heard(connection), HELLO))
    if not isinstance(hello, dict) or not isinstance(hello.get("hello"), str) or set(hello) - {"hello", "seen", "look"}:
        raise RefusedError("the first message says hello")
    seen = hello.get("seen")
    if seen is not None and (isinstance(seen, bool) or not isinstance(seen, int)):
        raise RefusedError("seen is the number of a decision")
    look = Look.of(hello.get("look", {}))
    if "game" in connection.path_params:
        show = hall.show(connection.path_params["game"])
        socket = Socket(connection, None, seen, look)
        show.let_in(socket, limits.VIEWERS)
        return show, socket
    room = hall.room(connection.path_params["table"])
    viewer = room.table.viewer(hello["hello"])
    socket = Socket(connection, viewer, seen, look)
    room.let_in(socket, limits.WATCHERS if viewer == WATCHER else limits.SOCKETS_A_SEAT)
    return room, socket


async def _welcome(hall: Hall, room: OpenTable, socket: Socket) -> None:
    """Tell who has come where the table is, and go on with it."""
    if isinstance(room, Show):
        await socket.tell(room.table)
        room.wake()
        return
    async with room.lock:
        await socket.tell(room.table)
        await hall.play_on(room)


async def _answer(hall: Hall, room: OpenTable, socket: Socket, text: str) -> None:
    """Do what a message asks for, or send what is wrong with it."""
    try:
        if len(text.encode()) > limits.MESSAGE:
            raise RefusedError(f"a message has at most {limits.MESSAGE} bytes")
        asked = _parsed(text)
        keys = frozenset(asked) if isinstance(asked, dict) else frozenset()
        if keys not in MESSAGES:
            raise RefusedError("a message is an act with its at, a hint, an undo or a look")
        async with room.lock:
            await MESSAGES[keys](hall, room, socket, asked)
    except PirateError as error:
        await socket.send({"error": str(error)})


async def _act(hall: Hall, room: OpenTable, socket: Socket, asked: Mapping[str, Any]) -> None:
    name, at = asked["act"], asked["at"]
    if isinstance(room, Show):
        raise RefusedError("watchers do not play")
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
    hint = table.hint()
    label = action_labels(table.game, [hint.name], socket.viewer, socket.look.language)[0]
    await socket.send({"hint": hint.name, "label": label, "by": hint.by, "win": hint.win})


async def _look(hall: Hall, room: OpenTable, socket: Socket, asked: Mapping[str, Any]) -> None:
    socket.look = Look.of(asked["look"])
    await socket.tell(room.table)


MESSAGES = {frozenset(["act", "at"]): _act, frozenset(["undo"]): _undo, frozenset(["hint"]): _hint, frozenset(["look"]): _look}


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
        if host not in self.hall.hosts or (origin is not None and origin.partition("://")[2] != host):
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
            hall.close()

    routes = [
        Route("/api/games", told_games),
        Route("/api/rules/{game}", told_rules),
        Route("/api/tables", make_table, methods=["POST"]),
        Route("/api/replays/{table}", told_replay),
        WebSocketRoute("/ws/tv/{game}", serve_socket),
        WebSocketRoute("/ws/{table}", serve_socket),
        *puzzles.routes(),
        *replays.routes(),
        *pages.routes(),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, hall=hall)], lifespan=lifespan)
    app.state.hall = hall
    return app
