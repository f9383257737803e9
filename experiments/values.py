"""Value heads: fit one to a policy, and see on positions that it has not met whether it says what comes true.

    python -m experiments.values skull_king                      of the policy that comes with the game; prints alone
    python -m experiments.values skull_king --out FOLDER         and saves the policy with its head there
    python -m experiments.values skull_king --write              and puts it in place, its curve into experiments/results
    python -m experiments.values skull_king --measure            fits nothing: of the head that the policy has

Matches among greedy copies of the policy, at tables of every size; what the head says of a position, drawn by chance, is held
against how the match ended. A head that is fitted is then calibrated on matches of their own. The curve is that of the usual
table: predictions in ten groups of equal size, each with what came true and its interval by match; of tables of other sizes the
group that is furthest off is told.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import RESULTS, GameName, check_numbers, check_written_of, run_command
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.learning.values import (
    JudgedPositions,
    at_size,
    calibrated,
    fit,
    positions,
    positions_of_all_tables,
)  # fmt: skip
from pirate_envs.agents.names import PRETRAINED
from pirate_envs.agents.policy import Policy, replace_policy
from pirate_envs.agents.report import Results, command, markdown_table, new_figure, save_figure
from pirate_envs.agents.sealed import check_new, settle
from pirate_envs.core.errors import OptionError, UnknownPlayerError
from pirate_envs.core.game import Game

GROUPS = 10
FITTED, HELD_OUT, CALIBRATED = 0, 1, 2  # seeds of the matches
MOST = 1 << 24  # positions


@dataclass
class ValueSettings:
    """Fit a value head to a policy of GAME, and measure it."""

    game: GameName
    """name of the game"""
    policy: str = "policy:pretrained"
    """the policy"""
    players: int = 4
    """seats at the table of the curve, of the calibration, and of half of the positions that the head is fitted to"""
    positions: int = 1_000_000
    """positions that it is fitted to"""
    calibrating: int = 200_000
    """positions that it is then calibrated on"""
    held_out: int = 100_000
    """positions that it is measured on, and half as many at a table of each other size"""
    measure: bool = False
    """fit nothing, measure the head that the policy has"""
    out: Path | None = None
    """save the policy with its head as this new folder"""
    write: bool = False
    """put the policy with its head in place of the one that comes with the game; keep the curve in experiments/results"""


@dataclass(frozen=True)
class Bin:
    """JudgedPositions of which the head says about the same."""

    said: float
    """Mean prediction."""
    came: Interval
    """Mean of what came true."""

    @property
    def gap(self) -> float:
        return self.said - self.came.mean


def groups(said: np.ndarray, came: np.ndarray, matches: np.ndarray) -> list[Bin]:
    """Predictions and what came true, float, (n,) each, in GROUPS groups by prediction; `matches`: whose positions they are."""
    numbers = np.unique(matches, return_inverse=True)[1]
    count = int(numbers.max()) + 1
    resamples = bootstrap_weights(count, 500)
    found = []
    for rows in np.array_split(np.argsort(said, kind="stable"), GROUPS):
        over = np.bincount(numbers[rows], came[rows], count)
        interval = ratio(over, np.bincount(numbers[rows], minlength=count).astype(float), resamples)
        found.append(Bin(float(said[rows].mean()), interval or Interval(0.0, 0.0, 0.0)))
    return found


def measured(policy: Policy, held_out: JudgedPositions) -> dict[str, Any]:
    """Both curves, and how much of what comes is told: log loss beside that of the mean, and R2 of the margin."""
    said = np.concatenate([policy.values(part) for part in np.array_split(held_out.observations, 64)]).astype(float)
    share, wins = said[:, 0].clip(1e-9, 1 - 1e-9), held_out.wins.astype(float)
    base = wins.mean()
    return {
        "win_share": [asdict(group) for group in groups(share, wins, held_out.matches)],
        "margin": [asdict(group) for group in groups(said[:, 1], held_out.margins.astype(float), held_out.matches)],
        "log_loss": log_loss(share, wins),
        "log_loss_of_mean": log_loss(np.full_like(wins, base), wins),
        "r2_margin": 1 - float(np.mean((said[:, 1] - held_out.margins) ** 2) / held_out.margins.var()),
        "positions": len(held_out),
        "matches": len(np.unique(held_out.matches)),
    }


def furthest(policy: Policy, known: JudgedPositions) -> Bin:
    """Of the groups by the share of the win that is said, the one that is furthest from what came true."""
    said = np.concatenate([policy.values(part)[:, 0] for part in np.array_split(known.observations, 64)]).astype(float)
    return max(groups(said, known.wins.astype(float), known.matches), key=lambda group: abs(group.gap))


def log_loss(said: np.ndarray, came: np.ndarray) -> float:
    """Mean cross-entropy in nats."""
    return float(-(came * np.log(said) + (1 - came) * np.log(1 - said)).mean())


def page(content: dict[str, Any]) -> str:
    """The curves as Markdown."""
    found = content["measured"]
    shares, margins = ([Bin(row["said"], Interval(**row["came"])) for row in found[key]] for key in ("win_share", "margin"))
    rows = [
        [f"{share.said:.1%}", share.came.percent(), f"{margin.said:+.1f}", margin.came.written("+.1f")]
        for share, margin in zip(shares, margins, strict=True)
    ]
    head = ["share of the win, said", "came true", "margin, said", "came true"]
    worst = max(abs(group.gap) for group in shares)
    return (
        f"{content['game']}, {content['players']} players, {found['positions']:,} positions of {found['matches']:,} matches "
        f"that the head has not met, in ten groups by what it says; intervals by match.\n\n{markdown_table(head, rows, 'r')}\n"
        f"Largest gap of a share: {worst:.1%}. Log loss {found['log_loss']:.3f}, of always saying the mean "
        f"{found['log_loss_of_mean']:.3f}; of the margin's variance {found['r2_margin']:.0%} is told.\n{of_sizes(content)}"
        f"Command: `{content['command']}`.\n"
    )


def of_sizes(content: dict[str, Any]) -> str:
    """What is furthest off at tables of other sizes, a sentence."""
    groups = {size: Bin(row["said"], Interval(**row["came"])) for size, row in content["sizes"].items()}
    told = [
        f"with {size} seats {group.said:.1%} are said and {group.came.percent()} come true" for size, group in groups.items()
    ]
    return f"Furthest off at other tables: {'; '.join(told)}.\n" if told else ""


def draw(path: Path, content: dict[str, Any]) -> None:
    """The curve of the win as a PNG: what came true over what was said."""
    rows = [Bin(row["said"], Interval(**row["came"])) for row in content["measured"]["win_share"]]
    figure = new_figure(5, 5)
    axis = figure.subplots()
    said, came = np.array([row.said for row in rows]), np.array([row.came.mean for row in rows])
    reach = [[row.came.mean - row.came.low for row in rows], [row.came.high - row.came.mean for row in rows]]
    axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axis.errorbar(said, came, reach, fmt="o", markersize=4, capsize=2)
    axis.set(title=content["game"], xlabel="share of the win, said", ylabel="came true", xlim=(0, 1), ylim=(0, 1), aspect=1)
    save_figure(path, figure)


def fitted(policy: Policy, game: Game, settings: ValueSettings) -> Policy:
    """With a head of its own, calibrated."""
    head = fit(policy, positions_of_all_tables(policy, game, settings.positions, FITTED), FITTED)
    judging = policy.judging(head)
    return judging.judging(calibrated(judging, positions(policy, game, settings.calibrating, CALIBRATED)))


def main(settings: ValueSettings) -> dict[str, Any]:
    """Fit, measure, print, and perhaps save."""
    check_numbers(settings, positions=(1000, MOST), calibrating=(1000, MOST), held_out=(1000, MOST))
    check_written_of(settings, "policy", "players")
    if settings.out is not None:
        check_new(settings.out)
    if settings.measure and settings.out is not None:
        raise OptionError(f"--out {settings.out} saves a head that is fitted, and --measure fits none; allowed: one of them")
    game = load(settings.game, players=settings.players)
    if settings.write:
        settle(PRETRAINED / game.name)  # where it was cut off before
    policy = agent(game, settings.policy)
    if not isinstance(policy, Policy):
        raise UnknownPlayerError(f"{settings.policy!r} is no policy; needed: policy:pretrained or policy:FOLDER")
    if settings.measure and not policy.value:
        raise OptionError(f"{settings.policy!r} has no value head, and --measure fits none")
    judging = policy if settings.measure else fitted(policy, game, settings)
    found = measured(judging, positions(policy, game, settings.held_out, HELD_OUT))
    others = {
        n: positions(judging, at_size(game, n), settings.held_out // 2, HELD_OUT) for n in game.sizes if n != game.players
    }
    sizes = {str(players): asdict(furthest(judging, known)) for players, known in others.items()}
    content = {
        "command": command("experiments.values"), "game": game.id, "players": game.players, "measured": found, "sizes": sizes,
    }  # fmt: skip
    print(page(content))
    if settings.out is not None:
        judging.save(settings.out)
    if settings.write:
        if judging is not policy:
            replace_policy(judging, PRETRAINED / game.name)
        results = Results(RESULTS)
        results.write(f"values_{game.name}", content, page(content))
        draw(RESULTS / f"values_{game.name}.png", content)
    return content


if __name__ == "__main__":
    run_command(main, ValueSettings, __doc__)
