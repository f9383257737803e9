"""What results say about players: ratings by a fitted Plackett-Luce model; alpha-rank where the field may go in circles.

Both take all results at once, so that no order of matches matters. Intervals are the caller's, who resamples deals.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.extras import import_extra

MEAN, POINTS_FOR_TENFOLD = 1500.0, 400.0  # the scale that chess made familiar
RIDGE = 0.01  # holds a player that has won, or lost, every match at a finite rating
SELECTION = 0.01  # chance that a weaker newcomer takes over all the same


def ranks_of(points: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """How many came out ahead of each: first the winners, then by points; both (..., n), the ranks int8."""
    order = np.where(wins > 0, np.inf, points)
    return (order[..., None, :] > order[..., :, None]).sum(-1).astype(np.int8)


def plackett_luce(seats: np.ndarray, ranks: np.ndarray, weights: np.ndarray, players: int) -> np.ndarray:
    """Ratings, float64 (players,), their mean 1500: 400 points more are ten times the odds to finish ahead.

    Row i says that the players seats[i] (int, (rows, n)) came out as ranks[i] (0 the first, -1 an empty seat), weights[i]
    times. Each place but the last is a choice among those who are left, in proportion to their strengths (Luce 1959,
    Plackett 1975); of equal ones each was chosen from the same set, and the last are not told apart.
    """
    placed = (ranks >= 0) & (ranks < ranks.max(axis=1, keepdims=True))
    left = ranks[:, None, :] >= ranks[:, :, None]  # row, the chosen, who was left to choose from
    left &= placed[:, :, None]
    picks = np.bincount(seats[placed], weights=np.broadcast_to(weights[:, None], seats.shape)[placed], minlength=players)
    total = max(weights.sum(), 1.0)

    def loss(strengths: np.ndarray) -> tuple[float, np.ndarray]:
        strength = np.exp(strengths)[seats]
        sums = (left * strength[:, None, :]).sum(-1)
        per_choice = np.where(placed, weights[:, None] / np.where(placed, sums, 1.0), 0.0)
        expected = np.bincount(seats.ravel(), ((left * per_choice[:, :, None]).sum(1) * strength).ravel(), players)
        value = (weights[:, None] * np.log(np.where(placed, sums, 1.0))).sum() - picks @ strengths
        return value / total + RIDGE * strengths @ strengths / 2, (expected - picks) / total + RIDGE * strengths

    minimize = import_extra("scipy.optimize", "a rating").minimize
    found = minimize(loss, np.zeros(players), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return MEAN + POINTS_FOR_TENFOLD / np.log(10) * (found - found.mean())


def alpha_rank(payoff: np.ndarray) -> np.ndarray:
    """Share of time that a population spends on each player, float64 (players,), summing to 1.

    payoff[a, b] is what one `a` gets among `b`s. A newcomer `a` takes over a population of `b`s if it gets more among them
    than a `b` would among `a`s (Omidshafiei et al. 2019, with strong selection): who cannot be displaced, or the circle
    of those who displace each other, holds the mass.
    """
    count = len(payoff)
    if count == 1:
        return np.ones(1)
    gain = payoff - payoff.T
    takes_over = np.where(gain > 0, 1 - SELECTION, np.where(gain < 0, SELECTION, 0.5))
    moves = takes_over.T / (count - 1)  # from the population of b to that of a
    np.fill_diagonal(moves, 0)
    np.fill_diagonal(moves, 1 - moves.sum(1))
    equations = np.vstack([moves.T - np.eye(count), np.ones(count)])
    return np.linalg.lstsq(equations, np.array([*[0.0] * count, 1.0]), rcond=None)[0]
