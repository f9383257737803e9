"""Piraten Kapern: the rule players. Each decides from the table alone, which everybody sees."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.games.piraten_kapern.players.cautious import cautious_action
from pirate_envs.games.piraten_kapern.players.exact_roll import exact_roll_action

RULE_PLAYERS = ("cautious", "exact_roll")  # weakest first
CAUTIOUS = RULE_PLAYERS.index("cautious")


@compiled
def rule_action(g, player):
    return cautious_action(g) if player == CAUTIOUS else exact_roll_action(g)
