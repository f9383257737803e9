"""A soak: all doors in a loop for hours; does memory grow, do files stay open, does anything fail?

    python -m tests.release.soak --minutes 1440 --write     of 24 hours; a shorter one is told as what it is

Each round plays every game in a batch, in Stable-Baselines3's VecEnv and one decision at a time through PettingZoo, and trains
a small network on one game, the games in turn, in one process. What the first rounds take, in which all is compiled and every
game is trained on once, stands apart: memory and open files are compared from there to the end. A round that fails is counted
and the next one begins. What torch keeps of operations that it has compiled (oneDNN's cache, 1,024 at most) is switched off: it
grows with every new shape for a long time and then no more.
"""

from __future__ import annotations

import ctypes
import gc
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pirate_envs
from experiments.command import check_numbers, run_command
from experiments.throughput import sampled_match
from pirate_envs.agents.learning import PPOSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.games import shipped
from tests.release import ROOT

HOURS = 24  # of a whole soak
WARM = 1 + len(shipped())  # rounds after which memory and files are compared
LANES, STEPS, MATCHES, DECISIONS = 1024, 300, 5, 20_000
TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc


@dataclass
class SoakSettings:
    """Play and train until the time is over."""

    minutes: float = 60.0
    """how long"""
    seed: int = 0
    """of the first round; the next ones follow"""
    write: bool = False
    """keep what was seen in experiments/results"""


def memory() -> float:
    """MiB of this process that are in memory, without what nobody refers to any more: neither Python nor, on glibc, its
    allocator, whose freed pieces lie scattered and make a process grow for hundreds of rounds.
    """
    gc.collect()
    if TRIM is not None:
        TRIM(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def open_files() -> int:
    return len(os.listdir("/proc/self/fd")) - 1  # the listing's own is closed again


def one_round(seed: int) -> int:
    """Every game through every door, and a training; returns how many decisions that was."""
    decisions = 0
    for name in shipped():
        batch = pirate_envs.Batch(pirate_envs.load(name), LANES, seed=seed)
        lanes = pirate_envs.make_sb3(name, LANES, seed=seed)
        env = pirate_envs.make_aec(name)
        env.reset(seed=seed)
        batch.play(STEPS)
        lanes.reset()
        for _ in range(STEPS // 10):
            lanes.step(lanes.action_masks().argmax(axis=1))
        decisions += LANES * (STEPS + STEPS // 10) + sum(sampled_match(env) for _ in range(MATCHES))
    games = shipped()
    settings = PPOSettings(games[seed % len(games)], decisions=DECISIONS, lanes=256, width=32, seed=seed % 1000, out=None)
    Training(None, settings).finished()
    return decisions + DECISIONS


def soaked(settings: SoakSettings) -> dict[str, Any]:
    """Rounds, decisions and failures; memory and open files after WARM rounds and at the end."""
    start, rounds, decisions = time.monotonic(), 0, 0
    errors: list[str] = []
    seen = [(memory(), open_files())]
    while time.monotonic() - start < 60 * settings.minutes or rounds <= WARM:
        try:
            decisions += one_round(settings.seed + rounds)
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}"[:200])
        rounds += 1
        seen.append((memory(), open_files()))
        print(f"round {rounds}: {seen[-1][0]:.0f} MiB, {seen[-1][1]} files, {len(errors)} errors", flush=True)
    (begun, files), (ended, left) = seen[WARM], seen[-1]
    return {
        "hours": (time.monotonic() - start) / 3600, "rounds": rounds, "decisions": decisions, "failed": len(errors),
        "errors": errors[:5], "memory": [begun, ended], "most": max(size for size, _ in seen), "files": [files, left],
    }  # fmt: skip


def page(content: dict[str, Any]) -> str:
    """As Markdown."""
    found = content["measured"]
    (begun, ended), files = found["memory"], " to ".join(map(str, found["files"]))
    row = [
        f"{found['hours']:.1f} of {HOURS}", found["rounds"], f"{found['decisions']:,}", found["failed"],
        f"{begun:,.0f}", f"{ended:,.0f} ({ended / begun - 1:+.1%})", f"{found['most']:,.0f}", files,
    ]  # fmt: skip
    head = ["hours", "rounds", "decisions", "failed", f"MiB after {WARM} rounds", "at the end", "most", "open files"]
    table = markdown_table(head, [row], "r")
    return f"{table}\nCommand: `{content['command']}`, {content['date']}. {content['machine']}.\n"


def main(settings: SoakSettings) -> dict[str, Any]:
    """Soak, print and perhaps write."""
    check_numbers(settings, minutes=(0.0, 60.0 * 24 * 365), seed=(0, 10**6))
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0")  # up to 1,024 operations of torch's would look like a leak
    content = {
        "command": command("tests.release.soak"), "machine": machine(), "date": time.strftime("%Y-%m-%d"),
        "measured": soaked(settings),
    }  # fmt: skip
    print(page(content))
    if settings.write:
        Results(ROOT / "experiments" / "results").write("soak", content, page(content))
    return content


if __name__ == "__main__":
    run_command(main, SoakSettings, __doc__)
