"""A game's strategy page, printed from what reports have found: how to win, the cheat sheet, and every report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.command import RESULTS
from experiments.reports import again
from experiments.reports.running import kept, report, reports
from experiments.reports.telling import opposite
from pirate_envs.agents import sheets
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.report import Results, markdown_table
from pirate_envs.games import load, shipped


def run_so_far(game: str) -> list[dict[str, Any]]:
    """What is kept of a game's reports, in their order."""
    return [kept(game, name) for name in reports(game) if (RESULTS / "reports" / game / f"{name}.json").exists()]


def skeleton(game: str) -> str:
    """The page with a block, still empty, for all that is printed."""
    title = load(game).title
    further = f"The rules: [{title}](../games/{game}.md). To play: [the table](../table.md)."
    parts = [f"# How to win {title}", further, f"<!-- begin win:{game} -->\n<!-- end -->"]
    if sheets.has_sheet(load(game)):
        parts += ["## The cheat sheet", f"<!-- begin sheet:{game} -->\n<!-- end -->"]
    for content in run_so_far(game):
        parts.append(f"<!-- begin results/reports/{game}/{content['name']}.md -->\n<!-- end -->")
    if (RESULTS / "reports" / game / "again.md").exists():
        parts += ["## Asked again", f"<!-- begin results/reports/{game}/again.md -->\n<!-- end -->"]
    return "\n\n".join(parts) + "\n"


def win(game: str) -> str:
    """The advice of all reports that still ask what was answered, each sentence with its number and its report."""
    lasting = [content for content in run_so_far(game) if content["digest"] == report(game, content["name"]).question.digest()]
    told = [(content, at, line) for content in lasting for at, line in enumerate(content["advice"].splitlines())]
    lines = [f"{number}. {_advised(*each)}" for number, each in enumerate(told, 1)]
    deals = different_deals(run_so_far(game))
    head = f"What came of {deals:,} different deals, those to explore and to fit among them, each with its number"
    head += " ([how reports are made](docs/strategy/README.md)):"
    return "\n".join([head, "", *lines, ""])


def _advised(content: Mapping[str, Any], at: int, line: str) -> str:
    """A sentence, where its numbers come from, and what other players say against it."""
    seated = f"; {content['seated']}" if "seated" in content else ""
    but = opposite(content, "advice", at)
    return f"{line} ([why](#{anchor(content['title'])}){seated})" + (f"\n   {but}" if but else "")


def different_deals(contents: Sequence[Mapping[str, Any]]) -> int:
    """How many deals reports have asked, those that several asked once: of one seed all play the same."""
    most: Counter[tuple[int, str]] = Counter()
    for content in contents:
        for stage, deals in content["question"]["deals"].items():
            key = content["seed"], stage
            most[key] = max(most[key], deals)
    return most.total()


def sheet(game: str) -> str:
    """The cheat sheet's text, and what the player that follows it wins in the field table."""
    loaded = load(game)
    text = re.sub(r"^#", "###", sheets.sheet(loaded).text.strip(), flags=re.MULTILINE)
    told = f"`{sheets.NAME}` is the player that does just this"
    field = Results(RESULTS).read(f"field_{game}")
    row = next((row for row in field["rows"] if row["name"] == sheets.NAME), None) if field else None
    if row is None:
        return f"{text}\n\n{told}.\n"
    won = [f"{Interval(**interval).percent()} against 3 x `{name}`" for name, interval in row["won"].items()]
    return f"{text}\n\n{told}. It wins {', '.join(won)} ([field table](docs/results/{game}.md); an even share is 25 %).\n"


def anchor(title: str) -> str:
    """Where a heading of that title is found."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def asked_again() -> str:
    """How much of what all games' reports say other deals said too."""
    every = {game: again.rows_of(game) for game in shipped()}
    counted = {load(game).title: again.total(rows) for game, rows in every.items() if rows}
    counted["all"] = again.total(row for rows in every.values() for row in rows)
    head = ["", "inside the first run's 99 % interval", f"{again.AIM:.0%} ± {100 * again.GIVE:.0f}", "by chance alone"]
    rows = [[title, again.share(told), again.verdict(told), again.expected(told)] for title, told in counted.items()]
    return markdown_table(head, rows, "lrlr")


BLOCKS = {"win": win, "sheet": sheet}
