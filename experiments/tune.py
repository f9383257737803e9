"""Tune the numbers of a game's strongest rule player by CMA-ES, and keep them if they win more on deals never seen before.

    python -m experiments.tune skull_king

The player sits on one seat against a mixed field: its old self, the weaker rule players, random ones, at tables of several
compositions and sizes. All candidates of a generation play the same deals in every seat rotation; every generation is dealt
anew. What comes out is the mean of the last generation's distribution, since the best of many noisy results is mostly lucky.

Old and new then play the same held-out deals. Only if the new numbers win more, with the whole 95 % interval of the gain above
zero (mean of all fields of full length) and no field in which they clearly lose more than half a percent, the game's
`weights.json` is written, whole or not at all. What was found and how it compared stands in experiments/results/tune_GAME.md
and .json either way.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import cma
import numpy as np
from tqdm import tqdm

from experiments.command import RESULTS, GameName, WorkerFlags, run_command
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import play, split
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, interval
from pirate_envs.agents.arena.workers import Doing, Workers
from pirate_envs.agents.baselines import Weighted
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.errors import OptionError, WeightsError
from pirate_envs.core.files import check_writable_file, check_writable_folder, write_text
from pirate_envs.core.game import Game
from pirate_envs.core.options import whole_number
from pirate_envs.core.weights import Weights

STRONGEST, RANDOM, SEARCH = "rules:strongest", "random", "search:flat:50:uniform"
MANY = 20  # with more numbers than this only their own variances are learned, not how they go together
AT_ONCE = 500  # held-out deals that a worker plays at once
DIGITS = 4  # of each number that is kept
MEAN = "mean of these"
LOSS = 0.005  # of the share of matches won, which may go in one field for a gain in others


@dataclass
class TuneSettings:
    """Tune the strongest rule player of GAME and compare it with what it was."""

    game: GameName
    """name of the game"""
    generations: int = 120
    """steps of the search"""
    population: int = 32
    """candidates in each"""
    deals: int = 40
    """deals that each candidate plays at every table, in all rotations"""
    sigma: float = 0.1
    """first standard deviation, as a share of each number"""
    margin: float = 1.0
    """what counts beside the share of matches won: the mean margin to the field, as a reward, times this; it varies less"""
    held_out: int = 4000
    """deals of the comparison, for each field"""
    search_deals: int = 400
    """deals of the comparison with players that search"""
    seed: int = 0
    """of the search, and which deals"""
    force: bool = False
    """write weights.json whatever the comparison says"""
    weights: Path | None = None
    """the file to write; none given: the game's own weights.json"""
    results: Path = RESULTS
    """folder for tune_GAME.json and tune_GAME.md"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays: a candidate is a chunk, and 500 deals of the comparison"""


def checked(settings: TuneSettings) -> TuneSettings:
    """The settings. Raises OptionError for a value out of range."""
    bounds = {
        "generations": (1, 100_000), "population": (4, 10_000), "deals": (1, 100_000), "held_out": (2, 1_000_000),
        "search_deals": (0, 1_000_000), "seed": (0, 2**30 - 1),
    }  # fmt: skip
    for name, (low, high) in bounds.items():
        whole_number(name, getattr(settings, name), low, high)
    if not 0 < settings.sigma <= 2:
        raise OptionError(f"sigma is {settings.sigma!r}; allowed: a number above 0, up to 2")
    if not 0 <= settings.margin <= 100:
        raise OptionError(f"margin is {settings.margin!r}; allowed: a number from 0 to 100")
    if settings.weights is not None and not settings.weights.parent.is_dir():
        raise OptionError(f"weights is {str(settings.weights)!r}; allowed: a file in a folder that exists")
    return settings


# -- fields ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A game with so many seats, one of them for the player that is tuned, the others' players."""

    game: Game
    opponents: tuple[Agent, ...]

    @classmethod
    def of(cls, name: str, opponents: Sequence[str]) -> Field:
        game = load(name, players=len(opponents) + 1)
        by_name = {each: agent(game, each) for each in opponents}
        return cls(game, tuple(by_name[each] for each in opponents))

    def __str__(self) -> str:
        names = [player.name for player in self.opponents]
        return " + ".join(f"{names.count(name)} x {name}" for name in dict.fromkeys(names))

    def play(self, values: np.ndarray, deals: range, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Share of matches won and margin to the others' mean points of the player with these weights, by deal."""
        record = play(self.game, [Weighted(self.game, values), *self.opponents], deals, seed)
        margins = record.points[:, :, 0] - record.points[:, :, 1:].mean(axis=2)
        return record.wins[:, :, 0].mean(axis=1), margins.mean(axis=1)


def training_fields(game: Game) -> list[Field]:
    """Four players in several mixtures, and three of a kind."""
    fields = [[STRONGEST] * 3, [STRONGEST] * 2, [RANDOM] * 3]
    for name in game.rule_players[:-1]:
        weaker = f"rules:{name}"
        fields += [[weaker] * 3, [STRONGEST, STRONGEST, weaker], [STRONGEST, weaker, RANDOM]]
    return [Field.of(game.name, field) for field in fields]


def held_out_fields(game: Game) -> list[Field]:
    """Three of each kind, and four of the strongest, a field that the search does not know."""
    kinds = [RANDOM, *(f"rules:{name}" for name in game.rule_players[:-1]), STRONGEST]
    return [*(Field.of(game.name, [kind] * 3) for kind in kinds), Field.of(game.name, [STRONGEST] * 4)]


# -- the search --------------------------------------------------------------------------------------------------------


def moved(weights: Weights, by: np.ndarray) -> np.ndarray:
    """The weights at a place of the search space, whose origin are the present ones.

    Numbers that must be positive are searched by their logarithms; others in steps of their own size and a tenth of the mean.
    """
    if weights.positive:
        return weights.values * np.exp(by)
    sizes = np.abs(weights.values)
    return weights.values + by * (sizes + 0.1 * sizes.mean())


def rounded(values: np.ndarray) -> np.ndarray:
    """To so many digits as the file keeps."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in values])


class Matches(NamedTuple):
    """A chunk: deals that the player with these weights plays against the field of this number."""

    field: int
    values: np.ndarray
    deals: range
    seed: int


class Played(NamedTuple):
    """By deal: share of matches won and margin, float64; and the seconds that a core took."""

    wins: np.ndarray
    margins: np.ndarray
    seconds: float


def played(fields: Sequence[Field], chunk: Matches) -> Played:
    """What a worker does."""
    start = time.process_time()
    wins, margins = fields[chunk.field].play(chunk.values, chunk.deals, chunk.seed)
    return Played(wins, margins, time.process_time() - start)


def search(game: Game, weights: Weights, settings: TuneSettings) -> tuple[np.ndarray, float]:
    """The weights in the middle of CMA-ES's last distribution, rounded; and the seconds of one core that it took."""
    fields, size = training_fields(game), len(weights.values)
    options = {"popsize": settings.population, "seed": settings.seed + 1, "CMA_diagonal": size > MANY, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(np.zeros(size), settings.sigma, options)
    seconds = 0.0
    rounds = tqdm(range(settings.generations), unit="generation", disable=None)
    with settings.workers.doing(partial(played, fields)) as do, rounds as bar:
        for generation in bar:
            deals = range(generation * settings.deals, (generation + 1) * settings.deals)
            candidates = strategy.ask()
            values = [moved(weights, place) for place in candidates]
            chunks = [Matches(n, each, deals, 2 * settings.seed) for each in values for n in range(len(fields))]
            results = do.in_order(chunks)
            found = fitnesses(fields, results, settings)
            seconds += sum(each.seconds for each in results)
            strategy.tell(candidates, [-each for each in found])
            bar.set_postfix_str(f"fitness {np.mean(found):.3f}, sigma {strategy.sigma:.3f}")
    return rounded(moved(weights, strategy.mean)), seconds


def fitnesses(fields: Sequence[Field], results: Sequence[Played], settings: TuneSettings) -> list[float]:
    """Of each candidate: the mean over the fields of the share of matches won and the weighed margin."""
    found = []
    for at in range(0, len(results), len(fields)):
        total = 0.0
        for each, result in zip(fields, results[at : at + len(fields)], strict=True):
            total += result.wins.mean() + settings.margin * result.margins.mean() / each.game.scale
        found.append(total / len(fields))
    return found


# -- the comparison ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """Shares of matches won by the old and the new weights on the same deals, and what the new ones gain."""

    opponents: str
    deals: int
    old: Interval
    new: Interval
    gain: Interval

    def cells(self) -> tuple[str, ...]:
        """A row of the table."""
        return self.opponents, f"{self.deals:,}", self.old.percent(), self.new.percent(), self.gain.percent("+")


def compared(opponents: str, old: np.ndarray, new: np.ndarray) -> Comparison:
    """From shares won by deal, float64 (deals,)."""
    resampled = bootstrap_weights(len(old))
    return Comparison(opponents, len(old), *(interval(values, resampled) for values in (old, new, new - old)))


def held_out(game: Game, old: np.ndarray, new: np.ndarray, settings: TuneSettings) -> list[Comparison]:
    """One row a field (all rule players by the old weights), then their mean; last those that search, with fewer deals."""
    fields = held_out_fields(game)
    counts = [settings.held_out] * len(fields)
    if settings.search_deals:
        fields, counts = [*fields, Field.of(game.name, [SEARCH] * 3)], [*counts, settings.search_deals]
    with settings.workers.doing(partial(played, fields)) as do:
        pairs = _pairs(do, (old, new), counts, 2 * settings.seed + 1)
    rows = [compared(str(field), *pair) for field, pair in zip(fields, pairs, strict=True)]
    known = len(fields) - bool(settings.search_deals)
    return [*rows[:known], compared(MEAN, *np.mean(pairs[:known], axis=0)), *rows[known:]]


def _pairs(do: Doing, both: Sequence[np.ndarray], counts: Sequence[int], seed: int) -> list[list[np.ndarray]]:
    """Shares of matches won by deal, of both sets of weights against each field, which plays so many deals."""
    parts = [(n, each, part) for n, count in enumerate(counts) for each in range(2) for part in split(range(count), AT_ONCE)]
    with tqdm(total=len(parts), unit="chunk", disable=None) as bar:
        chunks = [Matches(n, both[each], part, seed) for n, each, part in parts]
        results = do.in_order(chunks, lambda done: bar.update(done - bar.n))
    shares: list[list[list[np.ndarray]]] = [[[], []] for _ in counts]
    for (n, each, _), result in zip(parts, results, strict=True):
        shares[n][each].append(result.wins)
    return [[np.concatenate(each) for each in pair] for pair in shares]


def is_better(rows: Sequence[Comparison]) -> bool:
    """Whether the mean gain is clearly above zero and no field's clearly below -0.5 %."""
    mean = next(row for row in rows if row.opponents == MEAN)
    return mean.gain.low > 0 and all(row.gain.high >= -LOSS for row in rows)


# -- the command -------------------------------------------------------------------------------------------------------


def page(game: Game, weights: Weights, content: dict[str, Any], rows: Sequence[Comparison]) -> str:
    """As Markdown."""
    count, minutes = len(weights.names), content["cpu_minutes"]
    head = f"{game.id}, rules:{weights.player}: {count} numbers tuned in {minutes:.1f} minutes of one core."
    kept = "The new ones are kept." if content["kept"] else "The new ones are not clearly better; the old ones stay."
    what = "Matches won by one player with the old and the new numbers against others with the old, on the same held-out deals"
    titles = ["field", "deals", "old (95 %)", "new (95 %)", "gain (95 %)"]
    table = markdown_table(titles, [row.cells() for row in rows], "lrl")
    return f"{head} {kept}\n\n{what}, every seat rotation:\n\n{table}\nCommand: `{content['command']}`\n"


def main(settings: TuneSettings) -> bool:
    """Search, compare, print, write; returns whether the new weights were kept. Raises PirateError for bad settings."""
    game = load(checked(settings).game)
    weights = game.weights
    if weights is None:
        raise WeightsError(f"{game.id} has nothing to tune: rules:{game.rule_players[-1]} is exact and has no weights")
    check_writable_folder(settings.results)
    if settings.weights is not None:
        check_writable_file(settings.weights)
    settings.workers.check()
    new, seconds = search(game, weights, settings)
    minutes = seconds / 60
    rows = held_out(game, weights.values, new, settings)
    kept = settings.force or is_better(rows)
    asked = {
        key: value
        for key, value in dataclasses.asdict(settings).items()
        if not isinstance(value, Path | None) and key != "workers"
    }
    content = {
        "player": weights.player,
        "values": dict(zip(weights.names, new.tolist(), strict=True)),
        "command": command("experiments.tune"),
        "settings": asked,
        "cpu_minutes": round(minutes, 1),
        "kept": kept,
        "started_from": dict(zip(weights.names, weights.values.tolist(), strict=True)),
        "held_out": [dataclasses.asdict(row) for row in rows],
    }
    text = page(game, weights, content, rows)
    Results(settings.results).write(f"tune_{game.name}", content, text)
    if kept:
        write_text(settings.weights or weights.path, json.dumps(content, indent=1) + "\n")
    print(text)
    return kept


if __name__ == "__main__":
    run_command(main, TuneSettings, interrupted="stopped; nothing was written")
