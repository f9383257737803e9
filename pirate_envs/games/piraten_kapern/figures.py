"""Piraten Kapern: what a player asks of a match beside its score."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.games.piraten_kapern.state import CARD_SKULLS, STOP, skulls_on

TURNS, POINTS, BUSTS, ISLANDS, LOSS, ROLLS = range(6)
FIGURES = {
    "points a turn": (POINTS, TURNS),
    "turns lost to skulls": (BUSTS, TURNS),
    "turns on the island": (ISLANDS, TURNS),
    "others' loss a turn": (LOSS, TURNS),
    "rolls a turn": (ROLLS, TURNS),
}


@compiled
def tally(before, action, g, counts):
    """Turns that the first roll ended left nothing to decide: they do not count, and may follow one that does.

    After a whole round of such turns it is no longer known how this one ended: it does not count either.
    """
    if (g.turn == before.turn and g.over == 0) or g.turn > before.turn + int(g.players):
        return
    seat = int(before.to_move)
    skulls = skulls_on(np.int64(g.last_dice[seat])) + int(CARD_SKULLS[int(g.last_card[seat])])
    island = int(g.last_island[seat] != 0)
    counts[seat, TURNS] += 1
    counts[seat, POINTS] += int(g.last_points[seat])
    counts[seat, BUSTS] += int(skulls >= 3 and island == 0)
    counts[seat, ISLANDS] += island
    counts[seat, LOSS] += int(g.last_loss[seat])
    counts[seat, ROLLS] += int(before.rolls) + int(action != STOP)
