"""Strategy reports from the command line.

python -m experiments.reports                                which there are
python -m experiments.reports skull_king what_to_bid         run one and print it
python -m experiments.reports skull_king --workers 2 --write run all of a game and keep them in experiments/results/reports
python -m experiments.reports skull_king --retell            what is kept, in the words and pictures of now
python -m experiments.reports skull_king --again             do other deals say what the kept ones say?
python -m experiments.reports piratenpoker --also policy:pretrained-v1 --write    the kept deals, among one player more
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

from experiments.command import WorkerFlags, run_command
from experiments.reports import again
from experiments.reports.report import Report, ReportError
from experiments.reports.running import Run, asked_also, report, reports, retold, run, usual_seed
from experiments.reports.telling import page
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.core.files import check_writable_folder
from pirate_envs.core.options import whole_number
from pirate_envs.games import shipped


@dataclass
class ReportsSettings:
    """Run reports of GAME; none named: all of its reports. Without GAME they are listed."""

    game: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="[GAME]")] = None
    """name of the game"""
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[NAME ...]")] = ()
    """names of reports"""
    seed: int | None = None
    """which deals; none given: the kept results', or the first that may be used where what is asked has changed, or --again"""
    part: float = 1.0
    """less than 1: try a report out on such a share of its deals, which are none of those that are registered"""
    retell: bool = False
    """no deals: what is kept, in the words and pictures of now; with --again what was asked again"""
    again: bool = False
    """hold these deals against what is kept of another seed's: how many estimates lie in the 99 % intervals?"""
    also: str | None = None
    """play the kept deals among this player too, who was not registered"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays"""
    out: Path = Path("runs/reports")
    """in folders of the game's and the reports' names there: what has been played, until --write has kept the results"""
    write: bool = False
    """keep what is found in experiments/results/reports"""


def chosen(settings: ReportsSettings) -> list[Report]:
    """The reports that are named. Raises ReportError."""
    game = settings.game or ""
    return [report(game, name) for name in settings.names or reports(game)]


def check(settings: ReportsSettings) -> None:
    """Raises ReportError and OptionError for what cannot be done, or would be left undone without a word."""
    if settings.seed is not None:
        whole_number("seed", settings.seed, 0, min(LARGEST_SEED, 10**6))
    if not 0 < settings.part <= 1:
        raise ReportError(f"--part is {settings.part}; allowed: above 0, up to 1")
    given = {name: getattr(settings, name) for name in ("seed", "part", "retell", "again", "also", "write")}
    said = [f"--{name}" for name, value in given.items() if value != getattr(ReportsSettings, name)]
    if settings.game is None and said:
        raise ReportError(f"{', '.join(said)} without a game lists the reports alone; name one: {', '.join(shipped())}")
    if settings.also is not None and (settings.retell or settings.again):
        raise ReportError("--also plays the kept deals among one player more; --retell and --again are commands of their own")
    for flag, is_given in (("--retell", settings.retell), ("--also", settings.also is not None)):
        if is_given and not {"--seed", "--part"}.isdisjoint(said):
            raise ReportError(f"{flag} goes by the deals that are kept; leave --seed and --part out")


def run_of(asked: Report, settings: ReportsSettings) -> Run:
    """A report on the deals that are meant."""
    seed = usual_seed(asked, settings.again) if settings.seed is None else settings.seed
    return Run(asked, seed, settings.workers, settings.part, settings.out)


def main(settings: ReportsSettings) -> None:
    """Raises ReportError, OptionError and OSError."""
    check(settings)
    if settings.game is None:
        for game in shipped():
            for name, asked in reports(game).items():
                print(f"{game} {name}: {asked.question.asked}")
        return
    if settings.retell and settings.again:
        print(again.retold(settings.game, settings.write))
        return
    if not settings.retell:
        check_writable_folder(settings.out)
    if settings.also is not None:
        for asked in chosen(settings):
            print(page(asked_also(asked, settings.also, settings.workers, settings.write, settings.out)), flush=True)
        return
    if settings.retell:
        for asked in chosen(settings):
            print(page(retold(asked, settings.write)), flush=True)
        return
    runs = [run_of(asked, settings) for asked in chosen(settings)]
    if settings.again:
        print(again.agreement(runs, settings.write))
        return
    for each in runs:
        print(page(run(each, settings.write)), flush=True)


if __name__ == "__main__":
    run_command(main, ReportsSettings, interrupted="interrupted: the same command goes on from here")
