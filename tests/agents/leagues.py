"""A league that takes seconds: its settings, and how the tests play it."""

from __future__ import annotations

import shutil
from pathlib import Path

from experiments import league as command
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import PPOSettings
from pirate_envs.agents.learning.league import League
from pirate_envs.agents.learning.league_jobs import Job, do_job
from pirate_envs.agents.learning.settings import LeagueSettings

LEARNER = PPOSettings(lanes=32, steps=16, batch=256, epochs=1, width=16, precision="float32")
TINY = LeagueSettings(
    "skull_king", options={"last_hand": 2}, lesson=1000, part=500, rounds=3, deals=4, search=("search:flat:4",), search_every=2,
    search_deals=2, warm_up=512, patience=2, pool=3, learner=LEARNER,
)  # fmt: skip


def play(league: League, workers: int = 1, after: int = 1 << 30) -> bool:
    """Run it until its end, or until so many jobs have been done now."""
    done: list[Job] = []
    league.pieces.heard = done.append
    with Workers(workers).doing(do_job, hear_ctrl_c=False) as do:
        return league.run(do, lambda: len(done) >= after, command.keep_tables)


def copied(league: League, folder: Path) -> Path:
    shutil.copytree(league.folder, folder / "copy")
    return folder / "copy"
