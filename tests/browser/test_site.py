"""The documentation as a browser shows it, from files: for everybody, in both themes, on a telephone; and its search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from pirate_envs.games import shipped
from tests.browser.test_pages import violations
from tests.docs.site import built

pytestmark = pytest.mark.browser
SIZES = {"desk": {"width": 1280, "height": 900}, "telephone": {"width": 390, "height": 844}}
PAGES = (
    "index",
    "games/skull_king",
    "results/README",
    "doors",
    "api",
    "speed",
    "coach",
    "strategy/README",
    "strategy/skull_king",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


@pytest.fixture(params=["light", "dark"])
def page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    context = chromium.new_context(viewport=SIZES["desk"], color_scheme=request.param)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_for_everybody(page: Any, site: Path, name: str, size: str) -> None:
    """And nothing but tables and code is wider than the window."""
    page.set_viewport_size(SIZES[size])
    page.goto(f"file://{site}/{name}.html")
    assert violations(page) == []
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")


def test_pictures_are_in_the_pages_theme(page: Any, site: Path) -> None:
    page.goto(f"file://{site}/games/skull_king.html")
    theme = "dark" if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else "light"
    seen = page.locator("article img:visible").evaluate_all("images => images.map(image => image.getAttribute('src'))")
    themed = [src for src in seen if "_light" in src or "_dark" in src]
    assert len(themed) >= 4 and all(f"_{theme}" in src for src in themed)


@pytest.mark.parametrize("rule", ["R1", "R17", "R25"])
def test_search_leads_to_a_rule_without_a_server(page: Any, site: Path, rule: str) -> None:
    """First of all, in every game that has it."""
    page.goto(f"file://{site}/search.html?q={rule}")
    page.wait_for_selector("#search-results a")
    page.wait_for_timeout(500)
    found = page.locator("#search-results a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    games = [name for name in shipped() if f"\n  {rule} " in pirate_envs.load(name).manual]
    places = [f"games/{name}.html#{name.replace('_', '-')}-{rule.lower()}" for name in games]
    assert len(games) >= 3 and sorted(found[: len(games)]) == sorted(places)
