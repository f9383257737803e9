"""The replay's page as it is opened: what it shows, what it asks for and what it complains of."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents import agent
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.table.replay_page import page as page_of
from pirate_envs.core.files import write_text

SIZES = {"desk": (1280, 800), "telephone": (390, 844)}


class Opened:
    """A page, and what it has asked for and complained of."""

    def __init__(self, chromium: Any, address: str, size: str = "desk", **context: Any) -> None:
        width, height = SIZES[size]
        self.context = chromium.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)
        self.page.wait_for_selector("#picture > svg")

    @property
    def at(self) -> int:
        return int(self.page.input_value("#scrubber"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def wait(self, script: str) -> None:
        """Until it is true, asked from outside: the page's policy lets nothing be evaluated within."""
        for _ in range(1000):
            if self.page.evaluate(script):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(script)

    def shows(self, drawn: Any) -> None:
        """Until the picture is this one."""
        text = json.dumps(str(drawn))
        self.wait(
            f'new DOMParser().parseFromString({text}, "image/svg+xml").documentElement'
            '.isEqualNode(document.querySelector("#picture > svg"))'
        )

    def violations(self) -> list[str]:
        """What axe-core finds."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(self.page).response["violations"]
        return [f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found]


@pytest.fixture
def opened(chromium: Any) -> Iterator[Any]:
    pages: list[Opened] = []

    def opening(address: Any, *args: Any, **context: Any) -> Opened:
        pages.append(Opened(chromium, address.as_uri() if isinstance(address, Path) else address, *args, **context))
        return pages[-1]

    yield opening
    for each in pages:
        each.context.close()


def names_of(game: pirate_envs.Game, player: str) -> list[str]:
    """The actions of a match of this player against itself."""
    playing, chance, g, names = agent(game, player), random.Random(3), game.new(3), []
    while not game.is_over(g):
        action = int(playing.act(decisions_of(game, g, chance.random()))[0])
        names.append(game.action_name(g, action))
        game.apply(g, action)
    return names


def written(folder: Path, replay: Replay, **given: Any) -> Path:
    write_text(folder / "match.html", page_of(replay, **given))
    return folder / "match.html"
