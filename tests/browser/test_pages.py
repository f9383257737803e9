"""Every page: what a checker of accessibility says, in which words, how heavy it is, whom it asks, what it tells the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pirate_envs.games import shipped
from tests.browser.conftest import Server
from tests.browser.people import play, with_keyboard
from tests.browser.test_matches import TELEPHONE, seat_of, too_small

pytestmark = pytest.mark.browser
CRITERIA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
FIRST_PAGE = 150_000  # bytes, with a picture
SIZES: dict[str, dict[str, Any]] = {"desk": {}, "telephone": TELEPHONE}


def violations(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": CRITERIA}).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def check(page: Any, where: str) -> None:
    page.wait_for_timeout(250)  # colours change slowly
    assert violations(page) == [], where
    assert page.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth"), where
    if page.viewport_size["width"] < 500:
        assert too_small(page) == [], where


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_is_for_everybody(opened: Callable[..., Any], server: Server, theme: str, size: str) -> None:
    page = opened(f"{server.address}/", "en", color_scheme=theme, **SIZES[size])
    check(page, "new table")
    page.locator("summary").click()
    check(page, "options")
    page.keyboard.press("Escape")
    page.locator("body").press("?")
    check(page, "help")
    for path in ("/tv", "/rules/skull_king", "/rules/chess", "/t/nowhere#secret", "/tv/piratenpoker"):
        page.goto(f"{server.address}{path}")
        page.wait_for_selector("#picture svg" if path.startswith("/tv/") else "main h1, .status")
        page.wait_for_selector("body[data-ready]")
        check(page, path)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", shipped())
def test_every_phase_of_a_match_is_for_everybody(opened: Callable[..., Any], server: Server, theme: str, game: str) -> None:
    page = opened(seat_of(server, server.table(game)), color_scheme=theme)
    seen = 0

    def decide(page: Any, compose: bool) -> None:
        nonlocal seen
        if seen % 4 == 0:
            check(page, f"decision {seen}")
        seen += 1
        with_keyboard(page, compose)

    play(page, decide)
    check(page, "the end")
    page.keyboard.press("t")
    check(page, "text")


def test_the_first_page_is_light_and_nobody_else_is_asked(opened: Callable[..., Any], server: Server) -> None:
    weight: dict[str, int] = {}
    table = server.table("lucky_pirate", players=4, seats=["person", "easy", "easy", "easy"])
    page = opened(f"{server.address}/rules/chess")
    page.on("response", lambda answer: weight.setdefault(answer.url, len(answer.body()) if answer.status == 200 else 0))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: weight.setdefault(socket.url, len(data))))
    page.goto("about:blank")
    page.context.clear_cookies()
    page.goto(seat_of(server, table))
    page.wait_for_selector("#choices button")
    assert any("/ws/" in url for url in weight) and any("play.js" in url for url in weight)
    assert sum(weight.values()) <= FIRST_PAGE, weight
    assert all(url.split("/")[2] == server.address.split("/")[2] for url in weight), weight


def test_no_address_or_header_holds_a_secret(opened: Callable[..., Any], server: Server) -> None:
    table = server.table("skull_king", ["person", "person"])
    page = opened(seat_of(server, table))
    page.wait_for_selector("#picture svg")
    page.locator(".heading a").click()  # a page that is come to from there
    page.reload()
    page.wait_for_selector("#picture svg")
    secrets = [*table["links"], table["watch"]]
    assert any(table["table"] in line for line in server.seen)
    assert not [line for line in server.seen if any(secret in line for secret in secrets)]


# -- words -------------------------------------------------------------------------------------------------------------

UNTRANSLATED = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest(".said, [lang=en]:not(html), kbd, svg, script, noscript, .disc")) continue;
    const text = walker.currentNode.textContent.trim();
    if (/\\p{L}/u.test(text) && !(text.startsWith("⟦") && text.endsWith("⟧"))) found.push(text);
  }
  for (const element of document.querySelectorAll("[aria-label], [title]")) {
    if (element.closest("svg, .said")) continue;
    for (const text of [element.getAttribute("aria-label"), element.title]) {
      if (text && !text.startsWith("⟦")) found.push(text);
    }
  }
  return found;
}"""


def pseudo(page: Any) -> None:
    """A language in which every text of the interface is bracketed."""

    def answer(route: Any) -> None:
        words = route.fetch().json()
        route.fulfill(json={key: f"⟦{text}⟧" for key, text in words.items()})

    page.route("**/static/words/*.json", answer)


def test_nothing_is_said_but_in_the_language_that_was_chosen(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/rules/chess")
    pseudo(page)
    end = server.table("skull_king", last_hand=1)
    places = ("/", "/tv", "/rules/skull_king", "/rules/chess", "/t/nowhere#secret", "/tv/skull_king")
    for address in [*(f"{server.address}{place}" for place in places), seat_of(server, end)]:
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        page.wait_for_selector("main h1, .status")
        if "/tv/" in address or end["table"] in address:
            page.wait_for_selector("#seats li")
        page.wait_for_timeout(300)
        assert page.evaluate(UNTRANSLATED) == [], address
    play(page, with_keyboard)
    assert page.evaluate(UNTRANSLATED) == []
    page.locator("#help").click()
    assert page.evaluate(UNTRANSLATED) == []


def test_the_language_is_kept_and_the_story_told_again_in_it(opened: Callable[..., Any], server: Server) -> None:
    page = opened(seat_of(server, server.table("skull_king")), "fr")
    page.wait_for_selector("#choices button")
    page.keyboard.press("1")
    page.wait_for_function("() => document.body.dataset.at >= '2'")
    assert "Vous annoncez" in page.locator("#log").inner_text()
    page.locator("#language").select_option("de")
    page.wait_for_function("() => document.documentElement.lang === 'de' && document.querySelectorAll('#log li').length > 1")
    assert "Du sagst" in page.locator("#log").inner_text()
    page.goto(f"{server.address}/")
    page.wait_for_selector("body[data-ready]")
    assert page.locator("h1").inner_text() == "Ein neuer Tisch"


# -- addresses ---------------------------------------------------------------------------------------------------------


def test_from_a_new_table_to_its_replay_and_the_same_again(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/")
    page.get_by_role("radio", name="Piraten Kapern").check()
    assert page.url.endswith("?game=piraten_kapern")
    page.go_back()
    page.wait_for_function("() => document.querySelector('input[name=game]:checked').value === 'skull_king'")
    page.get_by_role("radio", name="Piraten Kapern").check()
    page.locator("#players").select_option("3")
    assert page.locator("select.seat").count() == 3
    page.locator("#players").select_option("2")
    page.locator("select.seat").nth(1).select_option("fair")
    page.locator("summary").click()
    page.locator("#option-target").fill("7000")
    page.locator("#option-max_rounds").fill("6")  # some turn of one that does not end at its first roll
    page.get_by_role("button", name="Make the table").click()
    page.wait_for_selector("#choices button")
    assert "fair" in page.locator("#seats").inner_text()
    play(page, with_keyboard)
    first = page.url
    page.get_by_role("button", name="Same again").click()
    page.wait_for_function(f"() => location.href !== '{first}'")
    page.wait_for_selector("#choices button")
    page.go_back()
    page.wait_for_selector("#end h2")
    page.get_by_role("link", name="See it again").click()
    page.wait_for_selector("#picture svg")
    assert "/r/" in page.url and "seat=0" in page.url


def test_a_table_that_cannot_be_says_why(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/?game=skull_king")
    page.locator("summary").click()
    page.locator("#option-first_hand").fill("5")
    page.locator("#option-last_hand").fill("2")
    page.get_by_role("button", name="Make the table").click()
    page.wait_for_selector(".problem:not(:empty)")
    assert "last_hand" in page.locator(".problem").inner_text()


def test_links_for_others_are_shown_to_who_made_the_table(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/?game=skull_king")
    page.locator("#players").select_option("2")
    page.locator("select.seat").nth(1).select_option("person")
    page.get_by_role("button", name="Make the table").click()
    page.wait_for_selector(".share input")
    link = page.locator(".share input").first.input_value()
    other = opened(link)
    other.wait_for_selector("#picture svg")
    assert "you" in other.locator("#seats li").nth(1).inner_text()
    assert other.locator(".share").count() == 0


def test_a_show_goes_on_by_itself(opened: Callable[..., Any], server: Server) -> None:
    page = opened(f"{server.address}/tv")
    page.get_by_role("link", name="Skull King").click()
    page.wait_for_function("() => Number(document.body.dataset.at) > 3")
    assert page.locator("#choices button").count() == 0
    assert len(page.locator("#log li").all_inner_texts()) > 3
