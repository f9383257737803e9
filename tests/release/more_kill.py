"""The commands that kills.py does not kill: exploit, field, puzzles, reports, values and beliefs."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from pirate_envs import load
from pirate_envs.agents import agent
from tests.release.kills import EACH, LONGEST, START, kill, start, until_the_end

LEARNER = ("--learner.lanes", "16", "--learner.steps", "16", "--learner.batch", "64", "--learner.width", "16")
ARGUMENTS = {  # FOLDER: where the command keeps what it has done
    "exploit": (
        "piraten_kapern",
        "--players",
        "2",
        "--target",
        "random",
        "--deals",
        "100",
        "--decisions",
        "20000",
        *LEARNER,
        "--out",
        "FOLDER",
    ),
    "field": ("skull_king", "random", "rules:simple", "rules:strongest", "--deals", "400", "--out", "FOLDER"),
    "puzzles": ("piraten_kapern", "--count", "2", "--matches", "200", "--folder", "FOLDER"),
    "reports": ("piraten_kapern", "five_sentences", "--part", "0.3", "--out", "FOLDER"),
}
SAVING = {  # what saves a policy when it is done
    "values": ("piraten_kapern", "--positions", "3000", "--held-out", "2000"),
    "beliefs": ("skull_king", "--pairs", "3000", "--held-out", "100", "--worlds", "2"),
}


def killed(_: str, number: int) -> dict[str, float]:
    """EACH kills of one command, the commands in turn."""
    rng = random.Random(f"more kills {number}")
    command = COMMANDS[number % len(COMMANDS)]
    with tempfile.TemporaryDirectory() as folder:
        failures = saved(command, Path(folder), rng) if command in SAVING else ended(command, folder, rng)
    count: dict[str, float] = {"done": EACH, "failed": len(failures)}
    return {**count, "error": failures} if failures else count  # type: ignore[dict-item]


def ended(command: str, folder: str, rng: random.Random) -> list[str]:
    """The same command as often as it is killed, and once more to its end."""
    words = [folder if word == "FOLDER" else word for word in ARGUMENTS[command]]
    return until_the_end(command, [*words, "--workers", "1"], rng)


def saved(command: str, folder: Path, rng: random.Random) -> list[str]:
    """What lies there after a kill is a whole policy or none."""
    game, arguments = SAVING[command][0], (*SAVING[command], "--out")
    for i in range(EACH):
        process = start(command, *arguments, str(folder / str(i)))
        time.sleep(rng.uniform(START, START + LONGEST))
        kill(process)
    for left in folder.glob("[0-9]"):
        agent(load(game), f"policy:{left}")
    process = start(command, *arguments, str(folder / "last"))
    printed = process.communicate(timeout=300)[0]
    return [] if process.returncode == 0 and (folder / "last").is_dir() else [f"{command}: {printed[-300:]}"]


COMMANDS = (*ARGUMENTS, *SAVING)
