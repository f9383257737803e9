"""Matches that the coach is asked about, and a budget that takes no time."""

from __future__ import annotations

from functools import cache

import numpy as np

import pirate_envs
from pirate_envs import Game, Replay
from pirate_envs.agents import agent
from pirate_envs.agents.coach import Budget
from pirate_envs.agents.player import decisions_of

SMALL = Budget(worlds=16, seed=5)
KING = pirate_envs.load("skull_king", players=3, last_hand=3)
KAPERN = pirate_envs.load("piraten_kapern", players=2, target=2000, max_rounds=12)
GUESSED: dict[str, dict[str, int]] = {"skull_king": {}, "piratenpoker": {}, "lucky_pirate": {"max_turns": 40}}
"""Games that are judged by worlds, with options that keep those short."""


def played(game: Game, seed: int, name: str = "rules:strongest", decisions: int = 10_000) -> tuple[list[np.record], list[str]]:
    """The positions and names of so many decisions of a match by one player."""
    player, chance = agent(game, name), np.random.default_rng(seed)
    positions, names = [game.new(seed)], []
    while not game.is_over(positions[-1]) and len(names) < decisions:
        g = positions[-1].copy()
        action = int(player.act(decisions_of(game, g, chance.random()))[0])
        names.append(game.action_name(g, action))
        game.apply(g, action)
        positions.append(g)
    return positions, names


@cache
def match(game: Game = KING) -> Replay:
    return Replay.of(game, 3, played(game, 3)[1])
