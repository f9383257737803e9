"""Mean decisions of a match of uniform legal actions, by the referees: ``python -m tests.games.lengths``."""

import random
import statistics
from typing import Any

import pirate_envs
from tests.games.setups import setup_of, table_of


def length(referee: Any, rng: random.Random) -> int:
    decisions = 0
    while not referee.over:
        referee.apply(rng.choice(referee.legal()))
        decisions += 1
    return decisions


if __name__ == "__main__":
    for name in pirate_envs.games():
        setup, game = setup_of(name), table_of(name, 4)
        lengths = [length(setup.referee(game, seed), random.Random(seed)) for seed in range(400)]
        error = statistics.stdev(lengths) / len(lengths) ** 0.5
        mean = statistics.mean(lengths)
        print(f"{name}: {mean:.1f} +- {error:.1f} decisions a match of {game.players} players, {len(lengths)} matches")
