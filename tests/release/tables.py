"""The browser's table: what is told of a match, and its server when it is killed or told nonsense."""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path

from experiments.studies.table_hostile import TableHostileSettings, attacked
from experiments.studies.table_kills import TableKillsSettings, killed
from experiments.studies.table_leaks import TableLeaksSettings, matches
from experiments.studies.table_server import serving
from pirate_envs.testing import GameLawError
from tests.games.setups import setup_of
from tests.games.test_events import check_match
from tests.games.test_referees import any_game

MATCHES, FRAMED, KILLS, MESSAGES = 5, 2, 5, 20_000  # of a chunk
AFTER_THE_TESTS = 10**6  # matches of the tests come before


def told(name: str, number: int) -> dict[str, float]:
    """MATCHES random matches under random options, every decision told to every viewer."""
    rng, events, errors = random.Random(f"told {name} {number}"), 0, []
    for match in range(MATCHES * number, MATCHES * (number + 1)):
        game = any_game(name, setup_of(name).random_options, rng)
        try:
            events += check_match(game, AFTER_THE_TESTS + match, 1.0).total()
        except GameLawError as error:
            errors.append(str(error))
    return _counted(MATCHES, errors, events=events)


def framed(name: str, number: int) -> dict[str, float]:
    """FRAMED random matches, every frame to every viewer beside that of a twin with another world behind it."""
    found = matches(name, TableLeaksSettings(matches=FRAMED, seed=number))
    return _counted(FRAMED, found.leaks, frames=found.frames, other_worlds=found.other_worlds)


def server_killed(_: str, number: int) -> dict[str, float]:
    """KILLS kills of a server under load."""
    with tempfile.TemporaryDirectory() as folder:
        found = killed(TableKillsSettings(kills=KILLS, seed=number), Path(folder))
    return _counted(KILLS, found["failures"], acknowledged=found["acknowledged"])


def server_attacked(_: str, number: int) -> dict[str, float]:
    """MESSAGES hostile messages to one server; `kB more` is what its memory grew by after the first fifth."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        found = asyncio.run(attacked(served, TableHostileSettings(messages=MESSAGES, seed=number)))
    errors = [*(found["log"] if found["troubles"] else []), *(["the match was changed"] * found["changes"])]
    more = round(1024 * (found["memory_late"] - found["memory_early"]))
    return _counted(found["messages"], errors, **{"kB more": more})


def _counted(done: int, errors: list[str], **more: float) -> dict[str, float]:
    count: dict[str, float] = {"done": done, "failed": len(errors), **more}
    return {**count, "error": errors[:5]} if errors else count  # type: ignore[dict-item]
