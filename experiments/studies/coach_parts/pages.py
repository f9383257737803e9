"""What was measured of the coach, as Markdown: a table a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from experiments.studies.coach_parts import aims
from experiments.studies.coach_parts.matches import POLICY
from experiments.studies.coach_parts.part import Row
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.yardsticks import EVERY, KINDS, UNITS
from pirate_envs.agents.names import has_pretrained
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import markdown_table

HEADINGS = {
    "calibration": "What is said, and what comes true (points; real less judged)",
    "cover": "Intervals of regrets that hold what a run of 64 times the worlds says",
    "peeking": "Judgements in other worlds of the seat",
    "sense": "The coach's choices against three copies of the policy that it plays out with",
    "order": "Error rate of a decision with a choice",
    "luck": "Luck",
    "speed": "Processor time, in seconds",
}
AIMED = (
    "Reached: the whole interval lies where it should; missed: none of it does; within the interval: a part of it, so that "
    "neither is sure. Where it says of how many was tried, more was aimed at."
)
NAMES = {POINTS: " points", WIN: " of the win"}
LEVELS = {"level": POINTS, "corrected": POINTS, "win level": "+.1%", "win corrected": "+.1%"}  # columns of each phase


def page(rows: Sequence[Row]) -> str:
    """What was aimed at, all parts that there are, then how they were measured."""
    texts = ["**What was aimed at**", AIMED, aims.table(rows).rstrip()]
    for part in (part for part in HEADINGS if any(row["part"] == part for row in rows)):
        texts += [
            f"**{HEADINGS[part]}**",
            *(table.rstrip() for table in TABLES[part]([row for row in rows if row["part"] == part])),
        ]
    return "\n\n".join([*texts, "**How it was measured**", *how_measured(rows)]) + "\n"


def how_measured(rows: Sequence[Row]) -> list[str]:
    """A row a part and game, and the machines."""
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    cells = [
        [
            row["part"], row["game"], policy(row), row["seats"], row["worlds"], row["date"],
            machines.index(row["machine"]) + 1, f"{row['minutes']:,}" if "minutes" in row else "", f"`{row['command']}`",
        ]
        for row in rows
    ]  # fmt: skip
    head = ["part", "game", "policy", "seats", "worlds", "measured", "machine", "minutes of a processor", "command"]
    legend = " ".join(f"Machine {number}: {each}." for number, each in enumerate(machines, 1))
    told = "Intervals of 95 %, by match (of calibration, cover and exact luck by decision or turn). Policies by their SHA-256."
    return [markdown_table(head, cells, "lllrrlrrl").rstrip(), f"{told} {legend}"]


def policy(row: Row) -> str:
    """The beginning of its digest, and whether it is still the one that comes with the game."""
    now = shipped_policy(row["game"], row["seats"])
    return "" if row["policy"] is None else row["policy"][:8] + ("" if row["policy"] == now else ", an earlier one")


@lru_cache
def shipped_policy(game: str, players: int) -> str | None:
    """The digest of the policy that comes with a game; None: there is none."""
    loaded = load(game, players=players)
    found = agent(loaded, POLICY) if has_pretrained(loaded) else None
    return found.learned if isinstance(found, Policy) else None


def written(given: Row | None, form: str) -> str:
    """A mean with its interval; '' for none."""
    return "" if given is None else Interval(given["mean"], given["low"], given["high"]).written(form)


def form(row: Row, unit: str) -> str:
    """Of a row's figures in that unit: where a match is one point, points have as many digits as shares of the win."""
    return "+.4f" if unit == WIN or row["game"] in aims.PAID_BY_THE_WIN else "+.2f"


def column(row: Row, key: str, how: str) -> str:
    """A column of a row, in points or in a form that is the same in all games."""
    return written(row.get(key), form(row, how) if how == POINTS else how)


def calibration(rows: Sequence[Row]) -> list[str]:
    keys = {"difference": POINTS, "slope without noise": ".2f", "slope": ".2f", "level": POINTS, "corrected": POINTS}
    cells = [[row["game"], f"{row['decisions']:,}", *(column(row, key, how) for key, how in keys.items())] for row in rows]
    found = [(row, key.removeprefix("level, ")) for row in rows for key in row if key.startswith("level, ")]
    phases = [
        [
            row["game"], phase, f"{row[f'level, {phase}']['decisions']:,}",
            *(column(row, f"{name}, {phase}", how) for name, how in LEVELS.items()),
        ]
        for row, phase in found
    ]  # fmt: skip
    how = (
        "Difference: of the policy's action and another one. Slope: of the real on the judged differences; an ordinary "
        "regression is flattened by the noise of what is judged (raw), so that differences judged twice, in worlds that have "
        "nothing in common, serve as instruments for one another: cov(real, mean of both) / "
        "cov(judged, judged again). Level: of the value of the policy's action, as the "
        "worlds have it and as corrected, by lines that were fitted to the other half of the decisions.\n"
    )
    heads = ["level", "corrected", "level, win", "corrected, win"]
    levels = [markdown_table(["game", "phase", "decisions", *heads], phases, "llr")] if phases else []
    head = ["game", "decisions", "difference", "slope without noise", "raw slope", "level", "corrected"]
    return [how, markdown_table(head, cells, "lr"), *of_the_win(rows), *levels]


def of_the_win(rows: Sequence[Row]) -> list[str]:
    """The same of the win, where it was measured."""
    keys = {"win difference": "+.1%", "win slope without noise": ".2f", "win level": "+.1%", "win corrected": "+.1%"}
    cells = [
        [row["game"], f"{row['decisions']:,}", *(column(row, key, how) for key, how in keys.items())]
        for row in rows
        if "win difference" in row
    ]
    told = "Of the win, as the value head foretells it at the end of a stage, against that of the match played to its end:\n"
    return (
        [told, markdown_table(["game", "decisions", "difference", "slope without noise", "level", "corrected"], cells, "lr")]
        if cells
        else []
    )


def cover(rows: Sequence[Row]) -> list[str]:
    keys = ("covered", "covered or nearly", "no width")
    cells = [
        [row["game"], unit, f"{row['runs']:,}", *(Interval(**shares[key]).percent() for key in keys)]
        for row in rows
        for unit, shares in row["units"].items()
    ]
    how = (
        "An interval nearly holds what it misses by less than half a point, or half a percent of the win; one of no width says "
        "that it is sure.\n"
    )
    return [how, markdown_table(["game", "unit", "longer runs", "hold it", "or nearly", "of no width"], cells, "llr")]


def peeking(rows: Sequence[Row]) -> list[str]:
    cells = [[row["game"], f"{row['compared']:,}", f"{row['differ']:,}"] for row in rows]
    return [markdown_table(["game", "compared", "that differ"], cells, "lr")]


def sense(rows: Sequence[Row]) -> list[str]:
    cells = [
        [row["game"], f"{row['matches']:,}", Interval(**row["win_share"]).percent(), written(row["margin"], "+.2f")]
        for row in rows
    ]
    return [markdown_table(["game", "matches", "share of the win", "margin"], cells, "lr")]


def order(rows: Sequence[Row]) -> list[str]:
    """A table of each game."""
    tables = []
    for row in rows:
        kinds = list(dict.fromkeys(kind for rates in row["rates"].values() for its in rates.values() for kind in its))
        units = [unit for unit in UNITS if all(unit in rates for rates in row["rates"].values())]
        columns = [(unit, kind) for unit in units for kind in kinds if kind == EVERY or len(kinds) > 2]
        head = [row["game"], "decisions", *(f"{kind}, {unit}" for unit, kind in columns)]
        cells = [
            [
                player,
                f"{row['decisions'][player]:,}",
                *(written(rates[unit].get(kind), form(row, unit).removeprefix("+")) for unit, kind in columns),
            ]
            for player, rates in row["rates"].items()
        ]
        tables.append(markdown_table(head, cells, "lr"))
        tables.append(f"The policy less the coach, on the same decisions: {less(row)}.\n")
    return tables


def less(row: Row) -> str:
    """What the coach's choices lose less than the policy's."""
    return written(row["policy less coach"], "+.2%" if row["unit"] == WIN else "+.3f") + NAMES[row["unit"]]


def luck(rows: Sequence[Row]) -> list[str]:
    """Exact luck in a sentence, estimated luck in a table, and how many of its means may be 0."""
    texts, cells, means = [], [], []
    for row in rows:
        if "off" in row:
            texts.append(
                f"{row['game']}: mean luck of {row['turns']:,} turns {written(row['mean luck'], '+.1f')} points; the account "
                f"is off by {row['off']:.0e} points at most; without luck {row['variance left']:.1%} of the variance is left.\n"
            )
            continue
        for player, by_unit in row["players"].items():
            for unit, found in by_unit.items():
                here = [found[f"mean luck of {kind}"] for kind in KINDS]
                told = [written(mean, form(row, unit)) for mean in here]
                left = [written(found[f"left without {key}"], ".1%") for key in ("cards", "both")]
                cells.append([row["game"], f"{player} ({row['matches of each']:,})", unit, *told, *left])
                means += here
    head = [
        "game", "player (matches)", "unit", "mean luck of cards", "of drawn decisions", "variance left without that of cards",
        "without both",
    ]  # fmt: skip
    if not cells:
        return texts
    hold = sum(mean["low"] <= 0 <= mean["high"] for mean in means)
    return [*texts, markdown_table(head, cells, "lllr"), f"{hold} of {len(means)} intervals of mean luck hold 0.\n"]


def speed(rows: Sequence[Row]) -> list[str]:
    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if key.startswith(("hint", "judgement", "review"))]
    cells = [[row["game"], *(f"{row[key]:.4f}" for key in keys)] for row in rows]
    return [markdown_table(["game", *(key.replace("_", " ") for key in keys)], cells, "lr")]


TABLES: dict[str, Callable[[Sequence[Row]], list[str]]] = {
    "calibration": calibration, "cover": cover, "peeking": peeking, "sense": sense, "order": order, "luck": luck,
    "speed": speed,
}  # fmt: skip
