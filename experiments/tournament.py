"""Tournaments: any players against each other, at tables of one size or several, with ratings and intervals.

    python -m experiments.tournament skull_king random rules:simple rules:expected_points --tables 3 4 --deals 400

What is played and what is kept: agents/arena/tournament.py. The same command goes on where it was interrupted.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tqdm import tqdm

from experiments.command import run_command
from pirate_envs.agents.arena.standings import Standings
from pirate_envs.agents.arena.tournament import Tournament, tournament
from pirate_envs.core.files import write_text

RESULTS, TABLE, PICTURE = "results.json", "table.md", "payoff.png"


@dataclass(frozen=True)
class Settings(Tournament):
    """Play a tournament, or go on with it."""

    game: Annotated[str, tyro.conf.Positional]
    """name of the game"""
    players: Annotated[tuple[str, ...], tyro.conf.Positional]
    """two or more different players: random, rules:NAME, search:..., exact:..., policy:FOLDER"""
    out: Path = field(default=Path("runs/tournament"))
    """folder of the results"""
    workers: int = field(default=os.cpu_count() or 1)
    """processes"""

    def plan(self) -> Tournament:
        """What is played, apart from where."""
        return Tournament(**{each.name: getattr(self, each.name) for each in dataclasses.fields(Tournament)})


def command_of(plan: Tournament) -> str:
    """The command that plays this tournament."""
    usual = Tournament(plan.game, plan.players).identity()
    words = ["python", "-m", "experiments.tournament", plan.game, *plan.players]
    for key, value in plan.identity().items():
        if value != usual[key]:
            words += [f"--{key}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    return shlex.join(words)


def main(settings: Settings) -> Standings:
    """Play, print the table, write the results."""
    plan = settings.plan()
    with tqdm(unit="chunk", desc=settings.game) as bar:

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        result = tournament(plan, settings.out, settings.workers, told)
    command = command_of(plan)
    write_text(settings.out / RESULTS, json.dumps({"command": command, **result.as_dict()}, indent=1))
    write_text(settings.out / TABLE, result.markdown(command))
    result.draw(settings.out / PICTURE)
    print(result.markdown(command))
    return result


if __name__ == "__main__":
    run_command(main, Settings, interrupted="interrupted: the same command goes on from here")
