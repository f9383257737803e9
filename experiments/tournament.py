"""Tournaments: any players against each other, at tables of one size or several, with ratings and intervals.

    python -m experiments.tournament skull_king random rules:simple rules:expected_points --tables 3 4 --deals 400

Every deal is played by every line-up, in every rotation of the seats. Two kinds of line-ups: one player among copies of
another, for each ordered pair (the payoff matrix), and mixed ones (ratings and all other figures). What has been played
lies in the folder as chunks; the same command goes on where it was interrupted. With any number of workers the results are
the same, but for players that think for a time instead of a number of iterations.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import tyro
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import Outcomes, play
from pirate_envs.agents.arena.standings import Standings, standings
from pirate_envs.agents.sealed import pack, read_json, unpack
from tqdm import tqdm

from experiments.command import run_command
from pirate_envs import load
from pirate_envs.core.errors import CheckpointError, OptionError
from pirate_envs.core.files import write_file, write_text
from pirate_envs.core.game import Game
from pirate_envs.core.options import parse_options

KIND, SCHEMA = "tournament", 1
SETTINGS, CHUNKS, RESULTS, TABLE, PICTURE = "tournament.json", "chunks", "results.json", "table.md", "payoff.png"


@dataclass(frozen=True)
class Settings:
    """Play a tournament, or go on with it."""

    game: Annotated[str, tyro.conf.Positional]
    """name of the game"""
    players: Annotated[tuple[str, ...], tyro.conf.Positional]
    """two or more different players: random, rules:NAME, search:..., exact:..., policy:FOLDER"""
    tables: tuple[int, ...] = (4,)
    """sizes of the tables"""
    deals: int = 200
    """deals, each played by every line-up in every rotation"""
    mixed: int = 60
    """mixed line-ups at each size of table, at most"""
    seed: int = 0
    """which deals, and which mixed line-ups if there are more"""
    options: tuple[str, ...] = ()
    """further options of the game, as name=value with a JSON value"""
    chunk: int = 25
    """deals that are played and written at once"""
    out: Path = field(default=Path("runs/tournament"))
    """folder of the results"""
    workers: int = field(default=os.cpu_count() or 1)
    """processes"""

    def identity(self) -> dict[str, Any]:
        """What makes this tournament another one than others, as read back from JSON."""
        own = dataclasses.asdict(self)
        return json.loads(json.dumps({key: own[key] for key in own if key not in ("out", "workers")}))  # type: ignore[no-any-return]


class Chunk(NamedTuple):
    """Some deals of one line-up."""

    line_up: tuple[int, ...]
    """Numbers of the players, one a seat; as many as the table has."""
    first: int
    """The first deal."""
    deals: int

    @property
    def name(self) -> str:
        return f"{len(self.line_up)}-{'.'.join(map(str, self.line_up))}-{self.first}"


def line_ups(players: int, table: int, mixed: int, seed: int) -> list[tuple[int, ...]]:
    """All line-ups of a table: one player among copies of another, then mixed ones, `mixed` at most."""
    pairs = itertools.permutations(range(players), 2) if table > 2 else itertools.combinations(range(players), 2)
    duels = [(one, *[other] * (table - 1)) for one, other in pairs]
    tables = mixed_tables(players, table)
    if len(tables) > mixed:
        drawn = np.random.default_rng(seed).choice(len(tables), mixed, replace=False)
        tables = [tables[i] for i in sorted(drawn)]
    return list(dict.fromkeys(duels + tables))


def mixed_tables(players: int, table: int) -> list[tuple[int, ...]]:
    """Different players, or all mixtures where there are too few."""
    choose = itertools.combinations if players >= table else itertools.combinations_with_replacement
    return [line_up for line_up in choose(range(players), table) if len(set(line_up)) > 1]


def chunks_of(settings: Settings) -> list[Chunk]:
    """All that is to be played, deal by deal, so that an early look sees every line-up."""
    every = [line_up for n in settings.tables for line_up in line_ups(len(settings.players), n, settings.mixed, settings.seed)]
    starts = range(0, settings.deals, settings.chunk)
    return [Chunk(line_up, at, min(settings.chunk, settings.deals - at)) for at in starts for line_up in every]


def games_of(settings: Settings) -> dict[int, Game]:
    """The game for each size of table. Raises OptionError or UnknownGameError."""
    given = parse_options(settings.options)
    if "players" in given:
        raise OptionError("option 'players' is given by --tables")
    return {n: load(settings.game, players=n, **given) for n in settings.tables}


def check(settings: Settings) -> None:
    """Raises OptionError, UnknownGameError, UnknownPlayerError or CheckpointError for what cannot be played."""
    players = settings.players
    if len(players) < 2 or len(set(players)) < len(players):
        raise OptionError(f"players are {', '.join(players) or 'none'}; needed: two or more different ones")
    if not settings.tables or len(set(settings.tables)) < len(settings.tables):
        raise OptionError(f"tables are {settings.tables}; needed: one or more different sizes")
    for name, most in (("deals", 1 << 20), ("mixed", 1 << 16), ("chunk", 1 << 16), ("workers", 256)):
        value = getattr(settings, name)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise OptionError(f"{name} is {value!r}; allowed: an integer from 1 to {most}")
    if not 0 <= settings.seed < 1 << 31:
        raise OptionError(f"seed is {settings.seed!r}; allowed: an integer from 0 to {(1 << 31) - 1}")
    for game in games_of(settings).values():
        for name in players:
            agent(game, name)


# -- playing -----------------------------------------------------------------------------------------------------------


@cache
def _players(settings: Settings, table: int) -> tuple[Game, list[Any]]:
    """The game and the players of a table; one set a process."""
    game = games_of(settings)[table]
    return game, [agent(game, name) for name in settings.players]


def play_chunk(settings: Settings, chunk: Chunk) -> Outcomes:
    """What happens in a chunk depends on its deals and line-up alone."""
    game, players = _players(settings, len(chunk.line_up))
    return play(game, [players[i] for i in chunk.line_up], range(chunk.first, chunk.first + chunk.deals), settings.seed)


def results_of(settings: Settings, chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Outcomes]]:
    """Every chunk's record as it comes."""
    if settings.workers == 1:
        yield from ((chunk, play_chunk(settings, chunk)) for chunk in chunks)
        return
    with ProcessPoolExecutor(settings.workers, get_context("spawn")) as pool:
        waiting = {pool.submit(play_chunk, settings, chunk): chunk for chunk in chunks}
        try:
            for done in as_completed(waiting):
                yield waiting.pop(done), done.result()
        finally:
            pool.shutdown(cancel_futures=True)


# -- the folder --------------------------------------------------------------------------------------------------------


def learned(settings: Settings) -> dict[str, str]:
    """SHA-256 of the weights of each player that has learned: under the same name it may have learned on."""
    game = games_of(settings)[settings.tables[0]]
    return {name: found for name in settings.players if (found := agent(game, name).learned) is not None}


def open_folder(settings: Settings) -> None:
    """Make the folder, or see that it holds this tournament. Raises CheckpointError."""
    file = settings.out / SETTINGS
    wanted = {"kind": KIND, "schema": SCHEMA, **settings.identity(), "learned": learned(settings)}
    if not file.exists():
        (settings.out / CHUNKS).mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps(wanted, indent=1))
        return
    found = read_json(file)
    for key, value in wanted.items():
        if found.get(key) != value:
            raise CheckpointError(f"{settings.out} holds another tournament: its {key} is {found.get(key)!r}, not {value!r}")
    (settings.out / CHUNKS).mkdir(exist_ok=True)


def save_chunk(settings: Settings, chunk: Chunk, record: Outcomes) -> None:
    """As safetensors, whole or not at all."""
    numbers = np.array([record.decisions, record.truncated])
    arrays = {"points": record.points, "wins": record.wins, "counts": record.counts, "numbers": numbers}
    write_file(settings.out / CHUNKS / chunk.name, pack(arrays))


def load_chunk(settings: Settings, chunk: Chunk) -> Outcomes | None:
    """None if it has not been played. Raises CheckpointError if the file is not what was saved."""
    file = settings.out / CHUNKS / chunk.name
    if not file.exists():
        return None
    arrays, n = unpack(file.read_bytes(), file), len(chunk.line_up)
    shapes = {name: array.shape[:3] for name, array in arrays.items()}
    tallies = shapes.get("counts", (0, 0, 0))[2:]
    several = (chunk.deals, n, n)
    if shapes != {"points": several, "wins": several, "counts": (chunk.deals, n, *tallies), "numbers": (2,)}:
        raise CheckpointError(f"{file} does not hold the {chunk.deals} deals of this chunk; delete it to play them anew")
    decisions, truncated = (int(number) for number in arrays["numbers"])
    return Outcomes(arrays["points"], arrays["wins"], arrays["counts"], decisions, truncated)


# -- the command -------------------------------------------------------------------------------------------------------


def tournament(settings: Settings) -> Standings:
    """Play what has not been played yet and sum up. Raises a PirateError for settings or a folder that do not fit."""
    check(settings)
    open_folder(settings)
    chunks = chunks_of(settings)
    records = {chunk: record for chunk in chunks if (record := load_chunk(settings, chunk)) is not None}
    missing = [chunk for chunk in chunks if chunk not in records]
    with tqdm(total=len(chunks), initial=len(records), unit="chunk", desc=settings.game) as bar:
        for chunk, record in results_of(settings, missing):
            save_chunk(settings, chunk, record)
            records[chunk] = record
            bar.update()
    by_line_up: dict[tuple[int, ...], list[Outcomes]] = {}
    for chunk in chunks:
        by_line_up.setdefault(chunk.line_up, []).append(records[chunk])
    return standings(next(iter(games_of(settings).values())), settings.players, by_line_up)


def command_of(settings: Settings) -> str:
    """The command that plays this tournament."""
    usual = Settings(settings.game, settings.players).identity()
    words = ["python -m experiments.tournament", settings.game, *settings.players]
    for key, value in settings.identity().items():
        if value != usual[key]:
            words += [f"--{key}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    return " ".join(words)


def main(settings: Settings) -> Standings:
    """Play, print the table, write the results."""
    result = tournament(settings)
    command = command_of(settings)
    write_text(settings.out / RESULTS, json.dumps({"command": command, **result.as_dict()}, indent=1))
    write_text(settings.out / TABLE, result.markdown(command))
    result.draw(settings.out / PICTURE)
    print(result.markdown(command))
    return result


if __name__ == "__main__":
    run_command(main, Settings, interrupted="interrupted: the same command goes on from here")
