"""What the coach was to reach, and what was measured of it: a table above those of the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from experiments.studies.coach_parts.part import Row
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.yardsticks import EVERY
from pirate_envs.agents.report import markdown_table

INF = float("inf")
EVEN = 1 / 4
SIZES = {"calibration": "decisions", "cover": "runs", "sense": "matches", "order": "matches", "luck": "matches of each"}
"""The column of a part that says how much was tried."""
EVERYWHERE = ("calibration", "cover", "sense")  # parts that every game should have, or every one that is not solved
REACHED, OPEN, MISSED = "reached", "within the interval", "missed"
IN_POINTS, PAID_BY_THE_WIN = ("piratenpoker", "skull_king"), ("lucky_pirate",)  # where a match is one point
CHAIN = "sheet"  # which has no place in the order of players
Found = dict[str, Interval]  # by what it is of; one entry alone needs no name


@dataclass(frozen=True)
class Aim:
    """One aim: bounds in which all that was found is to lie."""

    part: str
    what: str
    found: Callable[[Row], Found]
    low: float
    high: float
    told: str
    """The aim in words."""
    form: str = "+.2f"
    games: tuple[str, ...] = ()
    """Of which; none: all that have such figures."""
    size: int | None = None
    """How many were to be tried."""

    def verdict(self, figure: Interval) -> str:
        """Reached if the whole interval lies within the bounds, missed if none of it does."""
        if self.low <= figure.low and figure.high <= self.high:
            return REACHED
        return MISSED if figure.high < self.low or figure.low > self.high else OPEN

    def line(self, row: Row) -> list[str] | None:
        """Its line of the table, by the figure that is furthest off; None if there is none."""
        found = self.found(row)
        if not found or (self.games and row["game"] not in self.games):
            return None
        name, worst = max(found.items(), key=lambda each: self.off(each[1]))
        figure = worst.written(self.form) if worst.low < worst.high else format(worst.mean, self.form)
        return [self.what, row["game"], self.told, f"{figure} {name}".strip(), tried(row, self.size), self.verdict(worst)]

    def off(self, figure: Interval) -> tuple[float, float]:
        """How far it is from where it should be: beyond the bounds for sure, then by its mean."""
        surely = max(self.low - figure.high, figure.low - self.high)
        perhaps = max(self.low - figure.low, figure.high - self.high)
        return (surely if surely > 0 else 0.0, perhaps)


def interval(given: dict[str, Any]) -> Interval:
    return Interval(given["mean"], given["low"], given["high"])


def of(key: str) -> Callable[[Row], Found]:
    """The figure of a column."""

    def found(row: Row) -> Found:
        given = row.get(key)
        if given is None:
            return {}
        return {"": interval(given) if isinstance(given, dict) else Interval(given, given, given)}

    return found


def levels(row: Row, unit: str = "") -> Found:
    """Of each phase, as corrected where there is a correction; `unit`: what stands before the names of columns."""
    level = f"{unit}level, "
    phases = [key.removeprefix(level) for key in row if key.startswith(level)]
    return {f"({each})": interval(row.get(f"{unit}corrected, {each}") or row[f"{level}{each}"]) for each in phases}


def covered(row: Row) -> Found:
    """Of each unit."""
    return {f"({unit})": interval(shares["covered"]) for unit, shares in row["units"].items()}


def mean_luck(row: Row) -> Found:
    """Of cards, of each player in points; in a solved game of all turns."""
    if "mean luck" in row:
        return {"": interval(row["mean luck"])}
    return {f"(`{player}`)": interval(units["points"]["mean luck of cards"]) for player, units in row["players"].items()}


def variance_left(row: Row) -> Found:
    """Of the policy's points, without luck of cards; in a solved game of the points of all turns."""
    if "variance left" in row:
        return {"": Interval(*[row["variance left"]] * 3)}
    left = {player: units["points"]["left without cards"] for player, units in row["players"].items()}
    return {f"(`{player}`)": interval(figure) for player, figure in left.items() if figure}


DIFFERENCE = "difference of two actions, real less judged, points"
LEVEL = "level in every phase, points; the one furthest off"
MEAN_LUCK = "mean luck of cards, points; the player furthest off"
AIMS = (
    Aim("calibration", DIFFERENCE, of("difference"), -0.5, 0.5, "0 ± 0.5", games=IN_POINTS, size=100_000),
    Aim("calibration", DIFFERENCE, of("difference"), -0.01, 0.01, "0 ± 0.01", "+.3f", PAID_BY_THE_WIN, 100_000),
    Aim("calibration", LEVEL, levels, -0.5, 0.5, "0 ± 0.5", games=IN_POINTS, size=100_000),
    Aim("calibration", LEVEL, levels, -0.01, 0.01, "0 ± 0.01", "+.3f", PAID_BY_THE_WIN, 100_000),
    Aim("calibration", "slope", of("slope without noise"), 0.95, 1.05, "1.00 ± 0.05", ".2f", size=100_000),
    Aim("calibration", "difference of two actions, real less judged, of the win", of("win difference"), -0.01, 0.01, "0 ± 1%",
        "+.1%", size=100_000),
    Aim("calibration", "level of the win in every phase; the one furthest off", partial(levels, unit="win "), -0.01, 0.01,
        "0 ± 1%", "+.1%", size=100_000),
    Aim("calibration", "slope of the win", of("win slope without noise"), 0.95, 1.05, "1.00 ± 0.05", ".2f", size=100_000),
    Aim("cover", "95 % intervals that hold what 64 times the worlds say", covered, 0.93, 0.97, "93 to 97%", ".1%"),
    Aim("sense", "share of the win of its choices among 3 of the policy", of("win_share"), EVEN, INF, "above 25%", ".1%"),
    Aim("peeking", "judgements that differ in other worlds of the seat", of("differ"), 0, 0, "0", ".0f"),
    Aim("luck", MEAN_LUCK, mean_luck, 0, 0, "0", games=(*IN_POINTS, "piraten_kapern"), size=10_000),
    Aim("luck", MEAN_LUCK, mean_luck, 0, 0, "0", "+.3f", PAID_BY_THE_WIN, 10_000),
    Aim("luck", "variance left without luck", variance_left, 0, 0.1, "at most 10%", ".1%", ("piraten_kapern",)),
    Aim("luck", "variance left without luck; the player furthest off", variance_left, 0, 0.75, "at most 75%", ".1%",
        ("skull_king",)),
    Aim("speed", "a hint, seconds", of("hint"), 0, 0.05, "below 0.05", ".4f"),
    Aim("speed", "a match at 64 worlds, seconds", of("review_64"), 0, 3, "below 3", ".1f", ("skull_king",)),
    Aim("speed", "a match at 256 worlds, seconds", of("review_256"), 0, 30, "below 30", ".1f", ("skull_king",)),
)  # fmt: skip


def order(row: Row, unit: str) -> list[str]:
    """Random errs most, then the weakest rule player, the strongest, the policy, the coach: how many neighbours are apart."""
    rates = [interval(rates[unit][EVERY]) for player, rates in row["rates"].items() if player != CHAIN]
    pairs = list(pairwise(rates))
    apart, wrong = sum(a.low > b.high for a, b in pairs), sum(a.high < b.low for a, b in pairs)
    verdict = REACHED if apart == len(pairs) else MISSED if wrong else "not shown"
    told = f"{apart} of {len(pairs)}" + (f", {wrong} the other way round" if wrong else "")
    what = f"neighbours in the order of error rates ({unit}) that are apart"
    return [what, row["game"], f"{len(pairs)} of {len(pairs)}", told, tried(row, 1_000), verdict]


def tried(row: Row, asked: int | None) -> str:
    """How much was, and of how much if that was said."""
    done = row.get(SIZES.get(row["part"], ""))
    return "" if done is None else f"{done:,}" + (f" of {asked:,}" if asked else "")


def lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Those of every aim, a game after the other; what has not been measured says so."""
    by_part = {(row["part"], row["game"]): row for row in rows}
    unsolved = sorted({row["game"] for row in rows if row["part"] == "calibration"})
    for aim in AIMS:
        for game in sorted({row["game"] for row in rows}):
            row = by_part.get((aim.part, game))
            if row and (line := aim.line(row)):
                yield line
            elif not row and aim.part in EVERYWHERE and game in unsolved:
                yield [aim.what, game, aim.told, "-", "", "not measured"]
    for unit in (WIN, POINTS):
        for row in rows:
            if row["part"] == "order" and all(unit in rates for rates in row["rates"].values()):
                yield order(row, unit)


def table(rows: Sequence[Row]) -> str:
    """As Markdown."""
    return markdown_table(["what", "game", "aim", "measured", "tried", ""], list(lines(rows)), "llllrl")
