"""Lucky Pirate: what a player asks of a match beside its score."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.games.lucky_pirate.rules import cards_left
from pirate_envs.games.lucky_pirate.state import CLEARED, FLIP, NOTHING, PICK_UP, PICKED_UP, PLAYED

DECISIONS, PICK_UPS, PICKED, CLEARS, FLIPS, LUCKY_FLIPS, MATCHES, LEFT = range(8)
FIGURES = {
    "piles picked up, of decisions": (PICK_UPS, DECISIONS),
    "cards in such a pile": (PICKED, PICK_UPS),
    "piles cleared, of decisions": (CLEARS, DECISIONS),
    "downs flipped that fit": (LUCKY_FLIPS, FLIPS),
    "cards left at the end": (LEFT, MATCHES),
}


@compiled
def tally(before, action, g, counts):
    """Decisions of the mover; one that the bound on a tournament's game makes the last of it does not count."""
    seat = int(before.to_move)
    result = PLAYED if g.wins[seat] > before.wins[seat] else int(g.last_result[seat])
    if result == NOTHING:
        return
    flipped = int(FLIP <= action < PICK_UP)
    counts[seat, DECISIONS] += 1
    counts[seat, CLEARS] += int(result == CLEARED)
    counts[seat, FLIPS] += flipped
    if result == PICKED_UP:
        counts[seat, PICK_UPS] += 1
        counts[seat, PICKED] += int(before.pile_size) + flipped
    else:
        counts[seat, LUCKY_FLIPS] += flipped
    if g.over != 0:
        for other in range(int(g.players)):
            counts[other, MATCHES] += 1
            counts[other, LEFT] += cards_left(g, other)
