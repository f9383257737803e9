"""Designs: one question at many tables, each with its own options, and players that learned at each of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np

from experiments.reports.estimates import Rows
from experiments.reports.report import Report
from pirate_envs.agents import agent
from pirate_envs.agents.learning.settings import PPOSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game
from pirate_envs.games import load

TRAINED = "policies trained anew"
"""Among whom a design is asked too: at every table the policy that learned there."""
TRAINED_AGAIN = "policies trained once more"
"""The same of another training (`--also`): how far do two trainings lie apart?"""
TRAININGS = (TRAINED, TRAINED_AGAIN)

Seated = Mapping[str, tuple[Game, Agent]]
"""Table -> its game, and the player there."""


@dataclass(frozen=True)
class Course:
    """How the policy of a table learns: as `python -m experiments.train` does, but for these settings."""

    decisions: int
    settings: Mapping[str, Any] = field(default_factory=dict)

    def told(self) -> str:
        """Half a sentence for what a report registers."""
        settings = "".join(f", {name.replace('_', ' ')} {value}" for name, value in self.settings.items())
        return f"from nothing, {self.decisions:,} decisions at each table alike{settings}"


class TrainedAnew(Agent):
    """At each table the policy that learned there; anywhere else it plays as at the first of them."""

    name = TRAINED

    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self.policies = policies

    def act(self, decisions: Decisions) -> np.ndarray:
        """As Agent.act."""
        return next(iter(self.policies.values())).act(decisions)


class TrainedOnceMore(TrainedAnew):
    """As TrainedAnew, of another training."""

    name = TRAINED_AGAIN


class Design(Report):
    """A report of many tables at once: the same players, the same seeds, other options."""

    tables: ClassVar[Mapping[str, Mapping[str, Any]]]
    """Name -> options; the first is the usual game."""
    course: ClassVar[Course]
    """How the policies learn, where the report asks among TRAINED."""

    @abstractmethod
    def at_tables(self, seated: Seated, deals: range) -> Rows:
        """What `sample` tells, of these players at these tables."""

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        return self.at_tables({table: self.seat(table, player) for table in self.tables}, deals)

    def seated(self) -> str:
        return f"with {self.question.among[0]} as the player"

    def seat(self, table: str, player: Agent) -> tuple[Game, Agent]:
        """A table's game, and the player there."""
        if isinstance(player, TrainedAnew):
            return load(self.game, **self.options(table)), player.policies[table]
        return _seat(self, table, player.name)

    def options(self, table: str) -> dict[str, Any]:
        """Of its game, seats among them."""
        return {"players": self.question.players, **self.tables[table]}

    def learn(self, table: str, seed: int, part: float = 1.0) -> Policy:
        """The policy of a table, or what this part of its course makes of it. A processor of another kind may make another."""
        options = self.options(table)
        settings = PPOSettings(
            game=self.game, players=options.pop("players"), options=options, seed=seed, out=None,
            decisions=max(1, round(self.course.decisions * part)), **self.course.settings,
        )  # fmt: skip
        settings.check()
        return Training(None, settings).finished()


@cache
def _seat(design: Design, table: str, player: str) -> tuple[Game, Agent]:
    """Kept, because to solve a game takes a while."""
    game = load(design.game, **design.options(table))
    return game, agent(game, player)
