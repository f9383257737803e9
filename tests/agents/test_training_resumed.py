"""Training runs that were cut off: they go on to the same bits, whatever ended them; spoilt ones and other ones are refused."""

from __future__ import annotations

import csv
import gc
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import tyro

from experiments import ship, train
from experiments.command import given_flags
from pirate_envs.agents import agent
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning import training as course
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import TrainingSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.policy import Policy, newest_checkpoint
from pirate_envs.core.errors import BusyError, CheckpointError, OptionError
from tests.agents.trainings import TINY, TINY_PPO, lanes

ROOT = Path(__file__).resolve().parents[2]
TIMES = ("minutes", "decisions_per_second")
no_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
ON_A_GPU = pytest.param(replace(TINY_PPO, device="cuda"), marks=no_gpu)
pytestmark = pytest.mark.usefixtures("torch_settings")


def weights(training: Training) -> list[np.ndarray]:
    model = training.learner.network if isinstance(training.learner, PPO) else training.learner.model.policy
    return [parameter.detach().cpu().numpy().copy() for parameter in model.parameters()]


def folder_of(training: Training) -> Path:
    assert training.folder is not None
    return training.folder


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("tiny", [TINY, TINY_PPO, ON_A_GPU], ids=["sb3", "ppo", "ppo on a GPU"])
def test_a_resumed_run_goes_on_exactly_as_if_it_had_not_stopped(tmp_path: Path, tiny: TrainingSettings) -> None:
    straight = course.begin(replace(tiny, out=tmp_path / "a"))
    for _ in range(6):
        straight.iterate()
    stopped = course.begin(replace(tiny, out=tmp_path / "b"))
    for _ in range(3):
        stopped.iterate()
    stopped.save()
    assert stopped.pool.older
    stopped.iterate()  # lost: not saved
    np.random.seed(99)  # noqa: NPY002
    torch.manual_seed(99)
    resumed = course.resumed(folder_of(stopped))
    assert resumed.decisions == 1536 and list(resumed.pool.older) == [1024]
    assert [int(row["decisions"]) for row in resumed.metrics.rows()] == [512, 1024, 1536]
    for _ in range(3):
        resumed.iterate()
    assert same(weights(straight), weights(resumed))
    assert list(resumed.pool.older) == list(straight.pool.older)
    np.testing.assert_array_equal(lanes(straight).records, lanes(resumed).records)
    np.testing.assert_array_equal(lanes(straight).ledger, lanes(resumed).ledger)
    told = [
        [{name: row[name] for name in row if name not in TIMES} for row in run.metrics.rows()] for run in (straight, resumed)
    ]
    assert told[0] == told[1]  # the mean reward of the last matches too


def test_a_resumed_run_may_be_given_a_new_limit(tmp_path: Path) -> None:
    folder = train.main(replace(TINY, out=tmp_path, decisions=512))
    train.main(TrainingSettings(decisions=1024), folder)
    assert newest_checkpoint(folder) == folder / "checkpoints" / f"{1024:012d}"
    assert json.loads((folder / "results.json").read_text())["decisions"] == 1024
    rows = csv.DictReader((folder / "evaluations.csv").read_text().splitlines())
    assert [row["opponent"] for row in rows if row["decisions"] == "0"].count("random") == 1
    for limit in ({"decisions": 0}, {"minutes": float("nan")}):
        with pytest.raises(OptionError):
            course.resumed(folder, **limit)


def test_a_flag_that_says_otherwise_is_refused_as_a_usual_value_too(tmp_path: Path) -> None:
    folder = course.begin(replace(TINY_PPO, out=tmp_path / "runs")).folder
    assert folder is not None
    before = runs.read_settings(folder)
    for line, said in (
        ("--lanes 512", "its lanes is "),
        ("--players 5", "its players is "),
        ("--pool.latest 0.0 --pool.older 0.9", "its pool.older is "),
        ("--learner sb3", "its learner is 'ppo', not 'sb3'"),
        (f"--out {tmp_path}", "its out is "),
        ("lucky_pirate", f"its game is '{TINY_PPO.game}', not 'lucky_pirate'"),
    ):
        words = [*line.split(), "--decisions", "1024"]
        flags = tyro.cli(train.flags("sb3" if "sb3" in line else "ppo"), args=words)
        with pytest.raises(CheckpointError, match=f"holds another run: {said}"):
            train.main(flags, folder, given_flags(words))
    assert runs.read_settings(folder) == before
    words = [TINY_PPO.game, "--out", str(tmp_path / "runs"), "--learner", "ppo", "--decisions", "512", "--final-deals", "4"]
    same = tyro.cli(train.flags("ppo"), args=words)
    assert course.resumed(folder, decisions=512, told=same, given=given_flags(words[:-2])).settings.decisions == 512


def test_a_new_limit_is_kept_and_told(tmp_path: Path) -> None:
    """So that the run goes on to it when it has been stopped again; what is shipped tells what the policy cost."""
    folder = train.main(replace(TINY, out=tmp_path, decisions=512))
    before = runs.read_settings(folder)
    with pytest.raises(OptionError):
        course.resumed(folder, decisions=0)
    assert course.resumed(folder, decisions=512) and runs.read_settings(folder) == before
    stopped = course.resumed(folder, decisions=2048)
    stopped.iterate()
    stopped.save()
    assert runs.read_settings(folder) == ({**before[0], "decisions": 2048}, f"{before[1]}  # resumed with --decisions 2048")
    decisions, minutes, (told,) = ship.cost(folder)
    assert decisions == 1024 and minutes > 0 and told.endswith("--decisions 2048  # stopped after 1,024 decisions")
    again = course.resumed(folder)
    assert (again.settings.decisions, again.settings.minutes, again.progress) == (2048, None, 0.5)
    course.resumed(folder, minutes=3.0)
    assert runs.read_settings(folder)[1] == f"{before[1]}  # resumed with --minutes 3.0"


def test_an_interrupted_write_leaves_the_last_good_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training = course.begin(replace(TINY, out=tmp_path))
    training.iterate()
    training.save()
    training.iterate()

    def full(path: Path, data: bytes) -> None:
        path.write_bytes(data[: len(data) // 2])
        raise OSError("no space left on device")

    monkeypatch.setattr("pirate_envs.agents.sealed.write_bytes", full)
    with pytest.raises(OSError, match="no space"):
        training.save()
    monkeypatch.undo()
    part = folder_of(training) / "checkpoints" / f".{1024:012d}.part"
    part.mkdir()  # as a kill in the middle of writing leaves it
    (part / "weights.safetensors").write_bytes(b"half")
    assert course.resumed(folder_of(training)).decisions == 512
    training.save()
    assert course.resumed(folder_of(training)).decisions == 1024


def test_a_torn_table_is_mended(tmp_path: Path) -> None:
    training = course.begin(replace(TINY, out=tmp_path))
    training.iterate()
    training.save()
    with (folder_of(training) / "metrics.csv").open("a") as file:
        file.write("1024,0.1")
    resumed = course.resumed(folder_of(training))
    resumed.iterate()
    assert [int(row["decisions"]) for row in resumed.metrics.rows()] == [512, 1024]
    assert all(None not in row.values() for row in resumed.metrics.rows())


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with a checkpoint, to be copied and spoilt."""
    training = course.begin(replace(TINY, out=tmp_path_factory.mktemp("runs")))
    training.iterate()
    training.save()
    return folder_of(training)


def spoil_bytes(run: Path) -> None:
    checkpoint = newest_checkpoint(run)
    assert checkpoint is not None
    file = checkpoint / "resume.safetensors"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


def spoil_truncate(run: Path) -> None:
    checkpoint = newest_checkpoint(run)
    assert checkpoint is not None
    (checkpoint / "resume.json").write_text("{")


def spoil_game(run: Path) -> None:
    content = json.loads((run / "settings.json").read_text())
    content["settings"]["width"] = 32
    (run / "settings.json").write_text(json.dumps(content))


def spoil_settings(run: Path) -> None:
    content = json.loads((run / "settings.json").read_text())
    del content["settings"]["lanes"]
    (run / "settings.json").write_text(json.dumps(content))


def spoil_value(run: Path) -> None:
    content = json.loads((run / "settings.json").read_text())
    content["settings"]["lanes"] = "many"
    (run / "settings.json").write_text(json.dumps(content))


def spoil_kind(run: Path) -> None:
    (run / "settings.json").write_text('{"kind": "shopping list"}')


def spoil_all_checkpoints(run: Path) -> None:
    shutil.rmtree(run / "checkpoints")


def spoil_away(run: Path) -> None:
    shutil.rmtree(run)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_bytes, "corrupt"),
        (spoil_truncate, "corrupt"),
        (spoil_game, "does not fit"),
        (spoil_settings, "other settings"),
        (spoil_value, "cannot be used"),
        (spoil_kind, "shopping list"),
        (spoil_all_checkpoints, "no complete checkpoint"),
        (spoil_away, "missing"),
    ],
)
def test_a_spoilt_run_is_refused(finished: Path, tmp_path: Path, spoil: object, message: str) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    spoil(run)  # type: ignore[operator]
    with pytest.raises(CheckpointError, match=message):
        course.resumed(run)


def start(arguments: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "experiments.train", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def await_checkpoint(out: Path, process: subprocess.Popen[str], beyond: int) -> Path:
    """The run folder in `out`, once it has a checkpoint after more than `beyond` decisions."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        for run in out.glob("*"):
            newest = newest_checkpoint(run)
            if newest is not None and int(newest.name) > beyond:
                return run
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate()[0])


LONGER = [
    "skull_king", "--decisions", "100000000", "--learner", "sb3", "--option", "last_hand=2", "--lanes", "32", "--steps", "16",
    "--batch", "256", "--epochs", "1", "--width", "16", "--checkpoint-minutes", "1e-9", "--evaluate-minutes", "100",
]  # fmt: skip
LONGER_PPO = ["ppo" if argument == "sb3" else argument for argument in LONGER]


def test_kill_and_ctrl_c_lose_nothing_that_was_saved(tmp_path: Path) -> None:
    process = start([*LONGER, "--out", str(tmp_path)])
    run = await_checkpoint(tmp_path, process, 1024)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()  # type: ignore[union-attr]
    newest = newest_checkpoint(run)
    assert newest is not None
    killed_at = int(newest.name)

    process = start(["--resume", str(run), "--decisions", "100000000"])
    await_checkpoint(tmp_path, process, killed_at + 512)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0, printed
    assert f"--resume {run}" in printed
    training = course.resumed(run, decisions=1)
    assert training.decisions > killed_at
    rows = [int(row["decisions"]) for row in training.metrics.rows()]
    assert rows == list(range(512, training.decisions + 1, 512))


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), pytest.param(signal.SIGHUP, 129, marks=pytest.mark.long)]
)
def test_a_signal_to_end_saves_first(tmp_path: Path, number: signal.Signals, status: int) -> None:
    seldom = [argument if argument != "1e-9" else "100" for argument in LONGER_PPO]  # no checkpoint in the course of the run
    process = start([*seldom, "--precision", "float32", "--out", str(tmp_path)])
    run = await_checkpoint(tmp_path, process, -1)
    table = run / "metrics.csv"
    deadline = time.monotonic() + 60
    while not (table.exists() and table.read_text().count("\n") > 3) and time.monotonic() < deadline:
        time.sleep(0.05)
    for _ in range(2):  # as `timeout` does
        process.send_signal(number)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == status, printed
    assert "stopping after this update" in printed and f"--resume {run}" in printed and "Traceback" not in printed
    newest = newest_checkpoint(run)
    assert newest is not None and int(newest.name) == 512 * (table.read_text().count("\n") - 1) > 512


def test_a_full_disk_is_one_line_and_leaves_the_last_good_checkpoint(tmp_path: Path) -> None:
    """No file may have more than 270,000 bytes: the first snapshot in the pool makes a checkpoint larger than that."""
    changed = {"--evaluate-minutes": "100", "--snapshot-every": "2048"}
    arguments = [*LONGER_PPO, "--precision", "float32", *(word for pair in changed.items() for word in pair)]
    code = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (270_000, 270_000)); "
    code += "sys.argv[0] = 'train'; runpy.run_module('experiments.train', run_name='__main__')"
    command = [sys.executable, "-c", code, *arguments, "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    (run,) = tmp_path.iterdir()
    newest = newest_checkpoint(run)
    assert newest is not None and done.returncode == 1
    assert newest.name == f"{1536:012d}", "the last before the snapshot"
    assert "Traceback" not in done.stderr and done.stderr.splitlines()[-1].startswith("error: File too large: ")
    assert not list((run / "checkpoints").glob(".*"))
    assert course.resumed(run).decisions == 1536


def test_one_process_goes_on_with_a_run(finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    before = (run / "metrics.csv").read_bytes()
    first = start(["--resume", str(run), "--decisions", "100000000"])
    await_checkpoint(tmp_path, first, 512)
    second = start(["--resume", str(run), "--decisions", "100000000"])
    printed, _ = second.communicate(timeout=60)
    assert (second.returncode, printed) == (1, f"error: {run} is in use by another process; wait until that has ended\n")
    with pytest.raises(BusyError):
        course.resumed(run)
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=60)
    rows = [line.split(",")[0] for line in (run / "metrics.csv").read_text().splitlines()[1:]]
    assert rows == [str(512 * number) for number in range(1, len(rows) + 1)] and (run / "metrics.csv").read_bytes() > before
    assert course.resumed(run).decisions == int(rows[-1])


def test_leftovers_of_killed_writes_are_cleared_by_who_goes_on(finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    (run / "checkpoints" / f".{1024:012d}.part").mkdir()
    for name in (".metrics.csv.abc.part", "best/.000000000512.part"):
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text("half")
    course.resumed(run)
    assert not [path for path in run.rglob(".*") if path.name.endswith(".part")]


def test_the_best_of_a_course_that_is_left_gives_way(tmp_path: Path) -> None:
    """The run goes on from before the best player so far: the next that is measured takes its place."""
    training = course.begin(replace(TINY, out=tmp_path))
    training.iterate()
    training.save()
    training.iterate()
    training.iterate()
    training.measure()
    run = folder_of(training)
    assert [path.name for path in (run / "best").iterdir()] == [f"{1536:012d}"]
    again = course.resumed(run)
    assert again.decisions == 512 and [path.name for path in (run / "best").iterdir()] == [f"{1536:012d}"]
    again.iterate()
    again.measure()
    assert [path.name for path in (run / "best").iterdir()] == [f"{1024:012d}"]
    assert same([again.policy().layers[0][0]], [Policy.load(again.game, run / "best" / f"{1024:012d}").layers[0][0]])


def test_a_run_outlives_its_tensorboard_and_its_deleted_files(tmp_path: Path) -> None:
    training = course.begin(replace(TINY, out=tmp_path))
    training.iterate()
    run = folder_of(training)
    shutil.rmtree(run / "tensorboard")
    shutil.rmtree(run / "checkpoints")
    (run / "metrics.csv").unlink()
    training.iterate()
    training.save()
    assert list((run / "tensorboard").iterdir())
    training.iterate()
    training.save()
    assert course.resumed(run).decisions == 1536
    other = course.begin(replace(TINY, out=tmp_path))
    (folder_of(other) / "tensorboard").write_text("no folder")
    with pytest.warns(UserWarning, match="no TensorBoard log: .*the CSV files hold the same numbers"):
        other.iterate()


def test_a_full_disk_ends_the_curves_with_one_sentence(tmp_path: Path) -> None:
    board = runs.Board(tmp_path)
    assert board._file is not None
    board._file.symlink_to("/dev/full")
    with pytest.warns(UserWarning, match="no TensorBoard log: .*No space left"):
        board.add_scalar("loss", 0.5, 1)
    board.add_scalar("loss", 0.5, 2)  # a second warning would be an error


def final_weights(run: Path) -> bytes:
    checkpoint = newest_checkpoint(run)
    assert checkpoint is not None
    return (checkpoint / "weights.safetensors").read_bytes() + (checkpoint / "resume.safetensors").read_bytes()


def killed_run_is_the_straight_one(tmp_path: Path, updates: int) -> None:
    """2 x `updates` in one go, and `updates`, kill -9, resume, `updates` more: the same to the bit."""
    command = [*LONGER_PPO, "--self-play", "0.5", "--final-deals", "1", "--precision", "float32"]  # two runs, one precision
    command[2] = str(2 * updates * 512)
    straight = start([*command, "--out", str(tmp_path / "straight")])
    killed = start([*command, "--out", str(tmp_path / "killed")])
    run = await_checkpoint(tmp_path / "killed", killed, updates * 512)
    killed.kill()
    killed.communicate()
    newest = newest_checkpoint(run)
    assert newest is not None and int(newest.name) < 2 * updates * 512
    again = start(["--resume", str(run)])
    assert again.communicate(timeout=600)[0] and again.returncode == 0
    assert straight.communicate(timeout=600)[0] and straight.returncode == 0
    (whole,) = (tmp_path / "straight").iterdir()
    assert newest_checkpoint(whole).name == newest_checkpoint(run).name == f"{2 * updates * 512:012d}"  # type: ignore[union-attr]
    assert final_weights(whole) == final_weights(run)


@pytest.mark.long
def test_a_killed_run_goes_on_exactly(tmp_path: Path) -> None:
    killed_run_is_the_straight_one(tmp_path, 60)


@pytest.mark.long
def test_a_thousand_updates_killed_and_a_thousand_more(tmp_path: Path) -> None:
    killed_run_is_the_straight_one(tmp_path, 1000)


@pytest.mark.long
def test_two_hundred_kills_leave_nothing_unreadable(tmp_path: Path) -> None:
    """At random moments, saving among them; every time the newest complete checkpoint resumes and plays."""
    chance = random.Random(0)
    process = start([*LONGER_PPO, "--out", str(tmp_path)])
    run = await_checkpoint(tmp_path, process, 0)
    halves = 0
    for number in range(200):
        time.sleep(chance.uniform(0, 0.5))
        process.kill()
        process.communicate()
        halves += any((run / "checkpoints").glob(".*.part"))
        training = course.resumed(run)
        assert agent(training.game, f"policy:{run}").name
        reached = training.decisions
        del training  # it has the folder's lock
        gc.collect()
        process = start(["--resume", str(run)])
        await_checkpoint(tmp_path, process, reached)
        print(f"kill {number + 1}: resumed at {reached}")
    process.kill()
    process.communicate()
    assert halves > 0, "no kill fell into a save"


def test_errors_are_one_line(tmp_path: Path) -> None:
    process = start(["--resume", str(tmp_path / "nothing")])
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert printed.startswith("error: ") and printed.count("\n") == 1 and "settings.json is missing" in printed
