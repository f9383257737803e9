"""Search iterations a second, beside OpenSpiel's C++ ISMCTS on a trick-taking game of like size, in one run.

    pip install open_spiel && python -m experiments.studies.search_speed

Both search the first decision of a deal of ten cards each to four players, with uniform playouts to the end of the hand.
The two take turns, so that a noisy machine disturbs both alike. Without OpenSpiel only the engine's own rows are printed.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import run_command
from experiments.throughput import RESULTS, machine
from pirate_envs import load
from pirate_envs.core.files import write_text
from pirate_envs.search.tree import SearchSettings, Tree


@dataclass
class Options:
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


def main(options: Options) -> None:
    searches = {
        "skull_king hand 10, information-set tree": ours(options.iterations, flat=False),
        "skull_king hand 10, flat": ours(options.iterations, flat=True),
    }
    if importlib.util.find_spec("pyspiel"):
        searches["OpenSpiel oh_hell, 10 tricks, ISMCTSBot (C++)"] = theirs(options.iterations)
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in searches}
    for turn in range(options.repeats + 1):
        for name, search in searches.items():
            start = time.perf_counter()
            played = search(turn + 1)
            spent = time.perf_counter() - start
            if turn:  # the first one compiles
                rates[name].append((options.iterations / spent, played / spent))
    lines = ["| search | iterations/s | slowest | fastest | playout decisions/s |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, both in rates.items():
        speed, rate = np.array(both).T
        decisions = f"{np.median(rate):,.0f}" if rate.any() else "-"
        lines.append(f"| {name} | {np.median(speed):,.0f} | {speed.min():,.0f} | {speed.max():,.0f} | {decisions} |")
    command = " ".join(["python -m experiments.studies.search_speed", *sys.argv[1:]])
    text = "\n".join(
        [*lines, "", f"Medians of {options.repeats} searches, one core of: {machine()}. Command: `{command}`.", ""]
    )
    print(text)
    if options.write:
        write_text(RESULTS / "search_speed.md", text)
        write_text(Path(RESULTS / "search_speed.json"), json.dumps({"command": command, "rates": rates}, indent=1))


if __name__ == "__main__":
    run_command(main, Options, __doc__)
