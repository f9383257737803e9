"""The replay's page in a real browser: as one file without a server, and at the table's server."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.games import shipped
from tests.browser.replays import SIZES, names_of, opened, written

__all__ = ["opened"]  # a fixture of the tests here
pytestmark = pytest.mark.browser
EVIL = "</script><script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
SMALL = Replay.of(pirate_envs.load("skull_king", players=2, last_hand=1), 7, ["bid 1", "bid 0"])


@pytest.fixture(scope="module")
def matches() -> dict[str, Replay]:
    """A whole match of each game, among players of the simplest kind."""
    found = {}
    for name in shipped():
        game = pirate_envs.load(name, **({"target": 2000} if name == "piraten_kapern" else {}))
        found[name] = Replay.of(game, 3, names_of(game, f"rules:{game.rule_players[0]}"))
    return found


# -- one file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", shipped())
def test_a_match_is_stepped_through_by_keys(name: str, size: str, matches: Any, opened: Any, tmp_path: Path) -> None:
    file = written(tmp_path, matches[name])
    shown = opened(file, size)
    last = len(matches[name].actions)
    for at in range(1, last + 1):
        shown.press("ArrowRight")
        assert shown.at == at
    end = shown.page.inner_text("#told")
    assert "wins the match" in end or "share the win" in end
    shown.press("ArrowRight")
    assert shown.at == last
    shown.press("Home")
    assert (shown.at, shown.page.inner_text("#told")) == (0, "The match begins.")
    shown.press("End", "ArrowLeft")
    assert shown.at == last - 1
    assert shown.asked == [file.as_uri()]
    assert shown.complaints == []


@pytest.mark.parametrize("name", shipped())
def test_what_is_shown_is_what_was_drawn(name: str, matches: Any, opened: Any, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, matches[name]), reduced_motion="reduce")
    game, positions = matches[name].load_game(), list(matches[name].positions())
    for at in (0, 1, len(positions) // 2, len(positions) - 1):
        shown.page.locator("#scrubber").fill(str(at))
        shown.shows(game.picture(positions[at]))


def test_it_plays_by_itself(opened: Any, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, SMALL))
    shown.page.select_option("#speed", "4")
    shown.page.locator("#picture").click()
    shown.press(" ")
    assert shown.page.get_attribute("#play", "aria-pressed") == "true"
    shown.wait("document.querySelector('#scrubber').value === '2'")
    shown.wait("document.querySelector('#play').ariaPressed === 'false'")
    assert "not played to its end" in shown.page.inner_text("#told")
    shown.press(" ")  # once more, from the start
    shown.wait("document.querySelector('#scrubber').value === '1'")
    shown.press(" ")
    at = shown.at
    time.sleep(1)
    assert shown.at == at


def test_it_goes_where_it_is_told_to(opened: Any, tmp_path: Path, matches: Any) -> None:
    shown = opened(written(tmp_path, matches["skull_king"]))
    shown.page.locator("#scrubber").fill("31")
    assert shown.page.url.endswith("#31")
    assert shown.page.get_attribute("#steps [aria-current]", "data-at") == "31"
    assert shown.page.get_attribute("#scrubber", "aria-valuetext").startswith("Step 31 of ")
    shown.page.locator("#steps button").nth(5).click()
    assert shown.at == 5
    for button, at in (("#next", 6), ("#back", 5), ("#first", 0), ("#last", len(matches["skull_king"].actions))):
        shown.page.locator(button).click()
        assert shown.at == at
    shown.page.reload()
    shown.page.wait_for_selector("#picture > svg")
    assert shown.at == len(matches["skull_king"].actions)


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_every_language_is_whole(language: str, opened: Any, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, SMALL, language=language))
    assert shown.page.evaluate("document.documentElement.lang") == language
    text = shown.page.inner_text("body") + str(
        shown.page.evaluate("[...document.querySelectorAll('[aria-label]')].map(e => e.ariaLabel)")
    )
    assert "replay." not in text and "{" not in text
    assert {"en": "The match begins.", "fr": "La partie commence.", "de": "Die Partie beginnt."}[language] in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(scheme: str, size: str, opened: Any, tmp_path: Path, matches: Any) -> None:
    for name, replay in matches.items():
        shown = opened(written(tmp_path, replay), size, color_scheme=scheme)
        for at in (0, len(replay.actions) // 2, len(replay.actions)):
            shown.page.locator("#scrubber").fill(str(at))
            shown.page.wait_for_timeout(400)
            assert shown.violations() == [], (name, at)
        wide = shown.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= SIZES[size][0]


def test_the_theme_is_switched_by_a_key(opened: Any, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, SMALL), color_scheme="light")
    ground = "getComputedStyle(document.querySelector('#picture > svg > rect')).fill"
    assert shown.page.evaluate(ground) == "rgb(236, 226, 202)"
    shown.press("d")
    assert shown.page.evaluate(ground) == "rgb(16, 24, 31)"
    assert shown.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 24, 31)"
    shown.press("d")
    assert shown.page.evaluate(ground) == "rgb(236, 226, 202)"


def test_names_run_nothing(opened: Any, tmp_path: Path) -> None:
    shown = opened(written(tmp_path, SMALL, names=[EVIL, EVIL]))
    assert EVIL in shown.page.inner_text("#about")
    assert shown.page.title() != "run"
    assert len(shown.asked) == 1


# -- movement ----------------------------------------------------------------------------------------------------------

RUNNING = "document.querySelector('#picture').getAnimations({ subtree: true }).length"


def test_cards_move_from_the_hand_to_the_trick(opened: Any, tmp_path: Path) -> None:
    game = pirate_envs.load("skull_king", players=2, last_hand=1)
    g, names = game.new(7), ["bid 1", "bid 0"]
    for name in names:
        game.apply(g, game.action(g, name))
    card = game.action_name(g, game.legal_actions(g)[0])
    shown = opened(written(tmp_path, Replay.of(game, 7, [*names, card])))
    shown.press("ArrowRight", "ArrowRight", "ArrowRight")
    key = f"card:{card.split()[1].partition(':')[0]}"
    moving = shown.page.evaluate(
        """(key) => { const e = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
        const [run] = e.getAnimations(); run.pause(); run.currentTime = 0; const from = e.getBoundingClientRect().top;
        run.finish(); return from - e.getBoundingClientRect().top; }""",
        key,
    )
    assert moving > 100  # it came from further below
    shown.press("Home")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):
        shown.press(key)
    assert shown.page.evaluate(RUNNING) > 0
    shown.press("Shift")
    shown.wait(f"{RUNNING} === 0")


def test_who_wants_less_motion_sees_none(opened: Any, tmp_path: Path, matches: Any) -> None:
    for motion, moves in (("reduce", False), ("no-preference", True)):
        shown = opened(written(tmp_path, matches["piraten_kapern"]), reduced_motion=motion)
        seen = 0
        for _ in range(6):
            shown.press("ArrowRight")
            seen += shown.page.evaluate(RUNNING)
        assert (seen > 0) == moves


def test_what_has_the_focus_keeps_it_and_nothing_runs(opened: Any, tmp_path: Path) -> None:
    """`show` by itself, with pictures of the worst kind."""
    shown = opened(written(tmp_path, SMALL))
    module = (Path(pirate_envs.__file__).parents[1] / "agents/table/static/picture.js").read_text()
    shown.page.goto("about:blank")
    found = shown.page.evaluate(
        """async (module) => {
        const { show } = await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
        const svg = (inner) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">${inner}</svg>`;
        const box = document.body.appendChild(document.createElement("div"));
        await show(box, svg('<g data-key="card:a" data-action="play a"><rect width="2" height="2"/></g>'));
        const card = box.querySelector("g"); card.setAttribute("tabindex", "0"); card.focus();
        await show(box, svg('<g data-key="card:a"><rect width="3" height="2"/></g><script>window.ran = 1</script>'
          + '<g onclick="window.ran = 2"><use href="http://a/#b"/></g><foreignObject><p/></foreignObject>'));
        const kept = document.activeElement.dataset.key;
        const left = [...box.querySelectorAll("*")].map((e) => e.localName + [...e.attributes].map((a) => a.name).join(" "));
        const wrong = [];
        const bad = ["<svg", "", "<html/>", "<svg/>", svg("<g>")];
        for (const text of bad) await show(box, text).catch((e) => wrong.push(e.name));
        return { kept, left, wrong, ran: window.ran ?? null, pictures: box.children.length };
        }""",
        module,
    )
    assert found["kept"] == "card:a"
    assert (found["ran"], found["pictures"], found["wrong"]) == (None, 1, ["TypeError"] * 5)
    assert found["left"] == ["svgxmlns viewBox", "gdata-key tabindex", "rectwidth height", "g", "use"]


# -- at the server -----------------------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a running table server, and a table there whose match is over."""
    uvicorn = pytest.importorskip("uvicorn")
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    from pirate_envs.agents.table.app import Hall, application
    from pirate_envs.agents.table.replay_page import STATIC
    from pirate_envs.agents.table.replays import routes
    from pirate_envs.agents.table.store import Store

    hall = Hall(Store(tmp_path / "tables.sqlite"), hosts=[])
    asked = {"game": "skull_king", "options": {"players": 2, "last_hand": 1}, "seats": ["easy", "easy"], "practice": False}
    table = hall.new_table(asked)["table"]
    while hall.room(table).table.mover():
        hall.room(table).table.player_decides()
    app = application(hall)
    there = {getattr(route, "path", "") for route in app.routes}
    app.router.routes.extend(route for route in routes() if route.path not in there)
    if "/static" not in there:
        app.router.routes.append(Mount("/static", StaticFiles(directory=str(STATIC))))
    running = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    hall.hosts = (f"127.0.0.1:{port}",)
    yield f"http://127.0.0.1:{port}", table
    running.should_exit = True
    thread.join()


def test_the_servers_page_plays_a_match_as_each_seat_saw_it(server: tuple[str, str], opened: Any) -> None:
    address, table = server
    shown = opened(f"{address}/r/{table}?language=de")
    assert shown.page.inner_text("#told") == "Die Partie beginnt."
    shown.press("End")
    assert shown.at == 4
    assert shown.violations() == []
    assert shown.page.get_attribute("#table", "href") == f"/t/{table}"
    shown.press("Home")
    shown.page.select_option("#viewer", "1")
    shown.page.wait_for_url("**seat=1**")
    shown.page.wait_for_selector("#picture > svg")
    assert "Spieler 1" in shown.page.inner_text("#about")
    assert all(each.startswith(address) for each in shown.asked)
    assert [each for each in shown.complaints if "favicon" not in each and "404" not in each] == []


@pytest.mark.parametrize("size", SIZES)
def test_the_servers_coach_is_asked_by_a_button(size: str, server: tuple[str, str], opened: Any) -> None:
    address, table = server
    shown = opened(f"{address}/r/{table}", size)
    assert not shown.page.locator("#ask").is_visible()  # of whom? everything is open
    shown.page.select_option("#viewer", "0")
    shown.page.wait_for_url("**seat=0**")
    shown.page.wait_for_selector("#picture > svg")
    assert not shown.page.locator("#advice").is_visible() and shown.violations() == []
    shown.page.click("#ask")
    shown.page.wait_for_selector("#advice", timeout=60_000)
    assert not shown.page.locator("#ask").is_visible()
    shown.press("Home")
    assert shown.page.locator("#rows tr").count() == 2 and shown.violations() == []  # bid 0, bid 1
    shown.page.click("#open")
    assert "all open" in shown.page.inner_text("#about")
    assert all(each.startswith(address) for each in shown.asked)


def test_a_match_that_is_not_there_is_told_in_a_sentence(server: tuple[str, str], chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{server[0]}/r/nowhere")
    page.wait_for_function("() => document.querySelector('#told').textContent.includes('no such table')")
    context.close()


def test_the_words_are_json() -> None:
    for language in ("en", "fr", "de"):
        json.loads((Path(pirate_envs.__file__).parents[1] / f"agents/table/static/words/{language}.json").read_text())
