"""Lucky Pirate: the rule players, weakest first, deciding only on what the seat to move may see."""

from __future__ import annotations

from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.lucky_pirate.players.greedy import greedy_action
from pirate_envs.games.lucky_pirate.players.weighs_odds import WEIGHTS, odds_action

RULE_PLAYERS = ("greedy", "weighs_odds")
WEIGHS_ODDS = RULE_PLAYERS.index("weighs_odds")


@compiled
def rule_action(g, player):
    return odds_action(g, WEIGHTS) if player == WEIGHS_ODDS else greedy_action(g, int(g.to_move))


@compiled_apart
def weighted_action(g, weights):
    return odds_action(g, weights)
