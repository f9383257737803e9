"""Leagues: who is met how often, what a round leaves behind, and the same bytes whoever does it and wherever it is cut off."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import league as command
from experiments.command import given_flags
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import PPOSettings, begin
from pirate_envs.agents.learning.league import League
from pirate_envs.agents.learning.league_jobs import Job, LessonPart, do_job, judging_alone, policy_arrays
from pirate_envs.agents.learning.league_state import MAIN, Contender
from pirate_envs.agents.learning.leagues import begin_league, resumed_league
from pirate_envs.agents.learning.payoffs import PayoffMatrix, Tally
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import LeagueSettings
from pirate_envs.agents.learning.training import games_of
from pirate_envs.agents.policy import Policy, replace_policy
from pirate_envs.core.errors import BusyError, CheckpointError, OptionError, PirateError, UnknownGameError, UnknownPlayerError

ROOT = Path(__file__).resolve().parents[2]
LEARNER = PPOSettings(lanes=32, steps=16, batch=256, epochs=1, width=16, precision="float32")
TINY = LeagueSettings(
    "skull_king", options={"last_hand": 2}, lesson=1000, part=500, rounds=3, deals=4, search=("search:flat:4",), search_every=2,
    search_deals=2, warm_up=512, patience=2, pool=3, learner=LEARNER,
)  # fmt: skip
pytestmark = pytest.mark.usefixtures("torch_settings")


# -- who is met how often ----------------------------------------------------------------------------------------------


def test_opponents_are_weighed_by_how_hard_they_are() -> None:
    """By hand: at four seats a share of 1/4 is level; 1/2 is three times each other's share, a chance of 3/4."""
    matrix = PayoffMatrix(4)
    matrix.add("me", "level", np.full(8, 0.25))
    matrix.add("me", "easy", np.array([0.5, 0.25, 0.75]))
    matrix.add("me", "hard", np.array([0.1, 0.1]))
    assert matrix.chance("me", "level") == pytest.approx(1 / 2)
    assert matrix.chance("me", "easy") == pytest.approx(3 / 4)
    assert matrix.chance("me", "hard") == pytest.approx(0.1 / (0.1 + 0.3))
    assert matrix.chance("me", "never met") == 1 / 2
    weights = matrix.weights("me", ("level", "easy", "hard", "never met"), 2.0)
    wanted = {"level": 1 / 4, "easy": 1 / 16, "hard": 9 / 16, "never met": 1 / 4}
    assert weights == pytest.approx({name: weight / sum(wanted.values()) for name, weight in wanted.items()})
    assert matrix.weights("me", ("level", "easy"), 0.0) == {"level": 0.5, "easy": 0.5}


def test_who_is_strong_alone_is_hard_too() -> None:
    """Copies of it lose to one of me, but among my copies it wins 40 %, and each of them 20."""
    matrix = PayoffMatrix(4)
    matrix.add("me", "exploiter", np.array([0.5]))
    matrix.add("exploiter", "me", np.array([0.4]))
    assert matrix.chance("me", "exploiter") == pytest.approx(1 / 3)
    assert matrix.chance("exploiter", "me") == pytest.approx(1 / 4), "the other way round the first table is the worse one"


def test_all_opponents_that_always_lose_count_alike() -> None:
    matrix = PayoffMatrix(2)
    for name in "ab":
        matrix.add("me", name, np.ones(3))
    assert matrix.weights("me", "ab", 2.0) == {"a": 0.5, "b": 0.5}
    assert matrix.share("a", "me") is not None and matrix.share("a", "me").mean == 0, "two seats: both sides at once"  # type: ignore[union-attr]
    matrix.add("me", "b", np.array([0.0]))
    assert matrix.weights("me", "ab", 2.0) == {"a": 0.0, "b": 1.0}


def test_payoffs_grow_and_are_read_back() -> None:
    matrix = PayoffMatrix(3)
    matrix.add("a", "b", np.array([0.0, 1.0]))
    matrix.add("a", "b", np.array([0.5, 0.5]))
    assert matrix.tallies == {("a", "b"): Tally(4, 2.0, 1.5)}
    share = matrix.share("a", "b")
    error = 1.96 * np.std([0.0, 1.0, 0.5, 0.5]) / np.sqrt(3)
    assert share is not None and (share.low, share.mean, share.high) == pytest.approx((0.5 - error, 0.5, 0.5 + error))
    (row,) = matrix.rows()
    assert (row["one"], row["others"], row["deals"], row["matches"], row["mean"]) == ("a", "b", 4, 12, 0.5)
    again = PayoffMatrix.of_list(3, json.loads(json.dumps(matrix.as_list())))
    assert again.tallies == matrix.tallies
    for row in (["a", "b", 0, 0.0, 0.0], ["a", "b", 2, 3.0, 3.0], ["a", "b", 2, 1.0, float("nan")], ["a", "b", 2.5, 1.0, 1.0]):
        with pytest.raises(ValueError, match="a payoff"):
            PayoffMatrix.of_list(3, [row])


# -- rounds ------------------------------------------------------------------------------------------------------------


def play(league: League, workers: int = 1, after: int = 1 << 30) -> bool:
    """Run it until its end, or until so many jobs have been done now."""
    done: list[Job] = []
    league.pieces.heard = done.append
    with Workers(workers).doing(do_job, hear_ctrl_c=False) as do:
        return league.run(do, lambda: len(done) >= after, command.keep_tables)


def left_by(folder: Path) -> dict[str, bytes]:
    """What a league has come to: all its files but for times and the command."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    found = {name: path.read_bytes() for name, path in files.items() if path.suffix in (".safetensors", ".csv")}
    for name, path in files.items():
        if path.name == "resume.json":
            numbers = json.loads(path.read_bytes())
            found[name] = json.dumps({**numbers, "seconds": 0}).encode()
    return found


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league that has been played to its end in one go."""
    league = begin_league(replace(TINY, out=tmp_path_factory.mktemp("straight")), "this test")
    assert play(league)
    command.keep(league)
    league.lock = None
    return league


def copied(league: League, folder: Path) -> Path:
    shutil.copytree(league.folder, folder / "copy")
    return folder / "copy"


def test_a_league_leaves_everything_behind(straight: League) -> None:
    folder = straight.folder
    assert {path.name for path in folder.iterdir()} == {
        "settings.json", "checkpoints", "players", "payoffs.csv", "payoffs.png", "league.md",
    }  # fmt: skip
    assert (folder / "payoffs.png").read_bytes().startswith(b"\x89PNG")
    assert straight.round == 3 and straight.decisions == 3 * 1024
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == [f"{2048:012d}", f"{3072:012d}"]
    assert [challenge.round for challenge in straight.challenges] == [1, 2, 3] and all(
        t.tally.deals == 4 for t in straight.challenges
    )
    joined = [each.name for each in straight.contenders.values() if each.sort == "exploiter"]
    assert joined == [f"exploiter-1-{challenge.round}" for challenge in straight.challenges if challenge.outcome != "goes on"]
    assert {path.name for path in (folder / "players").iterdir()} == {*joined, *(f"main-{n}" for n in range(4))}
    page = (folder / "league.md").read_text()
    assert "`main-3` among 3 of it" in page and "Command: `this test`" in page
    game = load("skull_king", last_hand=2)
    latest, same = agent(game, f"policy:{folder}"), agent(game, f"policy:{folder}/players/main-3")
    assert latest.learned == same.learned != agent(game, f"policy:{folder}/players/main-2").learned
    assert versus(game, latest, agent(game, f"policy:{folder}/players/main-0"), 2).matches == 8


def test_a_league_can_be_kept_among_the_results(straight: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    command.publish(straight)
    assert {path.name for path in tmp_path.iterdir()} == {f"league_skull_king.{end}" for end in ("json", "md", "png")}
    kept = json.loads((tmp_path / "league_skull_king.json").read_text())
    assert kept["main"] == "main-3" and kept["payoffs"] == straight.payoffs.rows()
    page = (tmp_path / "league_skull_king.md").read_text()
    assert page.startswith(command.table(straight)) and f"Measured on {kept['machine']}." in page


def test_who_joins_is_measured_on_other_deals_than_it_was_chosen_on(straight: League) -> None:
    newcomer = straight.contenders["main-1"]
    jobs = straight._challenge_jobs(4, {"exploiter-1": policy_arrays(newcomer.player)})  # type: ignore[arg-type]
    challenges, duels = ({job.seed for job in found} for found in (jobs, [duel for duel, _ in straight._duels(4, [newcomer])]))
    assert len(challenges) == len(duels) == 1 and not challenges & duels


def test_every_newcomer_has_met_the_pool(straight: League) -> None:
    """Rule players and past selves both ways round; searching players in every second round alone, on fewer deals."""
    rules, met = ["rules:simple", "rules:expected_points"], straight.payoffs.tallies
    for number in range(4):
        for name in (*rules, *(f"main-{before}" for before in (0, number - 1) if 0 <= before < number)):
            assert met[f"main-{number}", name].deals == met[name, f"main-{number}"].deals == 4
    assert met[rules[0], rules[1]].deals == 4
    searched = {pair: tally.deals for pair, tally in met.items() if "search:flat:4" in pair}
    assert searched == {("main-2", "search:flat:4"): 2, ("search:flat:4", "main-2"): 2}
    past = [each for each in straight.contenders.values() if each.sort in ("main", "exploiter")]
    staying = [each.name for each in past if not each.left]
    assert len(past) > 3 and len(staying) == 3 and {"main-0", "main-3"} <= set(staying)
    weights = straight.payoffs.weights("main-3", [each.name for each in past], 2.0)
    (third,) = set(staying) - {"main-0", "main-3"}
    with_all = {*weights} - {"main-0", "main-3"}
    assert all(
        weights[third] >= weights[name] for name in with_all if straight.contenders[name].left and _met_last(straight, name)
    )


def _met_last(league: League, name: str) -> bool:
    return (league.main, name) in league.payoffs.tallies


def test_a_main_learner_meets_the_hardest(straight: League) -> None:
    league = League(straight.folder, replace(straight.settings, met=1, hardness=1.0))
    policy = straight.contenders["main-0"].player
    for name in ("main-0", "main-1"):
        league._join(Contender(name, MAIN, policy))
    league.round = 1
    for name, share in (("rules:simple", 0.25), ("rules:expected_points", 0.1), ("main-0", 0.5)):
        league.payoffs.add("main-1", name, np.full(4, share))
    shares = league.shares()  # 1 - the chances: rule players always, of past selves the hardest; main-1 itself is level
    assert shares == pytest.approx({"rules:simple": 0.5 / 1.75, "rules:expected_points": 0.75 / 1.75, "main-1": 0.5 / 1.75})
    first, last = (league._part(2, MAIN, part, {}) for part in (0, 1))
    assert first.mix == pytest.approx(shares) and set(first.opponents) == set(last.opponents) == {"main-1", "search:flat:4"}
    assert last.mix == pytest.approx({**{n: 0.95 * share for n, share in shares.items()}, "search:flat:4": 0.05})
    assert league._part(3, MAIN, 1, {}).mix == pytest.approx(shares), "searching players come now and then"
    exploiter = league._part(2, "exploiter-1", 1, {})
    assert exploiter.mix == {"main-1": 1.0} and exploiter.settings.self_play == 0 < first.settings.self_play
    assert len({first.settings.seed, exploiter.settings.seed, league._part(3, MAIN, 0, {}).settings.seed}) == 3


def test_exploiters_begin_anew_with_the_latest_main_player(straight: League, tmp_path: Path) -> None:
    league = resumed_league(copied(straight, tmp_path))
    league.carried.pop("exploiter-1", None)
    league.lessons["exploiter-1"] = 0
    part = league._part(4, "exploiter-1", 0, {})
    assert part.policy is league.contenders["main-3"].player and part.carried == {} and part.warm_up == 512
    assert part.rates == pytest.approx((2.5e-3, 2.5e-3 * (1 - 0.95 / 2)))
    league.lessons["exploiter-1"], league.carried["exploiter-1"] = 1, {"model.x": np.zeros(1)}
    part = league._part(4, "exploiter-1", 0, {})
    assert part.policy is None and list(part.carried) == ["model.x"] and part.warm_up == 0
    assert part.rates == pytest.approx((2.5e-3 * (1 - 0.95 / 2), 2.5e-3 / 20))
    fresh = League(straight.folder, replace(straight.settings, exploit_from="nothing"))
    fresh._join(league.contenders["main-0"])
    assert fresh._part(1, "exploiter-1", 0, {}).policy is None


def test_what_judges_learns_alone_at_first() -> None:
    settings = replace(LEARNER, game="skull_king", options={"last_hand": 2})
    learner = PPO(games_of(settings)[1], settings)
    learner.meet({"random": 1.0}, {})
    before = learner.policy(greedy=True).learned
    value = learner.network.value.weight.detach().clone()
    with judging_alone(learner):
        learner.iterate(1e-2)
    assert learner.policy(greedy=True).learned == before and not (learner.network.value.weight == value).all()
    learner.restore(learner.arrays(), learner.numbers())  # as a part that ends there leaves it
    learner.iterate(1e-2)
    assert learner.policy(greedy=True).learned != before


# -- the same, wherever it is cut off ----------------------------------------------------------------------------------


def test_a_league_stopped_after_every_few_jobs_comes_to_the_same_bytes(straight: League, tmp_path: Path) -> None:
    """In the middle of lessons, between lessons and duels, among duels, and between rounds."""
    folder = begin_league(replace(TINY, out=tmp_path)).folder
    steps = random.Random(1)
    stops = 0
    while not play(resumed_league(folder), after=steps.randint(1, 7)):
        stops += 1
    assert stops > 10 and left_by(folder) == left_by(straight.folder)


def test_two_workers_come_to_the_same_bytes_as_one(straight: League, tmp_path: Path) -> None:
    league = begin_league(replace(TINY, out=tmp_path))
    assert play(league, workers=2)
    assert left_by(league.folder) == left_by(straight.folder)


class _Cut(Exception):  # noqa: N818
    """As a power cut."""


def test_a_job_that_is_cut_off_is_done_anew(straight: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a part; and when the checkpoint of a round is there, but its pieces are too."""
    league = begin_league(replace(TINY, rounds=1, out=tmp_path))
    done: list[Job] = []

    def cut(job: Job) -> dict[str, np.ndarray]:
        done.append(job)
        if len(done) > 9:
            raise _Cut
        return job()

    with pytest.raises(_Cut), Workers().doing(cut) as do:
        league.run(do)
    assert isinstance(done[-1], LessonPart) and league.round == 0
    league = resumed_league(league.folder)
    monkeypatch.setattr(league.pieces, "clear", lambda: (_ for _ in ()).throw(_Cut))
    with pytest.raises(_Cut):
        play(league)
    assert any((league.folder / "round").iterdir())
    league = resumed_league(league.folder, replace(LeagueSettings(), rounds=3))
    assert league.round == 1 and play(league)
    assert set(left_by(league.folder)) == set(left_by(straight.folder))


def start(*arguments: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "experiments.league", *arguments]
    return subprocess.Popen(
        line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )  # fmt: skip


FLAGS = [
    *("skull_king", "--option", "last_hand=2", "--lesson", "1000", "--part", "500", "--rounds", "3", "--deals", "4"),
    *("--search", "search:flat:4", "--search-every", "2", "--search-deals", "2", "--warm-up", "512", "--patience", "2"),
    *("--pool", "3", "--learner.lanes", "32", "--learner.steps", "16", "--learner.batch", "256", "--learner.epochs", "1"),
    *("--learner.width", "16", "--learner.precision", "float32"),
]


def await_pieces(out: Path, process: subprocess.Popen[str], named: str) -> Path:
    """The league's folder in `out`, once a piece of such a name is in it."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        found = list(out.glob(f"*/round/{named}"))
        if found:
            return found[0].parents[1]
        time.sleep(0.002)
    process.kill()
    raise AssertionError(process.communicate()[0])


@pytest.mark.long
def test_kill_and_sigterm_lose_nothing_that_was_saved(straight: League, tmp_path: Path) -> None:
    process = start(*FLAGS, "--out", str(tmp_path))
    folder = await_pieces(tmp_path, process, "main.*")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    process = start("--resume", str(folder))
    await_pieces(tmp_path, process, "duel.*")
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 143, printed
    assert "stopping after what is under way" in printed and f"--resume {folder}" in printed and "Traceback" not in printed
    assert play(resumed_league(folder))
    assert left_by(folder) == left_by(straight.folder)


def running(group: int) -> list[int]:
    """The processes of a group, but for zombies that nobody has buried."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its = file.read_text().rpartition(")")[2].split()[:3]
            found += [int(file.parent.name)] if int(its) == group and state != "Z" else []
    return found


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes by /proc")
def test_ctrl_c_in_a_terminal_stops_a_league_of_many_workers_when_their_jobs_are_done(straight: League, tmp_path: Path) -> None:
    """It is sent to all processes; the workers do not hear it, and none is left when the league has ended."""
    process = start(*FLAGS, "--workers", "2", "--out", str(tmp_path))
    folder = await_pieces(tmp_path, process, "main.*")
    os.killpg(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0 and "to go on: " in printed and "Traceback" not in printed, printed
    deadline = time.monotonic() + 10
    while (left := running(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left
    assert play(resumed_league(folder)) and left_by(folder) == left_by(straight.folder)


@pytest.mark.long
def test_a_league_killed_at_any_moment_comes_to_the_same_bytes(straight: League, tmp_path: Path) -> None:
    rng = random.Random(0)
    process = start(*FLAGS, "--out", str(tmp_path))
    folder = await_pieces(tmp_path, process, "duel.*")
    for _ in range(20):
        time.sleep(rng.uniform(0, 1.5))
        process.kill()
        process.communicate()
        process = start("--resume", str(folder), "--workers", str(rng.randint(1, 2)))
        time.sleep(4)
    printed, _ = process.communicate(timeout=300)
    assert process.returncode == 0, printed
    assert left_by(folder) == left_by(straight.folder)


@pytest.mark.long
def test_a_league_from_nothing_gets_better(tmp_path: Path) -> None:
    """A single hand of Skull King, paid by margin: after 300,000 decisions the main player is ahead of its first self."""
    learner = PPOSettings(lanes=128, steps=32, batch=1024, width=32, precision="float32")
    settings = LeagueSettings(
        "skull_king", options={"last_hand": 1}, lesson=50_000, part=20_000, rounds=6, search=(), learner=learner, out=tmp_path,
    )  # fmt: skip
    league = begin_league(settings)
    assert play(league)
    for other in (league.contenders["main-0"].player, agent(league.game, "random")):
        assert versus(league.game, league.contenders[league.main].player, other, 1000).first()["margin"].low > 0


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"game": ""}, OptionError),
        ({"game": "no_such_game"}, UnknownGameError),
        ({"players": 40}, OptionError),
        ({"options": {"first_hand": 99}}, OptionError),
        ({"start": "rules:simple"}, UnknownPlayerError),
        ({"start": "policy:nowhere"}, CheckpointError),
        ({"start": 3}, OptionError),
        ({"regulars": ("rules:nobody",)}, UnknownPlayerError),
        ({"regulars": ("random", "random")}, OptionError),
        ({"regulars": ("main-3",)}, UnknownPlayerError),
        ({"regulars": "random"}, OptionError),
        ({"regulars": ("search:flat:4",)}, OptionError),
        ({"search": ("search:flat:0",)}, UnknownPlayerError),
        ({"search": (1,)}, OptionError),
        ({"rounds": 0}, OptionError),
        ({"lesson": 0}, OptionError),
        ({"part": -1}, OptionError),
        ({"deals": 0}, OptionError),
        ({"hardness": float("nan")}, OptionError),
        ({"search_share": 1.5}, OptionError),
        ({"search_every": 0}, OptionError),
        ({"exploiters": -1}, OptionError),
        ({"exploit_from": "rules"}, OptionError),
        ({"pool": True}, OptionError),
        ({"seed": -1}, OptionError),
        ({"learner": replace(LEARNER, lanes=0)}, OptionError),
        ({"learner": replace(LEARNER, on="ray")}, OptionError),
        ({"learner": "ppo"}, OptionError),
        ({"regulars": ("rules:simple", "rules:simple")}, OptionError),
        ({"regulars": ("rules:strongest", "rules:expected_points")}, OptionError),
        ({"regulars": ("rules:simple", "easy")}, OptionError),
        ({"search": ("search:flat:4", "search:flat:4:rules=strongest")}, OptionError),
        ({"search": ("rules:simple",)}, OptionError),
    ],
)
def test_bad_settings(changes: dict[str, Any], error: type[PirateError], tmp_path: Path) -> None:
    with pytest.raises(error):
        begin_league(replace(TINY, out=tmp_path, **changes))
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr("pirate_envs.agents.learning.leagues.PPO")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        begin_league(replace(TINY, out=tmp_path / "file" / "runs"))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"game": "lucky_pirate"}, "its game is 'skull_king', not 'lucky_pirate'"),
        ({"lesson": 5000}, "its lesson is 1000, not 5000"),
        ({"regulars": ("random",)}, "its regulars is "),
        ({"learner": replace(PPOSettings(), width=32)}, "its learner.width is 16, not 32"),
    ],
)
def test_another_leagues_folder_is_refused(straight: League, tmp_path: Path, told: dict[str, Any], said: str) -> None:
    folder = copied(straight, tmp_path)
    with pytest.raises(CheckpointError, match=said):
        resumed_league(folder, LeagueSettings(**told))
    own = replace(LeagueSettings(), game="skull_king", lesson=1000, rounds=4)
    assert resumed_league(folder, own).settings.rounds == 4
    with pytest.raises(OptionError, match="rounds is 0"):
        resumed_league(folder, LeagueSettings(rounds=0))
    assert resumed_league(folder).settings.rounds == 4, "the new number is kept"
    assert "Command: `this test  # resumed with --rounds 4`" in command.table(resumed_league(folder))


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        (("--lesson", "1000000"), "its lesson is 1000, not 1000000"),
        (("--deals", "100"), "its deals is 4, not 100"),
        (("--learner.gae-lambda=0.5",), "its learner.gae_lambda is "),
        (("--learner.width", "256"), "its learner.width is 16, not 256"),
        (("--option", "last_hand=3"), "its options is {'last_hand': 2}, not {'last_hand': 3}"),
        (("--search",), r"its search is \['search:flat:4'\], not \[\]"),
        (("--out", "elsewhere"), "its out is "),
    ],
)
def test_a_flag_that_says_otherwise_is_refused_as_a_usual_value_too(
    straight: League, tmp_path: Path, flag: tuple[str, ...], said: str
) -> None:
    folder = copied(straight, tmp_path)
    flags = command.tyro.cli(command.LeagueCommand, args=list(flag))
    with pytest.raises(CheckpointError, match=f"holds another league: {said}"):
        resumed_league(folder, command.settings_of(flags), given_flags(flag))
    words = [*FLAGS, "--out", str(tmp_path), "--rounds", "5", "--learner.precision", "auto", "--workers", "1"]
    own = command.settings_of(command.tyro.cli(command.LeagueCommand, args=words))
    assert resumed_league(folder, own, given_flags(words)).settings.rounds == 5


def change_settings(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        content = json.loads((folder / "settings.json").read_text())
        change(content)
        (folder / "settings.json").write_text(json.dumps(content))

    return spoil


OTHER_GAME: dict[str, Any] = {"game": "piraten_kapern", "options": {}, "regulars": ["random"], "search": []}


def spoil_player(folder: Path) -> None:
    shutil.rmtree(folder / "players" / "main-0")


def spoil_checkpoint(folder: Path) -> None:
    file = max((folder / "checkpoints").iterdir()) / "resume.safetensors"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


def spoil_round(folder: Path) -> None:
    (folder / "round").write_text("no folder")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (change_settings(lambda content: content.update(kind="training run")), "is 'training run' of schema 1; needed"),
        (change_settings(lambda content: content.update(schema=2)), "of schema 2; needed"),
        (change_settings(lambda content: content["settings"].pop("met")), "other settings than this version's"),
        (change_settings(lambda content: content["settings"].update(game="no_such_game")), "cannot be used"),
        (change_settings(lambda content: content["settings"].update(OTHER_GAME)), "made for game"),
        (change_settings(lambda content: content["settings"].update(deals="many")), "cannot be used: deals is 'many'"),
        (change_settings(lambda content: content["settings"]["learner"].pop("width")), "other settings than this version's"),
        (spoil_player, "main-0 holds no manifest"),
        (spoil_checkpoint, "corrupt"),
        (spoil_round, "is no folder"),
        (shutil.rmtree, "is missing"),
    ],
)  # fmt: skip
def test_a_spoilt_league_is_refused(straight: League, tmp_path: Path, spoil: Callable[[Path], None], said: str) -> None:
    folder = copied(straight, tmp_path)
    spoil(folder)
    with pytest.raises(CheckpointError, match=said) as told:
        resumed_league(folder)
    assert "\n" not in str(told.value)


def test_a_spoilt_piece_is_refused_and_can_be_deleted(straight: League, tmp_path: Path) -> None:
    folder = begin_league(replace(TINY, rounds=1, out=tmp_path)).folder
    assert not play(resumed_league(folder), after=9)
    (piece,) = (folder / "round").glob("main.*")
    weights = piece / "arrays.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match=f"corrupt.*; delete {piece} to have it done anew"):
        play(resumed_league(folder))
    shutil.rmtree(piece)
    assert play(resumed_league(folder, LeagueSettings(rounds=1)))
    assert (folder / "players" / "main-1" / "weights.safetensors").read_bytes() != b""


def test_pieces_of_another_league_are_refused(straight: League, tmp_path: Path) -> None:
    folder = begin_league(replace(TINY, seed=1, out=tmp_path)).folder
    assert not play(resumed_league(folder), after=8)  # the zeroth round and the first lessons
    other = copied(straight, tmp_path)
    shutil.copytree(folder / "round", other / "round")
    with pytest.raises(CheckpointError, match="is of other work: its .*; delete"):
        play(resumed_league(other, LeagueSettings(rounds=4)))


def test_a_league_in_use_is_refused(straight: League, tmp_path: Path) -> None:
    folder = copied(straight, tmp_path)
    code = "import fcntl, os, sys, time; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX); "
    code += "print(1, flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"1\n"
    try:
        with pytest.raises(BusyError, match="in use by another process; wait until that has ended"):
            resumed_league(folder)
    finally:
        process.kill()
        process.communicate()


def test_a_training_run_is_no_league(straight: League, tmp_path: Path) -> None:
    run = begin(replace(LEARNER, game="skull_king", options={"last_hand": 2}, out=tmp_path)).folder
    assert run is not None
    with pytest.raises(CheckpointError, match="is 'training run' of schema 1; needed: 'league'"):
        resumed_league(run)
    from pirate_envs.agents.learning.training import resumed

    with pytest.raises(CheckpointError, match="is 'league' of schema 1; needed: 'training run'"):
        resumed(copied(straight, tmp_path))


def test_a_regular_that_has_learned_on_is_told(tmp_path: Path) -> None:
    game = load("skull_king", last_hand=2)
    weights = np.zeros((game.actions, game.layout.size), np.float32)
    policy = Policy(game, [(weights, np.zeros(game.actions, np.float32))], "relu")
    replace_policy(policy, tmp_path / "other")
    name = f"policy:{tmp_path / 'other'}"
    league = begin_league(replace(TINY, regulars=(name,), exploiters=0, rounds=1, out=tmp_path / "runs"))
    assert not play(league, after=2), "the zeroth round's two duels"
    replace_policy(Policy(game, [(weights + 1, np.zeros(game.actions, np.float32))], "relu"), tmp_path / "other")
    with pytest.raises(CheckpointError, match="plays by other weights than when the league began"):
        resumed_league(league.folder)
