"""A floor under the batch's speed: as a multiple of a fixed NumPy loop, so that it means the same on any machine."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.jit import is_compiled
from tests.games.setups import seats_near

LANES, CHOICES, STEPS, TRIES = 1024, 64, 20, 7
FLOOR = 0.4  # measured: 2 to 6, and not less than 1.1 beside four other programs on two cores


def seconds(play: Callable[[], object]) -> float:
    """Of a processor, so that other programs on it do not count."""
    start = time.process_time()
    play()
    return time.process_time() - start


def numpy_draws() -> None:
    """One of `CHOICES` drawn for each lane, as a loop in NumPy would draw actions, and nothing else."""
    chance, masks = np.random.default_rng(1), np.ones((LANES, CHOICES), bool)
    for _ in range(STEPS):
        (chance.random((LANES, CHOICES)) * masks).argmax(1)


def speed(name: str) -> float:
    """Steps of a batch (drawing, playing, observing, masks) in the time in which NumPy only draws; both at their fastest.

    They take turns, so that whatever else the machine does slows both down.
    """
    batch = pirate_envs.Batch(pirate_envs.load(name, players=seats_near(name, 4)), LANES, seed=1)

    def play() -> None:
        for _ in range(STEPS):
            batch.step(batch.random_actions())

    play()
    ours, theirs = zip(*((seconds(play), seconds(numpy_draws)) for _ in range(TRIES)), strict=True)
    return min(theirs) / min(ours)


@pytest.mark.skipif(not is_compiled(), reason="a floor of compiled code")
@pytest.mark.parametrize("name", pirate_envs.games())
def test_a_batch_is_not_slower_than_the_floor(name: str) -> None:
    assert speed(name) > FLOOR
