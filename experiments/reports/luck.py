"""Luck: after how many matches it can be told who is the better player, of one against weaker ones in every rotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.reports.estimates import Estimate, Rows, mean
from pirate_envs.agents.arena.duplicate import Outcomes

AHEAD = 1.96
"""Standard deviations above 0 at which a total margin is for 97.5 %."""


def margins(outcomes: Outcomes) -> Rows:
    """By deal, over the rotations: `margin` of the player at place 0, its points less the others' mean, and its `square`."""
    own, others = outcomes.points[:, :, 0], outcomes.points[:, :, 1:]
    margin = own - others.mean(axis=2)
    return {"margin": margin.mean(axis=1), "square": (margin**2).mean(axis=1)}


@dataclass(frozen=True)
class Needed:
    """After how many matches the better player is ahead in total with 97.5 %."""

    matches: float
    deal: np.ndarray
    by_deal: np.ndarray
    """What each deal adds to the logarithm of that number, by its mean margin and its spread: the delta method."""

    @property
    def error(self) -> float:
        """Of the number."""
        return self.matches * mean(self.by_deal, self.deal).error


def matches_needed(part: Rows) -> Needed | None:
    """By the margins at one table, with their deals; None if the player is not better, or its margin always the same."""
    margin, square = part["margin"].mean(), part["square"].mean()
    variance = square - margin**2
    if not (margin > 0 and variance > 0):
        return None
    own = part["margin"] - margin
    by_deal = (part["square"] - square - 2 * margin * own) / variance - 2 * own / margin
    return Needed(float(AHEAD**2 * variance / margin**2), part["deal"], by_deal)


def more_matches(changed: Sequence[Needed | None], usual: Sequence[Needed | None]) -> Estimate:
    """How many more are needed at changed tables than at usual ones, on the same deals, in %; of several the geometric means.

    Of no deals where one player is not better.
    """
    found = [[each for each in tables if each is not None] for tables in (changed, usual)]
    if [len(tables) for tables in found] != [len(changed), len(usual)]:
        return Estimate(0.0, 0.0, 0, 0)
    logs = [np.mean([np.log(each.matches) for each in tables]) for tables in found]
    by_deal = [np.mean([each.by_deal for each in tables], axis=0) for tables in found]
    ratio, apart = float(np.exp(logs[0] - logs[1])), mean(by_deal[0] - by_deal[1], found[1][0].deal)
    return Estimate(100 * (ratio - 1), 100 * ratio * apart.error, apart.deals, apart.rows)


def pair(needed: Needed | None) -> list[float] | None:
    """The number with its error, as results keep it."""
    return None if needed is None else [needed.matches, needed.error]


def counted(kept: Sequence[float] | None) -> str:
    """What `pair` told, as text."""
    return "more matches than can be told" if kept is None else f"{kept[0]:,.1f} matches"
