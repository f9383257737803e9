"""What was measured of the coach, as Markdown: a table a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.choice import WIN
from pirate_envs.agents.coach.yardsticks import EVERY, KINDS, UNITS
from pirate_envs.agents.report import machine, markdown_table

Row = dict[str, Any]
HEADINGS = {
    "calibration": "What is said, and what comes true (points; real less judged)",
    "peeking": "Judgements in other worlds of the seat",
    "sense": "The coach's choices against three copies of the policy that it plays out with",
    "order": "Error rate of a decision with a choice",
    "luck": "Luck",
    "speed": "Processor time, in seconds",
}
FORMS = {"points": "+.2f", "win": "+.4f"}


def page(rows: Sequence[Row]) -> str:
    """All parts that there are, then how they were measured."""
    parts = [part for part in HEADINGS if any(told(row) for row in rows if row["part"] == part)]
    texts = []
    for part in parts:
        mine = [row for row in rows if row["part"] == part and told(row)]
        texts += [f"**{HEADINGS[part]}**", *(table.rstrip() for table in TABLES[part](mine))]
    commands = ", ".join(f"`{each}`" for each in dict.fromkeys(row["command"] for row in rows))
    return "\n\n".join([*texts, f"Intervals of 95 %, by match. Measured by {commands} on {machine()}."]) + "\n"


def told(row: Row) -> bool:
    """Whether it was measured: not all parts are for all games."""
    return len(row) > len(("part", "game", "sizes", "command"))


def written(given: Row | None, form: str) -> str:
    """A mean with its interval; '' for none."""
    return "" if given is None else Interval(given["mean"], given["low"], given["high"]).written(form)


def calibration(rows: Sequence[Row]) -> list[str]:
    head = ["game", "decisions", "difference", "slope", "level", "intervals that hold", "or nearly", "longer runs"]
    cells = []
    for row in rows:
        errors = [written(row["difference"], "+.2f"), written(row["slope"], ".2f"), written(row["level"], "+.2f")]
        held = [Interval(**row[key]).percent() for key in ("covered", "covered or nearly")]
        cells.append([row["game"], f"{row['decisions']:,}", *errors, *held, f"{row['of runs']:,}"])
    phases = [
        [row["game"], key.removeprefix("level, "), f"{value['decisions']:,}", written(value, "+.2f")]
        for row in rows
        for key, value in row.items()
        if key.startswith("level, ")
    ]
    how = (
        "Difference: of the policy's action and another one. Slope: of the real on the judged differences; that these are "
        "noisy themselves flattens it. Level: of the value of the policy's action. Intervals: of regrets, that hold what a run "
        "of many times the worlds says, or miss it by less than half a point.\n"
    )
    levels = [markdown_table(["game", "phase", "decisions", "level"], phases, "llr")] if phases else []
    return [how, markdown_table(head, cells, "lr"), *levels]


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
                *(written(rates[unit].get(kind), ".4f" if unit == WIN else ".2f") for unit, kind in columns),
            ]
            for player, rates in row["rates"].items()
        ]
        tables.append(markdown_table(head, cells, "lr"))
        tables.append(
            f"The policy less the coach, on the same decisions: {written(row['policy less coach'], '+.3f')} points.\n"
        )
    return tables


def luck(rows: Sequence[Row]) -> list[str]:
    """Exact luck in a sentence, estimated luck in a table."""
    texts, cells = [], []
    for row in rows:
        if "off" in row:
            texts.append(
                f"{row['game']}: mean luck of {row['turns']:,} turns {written(row['mean luck'], '+.1f')} points; the account "
                f"is off by {row['off']:.0e} points at most; without luck {row['variance left']:.1%} of the variance is left.\n"
            )
            continue
        for player, by_unit in row["players"].items():
            for unit, found in by_unit.items():
                means = [written(found[f"mean luck of {kind}"], FORMS[unit]) for kind in KINDS]
                left = [written(found[f"left without {key}"], ".1%") for key in ("cards", "both")]
                cells.append([row["game"], f"{player} ({row['matches of each']:,})", unit, *means, *left])
    head = [
        "game", "player (matches)", "unit", "mean luck of cards", "of drawn decisions", "variance left without that of cards",
        "without both",
    ]  # fmt: skip
    return [*texts, *([markdown_table(head, cells, "lllr")] if cells else [])]


def speed(rows: Sequence[Row]) -> list[str]:
    keys = list(dict.fromkeys(key for row in rows for key in row if key not in ("part", "game", "sizes", "command")))
    cells = [[row["game"], *(f"{row[key]:.4f}" for key in keys)] for row in rows]
    return [markdown_table(["game", *(key.replace("_", " ") for key in keys)], cells, "lr")]


TABLES: dict[str, Callable[[Sequence[Row]], list[str]]] = {
    "calibration": calibration, "peeking": peeking, "sense": sense, "order": order, "luck": luck, "speed": speed,
}  # fmt: skip
