"""From points to rewards: the three objectives that every game shares."""

from __future__ import annotations

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled

WIN, SCORE, MARGIN = 0, 1, 2  # indices of core.options.REWARDS


@compiled
def highest(points, players):
    """Bit set of the seats with the most points."""
    best = points[0]
    for seat in range(1, players):
        best = max(best, points[seat])
    seats = 0
    for seat in range(players):
        if points[seat] == best:
            seats |= 1 << seat
    return seats


@compiled
def write_rewards(g, points, winners, out):
    """Write each seat's worth of these points under the record's objective.

    win: winners share +1 and the others share -1 (all winners: 0). score: points / scale. margin: points less the mean
    of the others' points, / scale.
    """
    players = int(g.players)
    if g.reward == WIN:
        won = popcount(winners)
        lost = players - won
        for seat in range(players):
            if lost == 0:
                out[seat] = 0.0
            elif (winners >> seat) & 1:
                out[seat] = 1.0 / won
            else:
                out[seat] = -1.0 / lost
        return
    total = 0
    for seat in range(players):
        total += points[seat]
    for seat in range(players):
        others = (total - points[seat]) / (players - 1) if g.reward == MARGIN else 0.0
        out[seat] = (points[seat] - others) / g.scale
