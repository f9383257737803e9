"""How much faster learners on a Ray cluster are together than one of them alone.

    ray start --head --num-cpus=3                    one more than learners: the one alone, which waits meanwhile
    python -m experiments.studies.ray_learners --learners 2 --write

One learner and several learn by turns, an iteration each, with the usual lanes and minibatch; what is compared are decisions a
second of a rollout with its update, medians over the turns. Beside them stands what two processes that only multiply matrices
get through, in the same turns: more than that no learners can. With --write the table is kept in experiments/results.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import statistics
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch

from experiments.command import RESULTS, GameName, check_numbers, run_command
from pirate_envs.agents.arena.ray_cluster import connect
from pirate_envs.agents.learning import PPOSettings, Training
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import ClusterError


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
    write: bool = False
    """keep the table in experiments/results"""


def rate(training: Training) -> float:
    """Decisions a second of an iteration."""
    start, before = time.perf_counter(), training.decisions
    training.iterate()
    return (training.decisions - before) / (time.perf_counter() - start)


def multiply(seconds: float) -> float:
    """A learner's matrix products a second, for so long, by one thread of this process."""
    torch.set_num_threads(1)
    layer, minibatch = torch.rand(256, 256), torch.rand(4096, 256)
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        minibatch @ layer
        count += 1
    return count / (time.perf_counter() - start)


def check_room(settings: RayLearnersSettings) -> None:
    """Raises ClusterError unless all learners, and the one alone, find a core: none gives its own up while it waits."""
    needed, cores = settings.learners + 1, int(connect(settings.address).cluster_resources().get("CPU", 0))
    if cores < needed:
        raise ClusterError(
            f"this Ray cluster has {cores} cores; one learner alone and {settings.learners} together need {needed}: "
            f"start one with `ray start --head --num-cpus={needed}`"
        )


def main(settings: RayLearnersSettings) -> dict[str, Any]:
    """Measure, print and perhaps write."""
    check_numbers(settings, learners=(2, 1000), turns=(1, 1000))
    one = PPOSettings(settings.game, on="ray", address=settings.address, precision="float32", decisions=10**9, out=None)
    several = dataclasses.replace(one, learners=settings.learners)
    for each in (one, several):
        each.check()
    check_room(settings)
    trainings = {each.learners: Training(None, each) for each in (one, several)}
    rates: dict[int, list[float]] = {learners: [] for learners in trainings}
    products: dict[int, list[float]] = {learners: [] for learners in trainings}
    with ProcessPoolExecutor(settings.learners, mp_context=multiprocessing.get_context("spawn")) as pool:
        for turn in range(settings.turns + 1):
            for learners, training in trainings.items():
                learned = rate(training)
                multiplied = sum(pool.map(multiply, [1.0] * learners))
                if turn:  # the first warms up
                    rates[learners].append(learned)
                    products[learners].append(multiplied)
    content = {"command": command("experiments.studies.ray_learners"), "machine": machine(), "game": settings.game,
               "rates": rates, "products": products}  # fmt: skip
    page = table(content)
    print(page)
    if settings.write:
        Results(RESULTS).write("ray_learners", content, page)
    return content


def table(content: Mapping[str, Any]) -> str:
    """As Markdown: what so many learners do, and what as many processes multiply, beside one."""
    rows = []
    for learners, found in content["rates"].items():
        times = [
            statistics.median(many / one for one, many in zip(next(iter(kind.values())), kind[learners], strict=True))
            for kind in (content["rates"], content["products"])
        ]
        spread = f"{min(found):,.0f} to {max(found):,.0f}"
        rows.append((learners, f"{statistics.median(found):,.0f}", spread, *(f"{ratio:.2f}" for ratio in times)))
    head = ("learners", "decisions/s", "lowest to highest", "times one", "matrix products alone, times one")
    return (
        f"{markdown_table(head, rows, 'r')}\nMedians over turns, ratios within one, {content['game']}. {content['machine']}. "
        f"Measured by `{content['command']}`.\n"
    )


if __name__ == "__main__":
    run_command(main, RayLearnersSettings, __doc__)
