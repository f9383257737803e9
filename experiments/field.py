"""Field tables: what one of each player wins among copies of each other, and against whom it wins least.

    python -m experiments.field skull_king                       a game's usual field: hours; goes on where it was
    python -m experiments.field skull_king PLAYER PLAYER ...     these players alone
    python -m experiments.field skull_king --until 3             each cell until its interval is ± 3 points, or has all deals
    python -m experiments.field skull_king --write               and keep the table in experiments/results

A player that was trained or modelled on one opponent may be strong against that one alone: the figure to look at is a
player's worst column. A search that plays its worlds out by the opponent at the table knows that opponent, and such cells
are marked. Searches take hours where others take minutes, so that a field with and one without them are kept side by side,
and so are fields at other seats or by other options.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import tyro
from tqdm import tqdm

from experiments import conditions
from experiments.command import RESULTS, GameName, GameOptions, WorkerFlags, run_command
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import Outcomes
from pirate_envs.agents.arena.standings import LineUp, duel_shares
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, interval
from pirate_envs.agents.arena.tournament import Tournament, play_until
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.names import models_of, usual_field
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game
from pirate_envs.core.options import parse_options

OWN_MODEL = "°"
CHUNK, LEAST_DEALS = 25, 50  # deals that are played at once, and fewer than which are never enough
PER_CENT = 100


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
    until: float | None = None
    """points of the win: a cell whose 95 % interval reaches no further to either side has had deals enough"""
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
        options=settings.options, chunk=min(CHUNK, settings.deals),
    )  # fmt: skip


def enough(until: float, outcomes: Outcomes) -> bool:
    """Whether a cell needs no more deals: its interval is ± `until` points or less, and not for want of deals."""
    if len(outcomes.wins) < LEAST_DEALS:
        return False
    won = interval(outcomes.wins[:, :, 0].mean(axis=1), bootstrap_weights(len(outcomes.wins)))
    return won.high - won.low <= 2 * until / PER_CENT


def payoff_of(players: Sequence[str], found: Mapping[LineUp, Outcomes]) -> dict[str, dict[str, Interval]]:
    """Player -> opponent -> share of matches that one such player wins among copies of the opponent."""
    payoff: dict[str, dict[str, Interval]] = {name: {} for name in players}
    for line_up, outcomes in found.items():
        for (one, other), won in duel_shares(line_up, outcomes).items():
            payoff[players[one]][players[other]] = interval(won, bootstrap_weights(len(won)))
    return payoff


def rows_of(game: Game, payoff: Mapping[str, dict[str, Interval]]) -> list[Row]:
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
            f"copies of each other. {_deals(content)}, intervals by deal.",
            f"Command: `{content['command']}`, {content['date']}.\n",
            markdown_table(["one of these", *among], worst, "lr"),
            markdown_table([f"one of these, by {others}", *(f"`{name}`" for name in everybody)], pairs, "lr"),
            *marked,
            "",
        ]
    )


def _deals(content: Mapping[str, Any]) -> str:
    most = f"{content['deals']:,} deals in every seat rotation a cell"
    if "until" not in content:
        return most
    return (
        f"Up to {most}, asked after every {CHUNK} from {LEAST_DEALS} on whether its interval is ± {content['until']:g} points "
        f"({content['matches']:,} matches in all)"
    )


def main(settings: FieldSettings) -> dict[str, Any]:
    """Play, print and perhaps write."""
    game = load(settings.game, players=settings.seats, **parse_options(settings.options, ("players",)))
    if settings.until is not None and not 0 < settings.until <= PER_CENT:
        raise OptionError(f"--until is {settings.until}; allowed: points of the win above 0, up to {PER_CENT}")
    ended = None if settings.until is None else partial(enough, settings.until)
    plan = plan_of(settings, game)
    with tqdm(unit="chunk", desc=settings.game, disable=None, delay=0.5) as bar:

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = play_until(plan, settings.out / settings.game, ended, settings.workers, told)
    until = {"until": settings.until, "matches": sum(each.wins.shape[0] * each.wins.shape[1] for each in found.values())}
    content = {
        "command": command("experiments.field"), "game": game.id, **conditions.entry(game.options.changed()),
        "seats": settings.seats, "deals": settings.deals, "date": time.strftime("%Y-%m-%d"),
        **(until if settings.until is not None else {}),
        "learned": conditions.weights_of({name: agent(game, name) for name in plan.players}),
        "rows": [dataclasses.asdict(row) for row in rows_of(game, payoff_of(plan.players, found))],
    }  # fmt: skip
    page = table(content)
    print(page)
    if settings.write:
        searches = any(models_of(game, name) for name in plan.players)
        Results(RESULTS).write(conditions.named(result_of(settings.game, searches=searches), content), content, page)
    return content


if __name__ == "__main__":
    run_command(main, FieldSettings, __doc__, interrupted="interrupted: the same command goes on from here")
