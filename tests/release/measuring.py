"""Measure, go on measuring, and print: ``python -m tests.release --minutes 600``."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tyro.extras import literal_type_from_choices

from experiments.command import WorkerFlags, check_numbers
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.files import write_text
from pirate_envs.games import shipped
from tests.release import ROOT
from tests.release.rows import PAGES, ROWS, Row, games_of

STORE = ROOT / "runs" / "release"
LONGEST = 60.0 * 24 * 365  # minutes
LOOKS = ("picture.py", "text.py", "figures.py", "svg.py", "sentences.py", "rows.py")  # what no row asks about
RowName = str if TYPE_CHECKING else literal_type_from_choices(list(ROWS))
Chunk = tuple[str, str, int]  # row, game, number
Table = dict[tuple[str, str], dict[str, Any]]  # what chunks have counted, by row and game


def sources(row: str, game: str) -> str:
    """A short digest of all that a row of a game measures and is measured by: chunks of other sources do not count.

    A file of tests is no part of it unless the row names it.
    """
    digest = hashlib.sha256()
    for pattern in ROWS[row].sources:
        for file in sorted(ROOT.glob(pattern.format(game=game or "*"))):
            name = file.relative_to(ROOT).as_posix()
            told = "test_" in pattern or not file.name.startswith("test_")
            if told and file.name not in LOOKS and not name.endswith(ROWS[row].apart or ("/",)):
                digest.update(name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def folder_of(store: Path, row: str, game: str) -> Path:
    """Of the chunks of a row and game by the sources as they are."""
    return store / "-".join(filter(None, (row, game, sources(row, game))))


def file_of(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.json"


def work(chunk: Chunk) -> dict[str, Any]:
    """Do one chunk; what it counted and the seconds it took."""
    row, game, number = chunk
    start = time.perf_counter()
    counted = ROWS[row].work(game, number)
    return {**counted, "seconds": time.perf_counter() - start}


def to_do(rows: list[str], games: list[str], store: Path, table: Table) -> list[Chunk]:
    """Chunks that are short of the targets, all rows and games keeping step; none if none is short."""
    chunks = [
        (number / ROWS[row].chunks, (row, game, number))
        for row in rows
        for game in games_of(ROWS[row])
        if not game or game in games
        for number in missing(ROWS[row], summed(row, ROWS[row], game, store, table.get((row, game))))
    ]
    return [chunk for _, chunk in sorted(chunks)]


def missing(row: Row, total: dict[str, Any]) -> list[int]:
    """Numbers of the next chunks: as many as reach the target if each is as large as planned. Some are smaller: ask again."""
    done, short = numbers_in(total), row.target - total["counts"].get("done", 0)
    return list(
        itertools.islice((number for number in itertools.count() if number not in done), max(0, math.ceil(short / row.each)))
    )


def numbers_in(known: dict[str, Any] | None) -> set[int]:
    """Chunks that a row of the table sums up."""
    return set() if known is None else {n for first, last in known["chunks"] for n in range(first, last + 1)}


def ranges(numbers: set[int]) -> list[list[int]]:
    """First and last of each run of numbers without a gap."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def current(content: dict[str, Any]) -> Table:
    """The rows of an earlier table that were measured on the sources as they are."""
    return {key: row for key, row in _rows(content) if row["sources"] == sources(*key)}


def earlier(content: dict[str, Any]) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """The rows that were measured on earlier sources, of a row and game perhaps on several."""
    found = [(key, {**row, "earlier": True}) for key, row in _rows(content) if row["sources"] != sources(*key)]
    return [(key, {**row, "claim": ROWS[key[0]].claim}) for key, row in found]  # what a row is called now, it was called then


def _rows(content: dict[str, Any]) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """Those that count what rows of their names count now."""
    rows = [row for row in content["rows"] if row["row"] in ROWS and row["unit"] == ROWS[row["row"]].unit]
    return [((row["row"], row["game"]), row) for row in rows]


def measure(rows: list[str], games: list[str], store: Path, table: Table, minutes: float, workers: Workers) -> None:
    """Do chunks until all targets are reached or the time is over; every one is kept as soon as it is there."""
    deadline = time.monotonic() + 60 * minutes
    with workers.doing(work) as do:
        while time.monotonic() < deadline and (chunks := to_do(rows, games, store, table)):
            for chunk, counted in do(itertools.takewhile(lambda _: time.monotonic() < deadline, chunks)):
                keep(store, chunk, counted)


def keep(store: Path, chunk: Chunk, counted: dict[str, Any]) -> None:
    row, game, number = chunk
    folder = folder_of(store, row, game)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(file_of(folder, number), json.dumps(counted) + "\n")
    print(*chunk, json.dumps(counted), flush=True)


def summed(name: str, row: Row, game: str, store: Path, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """What all chunks of a row and game counted together: those that the table knows, and those in the store."""
    before = numbers_in(known)
    files = {int(file.stem): file for file in folder_of(store, name, game).glob("*.json")}
    counts = [json.loads(files[number].read_text(encoding="utf-8")) for number in sorted(files.keys() - before)]
    totals = [*([known["counts"]] if known else []), *counts]
    keys = {key for count in totals for key in count} - {"error"}
    head = {"row": name, "claim": row.claim, "unit": row.unit, "game": game, "of": game or row.of_all, "target": row.target}
    return {
        **head,
        "counts": {key: sum(count.get(key, 0) for count in totals) for key in sorted(keys)},
        "errors": [*(known["errors"] if known else []), *(count["error"] for count in counts if "error" in count)][:5],
        "sources": sources(name, game),
        "date": known["date"] if known and not counts else time.strftime("%Y-%m-%d"),
        "chunks": ranges(before | files.keys()),
    }


def told_together(rows: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], float]]:
    """Rows with their minutes; of a row's and game's earlier sources the one on which most was tried, with the minutes of all.

    What was tried is not added up, for the same chunks, from the same seeds, may have been tried on each. One in which anything
    did not hold is told by itself.
    """
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        known = row["sources"] if row["counts"]["failed"] else ""
        alike.setdefault((row["row"], row["game"], bool(row.get("earlier")), known), []).append(row)
    for each in alike.values():
        yield max(each, key=lambda row: row["counts"]["done"]), sum(row["counts"]["seconds"] for row in each) / 60


def page(content: dict[str, Any]) -> str:
    """The table, with what is not at its target yet said by its share."""
    rows, spent = [], {True: 0.0, False: 0.0}
    for row, minutes in told_together(content["rows"]):
        spent[bool(row.get("earlier"))] += minutes
        counts, game = row["counts"], row["of"]
        tried = f"{counts['done']:,} {row['unit']}"
        share = f"{counts['done'] / row['target']:.1%}"
        measured = row["date"] + (", earlier sources" if row.get("earlier") else "")
        rows.append([row["claim"], game, tried, share, f"{counts['failed']:,}", f"{minutes:.0f}", measured])
    head = ["claim", "of", "tried", "of the target", "did not hold", "minutes of one process", "measured"]
    counted = "Counted by `python -m tests.release --write` in one or more calls, the last on"
    told = f"{counted} {content['date']}. {content['machine']}."
    told += f" {sum(spent.values()):.0f} minutes of one process stand here, {spent[True]:.0f} of them on earlier sources."
    return markdown_table(head, rows, "llrrrrl") + "\n" + told + "\n"


@dataclass
class ReleaseSettings:
    """Measure, go on measuring, and print."""

    rows: tuple[RowName, ...] = ()
    """names of claims; none given: all"""
    games: tuple[str, ...] = ()
    """none given: all"""
    minutes: float = 60.0
    """stop after the chunks that run then"""
    write: bool = False
    """keep the tables in experiments/results, for the pages"""
    workers: WorkerFlags = field(default_factory=lambda: Workers(os.cpu_count() or 1))
    """who does the work"""


def main(settings: ReleaseSettings) -> None:
    """Raises OptionError for rows, games or minutes that cannot be."""
    check_numbers(settings, minutes=(0.0, LONGEST))
    rows, games = one_of("--rows", settings.rows, ROWS), one_of("--games", settings.games, shipped())
    results = Results(ROOT / "experiments" / "results")
    before = {page: results.read(page, {"rows": []}) for page in PAGES}
    done = {key: row for content in before.values() for key, row in current(content).items()}
    measure(rows, games, STORE, done, settings.minutes, settings.workers)
    for name in PAGES:
        content = summed_up(name, before[name], STORE)
        if content["rows"]:
            print(page(content))
        if settings.write and content["rows"]:
            results.write(name, content, page(content))


def one_of(flag: str, given: Sequence[str], known: Collection[str]) -> list[str]:
    """What was given, or all that is known. Raises OptionError for a name that is not."""
    for name in given:
        if name not in known:
            raise OptionError(f"{flag} names {shown(name)}; there are {', '.join(known)}")
    return list(given or known)


def summed_up(name: str, before: dict[str, Any], store: Path) -> dict[str, Any]:
    """All rows of a page; one of earlier sources stays beside the present one until that has tried as much."""
    now, then = current(before), earlier(before)
    rows = []
    for key, row in ROWS.items():
        for game in games_of(row) if row.page == name else ():
            present = summed(key, row, game, store, now.get((key, game)))
            rows += [present] if present["chunks"] else []
            tried = present["counts"].get("done", 0)
            rows += [past for of, past in then if of == (key, game) and past["counts"]["done"] > tried]
    return {"command": command("tests.release"), "machine": machine(), "date": time.strftime("%Y-%m-%d"), "rows": rows}
