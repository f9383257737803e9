"""Rule players' numbers: the files that hold them, and playing by others."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.baselines import Weighted
from pirate_envs.core import jit
from pirate_envs.core.errors import UnknownPlayerError, WeightsError
from pirate_envs.core.weights import FILE, Weights, constant_names, load_weights

ROOT = Path(__file__).resolve().parents[2]
WITH_WEIGHTS = [name for name in pirate_envs.games() if pirate_envs.load(name).weights is not None]
NAMES = ["courage", "greed"]


def shipped(name: str) -> Weights:
    weights = pirate_envs.load(name).weights
    assert weights is not None
    return weights


def written(folder: Path, content: Any) -> Path:
    (folder / FILE).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    written(tmp_path, {"player": "bold", "values": {"courage": 2, "greed": 0.5}, "command": "anything"})
    weights = load_weights(tmp_path, "bold", NAMES, positive=True)
    assert weights.values.tolist() == [2.0, 0.5] and weights.values.dtype == np.float64
    assert weights.names == ("courage", "greed") and weights.path == tmp_path / FILE
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0] = 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no readable JSON"),
        ("[" * 100_000, "no readable JSON"),
        ("[]", "player 'bold'"),
        ({"player": "shy", "values": {"courage": 1, "greed": 1}}, "player 'bold'"),
        ({"player": "bold", "values": [1, 2]}, "values by name"),
        ({"player": "bold", "values": {"courage": 1}}, "missing: greed; unknown: none"),
        ({"player": "bold", "values": {"courage": 1, "greed": 1, "luck": 1}}, "unknown: luck"),
        ({"player": "bold", "values": {"greed": 1, "courage": 1}}, "in their order"),
        ({"player": "bold", "values": {"courage": "1", "greed": 1}}, "courage is '1'"),
        ({"player": "bold", "values": {"courage": True, "greed": 1}}, "courage is True"),
        ({"player": "bold", "values": {"courage": None, "greed": 1}}, "courage is None"),
        ({"player": "bold", "values": {"courage": 1, "greed": float("nan")}}, "greed is nan"),
        ({"player": "bold", "values": {"courage": 1, "greed": float("inf")}}, "greed is inf"),
        ({"player": "bold", "values": {"courage": 1, "greed": 10**400}}, "greed is 1000"),
        ({"player": "bold", "values": {"courage": 1, "greed": 0}}, "above 0"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(WeightsError, match=re.escape(message)) as error:
        load_weights(written(tmp_path, content), "bold", NAMES, positive=True)
    assert str(tmp_path / FILE) in str(error.value)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="no readable JSON"):
        load_weights(tmp_path, "bold", NAMES, positive=True)


def test_numbers_may_be_negative_where_the_player_says_so(tmp_path: Path) -> None:
    written(tmp_path, {"player": "bold", "values": {"courage": -2, "greed": 0}})
    assert load_weights(tmp_path, "bold", NAMES, positive=False).values.tolist() == [-2, 0]


def test_names_of_constants_come_in_their_order() -> None:
    assert constant_names({"A": 7, "FIRST": 0, "NEXT": 1, "LAST": 2, "B": 0}, "FIRST", "LAST") == ["first", "next", "last"]


def test_every_name_stands_where_the_code_looks_for_it() -> None:
    where = {
        "lucky_pirate": ("players.weighs_odds", 0),
        "piratenpoker": ("players.loot_value", 0),
        "skull_king": ("players.weights", 0),
    }
    assert sorted(where) == WITH_WEIGHTS
    for name, (module_name, offset) in where.items():
        module = importlib.import_module(f"pirate_envs.games.{name}.{module_name}")
        named = [(i, each.upper()) for i, each in enumerate(shipped(name).names) if hasattr(module, each.upper())]
        assert len(named) >= 9
        assert [i for i, _ in named] == [offset + getattr(module, constant) for _, constant in named]
    king = importlib.import_module("pirate_envs.games.skull_king.players.weights")
    numbers = importlib.import_module("pirate_envs.games.skull_king.players").WEIGHTS
    values = dict(zip(shipped("skull_king").names, shipped("skull_king").values, strict=True))
    assert numbers[king.ODDS * king.TRUMP + king.WANT_BY_HIGHER] == values["black_want_by_higher"]
    assert numbers[king.SPOIL] == values["spoil"]


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_by_the_shipped_weights_the_strongest_plays_as_ever(name: str) -> None:
    game = pirate_envs.load(name)
    field = [agent(game, "rules:strongest")] * (game.players - 1)
    same, other = (play(game, [each, *field], range(6), 3) for each in (Weighted(game, shipped(name).values), field[0]))
    np.testing.assert_array_equal(same.points, other.points)
    np.testing.assert_array_equal(same.wins, other.wins)


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_by_other_weights_it_plays_otherwise_and_legally(name: str) -> None:
    game = pirate_envs.load(name)
    field = [agent(game, "rules:strongest")] * (game.players - 1)
    changed = shipped(name).values * np.exp(np.random.default_rng(0).normal(size=shipped(name).values.shape))
    points = play(game, [Weighted(game, changed), *field], range(6), 3).points
    assert (points != play(game, [field[0], *field], range(6), 3).points).any()


def test_weights_that_do_not_fit_are_refused() -> None:
    game = pirate_envs.load("piratenpoker")
    good = shipped("piratenpoker").values
    for bad, message in (
        (good[:-1], r"shape \(8,\)"),
        (-good, "rivalry is -"),
        (good * np.nan, "nan"),
        (["x"] * 9, "no numbers"),
    ):
        with pytest.raises(WeightsError, match=message):
            Weighted(game, bad)  # type: ignore[arg-type]
    with pytest.raises(UnknownPlayerError, match="exact_roll"):
        Weighted(pirate_envs.load("piraten_kapern"), good)


def test_the_compile_cache_notices_other_weights(tmp_path: Path) -> None:
    for folder in jit.COMPILED_FOLDERS:
        (tmp_path / folder / "game").mkdir(parents=True)
    file = written(tmp_path / "games" / "game", {"values": {"courage": 1}}) / FILE
    before = jit.source_hash(tmp_path)
    file.write_text(file.read_text().replace("1", "2"))
    assert jit.source_hash(tmp_path) != before


def test_changed_weights_change_the_rule_player_and_broken_ones_say_so(tmp_path: Path) -> None:
    """In another copy of the package, uncompiled: the constants that its code would freeze."""
    shutil.copytree(ROOT / "pirate_envs", tmp_path / "pirate_envs", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "pirate_envs" / "games" / "piratenpoker" / FILE
    code = "from pirate_envs.games.piratenpoker.players.loot_value import FOCUS, WEIGHTS; print(WEIGHTS[FOCUS])"

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)

    content = json.loads(file.read_text())
    content["values"]["focus"] = 21.5
    file.write_text(json.dumps(content))
    assert run().stdout.strip() == "21.5"
    file.write_text("half a fi")
    assert f"WeightsError: {file}: no readable JSON" in run().stderr


def test_the_wheel_takes_the_files_along() -> None:
    import tomllib

    kinds = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["*"]
    for name in WITH_WEIGHTS:
        assert any(shipped(name).path.match(kind) for kind in kinds)
