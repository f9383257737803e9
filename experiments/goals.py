"""What the strong players are meant to reach at tables of four, and what was measured of it: a block of the page of results.

Nothing is measured here: the figures are those that ``experiments.ship``, ``experiments.field``, ``experiments.exploit``,
``experiments.table_sizes``, ``experiments.studies.search_strength`` and ``experiments.studies.guided_speed`` left in
experiments/results. Those of tables that are not as usual do not count, nor those of players that have learned on since, but
for times, with which no weights are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from experiments.command import RESULTS
from experiments.conditions import changed, is_usual
from experiments.exploit import TOLD
from experiments.field import Row, read_rows, result_of, thoughtless
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.report import Results, markdown_table

EVEN = 1 / 4
POLICY, GUIDED = "policy:pretrained", "search:guided"
UNIFORM = "search:ismcts:1000:uniform"
TABLES = 64
PLAYOUTS = "search:guided:128", "search:guided:128:bfloat16"
WORLDS = "search:guided:384", "search:guided:384:bfloat16"  # playouts, of which the last two of six candidates see 127 worlds
MILLISECONDS = "ms"
SLOWEST = 50.0  # milliseconds of one core for a decision of guided search


@dataclass(frozen=True)
class Measurement:
    """A figure, and of what it is: the player that plays or is met; empty if the goal says it."""

    figure: Interval
    of: str = ""


Measured = Callable[[str], Measurement | None]  # by a game's name; None: not measured


@dataclass(frozen=True)
class Goal:
    """One aim of one game."""

    game: str
    what: str
    measured: Measured
    aim: float
    sign: str = ""
    """'+': `aim` is the most, not the least, and what is won above others; 'ms': the most too, in milliseconds."""

    def verdict(self, figure: Interval) -> str:
        """Reached or missed, where the interval says so.

        What exploiters or specialists gain is at least this: it can only be missed.
        """
        if figure.low <= self.aim <= figure.high and figure.low < figure.high:
            return "within the interval"
        if self.sign == MILLISECONDS:
            return "missed" if figure.mean > self.aim else "reached"
        above = figure.mean >= self.aim
        return ("missed" if above else "not missed by these") if self.sign else "reached" if above else "missed"

    def written(self) -> str:
        """The aim, as a table tells it."""
        if self.sign == MILLISECONDS:
            return f"at most {self.aim:g} ms"
        return f"at most {self.aim:+.0%}" if self.sign else f"{self.aim:.1%}"

    def told(self, figure: Interval) -> str:
        """A figure, with its interval if it has one."""
        if self.sign == MILLISECONDS:
            return f"{figure.mean:.1f} ms"
        return f"{figure.mean:.1%}" if figure.low == figure.high else figure.percent(self.sign)


# -- what was measured -------------------------------------------------------------------------------------------------


def _usual(name: str) -> dict[str, Any]:
    """A result, if it is of tables of four with the usual options; else one without rows."""
    told = Results(RESULTS).read(name, {"rows": []})
    return told if is_usual(told) else {"rows": []}


def _shipped(game: str) -> dict[str, Any] | None:
    return next((row for row in _usual(f"pretrained_{game}")["rows"] if row["shipped"]), None)


def by_policy(game: str) -> Measurement | None:
    """The shipped policy against three of the strongest rule player."""
    run = _shipped(game)
    return Measurement(Interval(**run["won"]["rules:strongest"])) if run else None


def of_exact(game: str) -> Measurement | None:
    """What is left of what exact turns bring by what the shipped policy's decisions lose."""
    share = (_shipped(game) or {}).get("exact")
    return Measurement(Interval(**share)) if share else None


def _cells(game: str, who: str, against: str, slowest: float = SLOWEST) -> Iterator[Measurement]:
    """Players of a name that is or begins with `who`, one among copies of that player, a decision in at most `slowest` ms."""
    loaded = load(game)
    name = f"rules:{loaded.rule_players[-1]}" if against == "rules:strongest" else against
    for row in Results(RESULTS).read("search_strength", []):
        one, other = row["line_up"][:2]
        fits = row["game"] == loaded.id and len(row["line_up"]) == 4 and is_usual(row) and f"{one}:".startswith(f"{who}:")
        if fits and other == name and row["milliseconds"] <= slowest and not changed(loaded, row.get("learned", {})):
            yield Measurement(Interval(**row["figures"][one]["win_share"]), one)


def guided(game: str, against: str) -> Measurement | None:
    """The guided search that won most of those that were measured there; of equals the one that is surer to."""
    return max(_cells(game, GUIDED, against), key=lambda found: (found.figure.mean, found.figure.low), default=None)


def policy_against(game: str, against: str) -> Measurement | None:
    """The shipped policy against three of that player."""
    return next((Measurement(found.figure) for found in _cells(game, POLICY, against)), None)


def _field(game: str, *, searches: bool = False) -> list[Row]:
    """Of the field's players those that are as they were, among each other."""
    told = _usual(result_of(game, searches=searches))
    others = changed(load(game), told.get("learned", {}))
    rows = [row for row in read_rows(told) if row.name not in others]
    return [replace(row, won={name: won for name, won in row.won.items() if name not in others}) for row in rows]


def worst(game: str) -> Measurement | None:
    """The policy's worst column of the field among players that do not search."""
    rows = _field(game)
    own = next((row for row in rows if row.name == POLICY), None)
    met = own.worst(thoughtless(rows)) if own else None
    return Measurement(own.won[met], met) if own and met else None


def _surest(found: Iterable[Measurement]) -> Measurement | None:
    """The one with the highest low end: a few matches that went well do not hide many that show more for sure."""
    return max(found, key=lambda each: each.figure.low, default=None)


def exploited(game: str) -> Measurement | None:
    """The most that any player surely won above an even share among three copies of the policy: learned for it or not, and
    however long it thinks.
    """
    learned = [
        Measurement(Interval(**row["gain"]["win_share"]), TOLD.get(row["by"], row["by"]))
        for row in _of_present("exploit", game)
    ]
    fields = [*_field(game), *_field(game, searches=True)]
    others = [Measurement(row.won[POLICY], row.name) for row in fields if POLICY in row.won]
    above = [
        Measurement(Interval(*(value - EVEN for value in (found.figure.mean, found.figure.low, found.figure.high))), found.of)
        for found in (*others, *_cells(game, GUIDED, POLICY, slowest=math.inf))
    ]
    return _surest([*learned, *above])


def _of_present(kind: str, game: str) -> list[dict[str, Any]]:
    """Rows on the policy that comes with the game: what was won from an earlier one, or above it, says nothing of it."""
    told = _usual(f"{kind}_{game}")
    return told["rows"] if told.get("learned") == agent(load(game), POLICY).acts_by else []


def of_specialists(game: str) -> Measurement | None:
    """The most that a specialist for one size of table surely wins above the policy there."""
    rows = [row for row in _of_present("table_sizes", game) if "lost" in row]
    return _surest(Measurement(Interval(**row["lost"]), f"{row['seats']} seats") for row in rows)


def of_playouts(game: str) -> Measurement | None:
    """As `_of_time`, of 128 playouts."""
    return _of_time(game, PLAYOUTS)


def of_worlds(game: str) -> Measurement | None:
    """As `_of_time`, of 128 worlds."""
    return _of_time(game, WORLDS)


def _of_time(game: str, searches: tuple[str, ...]) -> Measurement | None:
    """
    Mean milliseconds of one core that a decision of the fastest of these searches takes where TABLES are played at once; of
    several machines that of the slowest.
    """
    fastest: dict[str, tuple[float, str]] = {}
    for row in Results(RESULTS).read("guided_speed", {"rows": []})["rows"]:
        if row["game"] == load(game).id and row["tables"] == TABLES and row["search"] in searches:
            mean = sum(row["milliseconds"]) / len(row["milliseconds"]), row["search"]
            fastest[row["machine"]] = min(mean, fastest.get(row["machine"], mean))
    spent, search = max(fastest.values(), default=(0.0, ""))
    return Measurement(Interval(spent, spent, spent), search) if fastest else None


# -- the goals ---------------------------------------------------------------------------------------------------------

AIMS: dict[str, tuple[float | None, ...]] = {
    "skull_king": (0.45, 0.50, 0.33, 0.25, 0.05, 0.01),
    "piratenpoker": (0.42, 0.55, 0.35, 0.25, 0.08, 0.01),
    "lucky_pirate": (0.38, 0.58, 0.38, 0.25, 0.08, 0.01),
    "piraten_kapern": (0.275, None, None, 0.23, None, 0.01),
}
KINDS: tuple[tuple[str, Measured, str], ...] = (
    ("the policy against 3 x `rules:strongest`", by_policy, ""),
    ("guided search against the same", partial(guided, against="rules:strongest"), ""),
    ("guided search against 3 of the policy", partial(guided, against=POLICY), ""),
    ("the policy's worst column of players that do not search", worst, ""),
    ("what is won above an even share among 3 of the policy", exploited, "+"),
    ("what a specialist for one size of table wins above the policy", of_specialists, "+"),
)
OF_ONE_GAME = (
    Goal("skull_king", f"the policy against 3 x `{UNIFORM}`", partial(policy_against, against=UNIFORM), 0.50),
    Goal("skull_king", "guided search against the same", partial(guided, against=UNIFORM), 0.58),
    Goal("skull_king", f"guided search's time for 128 playouts, {TABLES} tables at once", of_playouts, 5.0, MILLISECONDS),
    Goal("skull_king", f"guided search's time for 128 worlds, {TABLES} tables at once", of_worlds, 5.0, MILLISECONDS),
    Goal("piraten_kapern", "the policy's points a turn with what each other loses, of the exact turn's", of_exact, 0.995),
)
GOALS = [
    goal
    for game, aims in AIMS.items()
    for goal in (
        *(Goal(game, *kind[:2], aim, kind[2]) for aim, kind in zip(aims, KINDS, strict=True) if aim is not None),
        *(goal for goal in OF_ONE_GAME if goal.game == game),
    )
]


def table() -> str:
    """As Markdown: each aim, the figure, and whether it is reached."""
    rows = []
    for goal in GOALS:
        found = goal.measured(goal.game)
        told = ["-", "", "not measured"]
        if found:
            told = [goal.told(found.figure), f"`{found.of}`" if ":" in found.of else found.of, goal.verdict(found.figure)]
        rows.append([load(goal.game).title, goal.what, goal.written(), *told])
    return markdown_table(["game", "what", "aim", "measured", "by or against", ""], rows, "llrrll")
