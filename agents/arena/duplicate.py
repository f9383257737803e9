"""Duplicate matches: every deal is replayed with the line-up rotated through every seat.

The deal is the unit of all intervals: they are 95 % percentile bootstraps over the deals' means.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, interval, measures, ratio
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.player import Agent, check_made_for, decisions_of
from pirate_envs.agents.report import text_table
from pirate_envs.core import bits, rng
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.options import whole_number
from pirate_envs.core.record import TRUNCATED
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.replay import Replay
from pirate_envs.engine.seating import UNIFORM, UNIT32

FIRST_DEAL = 1 << 63  # evaluation deals have match seeds of their own, apart from those that training starts from
MOST_DEALS, LARGEST_SEED = 1 << 20, (1 << 31) - 1
BATCH = 8192
FIGURES = {"win_share": "win share", "score": "score", "margin": "margin to the field", "rank": "mean rank"}


@dataclass(frozen=True)
class Evaluation:
    """What a line-up of players did over duplicate deals."""

    game: str
    options: dict[str, Any]
    line_up: list[str]
    deals: int
    matches: int
    seed: int
    figures: dict[str, dict[str, Interval]]
    """Player -> win_share, score, margin, rank, then the game's own figures, but for those that nothing was counted for.

    The others are one row a name; 'NAME (field)' if it is the first's too.
    """
    truncated: int
    """Matches that were cut off by the bound on their length."""
    decisions: int
    seconds: float

    def first(self) -> dict[str, Interval]:
        """The figures of the line-up's first player."""
        return next(iter(self.figures.values()))

    def table(self) -> str:
        """As text: how the players did, then the game's own figures."""
        own = dict.fromkeys(key for figures in self.figures.values() for key in figures if key not in FIGURES)
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        count = f"{self.deals:,} deals x {len(self.line_up)} rotations = {self.matches:,} matches"
        head = f"{self.game} ({options}): {count}, seed {self.seed}"
        speed = f"{self.decisions:,} decisions in {self.seconds:.1f} s = {self.decisions / self.seconds:,.0f} decisions/s"
        blocks = [head, self._block(FIGURES), *([self._block(dict(zip(own, own, strict=True)))] if own else []), speed]
        return "\n".join(blocks)

    def _block(self, columns: Mapping[str, str]) -> str:
        """One line a player; `columns`: figure -> heading."""
        rows: list[tuple[str, ...]] = [("player", *columns.values())]
        rows += [(name, *(str(figures.get(key, "-")) for key in columns)) for name, figures in self.figures.items()]
        return text_table(rows)

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {**dataclasses.asdict(self), "decisions_per_second": self.decisions / self.seconds}


Told = Callable[[int, int], None]
"""Hears how many chunks are done, of how many."""


def untold(done: int, of: int) -> None:
    """Nobody is told."""


def evaluate(
    game: Game,
    players: Sequence[Agent],
    deals: int = 2000,
    seed: int = 0,
    workers: int | Workers = 1,
    chunk: int | None = None,
    told: Told = untold,
) -> Evaluation:
    """Play `deals` deals in every rotation of the line-up (one player a seat).

    `chunk`: the deals that a worker plays at once; none given: 8,192 matches. With the same chunk the figures are the same
    whoever plays them. Deterministic but for the time it takes. Raises OptionError for a line-up, number of deals, seed or
    chunk that does not fit, and what workers raise (`Workers.check`).
    """
    check_line_up(game, players)
    deals, seed = whole_number("deals", deals, 1, MOST_DEALS), whole_number("seed", seed, 0, LARGEST_SEED)
    if chunk is not None:
        chunk = whole_number("chunk", chunk, 1, MOST_DEALS)
    start = time.perf_counter()
    parts = split(range(deals), chunk or at_once(game))
    with Workers.of(workers).doing(Deals(game, tuple(players), seed)) as do:
        record = joined(do.in_order(parts, lambda done: told(done, len(parts))))
    return summed_up(game, players, seed, record, time.perf_counter() - start)


def check_line_up(game: Game, players: Sequence[Agent]) -> None:
    """Raise OptionError unless there is a player for every seat, each made for this game with as many seats or for any."""
    if len(players) != game.players:
        raise OptionError(f"the line-up has {len(players)} players; {game.id} is set for players={game.players}")
    for player in players:
        if not isinstance(player, Agent):
            raise OptionError(f"the line-up holds {shown(player)}; allowed: players, as `agent(game, name)` makes them")
        check_made_for(game, player)


def summed_up(game: Game, players: Sequence[Agent], seed: int, record: Outcomes, seconds: float) -> Evaluation:
    """What a line-up's matches say."""
    return Evaluation(
        game=game.id,
        options=game.options.changed(),
        line_up=[player.name for player in players],
        deals=len(record.points),
        matches=len(record.points) * game.players,
        seed=seed,
        figures=_figures(game, [player.name for player in players], record),
        truncated=record.truncated,
        decisions=record.decisions,
        seconds=seconds,
    )


def versus(game: Game, one: Agent, field: Agent, deals: int = 2000, seed: int = 0, **how: Any) -> Evaluation:
    """`one` on one seat against `field` on all others; see `evaluate`, which is told `how` too."""
    return evaluate(game, [one, *[field] * (game.players - 1)], deals, seed, **how)


@dataclass(frozen=True)
class Outcomes:
    """How the matches of a line-up of n players came out, by deal, rotation and place in the line-up."""

    points: np.ndarray
    """float64, (deals, n, n)."""
    wins: np.ndarray
    """Win shares, float64, (deals, n, n)."""
    counts: np.ndarray
    """What the game's figures are made of, summed over the rotations, int64, (deals, n, tallies)."""
    decisions: int
    truncated: int


@dataclass(frozen=True)
class Deals:
    """A line-up that plays deals in every rotation: work for a worker, whose chunks are ranges of deals."""

    game: Game
    players: tuple[Agent, ...]
    seed: int

    def __call__(self, deals: range) -> Outcomes:
        return play(self.game, self.players, deals, self.seed)


def at_once(game: Game) -> int:
    """How many deals make a batch of matches of a good size."""
    return max(1, BATCH // game.players)


def split(deals: range, size: int) -> list[range]:
    """The deals in parts of this size, the last one perhaps smaller."""
    return [deals[at : at + size] for at in range(0, len(deals), size)]


def joined(parts: Sequence[Outcomes]) -> Outcomes:
    """The outcomes of one line-up's deals, part after part."""
    points, wins, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("points", "wins", "counts"))
    return Outcomes(points, wins, counts, sum(part.decisions for part in parts), sum(part.truncated for part in parts))


def play(game: Game, players: Sequence[Agent], deals: range, seed: int) -> Outcomes:
    """Play these deals in every rotation of the line-up. Raises OptionError for a line-up that does not fit."""
    check_line_up(game, players)
    return joined([_play(game, players, part, seed) for part in split(deals, at_once(game))])


def _play(game: Game, players: Sequence[Agent], deals: range, seed: int) -> Outcomes:
    n = game.players
    outside = [player for player in dict.fromkeys(players) if player.role is None]
    lanes = Lanes(game, len(deals) * n, observations=bool(outside), counts=True)
    roles = np.array([lanes.compiled_roles + outside.index(p) if p.role is None else p.role for p in players], np.int16)
    # In rotation r the player at place p of the line-up sits on seat (p + r) % n.
    seat_of = (np.arange(n)[None, :] + np.arange(n)[:, None]) % n
    seated = np.empty((n, n), np.int16)
    np.put_along_axis(seated, seat_of, np.broadcast_to(roles, (n, n)), axis=1)
    seeds = np.uint64(FIRST_DEAL + (seed << 32)) + np.repeat(np.arange(deals.start, deals.stop, dtype=np.uint64), n)
    lanes.play_matches(seeds, np.tile(seated, (len(deals), 1)), np.tile(np.arange(n), len(deals)), outside)
    shape = (len(deals), n, n)
    points = lanes.ledger["points"][:, :n].reshape(shape).astype(float)
    won = (lanes.ledger["winners"][:, None] >> np.arange(n) & 1).reshape(shape).astype(float)
    counts = lanes.counts.reshape(*shape, -1)
    by_place = np.broadcast_to(seat_of, shape)
    return Outcomes(
        points=np.take_along_axis(points, by_place, axis=2),
        wins=np.take_along_axis(won / won.sum(axis=2, keepdims=True), by_place, axis=2),
        counts=np.take_along_axis(counts, by_place[..., None], axis=2).sum(axis=1),
        decisions=int(lanes.records["decisions"].sum()),
        truncated=int((lanes.records["over"] == TRUNCATED).sum()),
    )


def replay(game: Game, players: Sequence[Agent], deal: int, rotation: int, seed: int = 0) -> Replay:
    """The match of a deal and rotation of this line-up, played again as `evaluate` and `play` do, to save or to show.

    The player at place p of the line-up sits on seat (p + rotation) % n. A player by the clock may decide otherwise
    than it did. Raises OptionError for a line-up, deal, rotation or seed that does not fit.
    """
    check_line_up(game, players)
    n = game.players
    deal, rotation = whole_number("deal", deal, 0, MOST_DEALS - 1), whole_number("rotation", rotation, 0, n - 1)
    match_seed = FIRST_DEAL + (whole_number("seed", seed, 0, LARGEST_SEED) << 32) + deal
    g, gen, names = game.new(match_seed), np.zeros(4, np.uint32), []
    rng.key(gen, *rng.seed_words(match_seed), rng.branch(rng.Stream.LANE, rotation))
    while not game.is_over(g):
        player = players[(game.seat_to_move(g) - rotation) % n]
        if player.role == UNIFORM:
            action = int(bits.draw(game.mask_words(g), gen))
        elif player.role is not None:
            action = game.rule_action(g, player.role - 1)
        else:
            action = int(player.act(decisions_of(game, g, rng.next32(gen) / UNIT32))[0])
        names.append(game.action_name(g, action))
        game.apply(g, action)
    return Replay.of(game, match_seed, names)


def _figures(game: Game, names: Sequence[str], record: Outcomes) -> dict[str, dict[str, Interval]]:
    """The figures of the line-up's first player and of the others, by name."""
    places: dict[str, list[int]] = {names[0]: [0]}
    for place, name in enumerate(names[1:], 1):
        places.setdefault(name if name != names[0] else f"{name} (field)", []).append(place)
    measured = measures(record.points, record.wins)
    resampled = bootstrap_weights(len(record.points))
    figures = {}
    for name, where in places.items():
        counts = record.counts[:, where].sum(axis=1)
        own = {key: ratio(counts[:, over], counts[:, under], resampled) for key, (over, under) in game.figures.items()}
        figures[name] = {
            **{key: interval(values[:, :, where].mean(axis=(1, 2)), resampled) for key, values in measured.items()},
            **{key: figure for key, figure in own.items() if figure is not None},
        }
    return figures
