"""Field tables: the worst columns, the cells where a search meets its own model, and what is kept."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import field
from experiments.field import FieldSettings, Row, rows_of
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import Outcomes
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.names import levels, models_of, usual_field
from pirate_envs.core.errors import OptionError, UnknownPlayerError
from pirate_envs.games import shipped

PLAYERS = ("rules:simple", "rules:expected_points", "search:ismcts:5", "search:flat:5:uniform")


def even(mean: float) -> Interval:
    return Interval(mean, mean - 0.1, mean + 0.1)


def test_a_row_knows_its_worst_columns() -> None:
    game = load("skull_king")
    payoff = {
        "rules:simple": {"search:ismcts:5": even(0.1), "policy:pretrained": even(0.2)},
        "search:ismcts:5": {"rules:simple": even(0.4), "policy:pretrained": even(0.3)},
        "policy:pretrained": {"rules:simple": even(0.5), "search:ismcts:5": even(0.25)},
    }
    rows = rows_of(game, payoff)
    assert [row.name for row in rows] == ["policy:pretrained", "search:ismcts:5", "rules:simple"]
    assert [row.worst(payoff) for row in rows] == ["search:ismcts:5", "policy:pretrained", "search:ismcts:5"]
    assert rows[2].worst(["policy:pretrained"]) == "policy:pretrained" and rows[2].worst(["rules:simple"]) is None
    assert Row("x", {"y": even(0.5)}, ["z", "y"]).cell("y").endswith("°") and Row("x", {}, []).cell("x") == "-"


@pytest.mark.parametrize(
    ("name", "models"),
    [
        ("rules:simple", []),
        ("policy:pretrained", []),
        ("search:ismcts:9", ["rules:expected_points"]),
        ("search:flat:9:uniform", ["random"]),
        ("search:ismcts:9:rules=simple", ["rules:simple"]),
        ("search:guided:9", ["policy:pretrained"]),
        ("search:guided:9:policy=elsewhere", ["policy:elsewhere"]),
        ("search:ismcts:9:belief", ["rules:expected_points", "policy:pretrained"]),
        ("search:flat:9:uniform:belief:policy=elsewhere", ["random", "policy:elsewhere"]),
        ("search:guided:9:rules=strongest", ["policy:pretrained", "rules:expected_points"]),
        ("best", ["policy:pretrained"]),
        ("strong", []),
    ],
)
def test_who_plays_a_search_s_worlds_out(name: str, models: list[str]) -> None:
    assert models_of(load("skull_king"), name) == models


@pytest.mark.parametrize("name", shipped())
def test_the_usual_field_is_all_sorts_of_players(name: str) -> None:
    game = load(name)
    players = usual_field(game)
    assert set(players) >= {f"rules:{rule}" for rule in game.rule_players} | {f"exact:{which}" for which in game.solved}
    assert {"policy:pretrained", levels(game)["best"], "search:ismcts:1000:uniform"} <= set(players)


def test_a_field_is_played_kept_and_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(field, "RESULTS", tmp_path)
    settings = FieldSettings("skull_king", PLAYERS, options=("last_hand=2",), deals=3, out=tmp_path / "field", write=True)
    content = field.main(settings)
    assert {row["name"] for row in content["rows"]} == set(PLAYERS)
    assert all(set(row["won"]) == set(PLAYERS) - {row["name"]} for row in content["rows"])
    name = "field_skull_king_with_searches_last_hand=2"  # what is there of the usual table stays
    page = (tmp_path / f"{name}.md").read_text()
    assert page in capsys.readouterr().out and page.startswith("skull_king-v0 (last_hand=2), 4 players (")
    marked = [line for line in page.splitlines() if "%" in line and "°" in line]
    assert marked and all("`search:ismcts:5`" in line.split("|")[1] for line in marked)
    played = {file: file.stat().st_mtime_ns for file in (tmp_path / "field" / "skull_king" / "chunks").rglob("*.safetensors")}
    assert field.main(settings) == content == json.loads((tmp_path / f"{name}.json").read_text())
    assert played == {file: file.stat().st_mtime_ns for file in played}


def test_a_cell_ends_once_its_interval_is_short_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether the deals are played one by one, by several or lie there already from a longer field: the same cells."""
    monkeypatch.setattr(field, "RESULTS", tmp_path)
    settings = FieldSettings("skull_king", ("random", "rules:simple", "rules:strongest"), deals=100, out=tmp_path / "field")
    stopped = dataclasses.replace(settings, until=3.5, write=True)
    content = field.main(stopped)
    assert (
        "Up to 100 deals in every seat rotation a cell, asked after every 25 from 50 on whether its interval is ± 3.5 points"
        in (tmp_path / "field_skull_king.md").read_text()
    )
    widths = {
        (row["name"], other): (won["high"] - won["low"]) / 2 for row in content["rows"] for other, won in row["won"].items()
    }
    assert widths["random", "rules:strongest"] < 0.035 and content["matches"] < 6 * 400
    whole = field.main(settings)
    assert "matches" not in whole and any(whole_row["won"] != row["won"] for whole_row, row in zip_rows(whole, content))
    two = dataclasses.replace(stopped, out=tmp_path / "two", workers=Workers(2))
    assert field.main(stopped)["rows"] == content["rows"] == field.main(two)["rows"]
    for row in content["rows"]:
        for other, won in row["won"].items():
            same = next(each for each in whole["rows"] if each["name"] == row["name"])["won"][other]
            assert won == same or widths[row["name"], other] <= 0.035
    capsys.readouterr()


def zip_rows(*contents: dict[str, Any]) -> Iterator[tuple[dict[str, Any], ...]]:
    """The rows of several fields, those of the same player together."""
    return zip(*(sorted(content["rows"], key=lambda row: row["name"]) for content in contents), strict=True)


def test_few_deals_are_never_enough() -> None:
    """None won of a hundred matches has an interval of no length, and may be three in a hundred."""
    won = np.zeros((field.LEAST_DEALS, 4, 4))
    none = Outcomes(won, won, np.zeros((len(won), 4, 1), np.int64), 1, 0)
    assert field.enough(3.0, none) and not field.enough(3.0, dataclasses.replace(none, wins=won[1:]))
    won[::2, :, 0] = 1.0
    assert not field.enough(3.0, none)


def test_a_field_tells_by_which_weights_it_was_played_and_at_which_seats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(field, "RESULTS", tmp_path)
    players = ("rules:simple", "policy:pretrained")
    for seats, name in ((4, "field_skull_king"), (2, "field_skull_king_players=2")):
        field.main(FieldSettings("skull_king", players, seats, deals=1, out=tmp_path / f"{seats}", write=True))
        content = json.loads((tmp_path / f"{name}.json").read_text())
        assert content["seats"] == seats and content.get("options", {"players": 4}) == {"players": seats}
        assert content["learned"] == {"policy:pretrained": agent(load("skull_king"), "policy:pretrained").acts_by}
    assert json.loads((tmp_path / "field_skull_king.json").read_text())["seats"] == 4


def test_a_field_without_searches_has_a_page_and_a_worst_column_of_its_own() -> None:
    none = Interval(0.5, 0.4, 0.6)
    rows = [{"name": name, "won": {other: dataclasses.asdict(none)}, "models": []} for name, other in (("a", "b"), ("b", "a"))]
    content = {"command": "c", "game": "g-v0", "seats": 4, "deals": 3, "date": "2026-01-02", "rows": rows}
    assert "| one of these | worst against |\n" in field.table(content) and "°" not in field.table(content)
    rows[0]["models"] = ["b"]
    assert "| worst against one that does not search | worst against any |\n" in field.table(content)
    assert field.result_of("skull_king", searches=False) == "field_skull_king"


def test_bad_fields(tmp_path: Path) -> None:
    for told, error in (
        ({"who": ("rules:simple",)}, OptionError),
        ({"who": ("rules:simple", "rules:simple")}, OptionError),
        ({"who": ("rules:simple", "nobody")}, UnknownPlayerError),
        ({"deals": 0}, OptionError),
        ({"until": 0.0}, OptionError),
        ({"until": float("nan")}, OptionError),
        ({"options": ("players=3",)}, OptionError),
    ):
        with pytest.raises(error):
            field.main(FieldSettings("skull_king", out=tmp_path, **told))  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
