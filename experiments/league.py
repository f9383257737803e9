"""A league: a player that learns against its past selves, exploiters and the game's other players, the harder the more often.

    python -m experiments.league skull_king                                  from nothing
    python -m experiments.league skull_king --start policy:pretrained        from a policy's weights
    python -m experiments.league skull_king --workers 4 --exploiters 3       a learner a core
    python -m experiments.league skull_king --on ray                         on a cluster (docs/cluster)
    python -m experiments.league --resume runs/league-skull_king-...         goes on after Ctrl-C, SIGTERM or a crash

Rounds: every learner learns for a lesson, then duplicate matches fill in the payoff matrix, by which the main learner's next
opponents are weighed (prioritised fictitious self-play). A league's folder is a player, as policy:FOLDER; in FOLDER/players lie
its past selves and exploiters.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import sys
import warnings
from collections.abc import Collection
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

import tyro
from tqdm import tqdm

from experiments.command import RESULTS, GameName, GameOptions, WorkerFlags, flags_of, given_flags, run_command, unflagged
from experiments.train import interruptible
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.league import KIND, League
from pirate_envs.agents.learning.league_jobs import do_job
from pirate_envs.agents.learning.league_picture import draw_league, hardest_over_rounds
from pirate_envs.agents.learning.league_state import MAIN
from pirate_envs.agents.learning.leagues import begin_league, resumed_league
from pirate_envs.agents.learning.settings import LeagueSettings, PPOSettings
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import MissingExtraError
from pirate_envs.core.files import write_text
from pirate_envs.core.signals import ENDINGS, Terminated

TOLD_BY_THE_LEAGUE = (
    "game", "players", "options", "vary", "minutes", "decisions", "pool", "older", "snapshot_every", "self_play", "seed",
    "evaluate_minutes", "evaluate_deals", "final_deals", "checkpoint_minutes", "keep", "out", "start",
    "on", "learners", "address", "entropy_floor",
)  # fmt: skip
"""What a league tells its learners, or what is of no use to them."""
LearnerFlags = flags_of(PPOSettings, {}, hidden=TOLD_BY_THE_LEAGUE)
RESUME_HELP = (
    "go on with this league's folder; --rounds and the flags of the workers hold from then on, any other flag must say what "
    "the league's settings say"
)
WORKERS_HELP = "who learns and plays: a learner, or one pair of players, is a chunk"
LeagueFlags = flags_of(
    LeagueSettings,
    {
        "game": (Annotated[GameName, tyro.conf.arg(help="name of the game; with --resume it need not be told")], ""),
        "resume": (Annotated[Path | None, tyro.conf.arg(help=RESUME_HELP)], None),
        "options": (GameOptions, ()),
        "out": (Annotated[Path, tyro.conf.arg(help="where league folders are made")], Path("runs")),
    },
)


@dataclasses.dataclass
class LeagueCommand(LeagueFlags):  # type: ignore[misc, valid-type]
    """Begin a league of GAME, or go on with one."""

    learner: Annotated[PPOSettings, tyro.conf.arg(constructor=LearnerFlags)] = field(default_factory=PPOSettings)
    """how all of them learn"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who learns and plays: a learner's part of a lesson, or a duel, is a chunk"""
    write: bool = False
    """keep table, payoffs and picture in experiments/results when the last round is over"""


def settings_of(given: Any) -> LeagueSettings:
    """The flags as settings, which workers can be sent."""
    settings: LeagueSettings = unflagged(LeagueSettings, given)
    return dataclasses.replace(settings, learner=unflagged(PPOSettings, given.learner))


def main(given: Any, named: Collection[str] = ()) -> Path:
    """Begin a league or go on with one; returns its folder. `named`: the settings that were told by a flag."""
    given.workers.check()
    settings = settings_of(given)
    if given.resume is None:
        league = begin_league(settings, command("experiments.league"))
    else:
        league = resumed_league(given.resume, settings, named)
    print(f"league folder: {league.folder}")
    with interruptible("what is under way") as asked:
        done = follow(league, given.workers, asked)
    ended = asked[0] if asked and asked[0] in ENDINGS else None
    if not done or ended:
        print(f"stopped in round {league.round + 1}" if not done else f"ended with round {league.round}")
        print(f"to go on: {command('experiments.league', ['--resume', str(league.folder)])}")
        if ended:
            raise Terminated(ended)
        return league.folder
    print(finish(league))
    if given.write:
        publish(league)
    return league.folder


def follow(league: League, workers: Workers, asked: list[int]) -> bool:
    """Run it until its last round, or until it is asked to stop; whether that was the last."""
    with tqdm(unit="job", disable=None) as bar, workers.doing(do_job, hear_ctrl_c=False) as do:

        def heard(job: Any) -> None:
            bar.set_postfix_str(f"round {league.round + 1}: {job.name}", refresh=False)
            bar.update()

        def watch(league: League) -> None:
            bar.write(f"round {league.round:>4}, {league.seconds / 60:5.1f} min: {summary(league)}", file=sys.stdout)
            keep(league)

        league.pieces.heard = heard
        return league.run(do, lambda: bool(asked), watch)


def summary(league: League) -> str:
    """The latest main player's payoffs in a line."""
    names = [each.name for each in league.pool(search=True) if each.sort in ("regular", "search")]
    names += [f"{MAIN}-0"] if league.round else []
    shares = {name: league.payoffs.share(league.main, name) for name in names}
    told = [f"{share.mean:.1%} against {name}" for name, share in shares.items() if share is not None]
    hardest = hardest_over_rounds(league).get(league.round)
    told += [f"{hardest.mean:.1%} against the hardest"] if hardest is not None else []
    challenges = [challenge for challenge in league.challenges if challenge.round == league.round]
    told += [f"{challenge.exploiter} {challenge.tally.share.mean:.1%}, {challenge.outcome}" for challenge in challenges]
    return ", ".join(told)


def keep(league: League) -> None:
    """Bring payoffs.csv, league.md and payoffs.png up to date; without the library that draws, the first two."""
    keep_tables(league)
    try:
        draw_league(league.folder / "payoffs.png", league)
    except MissingExtraError as error:
        warnings.warn(f"{error}; payoffs.csv holds the same numbers", stacklevel=2)


def keep_tables(league: League) -> None:
    """payoffs.csv and league.md."""
    rows = league.payoffs.rows()
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(league.folder / "payoffs.csv", text.getvalue())
    Results(league.folder).write_page("league", table(league))


def finish(league: League) -> str:
    """The league's table, kept once more in case that it was lost."""
    keep(league)
    return table(league)


def publish(league: League) -> None:
    """league_GAME.{md,json,png} in experiments/results."""
    name = f"league_{league.game.name}"
    payoffs = {"payoffs": league.payoffs.rows(), "main": league.main, "machine": machine()}
    Results(RESULTS).write(name, payoffs, f"{table(league)}\nMeasured on {machine()}.\n")
    draw_league(RESULTS / f"{name}.png", league)


def table(league: League) -> str:
    """As Markdown: the pool against the latest main player, and the exploiters' challenges."""
    seats = league.game.players
    matches = sum(tally.deals for tally in league.payoffs.tallies.values()) * seats
    _, begun_by = runs.read_settings(league.folder, KIND)
    about = (
        f"{league.game.id}, {seats} players (an even share is {1 / seats:.0%}): round {league.round}, {league.decisions:,} "
        f"decisions of the main learner, {matches:,} duplicate matches among {len(league.contenders)} players, "
        f"{league.seconds / 60:.0f} minutes.\n"
    )
    return "\n".join([about, pool_table(league), challenges_table(league), f"Command: `{begun_by}`\n"])


def pool_table(league: League) -> str:
    """Everybody in the pool against the latest main player, and how much of the next opponents' seats each has."""
    others, latest, next_shares = league.game.players - 1, league.main, league.shares()
    head = ["player", f"`{latest}` among {others} of it", f"it among {others} `{latest}`", "chance", "next opponents"]
    lines = []
    for each in league.pool(search=True):
        shares = league.payoffs.share(latest, each.name), league.payoffs.share(each.name, latest)
        cells = ["-" if share is None else share.percent() for share in shares]
        chance = f"{league.payoffs.chance(latest, each.name):.2f}"
        lines.append([f"`{each.name}`", *cells, chance, f"{next_shares.get(each.name, 0):.1%}"])
    return markdown_table(head, lines, "lrrrr")


def challenges_table(league: League) -> str:
    """How each exploiter stood after each of its lessons; nothing if there are none."""
    head = ["round", "exploiter", "against", "wins among copies of it", "and"]
    lines = [
        [challenge.round, challenge.exploiter, f"`{challenge.target}`", challenge.tally.share.percent(), challenge.outcome]
        for challenge in league.challenges
    ]
    return markdown_table(head, lines, "rllrl") if lines else ""


if __name__ == "__main__":
    run_command(lambda given: main(given, given_flags()), LeagueCommand, __doc__)
