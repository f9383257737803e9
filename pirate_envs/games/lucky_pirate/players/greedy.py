"""Lucky Pirate: `greedy` plays the lowest card that fits, as many as it has."""

from __future__ import annotations

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled
from pirate_envs.games.lucky_pirate.players.cards import plays_of
from pirate_envs.games.lucky_pirate.rules import free_downs
from pirate_envs.games.lucky_pirate.state import FLIP, PICK_UP


@compiled
def greedy_action(g, seat):
    """The lowest card that fits, as many as there are; else the first free down."""
    plays = plays_of(g, seat)
    if plays != 0:
        first = lowest_bit(plays)
        return first + ((plays >> (first + 1)) & 1) + ((plays >> (first + 2)) & 1)
    downs = free_downs(g, seat)
    return FLIP + lowest_bit(downs) if downs != 0 else PICK_UP
