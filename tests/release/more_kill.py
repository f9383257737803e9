"""The commands that kills.py does not kill: exploit, field, puzzles, reports, values and beliefs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pirate_envs import load
from pirate_envs.agents import agent
from tests.release.kills import EACH, Killer, start, tried, until_the_end

LEARNER = ("--learner.lanes", "16", "--learner.steps", "16", "--learner.batch", "64", "--learner.width", "16")
EXPLOIT = ("--players", "2", "--target", "random", "--deals", "100", "--decisions", "400000", *LEARNER)
ARGUMENTS = {  # FOLDER: where the command keeps what it has done
    "exploit": ("piraten_kapern", *EXPLOIT, "--out", "FOLDER"),
    "field": ("skull_king", "random", "rules:simple", "rules:strongest", "--deals", "6000", "--out", "FOLDER"),
    "puzzles": ("piraten_kapern", "--count", "8", "--matches", "800", "--folder", "FOLDER"),
    "reports": ("piraten_kapern", "five_sentences", "--part", "0.9", "--out", "FOLDER"),
}
SAVING = {  # what saves a policy when it is done
    "values": ("piraten_kapern", "--positions", "3000", "--held-out", "2000"),
    "beliefs": ("skull_king", "--pairs", "3000", "--held-out", "100", "--worlds", "2"),
}


def killed(_: str, number: int) -> dict[str, float]:
    """EACH kills of one command, the commands in turn."""
    command = COMMANDS[number % len(COMMANDS)]
    return tried(partial(saved if command in SAVING else ended, command), Killer(f"more kills {number}"))


def ended(command: str, folder: Path, killer: Killer) -> list[str]:
    """The same command as often as it is killed, and once more to its end."""
    words = [str(folder) if word == "FOLDER" else word for word in ARGUMENTS[command]]
    return until_the_end(command, [*words, "--workers", "1"], killer)


def saved(command: str, folder: Path, killer: Killer) -> list[str]:
    """What lies there after a kill is a whole policy or none."""
    game, arguments = SAVING[command][0], (*SAVING[command], "--out")
    for i in range(EACH):
        killer.kill_later(start(command, *arguments, str(folder / str(i))))
    for left in folder.glob("[0-9]"):
        agent(load(game), f"policy:{left}")
    process = start(command, *arguments, str(folder / "last"))
    printed = process.communicate(timeout=300)[0]
    return [] if process.returncode == 0 and (folder / "last").is_dir() else [f"{command}: {printed[-300:]}"]


COMMANDS = (*ARGUMENTS, *SAVING)
