"""What the server says of puzzles: the position to everybody, the answer to who has chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from pirate_envs.agents.coach.puzzles import load_puzzles, names_with_puzzles
from pirate_envs.agents.coach.puzzles.telling import texts
from pirate_envs.agents.table import limits
from pirate_envs.agents.table.app import application
from pirate_envs.agents.table.halls import Hall
from pirate_envs.agents.table.store import Store

HOST = "127.0.0.1:8421"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(application(Hall(Store(tmp_path / "tables.sqlite"), hosts=[HOST])), base_url=f"http://{HOST}") as client:
        yield client


def test_the_games_with_puzzles(client: TestClient) -> None:
    told = client.get("/api/puzzles").json()
    assert [each["name"] for each in told] == names_with_puzzles()
    assert all(each["count"] == len(load_puzzles(each["name"]).puzzles) for each in told)


@pytest.mark.parametrize("name", names_with_puzzles())
def test_a_position_and_its_answer(client: TestClient, name: str) -> None:
    puzzle = load_puzzles(name).number(1)
    seen = client.get(f"/api/puzzles/{name}/1?language=fr&theme=dark&tall=1")
    told = seen.json()
    assert seen.status_code == 200 and told["svg"].startswith("<svg") and set(told["view"]["legal"]) == set(puzzle.values)
    assert told["number"].startswith("Problème 1")
    chosen = client.post(f"/api/puzzles/{name}/1", json={"act": puzzle.tempting, "language": "fr"}).json()
    assert chosen["right"] is False and chosen["theme"] == texts("fr")[f"theme.{puzzle.theme}"]
    assert len(chosen["rows"]) == len(puzzle.values) and chosen["rows"][0]["best"]
    assert client.post(f"/api/puzzles/{name}/1", json={"act": puzzle.answer, "language": "en"}).json()["right"] is True


@pytest.mark.parametrize("name", names_with_puzzles())
def test_who_has_not_chosen_is_not_told(client: TestClient, name: str) -> None:
    """Nothing of a position depends on the answer: only how hard it is and what the seat sees is in it."""
    for number, puzzle in enumerate(load_puzzles(name).puzzles[:10], 1):
        told = client.get(f"/api/puzzles/{name}/{number}").json()
        assert told.keys() == {"title", "count", "seat", "view", "svg", "choices", "number", "ask", "rating"}
        book = load_puzzles(name)
        g = puzzle.position(book.game)
        assert told["view"] == json.loads(json.dumps(book.game.view(g, told["seat"])))
        said = json.dumps([told["number"], told["ask"], told["rating"]])
        assert not any(text in said for key, text in texts("en").items() if key.startswith(("theme.", "why.")))


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("/api/puzzles/chess/1", 404, "no puzzles come with 'chess'"),
        ("/api/puzzles/skull_king/0", 404, "there are 1 to"),
        ("/api/puzzles/skull_king/999", 404, "there are 1 to"),
        ("/api/puzzles/skull_king/" + "9" * 5000, 404, "there are 1 to"),
        ("/api/puzzles/skull_king/first", 404, "puzzle 'first' of skull_king: there are 1 to"),
        ("/api/puzzles/skull_king/1?language=xx", 400, "language is 'xx'; allowed: de, en, fr"),
        ("/api/puzzles/skull_king/1?theme=red", 400, "theme is 'red'"),
        ("/api/puzzles/skull_king/1?tall=yes", 400, "tall is 'yes'"),
        ("/api/puzzles/skull_king/1?answer=1", 400, "a look has"),
    ],
)
def test_bad_questions(client: TestClient, address: str, status: int, message: str) -> None:
    answer = client.get(address)
    assert answer.status_code == status and message in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "not JSON"),
        (b"[]", "a choice has act and language"),
        (b'{"act": "bid 1"}', "a choice has act and language"),
        (b'{"act": "bid 99", "language": "en"}', "'bid 99' is not legal here; legal:"),
        (b'{"act": 3, "language": "en"}', "3 is not legal here"),
        (b'{"act": "bid 1", "language": "xx"}', "language is 'xx'"),
        (b" " * (limits.MESSAGE + 1), "at most"),
    ],
)
def test_bad_choices(client: TestClient, body: bytes, message: str) -> None:
    answer = client.post("/api/puzzles/skull_king/1", content=body)
    assert answer.status_code == 400 and message in answer.json()["error"]


def test_another_site_is_told_nothing(client: TestClient) -> None:
    body: dict[str, Any] = {"act": "bid 1", "language": "en"}
    assert client.post("/api/puzzles/skull_king/1", json=body, headers={"origin": "http://evil.example"}).status_code == 421
