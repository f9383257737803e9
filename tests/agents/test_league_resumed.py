"""Leagues that were cut off: the same bytes whoever goes on, and wherever; spoilt ones and other ones are refused."""

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
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import PPOSettings, begin
from pirate_envs.agents.learning.league import League
from pirate_envs.agents.learning.league_jobs import Job, LessonPart
from pirate_envs.agents.learning.leagues import begin_league, resumed_league
from pirate_envs.agents.learning.settings import LeagueSettings
from pirate_envs.agents.policy import Policy, replace_policy
from pirate_envs.core.errors import BusyError, CheckpointError, OptionError
from tests.agents.leagues import LEARNER, TINY, copied, play

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("torch_settings")


def left_by(folder: Path) -> dict[str, bytes]:
    """What a league has come to: all its files but for times and the command."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    found = {name: path.read_bytes() for name, path in files.items() if path.suffix in (".safetensors", ".csv")}
    for name, path in files.items():
        if path.name == "resume.json":
            numbers = json.loads(path.read_bytes())
            found[name] = json.dumps({**numbers, "seconds": 0}).encode()
    return found


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


# -- bad input ---------------------------------------------------------------------------------------------------------


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
