"""Mining as a command: chunks are kept and found again, themes are not all alike, and bad settings are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments import kept
from experiments import puzzles as mining
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.coach.puzzles import PuzzleBook, load_puzzles
from pirate_envs.core.errors import OptionError
from pirate_envs.core.jit import source_hash

COUNT = 6


class Prepared(mining.PuzzleChunk):
    """Finds the first puzzles of the shipped ones, one in the first match of every chunk."""

    done: list[int] = []  # noqa: RUF012

    def __call__(self, first: int) -> dict[str, Any]:
        self.done.append(first)
        puzzle = load_puzzles(self.quarry.game).puzzles[first // mining.TOGETHER]
        return {"found": {str(first): puzzle.content()}, "seconds": 1.0}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mining.PuzzleSettings:
    monkeypatch.setattr(mining, "PuzzleChunk", Prepared)
    monkeypatch.setattr(mining, "PLACE", tmp_path / "place")
    monkeypatch.setattr(mining, "RESULTS", tmp_path / "results")
    (tmp_path / "place").mkdir()
    Prepared.done = []
    return mining.PuzzleSettings("skull_king", count=COUNT, matches=80, folder=tmp_path / "runs", write=True)


def test_chunks_are_kept_and_the_book_is_written(settings: mining.PuzzleSettings, capsys: pytest.CaptureFixture[str]) -> None:
    mining.main(settings)
    first = list(Prepared.done)
    (file,) = mining.PLACE.iterdir()
    written = file.read_bytes()
    assert "Saved:" in capsys.readouterr().out and (mining.RESULTS / "puzzles.md").read_text().startswith("| game | puzzles |")
    mining.main(settings)
    assert Prepared.done == first and file.read_bytes() == written
    book = PuzzleBook.parse(mining.puzzles.puzzle.unpacked(written))
    assert len(book.puzzles) == COUNT and book.game.name == "skull_king"
    ratings = [puzzle.rating for puzzle in book.puzzles]
    assert ratings == sorted(ratings, reverse=True)


def test_no_theme_takes_all(settings: mining.PuzzleSettings) -> None:
    found, counts, seconds = mining.chosen(settings)
    themes = [puzzle.theme for puzzle in found]
    assert max(map(themes.count, themes)) <= mining.MOST_OF_A_THEME * COUNT
    assert counts["matches"] == seconds * mining.TOGETHER and counts["found"] >= len(found)


def test_another_plan_looks_anew(settings: mining.PuzzleSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    mining.chosen(settings)
    looked = len(Prepared.done)
    monkeypatch.setattr(mining, "TOGETHER", mining.TOGETHER * 2)
    mining.chosen(settings)
    assert len(Prepared.done) > looked


@pytest.mark.parametrize("what", ["policy", "engine", "sources", "game"])
def test_what_was_found_by_others_is_looked_for_anew(
    settings: mining.PuzzleSettings, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    mining.chosen(settings)
    looked, plan_of = len(Prepared.done), mining.plan_of
    mining.chosen(settings)
    assert len(Prepared.done) == looked
    monkeypatch.setattr(mining, "plan_of", lambda quarry: {**plan_of(quarry), what: "another"})
    mining.chosen(settings)
    assert len(Prepared.done) == 2 * looked


def test_a_plan_tells_policy_engine_and_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan = mining.plan_of(mining.QUARRIES["skull_king"])
    game = load("skull_king")
    assert (plan["game"], plan["policy"], plan["engine"]) == (game.id, agent(game, "policy:pretrained").learned, source_hash())
    for name in mining.SOURCES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((kept.ROOT / name).read_bytes())
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    assert mining.plan_of(mining.QUARRIES["skull_king"]) == plan
    (tmp_path / "agents" / "coach" / "puzzles" / "mining.py").write_text("another")
    assert mining.plan_of(mining.QUARRIES["skull_king"])["sources"] != plan["sources"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"game": "chess"}, "puzzles are mined of skull_king"),
        ({"count": 0}, "count"),
        ({"matches": 0}, "matches"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        mining.PuzzleSettings(**{"game": "skull_king", **wrong})


def test_puzzles_of_a_solved_game_can_be_kept() -> None:
    book = load_puzzles("piraten_kapern")
    assert mining.still_missed("piraten_kapern") == list(book.puzzles)
    mining.PuzzleSettings("piraten_kapern", keep=True)
    with pytest.raises(OptionError, match="--keep is for solved games"):
        mining.PuzzleSettings("skull_king", keep=True)
