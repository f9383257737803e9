"""What each seat is paid for its points, by each objective, whatever stood there before."""

from __future__ import annotations

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.rewards import highest, write_rewards

STALE = 7.0


@pytest.mark.parametrize(
    ("reward", "points", "expected"),
    [
        ("win", [30, 10, 20], [1.0, -0.5, -0.5]),
        ("win", [30, 10, 30], [0.5, -1.0, 0.5]),
        ("win", [0, 0, 0], [0.0, 0.0, 0.0]),
        ("score", [30, -10, 20], [30.0, -10.0, 20.0]),
        ("margin", [30, 10, 20], [15.0, -15.0, 0.0]),
    ],
)
def test_points_are_paid(reward: str, points: list[int], expected: list[float]) -> None:
    game = pirate_envs.load("skull_king", players=3, reward=reward)
    g, paid, final = game.new(seed=1), np.full(3, STALE), np.array(points)
    write_rewards(g, final, highest(final, 3), paid)
    unit = 1.0 if reward == "win" else float(g.scale)
    assert paid * unit == pytest.approx(expected)
