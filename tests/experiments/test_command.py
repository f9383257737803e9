"""The flags of the commands: their names, choices and help, and options of a game told the same way everywhere."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tyro

from experiments import evaluate, exploit, tournament, train
from pirate_envs.agents.learning import LEARNERS, MaskablePPOSettings, PPOSettings
from pirate_envs.agents.learning.training import plain

ROOT = Path(__file__).resolve().parents[2]


def printed(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
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
    ]
    flags = tyro.cli(train.flags("ppo"), args=[*arguments, "--pool.random", "0.5"])
    expected = PPOSettings(
        "skull_king", options={"last_hand": 2, "kraken": True}, vary={"first_hand": [1, 2]}, kl=0.5,
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
