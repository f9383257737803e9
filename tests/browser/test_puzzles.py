"""Puzzles in the browser: by mouse, keyboard and touch, in three languages, for everybody; the answer after the choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pirate_envs.agents.coach.puzzles import Puzzle, load_puzzles, names_with_puzzles
from tests.browser.conftest import Server
from tests.browser.test_matches import TELEPHONE
from tests.browser.test_pages import SIZES, UNTRANSLATED, check, pseudo

pytestmark = pytest.mark.browser
READY, ANSWERED = "body[data-puzzle]", "#verdict:not(:empty)"


def on_buttons(name: str) -> tuple[int, Puzzle]:
    """The first puzzle whose answer and temptation are listed each on a button of its own."""
    book = load_puzzles(name)
    return next((at, puzzle) for at, puzzle in enumerate(book.puzzles, 1) if len(puzzle.values) <= 10)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_is_for_everybody(opened: Callable[..., Any], server: Server, theme: str, size: str) -> None:
    page = opened(f"{server.address}/puzzles", "en", color_scheme=theme, **SIZES[size])
    check(page, "games")
    assert page.locator(".card").count() == len(names_with_puzzles())
    for name in names_with_puzzles():
        page.goto(f"{server.address}/puzzles/{name}/2")
        page.wait_for_selector(READY)
        check(page, f"{name} before")
        book = load_puzzles(name)
        chosen = book.number(2).tempting
        button = page.locator(f'#choices [data-name="{chosen}"]')
        if button.count():
            button.click()
            page.wait_for_selector(ANSWERED)
            check(page, f"{name} after")
    page.goto(f"{server.address}/puzzles/chess")
    page.wait_for_selector("main h1")
    check(page, "no game")


def test_solved_with_the_keyboard_and_counted(opened: Callable[..., Any], server: Server) -> None:
    asked: list[str] = []
    page = opened(f"{server.address}/puzzles/skull_king/1")
    page.on("response", lambda answer: asked.append(answer.request.method) if "/api/puzzles/" in answer.url else None)
    page.wait_for_selector(READY)
    book = load_puzzles("skull_king")
    answer = page.locator(f'#choices [data-name="{book.number(1).answer}"]').get_attribute("aria-keyshortcuts")
    assert "POST" not in asked and page.locator("#told h2").count() == 0
    page.keyboard.press(answer)
    page.wait_for_selector(ANSWERED)
    assert asked[-1] == "POST" and "✓ Yes" in page.locator("#verdict").inner_text()
    assert page.locator(".worths tbody tr").count() == len(book.number(1).values)
    assert "1 of 1 solved" in page.locator("#told").inner_text()
    page.keyboard.press("Enter")  # the button for the next one has the focus
    page.wait_for_selector('body[data-puzzle="2"]')
    assert page.url.endswith("/puzzles/skull_king/2") and page.locator(ANSWERED).count() == 0
    wrong = page.locator(f'#choices [data-name="{book.number(2).tempting}"]').get_attribute("aria-keyshortcuts")
    page.keyboard.press(wrong)
    page.wait_for_selector(ANSWERED)
    assert "✗ No" in page.locator("#verdict").inner_text()
    page.go_back()
    page.wait_for_selector('body[data-puzzle="1"]')
    page.goto(f"{server.address}/puzzles")
    page.wait_for_selector(".card")
    assert "1 of 2 solved" in page.locator("main").inner_text()
    page.get_by_role("link", name="Skull King").click()
    page.wait_for_selector('body[data-puzzle="3"]')  # the first that was not tried


def test_chosen_in_the_picture(opened: Callable[..., Any], server: Server) -> None:
    number, puzzle = next(
        (at, each)
        for at, each in enumerate(load_puzzles("skull_king").puzzles, 1)
        if each.answer[5:9] in ("yell", "red_", "blue")
    )
    page = opened(f"{server.address}/puzzles/skull_king/{number}")
    page.wait_for_selector(READY)
    card = page.locator(f'#picture.mine [data-action="{puzzle.answer}"]').first
    box = card.bounding_box()
    page.mouse.click(box["x"] + 0.15 * box["width"], box["y"] + box["height"] / 2)
    page.wait_for_selector(ANSWERED)
    assert page.locator("#verdict.right").count() == 1


@pytest.mark.parametrize(("language", "right"), [("en", "Yes"), ("fr", "Oui"), ("de", "Ja")])
def test_by_finger_in_three_languages(opened: Callable[..., Any], server: Server, language: str, right: str) -> None:
    number, puzzle = on_buttons("lucky_pirate")
    page = opened(f"{server.address}/puzzles/lucky_pirate/{number}", language, **TELEPHONE)
    page.wait_for_selector(READY)
    page.locator(f'#choices [data-name="{puzzle.answer}"]').tap()
    page.wait_for_selector(ANSWERED)
    assert right in page.locator("#verdict").inner_text()


def test_dice_are_put_together(opened: Callable[..., Any], server: Server) -> None:
    book = load_puzzles("piraten_kapern")
    number = next(at for at, each in enumerate(book.puzzles, 1) if each.answer.startswith("reroll") and len(each.values) > 12)
    page = opened(f"{server.address}/puzzles/piraten_kapern/{number}")
    page.wait_for_selector("#choices .composer")
    page.locator("#choices .token").first.click()
    page.locator("#choices .token").nth(1).click()
    assert page.locator("#picture .chosen").count() == 2
    page.locator("#choices .go:not(:disabled)").click()
    page.wait_for_selector(ANSWERED)
    assert page.locator(".worths tbody tr").count() == len(book.number(number).values)


def test_nothing_is_said_but_in_the_language_that_was_chosen(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/rules/chess")
    pseudo(page)
    for path in ("/puzzles", "/puzzles/skull_king/1", "/puzzles/chess/1"):
        page.goto(f"{server.address}{path}")
        page.wait_for_selector("body[data-ready]")
        page.wait_for_timeout(300)
        assert page.evaluate(UNTRANSLATED) == [], path
        if path.endswith("king/1"):
            page.keyboard.press("1")
            page.wait_for_selector(ANSWERED)
            assert page.evaluate(UNTRANSLATED) == [], path


def test_the_position_in_another_theme_and_as_text(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/puzzles/piratenpoker/1", color_scheme="light")
    page.wait_for_selector(READY)
    before = page.locator("#picture svg").inner_html()
    page.locator("#theme").click()
    page.wait_for_function("before => document.querySelector('#picture svg').innerHTML !== before", arg=before)
    page.keyboard.press("t")
    assert page.locator("#text li").count() > 3 and page.locator("#picture").is_hidden()


def test_a_card_that_stands_for_several_is_pressed_once_for_each(opened: Callable[..., Any], server: Server) -> None:
    """`Actions` by itself: equal words one after the other, then none; a card alone as before."""
    page = opened(f"{server.address}/puzzles")
    found = page.evaluate(
        """async () => {
        const { Actions } = await import("/static/actions.js");
        const chosen = [], done = [];
        const box = document.createElement("div");
        const actions = new Actions(box, (name) => done.push(name), (words) => chosen.push(words.length));
        const words = ["5", "5", "5", "mermaid"].map((word) => [word, word]);
        const legal = ["play 5", "play 5 5", "play 5 5 5", "play mermaid"];
        actions.show({ listed: [], asked: [{ verb: "play", label: "Play …", words }] }, legal);
        for (const count of [3, 3, 3, 3]) actions.press("play 5", { word: "5", nth: 0 }, count);
        actions.press("play mermaid", { word: "mermaid", nth: 0 });
        actions.press("play mermaid", { word: "mermaid", nth: 0 });
        actions.press("play 5", { word: "5", nth: 0 }, 3);
        actions.press("play 5", { word: "5", nth: 0 }, 3);
        box.querySelector(".go").click();
        return { chosen, done };
        }"""
    )
    assert found == {"chosen": [0, 1, 2, 3, 0, 1, 0, 1, 2], "done": ["play 5 5"]}
