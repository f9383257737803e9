"""Lucky Pirate: what a player asks of a match beside its score."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.games.lucky_pirate.rules import cards_left, fitting, zone_in_play
from pirate_envs.games.lucky_pirate.state import CLEARED, FLIP, KINDS, NOTHING, PICK_UP, PICKED_UP, PLAYED, up_to_three

MOST_AT_ONCE = 3  # equal cards
DECISIONS, PICK_UPS, PICKED, CLEARS, FLIPS, LUCKY_FLIPS, MATCHES, LEFT, COULD_WIN, LET_PASS = range(10)
FIGURES = {
    "piles picked up, of decisions": (PICK_UPS, DECISIONS),
    "cards in such a pile": (PICKED, PICK_UPS),
    "piles cleared, of decisions": (CLEARS, DECISIONS),
    "downs flipped that fit": (LUCKY_FLIPS, FLIPS),
    "cards left at the end": (LEFT, MATCHES),
    "wins at once let pass": (LET_PASS, COULD_WIN),
}
MISTAKES = tuple(FIGURES)[-1:]


@compiled
def may_win_or_not(g, seat):
    """May the mover play all the cards it has left, and do something else too? (R7, R10)"""
    left, plays = cards_left(g, seat), up_to_three(zone_in_play(g, seat)) & fitting(g)
    if left > MOST_AT_ONCE or (left == 1 and g.after_parrot == 0):
        return False
    for kind in range(KINDS):
        if (plays >> (4 * kind + left - 1)) & 1 == 1:
            return True
    return False


@compiled
def tally(before, action, g, counts):
    """Decisions of the mover; one that the bound on a tournament's game makes the last of it does not count."""
    seat = int(before.to_move)
    result = PLAYED if g.wins[seat] > before.wins[seat] else int(g.last_result[seat])
    if result == NOTHING:
        return
    flipped = int(FLIP <= action < PICK_UP)
    counts[seat, DECISIONS] += 1
    if may_win_or_not(before, seat):
        counts[seat, COULD_WIN] += 1
        counts[seat, LET_PASS] += int(g.wins[seat] == before.wins[seat])
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
