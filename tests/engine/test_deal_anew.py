"""A match dealt into the record of another holds nothing of that one."""

from __future__ import annotations

import numpy as np
import pytest

import pirate_envs
from pirate_envs.engine.match import Match
from tests.games.positions import random_match
from tests.games.setups import setup_of


def check_deals_anew(game: pirate_envs.Game, seed: int) -> None:
    """Over every position of a random match, and over its end; the seats are renamed from one to the next."""
    match, fresh = Match(game, seed=1), Match(game, seed=1).records.tobytes()
    for number, g in enumerate(random_match(game, seed)):
        match.records[0] = game.rotated(g, number % game.players)
        match.deal(1)
        assert match.records.tobytes() == fresh, game.view(g)


@pytest.mark.parametrize("name", pirate_envs.games())
def test_nothing_of_the_match_before_is_left(name: str) -> None:
    for options in setup_of(name).TRANSCRIPTS:
        check_deals_anew(pirate_envs.load(name, **options), seed=5)


def test_a_final_round_that_was_cut_short_is_forgotten() -> None:
    game = pirate_envs.load("piraten_kapern", players=4, target=100, max_rounds=2)
    for seed in range(5):
        check_deals_anew(game, seed)
    g = game.from_view({"scores": [0, 200, 0, 0], "turn": 2, "to_move": 2, "final_round": {"trigger": 1, "turns_left": 2}})
    match = Match(game, seed=1)
    first = match.observation.copy()
    match.records[0] = g
    match.deal(1)
    assert np.array_equal(match.observation, first)
