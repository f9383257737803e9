"""Piratenpoker: rule players, weakest first, deciding only on what the seat to move may see.

`plain` is a simple rule of thumb. `loot_value` weighs every division of its cards over the rounds that are left.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.piratenpoker.foreseen import LOWER
from pirate_envs.games.piratenpoker.loot_value import HABITS, TUNED, loot_value
from pirate_envs.games.piratenpoker.plain import plain

__all__ = ["TUNED", "rule_action", "weighted_action"]


@compiled_apart
def weighted_action(g, weights):
    return loot_value(g, LOWER, weights)


@compiled
def rule_action(g, player):
    if player > 0:
        return loot_value(g, LOWER, HABITS)
    return plain(g, np.int64(g.to_move))
