"""A game's strategy page, printed from what reports have found: how to win, the cheat sheet, and every report."""

from __future__ import annotations

import re
from typing import Any

from experiments.command import RESULTS
from experiments.reports.running import kept, reports
from pirate_envs.agents import sheets
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.report import Results
from pirate_envs.games import load


def run_so_far(game: str) -> list[dict[str, Any]]:
    """What is kept of a game's reports, in their order."""
    return [kept(game, name) for name in reports(game) if (RESULTS / "reports" / game / f"{name}.json").exists()]


def skeleton(game: str) -> str:
    """The page with a block, still empty, for all that is printed."""
    parts = [f"# How to win {load(game).title}", f"<!-- begin win:{game} -->\n<!-- end -->"]
    if sheets.has_sheet(load(game)):
        parts += ["## The cheat sheet", f"<!-- begin sheet:{game} -->\n<!-- end -->"]
    for content in run_so_far(game):
        parts.append(f"<!-- begin results/reports/{game}/{content['name']}.md -->\n<!-- end -->")
    if (RESULTS / "reports" / game / "again.md").exists():
        parts += ["## Asked again", f"<!-- begin results/reports/{game}/again.md -->\n<!-- end -->"]
    return "\n\n".join(parts) + "\n"


def win(game: str) -> str:
    """The advice of all reports, each with its number and its report."""
    told = [content for content in run_so_far(game) if content["advice"]]
    deals = sum(sum(content["question"]["deals"].values()) for content in run_so_far(game))
    lines = [f"{number}. {content['advice']} ([why](#{anchor(content['title'])}))" for number, content in enumerate(told, 1)]
    head = f"What {deals:,} deals say, each with its number ([how reports are made](docs/strategy/README.md)):"
    return "\n".join([head, "", *lines, ""])


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


BLOCKS = {"win": win, "sheet": sheet}
