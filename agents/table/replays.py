"""The server's part of replays: the page of a match that is over, and the match as steps (`replay_page`)."""

from __future__ import annotations

import asyncio
import functools
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from pirate_envs.agents.coach import Budget, review
from pirate_envs.agents.table.limits import RefusedError
from pirate_envs.agents.table.replay_page import STATIC, advice, colours, packed, steps
from pirate_envs.core.errors import PirateError, shown
from pirate_envs.core.sentences import USUAL, sentences
from pirate_envs.engine.replay import Replay

if TYPE_CHECKING:
    from pirate_envs.agents.table.halls import Hall

KEPT = 16  # matches whose steps, and what the coach says, are at hand
WORLDS = 64  # that the coach spends on an action
_advised: dict[tuple[str, int, str], bytes] = {}
_drawing = ThreadPoolExecutor(1, "replays")  # one match at a time: others play meanwhile


def routes() -> list[Route]:
    """What the application answers about replays."""
    return [
        Route("/r/{table}", told_page),
        Route("/pictures.css", told_colours),
        Route("/api/replays/{table}/steps", told_steps),
        Route("/api/replays/{table}/coach", told_advice),
    ]


async def told_page(request: Request) -> Response:
    """The page; what it shows it asks for itself."""
    return HTMLResponse((STATIC / "replay.html").read_text(encoding="utf-8"))


async def told_colours(request: Request) -> Response:
    """The style sheet of pictures."""
    return Response(colours(), media_type="text/css")


async def told_steps(request: Request) -> Response:
    """The match of a table as steps, once it is over; `?seat=0&language=en`, each may be left out."""
    hall: Hall = request.app.state.hall
    try:
        table = hall.room(request.path_params["table"]).table
        replay = json.dumps(table.replay().content())
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=404)
    try:
        asked = _asked(request)
        drawn = await asyncio.get_running_loop().run_in_executor(_drawing, _steps, replay, *asked, tuple(table.sitting()))
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    return Response(drawn, media_type="application/json", headers={"Content-Encoding": "gzip"})


async def told_advice(request: Request) -> Response:
    """What the coach says of a seat's decisions in the match of a table, once it is over; `?seat=0&language=en`."""
    hall: Hall = request.app.state.hall
    try:
        replay = json.dumps(hall.room(request.path_params["table"]).table.replay().content())
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=404)
    try:
        seat, language = _asked(request)
        if seat is None:
            raise RefusedError("the coach is asked about one seat")
        key = replay, seat, language
        if key not in _advised:
            told = await hall.coach.do(_advice, *key)
            while len(_advised) >= KEPT:
                del _advised[next(iter(_advised))]
            _advised[key] = told
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    return Response(_advised[key], media_type="application/json", headers={"Content-Encoding": "gzip"})


def _advice(replay: str, seat: int, language: str) -> bytes:
    """The coach's work, in its process."""
    match = Replay.parse(replay)
    sentences(match.load_game(), [], seat, language)
    return packed(advice(review(match, seat, Budget(WORLDS)), language))


def _asked(request: Request) -> tuple[int | None, str]:
    """The seat and the language that an address asks for. Raises RefusedError."""
    given = request.query_params.multi_items()
    known = dict(given)
    if len(known) < len(given) or not known.keys() <= {"seat", "language"}:
        raise RefusedError("a replay is asked for with a seat and a language, once each")
    seat = known.get("seat")
    if seat is not None and re.fullmatch("[0-9]", seat) is None:
        raise RefusedError(f"seat is {shown(seat)}; needed: a number")
    return None if seat is None else int(seat), known.get("language", USUAL)


@functools.lru_cache(KEPT)
def _steps(replay: str, seat: int | None, language: str, names: tuple[str, ...]) -> bytes:
    return packed(steps(Replay.parse(replay), seat, language, names))
