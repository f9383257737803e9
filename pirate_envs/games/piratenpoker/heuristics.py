"""Piratenpoker: rule players, weakest first, deciding only on what the seat to move may see.

`plain` is a simple rule of thumb. `loot_value` weighs every division of its cards over the rounds that are left.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.games.piratenpoker.foreseen import LOWER
from pirate_envs.games.piratenpoker.loot_value import HABITS, loot_value
from pirate_envs.games.piratenpoker.plain import plain


@compiled
def rule_action(g, player):
    if player > 0:
        return loot_value(g, LOWER, HABITS)
    return plain(g, np.int64(g.to_move))
