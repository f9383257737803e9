"""From a name to a player: `random`, `rules:NAME`, `search:KIND:BUDGET`, `policy:pretrained`, `policy:FOLDER`, `exact:NAME`."""

from __future__ import annotations

import re
from pathlib import Path

from pirate_envs.agents.baselines import Rules, Uniform
from pirate_envs.agents.player import Agent
from pirate_envs.agents.playouts import PolicyPlayouts
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.search import Search

from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.engine.seating import compiled_names
from pirate_envs.games.piraten_kapern.solved import turn as exact
from pirate_envs.games.piraten_kapern.solved.race import ExactRace
from pirate_envs.games.piraten_kapern.solved.turn import ExactTurn

EXACT = (ExactTurn, ExactRace)
PRETRAINED = Path(__file__).resolve().parent / "pretrained"  # a policy's folder for each game


def agent_names(game: Game) -> list[str]:
    """The names that `agent` knows for this game; FOLDER stands for a saved policy's or a run's folder."""
    solved = [player.name for player in EXACT if game.name == exact.GAME]
    shipped = ["policy:pretrained"] if (PRETRAINED / game.name).is_dir() else []
    return [*compiled_names(game), "rules:strongest", *solved, "search:flat:N", "search:ismcts:N", *shipped, "policy:FOLDER"]


def agent(game: Game, name: str) -> Agent:
    """The player of that name. Raises UnknownPlayerError, or CheckpointError for a policy that cannot be loaded."""
    kind, _, which = name.partition(":")
    if name == "random":
        return Uniform()
    if kind == "rules" and which:
        return Rules(game, which)
    for player in EXACT:
        if name == player.name:
            return player(game)
    if by_policy := re.fullmatch(r"search:flat:([1-9]\d{0,4}):policy=(.+)", name):
        policy = f"policy:{by_policy[2]}"
        return PolicyPlayouts(game, name, int(by_policy[1]), agent(game, policy))
    if kind == "search":
        return Search(game, name)
    if name == "policy:pretrained":
        return Policy.load(game, PRETRAINED / game.name, name=name)
    if kind == "policy" and which:
        return Policy.load(game, which)
    raise UnknownPlayerError(f"unknown player {name!r}; there are: {', '.join(agent_names(game))}")
