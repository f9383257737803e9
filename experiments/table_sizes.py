"""Table sizes: how one policy holds at every number of seats, and what one that learned on at that number alone has more.

    python -m experiments.table_sizes skull_king                        the policy that comes with the game, at every size
    python -m experiments.table_sizes skull_king --decisions 20000000   and a specialist for each size
    python -m experiments.table_sizes skull_king --write                and keep the table in experiments/results

A specialist begins with the policy's weights and learns at one size alone; what it wins more, on the same deals, is what the
policy loses by being one for all. Both play against copies of the strongest rule player, each on every seat in turn.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np
import tyro

from experiments.command import RESULTS, GameName, WorkerFlags, check_numbers, flags_of, run_command, unflagged
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, play
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, interval
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import PPOSettings
from pirate_envs.agents.learning.network import like, take_over
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game

FIELD = "rules:strongest"
SEED = 3000  # of the deals, apart from those of the evaluations in the course of a run
OWN = ("game", "players", "minutes", "decisions", "seed", "evaluate_minutes", "evaluate_deals", "final_deals", "options",
       "vary", "checkpoint_minutes", "keep", "out", "width", "layers", "activation", "entropy_floor", "start", "on", "learners",
       "address")  # fmt: skip
"""What a specialist is not told: it is told it by these settings or by the policy, or leaves no run."""
LearnerFlags = flags_of(PPOSettings, {}, hidden=OWN)


@dataclass
class TableSizeSettings:
    """Measure a policy of GAME at tables of every size, and specialists beside it."""

    game: GameName
    """name of the game"""
    policy: str = "policy:pretrained"
    """the policy"""
    seats: tuple[int, ...] = ()
    """which sizes; none given: all"""
    decisions: int = 0
    """of each specialist; 0: there are none"""
    deals: int = 2000
    """of a measurement, each in every rotation"""
    seed: int = 0
    """of the specialists"""
    learner: Annotated[PPOSettings, tyro.conf.arg(constructor=LearnerFlags)] = field(default_factory=PPOSettings)
    """how they learn"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who does it: a size is a chunk"""
    write: bool = False
    """keep the table in experiments/results"""


def row(settings: TableSizeSettings, seats: int) -> dict[str, Any]:
    """What a worker does with a size: it plays, and trains and plays a specialist."""
    game = load(settings.game, players=seats)
    policy = agent(game, settings.policy)
    own = won(game, policy, settings.deals)
    weights = bootstrap_weights(settings.deals)
    told = {"seats": seats, "policy": asdict(interval(own, weights))}
    if settings.decisions:
        better = won(game, specialist(settings, policy, seats), settings.deals)
        told |= {"specialist": asdict(interval(better, weights)), "lost": asdict(interval(better - own, weights))}
    return told


def won(game: Game, one: Agent, deals: int) -> np.ndarray:
    """The share of the win by deal, over all rotations, of one among copies of FIELD, float64, (deals,)."""
    line_up = [one, *[agent(game, FIELD)] * (game.players - 1)]
    return play(game, line_up, range(deals), SEED).wins[:, :, 0].mean(axis=1)  # type: ignore[no-any-return]


def specialist(settings: TableSizeSettings, policy: Agent, seats: int) -> Policy:
    """The policy after more decisions at tables of that size alone. Raises UnknownPlayerError for one without weights."""
    training = Training(None, like(_learner(settings, seats), policy))
    take_over(training.learner.network, policy)  # type: ignore[attr-defined, arg-type]
    training.meet_pool()
    return training.finished()


def _learner(settings: TableSizeSettings, seats: int) -> PPOSettings:
    own: dict[str, Any] = {"players": seats, "decisions": settings.decisions, "minutes": None, "out": None}
    return dataclasses.replace(settings.learner, game=settings.game, seed=settings.seed, **own)


def page(content: Mapping[str, Any]) -> str:
    """A row a size, as Markdown."""
    learned = any("specialist" in each for each in content["rows"])
    rows = []
    for each in content["rows"]:
        names = ("policy", "specialist") if learned else ("policy",)
        figures = [Interval(**each[name]).percent() for name in names]
        lost = [Interval(**each["lost"]).percent("+")] if learned else []
        rows.append([str(each["seats"]), f"{1 / each['seats']:.1%}", *figures, *lost])
    head = ["seats", "even share", f"`{content['policy']}`", *(["a specialist", "more than the policy"] if learned else [])]
    specialists = (
        f" A specialist begins with the policy's weights and learns {content['decisions']:,} more decisions at that size alone."
        if learned
        else ""
    )
    return (
        f"{content['game']}: matches won by one among `{FIELD}`, {content['deals']:,} deals in every rotation, 95 % intervals "
        f"by deal.{specialists}\n\n{markdown_table(head, rows, 'r')}\nCommand: `{content['command']}`. {content['machine']}.\n"
    )


def check(settings: TableSizeSettings) -> tuple[int, ...]:
    """The sizes. Raises UnknownGameError and OptionError."""
    game = load(settings.game)
    check_numbers(settings, decisions=(0, 10**15), deals=(1, MOST_DEALS), seed=(0, LARGEST_SEED))
    for seats in settings.seats:
        if seats not in game.sizes:
            raise OptionError(f"--seats has {seats}; {game.id} is for {', '.join(map(str, game.sizes))}")
    if settings.decisions:
        _learner(settings, game.players).check()
    settings.workers.check()
    return settings.seats or tuple(game.sizes)


def main(settings: TableSizeSettings) -> dict[str, Any]:
    """Play, learn, print and perhaps write."""
    sizes = check(settings)
    settings = dataclasses.replace(settings, learner=unflagged(PPOSettings, settings.learner))
    with settings.workers.doing(partial(row, settings)) as do:
        rows = do.in_order(sizes)
    game = load(settings.game)
    content = {
        "game": game.id, "policy": settings.policy, "learned": agent(game, settings.policy).acts_by, "deals": settings.deals,
        "decisions": settings.decisions, "rows": rows, "machine": machine(), "command": command("experiments.table_sizes"),
    }  # fmt: skip
    print(page(content))
    if settings.write:
        Results(RESULTS).write(f"table_sizes_{game.name}", content, page(content))
    return content


if __name__ == "__main__":
    run_command(main, TableSizeSettings, __doc__)
