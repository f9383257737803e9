"""What a learner is, and the ones there are: each is imported when it is asked for, so that one needs no other's libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from pirate_envs.agents.learning.settings import MaskablePPOSettings, PPOSettings, TrainingSettings
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import ClusterError, OptionError
from pirate_envs.core.extras import import_extra
from pirate_envs.core.game import Game
from pirate_envs.engine.player import OutsidePlayer


class Learner(Protocol):
    """Plays and learns by turns; `Training` gives it opponents, measures it and keeps its state."""

    metrics: tuple[str, ...]
    """Columns of metrics.csv: decisions, minutes, decisions_per_second and what `iterate` returns."""
    precision: str
    """What its hidden layers compute with: float32 or bfloat16."""

    @property
    def decisions(self) -> int:
        """Decisions made so far."""

    @property
    def parameters(self) -> int:
        """Numbers that are learned, those of the critic included."""

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


class LearnerLostError(ClusterError):
    """A learner's process has died; a new one can go on from the last checkpoint."""


class Entry(NamedTuple):
    """Where a learner is found."""

    module: str
    name: str
    settings: type[TrainingSettings]


LEARNERS = {
    "ppo": Entry("pirate_envs.agents.learning.ppo", "PPO", PPOSettings),
    "sb3": Entry("pirate_envs.agents.learning.maskable_ppo", "MaskablePPOLearner", MaskablePPOSettings),
}
"""By the name on the command line, the usual one first; a learner more is a line more."""


def make_learner(game: Game, settings: TrainingSettings) -> Learner:
    """The learner that the settings are for; `game` pays as it is to be paid. Raises OptionError or MissingExtraError."""
    if settings.learner not in LEARNERS:
        known = ", ".join(entry.settings.__name__ for entry in LEARNERS.values())
        raise OptionError(f"{type(settings).__name__} are no learner's settings; allowed: {known}")
    entry = LEARNERS[settings.learner]
    if getattr(settings, "on", "here") == "ray":
        entry = entry._replace(module="pirate_envs.agents.learning.together", name="Together")
    kind = getattr(import_extra(entry.module, f"the learner {settings.learner}"), entry.name)
    try:
        made: Learner = kind(game, settings)
    except MemoryError as error:
        size = f"lanes={settings.lanes}, steps={settings.steps}, width={settings.width}"
        raise OptionError(f"{size}: more than this machine's memory holds ({error})") from None
    return made
