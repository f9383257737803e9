"""What the checkpoint of a league may say of it: whatever else stands there has not been written by a league."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from pirate_envs.agents.learning.payoffs import Tally
from pirate_envs.agents.learning.runs import is_number
from pirate_envs.agents.player import Agent
from pirate_envs.core.errors import shown
from pirate_envs.core.options import whole_number

MAIN: Final = "main"
EXPLOITER: Final = "exploiter"
Sort = Literal["regular", "search", "main", "exploiter"]
Outcome = Literal["goes on", "has beaten it", "has had its time"]
MOST_ROUNDS = 1 << 20
NAMED_OF = frozenset("abcdefghijklmnopqrstuvwxyz-0123456789")
LONGEST_NAME = 40


@dataclass
class Contender:
    """A player of the pool, or one that was in it."""

    name: str
    sort: Sort
    player: Agent
    left: bool = False
    """Whether it has made room for harder ones."""


@dataclass(frozen=True)
class Challenge:
    """How an exploiter stood against the main player that it learned against."""

    round: int
    exploiter: str
    target: str
    tally: Tally
    outcome: Outcome


def check_state(state: Mapping[str, Any], fixed: Mapping[str, Sort], exploiters: Sequence[str], patience: int) -> None:
    """See that a league of these fixed players and exploiters can have left this behind.

    `fixed`: regular and searching players by name; `patience`: lessons that an exploiter has.
    Raises OptionError, ValueError, TypeError, LookupError or AttributeError.
    """
    last = whole_number("round", state["round"], 0, MOST_ROUNDS)
    sorts = _sorts(state["contenders"], fixed)
    check_known("a payoff", {name for row in state["payoffs"] for name in row[:2]}, sorts)
    for number, exploiter, target, *_, outcome in state["challenges"]:
        whole_number("a challenge's round", number, 1, last)
        check_known("a challenge", {exploiter}, exploiters)
        check_known("a challenge", {target}, sorts)
        check_known("a challenge", {outcome}, get_args(Outcome))
    whole_number("rounds with opponents met", len(state["met"]), last, last)
    for row in state["met"]:
        check_known("opponents met", set(row), sorts)
        if not all(is_number(share) and 0 <= share <= 1 for share in row.values()):
            raise ValueError(f"shares of opponents {shown(row)}")
    for name in exploiters:
        whole_number(f"lessons of {name}", state["lessons"][name], 0, patience - 1)


def _sorts(rows: Any, fixed: Mapping[str, Sort]) -> dict[str, str]:
    """The sort of each contender, by name."""
    sorts: dict[str, str] = {}
    for name, sort, left in rows:
        grown = sort in (MAIN, EXPLOITER) and 0 < len(name) <= LONGEST_NAME and set(name) <= NAMED_OF
        if fixed.get(name) != sort if name in fixed else not grown:
            raise ValueError(f"contender {shown(name)} of the sort {shown(sort)}")
        if not isinstance(left, bool) or name in sorts:
            raise ValueError(f"contender {shown(name)} twice, or neither in the pool nor out of it")
        sorts[name] = sort
    check_known("the pool", set(fixed), sorts)
    return sorts


def check_known(what: str, names: set[Any], known: Sequence[str] | Mapping[str, Any]) -> None:
    """Raises ValueError for a name that nobody has."""
    if unknown := names - set(known):
        raise ValueError(f"{what} of {shown(sorted(unknown, key=str)[0])}")
