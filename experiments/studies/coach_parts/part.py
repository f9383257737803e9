"""What a part of the study is: work on matches that is done in chunks, and what all chunks say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pirate_envs.agents.coach import Coach

Columns = dict[str, list[Any]]
"""What was looked at, a value of each thing in every column, ready for JSON."""
Row = dict[str, Any]
Shipped = tuple[Path, dict[str, Any]]
WORLDS = ("agents/coach/judging.py", "agents/beliefs.py", "agents/playouts.py")  # sources of what is said of an action
CHOICES = (*WORLDS, "agents/coach/racing.py", "agents/coach/exact.py")  # of judgements
LUCK = ("agents/coach/luck.py", "agents/lockstep.py")


@dataclass(frozen=True)
class CoachPart:
    """One question about the coach."""

    work: Callable[[Coach, range], Columns]
    """Of the matches (duplicate deals) of these seeds."""
    row: Callable[[Coach, Columns], Row]
    """What is told of all of them."""
    together: int
    """Matches of a chunk."""
    sources: tuple[str, ...]
    """Files that what is found depends on, from the root of the repository."""
    size: str = "matches"
    """The setting that says how many matches."""
    solved: bool = True
    """Whether it is asked of solved games too."""
    ships: Callable[[Coach, Columns, Row], Shipped | None] = field(default=lambda coach, columns, row: None)
    """A file that comes with the coach from then on, and what it holds."""


def here(*names: str) -> tuple[str, ...]:
    """Files of this folder as sources."""
    return tuple(f"experiments/studies/coach_parts/{name}" for name in names)


def joined(parts: Sequence[Columns]) -> Columns:
    """All of them, one after the other."""
    return {key: [value for part in parts for value in part[key]] for key in parts[0]}
