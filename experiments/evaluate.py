"""Duplicate evaluation: every deal is replayed with the line-up rotated through every seat.

    python -m experiments.evaluate skull_king random rules:strongest --deals 2000

puts the first player on one seat against the second on all others. The deal is the unit of all intervals: they are 95 %
percentile bootstraps over the deals' means.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from agents import Agent, agent
from experiments.command import run_command
from pirate_envs import load
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import write_text
from pirate_envs.core.game import TRUNCATED, Game
from pirate_envs.engine.lanes import SEATED, Lanes

FIRST_DEAL = 1 << 63  # evaluation deals have match seeds of their own, apart from those that training starts from
BATCH = 8192
RESAMPLES = 2000
FIGURES = {"win_share": "win share", "score": "score", "margin": "margin to the field", "rank": "mean rank"}


@dataclass(frozen=True)
class Figure:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.written(".3f")

    def written(self, form: str) -> str:
        """Each number in this format."""
        return f"{self.mean:{form}} [{self.low:{form}}, {self.high:{form}}]"

    def percent(self, sign: str = "") -> str:
        """As a share; `sign` as in formats."""
        return self.written(f"{sign}.1%")


@dataclass(frozen=True)
class Evaluation:
    """What a line-up of players did over duplicate deals."""

    game: str
    options: dict[str, Any]
    line_up: list[str]
    deals: int
    matches: int
    seed: int
    figures: dict[str, dict[str, Figure]]
    """Player -> win_share, score, margin, rank, then the game's own figures, but for those that nothing was counted for.

    The others are one row a name; 'NAME (field)' if it is the first's too.
    """
    truncated: int
    """Matches that were cut off by the bound on their length."""
    decisions: int
    seconds: float

    def first(self) -> dict[str, Figure]:
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
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {**dataclasses.asdict(self), "decisions_per_second": self.decisions / self.seconds}


def evaluate(game: Game, players: Sequence[Agent], deals: int = 2000, seed: int = 0) -> Evaluation:
    """Play `deals` deals in every rotation of the line-up (one player a seat).

    Deterministic but for the time it takes. Raises OptionError for a line-up, number of deals or seed that does not fit.
    """
    if len(players) != game.players:
        raise OptionError(f"the line-up has {len(players)} players; {game.id} is set for players={game.players}")
    if isinstance(deals, bool) or not isinstance(deals, (int, np.integer)) or not 1 <= deals <= 1 << 24:
        raise OptionError(f"deals is {deals!r}; allowed: an integer from 1 to {1 << 24}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 1 << 31:
        raise OptionError(f"seed is {seed!r}; allowed: an integer from 0 to {(1 << 31) - 1}")
    start = time.perf_counter()
    record = play(game, players, range(deals), int(seed))
    return Evaluation(
        game=game.id,
        options=game.options.changed(),
        line_up=[player.name for player in players],
        deals=int(deals),
        matches=int(deals) * game.players,
        seed=int(seed),
        figures=_figures(game, [player.name for player in players], record),
        truncated=record.truncated,
        decisions=record.decisions,
        seconds=time.perf_counter() - start,
    )


def versus(game: Game, one: Agent, field: Agent, deals: int = 2000, seed: int = 0) -> Evaluation:
    """`one` on one seat against `field` on all others; see `evaluate`."""
    return evaluate(game, [one, *[field] * (game.players - 1)], deals, seed)


@dataclass(frozen=True)
class Record:
    """How the matches of a line-up of n players came out, by deal, rotation and place in the line-up."""

    points: np.ndarray
    """float64, (deals, n, n)."""
    wins: np.ndarray
    """Win shares, float64, (deals, n, n)."""
    counts: np.ndarray
    """What the game's figures are made of, summed over the rotations, int64, (deals, n, tallies)."""
    decisions: int
    truncated: int


def play(game: Game, players: Sequence[Agent], deals: range, seed: int) -> Record:
    """Play these deals in every rotation of the line-up."""
    at_once = max(1, BATCH // game.players)
    parts = [_play(game, players, deals[i : i + at_once], seed) for i in range(0, len(deals), at_once)]
    arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in ("points", "wins", "counts"))
    points, wins, counts = arrays
    decisions, truncated = (sum(getattr(part, name) for part in parts) for name in ("decisions", "truncated"))
    return Record(points, wins, counts, decisions, truncated)


def _play(game: Game, players: Sequence[Agent], deals: range, seed: int) -> Record:
    n = game.players
    outside = [player for player in dict.fromkeys(players) if player.role is None]
    lanes = Lanes(game, len(deals) * n, observations=bool(outside), counts=True)
    lanes.outside = list(outside)
    roles = np.array([lanes.inside + outside.index(p) if p.role is None else p.role for p in players], np.int16)
    # In rotation r the player at place p of the line-up sits on seat (p + r) % n.
    seat_of = (np.arange(n)[None, :] + np.arange(n)[:, None]) % n
    seated = np.empty((n, n), np.int16)
    np.put_along_axis(seated, seat_of, np.broadcast_to(roles, (n, n)), axis=1)
    seeds = np.uint64(FIRST_DEAL + (seed << 32)) + np.repeat(np.arange(deals.start, deals.stop, dtype=np.uint64), n)
    lanes.start_matches(seeds, np.tile(seated, (len(deals), 1)), np.tile(np.arange(n), len(deals)))
    lanes.settle(SEATED, again=False)
    shape = (len(deals), n, n)
    points = lanes.lanes["points"][:, :n].reshape(shape).astype(float)
    won = (lanes.lanes["winners"][:, None] >> np.arange(n) & 1).reshape(shape).astype(float)
    counts = lanes.counts.reshape(*shape, -1)
    by_place = np.broadcast_to(seat_of, shape)
    return Record(
        points=np.take_along_axis(points, by_place, axis=2),
        wins=np.take_along_axis(won / won.sum(axis=2, keepdims=True), by_place, axis=2),
        counts=np.take_along_axis(counts, by_place[..., None], axis=2).sum(axis=1),
        decisions=int(lanes.records["decisions"].sum()),
        truncated=int((lanes.records["over"] == TRUNCATED).sum()),
    )


def _figures(game: Game, names: Sequence[str], record: Record) -> dict[str, dict[str, Figure]]:
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


def measures(points: np.ndarray, wins: np.ndarray) -> dict[str, np.ndarray]:
    """Figure -> its value by match and place; points and win shares have shape (..., n)."""
    above = (points[..., None, :] > points[..., :, None]).sum(-1)
    level = (points[..., None, :] == points[..., :, None]).sum(-1)
    others = points.sum(-1, keepdims=True) - points
    return {
        "win_share": wins,
        "score": points,
        "margin": points - others / (points.shape[-1] - 1),
        "rank": above + (level + 1) / 2,
    }


@lru_cache(maxsize=2)
def bootstrap_weights(deals: int, resamples: int = RESAMPLES) -> np.ndarray:
    """How often each deal is drawn in each resample, int32, shape (resamples, deals); the same every time."""
    generator = np.random.default_rng(0)
    rows = [np.bincount(generator.integers(0, deals, deals), minlength=deals) for _ in range(resamples)]
    return np.array(rows, np.int32)


def interval(values: np.ndarray, weights: np.ndarray) -> Figure:
    """Mean over deals (float64, (deals,)) and the 2.5 % and 97.5 % points of its bootstrap distribution."""
    means = weights @ values / len(values)
    low, high = np.percentile(means, [2.5, 97.5])
    return Figure(float(values.mean()), float(low), float(high))


def ratio(over: np.ndarray, under: np.ndarray, weights: np.ndarray) -> Figure | None:
    """The sum of one count by that of another, (deals,) each, with its bootstrap interval; None where nothing was counted."""
    if under.sum() == 0:
        return None
    below = weights @ under
    low, high = np.percentile((weights @ over)[below > 0] / below[below > 0], [2.5, 97.5])
    return Figure(float(over.sum() / under.sum()), float(low), float(high))


# -- the command -------------------------------------------------------------------------------------------------------


@dataclass
class Settings:
    """Compare players over duplicate deals with every seat rotation."""

    game: Annotated[str, tyro.conf.Positional]
    """name of the game"""
    line_up: Annotated[tuple[str, ...], tyro.conf.Positional]
    """players: random, rules:NAME, search:..., exact:..., policy:FOLDER; two names: the first against a field of the second"""
    deals: int = 2000
    """deals, each played in every rotation"""
    players: int = 4
    """seats at the table"""
    seed: int = 0
    """which deals"""
    options: tuple[str, ...] = ()
    """further options of the game, as name=value with a JSON value"""
    out: Path | None = None
    """write the result as JSON into this file"""


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """Game options from name=value strings; a value that is no JSON is taken as text. Raises OptionError."""
    options = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise OptionError(f"option {pair!r} is not of the form name=value")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def seats_for(line_up: Sequence[str], players: int) -> list[str]:
    """One name a seat. Raises OptionError."""
    if len(line_up) == players:
        return list(line_up)
    if len(line_up) == 2:
        return [line_up[0], *[line_up[1]] * (players - 1)]
    raise OptionError(f"the line-up has {len(line_up)} players; allowed: 2, or {players} for players={players}")


def main(settings: Settings) -> Evaluation:
    """Evaluate, print the table, write the JSON."""
    game = load(settings.game, players=settings.players, **parse_options(settings.options))
    names = seats_for(settings.line_up, game.players)
    by_name = {name: agent(game, name) for name in dict.fromkeys(names)}
    result = evaluate(game, [by_name[name] for name in names], settings.deals, settings.seed)
    print(result.table())
    if settings.out:
        write_text(settings.out, json.dumps(result.as_dict(), indent=1))
    return result


if __name__ == "__main__":
    run_command(main, Settings)
