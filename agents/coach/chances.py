"""A seat's chance of winning at every position of a match, from what it knew there.

It is exact once the match is over, and at a table for two where the win is solved and both seats know the same; at a larger
table such a solution tells the chance against the best of the others, which is another one. Elsewhere the policy's value head
tells it, for the seat's view: an estimate, among players like the policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pirate_envs.agents.coach.choice import WIN
from pirate_envs.agents.coach.judging import Coach
from pirate_envs.core.game import Game


@dataclass(frozen=True)
class Chance:
    """Of winning the match."""

    win: float
    """Share of the win, 0 to 1."""
    exact: bool
    """Whether it is known; else it is the value head's estimate."""


def chances(coach: Coach, positions: Sequence[np.record], seat: int) -> list[Chance | None]:
    """The seat's at each position, to move or not; None where neither a solution nor a value head tells it."""
    told = [_known(coach, g, seat) for g in positions]
    left = [at for at, chance in enumerate(told) if chance is None]
    if left and coach.policy is not None and coach.policy.value:
        views = np.stack([coach.game.observation(positions[at], seat) for at in left])
        for at, win in zip(left, coach.policy.values(views)[:, 0], strict=True):
            told[at] = Chance(float(win), False)
    return told


def _known(coach: Coach, g: np.record, seat: int) -> Chance | None:
    game, solution = coach.game, coach.solutions.get(WIN)
    if game.is_over(g):
        winners = game.winners(g)
        return Chance((seat in winners) / len(winners), True)
    if solution is None or game.players > 2 or not _all_know_the_same(game, g):
        return None
    mover = game.seat_to_move(g)
    win = max(solution.worths(game.redacted(g, mover)).values())
    return Chance(float(win if mover == seat else 1 - win), True)


def _all_know_the_same(game: Game, g: np.record) -> bool:
    return len({game.redacted(g, seat).tobytes() for seat in range(game.players)}) == 1
