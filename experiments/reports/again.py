"""Do new deals say what the kept ones say?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scipy.stats import binom, norm

from experiments.reports.design import TRAININGS
from experiments.reports.estimates import FEWEST, Estimate
from experiments.reports.report import ReportError
from experiments.reports.run_folder import digest
from experiments.reports.running import Run, begin, kept, kept_as_asked, results_of
from experiments.reports.telling import LEVEL
from pirate_envs.agents.report import command, machine, markdown_table

AIM, GIVE = 0.95, 0.03  # how many estimates are to be inside, and by how much more or less
EXPECTED = 2 * norm.cdf(norm.ppf((1 + LEVEL) / 2) / 2**0.5) - 1
"""Inside the interval of one run lies the estimate of another as large so often, for it strays by the errors of both."""
PARTS = {"first": "among the first players", "others": "among the others", "matches": "duplicate matches"}
Counts = dict[str, Any]
"""`estimates`, how many of them are `within`, and by how many standard errors of the difference each is `apart`."""
Pairs = dict[str, tuple[Mapping[str, Any], Estimate]]
"""Of each estimate what is kept, and what it is now."""


def agreement(runs: Sequence[Run], write: bool) -> str:
    """Run reports on other deals; which share of their estimates lies inside the kept 99 % intervals?

    Raises ReportError for results of the same seed, of what was asked otherwise, or of a part of the deals to be kept.
    """
    first = [_held_against(each) for each in runs]
    for each in runs:
        begin(each, write)
    rows: list[dict[str, Any]] = []
    for each, before in zip(runs, first, strict=True):
        parts = _asked_again(each, before["found"])
        measured = {"of": of(before), "command": command("experiments.reports"), "machine": machine()}
        rows.append({"name": each.asked.name, **parts, **measured})
    if not write:
        return _page(rows)
    game = runs[0].asked.game
    told = _kept(game, joined_by_name(rows_of(game), rows))
    for each in runs:
        each.folder.clear()
    return told


def retold(game: str, write: bool) -> str:
    """What was asked again of a game, in the words of now; no deal is played. Raises ReportError if nothing was."""
    rows = rows_of(game)
    if not rows:
        raise ReportError(f"no report of {game} was asked again: python -m experiments.reports {game} --again --seed 1 --write")
    return _kept(game, rows) if write else _page(rows)


def rows_of(game: str) -> list[dict[str, Any]]:
    """What is kept of what was asked again, a row for each report whose first run is still the one that is kept."""
    rows: list[dict[str, Any]] = results_of(game).read("again", {}).get("rows", [])
    return [row for row in rows if row.get("of") == of(results_of(game).read(row["name"], {}))]


def of(first: Mapping[str, Any]) -> str:
    """A digest of what a first run has found among its own players: what is asked again is held against just this."""
    found = {test: verdict["estimate"] for test, verdict in first.get("found", {}).get("verdicts", {}).items()}
    return digest([first.get("digest"), first.get("seed"), found])


def _held_against(run: Run) -> dict[str, Any]:
    """What is kept. Raises ReportError if that is of the same seed, or was asked otherwise."""
    before = kept(run.asked.game, run.asked.name)
    if before["seed"] == run.seed:
        raise ReportError(f"what is kept of {run.asked.name} is of seed {run.seed} too; take another --seed")
    return kept_as_asked(run.asked)


def _asked_again(run: Run, before: Mapping[str, Any]) -> dict[str, Counts]:
    fitted, confirmed = run.confirmed()
    verdicts = before["verdicts"]
    told = {"first": _within({test: (verdicts[test]["estimate"], now) for test, now in run.estimates(confirmed).items()})}
    pairs: Pairs = {}
    for who in next(iter(verdicts.values()))["among"]:
        if who not in TRAININGS:
            again = run.estimates(run.beside(who, fitted))
            pairs |= {f"{test}, among {who}": (verdicts[test]["among"][who], now) for test, now in again.items()}
    matches = run.matches(fitted)
    won = {f"{name}: {key}": (before["matches"][name][key], now) for name, each in matches.items() for key, now in each.items()}
    return {**told, **{part: _within(each) for part, each in (("others", pairs), ("matches", won)) if each}}


def _within(pairs: Pairs) -> Counts:
    held, apart = 0, {}
    for name, (told, now) in pairs.items():
        before = Estimate(**told)
        low, high = before.interval(LEVEL)
        held += low <= now.mean <= high
        error = math.hypot(before.error, now.error)
        if min(before.deals, now.deals) >= FEWEST and error > 0:
            apart[name] = round((now.mean - before.mean) / error, 3)
    return {"estimates": len(pairs), "within": held, "apart": apart}


def joined_by_name(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of now, and those kept before of other reports, by name."""
    every = {row["name"]: dict(row) for row in (*before, *now)}
    return [every[name] for name in sorted(every)]


# -- telling -----------------------------------------------------------------------------------------------------------


def total(rows: Iterable[Mapping[str, Any]], parts: Iterable[str] = PARTS) -> Counts:
    """All counts of some parts together."""
    every = [row[part] for row in rows for part in parts if part in row]
    return {key: sum(counts[key] for counts in every) for key in ("estimates", "within")}


def share(counts: Counts) -> str:
    """How many are inside."""
    return f"{counts['within']} of {counts['estimates']} ({counts['within'] / counts['estimates']:.1%})"


def errors_apart(rows: Iterable[Mapping[str, Any]]) -> str:
    """The root mean square of by how many standard errors of the difference all estimates are others now."""
    every = [apart for row in rows for part in PARTS for apart in row.get(part, {}).get("apart", {}).values()]
    return f"{math.sqrt(sum(apart**2 for apart in every) / len(every)):.2f}" if every else "-"


def verdict(counts: Counts) -> str:
    """What the aim says of so many."""
    apart = round(counts["within"] / counts["estimates"] - AIM, 9)  # ends of the aim count to it
    if abs(apart) <= GIVE:
        return "as aimed at"
    return "more than aimed at" if apart > 0 else "fewer than aimed at"


def expected(counts: Counts) -> str:
    """What chance alone makes of so many estimates."""
    low, high = (found / counts["estimates"] for found in binom.interval(0.95, counts["estimates"], EXPECTED))
    return f"{low:.1%} to {high:.1%}"


def _kept(game: str, rows: Sequence[Mapping[str, Any]]) -> str:
    results_of(game).write("again", {"rows": rows}, _page(rows))
    return _page(rows)


def _page(rows: Sequence[Mapping[str, Any]]) -> str:
    every = total(rows)
    lines = [[row["name"], *(_cell(row, part) for part in PARTS), errors_apart([row])] for row in rows]
    sums = [total(rows, [part]) for part in PARTS]
    lines.append(["all", *(share(counts) if counts["estimates"] else "not asked" for counts in sums), errors_apart(rows)])
    commands = ", ".join(dict.fromkeys(f"`{row['command']}`" for row in rows))
    machines = "; ".join(dict.fromkeys(row["machine"] for row in rows))
    head = ["estimates inside the kept 99 % intervals", *PARTS.values(), "standard errors apart"]
    return (
        f"{markdown_table(head, lines, 'lr')}\n"
        f"Other deals, asked the same. Aimed at are {AIM:.0%} ± {100 * GIVE:.0f} of all estimates; inside are {share(every)}: "
        f"{verdict(every)}. Expected are {EXPECTED:.1%}, since an estimate strays from that of a run as large by the errors of "
        f"both; {every['estimates']} independent ones give {expected(every)} in 95 of 100 tries, and those of one report are "
        "not independent: they share deals, and many what they are compared with. Standard errors apart: of the difference, as "
        "a root mean square, which should be 1 (-: not kept). Policies trained anew are not asked: with another seed others "
        "would learn. "
        f"Measured by {commands} on {machines}.\n"
    )


def _cell(row: Mapping[str, Any], part: str) -> str:
    counts = row.get(part)
    return f"{counts['within']} of {counts['estimates']}" if counts else "-"
