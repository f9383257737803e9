"""People at a page: each decides with what it has, a mouse, a keyboard, a finger, or a reader of the accessibility tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

READY = "() => document.querySelector('#end h2') || document.querySelector('#choices button:not(:disabled)')"
GO = "#choices .go:not(:disabled)"


def is_over(page: Any) -> bool:
    return bool(page.locator("#end h2").count())


def play(page: Any, decide: Callable[[Any, bool], None], most: int = 150) -> int:
    """Play the match to its end; returns how many decisions that took. `decide` is told whether to put words together."""
    for made in range(most):
        page.wait_for_function(READY)
        if is_over(page):
            return made
        at = page.evaluate("document.body.dataset.at")
        decide(page, made % 2 == 0 and page.locator("#choices .composer").count() > 0)
        page.wait_for_function(f"() => document.body.dataset.at !== '{at}'")
    raise AssertionError(f"the match is not over after {most} decisions")


def with_mouse(page: Any, compose: bool) -> None:
    """In the picture where that is possible, else with the buttons."""
    if compose:
        words = page.locator("#picture [data-key^='die:'], #picture [data-key^='card:'][data-action]")
        for place in range(words.count()):
            click(page, words.nth(place))
            if page.locator(GO).count():
                break
        assert page.locator("#picture .chosen").count() >= 1
        page.locator(GO).click()
    elif page.locator("#choices .composer").count() and page.locator("#choices .act").count():
        page.locator("#choices .act").first.click()
    else:
        pictured = page.locator("#picture.mine [data-action]")
        if pictured.count():
            click(page, pictured.first)
        else:
            page.locator("#choices .act").first.click()


def click(page: Any, element: Any) -> None:
    """On the left edge of what is drawn: cards lie upon each other."""
    box = element.bounding_box()
    page.mouse.click(box["x"] + 0.15 * box["width"], box["y"] + box["height"] / 2)


def with_keyboard(page: Any, compose: bool) -> None:
    if not compose:
        page.keyboard.press("1")
        if page.locator("#choices .act").count():
            return
    first = page.locator("#choices .act").count() + 1
    for digit in range(first, 10):
        page.keyboard.press(str(digit))
        if page.locator(GO).count():
            break
    page.keyboard.press("Enter")


def with_finger(page: Any, compose: bool) -> None:
    if not compose and page.locator("#choices .act").count():
        page.locator("#choices .act").last.tap()
        return
    for token in page.locator("#choices .token").all():
        if page.locator(GO).count():
            break
        token.tap()
    page.locator(GO).tap()


def by_reading(page: Any, compose: bool) -> None:
    """What a screen reader has: roles, names and states, nothing of the picture."""
    heard = page.locator("main").aria_snapshot()
    assert page.locator("#text").aria_snapshot().count("listitem") >= 3
    doing = heard[heard.index('region "What you can do"') : heard.index('complementary "Players and story"')]
    names = re.findall(r'- button "([^"]+)"( \[[^\n]*disabled[^\n]*\])?', doing)
    tools = ("Hint", "Take back", "Text", "All", "None")
    free = [name for name, disabled in names if not disabled and name not in tools]
    tokens = re.findall(r'- group "[^"]+":(.*)', doing, re.DOTALL)
    inside = [name for name in free if tokens and f'"{name}"' in tokens[0]]
    region = page.get_by_role("region", name="What you can do")
    if not compose and [name for name in free if name not in inside]:
        region.get_by_role("button", name=free[0], exact=True).first.press("Enter")
        return
    counts: dict[str, int] = {}
    for name in inside:
        region.get_by_role("button", name=name, exact=True).nth(counts.get(name, 0)).press("Enter")
        counts[name] = counts.get(name, 0) + 1
        if page.locator(GO).count():
            break
    page.locator(GO).press("Enter")
