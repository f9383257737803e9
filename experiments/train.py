"""Self-play training against a pool of the learner's own snapshots and the game's own players.

    python -m experiments.train skull_king                     ten minutes of Stable-Baselines3's MaskablePPO on one seat
    python -m experiments.train skull_king --learner ppo       this project's own PPO, which learns from every seat
    python -m experiments.train skull_king --decisions 5000000
    python -m experiments.train --resume runs/skull_king-...   goes on after Ctrl-C, a crash or a power cut

The learner is paid its points as they are scored (a dense objective); what is reported is the share of matches won.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from experiments.command import command_line, run_command
from pirate_envs.agents.arena.duplicate import Evaluation, versus
from pirate_envs.agents.arena.standings import draw_payoffs
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.learner import settings_of
from pirate_envs.agents.learning.settings import Settings
from pirate_envs.agents.learning.training import LONG, Training, begin, resumed
from pirate_envs.core.files import write_text


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within it Ctrl-C only asks to stop, which the yielded function tells; a second one interrupts as usual."""
    asked = False

    def ask(*_: Any) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, before)
        print("\nstopping after this update (Ctrl-C again: at once)", file=sys.stderr)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)


def run(training: Training) -> bool:
    """Learn until the limit or Ctrl-C, saving and measuring on the way; True at the limit."""
    settings = training.settings
    with interruptible() as stopped, progress_bar(training) as bar:
        while training.progress < 1 and not stopped():
            training.iterate()
            if training.seconds - training.last["evaluation"] >= 60 * settings.evaluate_minutes:
                results = training.measure()
                bar.write(f"{training.decisions:>11,} decisions, {training.seconds / 60:5.1f} min: {summary(results)}")
            if training.seconds - training.last["checkpoint"] >= 60 * settings.checkpoint_minutes:
                training.save()
            show(bar, training)
        training.save()
        return training.progress >= 1


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
    return training.decisions if training.settings.decisions else int(training.seconds)


def show(bar: tqdm[Any], training: Training) -> None:
    """Bring the bar up to date."""
    rate = training.decisions / max(training.seconds, 1e-9)
    bar.set_postfix_str(f"{training.decisions:,} decisions, {rate:,.0f}/s", refresh=False)
    bar.update(min(int(bar.total), position(training)) - bar.n)


def summary(results: dict[str, Evaluation]) -> str:
    return ", ".join(f"{result.first()['win_share'].mean:.1%} against {name}" for name, result in results.items())


def finish(training: Training, command: str) -> str:
    """The last, larger evaluation; writes results.json and results.md and returns the table."""
    decisions, minutes = training.decisions, training.seconds / 60
    results = training.evaluate(training.settings.final_deals, LONG)
    training.draw()
    seats = training.game.players
    head = (
        f"{training.game.id}, {seats} players (an even share is {1 / seats:.0%}). {decisions:,} learner decisions in "
        f"{minutes:.1f} minutes; greedy policy; duplicate deals, every seat rotation, bootstrap intervals by deal."
    )
    titles = ["| opponents | matches won (95 %) | score | margin | mean rank | matches |", "|" + " --- |" * 6]
    rows = [result_row(f"{seats - 1} x {name}", result) for name, result in results.items()]
    table = "\n".join([head, "", *titles, *rows, "", f"Command: `{command}`", ""])
    write_text(training.folder / "results.md", table)
    content = {"command": command, "decisions": decisions, "minutes": minutes}
    cross_play(training)
    evaluations = {name: result.as_dict() for name, result in results.items()}
    write_text(training.folder / "results.json", json.dumps({**content, "evaluations": evaluations}, indent=1))
    return table


def cross_play(training: Training) -> None:
    """Snapshots of the run among copies of each other: has it gone on getting better, or in circles? (cross_play.csv, .png)"""
    game, deals = training.game, training.settings.evaluate_deals
    players = {f"{time:,}": policy.drawing(greedy=True) for time, policy in training.pool.older.items()}
    players[f"{training.decisions:,}"] = training.policy()
    if len(players) < 2:
        return
    payoff: dict[str, dict[str, Interval]] = {name: {} for name in players}
    for one, other in itertools.permutations(players, 2):
        payoff[one][other] = versus(game, players[one], players[other], deals, LONG).first()["win_share"]
    (training.folder / "cross_play.csv").unlink(missing_ok=True)
    table = runs.Table(training.folder / "cross_play.csv", ("decisions", "among", "win_share", "low", "high", "deals"))
    for one, row in payoff.items():
        for other, won in row.items():
            names = {"decisions": one.replace(",", ""), "among": other.replace(",", "")}
            table.append(**names, win_share=won.mean, low=won.low, high=won.high, deals=deals)
    draw_payoffs(training.folder / "cross_play.png", list(players), {game.players: payoff})


def result_row(opponents: str, result: Evaluation) -> str:
    """One line of the final table."""
    figure = result.first()
    return (
        f"| {opponents} | {figure['win_share'].percent()} | {figure['score'].mean:.1f} | "
        f"{figure['margin'].mean:+.1f} | {figure['rank'].mean:.2f} | {result.matches:,} |"
    )


def main(settings: Settings) -> Path:
    """Train or go on training; returns the run folder."""
    training = resumed(settings) if settings.resume else begin(settings, command_line("train"))
    print(f"run folder: {training.folder}")
    if not run(training):
        print(f"stopped after {training.decisions:,} decisions")
        print(f"to go on: python -m experiments.train --resume {shlex.quote(str(training.folder))}")
        return training.folder
    _, command = runs.read_settings(training.folder)
    print(finish(training, command))
    return training.folder


if __name__ == "__main__":
    chosen = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    chosen.add_argument("--learner")
    run_command(main, settings_of(chosen.parse_known_args()[0].learner))
