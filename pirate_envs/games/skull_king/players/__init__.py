"""Skull King: rule players, a file each, deciding only on what the seat to move may see."""

from __future__ import annotations

from pathlib import Path

from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.weights import load_weights
from pirate_envs.games.skull_king.players.expected_points import expected_points
from pirate_envs.games.skull_king.players.simple import simple
from pirate_envs.games.skull_king.players.weights import NAMES

RULE_PLAYERS = ("simple", "expected_points")  # weakest first
SIMPLE, EXPECTED_POINTS = range(len(RULE_PLAYERS))
SHIPPED = load_weights(Path(__file__).parents[1], RULE_PLAYERS[EXPECTED_POINTS], NAMES, positive=True)
WEIGHTS = SHIPPED.values


@compiled
def rule_action(g, player):
    return expected_points(g, WEIGHTS) if player == EXPECTED_POINTS else simple(g)


@compiled_apart
def weighted_action(g, weights):
    return expected_points(g, weights)
