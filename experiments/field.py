"""Field tables: what one of each player wins among copies of each other, and against whom it wins least.

    python -m experiments.field skull_king                       a game's usual field: hours; goes on where it was
    python -m experiments.field skull_king PLAYER PLAYER ...     these players alone
    python -m experiments.field skull_king --write               and keep the table in experiments/results

A player that was trained or modelled on one opponent may be strong against that one alone: the figure to look at is a
player's worst column. A search that plays its worlds out by the opponent at the table knows that opponent, and such cells
are marked. Searches take hours where others take minutes, so that a field with and one without them are kept side by side,
and so are fields at other seats or by other options.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from tqdm import tqdm

from experiments import conditions
from experiments.command import RESULTS, GameName, GameOptions, WorkerFlags, run_command
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.arena.tournament import Tournament, tournament
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.names import models_of, usual_field
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.game import Game
from pirate_envs.core.options import parse_options

OWN_MODEL = "°"


@dataclass
class FieldSettings:
    """Play the field of GAME, or go on with it."""

    game: GameName
    """name of the game"""
    who: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[PLAYER ...]")] = ()
    """the players; none given: the game's rule players, exact players and policies, and a search of each kind"""
    seats: int = 4
    """seats at the table"""
    options: GameOptions = ()
    """further options of the game; the value as JSON"""
    deals: int = 250
    """deals, each in every rotation by each player among copies of each other"""
    seed: int = 0
    """which deals"""
    out: Path = Path("runs/field")
    """in a folder of the game's name there: what has been played"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays"""
    write: bool = False
    """keep the table in experiments/results"""


@dataclass(frozen=True)
class Row:
    """One player of the field."""

    name: str
    won: dict[str, Interval]
    """Opponent -> share of matches won by one such player among copies of the opponent."""
    models: list[str]
    """The players by whom it plays its worlds out, if it searches."""

    def worst(self, opponents: Iterable[str]) -> str | None:
        """The one of these opponents against which it wins least; None if it meets none of them."""
        met = [name for name in opponents if name in self.won]
        return min(met, key=lambda name: self.won[name].mean, default=None)

    def cell(self, opponent: str | None) -> str:
        """What it wins there, marked if it models that very opponent."""
        if opponent not in self.won:
            return "-"
        return self.won[opponent].percent() + (OWN_MODEL if opponent in self.models else "")


def plan_of(settings: FieldSettings, game: Game) -> Tournament:
    """The tournament that the field is: each player among copies of each other."""
    return Tournament(
        settings.game, settings.who or usual_field(game), (settings.seats,), settings.deals, mixed=0, seed=settings.seed,
        options=settings.options, chunk=min(25, settings.deals),
    )  # fmt: skip


def rows_of(game: Game, payoff: dict[str, dict[str, Interval]]) -> list[Row]:
    """The players, the one with the best worst column first: among players that do not search, then among all."""
    rows = [Row(name, won, models_of(game, name)) for name, won in payoff.items()]
    return sorted(rows, key=lambda row: [-_worst_share(row, among) for among in (thoughtless(rows), names_of(rows))])


def _worst_share(row: Row, opponents: Sequence[str]) -> float:
    worst = row.worst(opponents)
    return 1.0 if worst is None else row.won[worst].mean


def names_of(rows: Sequence[Row]) -> list[str]:
    """All of them."""
    return [row.name for row in rows]


def thoughtless(rows: Sequence[Row]) -> list[str]:
    """Those that do not search."""
    return [row.name for row in rows if not row.models]


def read_rows(content: dict[str, Any]) -> list[Row]:
    """The rows of a result."""
    return [Row(**{**row, "won": {name: Interval(**won) for name, won in row["won"].items()}}) for row in content["rows"]]


def result_of(game: str, *, searches: bool) -> str:
    """The name in experiments/results of a game's field at usual tables, with players that search or without any."""
    return f"field_{game}_with_searches" if searches else f"field_{game}"


def table(content: dict[str, Any]) -> str:
    """As Markdown: the worst columns, then every pair."""
    rows = read_rows(content)
    seats, everybody = content["seats"], names_of(rows)
    among = {"worst against one that does not search": thoughtless(rows), "worst against any": everybody}
    if thoughtless(rows) == everybody:
        among = {"worst against": everybody}
    worst, pairs = [], []
    for row in rows:
        lowest = [row.worst(opponents) for opponents in among.values()]
        cells = [f"{row.cell(name)} {f'`{name}`' if name else ''}".rstrip() for name in lowest]
        worst.append([f"`{row.name}`", *cells])
        pairs.append([f"`{row.name}`", *(row.cell(name) for name in everybody)])
    others = f"{seats - 1} of these" if seats > 2 else "one of these"
    marked = [f"{OWN_MODEL} a search against a player by whom it plays its worlds out."] if len(among) > 1 else []
    return "\n".join(
        [
            f"{conditions.title(content)}, {seats} players (an even share is {1 / seats:.0%}): "
            "matches won by one of each player among",
            f"copies of each other. {content['deals']:,} deals in every seat rotation a cell, intervals by deal.",
            f"Command: `{content['command']}`, {content['date']}.\n",
            markdown_table(["one of these", *among], worst, "lr"),
            markdown_table([f"one of these, by {others}", *(f"`{name}`" for name in everybody)], pairs, "lr"),
            *marked,
            "",
        ]
    )


def main(settings: FieldSettings) -> dict[str, Any]:
    """Play, print and perhaps write."""
    game = load(settings.game, players=settings.seats, **parse_options(settings.options, ("players",)))
    plan = plan_of(settings, game)
    with tqdm(unit="chunk", desc=settings.game, disable=None, delay=0.5) as bar:

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = tournament(plan, settings.out / settings.game, settings.workers, told)
    content = {
        "command": command("experiments.field"), "game": game.id, **conditions.entry(game.options.changed()),
        "seats": settings.seats, "deals": settings.deals, "date": time.strftime("%Y-%m-%d"),
        "learned": conditions.weights_of({name: agent(game, name) for name in plan.players}),
        "rows": [dataclasses.asdict(row) for row in rows_of(game, found.payoff[settings.seats])],
    }  # fmt: skip
    page = table(content)
    print(page)
    if settings.write:
        searches = any(models_of(game, name) for name in plan.players)
        Results(RESULTS).write(conditions.named(result_of(settings.game, searches=searches), content), content, page)
    return content


if __name__ == "__main__":
    run_command(main, FieldSettings, __doc__, interrupted="interrupted: the same command goes on from here")
