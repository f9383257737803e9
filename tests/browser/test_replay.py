"""The replay's page in a real browser: as one file without a server, and at the table's server."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents import agent
from pirate_envs.agents.coach import Budget, Review, review
from pirate_envs.agents.coach.exact import exactly
from pirate_envs.agents.coach.telling import amount, chance, worth
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.table.replay_page import page as page_of
from pirate_envs.core.files import write_text
from pirate_envs.games import shipped

pytestmark = pytest.mark.browser
SIZES = {"desk": (1280, 800), "telephone": (390, 844)}
EVIL = "</script><script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
SMALL = Replay.of(pirate_envs.load("skull_king", players=2, last_hand=1), 7, ["bid 1", "bid 0"])


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


@pytest.fixture(scope="module")
def matches() -> dict[str, Replay]:
    """A whole match of each game, among players of the simplest kind."""
    found = {}
    for name in shipped():
        game = pirate_envs.load(name, **({"target": 2000} if name == "piraten_kapern" else {}))
        found[name] = Replay.of(game, 3, names_of(game, f"rules:{game.rule_players[0]}"))
    return found


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


COACHED: dict[str, dict[str, int]] = {
    "piraten_kapern": {"players": 2, "target": 2000},
    "skull_king": {"players": 3, "last_hand": 4},
}


@pytest.fixture(scope="module")
def reviews() -> dict[str, Review]:
    """Of a random player's match: it makes mistakes."""
    found = {}
    for name, options in COACHED.items():
        game = pirate_envs.load(name, **options)
        found[name] = review(Replay.of(game, 3, names_of(game, "random")), 0, Budget(64))
    return found


@pytest.fixture(params=COACHED)
def reviewed(request: pytest.FixtureRequest, reviews: dict[str, Review]) -> Review:
    return reviews[request.param]


def advised(opened: Any, folder: Path, reviewed: Review, size: str = "desk", **context: Any) -> Opened:
    return opened(written(folder, reviewed.replay, seat=0, reviewed=reviewed), size, **context)


@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_a_move_tells_what_could_have_been_done(size: str, reviewed: Review, opened: Any, tmp_path: Path) -> None:
    shown = advised(opened, tmp_path, reviewed, size)
    judged = reviewed.mistakes()[-1]
    line = shown.page.locator(f'#steps button[data-at="{judged.at + 1}"]')
    assert (
        line.locator(".lost")
        .last.inner_text()
        .endswith(f"\N{MINUS SIGN}{amount(exactly(judged.loss.mean), judged.unit, digits=reviewed.digits)}")
    )
    line.click()
    assert shown.at == judged.at + 1
    assert shown.page.inner_text("#decided") == f"Step {judged.at + 1}: what could have been done"
    rows = shown.page.locator("#rows tr")
    assert rows.count() == min(5, len(judged.choices)) + (judged.played in judged.choices[5:])
    played = shown.page.locator("#rows .played")
    cells = played.locator("td").all_inner_texts()
    assert played.locator("th").inner_text().endswith(" (played)") and cells[0] == amount(
        judged.loss, judged.unit, digits=reviewed.digits
    )
    told = [tell(judged.played) for tell in (chance, lambda choice: worth(choice, reviewed.digits))]
    assert all(told) == any(told) == reviewed.is_exact
    assert cells[1:-1] == [each for each in told if each] and not shown.page.locator("#no_choice").is_visible()
    heads = shown.page.locator("#choices thead th:visible").all_inner_texts()
    assert heads[2:-1] == (["win", "points"] if reviewed.is_exact else [])
    assert shown.violations() == []
    shown.page.click("#open")
    assert "all open" in shown.page.inner_text("#about") and shown.at == judged.at + 1 and rows.count() > 1
    own = {judged.at for judged in reviewed.judged}
    at = next(at for at in range(len(reviewed.replay.actions)) if not own & {at - 1, at})
    shown.page.locator("#scrubber").fill(str(at))
    assert shown.page.locator("#no_choice").is_visible()
    assert not any(shown.page.locator(hidden).is_visible() for hidden in ("#choices", "#before"))
    assert shown.violations() == [] and shown.complaints == []


@pytest.mark.parametrize("size", SIZES)
def test_all_that_is_told_of_an_action_fits_on_the_page(size: str, opened: Any, tmp_path: Path) -> None:
    """Where levels are told beside losses with intervals: a table of four, the usual rules."""
    game = pirate_envs.load("piratenpoker", players=4)
    reviewed = review(Replay.of(game, 3, names_of(game, "random")), 0, Budget(16))
    shown = advised(opened, tmp_path, reviewed, size)
    at = next(each.at for each in reviewed.judged if each.played.regret.low < each.played.regret.high) + 1
    shown.page.locator("#scrubber").fill(str(at))
    heads = shown.page.locator("#choices thead th:visible").all_inner_texts()
    assert heads[2:] == ["win", "points", "policy"]
    cells = shown.page.locator("#rows .played td").all_inner_texts()
    assert "[" in cells[0] and cells[1].endswith("%") and cells[2][0] in "+-" and cells[3].endswith("%")
    edges = "[...document.querySelectorAll('#choices :is(th, td)')].map((each) => each.getBoundingClientRect().right)"
    panel = "document.querySelector('#advice').getBoundingClientRect().right"
    assert max(shown.page.evaluate(edges)) <= shown.page.evaluate(panel) + 0.5
    assert shown.violations() == []


def test_before_a_decision_it_tells_what_can_be_done(reviews: dict[str, Review], opened: Any, tmp_path: Path) -> None:
    reviewed = reviews["skull_king"]
    own = {judged.at for judged in reviewed.judged}
    at = next(at for at in sorted(own) if at - 1 not in own)
    shown = advised(opened, tmp_path, reviewed)
    shown.page.locator("#scrubber").fill(str(at))
    assert shown.page.inner_text("#decided") == f"Now, before step {at + 1}: what can be done"
    assert not shown.page.locator("#before").is_visible()


def test_the_bar_tells_the_chance_at_every_step(reviewed: Review, opened: Any, tmp_path: Path) -> None:
    shown = advised(opened, tmp_path, reviewed)
    for at in range(0, len(reviewed.chances), 7):
        shown.page.locator("#scrubber").fill(str(at))
        told = reviewed.chances[at]
        said = "Chance of winning" if told.exact else "Chance of winning, estimated"
        assert shown.page.inner_text("#chance_text") == f"{said}: {int(100 * round(told.win, 4) + 0.5)} %"
        assert float(shown.page.get_attribute("#chance_bar", "value")) == round(told.win, 4)
    shown.press("End")
    won = 0 in reviewed.winners
    assert shown.page.inner_text("#chance_text") == f"Chance of winning: {100 * won / len(reviewed.winners):.0f} %"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_whole_match_is_told_and_leads_to_its_mistakes(
    scheme: str, size: str, reviewed: Review, opened: Any, tmp_path: Path
) -> None:
    """To each as it was decided: the position before it."""
    shown = advised(opened, tmp_path, reviewed, size, color_scheme=scheme, reduced_motion="reduce")
    assert shown.page.inner_text("#adviser") == "What the coach says of player 0"
    lines = shown.page.locator("#summary li").all_inner_texts()
    assert lines[0].startswith(f"{len(reviewed.judged)} decisions with a choice; {reviewed.as_good} ")
    assert [line.partition(":")[0] for line in lines[1:-1]] == ["Error rate"] * len(reviewed.rates())
    counts = [reviewed.count(grade) for grade in ("blunder", "mistake", "inaccuracy")]
    assert lines[-1] == "Blunders {}, mistakes {}, inaccuracies {}".format(*counts)
    compared = shown.page.locator("#compared li").all_inner_texts()
    assert len(compared) == len(reviewed.placed()) + 1 and "Luck" in compared[-1]
    links = shown.page.locator("#mistakes a")
    mistakes, positions = reviewed.mistakes(), list(reviewed.replay.positions())
    assert links.count() == len(mistakes) > 1
    for place, judged in enumerate(mistakes):
        assert links.nth(place).inner_text().startswith(f"{judged.at + 1} · ")
        links.nth(place).click()
        assert shown.at == judged.at + 1 and shown.page.url.endswith(f"#{judged.at + 1}")
        assert shown.page.get_attribute("#before", "aria-pressed") == "true"
        shown.shows(reviewed.game.picture(positions[judged.at], 0, tall=size == "telephone"))
    assert shown.violations() == []
    wide = shown.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= SIZES[size][0]
    shown.page.click("#before")
    shown.shows(reviewed.game.picture(positions[mistakes[-1].at + 1], 0, tall=size == "telephone"))
    assert shown.at == mistakes[-1].at + 1


def test_a_match_without_mistakes_names_none(opened: Any, tmp_path: Path) -> None:
    game = pirate_envs.load("piraten_kapern", players=2, target=500)
    reviewed = review(Replay.of(game, 3, names_of(game, "exact:race")), 0)
    shown = advised(opened, tmp_path, reviewed)
    assert reviewed.mistakes() == [] and not shown.page.locator("#dearest").is_visible()
    assert shown.violations() == []


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
