"""Self-play training against a pool of the learner's own snapshots and the game's own players.

    python -m experiments.train skull_king                     ten minutes of the project's PPO, which learns from every seat
    python -m experiments.train skull_king --learner sb3       Stable-Baselines3's MaskablePPO on one seat
    python -m experiments.train skull_king --decisions 5000000
    python -m experiments.train skull_king --on ray --learners 16          many cores, of many machines (docs/cluster)
    python -m experiments.train --resume runs/skull_king-...   goes on after Ctrl-C, SIGTERM, a crash or a power cut

The learner is paid its points as they are scored (a dense objective); what is reported is the share of matches won.
The same from Python: pirate_envs.agents.learning.
"""

from __future__ import annotations

import argparse
import itertools
import signal
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from tqdm import tqdm

from experiments.command import Assignments, GameName, GameOptions, flags_of, given_flags, run_command
from pirate_envs.agents.arena.duplicate import Evaluation, versus
from pirate_envs.agents.arena.standings import draw_payoffs
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.learning import LEARNERS, PPOSettings, Training, TrainingSettings, begin, resumed, run, runs
from pirate_envs.agents.learning.training import LONG
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.signals import ENDINGS, Terminated, handling

USUAL = next(iter(LEARNERS))


@contextmanager
def interruptible(after: str = "this update") -> Iterator[list[int]]:
    """Within it Ctrl-C, SIGTERM and SIGHUP only ask to stop: the yielded list then holds which.

    A second Ctrl-C interrupts as usual. A second SIGTERM is but the first again: `timeout` sends two at once.
    """
    asked: list[int] = []

    def ask(number: int, _: Any) -> None:
        if asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        if not asked:
            print(f"\nstopping after {after} (Ctrl-C again: at once)", file=sys.stderr)
        asked.append(number)

    with handling(ask, (signal.SIGINT, *ENDINGS)):
        yield asked


def follow(training: Training) -> tuple[bool, list[int]]:
    """Run it with a progress bar until its limit or until it is asked to stop; whether that is the limit, and who asked."""
    with interruptible() as asked, progress_bar(training) as bar:

        def watch(training: Training, results: Mapping[str, Evaluation] | None) -> bool:
            if results is not None:
                bar.write(f"{training.decisions:>11,} decisions, {training.seconds / 60:5.1f} min: {summary(results)}")
            show(bar, training)
            return bool(asked)

        return run(training, watch), asked


def progress_bar(training: Training) -> tqdm[Any]:
    """Counts seconds or decisions, whatever the run is limited by."""
    settings = training.settings
    if settings.decisions:
        total, unit = settings.decisions, "decisions"
    else:
        total, unit = int(60 * (settings.minutes or 0)), "s"
    form = "{l_bar}{bar}| {n:,}/{total:,} " + unit + " [{elapsed}<{remaining}{postfix}]"
    return tqdm(total=total, initial=min(total, position(training)), bar_format=form, disable=None)


def position(training: Training) -> int:
    """How far the bar is."""
    return training.decisions if training.settings.decisions else int(training.seconds)


def show(bar: tqdm[Any], training: Training) -> None:
    """Bring the bar up to date."""
    rate = training.decisions / max(training.seconds, 1e-9)
    bar.set_postfix_str(f"{training.decisions:,} decisions, {rate:,.0f}/s", refresh=False)
    bar.update(min(int(bar.total), position(training)) - bar.n)


def summary(results: Mapping[str, Evaluation]) -> str:
    """The share of matches won against each, in one line."""
    return ", ".join(f"{result.first()['win_share'].mean:.1%} against {name}" for name, result in results.items())


def finish(training: Training, folder: Path, trained_by: str) -> str:
    """The last, larger evaluation; writes results.json and results.md and returns the table."""
    decisions, minutes = training.decisions, training.seconds / 60
    results = training.evaluate(training.settings.final_deals, LONG)
    training.draw()
    seats = training.game.players
    head = (
        f"{training.game.id}, {seats} players (an even share is {1 / seats:.0%}). {decisions:,} learner decisions in "
        f"{minutes:.1f} minutes; greedy policy; duplicate deals, every seat rotation, bootstrap intervals by deal."
    )
    titles = ["opponents", "matches won (95 %)", "score", "margin", "mean rank", "matches"]
    rows = [result_cells(f"{seats - 1} x {name}", result) for name, result in results.items()]
    page = f"{head}\n\n{markdown_table(titles, rows)}\nCommand: `{trained_by}`\n"
    cross_play(training, folder)
    content = {
        "command": trained_by, "decisions": decisions, "minutes": minutes, "learner": training.settings.learner,
        "parameters": training.learner.parameters, "precision": training.learner.precision,
        "evaluations": {name: result.as_dict() for name, result in results.items()},
    }  # fmt: skip
    Results(folder).write("results", content, page)
    return page


def cross_play(training: Training, folder: Path) -> None:
    """Snapshots of the run among copies of each other: has it gone on getting better, or in circles? (cross_play.csv, .png)"""
    game, deals = training.game, training.settings.evaluate_deals
    players = {time: policy.drawing(greedy=True) for time, policy in training.pool.older.items()}
    players[training.decisions] = training.policy()
    if len(players) < 2:
        return
    title = {time: f"{time / 1e6:,.6g} M" for time in players}
    payoff: dict[str, dict[str, Interval]] = {name: {} for name in title.values()}
    (folder / "cross_play.csv").unlink(missing_ok=True)
    table = runs.CsvLog(folder / "cross_play.csv", ("decisions", "among", "win_share", "low", "high", "deals"))
    for one, other in itertools.permutations(players, 2):
        won = versus(game, players[one], players[other], deals, LONG).first()["win_share"]
        payoff[title[one]][title[other]] = won
        table.append(decisions=one, among=other, win_share=won.mean, low=won.low, high=won.high, deals=deals)
    title_of_all = f"{game.title}: snapshots of one run, by decisions"
    draw_payoffs(folder / "cross_play.png", title_of_all, list(title.values()), {game.players: payoff})


def result_cells(opponents: str, result: Evaluation) -> tuple[str, ...]:
    """One line of the final table."""
    figure = result.first()
    score, margin, rank = (figure[name].mean for name in ("score", "margin", "rank"))
    return opponents, figure["win_share"].percent(), f"{score:.1f}", f"{margin:+.1f}", f"{rank:.2f}", f"{result.matches:,}"


def main(settings: TrainingSettings, resume: Path | None = None, named: Collection[str] = ()) -> Path:
    """Train or go on training; returns the run folder. `named`: the settings that were told by a flag."""
    if resume is None:
        training = begin(settings, command("experiments.train"))
    else:
        limits = settings.minutes, settings.decisions, getattr(settings, "address", None)
        training = resumed(resume, *limits, told=settings, given={*named, *(("game",) if settings.game else ())})
    folder = training.folder
    if folder is None:
        raise OptionError("out is None; needed: the folder that run folders are made in")
    learner = training.learner
    print(f"run folder: {folder}\n{learner.parameters:,} parameters, hidden layers computed in {learner.precision}")
    done, asked = follow(training)
    ended = asked[0] if asked and asked[0] in ENDINGS else None
    if not done or ended:
        print(f"stopped after {training.decisions:,} decisions")
        print(f"to go on: {command('experiments.train', ['--resume', str(folder)])}")
        if ended:
            raise Terminated(ended)
        return folder
    _, trained_by = runs.read_settings(folder)
    print(finish(training, folder, trained_by))
    return folder


LEARNER_HELP = (
    "ppo: the project's own, which learns from every seat; sb3: Stable-Baselines3's MaskablePPO on one seat; "
    "--help shows the settings of the one that is named"
)
RESUME_HELP = (
    "go on with this run folder; --minutes, --decisions and --address hold from then on, and any other flag must say what the "
    "run's settings say"
)
OUT_HELP = "where run folders are made"


def flags(learner: str) -> type[Any]:
    """The flags of a learner, or of the usual one if there is none of that name: its settings, --learner and --resume."""
    settings = LEARNERS[learner if learner in LEARNERS else USUAL].settings
    fields: dict[str, tuple[Any, Any]] = {
        "game": (Annotated[GameName, tyro.conf.arg(help="name of the game; with --resume it need not be told")], ""),
        "learner": (Annotated[Literal[tuple(LEARNERS)], tyro.conf.arg(help=LEARNER_HELP)], settings.learner),
        "resume": (Annotated[Path | None, tyro.conf.arg(help=RESUME_HELP)], None),
        "options": (GameOptions, ()),
        "out": (Annotated[Path, tyro.conf.arg(help=OUT_HELP)], Path("runs")),
    }
    if issubclass(settings, PPOSettings):
        fields |= {"vary": (Assignments, ()), "entropy_floor": (Assignments, ())}
    return flags_of(settings, fields)


if __name__ == "__main__":
    chosen = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    chosen.add_argument("--learner", default=USUAL)
    run_command(lambda given: main(given, given.resume, given_flags()), flags(chosen.parse_known_args()[0].learner))
