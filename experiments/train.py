"""Self-play training against a pool of the learner's own snapshots and the game's own players.

    python -m experiments.train skull_king                     ten minutes of Stable-Baselines3's MaskablePPO on one seat
    python -m experiments.train skull_king --learner ppo       this project's own PPO, which learns from every seat
    python -m experiments.train skull_king --decisions 5000000
    python -m experiments.train --resume runs/skull_king-...   goes on after Ctrl-C, a crash or a power cut

The learner is paid its points as they are scored (a dense objective); what is reported is the share of matches won.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from agents import agent
from agents.policy import Policy
from agents.pool import Pool
from experiments import curve, runs
from experiments.command import command_line, run_command
from experiments.evaluate import FIGURES, Evaluation, Figure, parse_options, versus
from experiments.ppo import PPO
from experiments.sb3 import SB3
from experiments.settings import PPOSettings, Settings
from experiments.standings import draw_payoffs
from pirate_envs import load
from pirate_envs.core.errors import CheckpointError, OptionError
from pirate_envs.core.files import write_text
from pirate_envs.core.game import Game
from pirate_envs.engine.lanes import SEATED, Lanes, inside_names

SPREAD = 2.25  # of the rewards of a match: the value network learns numbers of about 1 more easily than of about 0.1
SHORT, LONG = 1000, 2000  # seeds of the deals of the evaluations in the course of a run and of the last one

EVALUATIONS = ("decisions", "minutes", "opponent", "win_share", "low", "high", "score", "margin", "rank", "deals")


class Training:
    """One run: the learner, its pool and its folder."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        """Raises UnknownGameError or OptionError."""
        self.folder, self.settings = folder, settings
        self.game, paying = games_of(settings)
        self.learner = PPO(paying, settings) if isinstance(settings, PPOSettings) else SB3(paying, settings)
        self.pool = Pool(self.game, settings.pool, self.learner.policy(greedy=False), settings.older)
        self.metrics = runs.Table(folder / "metrics.csv", self.learner.metrics)
        self.evaluations = runs.Table(folder / "evaluations.csv", EVALUATIONS)
        self.board = runs.Board(folder / "tensorboard")
        self.seconds, self.best = 0.0, -1.0
        self.last = {"evaluation": 0.0, "checkpoint": 0.0}
        self.meet_pool()

    # -- how far -------------------------------------------------------------------------------------------------------

    @property
    def decisions(self) -> int:
        """Decisions that the learner has made."""
        return self.learner.decisions

    @property
    def progress(self) -> float:
        """From 0 to 1 at the first limit that is reached."""
        done = [self.decisions / self.settings.decisions] if self.settings.decisions else []
        done += [self.seconds / (60 * self.settings.minutes)] if self.settings.minutes else []
        return min(1.0, max(done))

    # -- learning ------------------------------------------------------------------------------------------------------

    def iterate(self) -> None:
        """One rollout and its update."""
        start = time.perf_counter()
        before = self.decisions
        seen = self.learner.iterate(self.settings.learning_rate * max(0.05, 1 - self.progress))
        snapshot_due = self.decisions // self.settings.snapshot_every > before // self.settings.snapshot_every
        self.meet_pool(snapshot_due)
        spent = time.perf_counter() - start
        self.seconds += spent
        rate = (self.decisions - before) / spent
        row = {"decisions": self.decisions, "minutes": self.seconds / 60, "decisions_per_second": rate, **seen}
        self.metrics.append(**row)
        for name in row.keys() - {"decisions"}:
            self.board.add_scalar(f"learner/{name}", row[name], self.decisions)

    def meet_pool(self, snapshot: bool = False) -> None:
        """Let the learner meet its newest self; with `snapshot` the one before joins the older ones."""
        if snapshot:
            self.pool.keep_snapshot(self.decisions)
        self.pool.latest = self.learner.policy(greedy=False)
        self.learner.meet(self.pool.mix(), self.pool.policies())

    # -- measuring -----------------------------------------------------------------------------------------------------

    def policy(self) -> Policy:
        """The player as it stands: greedy, with the settings it was trained by."""
        policy = self.learner.policy(greedy=True)
        policy.settings = plain(self.settings)
        return policy

    def evaluate(self, deals: int, seed: int) -> dict[str, Evaluation]:
        """Against three of each of the game's own players, by name; the rows go into evaluations.csv."""
        start = time.perf_counter()
        policy = self.policy()
        results = {name: versus(self.game, policy, agent(self.game, name), deals, seed) for name in inside_names(self.game)}
        self.seconds += time.perf_counter() - start
        for name, result in results.items():
            figure = result.first()
            won = figure["win_share"]
            self.evaluations.append(
                decisions=self.decisions, minutes=self.seconds / 60, opponent=name, deals=deals,
                win_share=won.mean, low=won.low, high=won.high,
                score=figure["score"].mean, margin=figure["margin"].mean, rank=figure["rank"].mean,
            )  # fmt: skip
            for measure in FIGURES:
                self.board.add_scalar(f"{measure}/{name}", figure[measure].mean, self.decisions)
        self.last["evaluation"] = self.seconds
        return results

    def measure(self) -> dict[str, Evaluation]:
        """The evaluation in the course of a run; keeps the best player so far in best/."""
        results = self.evaluate(self.settings.evaluate_deals, SHORT)
        mean = float(np.mean([result.first()["win_share"].mean for result in results.values()]))
        if mean > self.best:
            self.best = mean
            self._save_into("best", keep=1)
        self.draw()
        return results

    def draw(self) -> None:
        """The learning curve so far."""
        title = f"{self.game.title}, {self.game.players} players: one learner against a field of each"
        curve.draw(self.folder / "learning_curve.png", title, self.evaluations.rows(), 1 / self.game.players)

    # -- saving --------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """A checkpoint to play with and to go on from."""
        self.last["checkpoint"] = self.seconds
        self.board.flush()
        self._save_into("checkpoints", self.settings.keep)

    def _save_into(self, name: str, keep: int) -> None:
        arrays = self.learner.arrays()
        for time_kept, policy in self.pool.older.items():
            for number, (weights, bias) in enumerate(policy.layers):
                arrays[f"pool.{time_kept}.{number}.weight"], arrays[f"pool.{time_kept}.{number}.bias"] = weights, bias
        numbers = {**self.learner.numbers(), "seconds": self.seconds, "best": self.best, "last": self.last}
        runs.save_checkpoint(self.folder / name, self.policy(), arrays, numbers, keep)

    def load(self) -> None:
        """Go back to the newest complete checkpoint of the folder. Raises CheckpointError."""
        path, arrays, numbers = runs.load_checkpoint(self.folder)
        try:
            Policy.load(self.game, path)
            self._load_pool(arrays)
            self.learner.restore(arrays, numbers)
            self.pool.latest = self.learner.policy(greedy=False)
            self.learner.meet(self.pool.mix(), self.pool.policies())
            self.seconds, self.best, self.last = float(numbers["seconds"]), float(numbers["best"]), dict(numbers["last"])
        except (KeyError, ValueError, TypeError) as error:
            raise CheckpointError(f"{path} cannot be resumed: {error}") from None
        self.board.purge_step = self.decisions + 1
        self.metrics.cut(self.decisions)
        self.evaluations.cut(self.decisions)

    def _load_pool(self, arrays: dict[str, np.ndarray]) -> None:
        for name in sorted(name for name in arrays if name.startswith("pool.") and name.endswith(".0.weight")):
            kept = name.split(".")[1]
            count = sum(key.startswith(f"pool.{kept}.") for key in arrays) // 2
            layers = [(arrays[f"pool.{kept}.{i}.weight"], arrays[f"pool.{kept}.{i}.bias"]) for i in range(count)]
            self.pool.older[int(kept)] = Policy(self.game, layers, self.settings.activation, greedy=False)
        self.learner.meet(self.pool.mix(), self.pool.policies())


def games_of(settings: Settings) -> tuple[Game, Game]:
    """The game as it is evaluated, and as it pays a learner. Raises UnknownGameError or OptionError."""
    options = {"players": settings.players, **parse_options(settings.options)}
    paying = load(settings.game, **options, reward=settings.reward, pay_as_scored=settings.reward != "win")
    scale = paying.scale / (settings.reward_scale or usual_scale(paying))
    return load(settings.game, **options), dataclasses.replace(paying, scale=scale)


def usual_scale(game: Game) -> float:
    """What brings the standard deviation of a match's reward, between random players, to SPREAD."""
    lanes = Lanes(game, 2048, observations=False)
    roles = np.zeros((lanes.size, game.players), np.int16)  # all uniform
    lanes.start_matches(np.arange(lanes.size, dtype=np.uint64), roles, np.zeros(lanes.size, np.int64))
    lanes.settle(SEATED, again=False)
    return SPREAD / max(float(np.std([game.rewards(g) for g in lanes.records])), 1e-9)


def plain(settings: Settings) -> dict[str, Any]:
    """The settings, ready for JSON."""
    return {
        name: str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value
        for name, value in dataclasses.asdict(settings).items()
    }


def settings_of(learner: object) -> type[Settings]:
    """The settings of a learner; an unknown one is refused when they are checked."""
    return PPOSettings if learner == "ppo" else Settings


# -- the command -------------------------------------------------------------------------------------------------------


def begin(settings: Settings) -> Training:
    """A new run in a new folder, its first checkpoint written. Raises OptionError or UnknownGameError."""
    if not settings.game:
        raise OptionError("no game given; usage: python -m experiments.train GAME, or --resume FOLDER")
    settings.check()
    if settings.minutes is None and settings.decisions is None:
        settings = dataclasses.replace(settings, minutes=10.0)
    training = Training(runs.new_folder(settings.out, settings.game), settings)
    runs.write_settings(training.folder, plain(settings), command_line("train"))
    training.save()
    return training


def resumed(given: Settings) -> Training:
    """The run of a folder where its newest complete checkpoint stands. Raises CheckpointError."""
    assert given.resume is not None
    values, _ = runs.read_settings(given.resume)
    kind = settings_of(values.get("learner"))
    names = {each.name for each in dataclasses.fields(kind)}
    if set(values) != names:
        raise CheckpointError(f"{given.resume}: settings.json holds other settings than this version's")
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    fields.pop("start", None)  # the checkpoint holds what became of it
    if given.minutes is not None or given.decisions is not None:
        fields |= {"minutes": given.minutes, "decisions": given.decisions}
    try:
        settings = kind(**fields)
        settings.check()
        training = Training(given.resume, settings)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise CheckpointError(f"{given.resume}: settings.json cannot be used: {error}") from None
    training.load()
    return training


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
    payoff: dict[str, dict[str, Figure]] = {name: {} for name in players}
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
    training = resumed(settings) if settings.resume else begin(settings)
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
