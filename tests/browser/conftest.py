"""A real Chromium, and the table's server as it runs for people: in a thread of its own, to be stopped and started again."""

from __future__ import annotations

import json
import shutil
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pirate_envs.agents.table import serve
from pirate_envs.agents.table.halls import Hall

SMALL: dict[str, dict[str, Any]] = {
    "skull_king": {"players": 2, "last_hand": 2},
    "piraten_kapern": {"players": 2, "target": 500, "max_rounds": 2},
    "piratenpoker": {"players": 3, "max_cycles": 1},
    "lucky_pirate": {"players": 2, "max_turns": 16},
}
"""Options of short matches."""


class Server:
    """The server on a folder; `seen` are all requests' addresses and headers, as a log could hold them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.seen: list[str] = []
        self.start()

    def start(self) -> None:
        import uvicorn

        from pirate_envs.agents.table.app import application

        store, self.lock = serve.opened_store(self.folder)
        at = serve.listening("127.0.0.1", self.port)
        self.port = at.getsockname()[1]
        app = application(Hall(store, hosts=serve.host_names("127.0.0.1", self.port), pace=0.1))

        async def noted(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "lifespan":
                self.seen.append(f"{scope['path']} {scope['query_string']} {scope['headers']}")
            await app(scope, receive, send)

        config = uvicorn.Config(noted, log_level="error", ws="websockets-sansio", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=[[at]], daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.02)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(15)
        self.lock = None
        assert not self.thread.is_alive()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def table(self, game: str, seats: list[str] | None = None, practice: bool = True, **options: Any) -> dict[str, Any]:
        """A new table: its id, the links of its seats, the watchers'."""
        told = {**SMALL[game], **options}
        seats = seats or ["person"] + ["easy"] * (told["players"] - 1)
        body = json.dumps({"game": game, "options": told, "seats": seats, "practice": practice}).encode()
        request = urllib.request.Request(f"{self.address}/api/tables", body)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    found = shutil.which("chromium")
    if found is None:
        pytest.fail("these tests need a Chromium: install your system's package `chromium`")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'pirate-envs[browser]'")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    served = Server(tmp_path_factory.mktemp("tables"))
    yield served
    served.stop()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages, each in a context of its own; what they complain of fails the test."""
    contexts, complaints = [], []

    def open_(address: str, language: str = "en", speed: str = "at_once", **context: Any) -> Any:
        size = context.pop("size", (1280, 800))
        made = chromium.new_context(viewport={"width": size[0], "height": size[1]}, locale=language, **context)
        contexts.append(made)
        made.set_default_timeout(20_000)
        made.add_init_script(f"if (location.host) localStorage.setItem('pirates.speed', '{speed}')")
        page = made.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_
    for made in contexts:
        made.close()
    lost = ("ERR_CONNECTION", "status of 40", "WebSocket connection")  # what the tests bring about
    assert [text for text in complaints if not any(part in text for part in lost)] == []
