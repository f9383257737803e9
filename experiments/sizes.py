"""Size curves: strength against decisions for networks of several widths, so that a size is chosen and not guessed.

    python -m experiments.sizes skull_king                              widths 64, 128 and 256, ten million decisions each
    python -m experiments.sizes skull_king --decisions 100000000        goes on with the same runs

Every width is a run of its own, with the same seed and settings, measured at evenly spaced numbers of decisions against three
of the strongest rule player. An interrupted command goes on where its runs stand.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro

from experiments.command import RESULTS, GameName, WorkerFlags, check_numbers, flags_of, run_command, unflagged
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, Evaluation
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.learning import PPOSettings, Training, begin, resumed, run, runs
from pirate_envs.agents.learning.training import plain
from pirate_envs.agents.report import Results, command, machine, markdown_table, new_figure, save_figure
from pirate_envs.core.errors import OptionError

NEVER = 1e6  # minutes between evaluations by the clock
OWN = ("game", "players", "minutes", "decisions", "width", "seed", "evaluate_minutes", "evaluate_deals", "final_deals", "out",
       "options", "vary", "entropy_floor", "start", "on", "learners", "address")  # fmt: skip
LIMITS = ("minutes", "decisions", "out")  # of a run: others make it another one
LearnerFlags = flags_of(PPOSettings, {}, hidden=OWN)


@dataclass
class SizeSettings:
    """Train networks of several widths on GAME and measure them on the way."""

    game: GameName
    """name of the game"""
    widths: tuple[int, ...] = (64, 128, 256)
    """units in a hidden layer, of each network"""
    decisions: int = 10_000_000
    """of each run"""
    every: int = 2_000_000
    """decisions between two measurements"""
    deals: int = 500
    """of a measurement, each in every rotation"""
    players: int = 4
    """seats at the table"""
    seed: int = 0
    """of every run"""
    learner: Annotated[PPOSettings, tyro.conf.arg(constructor=LearnerFlags)] = field(default_factory=PPOSettings)
    """how they learn"""
    out: Path = Path("runs/sizes")
    """where the runs' folders are, in one of the game's name"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who learns: a run is a chunk"""
    write: bool = False
    """keep the curve in experiments/results"""


def settings_of(settings: SizeSettings, width: int) -> PPOSettings:
    """Of the run of that width."""
    told: dict[str, Any] = {
        "game": settings.game,
        "players": settings.players,
        "decisions": settings.decisions,
        "minutes": None,
        "width": width,
    }
    told |= {"seed": settings.seed, "evaluate_minutes": NEVER, "out": settings.out / settings.game / str(width)}
    return dataclasses.replace(settings.learner, **told)


def course(settings: SizeSettings, width: int) -> dict[str, Any]:
    """Train a network of that width as far as it is to go, and tell what it won on the way."""
    training = _training(settings_of(settings, width))

    def watch(training: Training, _: Mapping[str, Evaluation] | None) -> None:
        measured = max((int(row["decisions"]) for row in training.evaluations.rows()), default=0)
        if training.decisions // settings.every > measured // settings.every:
            training.evaluate(settings.deals)
            training.save()

    run(training, watch)
    strongest = agent(training.game, "rules:strongest").name
    rows = [row for row in training.evaluations.rows() if row["opponent"] == strongest and int(row["decisions"]) > 0]
    return {
        "width": width, "parameters": training.learner.parameters,
        "rate": float(np.median([float(row["decisions_per_second"]) for row in training.metrics.rows()])),
        "points": [{"decisions": int(row["decisions"]), **{name: float(row[key]) for name, key in
                    (("mean", "win_share"), ("low", "low"), ("high", "high"))}} for row in rows],
    }  # fmt: skip


def _training(settings: PPOSettings) -> Training:
    """The run of these settings that is there already, with the new limit, or a new one."""
    for file in sorted((settings.out or Path()).glob("*/settings.json"), reverse=True):
        kept, _ = runs.read_settings(file.parent)
        wanted = plain(settings)
        if {name: kept.get(name) for name in wanted if name not in LIMITS} == {
            name: value for name, value in wanted.items() if name not in LIMITS
        }:
            return resumed(file.parent, decisions=settings.decisions)
    return begin(settings, command("experiments.sizes"))


def page(content: dict[str, Any]) -> str:
    """A row a network, as Markdown."""
    times = sorted({point["decisions"] for row in content["rows"] for point in row["points"]})
    rows = []
    for row in content["rows"]:
        won = {point["decisions"]: Interval(point["mean"], point["low"], point["high"]).percent() for point in row["points"]}
        rows.append([row["width"], f"{row['parameters']:,}", f"{row['rate']:,.0f}", *(won.get(time, "-") for time in times)])
    head = ["width", "parameters", "decisions/s", *(f"after {time / 1e6:.3g} M decisions" for time in times)]
    return (
        f"{content['game']}: matches won by one of each network among three `rules:strongest`; duplicate deals, 95 % intervals "
        f"by deal. The rate is the median of the run's updates.\n\n{markdown_table(head, rows, 'r')}\n"
        f"Command: `{content['command']}`. {content['machine']}.\n"
    )


def draw(path: Path, content: dict[str, Any]) -> None:
    """Strength over decisions, a line a width."""
    figure = new_figure(7, 4.5)
    axis = figure.subplots()
    for row in content["rows"]:
        millions = [point["decisions"] / 1e6 for point in row["points"]]
        label = f"{row['width']} wide, {row['parameters']:,} parameters"
        (line,) = axis.plot(millions, [point["mean"] for point in row["points"]], marker="o", markersize=3, label=label)
        low, high = ([point[end] for point in row["points"]] for end in ("low", "high"))
        axis.fill_between(millions, low, high, color=line.get_color(), alpha=0.2)
    axis.axhline(1 / content["players"], color="grey", linestyle=":", label="even share")
    axis.set(title=content["game"], xlabel="decisions (millions)", ylabel="share of matches won (95 % interval)")
    axis.legend(loc="best")
    axis.grid(alpha=0.3)
    save_figure(path, figure)


def learned_on(device: str) -> str:
    """Which GPU, and by which torch; nothing to say of the processor."""
    here = torch.device(device)
    return "" if here.type == "cpu" else f"; learned on {torch.cuda.get_device_name(here)}, PyTorch {torch.__version__}"


def check(settings: SizeSettings) -> None:
    """Raises OptionError."""
    check_numbers(settings, decisions=(1, 10**15), every=(1, 10**15), deals=(1, MOST_DEALS), seed=(0, LARGEST_SEED))
    if not settings.widths or len(set(settings.widths)) < len(settings.widths):
        raise OptionError(f"--widths are {settings.widths}; needed: one or more different ones")
    for width in settings.widths:
        settings_of(settings, width).check()
    settings.workers.check()


def main(settings: SizeSettings) -> dict[str, Any]:
    """Train, measure, print and perhaps write."""
    check(settings)
    game = load(settings.game, players=settings.players)
    settings = dataclasses.replace(settings, learner=unflagged(PPOSettings, settings.learner))
    with settings.workers.doing(partial(course, settings)) as do:
        rows = do.in_order(settings.widths)
    content = {
        "game": game.id,
        "players": game.players,
        "rows": rows,
        "machine": machine() + learned_on(settings.learner.device),
        "command": command("experiments.sizes"),
    }
    print(page(content))
    draw(settings.out / settings.game / "curve.png", content)
    if settings.write:
        Results(RESULTS).write(f"sizes_{game.name}", content, page(content))
        draw(RESULTS / f"sizes_{game.name}.png", content)
    return content


if __name__ == "__main__":
    run_command(main, SizeSettings, __doc__, interrupted="interrupted: the same command goes on from here")
