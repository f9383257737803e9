"""Commands killed at any moment: what lies there can be read, and the next start goes on to the same end."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pirate_envs.agents.learning.runs import newest_checkpoint
from tests.release import ROOT

EACH, START, LONGEST = 5, 4.0, 6.0  # kills of a chunk; seconds before the first, and between a start and a kill at most
SMALL = [
    *("--option", "last_hand=2", "--lanes", "32", "--steps", "16", "--batch", "256", "--epochs", "1", "--width", "16"),
    *("--checkpoint-minutes", "1e-9", "--evaluate-minutes", "100", "--decisions", "100000000"),
]
LEAGUE = [
    *("skull_king", "--option", "last_hand=2", "--players", "2", "--rounds", "10", "--lesson", "4096", "--part", "1024"),
    *("--deals", "20", "--search", "--learner.lanes", "32", "--learner.steps", "16", "--learner.batch", "256"),
    *("--learner.epochs", "1", "--learner.width", "16", "--learner.precision", "float32"),
]


def start(module: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"experiments.{module}", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Killer:
    """Kills at random moments, and how many of them met a process that was still at work."""

    def __init__(self, seed: str) -> None:
        self.rng, self.kills = random.Random(seed), 0

    def kill(self, process: subprocess.Popen[str]) -> str:
        """Kill -9; returns what it printed."""
        process.kill()
        printed = process.communicate()[0]
        self.kills += process.returncode == -signal.SIGKILL
        return printed

    def kill_later(self, process: subprocess.Popen[str]) -> str:
        """The same, when it has had some seconds."""
        time.sleep(self.rng.uniform(START, START + LONGEST))
        return self.kill(process)


Command = Callable[[Path, Killer], list[str]]


def killed(_: str, number: int) -> dict[str, float]:
    """EACH kills of one command, the commands in turn."""
    return tried(COMMANDS[number % len(COMMANDS)], Killer(f"kills {number}"))


def tried(command: Command, killer: Killer) -> dict[str, float]:
    """What a command did that was killed in a folder of its own: kills that came too late are no kills."""
    with tempfile.TemporaryDirectory() as folder:
        failures = command(Path(folder), killer)
    count: dict[str, float] = {"done": killer.kills, "failed": len(failures)}
    return {**count, "error": failures} if failures else count  # type: ignore[dict-item]


def training(learner: str) -> Command:
    def kill_training(folder: Path, killer: Killer) -> list[str]:
        """Each start must go on from the newest checkpoint that was complete."""
        failures, reached = [], 0
        process = start("train", "skull_king", "--learner", learner, *SMALL, "--out", str(folder))
        for _ in range(EACH):
            reached, failure = await_more(folder, process, reached)
            time.sleep(killer.rng.uniform(0, 0.5))
            printed = killer.kill(process)
            if failure:
                failures.append(f"{learner}: {failure}: {printed[-300:]}")
            runs = list(folder.glob("*"))
            if not runs:
                return failures or [f"{learner}: no run folder: {printed[-300:]}"]
            process = start("train", "--resume", str(runs[0]))
        process.kill()
        process.communicate()
        return failures

    return kill_training


def await_more(folder: Path, process: subprocess.Popen[str], beyond: int) -> tuple[int, str]:
    """The decisions of the newest checkpoint once it is beyond so many, and what went wrong."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        for run in folder.glob("*"):
            newest = newest_checkpoint(run)
            if newest is not None and int(newest.name) > beyond:
                return int(newest.name), ""
        time.sleep(0.05)
    return beyond, f"no checkpoint beyond {beyond}"


def until_the_end(module: str, arguments: list[str], killer: Killer) -> list[str]:
    """EACH kills of a command that ends by itself, then a start that must end well."""
    for _ in range(EACH):
        killer.kill_later(start(module, *arguments))
    process = start(module, *arguments)
    printed = process.communicate(timeout=300)[0]
    return [f"{module}: {printed[-300:]}"] if process.returncode else []


def tournament(folder: Path, killer: Killer) -> list[str]:
    """The killed tournament's table is the straight one's to the byte."""
    common = ["skull_king", "random", "rules:strongest", "--option", "last_hand=3", "--deals", "12000", "--chunk", "40"]
    arguments = [*common, "--workers", "1", "--out"]
    failures = until_the_end("tournament", [*arguments, str(folder / "killed")], killer)
    straight = start("tournament", *arguments, str(folder / "straight"))
    straight.communicate(timeout=300)
    pages = [(folder / name / "table.md").read_bytes() for name in ("killed", "straight")] if not failures else []
    return failures or ([] if pages[0].replace(b"killed", b"straight") == pages[1] else ["tournament: another table"])


def tune(folder: Path, killer: Killer) -> list[str]:
    """It keeps nothing before its end, and begins anew."""
    sizes = ["--generations", "3", "--population", "4", "--deals", "4", "--held-out", "20", "--search-deals", "2"]
    kept = ["--weights", str(folder / "weights.json"), "--results", str(folder)]
    return until_the_end("tune", ["skull_king", *sizes, *kept], killer)


def evaluate(folder: Path, killer: Killer) -> list[str]:
    """It too begins anew."""
    arguments = ["skull_king", "random", "rules:strongest", "--deals", "40000", "--out", str(folder / "result.json")]
    return until_the_end("evaluate", arguments, killer)


def league(folder: Path, killer: Killer) -> list[str]:
    """The killed league's payoffs and players are the straight one's to the byte."""

    def end(place: Path) -> tuple[int, str]:
        process = begin(place)
        printed = process.communicate(timeout=300)[0]
        return process.returncode, printed[-300:]

    def begin(place: Path) -> subprocess.Popen[str]:
        made = list(place.glob("league-*"))
        return start("league", *(["--resume", str(made[0])] if made else [*LEAGUE, "--out", str(place)]))

    def left(place: Path) -> dict[str, bytes]:
        (made,) = place.glob("league-*")
        files = [made / "payoffs.csv", *(made / "players").rglob("*.safetensors")]
        return {file.relative_to(made).as_posix(): file.read_bytes() for file in files}

    for _ in range(EACH):
        killer.kill_later(begin(folder / "killed"))
    for place in ("killed", "straight"):
        status, printed = end(folder / place)
        if status:
            return [f"league, {place}: {printed}"]
    return [] if left(folder / "killed") == left(folder / "straight") else ["league: other payoffs or players"]


COMMANDS = (training("ppo"), training("sb3"), tournament, tune, evaluate, league)
