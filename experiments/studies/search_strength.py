"""How strong search is: one player that searches against copies of another one, and what a decision costs.

python -m experiments.studies.search_strength                    measure and print the table (a quarter of an hour)
python -m experiments.studies.search_strength --write            and keep it in experiments/results
python -m experiments.studies.search_strength --games skull_king --searches search:guided:128 --against policy:pretrained
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from experiments.command import RESULTS, WorkerFlags, check_numbers, run_command
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, Outcomes, joined, play, split, summed_up
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.game import Game
from pirate_envs.games import shipped

CHUNK = 10  # deals that a worker plays at once


@dataclass
class SearchStrengthSettings:
    """Measure searches against other players of each game."""

    games: tuple[str, ...] = shipped()
    """which games"""
    searches: tuple[str, ...] = ("search:ismcts:1000",)
    """the players' names"""
    against: tuple[str, ...] = ("rules:strongest",)
    """whose copies sit on the other seats: names, each by itself"""
    players: int = 4
    """seats at the table"""
    deals: int = 100
    """deals, each in every rotation"""
    seed: int = 0
    """which deals"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays: 10 deals are a chunk"""
    write: bool = False
    """keep the table in experiments/results, where rows not measured now stay"""


class Timed(Agent):
    """Another player, and the time it takes to think where there is a choice."""

    wants_records = True

    def __init__(self, player: Agent) -> None:
        self.name, self._player = player.name, player
        self.seconds, self.choices = 0.0, 0

    def act(self, decisions: Decisions) -> np.ndarray:
        start = time.process_time()
        actions = self._player.act(decisions)
        self.seconds += time.process_time() - start
        self.choices += int((decisions.action_masks.sum(axis=1) > 1).sum())
        return actions


@dataclass(frozen=True)
class TimedDeals:
    """What a worker does with deals: it plays them, and tells the seconds of thought and the decisions with a choice."""

    game: Game
    line_up: tuple[Agent, ...]
    seed: int

    def __call__(self, deals: range) -> tuple[Outcomes, float, int]:
        player = Timed(self.line_up[0])
        play(self.game, [player, *self.line_up[1:]], range(1), self.seed)  # compiles
        player.seconds, player.choices = 0.0, 0
        return play(self.game, [player, *self.line_up[1:]], deals, self.seed), player.seconds, player.choices


def measured(game: Game, search: str, against: str, settings: SearchStrengthSettings) -> dict[str, Any]:
    """The evaluation's result, with the milliseconds of one core for a decision with a choice."""
    start = time.perf_counter()
    line_up = (agent(game, search), *[agent(game, against)] * (game.players - 1))
    with settings.workers.doing(TimedDeals(game, line_up, settings.seed)) as do:
        outcomes, seconds, choices = zip(*do.in_order(split(range(settings.deals), CHUNK)), strict=True)
    result = summed_up(game, line_up, settings.seed, joined(outcomes), time.perf_counter() - start)
    cell = f"{game.id} {search} {line_up[1].name}"
    return {"cell": cell, **result.as_dict(), "milliseconds": 1e3 * sum(seconds) / sum(choices)}


def table(results: Sequence[dict[str, Any]]) -> str:
    """As Markdown."""
    head = ["game", "player", "against", "matches won (95 %)", "margin to the field", "ms a decision", "matches"]
    rows = []
    for result in results:
        one, other = result["line_up"][:2]
        won, margin = (Interval(**result["figures"][one][key]) for key in ("win_share", "margin"))
        figures = won.percent(), margin.written("+.2f"), f"{result['milliseconds']:.2f}", f"{result['matches']:,}"
        rows.append((result["game"], one, f"{len(result['line_up']) - 1} x {other}", *figures))
    where = dict.fromkeys(result["machine"] for result in results)
    commands = "".join(f"- `{by}`\n" for by in dict.fromkeys(result["command"] for result in results))
    note = (
        "Duplicate deals, every seat rotation, bootstrap intervals by deal; milliseconds of one core where there is a choice."
    )
    return f"{markdown_table(head, rows, 'lllllr')}\n{note} Measured on {'; '.join(where)} by:\n\n{commands}"


def main(settings: SearchStrengthSettings) -> None:
    check_numbers(settings, deals=(1, MOST_DEALS), seed=(0, LARGEST_SEED))
    settings.workers.check()
    measured_by = command("experiments.studies.search_strength")
    for game, search, against in itertools.product(settings.games, settings.searches, settings.against):
        loaded = load(game, players=settings.players)
        found = {"command": measured_by, "machine": machine(), **measured(loaded, search, against, settings)}
        print(table([found]), flush=True)
        if settings.write:
            Results(RESULTS).merge("search_strength", [found], table, key="cell")


if __name__ == "__main__":
    run_command(main, SearchStrengthSettings, __doc__)
