"""What a decision by guided search costs one core, by how many tables are played at once.

    python -m experiments.studies.guided_speed --write

The policy plays matches in lockstep; at rounds spread over them each search is asked what it would do at the first one, or so
many, of the tables. All take turns, so that a noisy machine disturbs all alike.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from experiments.command import RESULTS, check_numbers, run_command
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.lockstep import Lockstep, dealt
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.report import Results, command, machine, markdown_table

MOST_TABLES = 4096
WHAT = ("machine", "game", "search", "tables", "players")  # rows alike in these measure the same

Row = dict[str, Any]


@dataclass
class GuidedSpeedSettings:
    """Measure guided search."""

    games: tuple[str, ...] = ("lucky_pirate", "piratenpoker", "skull_king")
    """which games"""
    searches: tuple[str, ...] = ("search:guided:128", "best")
    """the players' names"""
    tables: tuple[int, ...] = (1, 16, 64)
    """tables played at once"""
    players: int = 4
    """seats at a table"""
    every: int = 4
    """of so many rounds of decisions one is timed"""
    seed: int = 0
    """of the first table"""
    write: bool = False
    """keep the table in experiments/results"""


class Asking(Agent):
    """Decides as the policy does, and times what the searches would take."""

    wants_records = True

    def __init__(self, policy: Agent, searches: Sequence[Agent], tables: Sequence[int], every: int) -> None:
        self.name, self._policy, self._every, self._rounds = policy.name, policy, every, 0
        self.milliseconds: dict[tuple[Agent, int], list[float]] = {pair: [] for pair in product(searches, tables)}

    def act(self, decisions: Decisions) -> np.ndarray:
        if self._rounds % self._every == 0:
            for (search, tables), spent in self.milliseconds.items():
                asked = Decisions(*(part[:tables] for part in decisions))  # type: ignore[index]
                choices = int((asked.action_masks.sum(axis=1) > 1).sum())
                if choices and len(asked.chances) == tables:
                    start = time.process_time()
                    search.act(asked)
                    spent.append(1e3 * (time.process_time() - start) / choices)
        self._rounds += 1
        return self._policy.act(decisions)


def measured(name: str, settings: GuidedSpeedSettings) -> list[Row]:
    """Of each search and number of tables: milliseconds a decision with a choice, round by round."""
    game = load(name, players=settings.players)
    searches = [agent(game, search) for search in settings.searches]
    policy, most = agent(game, "policy:pretrained"), max(settings.tables)
    Lockstep(game, Asking(policy, searches, settings.tables, every=50), dealt(game, range(most))).play()  # compiles
    asking = Asking(policy, searches, settings.tables, settings.every)
    Lockstep(game, asking, dealt(game, range(settings.seed, settings.seed + most))).play()
    told = {"players": settings.players, "machine": machine(), "command": command("experiments.studies.guided_speed")}
    return [
        {"game": game.id, "search": search.name, "tables": tables, "milliseconds": spent, **told}
        for (search, tables), spent in asking.milliseconds.items()
    ]


def kept(new: Sequence[Row], old: Sequence[Row]) -> list[Row]:
    """New rows and those old ones that were not measured again on the same machine; machine by machine, then by game."""
    every = {tuple(row[key] for key in WHAT): row for row in [*old, *new]}
    return sorted(every.values(), key=lambda row: (row["machine"], row["game"]))


def page(rows: Sequence[Row]) -> str:
    """The table of rows that are sorted by machine, as Markdown."""
    machines: dict[str, dict[str, None]] = {}
    cells = []
    for row in rows:
        machines.setdefault(row["machine"], {})[f"`{row['command']}`"] = None
        spent = np.array(row["milliseconds"])
        figures = (f"{figure:.2f}" for figure in (spent.mean(), *np.percentile(spent, (50, 95))))
        cells.append([row["game"], f"`{row['search']}`", row["tables"], *figures, len(spent), len(machines)])
    head = ["game", "player", "tables at once", "ms a decision, mean", "median", "95th percentile", "rounds", "machine"]
    by = (f"Machine {number}: {each}, by {', '.join(commands)}." for number, (each, commands) in enumerate(machines.items(), 1))
    seats = ", ".join(dict.fromkeys(f"{row['players']}" for row in rows))
    return (
        f"{markdown_table(head, cells, 'llr')}\nOne core's milliseconds where there is a choice, in rounds over whole matches "
        f"of {seats} copies of the policy. {' '.join(by)}\n"
    )


def check(settings: GuidedSpeedSettings) -> None:
    """Raises OptionError."""
    check_numbers(settings, every=(1, 1000), tables=(1, MOST_TABLES), seed=(0, LARGEST_SEED))


def main(settings: GuidedSpeedSettings) -> None:
    check(settings)
    rows = [row for name in settings.games for row in measured(name, settings)]
    print(page(rows))
    if settings.write:
        results = Results(RESULTS)
        every = kept(rows, results.read("guided_speed", {"rows": []})["rows"])
        results.write("guided_speed", {"rows": every}, page(every))


if __name__ == "__main__":
    run_command(main, GuidedSpeedSettings, __doc__)
