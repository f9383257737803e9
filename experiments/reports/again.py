"""Do new deals say what the kept ones say?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from experiments.reports.estimates import Estimate
from experiments.reports.report import ReportError
from experiments.reports.running import Run, kept, results_of, run
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
        agreed = _within(before["found"]["verdicts"], run(each, write=False)["found"]["verdicts"])
        rows.append({"name": asked.name, "estimates": len(agreed), "within": sum(agreed)})
    page = _page(rows)
    if write:
        game = runs[0].asked.game
        content = {"rows": rows, "command": command("experiments.reports"), "machine": machine()}
        results_of(game).write("again", content, page)
    return page


def _within(before: dict[str, dict], now: dict[str, dict]) -> list[bool]:  # type: ignore[type-arg]
    told = []
    for test, verdict in before.items():
        low, high = Estimate(**verdict["estimate"]).interval(LEVEL)
        told.append(low <= now[test]["estimate"]["mean"] <= high)
    return told


def _page(rows: Sequence[dict[str, Any]]) -> str:
    count, agreed = (sum(row[key] for row in rows) for key in ("estimates", "within"))
    table = markdown_table(
        ["report", "estimates", "inside the kept 99 % interval"],
        [*([row["name"], row["estimates"], row["within"]] for row in rows), ["all", count, f"{agreed} ({agreed / count:.0%})"]],
        "lr",
    )
    return f"{table}\nOther deals, asked the same. Command: `{command('experiments.reports')}`.\n"
