"""How long a table's server needs for a person's move, with many tables at once.

    python -m experiments.studies.table_load

At every table one person plays at random, about once a second, against players of one kind. Server time is measured in the
server: from the message until its first answer is sent, and until all that it brings is, the others' decisions too. The server
and those who play share the machine; how busy it was with others is told as its load when the server was ready. The first
quarter of the moves is left out: players are loaded then.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.command import RESULTS, check_numbers, run_command
from experiments.studies.table_server import Served, decide, own_turn, serving
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.games import load, shipped


@dataclass
class TableLoadSettings:
    """Measure the server under load."""

    tables: int = 100
    """at once"""
    seconds: float = 120.0
    """for each game"""
    pause: float = 1.0
    """mean seconds between the server's answer and the person's next move"""
    player: str = "policy:pretrained"
    """who sits on the other seats"""
    at_once: bool = False
    """people want to be shown where the others' decisions lead, not each of them"""
    games: tuple[str, ...] = ()
    """all that are shipped if none is given"""
    write: bool = False
    """keep the table in experiments/results"""


def loaded(game: str, settings: TableLoadSettings) -> dict[str, float]:
    """Figures of one game: moves, moves a second, milliseconds of server time (p50, p99) and of the processor a move."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), [settings.player], warm=True) as served:
        start, busy = time.monotonic(), os.getloadavg()[0]
        asyncio.run(_everybody(served, game, settings))
        spent = time.monotonic() - start
        measured = served.stop()
    seconds, answered, processor = (np.array(measured[key]) for key in ("seconds", "answered", "processor"))
    if len(seconds) < 8:
        raise RuntimeError(f"{len(seconds)} moves were made: too few")
    warm = len(seconds) // 4  # until then games, players and pages are loaded
    return {
        "moves": len(seconds),
        "moves_a_second": len(seconds) / spent,
        "first_p50_ms": 1e3 * float(np.percentile(answered[warm:], 50)),
        "first_p99_ms": 1e3 * float(np.percentile(answered[warm:], 99)),
        "p50_ms": 1e3 * float(np.percentile(seconds[warm:], 50)),
        "p99_ms": 1e3 * float(np.percentile(seconds[warm:], 99)),
        "processor_ms": 1e3 * float(processor[-1] - processor[warm]) / (len(seconds) - 1 - warm),
        "load": busy,
    }


async def _everybody(served: Served, game: str, settings: TableLoadSettings) -> None:
    until = time.monotonic() + settings.seconds
    await asyncio.gather(*(_person(served, game, settings, until, number) for number in range(settings.tables)))


async def _person(served: Served, game: str, settings: TableLoadSettings, until: float, number: int) -> None:
    """Play one match after the other."""
    chance = random.Random(number)
    seats = ["person", *[settings.player] * (load(game).players - 1)]
    await asyncio.sleep(chance.uniform(0, settings.pause))
    while time.monotonic() < until:
        table = await asyncio.to_thread(served.new_table, game, {}, seats)
        async with served.joined(table["table"], table["links"][0], look={"steps": not settings.at_once}) as connection:
            message = await own_turn(connection)
            while not message["view"]["over"] and time.monotonic() < until:
                await asyncio.sleep(chance.expovariate(1 / settings.pause))
                await decide(connection, message, chance)
                message = await own_turn(connection, message["at"])


def main(settings: TableLoadSettings) -> None:
    check_numbers(settings, tables=(1, 1000), seconds=(0.1, 86_400.0), pause=(0.001, 3600.0))
    figures = {game: loaded(game, settings) for game in settings.games or shipped()}
    rows = [
        [load(game).title, f"{f['moves']:,.0f}", f"{f['moves_a_second']:.1f}", f"{f['first_p50_ms']:.1f}",
         f"{f['first_p99_ms']:.1f}", f"{f['p50_ms']:.1f}", f"{f['p99_ms']:.1f}", f"{f['processor_ms']:.2f}", f"{f['load']:.1f}"]
        for game, f in figures.items()
    ]  # fmt: skip
    head = ["game", "moves of people", "a second", "ms to the first answer, p50", "p99", "to the last, p50", "p99",
            "processor ms a move", "load before"]  # fmt: skip
    measured_by = command("experiments.studies.table_load")
    about = f"{settings.tables} tables, each a person and {settings.player} on the other seats."
    page = f"{markdown_table(head, rows, 'lr')}\n{about} {machine()}. Command: `{measured_by}`.\n"
    print(page)
    if settings.write:
        Results(RESULTS).write("table_load", {"command": measured_by, "figures": figures}, page)


if __name__ == "__main__":
    run_command(main, TableLoadSettings, __doc__)
