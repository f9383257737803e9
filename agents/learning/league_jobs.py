"""What a league's workers do: parts of a learner's lesson, and duels. A job is all that its result depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.learning.network import take_over
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.saved import restore_optimizer, restore_weights, whole
from pirate_envs.agents.learning.settings import PPOSettings
from pirate_envs.agents.learning.training import games_of
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game

Arrays = Mapping[str, np.ndarray]
WON, DECISIONS, POLICY = "won", "decisions", "policy."
CARRIED = ("model.", "adam.")
"""How the arrays begin that a learner takes from one lesson into the next: its lanes are dealt anew."""


class Job(Protocol):
    """A piece of a round's work, done by a worker."""

    @property
    def name(self) -> str:
        """Under which its result is kept; no other job of the round has it."""

    def __call__(self) -> dict[str, np.ndarray]:
        """Do it."""


def do_job(job: Job) -> dict[str, np.ndarray]:
    """Work for workers, whose chunks are jobs."""
    return job()


@dataclass(frozen=True)
class Duel:
    """One of a player among copies of another: its share of the matches won, by deal."""

    name: str
    game: Game
    one: Agent
    others: Agent
    deals: int
    seed: int

    def __call__(self) -> dict[str, np.ndarray]:
        line_up = [self.one, *[self.others] * (self.game.players - 1)]
        outcomes = play(self.game, line_up, range(self.deals), self.seed)
        return {WON: outcomes.wins[:, :, 0].mean(axis=1)}


@dataclass(frozen=True)
class LessonPart:
    """A part of a learner's lesson, up to `until` of its decisions in the lesson."""

    name: str
    learner: str
    settings: PPOSettings
    """How it learns; the seed is the lesson's."""
    mix: Mapping[str, float]
    """Opponent's name -> weight."""
    opponents: Mapping[str, Agent]
    """Those that the compiled loop does not play, by name; the same in all parts of a lesson."""
    saved: Arrays
    """What the part before has left; nothing: the lesson begins."""
    carried: Arrays
    """For the first part: weights and optimiser of the lesson before, if there was one."""
    policy: Policy | None
    """For the first part, if nothing is carried: whose weights it begins with; None: random ones."""
    until: int
    rates: tuple[float, float]
    """Learning rate at the beginning and at the end of the lesson, a straight line between."""
    lesson: int
    """Decisions of the whole lesson."""
    warm_up: int
    """Decisions in which it learns to judge alone."""

    def __call__(self) -> dict[str, np.ndarray]:
        paying = games_of(self.settings)[1]
        learner = PPO(paying, self.settings)
        learner.meet(self.mix, self.opponents)
        self._go_back(learner)
        with judging_alone(learner):
            while learner.decisions < min(self.warm_up, self.until):
                learner.iterate(self._rate(learner.decisions))
        while learner.decisions < self.until:
            learner.iterate(self._rate(learner.decisions))
        return {
            **{name: np.array(array) for name, array in learner.arrays().items()},
            **policy_arrays(learner.policy(greedy=True)),
            DECISIONS: np.array([learner.decisions]),
        }

    def _go_back(self, learner: PPO) -> None:
        """To where the part before, or the lesson before, has left it."""
        if self.saved:
            decisions = int(self.saved[DECISIONS][0])
            learner.restore(self.saved, {"decisions": decisions, "precision": self.settings.precision})
        elif self.carried:
            restore_weights(learner.network, self.carried)
            restore_optimizer(learner.optimizer, self.carried)
        elif self.policy is not None:
            take_over(learner.network, self.policy)

    def _rate(self, decisions: int) -> float:
        start, end = self.rates
        return start + (end - start) * min(1.0, decisions / self.lesson)


@contextmanager
def judging_alone(learner: PPO) -> Iterator[None]:
    """Within it the learner's play stays as it is: only what judges learns."""
    network = learner.network
    playing = [*network.trunk.parameters(), *network.logits.parameters()]
    hooks = [parameter.register_hook(torch.zeros_like) for parameter in playing]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


# -- as arrays ---------------------------------------------------------------------------------------------------------


def carried_from(arrays: Arrays) -> dict[str, np.ndarray]:
    """What a learner takes into its next lesson."""
    return {name: array for name, array in arrays.items() if name.startswith(CARRIED)}


def decisions_in(arrays: Arrays, most: int) -> int:
    """How far a part came. Raises CheckpointError."""
    found: Any = arrays.get(DECISIONS)
    if found is None or found.shape != (1,) or found.dtype != np.int64:
        raise CheckpointError(f"{DECISIONS} is not there, or no number")
    return whole(DECISIONS, int(found[0]), most)


def policy_arrays(policy: Policy) -> dict[str, np.ndarray]:
    """Its layers by name."""
    layers = enumerate(policy.layers)
    return {f"{POLICY}{n}.{what}": array for n, layer in layers for what, array in zip(("weight", "bias"), layer, strict=True)}


def policy_from(game: Game, arrays: Arrays, activation: str, name: str) -> Policy:
    """The player that a part has left. Raises CheckpointError."""
    count = sum(key.startswith(POLICY) for key in arrays) // 2
    try:
        layers = [(arrays[f"{POLICY}{n}.weight"], arrays[f"{POLICY}{n}.bias"]) for n in range(count)]
    except KeyError as error:
        raise CheckpointError(f"{error.args[0]} is not there") from None
    return Policy(game, layers, activation, name=name)
