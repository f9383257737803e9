"""Both learners train on a game from outside the package, which has no rule players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from experiments import train
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.learning.settings import MaskablePPOSettings, PPOSettings, TrainingSettings

pytestmark = pytest.mark.usefixtures("torch_settings")
SMALL: dict[str, Any] = {
    "players": 2, "lanes": 128, "steps": 16, "batch": 512, "width": 16, "evaluate_deals": 4, "final_deals": 50,
    "learning_rate": 0.01,
}  # fmt: skip


@pytest.mark.parametrize("settings", [MaskablePPOSettings, PPOSettings], ids=["sb3", "ppo"])
def test_it_learns_to_beat_uniform_play(settings: type[TrainingSettings], tmp_path: Path) -> None:
    """By the best answers uniform play loses 11/24 of a chip a match (test_kuhn_poker.py)."""
    folder = train.main(settings("kuhn_poker", decisions=40_000, out=tmp_path, **SMALL))
    game = pirate_envs.load("kuhn_poker", reward="score")
    score = versus(game, agent(game, f"policy:{folder}"), agent(game, "random"), deals=2000).first()["score"]
    assert score.mean > 0.25
