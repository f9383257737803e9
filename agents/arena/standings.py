"""What a tournament's records say: ratings, alpha-rank, payoffs and figures, all with intervals over the same deals."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents.arena.duplicate import FIGURES, Outcomes
from pirate_envs.agents.arena.ratings import alpha_rank, plackett_luce, ranks_of
from pirate_envs.agents.arena.statistics import Interval, Resamples, bootstrap_weights, interval, measures, ratio
from pirate_envs.agents.report import markdown_table, new_figure, save_figure
from pirate_envs.core.game import Game

RATING_RESAMPLES = 200
LineUp = tuple[int, ...]


@dataclass(frozen=True)
class Standings:
    """A tournament summed up; intervals are 95 % bootstraps over the deals, which all line-ups share."""

    game: str
    options: dict[str, Any]
    players: list[str]
    deals: int
    matches: int
    decisions: int
    truncated: int
    ratings: dict[str, Interval]
    """Plackett-Luce over all matches, mean 1500; 400 points more: ten times the odds to finish ahead."""
    alpha_rank: dict[str, Interval]
    """Mass of alpha-rank by the payoffs of all tables."""
    figures: dict[int, dict[str, dict[str, Interval]]]
    """Size of table -> player -> figure at mixed tables."""
    payoff: dict[int, dict[str, dict[str, Interval]]]
    """Size of table -> player -> opponent -> share of matches that one such player wins among copies of the opponent."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return dataclasses.asdict(self)

    def markdown(self, command: str) -> str:
        """The tables, best rating first, and the command."""
        best = sorted(self.players, key=lambda name: -self.ratings[name].mean)
        count = f"{self.deals:,} deals, {self.matches:,} matches, {self.decisions:,} decisions"
        blocks = [
            markdown_table(
                ["player", "rating", "alpha-rank"],
                [[f"`{name}`", _rounded(self.ratings[name], 0), _rounded(self.alpha_rank[name], 2)] for name in best],
                "lr",
            )
        ]
        for size, figures in self.figures.items():
            if not figures:  # nobody sat at a mixed table
                continue
            keys = dict.fromkeys(key for player in figures.values() for key in player)
            head = [f"mixed tables of {size}", *(FIGURES.get(key, key) for key in keys)]
            rows = [[f"`{name}`", *(_rounded(figures[name].get(key), 3) for key in keys)] for name in best if name in figures]
            blocks.append(markdown_table(head, rows, "lr"))
        return "\n".join([f"{count}. Command: `{command}`.\n", *blocks])

    def draw(self, path: Path) -> None:
        """The payoff matrices as a picture: who wins how much among copies of whom."""
        draw_payoffs(path, self.game, sorted(self.players, key=lambda name: -self.ratings[name].mean), self.payoff)


def draw_payoffs(
    path: Path, title: str, names: Sequence[str], payoffs: Mapping[int, Mapping[str, Mapping[str, Interval]]]
) -> None:
    """A matrix for each size of table: what one of each player wins among copies of each other, as a PNG."""
    side = 2.5 + 0.75 * len(names)
    figure = new_figure(side * len(payoffs) + 1, side)
    axes = figure.subplots(1, len(payoffs), squeeze=False)
    for axis, (size, payoff) in zip(axes[0], payoffs.items(), strict=True):
        draw_matrix(axis, names, payoff, size)
    figure.suptitle(title)
    save_figure(path, figure)


def _rounded(figure: Interval | None, digits: int) -> str:
    if figure is None:
        return "-"
    return f"{figure.mean:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


def draw_matrix(axis: Any, names: Sequence[str], payoff: Mapping[str, Mapping[str, Interval]], size: int) -> None:
    """What one of each player wins among copies of each other, on a Matplotlib axis; pairs that have not met are left empty."""
    values = np.array([[payoff[one][other].mean if other in payoff[one] else np.nan for other in names] for one in names])
    shown = axis.imshow(values, cmap="PuOr", vmin=0, vmax=2 / size if size > 2 else 1)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            far = abs(value * size - 1) > 0.7
            axis.text(
                column, row, f"{100 * value:.0f}", ha="center", va="center", color="white" if far else "black", fontsize=9
            )
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(names)), names)
    axis.set(title=f"tables of {size}", xlabel=f"{size - 1} of these", ylabel="one of these")
    bar = axis.figure.colorbar(shown, ax=axis, shrink=0.8, extend="max" if size > 2 else "neither")
    bar.set_label(f"matches won, % (even share {100 / size:.0f})")
    bar.ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}")


# -- from records to standings -----------------------------------------------------------------------------------------


def standings(game: Game, players: Sequence[str], records: Mapping[LineUp, Outcomes]) -> Standings:
    """Sum up the records of every line-up (numbers of players, one a seat), all of the same deals."""
    deals = len(next(iter(records.values())).points)
    weights = bootstrap_weights(deals)
    sizes = sorted({len(line_up) for line_up in records})
    duels = {size: _duels(records, len(players), size) for size in sizes}
    few = bootstrap_weights(deals, RATING_RESAMPLES)
    counts, fit = _rating_rows(records, len(players))
    shares = np.mean([size * duels[size] for size in sizes], axis=0)
    return Standings(
        game=game.id,
        options={key: value for key, value in game.options.changed().items() if key != "players"},
        players=list(players),
        deals=deals,
        matches=sum(record.points.shape[0] * record.points.shape[1] for record in records.values()),
        decisions=sum(record.decisions for record in records.values()),
        truncated=sum(record.truncated for record in records.values()),
        ratings=_named(players, _resampled(fit, counts, few)),
        alpha_rank=_named(players, _resampled(alpha_rank, shares, few)),
        figures={size: _figures(game, players, records, size, weights) for size in sizes},
        payoff={size: _payoff(players, duels[size], weights) for size in sizes},
    )


def _named(players: Sequence[str], figures: Sequence[Interval]) -> dict[str, Interval]:
    return dict(zip(players, figures, strict=True))


def _resampled(solve: Callable[[np.ndarray], np.ndarray], values: np.ndarray, weights: Resamples) -> list[Interval]:
    """What `solve` makes of the mean of `values` (deals, ...) over all deals, with its bootstrap interval over the deals."""
    flat = values.reshape(len(values), -1)
    means = (weights @ flat / len(values)).reshape(len(weights), *values.shape[1:])
    low, high = np.percentile([solve(mean) for mean in means], [2.5, 97.5], axis=0)
    found = solve(values.mean(axis=0))
    return [Interval(*map(float, ends)) for ends in zip(found, low, high, strict=True)]


def _rating_rows(records: Mapping[LineUp, Outcomes], players: int) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """How often each line-up came out in each order, by deal (deals, rows), and the fit of ratings to such counts."""
    most = max(map(len, records))
    seats, ranks, counts = [], [], []
    for line_up, record in records.items():
        n = len(line_up)
        deals = len(record.points)
        orders, which = np.unique(ranks_of(record.points, record.wins).reshape(-1, n), axis=0, return_inverse=True)
        count = np.zeros((deals, len(orders)), np.float32)
        np.add.at(count, (np.repeat(np.arange(deals), n), which.reshape(-1)), 1)
        counts.append(count)
        ranks.append(np.pad(orders, ((0, 0), (0, most - n)), constant_values=-1))
        seats.append(np.tile(np.pad(line_up, (0, most - n)), (len(orders), 1)))
    table = np.concatenate(seats), np.concatenate(ranks)
    return np.concatenate(counts, axis=1), lambda mean: plackett_luce(*table, mean, players)


def duel_shares(line_up: LineUp, record: Outcomes) -> dict[tuple[int, int], np.ndarray]:
    """One player and another -> the one's win share among copies of the other, by deal, (deals,); of a table of two both ways.

    Empty for a mixed line-up.
    """
    if len(set(line_up)) != 2 or len(set(line_up[1:])) != 1:
        return {}
    pairs = {(line_up[0], line_up[1]): 0} | ({(line_up[1], line_up[0]): 1} if len(line_up) == 2 else {})
    return {pair: record.wins[:, :, place].mean(axis=1) for pair, place in pairs.items()}


def _duels(records: Mapping[LineUp, Outcomes], players: int, size: int) -> np.ndarray:
    """Win share of one player among copies of another, by deal, (deals, players, players); an even share with its like."""
    deals = len(next(iter(records.values())).wins)
    shares = np.full((deals, players, players), 1 / size)
    for line_up, record in records.items():
        if len(line_up) == size:
            for (one, other), values in duel_shares(line_up, record).items():
                shares[:, one, other] = values
    return shares


def _payoff(players: Sequence[str], shares: np.ndarray, weights: Resamples) -> dict[str, dict[str, Interval]]:
    return {
        one: {other: interval(shares[:, i, j], weights) for j, other in enumerate(players) if i != j}
        for i, one in enumerate(players)
    }


def _figures(
    game: Game, players: Sequence[str], records: Mapping[LineUp, Outcomes], size: int, weights: Resamples
) -> dict[str, dict[str, Interval]]:
    """Every player's figures at the mixed tables of one size, each line-up and each of its places counting alike."""
    mixed = {
        line_up: r for line_up, r in records.items() if len(line_up) == size and len(set(line_up)) == min(size, len(players))
    }
    found = {}
    for number, name in enumerate(players):
        at = [(record, place) for line_up, record in mixed.items() for place, who in enumerate(line_up) if who == number]
        if not at:
            continue
        measured = [{key: v[:, :, place].mean(axis=1) for key, v in measures(r.points, r.wins).items()} for r, place in at]
        counts = np.sum([record.counts[:, place] for record, place in at], axis=0)
        own = {key: ratio(counts[:, over], counts[:, under], weights) for key, (over, under) in game.figures.items()}
        found[name] = {
            **{key: interval(np.mean([one[key] for one in measured], axis=0), weights) for key in FIGURES},
            **{key: figure for key, figure in own.items() if figure is not None},
        }
    return found
