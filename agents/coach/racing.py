"""Which action is best, and by how much: actions race through worlds that they share.

Even worlds choose: an action whose distance behind the leader is clear there (99 %, paired) is dropped. The leader is the
policy's likeliest action unless they make another one better by more than noise, as in guided search: so much more, the less
likely it is. Odd worlds measure by how much the others are worse; whoever is chosen for being lucky in the even worlds is not
lucky in these (no winner's curse), as no world is in both halves: `Coach.numbers` draws them from pools apart.

Worlds that all agree prove nothing of those that were not drawn: of n, a share of -log(0.05) / n, about 3 / n, may still
differ, with a chance of 5 % to see none of them (the rule of three: Hanley and Lippman-Hand 1983). What is told reckons that
they do, by as much as worths of this decision differ from one another (their standard deviation over actions and worlds, at
least a point; shares of the win at least a win, but where they are foretold).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from statistics import NormalDist

import numpy as np

from pirate_envs.agents.arena.statistics import Interval

FIRST = 64  # worlds that every action is tried in
NOISE = 0.5  # standard errors that an action must be ahead for each time that it is less likely by a factor e
LEAST = 1e-6  # probability that an action is reckoned with
DROPPED, TOLD = 0.99, 0.95  # chances of intervals
LEAST_FREEDOM = 2  # that an interval reckons with
LEAST_SPREAD = 1.0  # of what actions are worth: a point, or a win
WON = np.array([0.0, *(1 / winners for winners in range(1, 33))])  # shares that a match can end with
ROUNDING = 1e-9  # by which worths that are alike may differ


@dataclass
class Race:
    """The actions of one decision, what they were worth, and which of them are still tried."""

    unlikely: np.ndarray
    """By how much the logarithm of each action's probability is below the highest, float64, (actions,)."""
    worth: np.ndarray
    """float64, (actions, worlds); NaN where an action was not tried."""
    shares: np.ndarray
    """Of the win, likewise; NaN too where the match was not over."""
    left: np.ndarray
    """bool, (actions,)."""
    by_win: bool = False
    """Whether they race for the win, which is then known of every world; else for points."""
    numbers: np.ndarray | None = None
    """Which worlds, int64, (worlds,): one drawn by belief may come more than once; None: no two are alike."""

    @classmethod
    def of(cls, probabilities: Sequence[float], by_win: bool = False) -> Race:
        """Actions of these probabilities before any world."""
        logs, none = np.log(np.maximum(probabilities, LEAST)), np.zeros((len(probabilities), 0))
        return cls(logs.max() - logs, none, none, np.ones(len(logs), np.bool_), by_win)

    @property
    def seen(self) -> int:
        """Worlds that the leader was tried in."""
        return self.worth.shape[1]

    def add(self, worth: np.ndarray, shares: np.ndarray) -> None:
        """Note new worlds of the actions left, float64, (their number, new worlds) each."""
        for name, new in (("worth", worth), ("shares", shares)):
            rows = np.full((len(self.left), new.shape[1]), np.nan)
            rows[self.left] = new
            setattr(self, name, np.concatenate([getattr(self, name), rows], axis=1))

    def saw(self, numbers: np.ndarray) -> None:
        """Note which worlds the new ones are, int64, (new worlds,)."""
        self.numbers = numbers if self.numbers is None else np.concatenate([self.numbers, numbers])

    @property
    def prize(self) -> np.ndarray:
        """What they race for: shares of the win or points."""
        return self.shares if self.by_win else self.worth

    @property
    def leader(self) -> int:
        """The best action left, by the even worlds and the policy."""
        rows = np.flatnonzero(self.left)
        worth = self.prize[rows, ::2]
        ahead = worth - worth[self.unlikely[rows].argmin()]
        noise = ahead.std(axis=1, ddof=1) / worth.shape[1] ** 0.5
        return int(rows[(ahead.mean(axis=1) - NOISE * noise * self.unlikely[rows]).argmax()])

    def drop(self) -> None:
        """Leave out those that are clearly behind, by the even worlds."""
        leader = self.leader
        for action in np.flatnonzero(self.left):
            self.left[action] = self._lead(leader, int(action), DROPPED).low <= 0

    def is_settled(self, precision: float) -> bool:
        """Whether no more worlds are needed: one is left, or the leader's lead over all left is known as well as this."""
        leader = self.leader
        leads = [self._lead(leader, int(action), TOLD) for action in np.flatnonzero(self.left)]
        return len(leads) == 1 or max(lead.high - lead.low for lead in leads) <= 2 * precision

    def _lead(self, leader: int, action: int, chance: float) -> Interval:
        """By how much an action left is behind, by the even worlds."""
        numbers = None if self.numbers is None else self.numbers[::2]
        return estimate(self.prize[leader, ::2] - self.prize[action, ::2], chance, numbers)

    def tried(self, action: int) -> int:
        """Worlds that this action was tried in."""
        return int(np.isfinite(self.worth[action]).sum())

    def different(self, action: int) -> int:
        """Different worlds that measure it."""
        half = self._odd(action)
        return len(self.worth[action, half] if self.numbers is None else np.unique(self.numbers[half]))

    def _odd(self, action: int) -> slice:
        """The worlds that measure it."""
        return slice(1, self.tried(action), 2)

    def measured(self, of: np.ndarray, action: int) -> tuple[Interval, Interval]:
        """What the action is worth, and how much less than the leader, by the odd worlds; `of`: worth or shares.

        Intervals of shares are cut where shares of the win end: at 0 and 1, and at a loss of all or a gain of all.
        """
        value, regret = self._measured(of, action)
        return (within(value, 0, 1), within(regret, -1, 1)) if of is self.shares else (value, regret)

    def _measured(self, of: np.ndarray, action: int) -> tuple[Interval, Interval]:
        half = self._odd(action)
        numbers = None if self.numbers is None else self.numbers[half]
        foretold = of is self.shares and not np.isin(of[np.isfinite(of)], WON).all()
        spread = max(float(np.nanstd(of)), 0.0 if foretold else LEAST_SPREAD)
        value = estimate(of[action, half], TOLD, numbers, spread)
        if action == self.leader:
            return value, Interval(0.0, 0.0, 0.0)
        return value, estimate(of[self.leader, half] - of[action, half], TOLD, numbers, spread)


def estimate(values: np.ndarray, chance: float, numbers: np.ndarray | None = None, spread: float = 0.0) -> Interval:
    """The mean of independent values and its interval of that chance, by Student's distribution.

    `numbers`: of the worlds that they come from: what comes from one world more than once is one value of that weight,
    and there are as many as would tell so much if they all weighed the same (the effective number: Kish 1965, 8.2).
    `spread`: how far off values may be that were not drawn, where those that were are all alike (rule of three).
    """
    mean = float(values.mean())
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    different = float(len(values))
    if numbers is not None:
        _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
        sums = np.bincount(place, values - mean)
        different = len(values) ** 2 / float((times**2).sum())
        error = float(np.sqrt((sums**2).sum() * different / max(different - 1, 1))) / len(values)
    alike = float(np.ptp(values)) <= ROUNDING
    reach = -log(1 - chance) / different * spread if alike else student(max(different - 1, LEAST_FREEDOM), chance) * error
    return Interval(mean, mean - reach, mean + reach)


def within(told: Interval, low: float, high: float) -> Interval:
    """With its ends cut to what can be."""
    return Interval(told.mean, max(told.low, low), min(told.high, high))


def student(freedom: float, chance: float) -> float:
    """Student's quantile on both sides, by its expansion in the normal one (right to 1 % from 7 degrees of freedom up)."""
    z = NormalDist().inv_cdf((1 + chance) / 2)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2
