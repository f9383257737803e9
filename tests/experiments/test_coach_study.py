"""The study of the coach, at a tiny size."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from experiments.studies.coach import PARTS, CoachSettings, joined, measured
from experiments.studies.coach_parts.pages import page
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.coach import yardsticks
from pirate_envs.core.errors import OptionError


def small(folder: Path, **more: object) -> CoachSettings:
    sizes = {"players": 2, "decisions": 2, "matches": 1, "worlds": 16, "longer": 2}
    return CoachSettings(folder=folder, **{**sizes, **more})  # type: ignore[arg-type]


def test_what_was_measured_is_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(measured(small(tmp_path, games=("skull_king",), parts=("calibration", "peeking"))))
    rows += measured(small(tmp_path, games=("piraten_kapern",), parts=("luck", "peeking")))
    by_part = {(row["part"], row["game"]): row for row in rows}
    assert by_part["calibration", "skull_king"]["decisions"] == 2
    assert all(by_part["peeking", game]["differ"] == 0 for game in ("skull_king", "piraten_kapern"))
    luck = by_part["luck", "piraten_kapern"]
    assert luck["off"] < 1e-6 and luck["turns"] > 4 and luck["variance left"] < 0.5
    assert page(rows).count("\n") > 8 and "seats" not in page(rows)
    monkeypatch.setitem(PARTS, "luck", lambda game, settings: pytest.fail("measured again"))
    assert list(measured(small(tmp_path, games=("piraten_kapern",), parts=("luck",)))) == [luck]


def test_what_is_shipped_is_what_the_coach_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yardsticks, "FOLDER", tmp_path)
    game = load("skull_king", players=2)
    policy = agent(game, "policy:pretrained")
    assert yardsticks.ladder_of(game, policy) is None and yardsticks.luck_weights(game, policy) is yardsticks.PLAIN
    settings = small(tmp_path / "kept", games=("skull_king",), parts=("order", "luck"), matches=2, ship=True)
    order, luck = measured(settings)
    ladder = yardsticks.ladder_of(game, policy)
    assert ladder is not None and [rung.player for rung in ladder.rungs] == list(order["rates"])
    assert (
        ladder.rungs[-1].player == "coach"
        and asdict(ladder.rungs[0].rates["points"]["every"]) == order["rates"]["random"]["points"]["every"]
    )
    assert yardsticks.luck_weights(game, policy) is not yardsticks.PLAIN
    assert {len(found) for found in luck["players"].values()} == {2}
    assert "| random | 20 |" in page([order, luck])


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(OptionError, match="part 'speeed' of --parts is unknown; allowed: calibration"):
        CoachSettings(parts=("speeed",))


def test_what_is_measured_later_takes_the_place_of_its_own_part_and_game_alone() -> None:
    earlier = [{"part": part, "game": game, "by": "earlier"} for part in ("luck", "order") for game in ("b", "a")]
    found = joined([{"part": "order", "game": "a", "by": "later"}, {"part": "speed", "game": "a", "by": "later"}], earlier)
    assert [(row["part"], row["game"], row["by"]) for row in found] == [
        ("order", "a", "later"), ("order", "b", "earlier"), ("luck", "a", "earlier"), ("luck", "b", "earlier"),
        ("speed", "a", "later"),
    ]  # fmt: skip
