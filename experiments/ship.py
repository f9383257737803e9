"""Ship what was learned: measure runs of several seeds on deals that none of them has met, keep one policy for all users.

    python -m experiments.ship skull_king runs/skull_king-...-1 runs/skull_king-...-2 runs/skull_king-...-3
    python -m experiments.ship skull_king --measure      the shipped policy anew, of which the runs may be gone
    python -m experiments.ship skull_king runs/... --measure      and beside it these runs, as the recipe with another seed

Every run is measured against copies of the strongest rule player and of random play. Which one is shipped
(agents/pretrained/GAME, played as policy:pretrained) is decided on other deals than those of the table.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from experiments.command import RESULTS, GameName, check_numbers, run_command
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import MOST_DEALS, play, versus
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.coach import choice, exact
from pirate_envs.agents.learning import runs
from pirate_envs.agents.names import PRETRAINED
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.policy import KIND, SCHEMA, Policy, newest_checkpoint, replace_policy
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.agents.sealed import read_json, read_manifest
from pirate_envs.core.errors import CheckpointError, OptionError
from pirate_envs.core.game import Game

CHOOSING, TABLE = 3, 4  # seeds of the deals
FIELDS = ("rules:strongest", "random")
POINTS, LOSS = "points a turn", "others' loss a turn"  # of the games that have an exact player: what it optimises is their sum
JUDGED = 1000  # deals of which every decision is held against the exact turn


@dataclass
class ShipSettings:
    """Measure the policies of runs of GAME and ship one of them."""

    game: GameName
    """name of the game"""
    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[RUN ...]")] = ()
    """run folders of `experiments.train`, one a seed"""
    measure: bool = False
    """ship nothing: measure the policy that comes with the game anew, what its table tells of its run stays; and these runs"""
    players: int = 4
    """seats at the table"""
    deals: int = 4000
    """deals, each in every rotation"""


@dataclass
class MeasuredRun:
    """What a run cost, those it began with included, and what came of it."""

    seed: int
    decisions: int
    minutes: float
    commands: list[str]
    """What trained it, in order."""
    won: dict[str, Interval]
    """Field -> share of matches won."""
    exact: Interval | None
    """What its turns bring among copies of the strongest rule player, of what exact turns would; None in games without them."""
    mistakes: dict[str, Interval]
    """Plain mistakes among copies of the strongest rule player, of the decisions where one could be made; by name."""
    lost: Interval | None
    """Points that a decision with a choice loses there against the exact turn; None in games without it."""
    measured_by: str
    """The command."""
    shipped: bool = False
    date: str | None = None
    """The day of the measurement; None where none was noted."""

    @property
    def trained(self) -> tuple[int, list[str]]:
        """How: what tells it from other runs."""
        return self.seed, self.commands


def measured(game: Game, run: Path, deals: int) -> MeasuredRun:
    """A run's row. Raises CheckpointError."""
    settings, _ = runs.read_settings(run)
    return MeasuredRun(int(settings["seed"]), *cost(run), **figures(game, Policy.load(game, run), deals))


def measured_anew(game: Game, deals: int) -> list[MeasuredRun]:
    """The rows of the game's table, with what the shipped policy does measured now.

    Raises CheckpointError if no table tells of that policy, OptionError if the table is of other seats or deals.
    """
    kept = row_of_shipped(PRETRAINED / game.name, game.name)
    told = Results(RESULTS).read(f"pretrained_{game.name}")
    for name, given in (("players", game.players), ("deals", deals)):
        if told[name] != given:
            raise OptionError(f"--{name} is {given}; the table of {game.name}, which is measured anew, has {told[name]}")
    now = figures(game, agent(game, "policy:pretrained"), deals)
    return [replace(read_row(row), **(now if row == kept else {})) for row in told["rows"]]


def beside(rows: list[MeasuredRun], more: list[MeasuredRun]) -> list[MeasuredRun]:
    """Rows of a table and further ones; of runs trained in the same way the new one stays, but for the shipped one."""
    shipped = [row.trained for row in rows if row.shipped]
    new = [row for row in more if row.trained not in shipped]
    return [*(row for row in rows if row.trained not in [each.trained for each in new]), *new]


def read_row(row: Mapping[str, Any]) -> MeasuredRun:
    """As it was written."""
    won, made = ({name: Interval(**figure) for name, figure in row[key].items()} for key in ("won", "mistakes"))
    known = {key: Interval(**row[key]) if row[key] else None for key in ("lost", "exact")}
    return MeasuredRun(**{**row, "won": won, "mistakes": made, **known})


def figures(game: Game, player: Agent, deals: int) -> dict[str, Any]:
    """What a row tells of how the player plays."""
    results = {field: versus(game, player, agent(game, field), deals, TABLE) for field in FIELDS}
    return {
        "won": {field: result.first()["win_share"] for field, result in results.items()},
        "mistakes": mistakes(game, results[FIELDS[0]].first()),
        **beside_exact(game, player, min(deals, JUDGED)),
        "measured_by": command("experiments.ship"),
        "date": time.strftime("%Y-%m-%d"),
    }


def mistakes(game: Game, figures: dict[str, Interval]) -> dict[str, Interval]:
    """Those of a player's figures that are plain mistakes."""
    return {name: figures[name] for name in game.mistakes if name in figures}


def cost(run: Path) -> tuple[int, float, list[str]]:
    """Decisions, minutes and commands of a run and of those it began with (--start). Raises CheckpointError."""
    settings, trained_by = runs.read_settings(run)
    before: tuple[int, float, list[str]] = (0, 0.0, [])
    if settings.get("start"):
        start = Path(settings["start"])
        before = cost(start) if (start / "settings.json").exists() else cost_of_shipped(start, settings["game"])
    if done := results_of_newest(run):
        decisions, minutes = int(done["decisions"]), float(done["minutes"])
    else:
        decisions, minutes = so_far(run)
        trained_by += f"  # stopped after {decisions:,} decisions"
    return before[0] + decisions, before[1] + minutes, [*before[2], trained_by]


def results_of_newest(run: Path) -> dict[str, Any] | None:
    """The results of a run that was not gone on with since and stopped. Raises CheckpointError."""
    file, newest = run / "results.json", newest_checkpoint(run)
    done = read_json(file) if file.exists() else None
    return done if done and (newest is None or done["decisions"] == int(newest.name)) else None


def so_far(run: Path) -> tuple[int, float]:
    """Decisions and minutes up to the newest checkpoint of a run that was stopped. Raises CheckpointError if it has none."""
    checkpoint = newest_checkpoint(run)
    if checkpoint is None:
        raise CheckpointError(f"{run} holds no complete checkpoint")
    decisions = int(checkpoint.name)
    with (run / "metrics.csv").open(encoding="utf-8", newline="") as file:
        minutes = [float(row["minutes"]) for row in csv.DictReader(file) if int(row["decisions"]) <= decisions]
    return decisions, max(minutes, default=0.0)


def cost_of_shipped(folder: Path, game: str) -> tuple[int, float, list[str]]:
    """The same of a shipped policy, as the table of its game tells it. Raises CheckpointError."""
    row = row_of_shipped(folder, game)
    return row["decisions"], row["minutes"], row["commands"]


def row_of_shipped(folder: Path, game: str) -> dict[str, Any]:
    """The table's row of the policy in this folder. Raises CheckpointError."""
    commands = read_manifest(folder, KIND, SCHEMA).get("settings", {}).get("commands")
    rows = Results(RESULTS).read(f"pretrained_{game}", {"rows": []})["rows"]
    for row in rows:
        if row["shipped"] and row["commands"] == commands:
            return dict(row)
    raise CheckpointError(f"of the run that {folder} comes from no table tells")


class Watched(Agent):
    """A player, and what its decisions with a choice lose against a solution."""

    wants_records = True

    def __init__(self, player: Agent, solution: exact.Solution) -> None:
        self.name, self._player, self._solution = player.name, player, solution
        self.losses: list[float] = []

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = self._player.act(decisions)
        for at in np.flatnonzero(decisions.action_masks.sum(axis=1) > 1):
            _, regret = exact.known(self._solution, decisions.redacted[at])[int(actions[at])]
            self.losses.append(regret.mean)
        return actions


def beside_exact(game: Game, player: Agent, deals: int) -> dict[str, Interval | None]:
    """What the player's decisions lose against the exact turn, among copies of the strongest rule player: `lost` points a
    decision with a choice, and `exact`, the share of what exact turns bring that is left, own points and what each other loses.

    What is lost is known of every decision, so that no luck is in the share but which positions came: two samples of what
    turns bring would differ by more than a strong player loses.
    """
    solution = exact.solutions(game).get(choice.POINTS)
    if solution is None:
        return {"lost": None, "exact": None}
    watched, field = Watched(player, solution), agent(game, FIELDS[0])
    lost, made, turns = np.zeros(deals), np.zeros(deals), np.zeros(deals)
    for deal in range(deals):
        watched.losses.clear()
        played = play(game, [watched, *[field] * (game.players - 1)], range(deal, deal + 1), TABLE)
        lost[deal], made[deal] = sum(watched.losses), len(watched.losses)
        turns[deal] = played.counts[0, 0, game.figures[POINTS][1]]
    weights = bootstrap_weights(deals)
    best = versus(game, agent(game, "exact:turn"), field, deals, TABLE).first()
    brought, a_turn = sum(best[key].mean for key in (POINTS, LOSS)), ratio(lost, turns, weights)
    left = a_turn and Interval(*(1 - each / brought for each in (a_turn.mean, a_turn.high, a_turn.low)))
    return {"lost": ratio(lost, made, weights), "exact": left}


def best_of(game: Game, players: list[Agent], deals: int) -> int:
    """The player that wins most among copies of the strongest rule player on the choosing deals; of equals, by margin."""
    results = [versus(game, player, agent(game, FIELDS[0]), deals, CHOOSING).first() for player in players]
    return max(range(len(players)), key=lambda i: (results[i]["win_share"].mean, results[i]["margin"].mean))


def ship(game: Game, run: Path, commands: list[str]) -> Path:
    """Put the run's newest policy in place of the shipped one."""
    checkpoint = newest_checkpoint(run)
    if checkpoint is None:
        raise CheckpointError(f"{run} holds no complete checkpoint")
    policy = Policy.load(game, checkpoint)
    policy.settings = {**policy.settings, "commands": commands, "out": ""}
    folder = PRETRAINED / game.name
    replace_policy(policy, folder)
    return folder


def table(game: Game, rows: list[MeasuredRun], deals: int) -> str:
    """As Markdown."""
    head = ["seed", "decisions", "minutes", *columns(game.players)]
    lines = []
    for row in rows:
        seed = f"{row.seed}{' (shipped)' if row.shipped else ''}"
        lines.append([seed, f"{row.decisions:,}", f"{row.minutes:.0f}", *(won.percent() for won in row.won.values())])
    commands = ", ".join(f"`{each}`" for each in dict.fromkeys(each for row in rows for each in row.commands))
    measured_by = ", ".join(f"`{each}`" for each in dict.fromkeys(row.measured_by for row in rows))
    tables = "\n".join([markdown_table(head, lines, "r"), *mistakes_table(rows), *lost_table(rows, min(deals, JUDGED))])
    return (
        f"{game.id}, {game.players} players (an even share is {1 / game.players:.0%}); {deals:,} deals, every seat rotation, "
        f"intervals by deal.\n\n{tables}\n"
        f"Trained by {commands}; measured by {measured_by}.\n"
    )


def mistakes_table(rows: list[MeasuredRun]) -> list[str]:
    """Plain mistakes of each run among copies of the strongest rule player, as Markdown; nothing in a game that names none."""
    names = list(dict.fromkeys(name for row in rows for name in row.mistakes))
    if not names:
        return []
    shown = [[row.seed, *(row.mistakes[name].percent() if name in row.mistakes else "-" for name in names)] for row in rows]
    told = f"Plain mistakes against `{FIELDS[0]}`, of the decisions where one could be made:\n"
    return [told, markdown_table(["seed", *names], shown, "r")]


def lost_table(rows: list[MeasuredRun], deals: int) -> list[str]:
    """What each run loses against the exact turn, as Markdown; nothing in a game without it."""
    shown = [[row.seed, row.lost.written(".2f"), row.exact.written(".2%") if row.exact else "-"] for row in rows if row.lost]
    if not shown:
        return []
    told = f"Plain mistakes against `{FIELDS[0]}`, every decision with a choice in {deals:,} of the deals:\n"
    head = ["seed", "points lost a decision, by the exact turn", "left of what exact turns bring"]
    return [told, markdown_table(head, shown, "r")]


def overview(contents: list[dict[str, Any]]) -> str:
    """The shipped policies, a row for each game, and how those of all its seeds came out; as Markdown."""
    head = ["game", "decisions", "minutes", *columns(contents[0]["players"]), f"every run against `{FIELDS[0]}`"]
    lines = []
    for content in contents:
        row = next(row for row in content["rows"] if row["shipped"])
        seeds = ", ".join(f"{each['won'][FIELDS[0]]['mean']:.1%}" for each in content["rows"])
        won = [Interval(**figure).percent() for figure in row["won"].values()]
        lines.append([content["game"], f"{row['decisions']:,}", f"{row['minutes']:.0f}", *won, seeds])
    return markdown_table(head, lines, "lr")


def columns(players: int) -> list[str]:
    """Titles of the columns with the share of matches won."""
    return [f"wins against {players - 1} x `{field}`" for field in FIELDS]


def shipped(game: Game, settings: ShipSettings) -> list[MeasuredRun]:
    """Measure the runs, choose one of them and ship it."""
    rows = [measured(game, run, settings.deals) for run in settings.runs]
    best = best_of(game, [Policy.load(game, run) for run in settings.runs], settings.deals)
    rows[best].shipped = True
    print(f"shipped: {ship(game, settings.runs[best], rows[best].commands)}")
    return rows


def all_measured(game: Game, settings: ShipSettings) -> list[MeasuredRun]:
    """The rows of the table with the shipped policy measured anew, and those of the runs."""
    rows = measured_anew(game, settings.deals)
    return beside(rows, [measured(game, run, settings.deals) for run in settings.runs])


def main(settings: ShipSettings) -> dict[str, Any]:
    """Measure, choose and ship, print and write."""
    check_numbers(settings, deals=(1, MOST_DEALS))
    game = load(settings.game, players=settings.players)
    if not settings.runs and not settings.measure:
        raise OptionError("no run folders given; usage: python -m experiments.ship GAME RUN RUN RUN, or GAME --measure")
    rows = all_measured(game, settings) if settings.measure else shipped(game, settings)
    page = table(game, rows, settings.deals)
    print(page)
    head = {"game": game.id, "players": game.players, "deals": settings.deals}
    content = {**head, "rows": [asdict(row) for row in rows]}
    results = Results(RESULTS)
    results.write(f"pretrained_{game.name}", content, page)
    results.write_page("pretrained", overview(results.all("pretrained_*")))
    return content


if __name__ == "__main__":
    run_command(main, ShipSettings, __doc__)
