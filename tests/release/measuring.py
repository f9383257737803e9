"""Measure, go on measuring, and print: ``python -m tests.release --minutes 600``."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.files import write_text
from tests.release import ROOT
from tests.release.rows import ROWS, Row, games_of

STORE = ROOT / "runs" / "release"
Chunk = tuple[str, str, int]  # row, game, number


def sources() -> str:
    """A short digest of everything that is measured and measures: chunks of other sources do not count."""
    digest = hashlib.sha256()
    for folder in ("pirate_envs", "agents", "experiments", "tests/release", "tests/games"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def file_of(store: Path, chunk: Chunk) -> Path:
    return store / "-".join(filter(None, (chunk[0], chunk[1], f"{chunk[2]:06d}.json")))


def work(chunk: Chunk) -> dict[str, Any]:
    """Do one chunk; what it counted and the seconds it took."""
    row, game, number = chunk
    start = time.perf_counter()
    counted = ROWS[row].work(game, number)
    return {**counted, "seconds": time.perf_counter() - start}


def to_do(rows: list[str], games: list[str], store: Path) -> Iterator[Chunk]:
    """Chunks not done yet, all rows and games keeping step."""
    chunks = [
        (number / ROWS[row].chunks, (row, game, number))
        for row in rows
        for game in games_of(ROWS[row])
        if not game or not games or game in games
        for number in range(ROWS[row].chunks)
    ]
    yield from (chunk for _, chunk in sorted(chunks) if not file_of(store, chunk).exists())


def measure(rows: list[str], games: list[str], store: Path, minutes: float, workers: int) -> None:
    """Do chunks until all are done or the time is over; every one is kept as soon as it is there."""
    store.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * minutes
    chunks = takewhile(lambda _: time.monotonic() < deadline, to_do(rows, games, store))
    with Workers(workers).doing(work) as do:
        for chunk, counted in do(chunks):
            write_text(file_of(store, chunk), json.dumps(counted) + "\n")
            print(*chunk, json.dumps(counted), flush=True)


def summed(name: str, row: Row, game: str, store: Path) -> dict[str, Any]:
    """What all chunks of a row and game counted together."""
    pattern = "-".join(filter(None, (name, game, "*.json")))
    counts = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(store.glob(pattern))]
    keys = {key for count in counts for key in count} - {"error"}
    total = {key: sum(count.get(key, 0) for count in counts) for key in sorted(keys)}
    errors = [error for count in counts if "error" in count for error in [count["error"]]]
    head = {"row": name, "claim": row.claim, "unit": row.unit, "game": game, "target": row.target}
    return {**head, **total, "errors": errors[:5]}


def page(content: dict[str, Any]) -> str:
    """The table, with what is not at its target yet said by its share."""
    rows = [
        [row["claim"], row["game"] or "all commands", f"{row['done']:,} {row['unit']}", f"{row['done'] / row['target']:.1%}",
         f"{row['failed']:,}", f"{row['seconds'] / 60:.0f}"]
        for row in content["rows"]
    ]  # fmt: skip
    head = ["claim", "game", "tried", "of the target", "did not hold", "minutes of one process"]
    told = f"`{content['command']}`, {content['date']}, {content['machine']}."
    return markdown_table(head, rows, "llrrrr") + "\n" + told + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", choices=list(ROWS), default=list(ROWS))
    parser.add_argument("--games", nargs="*", default=[], help="none given: all")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after the chunks that run then")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--write", nargs="?", const="release", metavar="NAME",
        help="keep the table in experiments/results, for the pages: as `release` for docs/trust.md, or as NAME",
    )  # fmt: skip
    given = parser.parse_args()
    store = STORE / sources()
    measure(given.rows, given.games, store, given.minutes, given.workers)
    table = [summed(name, ROWS[name], game, store) for name in given.rows for game in games_of(ROWS[name])]
    table = [row for row in table if row.get("done")]
    content = {"command": command("tests.release"), "machine": machine(), "date": time.strftime("%Y-%m-%d"), "rows": table}
    print(page(content))
    if given.write:
        Results(ROOT / "experiments" / "results").write(given.write, content, page(content))
