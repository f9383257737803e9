"""Replays to look at: a match as steps, the page in one file, and what the server answers about them."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents.coach import Budget, review
from pirate_envs.agents.table import replay_page
from pirate_envs.agents.table.app import application
from pirate_envs.agents.table.halls import Hall
from pirate_envs.agents.table.replay_page import STATIC, advice, colours, page, steps, themed, words
from pirate_envs.agents.table.replays import WORLDS, routes
from pirate_envs.agents.table.store import Store
from pirate_envs.core.errors import OptionError, ReplayError
from pirate_envs.core.sentences import languages
from pirate_envs.core.svg import THEMES
from pirate_envs.games import shipped

HOST = "127.0.0.1:8421"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
GAME = pirate_envs.load("skull_king", players=2, last_hand=1)
REPLAY = Replay.of(GAME, 7, ["bid 1", "bid 0"])


def random_match(name: str, decisions: int = 20, **options: Any) -> Replay:
    """The beginning of a random match."""
    game, chance, names = pirate_envs.load(name, **options), np.random.default_rng(0), []
    g = game.new(1)
    while not game.is_over(g) and len(names) < decisions:
        action = chance.choice(game.legal_actions(g))
        names.append(game.action_name(g, action))
        game.apply(g, action)
    return Replay.of(game, 1, names)


class Outline(HTMLParser):
    """A page's elements, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.texts.append("")

        self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[-1] += data

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attrs, text) for (name, attrs), text in zip(self.tags, self.texts, strict=True) if name == tag]


def kept(text: str) -> Any:
    """What a page holds."""
    script = next(text for attrs, text in Outline(text).all("script") if attrs.get("id") == "kept")
    return json.loads(gzip.decompress(base64.b64decode(script)))


# -- steps -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_a_step_is_what_the_game_shows_and_tells_of_it(name: str) -> None:
    replay = random_match(name)
    game = replay.load_game()
    for seat in (None, 1):
        told = steps(replay, seat)
        assert [step["at"] for step in told["steps"]] == list(range(len(replay.actions) + 1))
        assert [step["svg"] for step in told["steps"]] == [game.picture(g, seat) for g in replay.positions()]
        assert all(step["text"] for step in told["steps"][1:])
        assert told["tall"][::9] == [game.picture(g, seat, tall=True) for g in list(replay.positions())[::9]]
        assert len(told["tall"]) == len(told["steps"])
        json.dumps(told)


def test_a_seat_is_shown_what_it_saw() -> None:
    told = {seat: json.dumps(steps(REPLAY, seat)["steps"]) for seat in (0, 1, None)}
    hands = GAME.view(GAME.new(7))["hands"]
    for seat in (0, 1):
        assert f"card:{hands[seat][0]}" in told[seat]
        assert f"card:{hands[1 - seat][0]}" not in told[seat]
        assert f"card:{hands[seat][0]}" in told[None]


def test_sentences_are_in_the_language_asked_for() -> None:
    for language, said in (("en", "Player 0 bids one trick"), ("fr", "Joueur 0"), ("de", "Spieler 0")):
        told = steps(REPLAY, None, language)
        assert said.lower() in " ".join(told["steps"][1]["text"]).lower()
        assert told["steps"][0]["svg"] == GAME.picture(GAME.new(7), None, "light", language)


def test_what_cannot_be_shown_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for seat in (2, -1):
        with pytest.raises(OptionError, match="seat"):
            steps(REPLAY, seat)
    with pytest.raises(OptionError, match="no language"):
        steps(REPLAY, None, "xx")
    with pytest.raises(ReplayError, match="action 0"):
        steps(Replay.of(GAME, 7, [EVIL]))
    with pytest.raises(ReplayError, match="chess"):
        steps(Replay("chess-v0", {}, 7, ()))
    monkeypatch.setattr(replay_page, "LONGEST", 1)
    with pytest.raises(ReplayError, match="2 decisions; a page shows at most 1"):
        steps(REPLAY)


# -- colours -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_the_style_sheet_makes_the_dark_picture_of_the_light_one(name: str) -> None:
    replay = random_match(name)
    game = replay.load_game()
    changed = {colour: THEMES["dark"][name] for name, colour in themed().items()}
    for g in replay.positions():
        light, dark = (re.split(r"\b([0-9a-f]{6})\b", game.picture(g, 0, theme)) for theme in THEMES)
        for one, other in zip(light, dark, strict=True):
            made = changed.get(f"#{one}", f"#{one}")
            assert made == f"#{other}" or (one, other) == tuple(theme["on_felt"][1:] for theme in THEMES.values())


def test_every_colour_of_a_theme_has_its_rule() -> None:
    sheet = colours()
    for name, colour in themed().items():
        for attribute in ("fill", "stroke", "color"):
            assert f'[{attribute}="{colour}"]{{{attribute}:var(--{name.replace("_", "-")})}}' in sheet
    assert len(set(themed().values())) == len(themed()) >= 10


# -- one file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", languages())
def test_a_page_holds_all_it_needs(language: str) -> None:
    text = page(REPLAY, 1, language)
    outline = Outline(text)
    assert kept(text) == {"replay": steps(REPLAY, 1, language), "words": words(language)}
    for _, attrs in outline.tags:
        assert not {"src", "onclick", "style"} & set(attrs)
        assert not (attrs.get("href") or "").startswith(("http", "/", "."))
    assert not outline.all("link")
    assert "import " not in outline.all("script")[-1][1] and "export " not in outline.all("script")[-1][1]


def test_a_page_runs_and_loads_nothing_but_its_own() -> None:
    outline = Outline(page(REPLAY))
    policy = next(attrs["content"] for attrs, _ in outline.all("meta") if attrs.get("http-equiv")) or ""
    assert policy.startswith("default-src 'none'; ")
    for kind, tag, place in (("script-src", "script", -1), ("style-src", "style", 0)):
        digest = base64.b64encode(hashlib.sha256(outline.all(tag)[place][1].encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_names_of_players_run_nothing() -> None:
    text = page(REPLAY, names=[EVIL, "</title>"])
    assert kept(text)["replay"]["seats"] == [EVIL, "</title>"]
    assert [len(Outline(text).all(tag)) for tag in ("script", "img", "title")] == [2, 0, 1]


@pytest.mark.parametrize("name", shipped())
def test_a_page_is_small(name: str) -> None:
    replay = random_match(name)
    assert len(page(replay)) < 45_000 + 1000 * len(replay.actions)


def test_a_page_tells_where_error_rates_stand() -> None:
    reviewed = review(random_match("piraten_kapern", 10_000, players=4), 1)
    told = replay_page.advice(reviewed, "en")["ladder"]
    assert [line["kind"] for line in told] == [placed.kind for placed in reviewed.placed()] != []


def test_a_page_with_the_coach_holds_what_it_says_and_the_match_with_all_open() -> None:
    replay = random_match("piraten_kapern", 10_000, players=2, max_rounds=2)
    reviewed = review(replay, 1)
    held = kept(page(replay, 1, "fr", reviewed=reviewed))
    assert (held["open"]["seat"], held["replay"]["seat"]) == (None, 1)
    assert len(held["open"]["steps"]) == len(held["replay"]["steps"]) == len(replay.actions) + 1
    told = held["coach"]["decisions"]
    assert [int(at) for at in told] == [judged.at for judged in reviewed.judged] and held["coach"]["unit"] == "win"
    for judged, shown in zip(reviewed.judged, told.values(), strict=True):
        assert held["coach"]["chances"][judged.at] == [round(judged.best.win.mean, 4), True]
        assert [choice["played"] for choice in shown["choices"]].count(True) == 1
        assert all(0 <= choice["part"] <= 1 for choice in shown["choices"])
        assert bool(shown["lost"]) == (judged.loss.low > 0 and judged.played is not judged.best)
    assert held["coach"] == json.loads(json.dumps(replay_page.advice(reviewed, "fr")))
    assert reviewed.ladder is None and held["coach"]["ladder"] is None  # no table of two was measured
    assert held["coach"]["luck"].keys() == {"card", "dice"} and held["coach"]["dealt"] == {}


SHORT: dict[str, dict[str, int]] = {
    "skull_king": {"players": 3, "last_hand": 3},
    "piraten_kapern": {"players": 2, "target": 1500, "max_rounds": 6},
    "piratenpoker": {"players": 3, "max_cycles": 1},
    "lucky_pirate": {"players": 3, "max_turns": 30},
}


@pytest.mark.parametrize("name", shipped())
def test_the_coach_tells_the_page_of_every_game(name: str) -> None:
    """Chances at every step, rates, grades, and the dearest decisions; regrets, and no levels but exact ones."""
    replay = random_match(name, 10_000, **SHORT[name])
    reviewed = review(replay, 1, Budget(16))
    told = replay_page.advice(reviewed)
    assert [None if each is None else each[1] for each in told["chances"]] == [each.exact for each in reviewed.chances]
    assert len(told["chances"]) == len(replay.actions) + 1
    assert all(0 <= win <= 1 for win, _ in told["chances"]) and told["chances"][-1][1]
    assert (told["seat"], told["judged"], told["as_good"]) == (1, len(reviewed.judged), reviewed.as_good)
    assert told["rates"].keys() == reviewed.rates().keys() >= {reviewed.unit}
    assert list(told["grades"]) == ["blunder", "mistake", "inaccuracy"]
    assert sum(told["grades"].values()) == sum(bool(shown["grade"]) for shown in told["decisions"].values())
    assert told["mistakes"] == [judged.at for judged in reviewed.mistakes()] and len(told["mistakes"]) <= 5
    assert all(told["decisions"][at]["lost"] for at in told["mistakes"])
    told_of = [choice for shown in told["decisions"].values() for choice in shown["choices"]]
    assert told_of and all(bool(choice["worth"]) == reviewed.is_exact for choice in told_of)
    assert all(bool(choice["chance"]) == (reviewed.is_exact and reviewed.unit == "win") for choice in told_of)


def test_a_page_shows_the_luck_of_each_deal() -> None:
    replay = random_match("skull_king", 10_000, players=2, last_hand=2)
    reviewed = review(replay, 0, Budget(16))
    told = replay_page.advice(reviewed)
    assert list(told["dealt"]) == [stroke.at for stroke in reviewed.strokes()] and len(told["dealt"]) == 2
    assert told["luck"].keys() == {"points", "win"}
    assert told["luck"]["points"] == replay_page.signed(sum(stroke.points for stroke in reviewed.strokes()), ",.1f")
    assert replay_page.signed(-2.5, ",.1f") == "\N{MINUS SIGN}2.5" and replay_page.signed(2.5, ",.1f") == "+2.5"


def test_the_page_says_the_same_things_in_every_language() -> None:
    english = words("en")
    used = "".join((STATIC / name).read_text() for name in ("replay.html", "replay.js", "coach.js"))
    assert set(re.findall(r'"(replay\.[a-z_]+)"', used)) - {"replay.js", "replay.css"} == set(english)
    for language in languages():
        said = words(language)
        assert said.keys() == english.keys()
        for key, text in said.items():
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english[key])), (language, key)


# -- the server --------------------------------------------------------------------------------------------------------


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(Store(tmp_path / "tables.sqlite"), hosts=[HOST])


@pytest.fixture
def client(hall: Hall) -> Iterator[TestClient]:
    app = application(hall)
    if not any(getattr(route, "path", "") == "/r/{table}" for route in app.routes):
        app.router.routes.extend(routes())
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield client


def finished(hall: Hall) -> str:
    """A table whose match is over."""
    asked = {"game": "skull_king", "options": {"players": 2, "last_hand": 1}, "seats": ["easy", "easy"], "practice": False}
    name: str = hall.new_table(asked)["table"]
    asyncio.run(hall.play_on(hall.room(name)))
    return name


def test_the_server_tells_the_steps_of_a_match_that_is_over(client: TestClient, hall: Hall) -> None:
    name = finished(hall)
    replay = hall.room(name).table.replay()
    for asked, seat, language in (("", None, "en"), ("?seat=1&language=de", 1, "de")):
        answer = client.get(f"/api/replays/{name}/steps{asked}")
        assert answer.json() == steps(replay, seat, language, ["rules:simple"] * 2)
    assert client.get(f"/r/{name}").text == (STATIC / "replay.html").read_text()
    assert client.get("/pictures.css").text == colours()


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("?seat=2", "seat is 2"), ("?seat=-1", "'-1'"), ("?seat=", "''"), ("?seat=1e9", "1e9"), ("?seat=²", "needed: a number"),
        ("?seat=0&seat=1", "once each"), ("?language=xx", "no language"), ("?language=../en", "no language"),
        ("?theme=dark", "once each"), ("?seat=" + "9" * 5000, "needed: a number"),
    ],
)  # fmt: skip
def test_steps_are_asked_for_strictly(client: TestClient, hall: Hall, asked: str, reason: str) -> None:
    answer = client.get(f"/api/replays/{finished(hall)}/steps{asked}")
    assert answer.status_code == 400
    assert reason in answer.json()["error"]


def test_no_steps_before_the_end(client: TestClient, hall: Hall) -> None:
    asked = {"game": "skull_king", "options": {"players": 2}, "seats": ["person", "easy"], "practice": False}
    for name in (hall.new_table(asked)["table"], "nowhere"):
        answer = client.get(f"/api/replays/{name}/steps")
        assert (answer.status_code, list(answer.json())) == (404, ["error"])


# -- the coach ---------------------------------------------------------------------------------------------------------


def test_the_server_tells_what_the_coach_says(client: TestClient, hall: Hall) -> None:
    name = finished(hall)
    replay = hall.room(name).table.replay()
    for asked, seat, language in (("?seat=1", 1, "en"), ("?seat=0&language=fr", 0, "fr")):
        told = json.loads(json.dumps(advice(review(replay, seat, Budget(WORLDS)), language)))
        assert client.get(f"/api/replays/{name}/coach{asked}").json() == told and told["decisions"]


def test_the_coach_is_asked_strictly(client: TestClient, hall: Hall) -> None:
    name = finished(hall)
    for asked, reason in (("", "about one seat"), ("?seat=2", "seat is 2"), ("?seat=0&language=xx", "no language")):
        answer = client.get(f"/api/replays/{name}/coach{asked}")
        assert answer.status_code == 400 and reason in answer.json()["error"]
    assert client.get("/api/replays/nowhere/coach?seat=0").status_code == 404


def test_a_coach_that_takes_too_long_says_so(client: TestClient, hall: Hall) -> None:
    hall.coach.patience = 0.0
    answer = client.get(f"/api/replays/{finished(hall)}/coach?seat=0&language=de")
    assert answer.status_code == 400 and "more than 0 seconds" in answer.json()["error"]
