"""Training: a learner, its pool of opponents and its run folder, from the first decision to the last checkpoint."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import FIGURES, Evaluation, versus
from pirate_envs.agents.learning import curve, runs
from pirate_envs.agents.learning.learner import make_learner, settings_of
from pirate_envs.agents.learning.pool import Pool
from pirate_envs.agents.learning.settings import Settings
from pirate_envs.agents.policy import Policy

from pirate_envs.core.errors import CheckpointError, OptionError
from pirate_envs.core.game import Game
from pirate_envs.core.options import parse_options
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.seating import UNIFORM, compiled_names
from pirate_envs.games import load

SPREAD = 2.25  # of the rewards of a match: the value network learns numbers of about 1 more easily than of about 0.1
SHORT, LONG = 1000, 2000  # seeds of the deals of the evaluations in the course of a run and of the last one

EVALUATIONS = ("decisions", "minutes", "opponent", "win_share", "low", "high", "score", "margin", "rank", "deals")


class Training:
    """One run: the learner, its pool and its folder."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        """Raises UnknownGameError or OptionError."""
        self.folder, self.settings = folder, settings
        self.game, paying = games_of(settings)
        self.learner = make_learner(paying, settings)
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
        results = {name: versus(self.game, policy, agent(self.game, name), deals, seed) for name in compiled_names(self.game)}
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
    roles = np.full((lanes.size, game.players), UNIFORM, np.int16)
    lanes.play_matches(np.arange(lanes.size, dtype=np.uint64), roles, np.zeros(lanes.size, np.int64))
    return SPREAD / max(float(np.std([game.rewards(g) for g in lanes.records])), 1e-9)


def plain(settings: Settings) -> dict[str, Any]:
    """The settings, ready for JSON."""
    return {
        name: str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value
        for name, value in dataclasses.asdict(settings).items()
    }


def begin(settings: Settings, command: str = "") -> Training:
    """A new run in a new folder, its first checkpoint written. Raises OptionError or UnknownGameError."""
    if not settings.game:
        raise OptionError("no game given: name one, or a run folder to resume")
    settings.check()
    if settings.minutes is None and settings.decisions is None:
        settings = dataclasses.replace(settings, minutes=10.0)
    training = Training(runs.new_folder(settings.out, settings.game), settings)
    runs.write_settings(training.folder, plain(settings), command)
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
