"""A saved run that a stranger has changed, its seal right: refused with the typed error, or learned on from soundly."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from pirate_envs import CheckpointError
from pirate_envs.agents.learning.settings import MaskablePPOSettings, PPOSettings
from pirate_envs.games import shipped
from tests.games.setups import table_of
from tests.hostile import GOOD, ROWS, Door, hostile_rows, outcomes

pytestmark = pytest.mark.usefixtures("torch_settings")


def a_learner(name: str, kind: str) -> Any:
    """A small learner after two iterations."""
    common = {"lanes": ROWS, "steps": 8, "width": 8, "layers": 1, "batch": 32, "epochs": 1}
    game = table_of(name, 3)
    if kind == "ppo":
        from pirate_envs.agents.learning.ppo import PPO

        learner: Any = PPO(game, PPOSettings(game=name, precision="float32", **common))
    else:
        from pirate_envs.agents.learning.maskable_ppo import MaskablePPOLearner

        learner = MaskablePPOLearner(game, MaskablePPOSettings(game=name, **common))
    for _ in range(2):
        learner.iterate(1e-3)
    return learner


def spoilt(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An array of another shape or type, with other bytes, or with what is no number."""
    how = rng.integers(6)
    if how == 0:
        return array.reshape(-1)[: array.size // 2].copy()
    if how == 1:
        return array.reshape(-1)[:1].copy()
    if how == 2:
        return array.astype(np.float64 if array.dtype != np.float64 else np.float32)
    changed = array.copy()
    if how == 3 and array.dtype.kind == "f":
        changed[...] = rng.choice([np.nan, np.inf, -1.0])
    elif how == 4 and array.dtype.kind == "i":
        changed[...] = rng.choice([-2, 100, np.iinfo(np.int32).max])
    elif array.dtype.kind != "f":
        cells = changed.reshape(-1).view(np.uint8)
        cells[rng.integers(len(cells), size=4)] = rng.integers(256, size=4)
    return changed


def resume(name: str, kind: str) -> Door:
    """`restore` of a learner, then an iteration."""
    learner = a_learner(name, kind)
    arrays, numbers = learner.arrays(), learner.numbers()
    prefix = "lanes" if kind == "ppo" else "env"
    game = table_of(name, 3)

    def door(rng: np.random.Generator) -> None:
        changed = {at: array.copy() for at, array in arrays.items()}
        if rng is GOOD or rng.random() < 0.4:
            changed[f"{prefix}.records"] = hostile_rows(game, rng).view(np.uint8)
        else:
            at = str(rng.choice([each for each in changed if not each.startswith("model.") or rng.random() < 0.2]))
            changed[at] = spoilt(changed[at], rng)
        learner.restore(changed, numbers)
        learner.iterate(1e-3)
        assert all(np.isfinite(array).all() for at, array in learner.arrays().items() if at.startswith("model."))

    return door


CASES = [*((name, "ppo") for name in shipped()), ("skull_king", "sb3")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_hostile_resume_is_refused_or_learned_on_from(name: str, kind: str) -> None:
    counts = outcomes(resume(name, kind), 100)
    assert counts["refused"] > 30 and counts["played"] > 5


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_many_hostile_resumes_are_refused_or_learned_on_from(name: str, kind: str) -> None:
    assert outcomes(resume(name, kind), 20_000, first=1000).total() == 20_000


@pytest.mark.parametrize("kind", ["ppo", "sb3"])
def test_what_cannot_be_is_named(kind: str) -> None:
    learner = a_learner("skull_king", kind)
    arrays, numbers = learner.arrays(), learner.numbers()
    prefix = "lanes" if kind == "ppo" else "env"
    square = arrays["adam.0.exp_avg_sq"]
    players = learner.arrays()[f"{prefix}.records"].view(table_of("skull_king", 3).state)
    players["players"] = 100
    for at, array, why in (
        ("adam.0.exp_avg_sq", square.reshape(-1)[:1], "adam.0.exp_avg_sq has shape (1,)"),
        ("adam.0.exp_avg_sq", square[: len(square) // 2], "adam.0.exp_avg_sq has shape"),
        ("adam.0.exp_avg_sq", -np.ones_like(square), "adam.0.exp_avg_sq is out of range"),
        ("adam.0.step", np.zeros((), np.float32), "adam.0.step is out of range"),
        ("adam.99.step", np.ones((), np.float32), "adam.99.step is out of range"),
        (f"{prefix}.records", players.view(np.uint8), "dealt with players=100"),
    ):
        with pytest.raises(CheckpointError, match=re.escape(why)):
            learner.restore({**arrays, at: array}, numbers)
    learner.restore(arrays, numbers)


def test_numpys_generator_is_not_led_beyond_its_words() -> None:
    learner = a_learner("skull_king", "sb3")
    numbers = learner.numbers()
    for position in (625, -1, 10**9, True):
        with pytest.raises(CheckpointError, match="numpy_random is"):
            learner.restore(learner.arrays(), {**numbers, "numpy_random": [position, *numbers["numpy_random"][1:]]})
