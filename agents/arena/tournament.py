"""Tournaments: any players against each other, at tables of one size or several.

    >>> from pirate_envs.agents.arena import Tournament, tournament
    >>> result = tournament(Tournament("skull_king", ("random", "rules:simple"), tables=(2,), deals=5))
    >>> result.matches
    10

Every deal is played by every line-up, in every rotation of the seats. Two kinds of line-ups: one player among copies of
another, for each ordered pair (the payoff matrix), and mixed ones (ratings and all other figures). With a folder, what has
been played lies there as chunks, and the same tournament goes on where it was interrupted, or to more deals. Several processes
may share the folder, on one machine or on several: each claims the chunks that it plays. With any workers the results are the
same, but for players that think for a time instead of a number of iterations.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, Outcomes, Told, joined, play, replay, untold
from pirate_envs.agents.arena.standings import LineUp, Standings, standings
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.names import agent
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sealed import pack, read_file, read_json, read_manifest, unpack, write_sealed
from pirate_envs.core.errors import CheckpointError, OptionError, shown
from pirate_envs.core.files import check_writable_folder, claims_in, clear_leftovers, write_text
from pirate_envs.core.game import Game
from pirate_envs.core.options import parse_options, whole_number
from pirate_envs.engine.replay import Replay
from pirate_envs.games import load

KIND, SCHEMA = "tournament", 1
SETTINGS, CHUNKS, CLAIMS = "tournament.json", "chunks", "claims"
CHUNK_KIND, CHUNK_SCHEMA, OUTCOMES = "tournament chunk", 2, "outcomes.safetensors"
FARTHEST = 1 << 31  # from 0, of a player's points
LOOK_AGAIN = 0.5  # seconds between looks at the chunks that other processes play
MOST_SHARDS = 1 << 16
Enough = Callable[[Outcomes], bool]
"""Whether a line-up needs no more deals than those of which this came."""


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
    """mixed line-ups at each size of table, at most; 0: only one player among copies of another"""
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
    different: dict[tuple[int, ...], tuple[int, ...]] = {}
    for line_up in duels + tables:
        different.setdefault(_turned(line_up), line_up)
    return list(different.values())


def _turned(line_up: tuple[int, ...]) -> tuple[int, ...]:
    """The same for all line-ups that are each other's rotations: they play the same matches."""
    return min(line_up[at:] + line_up[:at] for at in range(len(line_up)))


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


class Seated(NamedTuple):
    """The game at tables of one size, and all players of the tournament."""

    game: Game
    players: tuple[Agent, ...]


def seated(plan: Tournament) -> dict[int, Seated]:
    """Games and players for each size of table.

    Raises OptionError, UnknownGameError, UnknownPlayerError or CheckpointError for what cannot be played.
    """
    players = plan.players
    if len(players) < 2 or len(set(players)) < len(players):
        raise OptionError(f"players are {', '.join(players) or 'none'}; needed: two or more different ones")
    if not plan.tables or len(set(plan.tables)) < len(plan.tables):
        raise OptionError(f"tables are {plan.tables}; needed: one or more different sizes")
    for name, low, high in (("deals", 1, MOST_DEALS), ("mixed", 0, 1 << 16), ("chunk", 1, 1 << 16), ("seed", 0, LARGEST_SEED)):
        whole_number(name, getattr(plan, name), low, high)
    return {n: Seated(game, tuple(agent(game, name) for name in players)) for n, game in games_of(plan).items()}


class Shard(NamedTuple):
    """A part of a tournament's chunks: every `of`-th, from the `number`-th on, counted from 1."""

    number: int = 1
    of: int = 1

    @classmethod
    def named(cls, text: str) -> Shard:
        """From 'i/n'. Raises OptionError."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        shard = cls(*map(int, found.groups())) if found else cls(0, 0)
        if not 1 <= shard.number <= shard.of <= MOST_SHARDS:
            raise OptionError(f"shard is {shown(text)}; needed: i/n with i from 1 to n and n up to {MOST_SHARDS}, as 2/8")
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE_PLAN = Shard()


# -- playing -----------------------------------------------------------------------------------------------------------


def play_chunk(tables: Mapping[int, Seated], seed: int, chunk: Chunk) -> Outcomes:
    """What happens in a chunk depends on its deals and line-up alone."""
    game, players = tables[len(chunk.line_up)]
    return play(game, [players[i] for i in chunk.line_up], range(chunk.first, chunk.first + chunk.deals), seed)


def replay_of(plan: Tournament, line_up: Sequence[str], deal: int, rotation: int) -> Replay:
    """A match of the tournament, played again: what these players (one a seat, in the order of the line-up) did on that deal.

    Raises OptionError or UnknownPlayerError for players or a deal that are not the tournament's.
    """
    if len(line_up) not in plan.tables or not set(line_up) <= set(plan.players):
        raise OptionError(f"no line-up {shown(list(line_up))}; there are tables of {plan.tables} for {', '.join(plan.players)}")
    game, players = seated(plan)[len(line_up)]
    whole_number("deal", deal, 0, plan.deals - 1)
    return replay(game, [players[plan.players.index(name)] for name in line_up], deal, rotation, plan.seed)


# -- the folder --------------------------------------------------------------------------------------------------------


class Folder:
    """A tournament's folder: what is played, and a sealed folder for each chunk that has been. Processes may share it."""

    def __init__(self, plan: Tournament, path: Path, tables: Mapping[int, Seated]) -> None:
        """Make the folder, or see that it holds this tournament or fewer deals of it, and clear what killed writes have left.

        Raises CheckpointError, or OSError if nothing can be written there.
        """
        self._begin(plan, path, tables)
        path.mkdir(parents=True, exist_ok=True)
        check_writable_folder(path)
        self._claims = claims_in(path / CLAIMS)
        with self._claims.entering() as alone:
            known = self._look(written=os.path.lexists(path / SETTINGS))
            self.chunks.mkdir(exist_ok=True)
            if alone:
                for folder in (path, self.chunks):
                    clear_leftovers(folder)
            if known < plan.deals:
                write_text(path / SETTINGS, json.dumps(self._wanted, indent=1))

    @classmethod
    def to_read(cls, plan: Tournament, path: Path, tables: Mapping[int, Seated]) -> Folder:
        """A folder that is there, to be read alone. Raises CheckpointError."""
        folder = cls.__new__(cls)
        folder._begin(plan, path, tables)
        folder._look(written=True)
        return folder

    def _begin(self, plan: Tournament, path: Path, tables: Mapping[int, Seated]) -> None:
        self.path, self.chunks = path, path / CHUNKS
        # Under the same name a policy may have learned on.
        players = zip(plan.players, tables[plan.tables[0]].players, strict=True)
        learned = {name: player.learned for name, player in players if player.learned is not None}
        self._wanted = {"kind": KIND, "schema": SCHEMA, **plan.identity(), "learned": learned}
        of_any_deals = {key: value for key, value in self._wanted.items() if key != "deals"}
        self._seal = hashlib.sha256(json.dumps(of_any_deals, sort_keys=True).encode()).hexdigest()
        self._games = {n: table.game for n, table in tables.items()}
        self._mine: set[int] = set()  # chunks that are claimed
        self._numbers = {chunk: number for number, chunk in enumerate(chunks_of(plan))}

    def _look(self, *, written: bool) -> int:
        """How many deals the folder was made for; 0: it is none yet. Raises CheckpointError if it is another tournament's."""
        deals = self._compare(read_json(self.path / SETTINGS)) if written else 0
        if os.path.lexists(self.chunks) and (self.chunks.is_symlink() or not self.chunks.is_dir()):
            raise CheckpointError(f"{self.chunks} is no folder; needed: the folder of the chunks that have been played")
        return deals

    def claimed(self, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """Of these chunks those that nobody has played or plays, each claimed when it is asked for."""
        for chunk in chunks:
            number = self._numbers[chunk]
            if self._claims.take(number):
                if self.load(chunk) is not None:  # played since
                    self._claims.give_back(number)
                else:
                    self._mine.add(number)
                    yield chunk

    def give_up(self) -> None:
        """Give back the claims to what this object has not saved."""
        while self._mine:
            self._claims.give_back(self._mine.pop())

    def _compare(self, found: dict[str, Any]) -> int:
        deals = found.get("deals")
        fewer = isinstance(deals, int) and 0 < deals <= self._wanted["deals"]
        for key, value in self._wanted.items():
            if found.get(key) != value and not (key == "deals" and fewer):
                raise CheckpointError(
                    f"{self.path} holds another tournament: its {key} is {shown(found.get(key))}, not {shown(value)}"
                )
        return int(deals)  # type: ignore[arg-type]

    def _about(self, chunk: Chunk) -> dict[str, Any]:
        """What a chunk's manifest says of it, beside its number of deals."""
        return {"tournament": self._seal, "chunk": chunk.name}

    def save(self, chunk: Chunk, record: Outcomes) -> None:
        """Whole or not at all; the claim is given back."""
        numbers = np.array([record.decisions, record.truncated])
        arrays = {"points": record.points, "wins": record.wins, "counts": record.counts, "numbers": numbers}
        manifest = {"kind": CHUNK_KIND, "schema": CHUNK_SCHEMA, "deals": chunk.deals, **self._about(chunk)}
        if self.load(chunk) is None:  # what may be there has fewer deals
            shutil.rmtree(self.chunks / chunk.name, ignore_errors=True)
        try:
            write_sealed(self.chunks / chunk.name, {OUTCOMES: pack(arrays)}, manifest)
        except (CheckpointError, OSError):
            if self.load(chunk) is None:  # else: where no locks are known, another process was faster
                raise
        number = self._numbers[chunk]
        self._mine.discard(number)
        self._claims.give_back(number)

    def load(self, chunk: Chunk) -> Outcomes | None:
        """None if it has not been played, or not all of its deals. Raises CheckpointError if it is not what was saved."""
        path = self.chunks / chunk.name
        if not os.path.lexists(path):
            return None
        try:
            if path.is_symlink():
                raise CheckpointError(f"{path} is a link; needed: a folder")
            manifest = read_manifest(path, CHUNK_KIND, CHUNK_SCHEMA)
            deals = manifest.get("deals")
            ours = all(manifest.get(key) == value for key, value in self._about(chunk).items())
            if not ours or not isinstance(deals, int) or not 0 < deals <= chunk.deals:
                raise CheckpointError(f"{path} holds another chunk than its name says, or another tournament's")
            if deals < chunk.deals:
                return None
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
            "counts": bool(np.all((counts > -FARTHEST) & (counts < FARTHEST))),  # points among them
            "numbers": 0 <= truncated <= deals * n <= decisions <= most,
        }.items():
            if not fits:
                raise CheckpointError(f"{path} holds {name} that no match can have")
        return Outcomes(points, wins, counts, decisions, truncated)


# -- playing all of it -------------------------------------------------------------------------------------------------


def tournament(plan: Tournament, folder: Path | None = None, workers: int | Workers = 1, told: Told = untold) -> Standings:
    """Play what has not been played yet and sum up. `told` hears how many chunks are done, of how many.

    What other processes play in the folder meanwhile is waited for. Raises a PirateError for a plan, a folder or workers
    that do not fit, OSError for a folder that cannot be written.
    """
    tables = seated(plan)
    return _standings(plan, tables, _played(plan, tables, folder, WHOLE_PLAN, workers, told))


def play_until(
    plan: Tournament, folder: Path, enough: Enough | None, workers: int | Workers = 1, told: Told = untold
) -> dict[LineUp, Outcomes]:
    """Play the deals of each line-up in their order until those that it has played are `enough`; returns what came of these.

    That is asked after each chunk, of all up to it, so that what a folder holds beyond, or who played it, changes nothing. With
    None all deals are played. Raises as `tournament` does.
    """
    return _by_line_up(plan, _played(plan, seated(plan), folder, WHOLE_PLAN, workers, told, enough))


def play_shard(plan: Tournament, folder: Path, shard: Shard, workers: int | Workers = 1, told: Told = untold) -> int:
    """Play a part of it into a folder; returns the number of its chunks. Raises as `tournament` does."""
    return len(_played(plan, seated(plan), folder, shard, workers, told))


def gather(plan: Tournament, folders: Sequence[Path]) -> Standings:
    """Sum up what lies in these folders, and play nothing. Raises CheckpointError if a chunk is missing, and for others'."""
    tables = seated(plan)
    kept = [Folder.to_read(plan, folder, tables) for folder in folders]
    outcomes: dict[Chunk, Outcomes] = {}
    chunks = chunks_of(plan)
    for chunk in chunks:
        found = next((found for folder in kept if (found := folder.load(chunk)) is not None), None)
        if found is not None:
            outcomes[chunk] = found
    missing = [chunk.name for chunk in chunks if chunk not in outcomes]
    if missing:
        places = ", ".join(map(str, folders))
        raise CheckpointError(f"{len(missing)} of {len(chunks)} chunks are not in {places}; first: {missing[0]}")
    return _standings(plan, tables, outcomes)


def _played(
    plan: Tournament,
    tables: Mapping[int, Seated],
    folder: Path | None,
    shard: Shard,
    workers: int | Workers,
    told: Told,
    enough: Enough | None = None,
) -> dict[Chunk, Outcomes]:
    """The outcomes of a shard's chunks, or of as many as are enough: those that are there and those that are played now."""
    workers = Workers.of(workers).check()
    chunks = chunks_of(plan)[shard.number - 1 :: shard.of]
    kept = None if folder is None else Folder(plan, folder, tables)
    outcomes: dict[Chunk, Outcomes] = {}

    def look() -> list[Chunk]:
        """Load what has been played; returns what has not."""
        found = True
        while found:
            wanted = _wanted(chunks, outcomes, enough)
            missing = [chunk for chunk in wanted if chunk not in outcomes]
            there = {chunk: kept.load(chunk) for chunk in missing} if kept is not None else {}
            outcomes.update({chunk: loaded for chunk, loaded in there.items() if loaded is not None})
            found = enough is not None and any(loaded is not None for loaded in there.values())
        told(len(outcomes), len(wanted))
        return [chunk for chunk in wanted if chunk not in outcomes]

    missing = look()
    try:
        with workers.doing(partial(play_chunk, tables, plan.seed)) as do:
            while missing:
                for chunk, found in do(missing if kept is None else kept.claimed(missing)):
                    if kept is not None:
                        kept.save(chunk, found)
                    outcomes[chunk] = found
                    told(len(outcomes), len(chunks))
                before, missing = missing, look()
                if not set(missing).isdisjoint(before):  # others play them, or have died over them
                    time.sleep(LOOK_AGAIN)
    finally:
        if kept is not None:
            kept.give_up()
    return outcomes


def _wanted(chunks: Sequence[Chunk], outcomes: Mapping[Chunk, Outcomes], enough: Enough | None) -> Sequence[Chunk]:
    """All of them, or of each line-up the first that are enough; where that cannot be told yet, up to one not played."""
    if enough is None:
        return chunks
    wanted, parts, ended = [], defaultdict[LineUp, list[Outcomes]](list), set[LineUp]()
    for chunk in chunks:
        if chunk.line_up not in ended:
            wanted.append(chunk)
            if chunk in outcomes:
                parts[chunk.line_up].append(outcomes[chunk])
            if chunk not in outcomes or enough(joined(parts[chunk.line_up])):
                ended.add(chunk.line_up)
    return wanted


def _by_line_up(plan: Tournament, outcomes: Mapping[Chunk, Outcomes]) -> dict[LineUp, Outcomes]:
    parts = defaultdict[LineUp, list[Outcomes]](list)
    for chunk in chunks_of(plan):
        if chunk in outcomes:
            parts[chunk.line_up].append(outcomes[chunk])
    return {line_up: joined(several) for line_up, several in parts.items()}


def _standings(plan: Tournament, tables: Mapping[int, Seated], outcomes: Mapping[Chunk, Outcomes]) -> Standings:
    return standings(next(iter(tables.values())).game, plan.players, _by_line_up(plan, outcomes))
