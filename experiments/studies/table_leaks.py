"""Does a table's server tell anybody what they may not know? Every frame is compared with that of a twin.

    python -m experiments.studies.table_leaks --matches 100

Random matches are played at a table, and every message that the server sends to each seat and to a watcher is recorded. Its
twin is a table at which all that this viewer cannot know is another world: the match before and after every decision, sealed
decisions of others, the seed, the secrets. Both must send the same bytes. No frame and no line of a log may hold the seed or a
secret. At the end of a match everything is open.
"""

from __future__ import annotations

import copy
import logging
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from experiments.command import check_numbers, run_command
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.report import command, markdown_table
from pirate_envs.agents.table.halls import Socket
from pirate_envs.agents.table.rooms import Decided, Standing, Table
from pirate_envs.agents.table.store import Store
from pirate_envs.core.events import WATCHER, Viewer
from pirate_envs.core.game import Game
from pirate_envs.games import load, shipped

MOST_PLAYERS = 4  # larger tables take longer and tell nothing else
FAR = 20  # one frame in so many is for somebody who comes back, with what happened since


@dataclass
class TableLeaksSettings:
    """Compare frames with those of twins."""

    matches: int = 10
    """of each game"""
    games: tuple[str, ...] = ()
    """all that are shipped if none is given"""
    seed: int = 0
    """of the choices"""


@dataclass
class Found:
    """What was compared, and what was wrong with it."""

    frames: int = 0
    other_worlds: int = 0
    """frames at which, all open, the twin's position was another one"""
    leaks: list[str] = field(default_factory=list)

    def add(self, other: Found) -> None:
        self.frames += other.frames
        self.other_worlds += other.other_worlds
        self.leaks += other.leaks


class Recorder:
    """In place of a connection: keeps what is sent."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def send_text(self, text: str) -> None:
        self.texts.append(text)


def frame(table: Table, viewer: Viewer, seen: int) -> str:
    """What the server sends to a viewer who has seen the match up to that decision."""
    recorder = Recorder()
    telling = Socket(recorder, viewer, seen).tell(table)  # type: ignore[arg-type]
    try:
        telling.send(None)
    except StopIteration:
        return "\n".join(recorder.texts)
    raise RuntimeError("a message waits for something")


def twin(table: Table, viewer: Viewer, chance: random.Random, since: int) -> Table:
    """A table that the viewer cannot tell from this one; a watcher knows no more than any seat."""
    knows = viewer if isinstance(viewer, int) else chance.randrange(table.game.players)
    game, other = table.game, copy.copy(table)
    other.past = [*table.past[:since], *(_decided(game, done, viewer, knows, chance) for done in table.past[since:])]
    other.now = Standing(table.g if table.over else game.determinized(table.g, knows, chance.getrandbits(64)))
    other.setup = replace(table.setup, seed=chance.getrandbits(64), watchers="other")
    return other


def _decided(game: Game, done: Decided, viewer: Viewer, knows: int, chance: random.Random) -> Decided:
    """A decision in another world; a sealed one of somebody else is another decision, too."""
    before = game.determinized(done.before.g, knows, chance.getrandbits(64))
    sealed = game.telling is not None and game.telling.is_sealed(done.before.view(game, viewer))
    if sealed and game.seat_to_move(before) != viewer:
        return Decided(Standing(before), int(chance.choice(game.legal_actions(before))))
    return Decided(Standing(before), done.action)


def compared(table: Table, secrets: list[str], chance: random.Random) -> Found:
    """Every viewer's frame after the latest decision."""
    found = Found()
    for viewer in (*range(table.game.players), WATCHER):
        since = max(0, table.at - (FAR if chance.random() < 1 / FAR else 1))
        told, other = frame(table, viewer, since), twin(table, viewer, chance, since)
        found.frames += 1
        found.other_worlds += int(other.now.view(table.game, None) != table.now.view(table.game, None))
        if told != frame(other, viewer, since):
            found.leaks.append(f"{table.game.id} decision {table.at}, {viewer}: the twin's frame differs")
        found.leaks += [f"{table.game.id} decision {table.at}, {viewer}: a secret is told" for each in secrets if each in told]
    return found


def match(game: Game, store: Store, chance: random.Random, log: list[str]) -> Found:
    """One random match, its frames compared after every decision."""
    made, links, watch = Table.made(store, game, [None] * game.players, practice=False)
    table = Table(store, replace(made.setup, seed=chance.getrandbits(63)))
    secrets = [str(table.setup.seed), watch, table.setup.watchers, *(link for link in links if link)]
    secrets += [seat.secret for seat in table.setup.seats if seat.secret]
    found = compared(table, secrets, chance)
    while not table.over:
        name = game.action_name(table.g, int(chance.choice(game.legal_actions(table.g))))
        table.act(game.seat_to_move(table.g), name, table.at)
        if not table.over:
            found.add(compared(table, secrets, chance))
    told = [frame(table, viewer, table.at - 1) for viewer in (*range(game.players), WATCHER)] + log
    found.leaks += [f"{game.id}: a secret is told at the end or logged" for line in told for each in secrets if each in line]
    log.clear()
    return found


class Lines(logging.Handler):
    """Keeps everything that is logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextmanager
def logged() -> Iterator[list[str]]:
    """All that this project logs within."""
    handler, logger = Lines(), logging.getLogger("pirate_envs")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def matches(name: str, settings: TableLeaksSettings) -> Found:
    """Matches of one game, each with a random number of players."""
    chance, found = random.Random(f"{name} {settings.seed}"), Found()
    with tempfile.TemporaryDirectory() as folder, logged() as lines:
        store = Store(Path(folder) / "tables.sqlite")
        for _ in range(settings.matches):
            players = chance.choice([size for size in load(name).sizes if size <= MOST_PLAYERS])
            found.add(match(load(name, players=players), store, chance, lines))
        store.close()
    return found


def main(settings: TableLeaksSettings) -> None:
    check_numbers(settings, matches=(1, 10**6), seed=(0, LARGEST_SEED))
    rows, leaks, start = [], 0, time.monotonic()
    for name in settings.games or shipped():
        found = matches(name, settings)
        spent, start = time.monotonic() - start, time.monotonic()
        share = found.other_worlds / max(1, found.frames)
        rows.append([load(name).title, settings.matches, f"{found.frames:,}", f"{share:.0%}", len(found.leaks), f"{spent:.0f}"])
        leaks += len(found.leaks)
        for leak in found.leaks[:10]:
            print(leak)
    head = ["game", "matches", "frames compared", "with another position behind", "leaks", "seconds"]
    measured_by = command("experiments.studies.table_leaks")
    page = f"{markdown_table(head, rows, 'lr')}\nCommand: `{measured_by}`.\n"
    print(page)
    if leaks:
        sys.exit(1)


if __name__ == "__main__":
    run_command(main, TableLeaksSettings, __doc__)
