"""How strong search is: every cell is kept as soon as it is measured, and the table tells the newest of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.studies import search_strength
from experiments.studies.search_strength import SearchStrengthSettings, main
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.games import shipped


def test_cells_are_kept_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_strength, "RESULTS", tmp_path)
    settings = SearchStrengthSettings(("skull_king",), ("search:flat:2",), ("random",), 2, 1, write=True)
    main(settings)
    settings.against = ("rules:simple", "nobody")
    with pytest.raises(UnknownPlayerError, match="'nobody'"):
        main(settings)
    kept = json.loads((tmp_path / "search_strength.json").read_text(encoding="utf-8"))
    page = (tmp_path / "search_strength.md").read_text(encoding="utf-8")
    for other in ("random", "rules:simple"):
        assert f"skull_king-v0 search:flat:2 {other}" in json.dumps(kept)
        assert f"| skull_king-v0 | search:flat:2 | 1 x {other} |" in page


def test_other_seats_have_rows_of_their_own_and_weights_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_strength, "RESULTS", tmp_path)
    for seats in (4, 3):
        main(SearchStrengthSettings(("lucky_pirate",), ("policy:pretrained",), ("random",), seats, 1, write=True))
    rows = json.loads((tmp_path / "search_strength.json").read_text(encoding="utf-8"))
    assert [row["cell"] for row in rows] == [f"lucky_pirate-v0 policy:pretrained random{more}" for more in ("", "_players=3")]
    assert [len(row["line_up"]) for row in rows] == [4, 3]
    weights = {"policy:pretrained": agent(load("lucky_pirate"), "policy:pretrained").acts_by}
    assert all(row["learned"] == weights for row in rows)


def test_rows_of_earlier_policies_stand_apart() -> None:
    results = json.loads((search_strength.RESULTS / "search_strength.json").read_text(encoding="utf-8"))
    now, _, earlier = search_strength.table(results).partition("With policies that came before:\n")
    told = sum(line.startswith(tuple(f"| {name}-v0 |" for name in shipped())) for line in (now + earlier).splitlines())
    assert told == len(results) and "pretrained-v" not in now and earlier.count("\n- `python -m") <= len(results)
    assert all("pretrained-v" in line for line in earlier.splitlines() if "-v0 |" in line) and "-v0 |" in earlier


def test_rows_tell_their_day() -> None:
    first, second = json.loads((search_strength.RESULTS / "search_strength.json").read_text(encoding="utf-8"))[:2]
    undated = {key: told for key, told in first.items() if key != "date"}
    page = search_strength.table([undated, {**second, "date": "2026-12-01"}])
    assert "| - |" in page and "| 2026-12-01 |" in page and "without a day were measured before 2026-11-28" in page
    assert "without a day" not in search_strength.table([{**second, "date": "2026-12-01"}])


def test_a_part_is_measured_on_the_same_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_strength, "RESULTS", tmp_path)
    settings = SearchStrengthSettings(("skull_king",), ("search:flat:2",), ("random",), 2, 12, 5, "uniform", write=True)
    main(settings)
    (found,) = json.loads((tmp_path / "search_parts.json").read_text(encoding="utf-8"))
    game = load("skull_king", players=2)
    without, with_it = (
        versus(game, agent(game, name), agent(game, "random"), 12, 5).first()
        for name in ("search:flat:2", "search:flat:2:uniform")
    )
    for key in ("win_share", "margin"):
        difference = found["difference"][key]
        assert difference["mean"] == pytest.approx(with_it[key].mean - without[key].mean)
        assert difference["low"] < difference["mean"] < difference["high"]
    assert [share["mean"] for share in found["win_shares"]] == [without["win_share"].mean, with_it["win_share"].mean]
    page = (tmp_path / "search_parts.md").read_text(encoding="utf-8")
    assert "| skull_king-v0 | search:flat:2 | `:uniform` | 1 x random |" in page and "| 24 | 20" in page
    assert not (tmp_path / "search_strength.md").exists()


def test_nothing_is_measured_before_a_part_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownPlayerError, match="'speed=2'"):
        main(SearchStrengthSettings(("skull_king",), ("search:flat:2",), ("random",), 2, 1, part="speed=2"))
    assert capsys.readouterr().out == ""
