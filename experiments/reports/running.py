"""Run reports: deals to the workers, rows to estimates, estimates to verdicts, and what comes of them kept."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import pkgutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import RESULTS
from experiments.reports.design import TRAINED, TRAININGS, Design, TrainedAnew, TrainedOnceMore
from experiments.reports.estimates import FINDING, Estimate, Rows, holm, joined, mean
from experiments.reports.heard import Listener
from experiments.reports.measuring import measuring_code, shared_code
from experiments.reports.report import CONFIRM, EXPLORE, FIT, STAGES, Findings, Report, ReportError, Verdict
from experiments.reports.run_folder import RunFolder, weights_of
from experiments.reports.telling import found_in, page
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play, split
from pirate_envs.agents.arena.statistics import measures
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import Results, command, machine, new_figure, save_figure
from pirate_envs.core.errors import BusyError
from pirate_envs.core.files import lock_folder
from pirate_envs.core.game import Game
from pirate_envs.games import load, shipped

FORM = 1  # of the results
FIRST_VERSION = "-v0"  # of the game, of results that name none
FOLDERS = Path(__file__).parent
FOLDER = RESULTS / "reports"
FIRST_DEAL, SEEDS_APART, STAGES_APART = 1 << 62, 1 << 36, 1 << 33
TRIAL = 4  # stages further on lie the deals of trials
RULE_DEALS = 1000  # of a duplicate match
RULE_SEED = 1_000_000  # their seeds begin here, apart from those of tournaments
TRIAL_RULE_SEED = 100 * RULE_SEED  # and those of trials here
OTHER_TRAINING = 1_000_001  # what a training of the same deals' is seeded with above theirs: no report's deals have that seed
PATIENCE = 1000  # tries, a hundredth of a second apart, while another process registers


# -- which there are ---------------------------------------------------------------------------------------------------


@cache
def reports(game: str) -> dict[str, Report]:
    """Every report of a game by name, in the order of their modules. Raises ReportError for a game without any."""
    package = f"experiments.reports.{game}"
    if game not in shipped() or importlib.util.find_spec(package) is None:
        raise ReportError(f"there is no report of {game!r}; allowed: {', '.join(shipped())}")
    modules = [importlib.import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules([str(FOLDERS / game)])]
    kinds = [kind for module in modules for kind in vars(module).values() if _is_report(kind, module.__name__)]
    return {kind.name: kind() for kind in kinds}


def _is_report(kind: object, module: str) -> bool:
    return isinstance(kind, type) and issubclass(kind, Report) and kind.__module__ == module


def report(game: str, name: str) -> Report:
    """The report of that name. Raises ReportError."""
    found = reports(game)
    if name not in found:
        raise ReportError(f"{game} has no report {name!r}; allowed: {', '.join(found)}")
    return found[name]


# -- playing -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sampling:
    """What a worker does: its chunks are ranges of match seeds."""

    game: str
    name: str
    player: str | Agent
    """A name, or a player that has none."""
    fitted: Any

    def __call__(self, deals: range) -> Rows:
        asked = report(self.game, self.name)
        game = game_of(asked)
        player = agent(game, self.player) if isinstance(self.player, str) else self.player
        return asked.sample(game, player, deals, self.fitted)


@dataclass(frozen=True)
class Learning:
    """What a worker does: its chunks are tables of a design, at which policies learn."""

    game: str
    name: str
    seed: int
    part: float

    def __call__(self, table: str) -> Policy:
        asked = report(self.game, self.name)
        assert isinstance(asked, Design)
        return asked.learn(table, self.seed, self.part)


def game_of(asked: Report) -> Game:
    """The game as it is played for the report."""
    return load(asked.game, players=asked.question.players, **dict(asked.question.options))


def seeds_of(stage: str, seed: int, deals: int, trial: bool = False) -> range:
    """The match seeds of a stage: no two stages, and no two seeds of a report, share any, nor do trials with other runs.

    All reports of one seed play the same ones.
    """
    first = FIRST_DEAL + seed * SEEDS_APART + (STAGES.index(stage) + TRIAL * trial) * STAGES_APART
    return range(first, first + deals)


@dataclass(frozen=True)
class Run:
    """One run of a report."""

    asked: Report
    seed: int
    workers: Workers
    part: float = 1.0
    """Less than 1: a trial on so many deals, which are none of those that are registered."""
    out: Path | None = None
    """What has been played is kept there until the results are; none: nothing is."""

    @property
    def is_trial(self) -> bool:
        """Whether it is on deals of its own, and no result."""
        return self.part != 1

    @property
    def folder(self) -> RunFolder:
        """The run's own."""
        return RunFolder(self.out, self.asked, self.seed)

    def trained(self, design: Design, who: str = TRAINED) -> TrainedAnew:
        """The player whose policies learn at the tables of a design, each table a chunk."""
        games = {table: load(design.game, **design.options(table)) for table in design.tables}
        player, seed = (TrainedAnew, self.seed) if who == TRAINED else (TrainedOnceMore, self.seed + OTHER_TRAINING)
        course = asdict(design.course) | {"part": self.part, "seed": seed}
        with self.workers.doing(Learning(design.game, design.name, seed, self.part)) as do:
            return player(self.folder.policies(do, games, course))

    def rows(self, stage: str, player: str | Agent, fitted: Any = None, share: float = 1.0) -> Rows:
        """What a stage's deals tell, or this share of them."""
        count = max(1, round(self.asked.question.deals[stage] * share * self.part))
        deals = seeds_of(stage, self.seed, count, self.is_trial)
        work = Sampling(self.asked.game, self.asked.name, player, fitted)
        one = agent(game_of(self.asked), player) if isinstance(player, str) else player
        with self.workers.doing(work) as do:
            return joined(self.folder.rows(do, split(deals, self.asked.at_once), stage, one, fitted))

    def verdicts(self, confirmed: Rows, explored: Rows, others: Mapping[str, Rows]) -> dict[str, Verdict]:
        """What the rows say of each test."""
        question, now, then = self.asked.question, self.estimates(confirmed), self.estimates(explored)
        adjusted = holm([now[test].p for test in question.tests])
        promised = holm([then[test].p for test in question.tests])
        beside = {who: self.estimates(rows) for who, rows in others.items()}
        told = {}
        for test, p, before in zip(question.tests, adjusted, promised, strict=True):
            found, same = p < FINDING, now[test].mean * then[test].mean > 0
            told[test] = Verdict(
                test=test, estimate=now[test], adjusted=p, explored=then[test],
                among={who: each[test] for who, each in beside.items()},
                found=found,
                matters=found and abs(now[test].mean) >= question.smallest,
                failed=before < FINDING and not (found and same),
            )  # fmt: skip
        return told

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        """The report's, which must be those that it has registered. Raises ReportError."""
        made = self.asked.estimates(rows)
        if set(made) != set(self.asked.question.tests):
            raise ReportError(
                f"{self.asked.name} estimates {', '.join(made)}; registered: {', '.join(self.asked.question.tests)}"
            )
        return {test: made[test] for test in self.asked.question.tests}

    def by_chance(self, confirmed: Rows) -> int:
        """How many findings the rows bring with what is asked about taken out."""
        nothing = self.estimates(self.asked.nothing(confirmed, np.random.default_rng(self.seed)))
        return sum(p < FINDING for p in holm([each.p for each in nothing.values()]))

    def matches(self, fitted: Any) -> dict[str, dict[str, Estimate]]:
        """The report's rules in duplicate matches."""
        game = game_of(self.asked)
        deals = range(max(1, round(RULE_DEALS * self.part)))
        seed = self.seed + (TRIAL_RULE_SEED if self.is_trial else RULE_SEED)
        told = {}
        for name, at in self.asked.rules(game, fitted).items():
            line_up = [at["one"], *[at["field"]] * (game.players - 1)]
            record = play(game, line_up, deals, seed)
            by_deal = {key: values[:, :, 0].mean(axis=1) for key, values in measures(record.points, record.wins).items()}
            told[name] = {key: mean(by_deal[key], np.array(deals)) for key in ("win_share", "margin")}
        return told

    def confirmed(self) -> tuple[Any, Rows]:
        """What was fitted, and the confirming rows."""
        main = self.asked.question.among[0]
        fitted = self.asked.fit(self.rows(FIT, main)) if self.asked.question.deals.get(FIT) else None
        return fitted, self.rows(CONFIRM, main, fitted)

    def player(self, who: str) -> str | Agent:
        """One of those among whom it is asked whether a finding holds."""
        return self.trained(self.asked, who) if who in TRAININGS and isinstance(self.asked, Design) else who

    def beside(self, player: str | Agent, fitted: Any) -> Rows:
        """The confirming rows among other players, who play a share of the deals."""
        return self.rows(CONFIRM, player, fitted, self.asked.question.others)

    def found(self) -> tuple[Findings, int, dict[str, Any]]:
        """Play all that was registered; with the number of findings where there is nothing, and the policies' weights."""
        main, *others = self.asked.question.among
        players = {who: self.player(who) for who in others}
        explored = self.rows(EXPLORE, main)
        fitted, confirmed = self.confirmed()
        verdicts = self.verdicts(confirmed, explored, {who: self.beside(each, fitted) for who, each in players.items()})
        found = Findings(verdicts, fitted, self.matches(fitted), self.asked.describe(confirmed))
        return found, self.by_chance(confirmed), policies(game_of(self.asked), {main: main, **players})


def policies(game: Game, players: Mapping[str, str | Agent]) -> dict[str, Any]:
    """The SHA-256 of the weights that each policy among the players acts by; of those that learned at tables, by table."""
    told: dict[str, Any] = {}
    for who, player in players.items():
        one = agent(game, player) if isinstance(player, str) else player
        if isinstance(one, TrainedAnew | Policy):
            told[who] = weights_of(one)
    return told


# -- keeping -----------------------------------------------------------------------------------------------------------


def results_of(game: str) -> Results:
    """The folder of a game's reports."""
    return Results(FOLDER / game)


class UsedDealsError(ReportError):
    """Something else was asked of deals whose answers have been seen."""


def register(asked: Report, seed: int) -> None:
    """Note, before a deal is played, what is asked of this seed's deals, and the code that answers it.

    Raises ReportError if either was another when the seed was used, or if it cannot be noted. What was used before code, or
    shared code, was noted has none to differ.
    """
    try:
        with _alone(FOLDER):
            before = Results(FOLDER).read("registered", {})
            told = _noted(before, asked, str(seed))
            if told != before:
                Results(FOLDER).write_json("registered", dict(sorted(told.items())))
    except UsedDealsError as error:
        raise UsedDealsError(f"{error}; take others: --seed {usual_seed(asked, other=True)}") from None
    except OSError as error:
        raise ReportError(
            f"what {asked.name} asks cannot be noted before its deals are used ({error}); --part 0.1 plays others, as a trial"
        ) from None


def _noted(before: Mapping[str, Any], asked: Report, seed: str) -> dict[str, Any]:
    """What is registered, with what is asked of this seed. Raises UsedDealsError if that was another."""
    key = f"{asked.game}/{asked.name}"
    noted = {
        key: (f"what {asked.name} asks", asked.question.digest()),
        f"{key}, code": (f"how {asked.name} is measured", measuring_code(type(asked))),
        f"{key}, shared code": (f"what {asked.name} is measured by", shared_code(type(asked))),
    }
    told = dict(before)
    for entry, (what, digest) in noted.items():
        told[entry] = {seed: digest} | told.get(entry, {})
        if told[entry][seed] != digest:
            raise UsedDealsError(f"{what} was changed after the deals of seed {seed} were used")
    return told


def usual_seed(asked: Report, other: bool = False) -> int:
    """The first whose deals may be used: that of what is kept, or not that one if `other` is wanted.

    What was begun and not kept, and asks and measures as it did, goes on on its deals.
    """
    noted = Results(FOLDER).read("registered", {})
    own = results_of(asked.game).read(asked.name, {}).get("seed")
    for seed in itertools.chain([] if own is None or other else [own], itertools.count()):
        with suppress(UsedDealsError):
            _noted(noted, asked, str(seed))
            if not (other and seed == own):
                return int(seed)
    raise AssertionError("there is always another seed")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process registers within. Raises OSError if there can be no such folder, BusyError if another does not end."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in reversed(range(PATIENCE)):
        try:
            lock = lock_folder(folder)
            break
        except BusyError:
            if not left:
                raise
            time.sleep(0.01)
    try:
        yield
    finally:
        del lock


def run(run_: Run, write: bool) -> dict[str, Any]:
    """Run a report, and keep it if asked to; returns what is kept, or would be. Raises ReportError.

    Kept or not, what is asked is registered: whoever has seen what the deals say cannot ask them something else.
    """
    asked = run_.asked
    begin(run_, write)
    start = time.perf_counter()
    found, by_chance, weights = run_.found()
    content = {
        "form": FORM, "game": asked.game, "game_id": load(asked.game).id, "name": asked.name, **words(asked, found),
        "policies": weights, "question": asdict(asked.question), "digest": asked.question.digest(),
        "seed": run_.seed, "found": asdict(found), "by_chance": by_chance,
        "minutes": (time.perf_counter() - start) / 60, "workers": run_.workers.workers or 1,
        "machine": machine(), "command": command("experiments.reports"),
    } | ({"trial": run_.part} if run_.is_trial else {})  # fmt: skip
    if write:
        keep(content, asked, found)
        run_.folder.clear()
    return content


def begin(run_: Run, write: bool) -> None:
    """Register what a run asks before its deals are played, but for a trial. Raises ReportError, for a trial to be kept too."""
    if not run_.is_trial:
        register(run_.asked, run_.seed)
    elif write:
        raise ReportError(f"a part of the deals ({run_.part}) is no result; leave --part out to keep it")


def words(asked: Report, found: Findings) -> dict[str, Any]:
    """The words of a report, among whom they are true, and of which tests each line speaks."""
    listener = Listener(found)
    told = {name: listener.tell(getattr(asked, name)) for name in ("statement", "more", "advice")}
    texts, tests = ({name: each[at] for name, each in told.items()} for at in range(2))
    return {"title": asked.question.title, **texts, "seated": asked.seated(), "tests": tests}


def keep(content: dict[str, Any], asked: Report, found: Findings) -> None:
    """NAME.json, NAME.md and NAME.png in the game's folder."""
    figure = new_figure(*asked.size)
    asked.draw(found, figure)
    results_of(asked.game).write(asked.name, content, page(content))
    save_figure(FOLDER / asked.game / f"{asked.name}.png", figure)


def retold(asked: Report, write: bool) -> dict[str, Any]:
    """What is kept of a report, in the words and pictures of now; no deal is played. Raises ReportError."""
    content = kept_as_asked(asked)
    found = found_in(content)
    content |= words(asked, found)
    if write:
        keep(content, asked, found)
    return content


def asked_also(asked: Report, who: str, workers: Workers, write: bool, out: Path | None = None) -> dict[str, Any]:
    """What is kept, with what its deals say among one more player, who was not registered. Raises ReportError."""
    content = kept_as_asked(asked)
    run_, game = Run(asked, content["seed"], workers, out=out), game_of(asked)
    if who in asked.question.among:
        raise ReportError(f"{asked.name} is asked among {who} already")
    begin(run_, write)
    player = run_.player(who)
    for test, estimate in run_.estimates(run_.beside(player, content["found"]["fitted"])).items():
        content["found"]["verdicts"][test]["among"][who] = asdict(estimate)
    content["policies"] = content.get("policies", {}) | policies(game, {who: player})
    content["also"] = content.get("also", {}) | {who: command("experiments.reports")}
    found = found_in(content)
    content |= words(asked, found)
    if write:
        keep(content, asked, found)
        run_.folder.clear()
    return content


def kept_as_asked(asked: Report) -> dict[str, Any]:
    """The results of a report that still asks what it did. Raises ReportError."""
    content = kept(asked.game, asked.name)
    if content["digest"] != asked.question.digest():
        raise ReportError(f"what is kept of {asked.name} was asked otherwise than now: run it anew with --write")
    return content


def kept(game: str, name: str) -> dict[str, Any]:
    """The results of a report. Raises ReportError if there are none, or of another version of the results or of the game."""
    content = results_of(game).read(name)
    if not isinstance(content, dict):
        raise ReportError(f"report {name} of {game} has not been run: python -m experiments.reports {game} {name} --write")
    if content.get("form") != FORM:
        raise ReportError(f"results of {name} are of form {content.get('form')!r}, not {FORM}: run it anew with --write")
    now = load(game).id
    then = content.get("game_id", now.rpartition("-v")[0] + FIRST_VERSION)
    if then != now:
        raise ReportError(f"results of {name} are of {then}, not {now}: run it anew with --write")
    return content
