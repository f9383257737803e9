"""Skull King: what a player asks of a match beside its score."""

from __future__ import annotations

from pirate_envs.core.jit import compiled

HANDS, BID, KEPT, ZEROS, ZEROS_KEPT, BONUS = range(6)
FIGURES = {
    "bids kept": (KEPT, HANDS),
    "mean bid": (BID, HANDS),
    "zero bids": (ZEROS, HANDS),
    "zero bids kept": (ZEROS_KEPT, ZEROS),
    "bonus won a hand": (BONUS, HANDS),
}


@compiled
def tally(before, action, g, counts):
    """The bonus of a hand counts whether the bid was kept or not."""
    if g.hand_number == before.hand_number and g.over == 0:
        return
    for seat in range(int(g.players)):
        bid = int(before.bids[seat])
        wins_last = int(seat == g.last_winner)
        kept = int(before.tricks_won[seat]) + wins_last == bid
        counts[seat, HANDS] += 1
        counts[seat, BID] += bid
        counts[seat, KEPT] += int(kept)
        counts[seat, ZEROS] += int(bid == 0)
        counts[seat, ZEROS_KEPT] += int(kept and bid == 0)
        counts[seat, BONUS] += int(before.bonus[seat]) + wins_last * int(g.last_bonus)
