"""Do new deals say what the kept ones say?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.reports.estimates import Estimate
from experiments.reports.report import ReportError
from experiments.reports.running import Run, kept, results_of
from pirate_envs.agents.report import command, machine, markdown_table

LEVEL = 0.99


def agreement(runs: Sequence[Run], write: bool) -> str:
    """Run reports on other deals; which share of their estimates lies inside the kept 99 % intervals?

    Raises ReportError for results of the same seed, or of what was asked otherwise.
    """
    rows: list[dict[str, Any]] = []
    for each in runs:
        asked = each.asked
        before = kept(asked.game, asked.name)
        if before["seed"] == each.seed:
            raise ReportError(f"what is kept of {asked.name} is of seed {each.seed} too; take another --seed")
        if before["digest"] != asked.question.digest():
            raise ReportError(f"what is kept of {asked.name} was asked otherwise than now: run it anew with --write")
        agreed = _within(before["found"]["verdicts"], each.estimates(each.confirmed()[1]))
        told = {"name": asked.name, "estimates": len(agreed), "within": sum(agreed)}
        rows.append({**told, "command": command("experiments.reports"), "machine": machine()})
    if write:
        results = results_of(runs[0].asked.game)
        rows = joined_by_name(results.read("again", {}).get("rows", []), rows)
        results.write("again", {"rows": rows}, _page(rows))
    return _page(rows)


def joined_by_name(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of now, and those kept before of other reports, by name."""
    every = {row["name"]: dict(row) for row in (*before, *now)}
    return [every[name] for name in sorted(every)]


def _within(before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Estimate]) -> list[bool]:
    told = []
    for test, verdict in before.items():
        low, high = Estimate(**verdict["estimate"]).interval(LEVEL)
        told.append(low <= now[test].mean <= high)
    return told


def _page(rows: Sequence[dict[str, Any]]) -> str:
    count, agreed = (sum(row[key] for row in rows) for key in ("estimates", "within"))
    table = markdown_table(
        ["report", "estimates", "inside the kept 99 % interval"],
        [*([row["name"], row["estimates"], row["within"]] for row in rows), ["all", count, f"{agreed} ({agreed / count:.0%})"]],
        "lr",
    )
    commands = ", ".join(dict.fromkeys(f"`{row['command']}`" for row in rows))
    machines = "; ".join(dict.fromkeys(row["machine"] for row in rows))
    return f"{table}\nOther deals, asked the same. Measured by {commands} on {machines}.\n"
