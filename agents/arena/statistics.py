"""Means with their intervals: deals are drawn anew with replacement, a thousandfold (percentile bootstrap)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

RESAMPLES = 2000
BLOCK = 1 << 24  # numbers of a matrix of resamples that are held at once


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


class Resamples:
    """How often each deal is drawn in each resample: a matrix of integers, shape (resamples, deals), the same every time.

    `resamples @ values` are the resamples' sums. A large matrix is never there as a whole: its rows are drawn anew each time.
    """

    def __init__(self, deals: int, count: int) -> None:
        self.deals, self.count = deals, count
        self._whole = list(self._drawn()) if deals * count <= BLOCK else None

    def __len__(self) -> int:
        return self.count

    def __matmul__(self, values: np.ndarray) -> np.ndarray:
        """Sums over the deals (deals, ...) in each resample, shape (resamples, ...)."""
        return np.concatenate([rows @ values for rows in self._whole or self._drawn()])

    def _drawn(self) -> Iterator[np.ndarray]:
        """The matrix in blocks of rows, int32."""
        generator = np.random.default_rng(0)
        at_once = max(1, BLOCK // self.deals)
        for start in range(0, self.count, at_once):
            rows = range(start, min(start + at_once, self.count))
            draws = (generator.integers(0, self.deals, self.deals) for _ in rows)
            yield np.array([np.bincount(draw, minlength=self.deals) for draw in draws], np.int32)


@lru_cache(maxsize=4)
def bootstrap_weights(deals: int, resamples: int = RESAMPLES) -> Resamples:
    """So many resamples of so many deals; of fewer resamples those that more begin with."""
    return Resamples(deals, resamples)


def interval(values: np.ndarray, weights: Resamples) -> Interval:
    """Mean over deals (float64, (deals,)) and the 2.5 % and 97.5 % points of its bootstrap distribution."""
    means = weights @ values / len(values)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(values.mean()), float(low), float(high))


def ratio(over: np.ndarray, under: np.ndarray, weights: Resamples) -> Interval | None:
    """The sum of one count by that of another, (deals,) each, with its bootstrap interval; None where nothing was counted."""
    if under.sum() == 0:
        return None
    above, below = (weights @ np.stack([over, under], axis=1)).T
    low, high = np.percentile(above[below > 0] / below[below > 0], [2.5, 97.5])
    return Interval(float(over.sum() / under.sum()), float(low), float(high))
