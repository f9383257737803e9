"""What a report is: a question registered before its numbers, rows measured on deals of its own, and estimates made of them."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from experiments.reports.estimates import Estimate, Rows
from pirate_envs.agents.player import Agent
from pirate_envs.core.errors import PirateError
from pirate_envs.core.game import Game

EXPLORE, FIT, CONFIRM = "explore", "fit", "confirm"
STAGES = (EXPLORE, FIT, CONFIRM)
SEATS = ("none", "one", "two", "three", "four", "five", "six")
POLICY, EARLIER, RULES = "policy:pretrained", "policy:pretrained-v1", "rules:strongest"


class ReportError(PirateError, ValueError):
    """A report that is unknown, that was changed after its deals were used, or whose results are of another version."""


@dataclass(frozen=True)
class Registered:
    """What is asked, and how it will be answered: the block that may not change once its deals have been played."""

    title: str
    asked: str
    """In a sentence."""
    population: str
    """Of which positions the answer is true."""
    estimate: str
    """How a number comes about, and its unit."""
    smallest: float
    """The smallest effect of interest: less is told as 'too small to matter'."""
    deals: Mapping[str, int]
    """Stage -> deals: `explore` says which tests look promising, `fit` makes rules, `confirm` alone is printed."""
    tests: tuple[str, ...]
    """The names of all estimates that are tested against 0."""
    among: tuple[str, ...] = (POLICY, RULES)
    """Who plays on all seats: the first in all stages, the others when it is asked whether a finding holds among them too."""
    others: float = 0.5
    """How many of the confirming deals those others play, as a share."""
    options: tuple[tuple[str, Any], ...] = ()
    """Of the game."""
    players: int = 4

    def digest(self) -> str:
        """SHA-256 of all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Verdict:
    """What the deals said of one test."""

    test: str
    estimate: Estimate
    """On the confirming deals, or on those that the other players played."""
    adjusted: float
    """Its p value by Holm among the report's tests."""
    explored: Estimate
    among: Mapping[str, Estimate]
    """Other players -> the same estimate among them."""
    found: bool
    """Beyond chance."""
    matters: bool
    """And its mean is no smaller than the smallest effect of interest."""
    failed: bool
    """Findings on the exploring deals, not on the confirming ones."""

    def written(self, form: str = "+.1f", unit: str = "") -> str:
        """The estimate with its interval, and that it cannot be told from nothing where it cannot."""
        return f"{self.estimate.written(form)}{unit}{'' if self.found else ' (cannot tell)'}"

    def holds_among(self) -> list[str]:
        """The other players among whom the 95 % interval lies on the same side of 0."""
        return [who for who, each in self.among.items() if _side(each) == np.sign(self.estimate.mean)]

    def fails_among(self) -> list[str]:
        """The other players among whom it lies on the other side, of what was found."""
        return [who for who, each in self.among.items() if self.found and _side(each) == -np.sign(self.estimate.mean)]


def _side(estimate: Estimate) -> float:
    low, high = estimate.interval()
    return float(np.sign(estimate.mean)) if low > 0 or high < 0 else 0.0


@dataclass(frozen=True)
class Findings:
    """All that a run of a report found."""

    verdicts: Mapping[str, Verdict]
    fitted: Any
    """What `Report.fit` made, ready for JSON."""
    matches: Mapping[str, Mapping[str, Estimate]]
    """Rule player -> what it won and its margin in duplicate matches, as `Report.rules` asks."""
    extra: Any
    """What `Report.describe` made of the confirming deals for the picture, ready for JSON."""

    def __getitem__(self, test: str) -> Estimate:
        return self.verdicts[test].estimate

    def strongest(self, tests: Iterable[str], sign: int = 0) -> list[Verdict]:
        """Those of the tests that matter, the largest effect first; of effects above (1) or below 0 (-1) alone if so asked."""
        told = (self.verdicts[test] for test in tests)
        kept = [each for each in told if each.matters and each.estimate.mean * sign >= 0]
        return sorted(kept, key=lambda each: -abs(each.estimate.mean))


class Report(ABC):
    """One question of one game. A report has no state: everything it finds is in `Findings`."""

    game: ClassVar[str]
    name: ClassVar[str]
    question: ClassVar[Registered]
    size: ClassVar[tuple[float, float]] = (9.0, 5.0)
    """Of its picture, inches."""
    at_once: ClassVar[int] = 2000
    """Deals that a worker plays at once."""

    @abstractmethod
    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        """Play these deals (match seeds) by `player` on every seat and tell of each what the estimates need.

        `fitted`: what `fit` made; None in the stages before.
        """

    @abstractmethod
    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        """All of `question.tests`, and nothing else."""

    @abstractmethod
    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """The rows with what is asked about taken out at random (labels permuted, signs flipped): nothing is to be found."""

    @abstractmethod
    def statement(self, found: Findings) -> str:
        """The answer in one sentence, for a person who plays, with its number and interval."""

    def more(self, found: Findings) -> str:
        """What else was found, each with its number; empty if there is nothing to add."""
        return ""

    def advice(self, found: Findings) -> str:
        """For the page that tells how to win: what to do, a sentence with its number on each line; empty if there is none."""
        return ""

    def seated(self) -> str:
        """Among whom all numbers are measured of which nothing else is said, for a sentence."""
        return f"among {SEATS[self.question.players]} of {self.question.among[0]}"

    @abstractmethod
    def draw(self, found: Findings, figure: Any) -> None:
        """The one plot."""

    def fit(self, rows: Rows) -> Any:
        """Make a rule of the fitting deals' rows: anything that JSON takes."""
        return None

    def describe(self, rows: Rows) -> Any:
        """More of the confirming deals, for the picture and the page: anything that JSON takes."""
        return None

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        """Rules for a person to play from memory, to be measured: name -> its player `one`, and `field` on the other seats."""
        return {}
