"""Small chunks of every row find nothing, and would find what there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pirate_envs.agents.arena.workers import Workers
from pirate_envs.core.errors import OptionError
from pirate_envs.games import shipped
from pirate_envs.testing import GameLawError
from tests.games.setups import material
from tests.release import calls, leaks, matches, measuring, tables, worlds
from tests.release.measuring import ReleaseSettings
from tests.release.rows import ROWS, Row

ONE = Workers(1)


@pytest.mark.parametrize("name", shipped())
def test_no_pair_of_positions_differs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "PAIRS", 500)
    monkeypatch.setattr(leaks, "SLOWLY", 50)
    counted = leaks.pairs(name, 1)
    assert counted["done"] >= 500 and counted["failed"] == 0
    assert counted["told apart"] > 0.5 * counted["done"] or name == "piraten_kapern"  # which hides chance to come alone


def test_a_leak_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shows_a_bid(g: Any, seat: int, rng: Any) -> Any:
        other = honest(g, seat, rng)
        other.scores[seat] += 10
        return other

    module = material("skull_king", "scramble")
    honest = module.scrambled
    monkeypatch.setattr(module, "scrambled", shows_a_bid)
    monkeypatch.setattr(leaks, "PAIRS", 500)
    counted = leaks.pairs("skull_king", 1)
    assert counted["failed"] >= counted["done"]


@pytest.mark.parametrize("name", worlds.POSITIONS_OF)
def test_a_world_that_cannot_be_would_be_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "POSITIONS", 30)
    assert worlds.imagined(name, 1) == {"done": 30, "failed": 0}
    monkeypatch.setitem(worlds.POSITIONS_OF, name, lambda number: refusing(worlds.of_lucky_pirate(number)))
    with pytest.raises(AssertionError, match="the true world of position 0"):
        worlds.imagined(name, 1)


def refusing(positions: Iterator[Any]) -> Iterator[Any]:
    return ((*position[:3], lambda _: False) for position in positions)


@pytest.mark.parametrize("name", shipped())
def test_nonsense_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "CALLS", 1500)
    counted = calls.fuzzed(name, 0)
    assert counted["failed"] == 0, counted["error"]
    assert 500 < counted["refused"] < counted["done"]


def test_a_traceback_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "CALLS", 400)
    monkeypatch.setattr("pirate_envs.core.game.Game.view", lambda *given: given[99])
    assert calls.fuzzed("skull_king", 0)["failed"] > 0


def test_chunks_of_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MATCHES", 50)
    monkeypatch.setattr(matches, "OPTION_SETS", 1)
    monkeypatch.setattr(matches, "TOURNAMENTS", 10)
    assert matches.under_laws("skull_king", 1) == {"done": 50, "failed": 0}
    assert matches.beside_referee("skull_king", 0)["failed"] == 0
    equals = matches.against_itself("skull_king", 0)
    assert max(equals[key] for key in ("failed", "margins", "ratings")) <= 4


def test_intervals_that_miss_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "TOURNAMENTS", 2)
    monkeypatch.setattr(matches, "MEAN", 3000.0)
    told = matches.against_itself("skull_king", 0)
    assert told["ratings"] == told["done"] == 2 > told["failed"]


def test_a_broken_law_counts_no_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **more: object) -> None:
        raise GameLawError("broken")

    monkeypatch.setattr(matches, "check_game", broken)
    assert matches.under_laws("skull_king", 1) == {"done": 0, "failed": 1, "error": "broken"}


@pytest.mark.parametrize("given", [{"minutes": float("nan")}, {"minutes": -1.0}, {"rows": ("nothing",)}, {"games": ("chess",)}])
def test_what_cannot_be_measured_is_refused(given: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "measure", lambda *given: pytest.fail("it was measured"))
    with pytest.raises(OptionError, match=next(iter(given))):
        measuring.main(ReleaseSettings(**given))  # type: ignore[arg-type]


def test_chunks_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MATCHES", 1)
    monkeypatch.setattr(tables, "FRAMED", 1)
    told = tables.told("piraten_kapern", 0)
    assert (told["done"], told["failed"]) == (1, 0) and told["events"] > 20
    framed = tables.framed("piraten_kapern", 1)
    assert (framed["done"], framed["failed"]) == (1, 0) and framed["frames"] > 20  # nothing is hidden here but chance


def test_a_law_of_events_that_is_broken_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MATCHES", 1)
    monkeypatch.setattr("pirate_envs.core.game.Game.fold", lambda self, view, events: dict(view))
    assert tables.told("piraten_kapern", 0)["failed"] == 1


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def work(name: str, number: int) -> dict[str, float]:
        asked.append((name, number))
        return {"done": 10, "failed": number % 2}

    monkeypatch.setitem(ROWS, "laws", Row("nothing", "things", 50, 10, work))
    measuring.measure(["laws"], ["skull_king"], tmp_path, {}, 0, ONE)
    assert not asked
    measuring.measure(["laws"], ["skull_king"], tmp_path, {}, 1, ONE)
    assert asked == [("skull_king", number) for number in range(5)]
    measuring.measure(["laws"], ["skull_king"], tmp_path, {}, 1, ONE)
    assert len(asked) == 5
    total = json.loads(json.dumps(measuring.summed("laws", ROWS["laws"], "skull_king", tmp_path)))
    assert (total["counts"]["done"], total["counts"]["failed"], total["target"]) == (50, 2, 50)


def test_chunks_smaller_than_planned_are_followed_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of the laws are, where matches are long."""
    asked = []

    def work(name: str, number: int) -> dict[str, float]:
        asked.append(number)
        return {"done": 4 if number % 2 else 1, "failed": 0}

    monkeypatch.setitem(ROWS, "laws", Row("nothing", "things", 20, 10, work))
    known = {"counts": {"done": 10, "failed": 0, "seconds": 1.0}, "errors": [], "date": "2026-01-02", "chunks": [[1, 1]]}
    measuring.measure(["laws"], ["skull_king"], tmp_path, {("laws", "skull_king"): known}, 1, ONE)
    assert asked == [0, 2, 3, 4, 5]
    total = measuring.summed("laws", ROWS["laws"], "skull_king", tmp_path, known)
    assert (total["counts"]["done"], total["chunks"]) == (21, [[0, 5]])


def test_a_run_goes_on_from_the_table_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def work(name: str, number: int) -> dict[str, float]:
        asked.append(number)
        return {"done": 10, "failed": 0}

    monkeypatch.setitem(ROWS, "laws", Row("nothing", "things", 50, 10, work))
    known = {"counts": {"done": 30, "failed": 1, "seconds": 1.0}, "errors": ["one"], "date": "2026-01-02"}
    known["chunks"] = [[0, 1], [3, 3]]
    measuring.measure(["laws"], ["skull_king"], tmp_path, {("laws", "skull_king"): known}, 1, ONE)
    assert asked == [2, 4]
    total = measuring.summed("laws", ROWS["laws"], "skull_king", tmp_path, known)
    assert (total["counts"]["done"], total["counts"]["failed"], total["chunks"]) == (50, 1, [[0, 4]])
    assert total["errors"] == ["one"] and total["date"] > "2026-01-02"
    again = measuring.summed("laws", ROWS["laws"], "skull_king", tmp_path, total)
    assert again == total
    assert measuring.current({"rows": [total]}) == {("laws", "skull_king"): total}
    assert measuring.current({"rows": [{**total, "sources": "others"}]}) == {}


def test_a_file_of_tests_is_no_source_of_a_row_that_does_not_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "ROOT", tmp_path)
    folder = tmp_path / "tests" / "games" / "lucky_pirate"
    folder.mkdir(parents=True)

    def changed_by(name: str) -> set[str]:
        before = {row: measuring.sources(row, "lucky_pirate") for row in ("referee", "worlds")}
        (folder / name).write_text("x = 1\n")
        return {row for row, digest in before.items() if measuring.sources(row, "lucky_pirate") != digest}

    assert changed_by("referee.py") == {"referee", "worlds"}
    assert changed_by("test_knowledge.py") == {"worlds"}
    assert changed_by("test_turns.py") == changed_by("picture.py") == set()


def test_how_a_view_is_read_is_a_source_of_fuzzed_calls_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "ROOT", tmp_path)
    for name in ("core/notation.py", "games/skull_king/positions.py", "games/skull_king/notation.py"):
        before = {row: measuring.sources(row, "skull_king") for row in ("laws", "referee", "leaks", "calls", "kills")}
        file = tmp_path / "pirate_envs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
        changed = {row for row, digest in before.items() if measuring.sources(row, "skull_king") != digest}
        assert changed == (set(before) if name.endswith("king/notation.py") else {"calls", "kills"})


def test_a_row_is_of_the_file_that_does_its_work_and_of_no_other_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "ROOT", tmp_path)
    for name, wanted in (("kills.py", {"kills", "more_kills"}), ("matches.py", {"laws"}), ("rows.py", set())):
        before = {row: measuring.sources(row, "skull_king") for row in ("laws", "calls", "kills", "more_kills")}
        file = tmp_path / "tests" / "release" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
        assert {row for row, digest in before.items() if measuring.sources(row, "skull_king") != digest} == wanted


def test_a_row_of_earlier_sources_stays_until_as_much_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("nothing", "things", 50, 10, lambda name, number: {"done": 10, "failed": 0}, games=("skull_king",))
    monkeypatch.setattr(measuring, "ROWS", {"laws": row})
    measuring.measure(["laws"], ["skull_king"], tmp_path, {}, 1, ONE)
    full = measuring.summed_up("release", {"rows": []}, tmp_path)["rows"]
    then = [{**full[0], "sources": "others", "date": "2026-01-02"}]

    def told(store: Path) -> list[tuple[str, int]]:
        rows = measuring.summed_up("release", {"rows": then}, store)["rows"]
        return [(each["date"], each["counts"]["done"]) for each in rows]

    assert told(tmp_path / "empty") == [("2026-01-02", 50)]
    assert told(tmp_path) == [(full[0]["date"], 50)]
    for number in range(1, 5):
        measuring.file_of(measuring.folder_of(tmp_path, "laws", "skull_king"), number).unlink()
    assert told(tmp_path) == [(full[0]["date"], 10), ("2026-01-02", 50)]
    both = measuring.summed_up("release", {"rows": then}, tmp_path)
    page = measuring.page({**both, "command": "this"})
    assert "2026-01-02, earlier sources" in page and page.count("earlier sources |") == 1
    again = measuring.summed_up("release", both, tmp_path)["rows"]
    assert again == both["rows"]
    then.append({**then[0], "sources": "still others", "counts": {**then[0]["counts"], "done": 40, "seconds": 600.0}})
    three = measuring.summed_up("release", {"rows": then}, tmp_path)
    assert [each["counts"]["done"] for each in three["rows"]] == [10, 50, 40]
    page = measuring.page({**three, "command": "this"})
    assert page.count("earlier sources |") == 1 and "| 50 things | 100.0% | 0 | 10 |" in page, (
        "one line, with the minutes of both"
    )
    three["rows"][2]["counts"]["failed"] = 1
    page = measuring.page({**three, "command": "this"})
    assert "| 40 things | 80.0% | 1 | 10 |" in page, "what did not hold has a line of its own"
