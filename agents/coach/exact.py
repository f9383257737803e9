"""Judging by what a game brings solved.

A solution is what a maker in `Game.solved` makes. It judges if it has a method `worths`: from a decision's record the worth of
each legal action, by id; `unit` says whether these are "points" or chances of the "win". One in points may also have `account`
(see games/piraten_kapern/solved/account.py): the turns of a seat as expected points, luck and loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game


class Solution(Protocol):
    """An exact solution that tells what actions are worth."""

    unit: str

    def worths(self, g: np.record) -> Mapping[int, float]:
        """The worth of each legal action."""


def solutions(game: Game) -> dict[str, Any]:
    """Unit -> the game's solution that judges in it; those that do not hold for its options are left out."""
    found: dict[str, Any] = {}
    for maker in game.solved.values():
        try:
            made: Any = maker(game)
        except OptionError:
            continue
        if hasattr(made, "worths"):
            found[made.unit] = made
    return found


def known(solution: Solution, g: np.record) -> dict[int, tuple[Interval, Interval]]:
    """Action -> its worth and its regret."""
    worths = solution.worths(g)
    best = max(worths.values())
    return {action: (exactly(worth), exactly(best - worth)) for action, worth in worths.items()}


def exactly(number: float) -> Interval:
    """A number that is known."""
    return Interval(number, number, number)
