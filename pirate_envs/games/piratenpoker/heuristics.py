"""Piratenpoker: rule players, weakest first, deciding only on what the seat to move may see."""

from __future__ import annotations

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled
from pirate_envs.games.piratenpoker import rules


@compiled
def rule_action(g, player):
    if g.phase == rules.BID:
        return 1 if g.sizes[g.to_move] > 0 else 0
    if g.phase == rules.OVERBOARD:
        return 64 + lowest_bit(rules.overboard_actions(g))
    if g.phase == rules.BELOW_DECK:
        return 64 + lowest_bit(rules.below_actions(g))
    return rules.GIVE_NOTHING
