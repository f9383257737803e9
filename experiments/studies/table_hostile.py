"""What does a table's server do with messages of the worst kinds?

    python -m experiments.studies.table_hostile --messages 100000

Malformed, stale, huge, foreign and flooding messages go over sockets of seats, of watchers and of strangers, and as requests.
None may bring an exception into the log of the server or change the match, and its memory stays as it was.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from experiments.command import check_numbers, run_command
from experiments.studies.table_server import HOST, Served, own_turn, serving
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.report import command, markdown_table

BURST = 60  # messages of a socket, more than it may send at once
AT_ONCE = 4  # sockets
HUGE = 1 << 20  # bytes of the largest messages
OPTIONS = {"players": 2}
SHOWN = 100  # lines of a log with troubles
TROUBLE = ("Traceback", "ERROR", "Exception")  # what a log must not hold


@dataclass
class TableHostileSettings:
    """Send a server what it does not expect."""

    messages: int = 2000
    """over sockets; one request comes to about BURST of them"""
    seed: int = 0
    """of the choices"""


# -- messages ----------------------------------------------------------------------------------------------------------


def garbage(chance: random.Random) -> str | bytes:
    """Something that is no message at all."""
    kinds: list[str | bytes] = (
        ["", "{", "[]", "null", "7", "NaN", '"act"', "\x00", "\ud7ff\uffff", "[" * 3000, '{"a":' * 700, b"\x00\xff\xfe", b"",
         "".join(chr(chance.randrange(32, 0x2000)) for _ in range(chance.randrange(200)))]
    )  # fmt: skip
    return chance.choice(kinds)


def wrong_types(chance: random.Random) -> str:
    """A message whose keys are right and whose values are not."""
    values = [None, True, -1, 10**400, 0.5, "", "0", [], {}, ["bid 1"], {"act": 1}, "bid " + "9" * 5000]
    keys = chance.choice([["act", "at"], ["act"], ["at"], ["undo"], ["hint"], ["hello"], ["act", "at", "seat"], ["__proto__"]])
    return json.dumps({key: chance.choice(values) for key in keys})


def stale(chance: random.Random) -> str:
    """A decision that is not the next one."""
    return json.dumps({"act": f"bid {chance.randrange(11)}", "at": chance.choice([-1, -(2**63), 1, 2, 17, 2**31, 2**64])})


def illegal(chance: random.Random) -> str:
    """The next decision, by a name that is no action's, or of one that is not legal."""
    names = [
        "",
        "bid",
        "bid 11",
        "bid -1",
        "BID 1",
        "bid 1 ",
        "play escape",
        "play yellow_99",
        "bid 1\x00",
        "🏴",
        "bid ²",
        "1",
        "' --",
    ]
    return json.dumps({"act": chance.choice(names), "at": 0})


def foreign(chance: random.Random) -> str:
    """A legal decision of another seat."""
    return json.dumps({"act": chance.choice(["bid 0", "bid 1"]), "at": 0})


def huge(chance: random.Random) -> str:
    """A message larger than any may be."""
    size = chance.choice([4097, 70_000, HUGE])
    return chance.choice(["x" * size, json.dumps({"act": "b" * size, "at": 0}), '{"at":0,' + " " * size + '"act":"bid 1"}'])


KINDS: dict[str, Callable[[random.Random], str | bytes]] = {
    "garbage": garbage, "wrong types": wrong_types, "stale": stale, "illegal": illegal, "huge": huge,
}  # fmt: skip


def hello(chance: random.Random) -> str | bytes:
    """The first message of a stranger."""
    secrets = ["", "x" * 22, "x" * 5000, 7, None, ["a"], "\x00"]
    wrong = json.dumps({"hello": chance.choice(secrets), "seen": chance.choice([None, 0, -1, "0", 10**30, 0.5])})
    return chance.choice([wrong, wrong_types(chance), garbage(chance)])


# -- sockets -----------------------------------------------------------------------------------------------------------


async def burst(connection: ClientConnection, messages: list[str | bytes], leaves: bool = False) -> int:
    """Send them without waiting for answers, then hear until the server has had enough, or be gone; how many went out."""
    sent = 0
    try:
        for message in messages:
            await connection.send(message)
            sent += 1
        if leaves:
            connection.transport.abort()
            return sent
        while True:
            await asyncio.wait_for(connection.recv(), 0.3)
    except (WebSocketException, TimeoutError, OSError):
        return sent


async def attack(served: Served, table: dict[str, Any], chance: random.Random) -> int:
    """One socket of some kind; returns how many messages it sent."""
    who = chance.choice(["mover", "other", "watcher", "stranger"])
    address = f"ws://{HOST}:{served.port}/ws/{table['table'] if chance.random() < 0.9 else 'nowhere'}"
    try:
        async with connect(address, proxy=None, max_size=None) as connection:
            if who == "stranger":
                return await burst(connection, [hello(chance), *(foreign(chance) for _ in range(3))])
            secret = {"mover": table["links"][0], "other": table["links"][1], "watcher": table["watch"]}[who]
            await connection.send(json.dumps({"hello": secret, "seen": chance.choice([None, 0, -5, 10**9])}))
            kinds = [*KINDS.values()] + ([] if who == "mover" else [foreign, foreign])
            leaves = chance.random() < 0.5
            return await burst(connection, [chance.choice(kinds)(chance) for _ in range(BURST)], leaves)
    except (WebSocketException, OSError):
        return 0


def requests(served: Served, chance: random.Random) -> None:
    """Requests that are none."""
    body = chance.choice([b"", b"{", b"\xff", b"[" * 9000, b"x" * 40_000, b'{"game":"skull_king","options":{"players":1e9}}'])
    served.asked("POST", "/api/tables", body)
    paths = [
        "/api/replays/%00",
        "/api/replays/..%2f",
        "/../etc/passwd",
        "/ws/x",
        "/api/games?" + "a" * 3000,
        "/static/..%2fapp.py",
    ]
    served.asked(chance.choice(["GET", "POST", "DELETE"]), chance.choice(paths))


async def position(served: Served, table: dict[str, Any]) -> dict[str, Any]:
    """What the seat to move is sent when it comes."""
    async with served.joined(table["table"], table["links"][0]) as connection:
        return await own_turn(connection)


async def attacked(served: Served, settings: TableHostileSettings) -> dict[str, Any]:
    """Send all messages; returns figures."""
    chance, sent, changes = random.Random(settings.seed), 0, 0
    table = served.new_table("skull_king", OPTIONS, ["person", "person"])
    before, memory = await position(served, table), []
    while sent < settings.messages:
        sent += sum(await asyncio.gather(*(attack(served, table, chance) for _ in range(AT_ONCE))))
        await asyncio.to_thread(requests, served, chance)
        changes += int(await position(served, table) != before)
        memory.append(served.memory())
    early = memory[len(memory) // 5]
    log = served.log()
    return {
        "messages": sent,
        "troubles": sum(log.count(word) for word in TROUBLE),
        "changes": changes,
        "memory_early": early,
        "memory_late": memory[-1],
        "log": [line for line in log.splitlines() if not line.startswith("INFO")][:SHOWN],
    }


def main(settings: TableHostileSettings) -> None:
    check_numbers(settings, messages=(1, 10**9), seed=(0, LARGEST_SEED))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        figures = asyncio.run(attacked(served, settings))
    spent = time.monotonic() - start
    row = [f"{figures['messages']:,}", figures["troubles"], figures["changes"], f"{figures['memory_early']:.0f}",
           f"{figures['memory_late']:.0f}", f"{spent:.0f}"]  # fmt: skip
    head = ["messages", "errors in the log", "changes of the match", "MB after a fifth", "MB at the end", "seconds"]
    measured_by = command("experiments.studies.table_hostile")
    page = f"{markdown_table(head, [row], 'r')}\nCommand: `{measured_by}`.\n"
    print(*(figures["log"] if figures["troubles"] else []), page, sep="\n")
    if figures["troubles"] or figures["changes"]:
        sys.exit(1)


if __name__ == "__main__":
    run_command(main, TableHostileSettings, __doc__)
