"""The pages and what they load: the files of `static`, read once, served with their types and an ETag each."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
ADDRESSES = ("/", "/t/{table}", "/tv", "/tv/{game}", "/rules/{game}", "/puzzles", "/puzzles/{game}", "/puzzles/{game}/{number}")
"""Of the one page, whose script looks which of them it is at."""


@dataclass(frozen=True)
class StaticFile:
    """A file's content as it goes out."""

    content: bytes
    media_type: str
    etag: str


@functools.cache
def static() -> dict[str, StaticFile]:
    """Path below `static` -> the file."""
    return dict(_read(files("pirate_envs.agents.table") / "static", ""))


def _read(folder: Traversable, path: str) -> list[tuple[str, StaticFile]]:
    found = []
    for entry in folder.iterdir():
        name = f"{path}{entry.name}"
        if entry.is_dir():
            found += _read(entry, f"{name}/")
        elif (kind := TYPES.get(name.rpartition(".")[2])) is not None:
            content = entry.read_bytes()
            found.append((name, StaticFile(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')))
    return found


def answered(request: Request, name: str) -> Response:
    """A static file, or that the browser's copy is still the same; it asks each time."""
    file = static().get(name)
    if file is None:
        return PlainTextResponse("there is no such page", status_code=404)
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    if file.etag in [each.strip() for each in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)


async def _file(request: Request) -> Response:
    return answered(request, request.path_params["path"])


async def _page(request: Request) -> Response:
    return answered(request, "page.html")


def routes() -> list[Route]:
    """Every page and every file."""
    return [*(Route(address, _page) for address in ADDRESSES), Route("/static/{path:path}", _file)]
