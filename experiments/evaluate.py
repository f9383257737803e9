"""Duplicate evaluation: every deal is replayed with the line-up rotated through every seat.

    python -m experiments.evaluate skull_king random rules:strongest --deals 2000

puts the first player on one seat against the second on all others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tqdm import tqdm

from experiments.command import GameName, GameOptions, WorkerFlags, run_command
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import Evaluation, evaluate
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import check_writable_file, write_text
from pirate_envs.core.options import parse_options


@dataclass
class EvaluateSettings:
    """Compare players over duplicate deals with every seat rotation."""

    game: GameName
    """name of the game"""
    line_up: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER [PLAYER ...]")]
    """players: random, rules:NAME, search:..., exact:..., policy:FOLDER; two names: the first against a field of the second"""
    deals: int = 2000
    """deals, each played in every rotation"""
    players: int = 4
    """seats at the table"""
    seed: int = 0
    """which deals"""
    chunk: int = 500
    """deals that a worker plays at once; fewer for players that think long"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who plays"""
    options: GameOptions = ()
    """further options of the game; the value as JSON"""
    out: Path | None = None
    """write the result as JSON into this file"""


def seats_for(line_up: Sequence[str], players: int) -> list[str]:
    """One name a seat. Raises OptionError."""
    if len(line_up) == players:
        return list(line_up)
    if len(line_up) == 2:
        return [line_up[0], *[line_up[1]] * (players - 1)]
    raise OptionError(f"the line-up has {len(line_up)} players; allowed: 2, or {players} for players={players}")


def main(settings: EvaluateSettings) -> Evaluation:
    """Evaluate, print the table, write the JSON."""
    game = load(settings.game, players=settings.players, **parse_options(settings.options, ("players",)))
    if settings.out:
        check_writable_file(settings.out)
    names = seats_for(settings.line_up, game.players)
    by_name = {name: agent(game, name) for name in dict.fromkeys(names)}
    with tqdm(unit="chunk", desc=settings.game, disable=None, delay=0.5) as bar:

        def told(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        line_up = [by_name[name] for name in names]
        result = evaluate(game, line_up, settings.deals, settings.seed, settings.workers, settings.chunk, told)
    print(result.table())
    if settings.out:
        write_text(settings.out, json.dumps(result.as_dict(), indent=1))
    return result


if __name__ == "__main__":
    run_command(main, EvaluateSettings)
