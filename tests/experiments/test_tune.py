"""Tuning: the search, the comparison, what is written and what is not."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from experiments import tune
from experiments.tune import MEAN, TuneSettings, compared, held_out_fields, is_better, main, moved, training_fields
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.core.errors import OptionError, UnknownGameError, WeightsError
from pirate_envs.core.weights import load_weights

GAME = pirate_envs.load("lucky_pirate")
assert GAME.weights is not None


def tiny(folder: Path, **changes: Any) -> TuneSettings:
    few = TuneSettings("lucky_pirate", generations=2, population=4, deals=2, held_out=20, search_deals=1)
    return dataclasses.replace(few, **{"weights": folder / "weights.json", "results": folder / "results", **changes})


def test_a_forced_run_writes_weights_that_the_game_could_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert GAME.weights is not None
    shipped = GAME.weights.path.read_bytes()
    assert main(tiny(tmp_path, force=True))
    found = load_weights(tmp_path, GAME.weights.player, GAME.weights.names, positive=False)
    assert (found.values != GAME.weights.values).any()
    content = json.loads(found.path.read_text())
    assert list(content["started_from"].values()) == GAME.weights.values.tolist()
    assert content["command"].startswith("python -m experiments.tune") and content["settings"]["generations"] == 2
    assert [row["opponents"] for row in content["held_out"]] == [
        *("3 x random", "3 x rules:greedy", "3 x rules:weighs_odds", "4 x rules:weighs_odds"),
        *(MEAN, f"3 x {tune.SEARCH}"),
    ]
    text = (tmp_path / "results" / "tune_lucky_pirate.md").read_text()
    assert "| 3 x rules:greedy | 20 |" in text and text in capsys.readouterr().out
    assert json.loads((tmp_path / "results" / "tune_lucky_pirate.json").read_text()) == content
    assert GAME.weights.path.read_bytes() == shipped


def test_a_seed_finds_the_same_weights_again(tmp_path: Path) -> None:
    values = []
    for seed in (1, 1, 2):
        main(tiny(tmp_path, force=True, seed=seed, search_deals=0))
        values.append(json.loads((tmp_path / "weights.json").read_text())["values"])
    assert values[0] == values[1] != values[2]


@pytest.mark.usefixtures("sent")
def test_any_number_of_workers_finds_the_same(tmp_path: Path) -> None:
    found = []
    for workers in (Workers(), Workers(2)):
        main(tiny(tmp_path, force=True, generations=1, workers=workers))
        content = json.loads((tmp_path / "weights.json").read_text())
        found.append((content["values"], content["held_out"]))
    assert found[0] == found[1]


def test_what_is_not_clearly_better_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "search", lambda game, weights, settings: (weights.values.copy(), 1.0))
    assert not main(tiny(tmp_path))
    assert not (tmp_path / "weights.json").exists()
    assert "the old ones stay" in (tmp_path / "results" / "tune_lucky_pirate.md").read_text()


def test_an_interrupt_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> float:
        raise KeyboardInterrupt

    (tmp_path / "weights.json").write_text("old")
    monkeypatch.setattr(tune, "fitnesses", interrupted)
    with pytest.raises(KeyboardInterrupt):
        main(tiny(tmp_path, force=True))
    assert (tmp_path / "weights.json").read_text() == "old" and not (tmp_path / "results").exists()


def rows(*gains: float) -> list[tune.Comparison]:
    """A field each whose deals gain so much, with a little noise, and their mean."""
    noise = np.tile([-0.02, 0.02], 50)
    pairs = [(np.full(100, 0.3), 0.3 + gain + noise) for gain in gains]
    return [
        *(compared(str(gain), *pair) for gain, pair in zip(gains, pairs, strict=True)),
        compared(MEAN, *np.mean(pairs, axis=0)),
    ]


def test_better_means_a_clear_gain_and_no_clear_loss() -> None:
    assert is_better(rows(0.1, 0.05)) and is_better(rows(0.1, 0.0))
    assert is_better(rows(0.1, -0.004)) and not is_better(rows(0.1, -0.05))  # what is lost in one field
    assert not is_better(rows(0.0, 0.0)) and not is_better(rows(-0.1, -0.1))


def test_a_gain_is_measured_deal_by_deal() -> None:
    old = np.random.default_rng(0).random(200)
    row = compared("somebody", old, old + 0.01)
    assert row.gain.low == pytest.approx(0.01) == row.gain.high
    assert row.old.low < old.mean() < row.old.high
    assert " ".join(row.cells()).count("+1.0%") == 3


@pytest.mark.parametrize("name", ["lucky_pirate", "skull_king"])
def test_the_search_space_begins_at_the_shipped_weights(name: str) -> None:
    weights = pirate_envs.load(name).weights
    assert weights is not None
    np.testing.assert_array_equal(moved(weights, np.zeros(len(weights.values))), weights.values)
    far = moved(weights, np.full(len(weights.values), -5.0))
    assert weights.checked(far) is not None and (far != weights.values).all()


def test_the_field_is_mixed_and_the_comparison_has_one_that_the_search_does_not_know() -> None:
    trained, held_out = ({str(field) for field in fields(GAME)} for fields in (training_fields, held_out_fields))
    assert {"3 x rules:weighs_odds", "2 x rules:weighs_odds + 1 x rules:greedy", "2 x rules:weighs_odds"} <= trained
    assert "4 x rules:weighs_odds" in held_out - trained


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"generations": 0}, "generations is 0"),
        ({"population": 3}, "population is 3"),
        ({"deals": 0}, "deals is 0"),
        ({"held_out": 1}, "held_out is 1"),
        ({"search_deals": -1}, "search_deals is -1"),
        ({"seed": 2**30}, "seed is 1073741824"),
        ({"sigma": 0.0}, "sigma is 0.0"),
        ({"sigma": float("nan")}, "sigma is nan"),
        ({"margin": -1.0}, "margin is -1.0"),
        ({"weights": Path("nowhere/weights.json")}, "weights is 'nowhere/weights.json'"),
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        main(tiny(tmp_path, **changes))


def test_games_that_cannot_be_tuned(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="piraten_kapern-v0 has nothing to tune"):
        main(tiny(tmp_path, game="piraten_kapern"))
    with pytest.raises(UnknownGameError):
        main(tiny(tmp_path, game="whist"))
