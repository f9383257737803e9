"""Tournaments: any players against each other, at tables of one size or several.

    >>> from pirate_envs.agents.arena import Tournament, tournament
    >>> result = tournament(Tournament("skull_king", ("random", "rules:simple"), tables=(2,), deals=5))
    >>> result.matches
    10

Every deal is played by every line-up, in every rotation of the seats. Two kinds of line-ups: one player among copies of
another, for each ordered pair (the payoff matrix), and mixed ones (ratings and all other figures). With a folder, what has
been played lies there as chunks, and the same tournament goes on where it was interrupted. With any number of workers the
results are the same, but for players that think for a time instead of a number of iterations.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pirate_envs.agents.arena import workers as arena_workers
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, Outcomes, play, replay
from pirate_envs.agents.arena.standings import Standings, standings
from pirate_envs.agents.names import agent
from pirate_envs.agents.sealed import pack, read_file, read_json, read_manifest, unpack, write_sealed
from pirate_envs.core.errors import CheckpointError, OptionError, shown
from pirate_envs.core.files import check_writable_folder, clear_leftovers, lock_folder, write_text
from pirate_envs.core.game import Game
from pirate_envs.core.options import parse_options, whole_number
from pirate_envs.engine.replay import Replay
from pirate_envs.games import load

KIND, SCHEMA = "tournament", 1
SETTINGS, CHUNKS = "tournament.json", "chunks"
CHUNK_KIND, OUTCOMES = "tournament chunk", "outcomes.safetensors"
FARTHEST = 1 << 31  # from 0, of a player's points
MOST_WORKERS = 256


@dataclass(frozen=True)
class Tournament:
    """Who plays what. Two or more different players: random, rules:NAME, search:..., exact:..., policy:FOLDER."""

    game: str
    players: tuple[str, ...]
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

    def identity(self) -> dict[str, Any]:
        """What makes this tournament another one than others, as read back from JSON."""
        return json.loads(json.dumps(dataclasses.asdict(self)))  # type: ignore[no-any-return]


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


def chunks_of(plan: Tournament) -> list[Chunk]:
    """All that is to be played, deal by deal, so that an early look sees every line-up."""
    every = [line_up for n in plan.tables for line_up in line_ups(len(plan.players), n, plan.mixed, plan.seed)]
    starts = range(0, plan.deals, plan.chunk)
    return [Chunk(line_up, at, min(plan.chunk, plan.deals - at)) for at in starts for line_up in every]


def games_of(plan: Tournament) -> dict[int, Game]:
    """The game for each size of table. Raises OptionError or UnknownGameError."""
    given = parse_options(plan.options)
    if "players" in given:
        raise OptionError("option 'players' is given by --tables")
    return {n: load(plan.game, players=n, **given) for n in plan.tables}


def check(plan: Tournament) -> None:
    """Raises OptionError, UnknownGameError, UnknownPlayerError or CheckpointError for what cannot be played."""
    players = plan.players
    if len(players) < 2 or len(set(players)) < len(players):
        raise OptionError(f"players are {', '.join(players) or 'none'}; needed: two or more different ones")
    if not plan.tables or len(set(plan.tables)) < len(plan.tables):
        raise OptionError(f"tables are {plan.tables}; needed: one or more different sizes")
    for name, low, high in (("deals", 1, MOST_DEALS), ("mixed", 1, 1 << 16), ("chunk", 1, 1 << 16), ("seed", 0, LARGEST_SEED)):
        whole_number(name, getattr(plan, name), low, high)
    for game in games_of(plan).values():
        for name in players:
            agent(game, name)


# -- playing -----------------------------------------------------------------------------------------------------------


@cache
def _players(plan: Tournament, table: int) -> tuple[Game, list[Any]]:
    """The game and the players of a table; one set a process."""
    game = games_of(plan)[table]
    return game, [agent(game, name) for name in plan.players]


def play_chunk(plan: Tournament, chunk: Chunk) -> Outcomes:
    """What happens in a chunk depends on its deals and line-up alone."""
    game, players = _players(plan, len(chunk.line_up))
    return play(game, [players[i] for i in chunk.line_up], range(chunk.first, chunk.first + chunk.deals), plan.seed)


def replay_of(plan: Tournament, line_up: Sequence[str], deal: int, rotation: int) -> Replay:
    """A match of the tournament, played again: what these players (one a seat, in the order of the line-up) did on that deal.

    Raises OptionError or UnknownPlayerError for players or a deal that are not the tournament's.
    """
    if len(line_up) not in plan.tables or not set(line_up) <= set(plan.players):
        raise OptionError(f"no line-up {shown(list(line_up))}; there are tables of {plan.tables} for {', '.join(plan.players)}")
    game, players = _players(plan, len(line_up))
    whole_number("deal", deal, 0, plan.deals - 1)
    return replay(game, [players[plan.players.index(name)] for name in line_up], deal, rotation, plan.seed)


# -- the folder --------------------------------------------------------------------------------------------------------


def learned(plan: Tournament) -> dict[str, str]:
    """SHA-256 of the weights of each player that has learned: under the same name it may have learned on."""
    game = games_of(plan)[plan.tables[0]]
    return {name: found for name in plan.players if (found := agent(game, name).learned) is not None}


class Folder:
    """A tournament's folder: what is played, and a sealed folder for each chunk that has been. One process at a time."""

    def __init__(self, plan: Tournament, path: Path) -> None:
        """Make the folder, or see that it holds this tournament, and clear what killed writes have left.

        Raises CheckpointError, BusyError, or OSError if nothing can be written there.
        """
        self.path, self.chunks = path, path / CHUNKS
        wanted = {"kind": KIND, "schema": SCHEMA, **plan.identity(), "learned": learned(plan)}
        self._seal = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()
        self._games = games_of(plan)
        path.mkdir(parents=True, exist_ok=True)
        check_writable_folder(path)
        self._lock = lock_folder(path)
        file = path / SETTINGS
        if os.path.lexists(file):
            self._compare(read_json(file), wanted)
        if os.path.lexists(self.chunks) and (self.chunks.is_symlink() or not self.chunks.is_dir()):
            raise CheckpointError(f"{self.chunks} is no folder; needed: the folder of the chunks that have been played")
        self.chunks.mkdir(exist_ok=True)
        for folder in (path, self.chunks):
            clear_leftovers(folder)
        if not os.path.lexists(file):
            write_text(file, json.dumps(wanted, indent=1))

    def _compare(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        for key, value in wanted.items():
            if found.get(key) != value:
                raise CheckpointError(
                    f"{self.path} holds another tournament: its {key} is {shown(found.get(key))}, not {shown(value)}"
                )

    def _about(self, chunk: Chunk) -> dict[str, Any]:
        """What a chunk's manifest says of it."""
        return {"tournament": self._seal, "chunk": chunk.name, "deals": chunk.deals}

    def save(self, chunk: Chunk, record: Outcomes) -> None:
        """Whole or not at all."""
        numbers = np.array([record.decisions, record.truncated])
        arrays = {"points": record.points, "wins": record.wins, "counts": record.counts, "numbers": numbers}
        manifest = {"kind": CHUNK_KIND, "schema": SCHEMA, **self._about(chunk)}
        write_sealed(self.chunks / chunk.name, {OUTCOMES: pack(arrays)}, manifest)

    def load(self, chunk: Chunk) -> Outcomes | None:
        """None if it has not been played. Raises CheckpointError if it is not what was saved."""
        path = self.chunks / chunk.name
        if not os.path.lexists(path):
            return None
        try:
            if path.is_symlink():
                raise CheckpointError(f"{path} is a link; needed: a folder")
            manifest = read_manifest(path, CHUNK_KIND, SCHEMA)
            if any(manifest.get(key) != value for key, value in self._about(chunk).items()):
                raise CheckpointError(f"{path} holds another chunk than its name says, or another tournament's")
            return self._outcomes(chunk, unpack(read_file(path, OUTCOMES, manifest), path / OUTCOMES), path)
        except CheckpointError as error:
            raise CheckpointError(f"{error}; delete {path} to play its deals anew") from None

    def _outcomes(self, chunk: Chunk, arrays: dict[str, np.ndarray], path: Path) -> Outcomes:
        """Raises CheckpointError for arrays that no play of these deals can have left."""
        n, deals = len(chunk.line_up), chunk.deals
        game = self._games[n]
        several, whole = ((deals, n, n), np.float64), np.int64
        needed = {
            "points": several, "wins": several, "counts": ((deals, n, game.tallies), whole), "numbers": ((2,), whole),
        }  # fmt: skip
        if {name: (array.shape, array.dtype.type) for name, array in arrays.items()} != needed:
            raise CheckpointError(f"{path} does not hold the {deals} deals of this chunk")
        points, wins, counts, numbers = (arrays[name] for name in needed)
        decisions, truncated = (int(number) for number in numbers)
        most = deals * n * game.max_decisions
        for name, fits in {
            "points": bool(np.all(np.abs(points) < FARTHEST)),
            "wins": bool(np.all((wins >= 0) & (wins <= 1)) and np.allclose(wins.sum(axis=2), 1)),
            "counts": bool(np.all((counts >= 0) & (counts < FARTHEST))),
            "numbers": 0 <= truncated <= deals * n <= decisions <= most,
        }.items():
            if not fits:
                raise CheckpointError(f"{path} holds {name} that no match can have")
        return Outcomes(points, wins, counts, decisions, truncated)


# -- playing all of it -------------------------------------------------------------------------------------------------


def tournament(
    plan: Tournament, folder: Path | None = None, workers: int = 1, told: Callable[[int, int], None] = lambda done, all_: None
) -> Standings:
    """Play what has not been played yet and sum up. `told` hears how many chunks are done, of how many.

    Raises a PirateError for a plan or a folder that does not fit or is in use, OSError for one that cannot be written.
    """
    check(plan)
    workers = whole_number("workers", workers, 1, MOST_WORKERS)
    chunks = chunks_of(plan)
    outcomes: dict[Chunk, Outcomes] = {}
    kept = None if folder is None else Folder(plan, folder)
    if kept is not None:
        outcomes = {chunk: found for chunk in chunks if (found := kept.load(chunk)) is not None}
    told(len(outcomes), len(chunks))
    missing = [chunk for chunk in chunks if chunk not in outcomes]
    for chunk, found in arena_workers.results(partial(play_chunk, plan), missing, workers):
        if kept is not None:
            kept.save(chunk, found)
        outcomes[chunk] = found
        told(len(outcomes), len(chunks))
    by_line_up: dict[tuple[int, ...], list[Outcomes]] = {}
    for chunk in chunks:
        by_line_up.setdefault(chunk.line_up, []).append(outcomes[chunk])
    return standings(next(iter(games_of(plan).values())), plan.players, by_line_up)
