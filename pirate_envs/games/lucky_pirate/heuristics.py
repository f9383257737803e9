"""Lucky Pirate: rule players, weakest first, deciding only on what the seat to move may see."""

from __future__ import annotations

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled
from pirate_envs.games.lucky_pirate.rules import FLIP, PICK_UP, as_actions, fitting, free_downs, up_to_three, zone_in_play


@compiled
def greedy(g, seat):
    """The lowest card that may be played, as many as there are."""
    zone = zone_in_play(g, seat)
    actions = as_actions(up_to_three(zone) & fitting(g))
    if actions != 0:
        first = lowest_bit(actions)
        return first + ((actions >> (first + 1)) & 1) + ((actions >> (first + 2)) & 1)
    downs = free_downs(g, seat)
    return PICK_UP if zone != 0 else FLIP + lowest_bit(downs)


@compiled
def rule_action(g, player):
    return greedy(g, int(g.to_move))
