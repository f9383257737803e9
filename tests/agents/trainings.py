"""Training runs that take no time, one of each learner, and the lanes that they play on."""

from __future__ import annotations

from typing import Any

from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import MaskablePPOSettings, PPOSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.engine.lanes import Lanes

VALUES: dict[str, Any] = {
    "game": "skull_king", "decisions": 3072, "options": {"last_hand": 2}, "lanes": 32, "steps": 16, "batch": 256, "epochs": 1,
    "width": 16, "evaluate_minutes": 1e-9, "evaluate_deals": 4, "final_deals": 8, "checkpoint_minutes": 1e-9,
    "snapshot_every": 1024, "older": 2,
}  # fmt: skip
TINY = MaskablePPOSettings(**VALUES)
TINY_PPO = PPOSettings(**VALUES, critic="all_hands", self_play=0.5, precision="float32")


def lanes(training: Training) -> Lanes:
    return training.learner.lanes if isinstance(training.learner, PPO) else training.learner.env.lanes
