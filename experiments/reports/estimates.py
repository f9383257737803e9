"""Estimates by deal: means, differences and regressions whose errors allow for what rows of one deal have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

Rows = dict[str, np.ndarray]
"""Columns of equal length; `deal` (int64) tells which rows are of one deal."""
FINDING = 0.01  # Holm's level of a report: of reports on nothing, one in a hundred finds something
FEWEST = 20  # deals below which a spread says nothing


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error."""

    mean: float
    error: float
    deals: int
    """How many deals tell of it: the independent draws."""
    rows: int

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """By the normal distribution; without ends where there are too few deals."""
        reach = norm.ppf((1 + level) / 2) * self.error if self.deals >= FEWEST else np.inf
        return float(self.mean - reach), float(self.mean + reach)

    @property
    def p(self) -> float:
        """How often a number as far from 0 would come of nothing (two-sided)."""
        if self.deals < FEWEST:
            return 1.0
        return float(2 * norm.sf(abs(self.mean) / self.error)) if self.error > 0 else float(self.mean == 0)

    def written(self, form: str = "+.1f") -> str:
        """With its 95 % interval."""
        if self.deals < FEWEST:
            return "too few deals"
        low, high = self.interval()
        return f"{self.mean:{form}} [{low:{form}}, {high:{form}}]"


def mean(values: np.ndarray, deal: np.ndarray) -> Estimate:
    """The mean over rows."""
    return fitted_to({"mean": np.ones(len(values))}, values, deal)["mean"]


def regression(columns: Mapping[str, np.ndarray], values: np.ndarray, deal: np.ndarray) -> dict[str, Estimate]:
    """What each column adds, all else equal: ordinary least squares with a constant, errors by deal (Liang and Zeger 1986)."""
    every = fitted_to({"": np.ones(len(values)), **columns}, values, deal)
    return {name: estimate for name, estimate in every.items() if name}


def fitted_to(columns: Mapping[str, np.ndarray], values: np.ndarray, deal: np.ndarray) -> dict[str, Estimate]:
    """As `regression`, without a constant. A column that says nothing of its own has no deals behind it."""
    if len(values) == 0:
        return dict.fromkeys(columns, Estimate(0.0, 0.0, 0, 0))
    table = np.stack([np.asarray(column, float) for column in columns.values()], axis=1)
    inverse = np.linalg.pinv(table.T @ table, hermitian=True)
    weights = inverse @ (table.T @ values)
    _, numbers = np.unique(deal, return_inverse=True)
    count = int(numbers.max()) + 1
    left = table * (values - table @ weights)[:, None]
    sums = np.stack([np.bincount(numbers, column, count) for column in left.T], axis=1)
    spread = inverse @ (sums.T @ sums) @ inverse * (count / max(count - 1, 1))
    told = [len(np.unique(numbers[column != 0])) for column in table.T]
    errors = np.sqrt(np.maximum(np.diag(spread), 0))
    rows = len(values)
    return {
        name: Estimate(float(weight), float(error), min(deals, count), rows)
        for name, weight, error, deals in zip(columns, weights, errors, told, strict=True)
    }


def holm(p: Sequence[float]) -> list[float]:
    """The p values adjusted for how many they are (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(np.array(p)[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(raised, 1)
    return [float(value) for value in adjusted]


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts, one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def where(rows: Rows, chosen: np.ndarray) -> Rows:
    """Some of the rows: `chosen` (bool, one a row)."""
    return {name: column[chosen] for name, column in rows.items()}


def shuffled(rows: Rows, names: Sequence[str], chance: np.random.Generator) -> Rows:
    """These columns dealt out anew among all rows, together: they have nothing to do with the others any more."""
    order = chance.permutation(len(rows["deal"]))
    return {**rows, **{name: rows[name][order] for name in names}}


def flipped(rows: Rows, names: Sequence[str], chance: np.random.Generator) -> Rows:
    """These columns with the sign changed in half of the deals: their means are truly 0."""
    found, numbers = np.unique(rows["deal"], return_inverse=True)
    signs = chance.choice((-1.0, 1.0), len(found))[numbers]
    return {**rows, **{name: rows[name] * signs for name in names}}
