"""How much faster learners on a Ray cluster are together than one of them alone.

    python -m experiments.studies.ray_learners --learners 2

One learner and several learn by turns in one run, each with the usual lanes and minibatch; what is compared are decisions a
second of rollouts with their updates, medians over the turns.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from dataclasses import dataclass

from experiments.command import GameName, run_command
from pirate_envs.agents.learning import PPOSettings, Training
from pirate_envs.agents.report import machine, markdown_table


@dataclass
class RayLearnersSettings:
    """Time one learner of GAME against several."""

    game: GameName = "skull_king"
    """name of the game"""
    learners: int = 2
    """how many learn together"""
    turns: int = 3
    """of each"""
    iterations: int = 3
    """timed in each turn, after one that is not"""
    address: str | None = None
    """HOST:PORT of a Ray cluster's head; none given: the one that RAY_ADDRESS names or that runs here, else one is started"""


def rate(settings: PPOSettings, iterations: int) -> float:
    """Decisions a second."""
    training = Training(None, settings)
    training.iterate()
    start, before = time.perf_counter(), training.decisions
    for _ in range(iterations):
        training.iterate()
    return (training.decisions - before) / (time.perf_counter() - start)


def main(settings: RayLearnersSettings) -> dict[int, list[float]]:
    """Measure and print."""
    one = PPOSettings(settings.game, on="ray", address=settings.address, precision="float32", decisions=10**9, out=None)
    one.check()
    several = dataclasses.replace(one, learners=settings.learners)
    several.check()
    rates: dict[int, list[float]] = {1: [], settings.learners: []}
    for _ in range(settings.turns):
        for each in (one, several):
            rates[each.learners].append(rate(each, settings.iterations))
    medians = {learners: statistics.median(found) for learners, found in rates.items()}
    rows = [
        (
            learners,
            f"{medians[learners]:,.0f}",
            f"{min(found):,.0f} to {max(found):,.0f}",
            f"{medians[learners] / medians[1]:.2f}",
        )
        for learners, found in rates.items()
    ]
    print(markdown_table(["learners", "decisions/s (median)", "turns", "times one"], rows, "r"))
    print(machine())
    return rates


if __name__ == "__main__":
    run_command(main, RayLearnersSettings, __doc__)
