"""Tournaments: any players against each other, at tables of one size or several, with ratings and intervals.

    python -m experiments.tournament skull_king random rules:simple rules:expected_points --tables 3 4 --deals 400

What is played and what is kept: agents/arena/tournament.py. The same command goes on where it was interrupted.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tqdm import tqdm

from experiments.command import GameName, GameOptions, run_command
from pirate_envs.agents.arena.standings import Standings
from pirate_envs.agents.arena.tournament import Tournament, tournament
from pirate_envs.agents.report import Results, command


@dataclass(frozen=True)
class TournamentSettings(Tournament):
    """Play a tournament, or go on with it."""

    game: GameName
    """name of the game"""
    players: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER PLAYER [PLAYER ...]")]
    """two or more different players: random, rules:NAME, search:..., exact:..., policy:FOLDER"""
    options: GameOptions = ()
    """further options of the game; the value as JSON"""
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
    words = [plan.game, *plan.players]
    for key, value in plan.identity().items():
        if key == "options":
            words += itertools.chain.from_iterable(("--option", each) for each in value)
        elif value != usual[key]:
            words += [f"--{key}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    return command("experiments.tournament", words)


def main(settings: TournamentSettings) -> Standings:
    """Play, print the table, write the results."""
    plan = settings.plan()
    with tqdm(unit="chunk", desc=settings.game) as bar:

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        result = tournament(plan, settings.out, settings.workers, told)
    played_by = command_of(plan)
    page, results = result.markdown(played_by), Results(settings.out)
    results.write_json("results", {"command": played_by, **result.as_dict()})
    results.write_page("table", page)
    result.draw(settings.out / "payoff.png")
    print(page)
    return result


if __name__ == "__main__":
    run_command(main, TournamentSettings, interrupted="interrupted: the same command goes on from here")
