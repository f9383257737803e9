"""How strong the exact players of Piraten Kapern are, at tables of two to five.

python -m experiments.studies.exact_players              measure and print the table (a quarter of an hour)
python -m experiments.studies.exact_players --write      and keep it in experiments/results/piraten_kapern
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from experiments.command import RESULTS, WorkerFlags, check_numbers, run_command
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import MOST_DEALS, evaluate
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.report import Results, command, markdown_table

FOLDER = RESULTS / "piraten_kapern"
COMMAND = "python -m experiments.studies.exact_players --write"
GAME = "piraten_kapern"
CHUNK = 2000  # deals that a worker plays at once
RACE, TURN, RULES = "exact:race", "exact:turn", "rules:strongest"
LINE_UPS = (
    *((RACE, *[TURN] * others) for others in range(1, 5)),
    *((RACE, *[RULES] * others) for others in range(1, 5)),
    (TURN, RULES),
    (RACE, TURN, RULES),
    (RACE, TURN, RULES, RULES),
    (RACE, TURN, TURN, RULES, RULES),
)
HEAD = ("players", "line-up", "won by the first (95 %)", "even share", "margin to the field", "matches", "command")
NOTE = (
    "Duplicate deals, every seat rotation, bootstrap intervals by deal. A margin below zero beside more wins is the race's "
    "point: it gives up points that do not win."
)


@dataclass
class ExactPlayersSettings:
    """Measure the exact players of Piraten Kapern."""

    deals: int = 50_000
    """deals of each line-up, replayed in every rotation; with two players twice as many"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays: 2,000 deals are a chunk"""
    write: bool = False
    """keep table and figures in experiments/results/piraten_kapern"""


def measured(line_up: tuple[str, ...], exact: dict[str, Agent], deals: int, workers: Workers) -> dict[str, Any]:
    """What `experiments.evaluate` says, with its command; `exact`: such a table's, which remember what they have solved."""
    game = load(GAME, players=len(line_up))
    by_name = {RULES: agent(game, RULES), **exact}
    result = evaluate(game, [by_name[name] for name in line_up], deals, workers=workers, chunk=CHUNK)
    print(result.table(), flush=True)
    alone = command("experiments.evaluate", [GAME, *line_up, "--players", str(len(line_up)), "--deals", str(deals)])
    return {"command": alone, **result.as_dict()}


def cells(result: dict[str, Any]) -> tuple[object, ...]:
    """One line of the table."""
    first, *others = result["line_up"]
    against = ", ".join(f"{others.count(name)} x {name}" for name in dict.fromkeys(others))
    won, margin = (Interval(**result["figures"][first][key]) for key in ("win_share", "margin"))
    players = 1 + len(others)
    return (
        players, f"{first} against {against}", won.written(".2%"), f"{1 / players:.1%}", margin.written("+.0f"),
        f"{result['matches']:,}", f"`{result['command']}`",
    )  # fmt: skip


def page(results: list[dict[str, Any]]) -> str:
    """The table as Markdown."""
    table = markdown_table(HEAD, [cells(result) for result in results], "rllrlrl")
    return f"# The exact players of Piraten Kapern\n\n{table}\n{NOTE}\n\nAll of them: `{COMMAND}`\n"


def main(settings: ExactPlayersSettings) -> None:
    check_numbers(settings, deals=(1, MOST_DEALS // 2))
    settings.workers.check()
    sizes = {len(line_up): load(GAME, players=len(line_up)) for line_up in LINE_UPS}
    exact = {seats: {name: agent(game, name) for name in (RACE, TURN)} for seats, game in sizes.items()}
    results = []
    for line_up in LINE_UPS:
        deals = settings.deals * (2 if len(line_up) == 2 else 1)
        results.append(measured(line_up, exact[len(line_up)], deals, settings.workers))
        if settings.write:
            Results(FOLDER).write("exact_players", results, page(results))
    print(page(results))


if __name__ == "__main__":
    run_command(main, ExactPlayersSettings, __doc__)
