"""Is every decision that a table's server has acknowledged still there after it was killed?

    python -m experiments.studies.table_kills --kills 500

People play at random at several tables, as fast as they are answered; the server is killed (kill -9) at a random moment and
started again on the same folder, and they come back with their links. A decision is acknowledged when its person, or anybody
else, has been sent what came after it.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException

from experiments.command import check_numbers, run_command
from experiments.studies.table_server import Served, decide, own_turn
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.report import command, markdown_table
from pirate_envs.agents.table.serve import FILE
from pirate_envs.agents.table.store import Store
from pirate_envs.games import load, shipped


@dataclass
class TableKillsSettings:
    """Kill a server, again and again."""

    kills: int = 20
    """how many times"""
    tables: int = 8
    """at once, of the shipped games in turn"""
    longest: float = 2.0
    """seconds that a server lives at most, from its first answer on"""
    player: str = "rules:strongest"
    """who sits on the other seats"""
    seed: int = 0
    """of the choices"""


@dataclass
class Seen:
    """A table as its person knows it."""

    table: str
    secret: str
    own: dict[int, str] = field(default_factory=dict)
    """Decisions of the person that are acknowledged, by number."""
    at: int = 0
    """Up to which decision the server has told."""
    over: bool = False


async def person(served: Served, seen: Seen, seed: int) -> None:
    """Play until the match is over or the server is gone."""
    chance = random.Random(seed)
    try:
        async with served.joined(seen.table, seen.secret) as connection:
            message = await own_turn(connection)
            seen.at = max(seen.at, message["at"])
            while not message["view"]["over"]:
                at, name = message["at"], await decide(connection, message, chance)
                message = await own_turn(connection, at)
                seen.own[at], seen.at = name, max(seen.at, message["at"])
                await asyncio.sleep(0.05)  # the server lets nobody send more than so many messages
            seen.over = True
    except (OSError, WebSocketException):
        pass


async def played_until_killed(served: Served, tables: list[Seen], after: float, chance: random.Random) -> None:
    """Everybody plays until the server is killed."""
    people = [asyncio.create_task(person(served, seen, chance.getrandbits(32))) for seen in tables if not seen.over]
    await asyncio.sleep(after)
    served.kill()
    await asyncio.gather(*people)


def lost(folder: Path, tables: list[Seen]) -> list[str]:
    """What the store does not hold of what was acknowledged."""
    store, found = Store(folder / FILE), []
    for seen in tables:
        kept = store.load(seen.table)
        if kept is None:
            found.append(f"table {seen.table} is gone")
            continue
        actions = kept[1]
        found += [f"{seen.table}: decision {at}" for at, name in seen.own.items() if actions[at : at + 1] != [name]]
        if len(actions) < seen.at:
            found.append(f"{seen.table}: {len(actions)} decisions of {seen.at}")
    store.close()
    return found


async def unopened(served: Served, tables: list[Seen]) -> list[str]:
    """Tables that do not open, or not where they were."""
    found = []
    for seen in tables:
        try:
            async with served.joined(seen.table, seen.secret) as connection:
                message = await own_turn(connection)
        except (RuntimeError, OSError, WebSocketException) as error:
            found.append(f"{seen.table} does not open: {error}")
            continue
        if message["at"] < seen.at:
            found.append(f"{seen.table} opens at decision {message['at']} of {seen.at}")
    return found


def new_tables(served: Served, settings: TableKillsSettings, count: int) -> list[Seen]:
    made = []
    for number in range(count):
        game = load(shipped()[number % len(shipped())])
        table = served.new_table(game.name, {}, ["person", *[settings.player] * (game.players - 1)])
        made.append(Seen(table["table"], table["links"][0]))
    return made


def killed(settings: TableKillsSettings, folder: Path) -> dict[str, Any]:
    """Kill so many servers; returns figures and failures."""
    chance, failures, acknowledged, ended = random.Random(settings.seed), [], 0, 0
    tables: list[Seen] = []
    served = Served(folder, [settings.player])
    try:
        for _ in range(settings.kills):
            ended += sum(seen.over for seen in tables)
            tables = [seen for seen in tables if not seen.over]
            tables += new_tables(served, settings, settings.tables - len(tables))
            before = sum(len(seen.own) for seen in tables)
            asyncio.run(played_until_killed(served, tables, chance.uniform(0, settings.longest), chance))
            acknowledged += sum(len(seen.own) for seen in tables) - before
            failures += lost(folder, tables)
            served = Served(folder, [settings.player])
            failures += asyncio.run(unopened(served, tables))
    finally:
        served.kill()
    return {"kills": settings.kills, "acknowledged": acknowledged, "matches ended": ended, "failures": failures}


def row(figures: Mapping[str, Any], seconds: float) -> list[object]:
    told = [f"{figures[name]:,}" for name in ("kills", "acknowledged", "matches ended")]
    return [*told, len(figures["failures"]), f"{seconds:.0f}"]


def main(settings: TableKillsSettings) -> None:
    check_numbers(settings, kills=(1, 10**6), tables=(1, 1000), longest=(0.0, 3600.0), seed=(0, LARGEST_SEED))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = killed(settings, Path(folder))
    for failure in figures["failures"][:10]:
        print(failure)
    head = ["kills", "decisions of people acknowledged", "matches ended", "lost or not opened", "seconds"]
    measured_by = command("experiments.studies.table_kills")
    page = f"{markdown_table(head, [row(figures, time.monotonic() - start)], 'r')}\nCommand: `{measured_by}`.\n"
    print(page)
    if figures["failures"]:
        sys.exit(1)


if __name__ == "__main__":
    run_command(main, TableKillsSettings, __doc__)
