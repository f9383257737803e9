"""Search iterations a second, beside OpenSpiel's C++ ISMCTS on a trick-taking game of like size, in one run.

    pip install open_spiel && python -m experiments.studies.search_speed

Both search the first decision of a deal of ten cards each to four players, with uniform playouts to the end of the hand.
The two take turns, so that a noisy machine disturbs both alike. Without OpenSpiel only the engine's own rows are printed.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.command import RESULTS, check_numbers, run_command
from pirate_envs import load
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.search.tree import SearchSettings, Tree


@dataclass
class SearchSpeedSettings:
    """Measure search."""

    iterations: int = 1000
    """of one search"""
    repeats: int = 15
    """searches of each kind"""
    write: bool = False
    """keep the table in experiments/results"""


def ours(iterations: int, flat: bool) -> Callable[[int], int]:
    """A search of Skull King's tenth hand; returns the decisions played in it."""
    game = load("skull_king", players=4, first_hand=10)
    g = game.new(1)
    root = np.array([game.redacted(g, game.seat_to_move(g))])
    tree = Tree(game, iterations, SearchSettings(depth=1 if flat else 1 << 30, horizon=1))

    def search(seed: int) -> int:
        tree.plant(root)
        tree.grow(seed, 0, iterations)
        return tree.decisions

    return search


def theirs(iterations: int) -> Callable[[int], int]:
    """OpenSpiel's search of Oh Hell with ten tricks."""
    import pyspiel  # noqa: PLC0415  (not among the project's dependencies)

    game = pyspiel.load_game("oh_hell(players=4,num_tricks_fixed=10)")
    state, draw = game.new_initial_state(), np.random.default_rng(1)
    while state.is_chance_node():
        state.apply_action(int(draw.choice(state.legal_actions())))

    def search(seed: int) -> int:
        rollouts: Any = pyspiel.RandomRolloutEvaluator(1, seed)
        visits = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        pyspiel.ISMCTSBot(seed, rollouts, 1.4, iterations, -1, visits, False, False).step(state)
        return 0

    return search


def main(settings: SearchSpeedSettings) -> None:
    check_numbers(settings, iterations=(1, 10**6), repeats=(1, 1000))
    searches = {
        "skull_king hand 10, information-set tree": ours(settings.iterations, flat=False),
        "skull_king hand 10, flat": ours(settings.iterations, flat=True),
    }
    if importlib.util.find_spec("pyspiel"):
        searches["OpenSpiel oh_hell, 10 tricks, ISMCTSBot (C++)"] = theirs(settings.iterations)
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in searches}
    for turn in range(settings.repeats + 1):
        for name, search in searches.items():
            start = time.perf_counter()
            played = search(turn + 1)
            spent = time.perf_counter() - start
            if turn:  # the first one compiles
                rates[name].append((settings.iterations / spent, played / spent))
    rows = []
    for name, both in rates.items():
        speed, rate = np.array(both).T
        decisions = f"{np.median(rate):,.0f}" if rate.any() else "-"
        rows.append([name, *(f"{value:,.0f}" for value in (np.median(speed), speed.min(), speed.max())), decisions])
    table = markdown_table(["search", "iterations/s", "slowest", "fastest", "playout decisions/s"], rows, "lr")
    measured_by = command("experiments.studies.search_speed")
    page = f"{table}\nMedians of {settings.repeats} searches, one core of: {machine()}. Command: `{measured_by}`.\n"
    print(page)
    if settings.write:
        Results(RESULTS).write("search_speed", {"command": measured_by, "rates": rates}, page)


if __name__ == "__main__":
    run_command(main, SearchSpeedSettings, __doc__)
