"""The ladder: whose error rate is somebody's like, of all decisions and of each kind of them?

A rate stands with the players of the ladder (yardsticks.py) whose intervals overlap its own. With few decisions these are many,
and then it cannot be told which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.racing import TOLD, estimate
from pirate_envs.agents.coach.yardsticks import EVERY, Ladder
from pirate_envs.core.game import Game

FEWEST = 8  # decisions that a rate is told from


@dataclass(frozen=True)
class Placed:
    """Where an error rate stands on the ladder."""

    kind: str
    """Of decision, or "every"."""
    decisions: int
    """With a choice."""
    unit: str
    """Of the rate: "points" or "win"."""
    rate: Interval
    """Mean loss of a decision; by Student's distribution over the decisions, as if they were independent."""
    nearest: str
    """The player whose rate is nearest."""
    worse: str | None
    """The best player that is surely worse; None: nobody is."""
    like: tuple[str, ...]
    """Players that it cannot be told from, the worst first."""
    better: str | None
    """The worst player that is surely better; None: nobody is."""

    @property
    def cannot_tell(self) -> bool:
        """Whether more than one player would do."""
        return len(self.like) > 1

    @property
    def tells_little(self) -> bool:
        """Whether it may be anybody's on the ladder."""
        return self.cannot_tell and self.worse is None and self.better is None

    def content(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


def kind_of(game: Game, g: np.record) -> str:
    """What is decided here: the kinds of the legal actions, those that begin with the same word taken together."""
    first = Counter(kind.split()[0] for kind in game.action_kinds)
    names = {action: kind for kind, actions in game.action_kinds.items() for action in actions}
    legal = set(game.legal_actions(g))
    found = dict.fromkeys(kind for action, kind in names.items() if action in legal)
    return " or ".join(dict.fromkeys(kind.split()[0] if first[kind.split()[0]] > 1 else kind for kind in found))


def place(ladder: Ladder, unit: str, losses: Sequence[tuple[str, float]]) -> list[Placed]:
    """Of every decision, then of each kind that has FEWEST of them; `losses`: each decision's kind and loss, in that unit."""
    kinds = [EVERY, *sorted(dict.fromkeys(kind for kind, _ in losses))]
    placed = []
    for kind in kinds if len(kinds) > 2 else kinds[:1]:
        lost = np.array([loss for its, loss in losses if kind in (EVERY, its)])
        rungs = ladder.order(unit, kind)
        if len(lost) >= FEWEST and rungs:
            placed.append(_placed(kind, unit, lost, rungs))
    return placed


def _placed(kind: str, unit: str, lost: np.ndarray, rungs: Sequence[tuple[str, Interval]]) -> Placed:
    """Among rungs of which the worst comes first."""
    rate = estimate(lost, TOLD)
    worse = [name for name, its in rungs if its.low > rate.high]
    better = [name for name, its in rungs if its.high < rate.low]
    like = tuple(name for name, _ in rungs if name not in (*worse, *better))
    nearest = min(rungs, key=lambda rung: abs(rung[1].mean - rate.mean))[0]
    return Placed(kind, len(lost), unit, rate, nearest, worse[-1] if worse else None, like, better[0] if better else None)
