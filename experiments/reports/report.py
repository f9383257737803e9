"""What a report is: a question registered before its numbers, rows measured on deals of its own, and estimates made of them."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import sys
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


def holds(found: Findings) -> str:
    """A sentence on how many of the findings hold among the other players; empty if there is nothing to say."""
    made = [each for each in found.verdicts.values() if each.found]
    others = {who: sum(who in each.holds_among() for each in made) for who in (made[0].among if made else ())}
    told = ", ".join(f"{count} of {len(made)} among {who}" for who, count in others.items())
    return f" Of these findings hold {told}." if told else ""


WORDS = ("statement", "more", "advice", "draw", "size")
"""Of a report, what tells of its findings and finds none."""


def measuring_code(kind: type[Report]) -> str:
    """SHA-256 of the code that measures: a report's class but for WORDS, and what that names in its module.

    Comments, docstrings and the layout of lines do not count; what other modules do does not either.
    """
    tree = _without_docstrings(ast.parse(inspect.getsource(sys.modules[kind.__module__])))
    named = {name: node for node in tree.body for name in _names(node)}
    own = named[kind.__name__]
    assert isinstance(own, ast.ClassDef)
    own.body = [node for node in own.body if not set(_names(node)) & set(WORDS)]
    reached, left = set(), [kind.__name__]
    while left:
        if (name := left.pop()) in named and name not in reached:
            reached.add(name)
            left += [node.id for node in ast.walk(named[name]) if isinstance(node, ast.Name)]
    return hashlib.sha256("\n".join(ast.dump(named[name]) for name in sorted(reached)).encode()).hexdigest()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [each for each in node.body if not _is_text(each)]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _names(node: ast.stmt) -> list[str]:
    """What a statement of a module or a class gives a name to."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


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
