"""How much sooner several threads are done than one: steps of a batch, `play`, search, and the learner.

    python -m experiments.studies.threads --write

One thread and several take turns, so that a noisy machine disturbs both alike; what counts is the ratio within a turn. A batch
plays random legal actions; of its single steps the drawing is not timed, `play` draws, too. The search chooses at every tenth
decision of a match that the strongest rule player plays; several threads share its iterations. The learner's work is a rollout
with its update. With --write the table is kept in experiments/results.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import pirate_envs
from experiments.command import RESULTS, check_numbers, run_command
from pirate_envs.agents import agent
from pirate_envs.agents.learning import PPOSettings, Training
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.game import Game
from pirate_envs.core.options import whole_number
from pirate_envs.engine.threads import MOST_THREADS, checked_threads

SEARCHED = ("skull_king", "lucky_pirate", "piratenpoker")  # hidden cards: games in which players search
LEARNED = "skull_king"
STEPS, EVERY, AT_MOST = 30, 10, 120  # timed steps of a batch in a turn; which decisions of how many are searched

Work = Callable[[], float]
"""It is done once; how many seconds that took."""


@dataclass
class ThreadsSettings:
    """Time one thread against several."""

    threads: int = 2
    """how many, at least 2"""
    lanes: tuple[int, ...] = (4096, 16384)
    """matches in lockstep"""
    iterations: int = 4000
    """of a search"""
    turns: int = 9
    """of each side, after one that is not counted"""
    write: bool = False
    """keep the table in experiments/results"""


def seconds(work: Callable[[], object]) -> float:
    """What a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def steps_of(game: Game, lanes: int, threads: int) -> Work:
    """Single steps, without the drawing of their actions."""
    batch = pirate_envs.Batch(game, lanes, seed=1, threads=threads)

    def work() -> float:
        return sum(seconds(partial(batch.step, batch.random_actions())) for _ in range(STEPS))

    return work


def play_of(game: Game, lanes: int, threads: int) -> Work:
    """As many steps in one call."""
    batch = pirate_envs.Batch(game, lanes, seed=1, threads=threads)
    return partial(seconds, partial(batch.play, STEPS))


def search_of(game: Game, iterations: int, threads: int) -> Work:
    """Searches along one match."""
    searcher = agent(game, f"search:ismcts:{iterations}" + (f":threads={threads}" if threads > 1 else ""))
    waiting: list[np.record] = []
    g = game.new(3)
    while not game.is_over(g) and len(waiting) < AT_MOST:
        if len(game.legal_actions(g)) > 1:
            waiting.append(g.copy())
        game.apply(g, game.rule_action(g))

    def work() -> None:
        for record in waiting[::EVERY]:
            searcher.act(decisions_of(game, record))

    return partial(seconds, work)


def learning_of(threads: int) -> Work:
    """A rollout and its update."""
    settings = PPOSettings(LEARNED, threads=threads, precision="float32", decisions=10**9, out=None)
    return partial(seconds, Training(None, settings).iterate)


def all_work(settings: ThreadsSettings) -> dict[tuple[str, str], Callable[[int], Work]]:
    """What is timed, and in which game -> its work by so many threads."""
    work: dict[tuple[str, str], Callable[[int], Work]] = {}
    games = {name: pirate_envs.load(name) for name in pirate_envs.games()}
    for lanes in settings.lanes:
        for name, game in games.items():
            work[f"`step` of {lanes:,} lanes", name] = partial(steps_of, game, lanes)
            work[f"`play({STEPS})` of {lanes:,} lanes", name] = partial(play_of, game, lanes)
    for name in SEARCHED:
        work[f"`search:ismcts:{settings.iterations}`", name] = partial(search_of, games[name], settings.iterations)
    work["PPO", LEARNED] = learning_of
    return work


def ratios(work: Callable[[int], Work], threads: int, turns: int) -> list[float]:
    """How many times sooner so many threads are done than one, turn by turn."""
    one, several = work(1), work(threads)
    return [one() / several() for _ in range(turns + 1)][1:]


def main(settings: ThreadsSettings) -> None:
    """Measure, print and perhaps write. Raises BatchError for a number of threads or lanes that cannot be."""
    whole_number("--threads", checked_threads(settings.threads), 2, MOST_THREADS)
    check_numbers(settings, iterations=(1, 10**6), turns=(1, 10**6))
    found = {key: ratios(work, settings.threads, settings.turns) for key, work in all_work(settings).items()}
    rows = [(what, game, *(f"{f(each):.2f}" for f in (statistics.median, min, max))) for (what, game), each in found.items()]
    measured_by = command("experiments.studies.threads")
    head = ("what", "game", f"{settings.threads} threads, times one", "lowest", "highest")
    page = f"{markdown_table(head, rows, 'llr')}\nMedians of {settings.turns} turns. {machine()}. Command: `{measured_by}`.\n"
    print(page)
    if settings.write:
        content = {"command": measured_by, "machine": machine(), "times": {" ".join(key): each for key, each in found.items()}}
        Results(RESULTS).write("threads", content, page)


if __name__ == "__main__":
    run_command(main, ThreadsSettings, __doc__)
