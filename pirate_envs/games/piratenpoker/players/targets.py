"""Piratenpoker: whom the rule players hurt, and with which card. (np.int64: one type, so that each is compiled once.)"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.core.seats import after
from pirate_envs.games.piratenpoker.state import (
    BACKS,
    FRONTS,
    GIVE,
    GIVE_NOTHING,
    MAX_PLAYERS,
    display_score,
    shown,
)

BACK_SIDE = len(FRONTS)  # side of the first back


@compiled
def leader(g, seat):
    """Steps to the other seat with the most points."""
    players = np.int64(g.players)
    best, best_steps = -1000, 1
    for steps in range(1, players):
        points = int(g.scores[after(seat, steps, players)])
        if points > best:
            best, best_steps = points, steps
    return best_steps


@compiled
def worst_back(g, seat):
    """Index of the back that a seat is best rid of, or 0: of the negative ones the lowest, unless its set pays more (R22)."""
    held = shown(g, seat)
    worst, most = 0, 0
    for back in range(1, len(BACKS)):
        card = 1 << (8 * (BACK_SIDE + back))
        if held & (255 * card) != 0:
            gain = display_score(held - card, g.bonus_repeat, g.bonus_sides) - int(g.scores[seat])
            worst, most = (back, gain) if gain > most else (worst, most)
    return worst


@compiled
def give_worst(g, seat, steps):
    """Give the worst back to the seat so many steps on, or to the one that is given others already."""
    back = worst_back(g, seat)
    if g.gift_to >= 0:
        steps = int(g.gift_to) - seat
        steps += np.int64(g.players) if steps < 0 else 0
    return GIVE + (MAX_PLAYERS - 1) * (back - 1) + steps - 1 if back > 0 else GIVE_NOTHING
