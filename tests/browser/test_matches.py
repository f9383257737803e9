"""Whole matches of every game in a real browser: by mouse, by keyboard alone, by touch, by the accessibility tree alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from pirate_envs.games import shipped
from tests.browser.conftest import Server
from tests.browser.people import by_reading, is_over, play, with_finger, with_keyboard, with_mouse

pytestmark = pytest.mark.browser
TELEPHONE = {"size": (390, 844), "has_touch": True, "is_mobile": True}
OVER = {"en": "Result", "fr": "Résultat", "de": "Ergebnis"}


def seat_of(server: Server, table: dict[str, Any], seat: int = 0) -> str:
    return f"{server.address}/t/{table['table']}#{table['links'][seat]}"


def log_of(page: Any) -> list[str]:
    return page.locator("#log li").all_inner_texts()


@pytest.mark.parametrize("game", shipped())
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_a_match_by_mouse(opened: Callable[..., Any], server: Server, game: str, language: str) -> None:
    dark = "dark" if language == "fr" else "light"
    page = opened(seat_of(server, server.table(game)), language, color_scheme=dark)
    assert play(page, with_mouse) >= 1
    assert page.locator("#end h2").inner_text() == OVER[language]
    assert page.locator("html").get_attribute("lang") == language
    assert len(log_of(page)) >= 4


@pytest.mark.parametrize("game", shipped())
def test_a_match_by_keyboard_alone(opened: Callable[..., Any], server: Server, game: str) -> None:
    page = opened(seat_of(server, server.table(game)), "de")
    assert play(page, with_keyboard) >= 1
    assert page.locator("#end h2").inner_text() == "Ergebnis"


@pytest.mark.parametrize("game", shipped())
def test_a_match_by_touch_on_a_telephone(opened: Callable[..., Any], server: Server, game: str) -> None:
    page = opened(seat_of(server, server.table(game)), "fr", **TELEPHONE)

    def decide(page: Any, compose: bool) -> None:
        assert too_small(page) == []
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        with_finger(page, compose)

    assert play(page, decide) >= 1
    assert too_small(page) == []


def too_small(page: Any) -> list[str]:
    """What can be touched and is smaller than a finger, 44 by 44 pixels."""
    return page.evaluate(
        """() => [...document.querySelectorAll("button, a, select, input, summary")]
        .filter((each) => each.checkVisibility() && !each.classList.contains("skip"))
        .filter((each) => {
          const { width, height } = (each.closest("label") ?? each).getBoundingClientRect();
          return height < 43.9 || width < 43.9;
        })
        .map((each) => each.outerHTML)"""
    )


@pytest.mark.parametrize("game", shipped())
def test_a_match_from_the_accessibility_tree_alone(opened: Callable[..., Any], server: Server, game: str) -> None:
    page = opened(seat_of(server, server.table(game)))
    page.wait_for_selector("#choices button")
    page.keyboard.press("t")
    assert page.locator("#picture").is_hidden()
    assert play(page, by_reading) >= 1
    assert page.get_by_role("table", name="Result").is_visible()


def test_two_people_in_two_browsers_and_what_each_may_see(opened: Callable[..., Any], server: Server) -> None:
    table = server.table("skull_king", ["person", "person"])
    pages = [opened(seat_of(server, table, seat), language) for seat, language in enumerate(("en", "de"))]
    watcher = opened(f"{server.address}/t/{table['table']}#{table['watch']}", "fr")
    for _ in range(40):
        for page in pages:
            page.wait_for_selector("#picture svg")
        ready = [page for page in pages if page.locator("#choices button:not(:disabled)").count()]
        if all(is_over(page) for page in pages):
            break
        if ready:
            ready[0].locator("#choices .act").first.click()
        time.sleep(0.1)
    assert [page.locator("#end h2").inner_text() for page in pages] == ["Result", "Ergebnis"]
    watcher.wait_for_selector("#end h2")
    assert watcher.locator("#choices button").count() == 0
    assert not [line for line in log_of(watcher) if "vous" in line.lower()]


def test_a_match_goes_on_where_it_was_when_the_server_comes_back(opened: Callable[..., Any], tmp_path: Any) -> None:
    server = Server(tmp_path)
    try:
        page = opened(seat_of(server, server.table("skull_king")))
        page.wait_for_selector("#choices button")
        page.keyboard.press("1")
        page.wait_for_function("() => Number(document.body.dataset.at) >= 2")
        told = log_of(page)
        server.stop()
        page.wait_for_function("() => document.body.dataset.connection === 'lost'")
        assert "lost" in page.locator(".status").inner_text()
        server.start()
        page.wait_for_function("() => document.body.dataset.connection === 'open'")
        assert log_of(page)[: len(told)] == told, "nothing is said twice"
        assert play(page, with_mouse) >= 1
    finally:
        server.stop()


def test_hint_undo_and_theme(opened: Callable[..., Any], server: Server) -> None:
    page = opened(seat_of(server, server.table("skull_king")))
    page.wait_for_selector("#choices button")
    page.keyboard.press("h")
    page.wait_for_selector("#hinted strong")
    assert page.locator("#hinted strong").inner_text().startswith("Bid")
    page.keyboard.press("1")
    page.wait_for_function("() => document.body.dataset.at >= '2'")
    page.keyboard.press("u")
    page.wait_for_function("() => document.body.dataset.at === '0'")
    assert "taken back" in log_of(page)[0]
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.reload()
    page.wait_for_selector("#picture svg")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_arrows_and_enter(opened: Callable[..., Any], server: Server) -> None:
    page = opened(seat_of(server, server.table("skull_king")))
    page.wait_for_selector("#choices button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.dataset.name")
    assert focused.startswith("bid")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.body.dataset.at >= '2'")
    assert any(f"You bid {'one' if focused == 'bid 1' else 'no'}" in line for line in log_of(page))


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_who_wants_less_motion_sees_none(opened: Callable[..., Any], server: Server, motion: str) -> None:
    page = opened(seat_of(server, server.table("lucky_pirate")), speed="quick", reduced_motion=motion)
    page.evaluate(
        """() => { window.moved = 0; const animate = Element.prototype.animate;
        Element.prototype.animate = function (...all) { window.moved += 1; return animate.apply(this, all); }; }"""
    )
    for _ in range(3):
        page.wait_for_selector("#choices .act:not(:disabled)")
        at = page.evaluate("document.body.dataset.at")
        page.locator("#choices .act").first.click()
        page.wait_for_function(f"() => document.body.dataset.at !== '{at}'")
    assert (page.evaluate("window.moved") > 0) == (motion == "no-preference")
