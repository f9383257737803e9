"""`describe`: a game's rules, options, observation and actions, printed from its code."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from pirate_envs.cli.text import manual_text, print_table
from pirate_envs.core.game import Game
from pirate_envs.core.jit import is_compiled
from pirate_envs.games import load

EXAMPLES = 3  # names shown for a kind of action
MOST_DECISIONS = 200  # of the match that examples are taken from
UNCOMPILED = """
import json, sys
from pirate_envs.cli.describe import action_examples
from pirate_envs.games import load
print(json.dumps(action_examples(load(sys.argv[1]))))
"""


def players_of(game: Game) -> str:
    """How many players the game takes, as in '2-6'."""
    field = next(field for field in dataclasses.fields(game.options) if field.name == "players")
    return f"{field.metadata['low']}-{field.metadata['high']}"


def describe(given: argparse.Namespace) -> None:
    """Print a game's rules, options, observation and actions."""
    game = load(given.game)
    examples = asked_examples(game)
    print(f"{game.title} ({game.id}), {players_of(game)} players\n\n{manual_text(game.manual.strip())}\n\nOptions\n")
    print_table([("option", "default", "allowed", "meaning"), *type(game.options).table()])
    print(f"\nObservation: {game.layout.size} float32 cells; seats are counted from the observer's own\n")
    print_table([("cells", "piece", "bounds", "meaning"), *game.layout.table()])
    print(f"\nActions: {game.actions}\n", flush=True)
    names = action_examples(game) if examples is None else answered(examples, game)
    rows = [(ranges(ids), kind, ", ".join(names[kind])) for kind, ids in game.action_kinds.items()]
    print_table([("ids", "kind", "for example"), *rows])


def asked_examples(game: Game) -> subprocess.Popen[str] | None:
    """A process of plain Python that is asked for the examples: quicker by far than to compile a game. None: not needed."""
    if not is_compiled():
        return None
    return subprocess.Popen(
        [sys.executable, "-P", "-c", UNCOMPILED, game.name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def answered(asked: subprocess.Popen[str], game: Game) -> dict[str, list[str]]:
    """What that process found; if it could not be had (a game that only this process knows), the game is compiled after all."""
    out, _ = asked.communicate()
    if asked.returncode:
        return action_examples(game)
    names: dict[str, list[str]] = json.loads(out)
    return names


def action_examples(game: Game) -> dict[str, list[str]]:
    """Kind of action -> names of some: of legal actions met in a random match."""
    names: dict[str, list[str]] = {kind: [] for kind in game.action_kinds}
    kind_of = {action: kind for kind, actions in game.action_kinds.items() for action in actions}
    g, chance = game.new(0), np.random.default_rng(0)
    for _ in range(MOST_DECISIONS):
        if game.is_over(g) or all(len(some) >= EXAMPLES for some in names.values()):
            break
        legal = game.legal_actions(g)
        for action in legal:
            some = names[kind_of[action]]
            if len(some) < EXAMPLES and (name := game.action_name(g, action)) not in some:
                some.append(name)
        game.apply(g, int(chance.choice(legal)))
    return names


def ranges(ids: Sequence[int]) -> str:
    """Ascending ids as text, as in '0-10' and '11, 13, 40'; more than a handful of runs are only counted."""
    runs: list[list[int]] = []
    for number in sorted(ids):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if len(runs) > 4:
        return f"{len(ids)} of {min(ids)}-{max(ids)}"
    return ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in runs)
