"""Puzzles for a browser: a position with its choices, and, when somebody has chosen, what that was worth.

`GET /api/puzzles/{game}/{number}?language=fr&theme=dark&tall=1` tells the position, a `POST` of ``{"act": NAME, "language":
"fr"}`` to the same address the answer: who has not chosen is not told it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pirate_envs.agents.coach.puzzles import PuzzleError, asked, load_puzzles, names_with_puzzles, told
from pirate_envs.agents.table import limits
from pirate_envs.agents.table.limits import RefusedError
from pirate_envs.agents.table.looks import Look, choices, drawn
from pirate_envs.core.errors import PirateError, shown
from pirate_envs.core.files import parse_json
from pirate_envs.core.sentences import action_labels

_setting_up = ThreadPoolExecutor(1, "puzzles")  # others play meanwhile
TALL = {"0": False, "1": True}


def routes() -> list[Route]:
    """What the application answers about puzzles."""
    one = "/api/puzzles/{game}/{number}"
    return [Route("/api/puzzles", told_books), Route(one, told_puzzle), Route(one, told_answer, methods=["POST"])]


async def told_books(request: Request) -> Response:
    """Which games have puzzles, and how many."""
    return await _answered(books)


async def told_puzzle(request: Request) -> Response:
    """A position."""
    given: dict[str, Any] = dict(request.query_params)
    if "tall" in given:
        given["tall"] = TALL.get(given["tall"], given["tall"])
    return await _answered(position, *_asked(request), given)


async def told_answer(request: Request) -> Response:
    """What a choice was worth."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > limits.MESSAGE:
            return JSONResponse({"error": f"a choice has at most {limits.MESSAGE} bytes"}, status_code=400)
    return await _answered(answer, *_asked(request), body)


def _asked(request: Request) -> tuple[str, Any]:
    """The game and the number of a puzzle, as an address tells them; what no number of a puzzle can be stays a text."""
    number = request.path_params["number"]
    return request.path_params["game"], int(number) if re.fullmatch("[0-9]{1,9}", number) else number


async def _answered(work: Callable[..., Any], *given: Any) -> Response:
    try:
        return JSONResponse(await asyncio.get_running_loop().run_in_executor(_setting_up, work, *given))
    except PuzzleError as error:
        return JSONResponse({"error": str(error)}, status_code=404)
    except PirateError as error:
        return JSONResponse({"error": str(error)}, status_code=400)


# -- what is told ------------------------------------------------------------------------------------------------------


def books() -> list[dict[str, Any]]:
    """Each game that comes with puzzles: `name`, `title` and `count`."""
    found = [load_puzzles(name) for name in names_with_puzzles()]
    return [{"name": book.game.name, "title": book.game.title, "count": len(book.puzzles)} for book in found]


def position(name: str, number: int, look: Any) -> dict[str, Any]:
    """A puzzle before somebody has chosen. Raises PuzzleError if there is none, RefusedError for an unknown look."""
    seen, book = Look.of(look), load_puzzles(name)
    puzzle, game = book.number(number), book.game
    g = puzzle.position(game)
    seat = game.seat_to_move(g)
    view = game.view(g, seat)
    return {
        "title": game.title,
        "count": len(book.puzzles),
        "seat": seat,
        "view": view,
        "svg": str(drawn(game, view, seat, seen)),
        "choices": choices(game, view["legal"], seat, seen.language),
        **asked(book, number, seen.language),
    }


def answer(name: str, number: int, body: bytes) -> dict[str, Any]:
    """What is said when somebody has chosen. Raises PuzzleError, or RefusedError for what is no choice here."""
    book = load_puzzles(name)
    puzzle, game = book.number(number), book.game
    try:
        chosen = parse_json(body)
    except ValueError:
        raise RefusedError("that is not JSON") from None
    if not isinstance(chosen, dict) or set(chosen) != {"act", "language"}:
        raise RefusedError("a choice has act and language")
    language = Look.of({"language": chosen["language"]}).language
    if not isinstance(chosen["act"], str) or chosen["act"] not in puzzle.values:
        raise RefusedError(f"{shown(chosen['act'])} is not legal here; legal: {', '.join(puzzle.values)}")
    names = list(puzzle.values)
    seat = game.seat_to_move(puzzle.position(game))
    labels = dict(zip(names, action_labels(game, names, seat, language), strict=True))
    return dataclasses.asdict(told(book, puzzle, chosen["act"], language, labels))
