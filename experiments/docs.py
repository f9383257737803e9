"""Print code and results into the pages: ``python -m experiments.docs`` (with ``--check``: only say if they are up to date).

Between ``<!-- begin NAME -->`` and ``<!-- end -->`` stands what NAME stands for: a file of this folder, `games`
or `through_sb3`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pirate_envs
from experiments.throughput import RESULTS, SB3_AS_SHIPPED
from pirate_envs.core.files import write_text
from pirate_envs.games import shipped

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "experiments" / "README.md")
BLOCK = re.compile(r"(<!-- begin (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def games_table(names: Sequence[str] = shipped()) -> str:
    """The figures of these games, from the code."""
    rows = [
        "| game | id | players | actions | observation | rule players, weakest first |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for name in names:
        game = pirate_envs.load(name)
        seats = next(allowed for option, _, allowed, _ in game.options.table() if option == "players")
        seats = seats.removeprefix("an integer from ")
        rows.append(
            f"| {game.title} | `{game.id}` | {seats} | {game.actions} | {game.layout.size} | {', '.join(game.rule_players)} |"
        )
    return "\n".join(rows) + "\n"


def through_sb3() -> str:
    """How long MaskablePPO would take for the shipped policies' decisions, by the table of speeds."""
    speeds = json.loads((RESULTS / "throughput.json").read_text(encoding="utf-8"))["rows"]
    rates = {row["game"]: row["median"] for row in speeds if row["what"] == SB3_AS_SHIPPED}
    rows = [
        "| game | decisions | minutes | MaskablePPO, decisions/s | minutes for as many |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name in shipped():
        results = RESULTS / f"pretrained_{name}.json"
        if not results.exists() or name not in rates:
            continue
        runs = json.loads(results.read_text(encoding="utf-8"))["rows"]
        run = next(run for run in runs if run["shipped"])
        minutes = run["decisions"] / rates[name] / 60
        rows.append(f"| {name} | {run['decisions']:,} | {run['minutes']:.0f} | {rates[name]:,.0f} | {minutes:.0f} |")
    return "\n".join(rows) + "\n"


TABLES = {"games": games_table, "through_sb3": through_sb3}


def content(name: str) -> str:
    """What a block of that name holds."""
    if name in TABLES:
        return TABLES[name]()
    return (Path(__file__).parent / name).read_text(encoding="utf-8").strip() + "\n"


def filled(text: str) -> str:
    """The text with every block printed anew."""
    return BLOCK.sub(lambda match: match[1] + content(match[2]) + match[3], text)


def main(arguments: list[str]) -> int:
    outdated = 0
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = filled(before)
        if "--check" in arguments:
            state = "up to date" if before == after else "out of date: run python -m experiments.docs"
            print(f"{page.relative_to(ROOT)}: {state}")
            outdated |= int(before != after)
        else:
            write_text(page, after)
    return outdated


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
