"""Mean decisions of a match of uniform legal actions, by the referees: ``python -m tests.reference.lengths``."""

import random
import statistics

from tests.reference.piraten_kapern import PiratenKapern
from tests.reference.skull_king import SkullKing


def length(referee: SkullKing | PiratenKapern, rng: random.Random) -> int:
    decisions = 0
    while not referee.over:
        referee.apply(rng.choice(referee.legal()))
        decisions += 1
    return decisions


if __name__ == "__main__":
    for make in (SkullKing, PiratenKapern):
        lengths = [length(make(seed), random.Random(seed)) for seed in range(400)]
        error = statistics.stdev(lengths) / len(lengths) ** 0.5
        mean = statistics.mean(lengths)
        print(f"{make.__name__}: {mean:.1f} +- {error:.1f} decisions a match of 4 players, {len(lengths)} matches")
