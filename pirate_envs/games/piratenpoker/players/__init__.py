"""Piratenpoker: rule players, weakest first, deciding only on what the seat to move may see.

`plain` is a simple rule of thumb. `loot_value` weighs every division of its cards over the rounds that are left.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.piratenpoker.players.foreseen import LOWER
from pirate_envs.games.piratenpoker.players.loot_value import SHIPPED, WEIGHTS, loot_value
from pirate_envs.games.piratenpoker.players.plain import plain

__all__ = ["RULE_PLAYERS", "SHIPPED", "rule_action", "weighted_action"]

RULE_PLAYERS = ("plain", "loot_value")
PLAIN = RULE_PLAYERS.index("plain")


@compiled_apart
def weighted_action(g, weights):
    return loot_value(g, LOWER, weights)


@compiled
def rule_action(g, player):
    if player == PLAIN:
        return plain(g, np.int64(g.to_move))
    return loot_value(g, LOWER, WEIGHTS)
