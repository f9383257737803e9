"""A league as a picture: how its main player has fared from round to round, and who wins how much against whom now."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pirate_envs.agents.arena.standings import draw_matrix
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.learning.league import League
from pirate_envs.agents.learning.league_state import MAIN
from pirate_envs.agents.report import new_figure, save_figure

MARKS = {"has beaten it": "*", "has had its time": "X", "goes on": "o"}


def draw_league(path: Path, league: League) -> None:
    """Curves over the rounds, and the payoff matrix of the pool. Raises MissingExtraError."""
    names = [each.name for each in league.pool(search=True)]
    side = 2.5 + 0.55 * len(names)
    figure = new_figure(9 + side, max(7, side + 1))
    curves, matrix = figure.subplots(1, 2, width_ratios=(9, side))
    _draw_curves(curves, league)
    draw_matrix(matrix, names, league.payoffs.nested(names), league.game.players)
    figure.suptitle(f"{league.game.title}, {league.game.players} players: a league after {league.round} rounds")
    save_figure(path, figure)


def over_rounds(league: League, opponent: str) -> dict[int, Interval]:
    """Round -> what its main player won among copies of this opponent, of those that have met."""
    rounds = {number: league.payoffs.share(f"{MAIN}-{number}", opponent) for number in range(league.round + 1)}
    return {number: share for number, share in rounds.items() if share is not None}


def hardest_over_rounds(league: League) -> dict[int, Interval]:
    """Round -> the least that its main player won among copies of any one opponent of that time."""
    rows: dict[int, list[Interval]] = {}
    known = list(league.contenders)
    for number in range(league.round + 1):
        before = known[: known.index(f"{MAIN}-{number}")]
        shares = (league.payoffs.share(f"{MAIN}-{number}", name) for name in before)
        rows[number] = [share for share in shares if share is not None]
    return {number: min(shares, key=lambda share: share.mean) for number, shares in rows.items() if shares}


def _draw_curves(axes: Any, league: League) -> None:
    lasting = [each.name for each in league.contenders.values() if each.sort in ("regular", "search")]
    for name in [*lasting, f"{MAIN}-0"]:
        _draw_line(axes, over_rounds(league, name), f"main player among copies of {name}")
    _draw_line(axes, hardest_over_rounds(league), "among copies of the hardest for it", color="black", linestyle="--")
    for outcome, mark in MARKS.items():
        mine = [challenge for challenge in league.challenges if challenge.outcome == outcome]
        if mine:
            shares = [challenge.tally.share for challenge in mine]
            axes.errorbar(
                [challenge.round for challenge in mine], [share.mean for share in shares], yerr=_reach(shares), fmt=mark,
                color="crimson", alpha=0.6, label=f"exploiter among copies of the main player: {outcome}",
            )  # fmt: skip
    axes.axhline(1 / league.game.players, color="grey", linestyle=":", label=f"even share ({1 / league.game.players:.0%})")
    axes.set(xlabel="round", ylabel="share of matches won (95 % interval)", ylim=(0, None))
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2, fontsize=8)
    axes.grid(alpha=0.3)


def _draw_line(axes: Any, shares: dict[int, Interval], label: str, **how: Any) -> None:
    if shares:
        (line,) = axes.plot(list(shares), [each.mean for each in shares.values()], marker="o", markersize=3, label=label, **how)
        ends = [each.low for each in shares.values()], [each.high for each in shares.values()]
        axes.fill_between(list(shares), *ends, color=line.get_color(), alpha=0.12)


def _reach(shares: Iterable[Interval]) -> list[list[float]]:
    """How far the intervals reach below and above their means."""
    rows = [(share.mean - share.low, share.high - share.mean) for share in shares]
    return [list(column) for column in zip(*rows, strict=True)]
