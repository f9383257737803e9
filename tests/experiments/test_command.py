"""The flags of the commands: their names, choices and help, and options of a game told the same way everywhere."""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tyro

from experiments import command, evaluate, exploit, tournament, train, tune
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import LEARNERS, MaskablePPOSettings, PPOSettings, training
from pirate_envs.agents.learning.training import plain
from pirate_envs.core.errors import OptionError
from pirate_envs.core.signals import ENDINGS

ROOT = Path(__file__).resolve().parents[2]


def printed(*arguments: str) -> str:
    line = [sys.executable, "-m", *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    return " ".join((done.stdout + done.stderr).replace("│", " ").split())


def test_help_names_the_program_and_one_learners_settings() -> None:
    own, stock = printed("experiments.train", "--help"), printed("experiments.train", "--learner", "sb3", "--help")
    for text in (own, stock):
        assert text.startswith("usage: python -m experiments.train ") and "GAME" in text
        assert "--learner {ppo,sb3}" in text and "--activation {tanh,relu}" in text and "--reward {margin,score,win}" in text
        assert "--option NAME=VALUE" in text and "--resume" in text and "--pool.latest" in text and "--pool.strongest" in text
    assert "--critic {shared,separate,all_hands}" in own and "--precision {auto,float32,bfloat16}" in own
    assert "--critic" not in stock and "--precision" not in stock
    assert "(default: ppo)" in own and "(default: sb3)" in stock


def test_the_usual_learner_is_the_projects_own() -> None:
    """By the command and by `make train`, which names none."""
    assert next(iter(LEARNERS)) == "ppo"
    assert issubclass(train.flags(train.USUAL), PPOSettings) and issubclass(train.flags("sb3"), MaskablePPOSettings)
    recipe = next(line for line in (ROOT / "Makefile").read_text().splitlines() if "experiments.train" in line)
    assert "--learner" not in recipe


def test_flags_become_settings() -> None:
    arguments = [
        "skull_king",
        "--option",
        "last_hand=2",
        "--option",
        "kraken=true",
        "--vary",
        "first_hand=[1,2]",
        "--kl",
        "0.5",
        "--entropy-floor",
        "bid=0.5",
        "--entropy-floor",
        "play a number=0.1",
    ]
    flags = tyro.cli(train.flags("ppo"), args=[*arguments, "--pool.random", "0.5"])
    expected = PPOSettings(
        "skull_king", options={"last_hand": 2, "kraken": True}, vary={"first_hand": [1, 2]}, kl=0.5,
        entropy_floor={"bid": 0.5, "play a number": 0.1},
        pool={"latest": 0.0, "older": 0.2, "rules": 0.2, "strongest": 0.6, "random": 0.5},
    )  # fmt: skip
    assert plain(flags) == plain(expected) and flags.resume is None
    flags = tyro.cli(train.flags("sb3"), args=["lucky_pirate", "--learner", "sb3", "--resume", "runs/x"])
    assert plain(flags) == plain(MaskablePPOSettings("lucky_pirate")) and flags.resume == Path("runs/x")


@pytest.mark.parametrize(
    "arguments", [["--learner", "dqn"], ["--activation", "swish"], ["--option", "last_hand"], ["--lanes", "x"]]
)
def test_bad_flags_are_told(arguments: list[str]) -> None:
    text = printed("experiments.train", "skull_king", *arguments)
    assert arguments[1] in text and "python -m experiments.train" in text and "Traceback" not in text


def test_exploit_asks_only_for_what_counts() -> None:
    text = printed("experiments.exploit", "--help")
    assert text.startswith("usage: python -m experiments.exploit ") and "--option NAME=VALUE" in text
    assert "--learner.width" in text and "--learner.gae-lambda" in text
    assert not any(f"--learner.{name}" in text for name in ("game", "options", "pool", "self-play", "minutes", "seed", "out"))
    flags = tyro.cli(exploit.ExploitSettings, args=["skull_king", "--option", "last_hand=1", "--learner.width", "32"])
    assert flags.options == ("last_hand=1",) and flags.learner.width == 32 and flags.learner.layers == PPOSettings().layers


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        (evaluate.EvaluateSettings, ["skull_king", "random", "rules:strongest"]),
        (tournament.TournamentSettings, ["skull_king", "random", "rules:strongest"]),
        (exploit.ExploitSettings, ["skull_king"]),
    ],
)
def test_options_of_a_game_are_told_the_same_way_everywhere(settings: type[Any], arguments: list[str]) -> None:
    flags = tyro.cli(settings, args=[*arguments, "--option", "last_hand=2", "--option", "kraken=true"])
    assert flags.options == ("last_hand=2", "kraken=true")
    with pytest.raises(SystemExit):
        tyro.cli(settings, args=[*arguments, "--options", "last_hand=2"])


def test_a_tournaments_command_plays_it_again() -> None:
    options = ("last_hand=2", 'loot="x y"')
    plan = tournament.Tournament("skull_king", ("random", "rules:simple"), tables=(2, 3), options=options)
    words = shlex.split(tournament.command_of(plan))
    assert words[:3] == ["python", "-m", "experiments.tournament"]
    assert tyro.cli(tournament.TournamentSettings, args=words[3:]).plan() == plan


# -- how commands end ----------------------------------------------------------------------------------------------------------


@dataclass
class Nothing:
    """Settings of a command that is told nothing."""


def ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], main: Callable[[Any], Any]) -> tuple[int, str]:
    """Exit status of such a command, and what it has written on stderr."""
    monkeypatch.setattr(sys, "argv", ["command"])
    before = [signal.getsignal(number) for number in ENDINGS]
    with pytest.raises(SystemExit) as end:
        command.run_command(main, Nothing)
    assert [signal.getsignal(number) for number in ENDINGS] == before
    told = capsys.readouterr().err
    return (end.value.code, told) if isinstance(end.value.code, int) else (1, f"{end.value.code}\n")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OptionError("deals is 0"), "error: deals is 0\n"),
        (OSError(28, "No space left on device", "runs/x"), "error: No space left on device: runs/x\n"),
        (PermissionError(13, "Permission denied", "runs"), "error: Permission denied: runs\n"),
        (OSError("the disk is gone"), "error: the disk is gone\n"),
        (MemoryError("8 GiB"), "error: out of memory: 8 GiB\n"),
        (KeyboardInterrupt(), "interrupted\n"),
    ],
)
def test_what_ends_a_command_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, told: str
) -> None:
    def main(_: Any) -> None:
        raise error

    assert ended(monkeypatch, capsys, main) == (1, told)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_to_end_is_like_ctrl_c_with_a_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: signal.Signals, status: int
) -> None:
    cleaned = []

    def main(_: Any) -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(60)
        except KeyboardInterrupt:
            cleaned.append(True)
            raise

    assert ended(monkeypatch, capsys, main) == (status, "interrupted\n") and cleaned


def test_a_signal_that_is_ignored_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As SIGHUP under `nohup`."""
    monkeypatch.setattr(sys, "argv", ["command"])
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        command.run_command(lambda _: os.kill(os.getpid(), signal.SIGHUP), Nothing)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode != 0,
    reason="mounting takes rights that this user lacks",
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["experiments.evaluate", "skull_king", "random", "rules:simple", "--deals", "1", "--out", "{}/x.json"],
        ["experiments.tournament", "skull_king", "random", "rules:simple", "--deals", "1", "--out", "{}/x"],
        ["experiments.train", "skull_king", "--minutes", "0.1", "--out", "{}"],
        ["pirate_envs", "play", "skull_king", "--save", "{}/match.json"],
    ],
)
def test_a_read_only_folder_is_one_line_before_anything_is_played(arguments: list[str], tmp_path: Path) -> None:
    mounted = 'mount -t tmpfs -o ro none "$0" && exec "$@"'
    line = [sys.executable, "-m", *(word.format(tmp_path) for word in arguments)]
    shell = ["unshare", "-rm", "sh", "-c", mounted, str(tmp_path), *line]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert f": Read-only file system: {tmp_path}" in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr


def test_where_nothing_can_be_written_nothing_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def played(*_: Any, **__: Any) -> None:
        raise AssertionError("played before it was known that the result can be written")

    (tmp_path / "file").write_text("no folder")
    os.mkfifo(tmp_path / "pipe")
    below = tmp_path / "file" / "x"
    for module, name in ((evaluate, "evaluate"), (tune, "search"), (training, "Training")):
        monkeypatch.setattr(module, name, played)
    monkeypatch.setattr(importlib.import_module("pirate_envs.agents.arena.tournament"), "play_chunk", played)
    players = ("random", "rules:simple")
    for main, settings in (
        (evaluate.main, evaluate.EvaluateSettings("skull_king", players, deals=1, out=tmp_path / "none" / "x.json")),
        (evaluate.main, evaluate.EvaluateSettings("skull_king", players, deals=1, out=tmp_path)),
        (evaluate.main, evaluate.EvaluateSettings("skull_king", players, deals=1, out=tmp_path / "pipe")),
        (tune.main, tune.TuneSettings("skull_king", results=below)),
        (tune.main, tune.TuneSettings("skull_king", results=tmp_path, weights=tmp_path)),
        (tournament.main, tournament.TournamentSettings("skull_king", players, out=below, workers=Workers(workers=1))),
        (train.main, PPOSettings("skull_king", out=below)),
    ):
        with pytest.raises(OSError, match=tmp_path.name):
            main(settings)  # type: ignore[operator]
    assert sorted(os.listdir(tmp_path)) == ["file", "pipe"]


@pytest.mark.parametrize(
    ("main", "settings", "word"),
    [
        (exploit.main, exploit.ExploitSettings("skull_king", deals=2**64), "--deals"),
        (exploit.main, exploit.ExploitSettings("skull_king", decisions=0), "--decisions"),
        (exploit.main, exploit.ExploitSettings("skull_king", learners=-1), "--learners"),
        (exploit.main, exploit.ExploitSettings("skull_king", options=("players=3",)), "players"),
        (tune.main, tune.TuneSettings("skull_king", deals=0.5), "deals"),  # type: ignore[arg-type]
        (tune.main, tune.TuneSettings("skull_king", sigma=float("nan")), "sigma"),
        (tune.main, tune.TuneSettings("skull_king", margin=float("inf")), "margin"),
        (evaluate.main, evaluate.EvaluateSettings("skull_king", ("random",) * 2, options=("players=3",)), "players"),
        (evaluate.main, evaluate.EvaluateSettings("skull_king", ("random",) * 2, options=("name=x",)), "name"),
        (evaluate.main, evaluate.EvaluateSettings("skull_king", ("random",) * 2, options=("self=x",)), "self"),
    ],
)
def test_numbers_and_names_out_of_range_are_told_before_anything_is_done(
    main: Callable[[Any], Any], settings: Any, word: str
) -> None:
    with pytest.raises(OptionError, match=word):
        main(settings)


@pytest.mark.usefixtures("sent")
def test_exploit_sends_its_learners_to_workers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The settings as they come from flags, which spawned processes must be able to read."""
    table = "piraten_kapern --players 2 --target random --deals 4"
    words = f"{table} --decisions 1000 --learners 2 --learner.lanes 16 --learner.batch 64 --learner.precision float32"
    gained = []
    for workers in ("1", "2"):
        where = ["--workers", workers, "--out", str(tmp_path / workers)]
        result = exploit.main(tyro.cli(exploit.ExploitSettings, args=[*words.split(), *where]))
        gained.append(result["rows"][0]["gain"])
    assert gained[0] == gained[1]
    assert "2 x 1,000" in capsys.readouterr().out
