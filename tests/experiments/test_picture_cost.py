"""The study of what pictures cost."""

import pirate_envs
from experiments.studies.picture_cost import costs


def test_every_position_is_drawn_twice():
    size, spent = costs(pirate_envs.load("piraten_kapern", players=2, target=100), 3).T
    assert len(size) >= 6 and len(size) % 2 == 0
    assert (size > 1000).all() and (size < 25_000).all() and (spent > 0).all()
