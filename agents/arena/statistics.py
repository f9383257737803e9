"""Means with their intervals: deals are drawn anew with replacement, a thousandfold (percentile bootstrap)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.written(".3f")

    def written(self, form: str) -> str:
        """Each number in this format."""
        return f"{self.mean:{form}} [{self.low:{form}}, {self.high:{form}}]"

    def percent(self, sign: str = "") -> str:
        """As a share; `sign` as in formats."""
        return self.written(f"{sign}.1%")


def measures(points: np.ndarray, wins: np.ndarray) -> dict[str, np.ndarray]:
    """Interval -> its value by match and place; points and win shares have shape (..., n)."""
    above = (points[..., None, :] > points[..., :, None]).sum(-1)
    level = (points[..., None, :] == points[..., :, None]).sum(-1)
    others = points.sum(-1, keepdims=True) - points
    return {
        "win_share": wins,
        "score": points,
        "margin": points - others / (points.shape[-1] - 1),
        "rank": above + (level + 1) / 2,
    }


@lru_cache(maxsize=2)
def bootstrap_weights(deals: int, resamples: int = RESAMPLES) -> np.ndarray:
    """How often each deal is drawn in each resample, int32, shape (resamples, deals); the same every time."""
    generator = np.random.default_rng(0)
    rows = [np.bincount(generator.integers(0, deals, deals), minlength=deals) for _ in range(resamples)]
    return np.array(rows, np.int32)


def interval(values: np.ndarray, weights: np.ndarray) -> Interval:
    """Mean over deals (float64, (deals,)) and the 2.5 % and 97.5 % points of its bootstrap distribution."""
    means = weights @ values / len(values)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(values.mean()), float(low), float(high))


def ratio(over: np.ndarray, under: np.ndarray, weights: np.ndarray) -> Interval | None:
    """The sum of one count by that of another, (deals,) each, with its bootstrap interval; None where nothing was counted."""
    if under.sum() == 0:
        return None
    below = weights @ under
    low, high = np.percentile((weights @ over)[below > 0] / below[below > 0], [2.5, 97.5])
    return Interval(float(over.sum() / under.sum()), float(low), float(high))
