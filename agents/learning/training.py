"""Training: a learner, its pool of opponents and its run folder, from the first decision to the last checkpoint.

run = train(PPOSettings("skull_king", decisions=1_000_000))     # Ctrl-C and a crash lose little: see `resume`
run.folder, run.policy(), run.evaluate(deals=500)
"""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import FIGURES, Evaluation, versus
from pirate_envs.agents.learning import curve, runs
from pirate_envs.agents.learning.learner import LEARNERS, LearnerLostError, make_learner
from pirate_envs.agents.learning.pool import Pool
from pirate_envs.agents.learning.settings import TOLD_APART, TrainingSettings
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, ClusterError, MissingExtraError, OptionError, shown
from pirate_envs.core.files import FolderLock, check_writable_folder
from pirate_envs.core.game import Game
from pirate_envs.core.options import checked_names
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.seating import UNIFORM, compiled_names
from pirate_envs.games import load

SPREAD = 2.25  # of the rewards of a match: the value network learns numbers of about 1 more easily than of about 0.1
SHORT, LONG = 1000, 2000  # seeds of the deals of the evaluations in the course of a run and of the last one
FIRST_DEALS = 100  # at most, of the evaluation before the first update

EVALUATIONS = ("decisions", "minutes", "opponent", "win_share", "low", "high", "score", "margin", "rank", "deals")


class Training:
    """One run: the learner, its pool and its folder."""

    def __init__(self, folder: Path | None, settings: TrainingSettings) -> None:
        """Without a folder nothing is written. Raises UnknownGameError, OptionError or MissingExtraError."""
        self.folder, self.settings = folder, settings
        self.game, paying = games_of(settings)
        self.learner = make_learner(paying, settings)
        self.pool = Pool(self.game, settings.pool, self.learner.policy(greedy=False), settings.older)
        self.metrics = runs.CsvLog(self._inside("metrics.csv"), self.learner.metrics)
        self.evaluations = runs.CsvLog(self._inside("evaluations.csv"), EVALUATIONS)
        self.board = runs.Board(self._inside("tensorboard"))
        self._pictures = folder is not None
        self.seconds, self.best = 0.0, -1.0
        self.last = {"evaluation": 0.0, "checkpoint": 0.0}
        self.lock: FolderLock | None = None
        """Kept as long as this training lives: no other process may go on with the folder."""
        self.meet_pool()

    def _inside(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / name

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
        return min(1.0, max(done, default=0.0))

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

    def finished(self) -> Policy:
        """Learn to the limit, without measuring or saving on the way; the player that has become of it."""
        while self.progress < 1:
            self.iterate()
        return self.policy()

    # -- measuring -----------------------------------------------------------------------------------------------------

    def policy(self) -> Policy:
        """The player as it stands: greedy, with the settings it was trained by."""
        policy = self.learner.policy(greedy=True)
        policy.settings = plain(self.settings)
        return policy

    def evaluate(self, deals: int = 2000, seed: int = LONG) -> dict[str, Evaluation]:
        """Against a field of each of the game's own players, by name; the rows go into evaluations.csv."""
        start = time.perf_counter()
        results = self._against_each(deals, seed)
        self.seconds += time.perf_counter() - start
        self._note(results)
        return results

    def _against_each(self, deals: int, seed: int) -> dict[str, Evaluation]:
        policy = self.policy()
        return {name: versus(self.game, policy, agent(self.game, name), deals, seed) for name in compiled_names(self.game)}

    def _note(self, results: Mapping[str, Evaluation]) -> None:
        """Put results of now into evaluations.csv and the TensorBoard log."""
        for name, result in results.items():
            figure = result.first()
            won = figure["win_share"]
            self.evaluations.append(
                decisions=self.decisions, minutes=self.seconds / 60, opponent=name, deals=result.deals,
                win_share=won.mean, low=won.low, high=won.high,
                score=figure["score"].mean, margin=figure["margin"].mean, rank=figure["rank"].mean,
            )  # fmt: skip
            for measure in FIGURES:
                self.board.add_scalar(f"{measure}/{name}", figure[measure].mean, self.decisions)
        self.last["evaluation"] = self.seconds

    def measure(self) -> dict[str, Evaluation]:
        """The evaluation in the course of a run; keeps the best player so far in best/."""
        results = self.evaluate(self.settings.evaluate_deals, SHORT)
        mean = float(np.mean([result.first()["win_share"].mean for result in results.values()]))
        if mean > self.best:
            self.best = mean
            self._save_into("best", keep=1)
        self.draw()
        return results

    def measure_untrained(self) -> dict[str, Evaluation]:
        """A few deals before the first update, where learning curves begin; they cost the run no time."""
        results = self._against_each(min(FIRST_DEALS, self.settings.evaluate_deals), SHORT)
        self._note(results)
        self.draw()
        return results

    def draw(self) -> None:
        """The learning curve so far, learning_curve.png; without the library that draws it, this is said once."""
        path = self._inside("learning_curve.png")
        if path is None or not self._pictures:
            return
        title = f"{self.game.title}, {self.game.players} players: one learner against a field of each"
        try:
            curve.draw(path, title, self.evaluations.rows(), 1 / self.game.players)
        except MissingExtraError as error:
            self._pictures = False
            warnings.warn(f"{error}; evaluations.csv holds the same numbers", stacklevel=2)

    # -- saving --------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """A checkpoint to play with and to go on from, if the run has a folder."""
        self.last["checkpoint"] = self.seconds
        self._save_into("checkpoints", self.settings.keep)

    def _save_into(self, name: str, keep: int) -> None:
        if self.folder is None:
            return
        arrays = self.learner.arrays()
        for time_kept, policy in self.pool.older.items():
            for number, (weights, bias) in enumerate(policy.layers):
                arrays[f"pool.{time_kept}.{number}.weight"], arrays[f"pool.{time_kept}.{number}.bias"] = weights, bias
        numbers = {**self.learner.numbers(), "seconds": self.seconds, "best": self.best, "last": self.last}
        runs.save_checkpoint(self.folder / name, self.policy(), arrays, numbers, keep)

    def load(self) -> None:
        """Go back to the newest complete checkpoint of the folder. Raises CheckpointError."""
        if self.folder is None:
            raise CheckpointError("a training without a folder has no checkpoint to go back to")
        path, arrays, numbers = runs.load_checkpoint(self.folder)
        try:
            Policy.load(self.game, path)
            self._load_pool(arrays)
            self.learner.restore(arrays, numbers)
            self.pool.latest = self.learner.policy(greedy=False)
            self.learner.meet(self.pool.mix(), self.pool.policies())
            self.seconds, self.best, self.last = float(numbers["seconds"]), float(numbers["best"]), dict(numbers["last"])
        except (LookupError, ValueError, TypeError) as error:
            raise CheckpointError(f"{path} cannot be resumed: {error}") from None
        if any(best.name > path.name for best in (self.folder / "best").glob("[0-9]*")):
            self.best = -1.0  # that of a course that is left: the next one measured takes its place
        self.board.purge_step = self.decisions + 1
        self.metrics.cut(self.decisions)
        self.evaluations.cut(self.decisions)

    def go_back(self, lost: LearnerLostError) -> None:
        """A new learner goes on from the newest checkpoint, if the run has a folder; else raises what was lost."""
        if self.folder is None:
            raise lost
        warnings.warn(f"{lost}; going on from the last checkpoint", stacklevel=2)
        self.learner = make_learner(games_of(self.settings)[1], self.settings)
        self.load()

    def _load_pool(self, arrays: dict[str, np.ndarray]) -> None:
        self.pool.older.clear()
        for name in sorted(name for name in arrays if name.startswith("pool.") and name.endswith(".0.weight")):
            kept = name.split(".")[1]
            count = sum(key.startswith(f"pool.{kept}.") for key in arrays) // 2
            layers = [(arrays[f"pool.{kept}.{i}.weight"], arrays[f"pool.{kept}.{i}.bias"]) for i in range(count)]
            if not 0 <= int(kept) < 1 << 63 or len(self.pool.older) >= self.pool.keep:
                raise ValueError(f"the pool holds a snapshot {shown(kept)}, or more than {self.pool.keep}")
            self.pool.older[int(kept)] = Policy(self.game, layers, self.settings.activation, greedy=False)
        self.learner.meet(self.pool.mix(), self.pool.policies())


def games_of(settings: TrainingSettings) -> tuple[Game, Game]:
    """The game as it is evaluated, and as it pays a learner. Raises UnknownGameError or OptionError."""
    options = {"players": settings.players, **checked_names(settings.options, TOLD_APART)}
    paying = load(settings.game, **options, reward=settings.reward, pay_as_scored=settings.reward != "win")
    scale = paying.scale / (settings.reward_scale or usual_scale(paying))
    return load(settings.game, **options), dataclasses.replace(paying, scale=scale)


def usual_scale(game: Game) -> float:
    """What brings the standard deviation of a match's reward, between random players, to SPREAD."""
    lanes = Lanes(game, 2048, observations=False)
    roles = np.full((lanes.size, game.players), UNIFORM, np.int16)
    lanes.play_matches(np.arange(lanes.size, dtype=np.uint64), roles, np.zeros(lanes.size, np.int64))
    return SPREAD / max(float(np.std([game.rewards(g) for g in lanes.records])), 1e-9)


def plain(settings: TrainingSettings) -> dict[str, Any]:
    """The settings and the learner that they are for, ready for JSON."""
    values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(LEARNERS[settings.learner].settings)}
    return {"learner": settings.learner, **{name: _plain_value(value) for name, value in values.items()}}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain_value(each) for name, each in value.items()}
    return str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value


# -- the course of a run -----------------------------------------------------------------------------------------------

Watcher = Callable[[Training, Mapping[str, Evaluation] | None], bool | None]
"""Called after each update, and with the results after each evaluation; True asks to stop."""


def begin(settings: TrainingSettings, command: str = "") -> Training:
    """A new run in a new folder, its first checkpoint written; `command` is noted there.

    Raises OptionError, UnknownGameError or MissingExtraError, or OSError if nothing can be written there.
    """
    if not settings.game:
        raise OptionError("no game given: name one")
    settings.check()
    if settings.minutes is None and settings.decisions is None:
        settings = dataclasses.replace(settings, minutes=10.0)
    folder = None
    if settings.out is not None:
        check_writable_folder(settings.out)
        folder = runs.new_folder(settings.out, settings.game)
    training = Training(folder, settings)
    if folder is not None:
        runs.write_settings(folder, plain(settings), command)
        training.lock = runs.enter(folder)
    training.save()
    return training


MAY_CHANGE = frozenset({"minutes", "decisions", "address"})
"""Settings that count from now on when a run is resumed."""


def resumed(
    folder: str | Path,
    minutes: float | None = None,
    decisions: int | None = None,
    address: str | None = None,
    *,
    told: TrainingSettings | None = None,
    given: Collection[str] = (),
) -> Training:
    """The run of a folder where its newest complete checkpoint stands, with new limits if any is given, which it keeps.

    `address`: of the Ray cluster, where that is another one now. `told`: of what it says, the settings that `given` names
    (`pool.latest` for one within another) must be the run's own.

    Raises CheckpointError, for other settings than its own too, BusyError if another process works there, OSError if nothing
    can be written, OptionError for a bad limit, or MissingExtraError.
    """
    folder = Path(folder)
    lock = runs.enter(folder)
    values, _ = runs.read_settings(folder)
    try:
        settings = settings_from(folder, values)
        if address is not None:
            settings = dataclasses.replace(settings, address=address)  # type: ignore[call-arg]
        settings.check()
        if told is not None and given:
            said = plain(told)
            runs.check_own(folder, "run", said, values, {name for name in given if name.partition(".")[0] in said} - MAY_CHANGE)
        training = Training(folder, settings)
    except (CheckpointError, MissingExtraError, ClusterError):
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise CheckpointError(f"{folder}: settings.json cannot be used: {error}") from None
    limits = {} if minutes is None and decisions is None else {"minutes": minutes, "decisions": decisions}
    training.settings = dataclasses.replace(settings, **limits)  # type: ignore[arg-type]
    training.settings.check()
    training.lock = lock
    training.load()
    runs.change_settings(folder, limits)
    return training


def settings_from(folder: Path, values: Mapping[str, Any]) -> TrainingSettings:
    """The settings that `plain` wrote. Raises CheckpointError or TypeError."""
    learner = values.get("learner")
    kind = LEARNERS[learner].settings if isinstance(learner, str) and learner in LEARNERS else TrainingSettings
    if set(values) != {"learner", *(field.name for field in dataclasses.fields(kind))}:
        raise CheckpointError(f"{folder}: settings.json holds other settings than this version's")
    fields = {name: value for name, value in values.items() if name != "learner"}
    fields.pop("start", None)  # the checkpoint holds what became of it
    return kind(**fields)


def run(training: Training, watch: Watcher | None = None) -> bool:
    """Learn until the limit or until `watch` asks to stop, measuring and saving on the way; True at the limit."""
    settings = training.settings
    stop = False
    if training.decisions == 0 and not training.evaluations.rows():
        results = training.measure_untrained()
        stop = watch is not None and watch(training, results) is True
    while training.progress < 1 and not stop:
        try:
            training.iterate()
            seen = training.measure() if _due(training, "evaluation", settings.evaluate_minutes) else None
            if _due(training, "checkpoint", settings.checkpoint_minutes):
                training.save()
        except LearnerLostError as lost:
            training.go_back(lost)
            seen = None
        stop = watch is not None and watch(training, seen) is True
    training.save()
    return training.progress >= 1


def _due(training: Training, what: str, minutes: float) -> bool:
    return training.seconds - training.last[what] >= 60 * minutes


def train(settings: TrainingSettings, watch: Watcher | None = None) -> Training:
    """Train from the beginning to the limit that the settings give.

    What comes back has the run folder (`folder`), the player as it stands (`policy()`) and how strong it is (`evaluate()`).
    Torch is set to as many threads as the settings say (MaskablePPO: one), and for MaskablePPO its generators and NumPy's are
    seeded.
    Raises OptionError, UnknownGameError or MissingExtraError.
    """
    training = begin(settings)
    run(training, watch)
    return training


def resume(
    folder: str | Path, *, minutes: float | None = None, decisions: int | None = None, watch: Watcher | None = None
) -> Training:
    """Go on with a run folder from its newest checkpoint, to its own limit or a new one; see `resumed` for the errors."""
    training = resumed(folder, minutes, decisions)
    run(training, watch)
    return training
