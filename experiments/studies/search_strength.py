"""How strong search is: one player that searches against copies of another one, and what a decision costs.

python -m experiments.studies.search_strength                    measure and print the table (a quarter of an hour)
python -m experiments.studies.search_strength --write            and keep it in experiments/results
python -m experiments.studies.search_strength --games skull_king --searches search:guided:128 --against policy:pretrained
python -m experiments.studies.search_strength --part belief --searches search:ismcts:1000     with :belief and without

With and without a part of their names, searches play the same deals against the same players, and the difference is taken
deal by deal.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from experiments import conditions
from experiments.command import RESULTS, WorkerFlags, check_numbers, run_command
from experiments.field import OWN_MODEL
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, Outcomes, joined, play, split, summed_up
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, interval, measures
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.names import models_of
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.game import Game
from pirate_envs.games import shipped

CHUNK = 10  # deals that a worker plays at once
EARLIER = "pretrained-v"  # in the name of a policy that came before, or of a search by it
DATED = "2026-11-28"  # from when on rows have a day
FIGURES = "win_share", "margin"  # of the searching player, compared with and without a part


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
    part: str | None = None
    """what may follow the searches' names, such as belief: each is measured with it and without"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays: 10 deals are a chunk"""
    write: bool = False
    """keep the table (search_strength, or search_parts) in experiments/results, where rows not measured now stay"""


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


def measured(
    game: Game, search: Agent, against: Agent, settings: SearchStrengthSettings
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The evaluation's result, with the milliseconds of one core for a decision with a choice; FIGURES by deal, (deals,)."""
    start = time.perf_counter()
    line_up = (search, *[against] * (game.players - 1))
    with settings.workers.doing(TimedDeals(game, line_up, settings.seed)) as do:
        outcomes, seconds, choices = zip(*do.in_order(split(range(settings.deals), CHUNK)), strict=True)
    record = joined(outcomes)
    result = summed_up(game, line_up, settings.seed, record, time.perf_counter() - start)
    by_deal = {key: measures(record.points, record.wins)[key][:, :, 0].mean(axis=1) for key in FIGURES}
    learned = conditions.weights_of({player.name: player for player in (search, against)})
    told = {"cell": name_of(game, search, against), **result.as_dict(), "learned": learned}
    return {**told, "milliseconds": 1e3 * sum(seconds) / sum(choices)}, by_deal


def name_of(game: Game, search: Agent, against: Agent) -> str:
    """What tells a row from others: who plays, and how the table is not as usual."""
    return conditions.named(f"{game.id} {search.name} {against.name}", conditions.entry(game.options.changed()))


def compared(part: str, ways: Sequence[tuple[dict[str, Any], dict[str, np.ndarray]]]) -> dict[str, Any]:
    """How a search with that part did beside the same without it: `ways` are these two, without it first, on the same deals."""
    (without, before), (with_it, after) = ways
    resamples = bootstrap_weights(len(before["margin"]))
    return {
        "cell": f"{without['cell']} {part}",
        "part": part,
        **{key: without[key] for key in ("game", "deals", "matches", "seed")},
        "learned": {**without["learned"], **with_it["learned"]},
        "player": without["line_up"][0],
        "against": without["line_up"][1:],
        "win_shares": [way["figures"][way["line_up"][0]]["win_share"] for way in (without, with_it)],
        "difference": {key: asdict(interval(after[key] - before[key], resamples)) for key in FIGURES},
        "milliseconds": [way["milliseconds"] for way in (without, with_it)],
    }


def parts_table(results: Sequence[dict[str, Any]]) -> str:
    """As Markdown."""
    head = [
        "game", "player", "with", "against", "matches won without (95 %)", "with it", "won more with it (95 %)",
        "margin more with it", "ms a decision", "matches", "on",
    ]  # fmt: skip
    rows = []
    for result in results:
        shares = [Interval(**share).percent() for share in result["win_shares"]]
        won, margin = (Interval(**result["difference"][key]) for key in FIGURES)
        costs = ", ".join(f"{cost:.2f}" for cost in result["milliseconds"])
        against = f"{len(result['against'])} x {result['against'][0]}"
        told = [*shares, won.percent("+"), margin.written("+.2f"), costs, f"{result['matches']:,}", day_of(result)]
        rows.append([result["game"], result["player"], f"`:{result['part']}`", against, *told])
    note = (
        "Each way the same duplicate deals, every seat rotation; differences deal by deal, with bootstrap intervals; "
        "milliseconds of one core where there is a choice, without and with."
    )
    return f"{markdown_table(head, rows, 'lllllllllrr')}\n{note} {measured_on(results)}"


def day_of(result: dict[str, Any]) -> str:
    """When it was measured; "-" where that was not noted, before DATED."""
    return str(result.get("date", "-"))


def table(results: Sequence[dict[str, Any]]) -> str:
    """As Markdown: the players of now, then the rows in which an earlier policy has a part, and how all were measured."""
    earlier = [result for result in results if any(EARLIER in name for name in result["line_up"])]
    now = [result for result in results if result not in earlier]
    note = (
        "Duplicate deals, every seat rotation, bootstrap intervals by deal; milliseconds of one core where there is a choice. "
        f"{OWN_MODEL} against a player by whom it plays its worlds out."
    )
    tables = [rows_of(now)] if now else []
    tables += ["With policies that came before:\n", rows_of(earlier)] if earlier else []
    return "\n".join([*tables, f"{note} {measured_on(results)}"])


def rows_of(results: Sequence[dict[str, Any]]) -> str:
    """A row a result, as Markdown; OWN_MODEL beside what a search wins of a player by whom it plays its worlds out."""
    head = ["game", "player", "against", "matches won (95 %)", "margin to the field", "ms a decision", "matches", "on"]
    rows = []
    for result in results:
        one, other = result["line_up"][:2]
        won, margin = (Interval(**result["figures"][one][key]) for key in ("win_share", "margin"))
        mark = OWN_MODEL if other in models_of(load(result["game"].partition("-")[0]), one) else ""
        figures = won.percent() + mark, margin.written("+.2f"), f"{result['milliseconds']:.2f}", f"{result['matches']:,}"
        rows.append((result["game"], one, f"{len(result['line_up']) - 1} x {other}", *figures, day_of(result)))
    return markdown_table(head, rows, "lllllrr")


def measured_on(results: Sequence[dict[str, Any]]) -> str:
    """Machines, commands, and what a missing day means."""
    where = dict.fromkeys(result["machine"] for result in results)
    commands = "".join(f"- `{by}`\n" for by in dict.fromkeys(result["command"] for result in results))
    undated = f" Those without a day were measured before {DATED}." if any("date" not in result for result in results) else ""
    return f"Measured on {'; '.join(where)} by the commands below.{undated}\n\n{commands}"


def main(settings: SearchStrengthSettings) -> None:
    check_numbers(settings, deals=(1, MOST_DEALS), seed=(0, LARGEST_SEED))
    settings.workers.check()
    about = {"command": command("experiments.studies.search_strength"), "machine": machine(), "date": time.strftime("%Y-%m-%d")}
    name, page = ("search_strength", table) if settings.part is None else ("search_parts", parts_table)
    for game, search, against in itertools.product(settings.games, settings.searches, settings.against):
        found = {**about, **cell(load(game, players=settings.players), search, against, settings)}
        print(page([found]), flush=True)
        if settings.write:
            Results(RESULTS).merge(name, [found], page, key="cell")


def cell(game: Game, search: str, against: str, settings: SearchStrengthSettings) -> dict[str, Any]:
    """A row of one of the tables."""
    other, player = agent(game, against), agent(game, search)
    if settings.part is None:
        return measured(game, player, other, settings)[0]
    players = player, agent(game, f"{search}:{settings.part}")  # both are known before one is measured
    return compared(settings.part, [measured(game, each, other, settings) for each in players])


if __name__ == "__main__":
    run_command(main, SearchStrengthSettings, __doc__)
