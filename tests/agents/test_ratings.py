"""Ratings and alpha-rank, against hand-made cases."""

import numpy as np
import pytest

from pirate_envs.agents.arena.ratings import MEAN, alpha_rank, plackett_luce, ranks_of


def test_ranks_put_winners_first_then_points():
    points = np.array([[5, 9, 5, 1], [3, 3, 3, 3], [7, 8, 0, 0]])
    wins = np.array([[0, 1, 0, 0], [0.25] * 4, [1, 0, 0, 0]])
    assert ranks_of(points, wins).tolist() == [[1, 0, 1, 3], [0, 0, 0, 0], [0, 1, 2, 2]]


def test_two_players_are_rated_by_their_odds():
    """Three wins in four are odds of three: 400 * log10(3) = 191 points apart."""
    seats, ranks = np.array([[0, 1], [0, 1]]), np.array([[0, 1], [1, 0]])
    first, second = plackett_luce(seats, ranks, np.array([750.0, 250.0]), 2)
    assert first - second == pytest.approx(191, abs=10)  # a little nearer, by the ridge
    assert first + second == pytest.approx(2 * MEAN)


def test_ratings_find_the_strengths_that_made_the_results():
    generator = np.random.default_rng(1)
    strength = np.array([1.0, 2.0, 4.0, 8.0])
    keys = np.argsort(-(np.log(strength) + generator.gumbel(size=(20_000, 4))), axis=1)
    ranks = np.argsort(keys, axis=1)
    found = plackett_luce(np.tile(np.arange(4), (20_000, 1)), ranks, np.ones(20_000), 4)
    assert np.diff(found) == pytest.approx(400 * np.log10(2), abs=8)


def test_empty_seats_and_repeated_players_count_for_nothing():
    seats = np.array([[0, 1, 1], [1, 0, 0]])
    ranks = np.array([[0, 1, 2], [0, 1, -1]])
    alone = plackett_luce(np.array([[1, 0]]), np.array([[0, 1]]), np.array([5.0]), 2)
    assert plackett_luce(seats[1:], ranks[1:], np.array([5.0]), 2) == pytest.approx(alone)
    assert np.isfinite(plackett_luce(seats, ranks, np.array([1e6, 0.0]), 2)).all()


def test_who_are_last_together_are_not_told_apart():
    """One winner among three, again and again by the same strengths: only its odds against each are known."""
    seats, ranks = np.array([[0, 1, 2]] * 3), np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    found = plackett_luce(seats, ranks, np.array([800.0, 100.0, 100.0]), 3)
    assert found[1] == pytest.approx(found[2])
    assert found[0] - found[1] == pytest.approx(400 * np.log10(8), abs=25)


def test_alpha_rank_finds_who_cannot_be_displaced_and_who_go_in_circles():
    ladder = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]])
    assert alpha_rank(ladder)[0] > 0.95
    circle = np.array([[0.5, 0.9, 0.1, 0.9], [0.1, 0.5, 0.9, 0.9], [0.9, 0.1, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])
    shares = alpha_rank(circle)
    assert shares[:3] == pytest.approx([1 / 3] * 3, abs=0.02) and shares[3] < 0.03
    assert alpha_rank(np.full((4, 4), 0.25)) == pytest.approx([0.25] * 4)
    assert alpha_rank(np.ones((1, 1))).tolist() == [1.0]
