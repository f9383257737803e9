"""What a learner is, and the ones there are: each is imported when it is asked for, so that one needs no other's libraries."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from pirate_envs.agents.learning.settings import PPOSettings, Settings
from pirate_envs.agents.policy import Policy

from pirate_envs.core.errors import MissingExtraError
from pirate_envs.core.game import Game
from pirate_envs.engine.player import OutsidePlayer


class Learner(Protocol):
    """Plays and learns by turns; `Training` gives it opponents, measures it and keeps its state."""

    metrics: tuple[str, ...]
    """Columns of metrics.csv: decisions, minutes, decisions_per_second and what `iterate` returns."""

    @property
    def decisions(self) -> int:
        """Decisions made so far."""

    def iterate(self, learning_rate: float) -> dict[str, float]:
        """One rollout and its update; returns what is to be known of it."""

    def meet(self, mix: Mapping[str, float], policies: Mapping[str, OutsidePlayer]) -> None:
        """Play against these shares of players from now on, the game's own or those of `policies`."""

    def policy(self, *, greedy: bool) -> Policy:
        """A copy of the policy that plays without torch."""

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays that learning on needs, by name."""

    def numbers(self) -> dict[str, Any]:
        """The rest of the state, ready for JSON."""

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Go back to a saved state, the opponents already set. Raises CheckpointError."""


LEARNERS = {
    "ppo": ("pirate_envs.agents.learning.ppo", "PPO", PPOSettings),
    "sb3": ("pirate_envs.agents.learning.maskable_ppo", "MaskablePPOLearner", Settings),
}
"""Name -> module, class and settings; a learner more is a line more."""


def settings_of(learner: object) -> type[Settings]:
    """The settings of a learner; an unknown one is refused when they are checked."""
    return LEARNERS[learner][2] if isinstance(learner, str) and learner in LEARNERS else Settings


def make_learner(game: Game, settings: Settings) -> Learner:
    """The learner that the settings name; `game` pays as it is to be paid. Raises OptionError or MissingExtraError."""
    module, name, _ = LEARNERS[settings.learner]
    try:
        learner = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"--learner {settings.learner} needs {error.name}: pip install 'pirate-envs[train]'") from None
    made: Learner = learner(game, settings)
    return made
