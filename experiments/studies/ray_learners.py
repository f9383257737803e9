"""How much faster learners on a Ray cluster are together than one of them alone.

    ray start --head --num-cpus=3                    one more than learners: the one alone, which waits meanwhile
    python -m experiments.studies.ray_learners --learners 2

One learner and several learn by turns, an iteration each, with the usual lanes and minibatch; what is compared are decisions a
second of a rollout with its update, medians over the turns.
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
    turns: int = 10
    """timed iterations of each, after one that is not"""
    address: str | None = None
    """HOST:PORT of a Ray cluster's head; none given: the one that RAY_ADDRESS names or that runs here, else one is started"""


def rate(training: Training) -> float:
    """Decisions a second of an iteration."""
    start, before = time.perf_counter(), training.decisions
    training.iterate()
    return (training.decisions - before) / (time.perf_counter() - start)


def main(settings: RayLearnersSettings) -> dict[int, list[float]]:
    """Measure and print."""
    one = PPOSettings(settings.game, on="ray", address=settings.address, precision="float32", decisions=10**9, out=None)
    several = dataclasses.replace(one, learners=settings.learners)
    for each in (one, several):
        each.check()
    trainings = [Training(None, each) for each in (one, several)]
    rates: dict[int, list[float]] = {1: [], settings.learners: []}
    for turn in range(settings.turns + 1):
        for training, found in zip(trainings, rates.values(), strict=True):
            measured = rate(training)
            if turn:
                found.append(measured)
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
    ratios = [several / one for one, several in zip(*rates.values(), strict=True)]
    print(f"times one, turn by turn: {', '.join(f'{ratio:.2f}' for ratio in ratios)}; median {statistics.median(ratios):.2f}")
    print(markdown_table(["learners", "decisions/s (median)", "lowest to highest", "times one"], rows, "r"))
    print(machine())
    return rates


if __name__ == "__main__":
    run_command(main, RayLearnersSettings, __doc__)
