"""Tournaments: any players against each other, at tables of one size or several, with ratings and intervals.

    python -m experiments.tournament skull_king random rules:simple rules:expected_points --tables 3 4 --deals 400

What is played and what is kept: agents/arena/tournament.py. The same command goes on where it was interrupted, and with more
deals to these. Several of it at once, on machines that share the folder, divide the work. Without a shared folder, or for a job
array:

    python -m experiments.tournament ... --shard 2/8 --out shards/2         the second of eight parts
    python -m experiments.tournament ... --gather shards/*                  all of them summed up
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

from experiments.command import GameName, GameOptions, WorkerFlags, run_command
from pirate_envs.agents.arena.standings import Standings
from pirate_envs.agents.arena.tournament import Shard, Tournament, gather, play_shard, tournament
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.report import Results, command
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import check_writable_folder


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
    shard: str | None = None
    """play only the i-th of n parts, given as i/n, and sum up nothing"""
    gather: tuple[Path, ...] | None = None
    """sum up what shards have left in these folders, and play nothing"""
    workers: WorkerFlags = field(default=Workers())
    """who plays; without --workers here every core"""

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


def main(settings: TournamentSettings) -> Standings | None:
    """Play, print the table, write the results; a shard writes its chunks alone."""
    plan, shard = settings.plan(), None if settings.shard is None else Shard.named(settings.shard)
    if settings.gather is not None:
        if not settings.gather:
            raise OptionError("--gather names no folder; needed: one or more that shards were played into")
        if shard is not None:
            raise OptionError("--shard plays a part and --gather sums up all of them; allowed: one of them")
        check_writable_folder(settings.out)
        return written(gather(plan, settings.gather), plan, settings.out)
    workers = settings.workers
    if workers.on == "here" and workers.workers is None:
        workers = dataclasses.replace(workers, workers=os.cpu_count())
    with tqdm(unit="chunk", desc=settings.game, disable=None, delay=0.5) as bar:

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        if shard is not None:
            count = play_shard(plan, settings.out, shard, workers, told)
        else:
            result = tournament(plan, settings.out, workers, told)
    if shard is not None:
        print(f"shard {shard}: its {count} chunks are played; to sum up: {command_of(plan)} --gather {settings.out} ...")
        return None
    return written(result, plan, settings.out)


def written(result: Standings, plan: Tournament, out: Path) -> Standings:
    """Write the results into the folder `out` and print the table."""
    played_by = command_of(plan)
    page, results = result.markdown(played_by), Results(out)
    results.write_json("results", {"command": played_by, **result.as_dict()})
    results.write_page("table", page)
    result.draw(out / "payoff.png")
    print(page)
    return result


if __name__ == "__main__":
    run_command(main, TournamentSettings, interrupted="interrupted: the same command goes on from here")
