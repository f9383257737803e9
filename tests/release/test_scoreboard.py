"""The scoreboard and the soak, at sizes that take no time."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pirate_envs.agents.report import Results
from pirate_envs.core.errors import OptionError
from tests.release import ROOT, counted, interpreter, long, measuring, scoreboard, soak
from tests.release.rows import ROWS


def some_result(done: int, failed: int, **more: Any) -> dict[str, Any]:
    row = {"row": "laws", "counts": {"done": done, "failed": failed}, "date": "2026-01-02", "game": "skull_king", **more}
    return {**row, "unit": ROWS[row["row"]].unit, "of": row["game"] or ROWS[row["row"]].of_all}


def test_every_measure_has_a_row_and_stored_ones_need_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(scoreboard.BOARD) == list(range(1, 23))
    monkeypatch.setattr(scoreboard, "RESULTS", Results(tmp_path))
    monkeypatch.setattr(scoreboard, "STORED", (1, 12, 19))
    rows = scoreboard.main(scoreboard.ScoreboardSettings(stored=True, write=True))
    assert all("nothing yet" in each["figure"] for each in rows)
    assert Results(tmp_path).read("scoreboard") == sorted(rows, key=lambda each: str(each["number"]))
    page = (tmp_path / "scoreboard.md").read_text()
    assert page.index("| 1 |") < page.index("| 12 |") < page.index("| 19 |")


def test_what_a_release_has_tried_and_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "RESULTS", Results(tmp_path))
    target = ROWS["laws"].target
    rows = [some_result(target, 1), some_result(5, 0), some_result(target // 4, 2, game="piratenpoker", earlier=True)]
    Results(tmp_path).write_json("release", {"rows": rows})
    found = scoreboard.released("laws")
    assert found.figure == (
        f"{target // 4:,} matches in the game with least; 3 of {target + target // 4:,} did not hold; on earlier sources"
    )
    assert found.missed == f"{target - target // 4:,} of {target:,}" and found.date == "2026-01-02"


def test_kills_of_all_commands_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "RESULTS", Results(tmp_path))
    rows = [some_result(ROWS["kills"].target, 0, row="kills", game=""), some_result(20, 1, row="more_kills", game="")]
    Results(tmp_path).write_json("release", {"rows": rows})
    found = scoreboard.killed()
    assert found.figure.startswith("train, tournament")
    assert found.figure.endswith("reports, values, beliefs: 20 kills at work; 1 of 20 did not hold")
    assert found.missed == "exploit, field, puzzles, reports, values, beliefs: 480 of 500"


def test_what_learning_reaches_has_the_latest_day_that_a_shipped_run_was_measured_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoreboard, "RESULTS", Results(tmp_path))
    row = {"shipped": True, "won": {"rules:strongest": {"mean": 0.5, "low": 0.4, "high": 0.6}}}
    Results(tmp_path).write_json("pretrained_skull_king", {"rows": [row, {**row, "shipped": False, "date": "2026-03-03"}]})
    assert scoreboard.learning().date == "-"
    Results(tmp_path).write_json("pretrained_piratenpoker", {"rows": [{**row, "date": "2026-01-02"}]})
    Results(tmp_path).write_json("pretrained_piraten_kapern", {"rows": [{**row, "date": None}]})
    found = scoreboard.learning()
    assert found.date == "2026-01-02" and "skull_king 50.0%" in found.figure


def test_tests_are_counted_as_they_end() -> None:
    assert str(counted.ended("tests/games/test_chance.py", "-k", "published or below")) == "3 of 3 tests pass"
    with pytest.raises(AssertionError):
        counted.ended("tests/games/test_chance.py", "-k", "there_is_none")


def test_every_long_test_has_a_row() -> None:
    """And every file of a row has such tests."""
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if "outside" not in path.parts and re.search(r"mark\.long\b", path.read_text(encoding="utf-8"))
    }
    assert marked == {each for _, files in long.LONG for each in files if each.endswith(".py")}


def test_what_takes_long_is_told_with_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "RESULTS", Results(tmp_path))
    monkeypatch.setattr(
        long, "ended", lambda *arguments: counted.Ended(3, 1, 1 if "tests/games/test_events.py" in arguments else 0)
    )
    monkeypatch.setattr(long, "LONG", long.LONG[4:7])
    rows = long.main(long.LongSettings(rows=(1, 2), write=True))
    assert [(each["figure"], each["failed"]) for each in rows] == [
        ("2 of 3 tests pass, 1 not run here", 0),
        ("1 of 3 tests pass, 1 not run here", 1),
    ]
    page = (tmp_path / "long.md").read_text(encoding="utf-8")
    assert page.count("tests pass") == 2 and "| not run |" in page


def test_what_another_interpreter_does_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make` is a script here, which ends as tests do that have one failure."""
    make = tmp_path / "make"
    told = '<testsuites><testsuite tests="9" skipped="1" failures="1" errors="0"/></testsuites>'
    make.write_text(f"#!/bin/sh\necho '{told}' > ${{PYTEST_ADDOPTS#*=}}\n")
    make.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(interpreter, "RESULTS", Results(tmp_path))
    monkeypatch.setattr(interpreter, "played_by", lambda python: ("3.99.0", ["a", "b" if python == sys.executable else "c"]))
    (row,) = interpreter.main(interpreter.InterpreterSettings(("python3.99",), write=True))
    assert (row["python"], row["figure"], row["failed"]) == ("3.99.0", "7 of 9 tests pass, 1 not run here", 1)
    assert "| 3.99.0 | 7 of 9" in (tmp_path / "interpreter.md").read_text() and row["same bytes"] is False
    make.write_text("#!/bin/sh\nexit 2\n")
    with pytest.raises(OptionError, match=r"PYTHON=python3.99` ended with 2"):
        interpreter.row("python3.99")


def test_a_round_of_the_soak_that_fails_is_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def one_round(seed: int) -> int:
        if seed == 1:
            raise ValueError("broken")
        return 10

    monkeypatch.setattr(soak, "one_round", one_round)
    monkeypatch.setattr(soak, "WARM", 2)
    found = soak.main(soak.SoakSettings(minutes=0.0))["measured"]
    assert (found["rounds"], found["decisions"], found["failed"], found["errors"]) == (3, 20, 1, ["ValueError: broken"])
    assert found["files"][0] == found["files"][1] > 0 and found["memory"][1] > 10
    assert "0.0 of 24" in capsys.readouterr().out


def test_a_round_of_the_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LANES", 4), ("STEPS", 20), ("MATCHES", 1), ("DECISIONS", 512)):
        monkeypatch.setattr(soak, name, value)
    assert soak.one_round(0) > 4 * 4 * 22 + 512


def test_rows_that_counted_something_else_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "RESULTS", Results(tmp_path))
    then = {**some_result(1_000, 50, row="intervals"), "unit": "evaluations", "sources": "others"}
    Results(tmp_path).write_json("release", {"rows": [then]})
    assert scoreboard.intervals().figure == "nothing yet" and not measuring.earlier({"rows": [then]})
    now = some_result(0, 0, row="intervals", counts={"done": 1_000, "failed": 50, "margins": 51, "ratings": 52})
    Results(tmp_path).write_json("release", {"rows": [then, now]})
    assert "50 of 1,000 win shares left it out, 51 margins, 52 ratings" in scoreboard.intervals().figure
