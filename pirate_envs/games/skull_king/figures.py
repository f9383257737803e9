"""Skull King: what a player asks of a match beside its score."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.games.skull_king.rules import playable, strength_of
from pirate_envs.games.skull_king.state import KINDS, KING, MAX_NUMBER, MERMAID, NO_SUIT, NUMBERS, PLAYING_TRICKS

HANDS, BID, KEPT, ZEROS, ZEROS_KEPT, BONUS, MET, BROKEN, NEEDED, DUCKED = range(10)
FIGURES = {
    "bids kept": (KEPT, HANDS),
    "mean bid": (BID, HANDS),
    "zero bids": (ZEROS, HANDS),
    "zero bids kept": (ZEROS_KEPT, ZEROS),
    "bonus won a hand": (BONUS, HANDS),
    "met bids broken, last to play": (BROKEN, MET),
    "needed tricks ducked, last to play": (DUCKED, NEEDED),
}
MISTAKES = tuple(FIGURES)[-2:]


@compiled
def takes(g, kind):
    """Would this card, laid last, win the trick? (R16-R21)"""
    king_and_mermaid = (1 << KING) | (1 << MERMAID)
    if (1 << kind) & king_and_mermaid != 0 and (int(g.on_table) | (1 << kind)) & king_and_mermaid == king_and_mermaid:
        return kind == MERMAID and int(g.on_table) & (1 << MERMAID) == 0
    led = int(g.led_suit)
    if led == NO_SUIT and g.free == 0 and kind < NUMBERS:
        led = kind // MAX_NUMBER
    return strength_of(kind, led) > g.strength


@compiled
def choice_of_end(g):
    """Whether the mover, last to play, may both take the trick and leave it."""
    hand = playable(int(g.hands[g.to_move]), int(g.led_suit))
    wins, loses = False, False
    for kind in range(KINDS):
        if (hand >> kind) & 1 == 1:
            if takes(g, kind):
                wins = True
            else:
                loses = True
    return wins and loses


@compiled
def tally_trick(before, g, counts):
    """Whether the last to play has thrown away a bid that it could have kept for now."""
    seat = int(before.to_move)
    missing = int(before.bids[seat]) - int(before.tricks_won[seat])
    met, needed = missing == 0, missing == int(before.tricks_left)
    if (met or needed) and choice_of_end(before):
        took = g.last_winner == seat
        counts[seat, MET] += int(met)
        counts[seat, BROKEN] += int(met and took)
        counts[seat, NEEDED] += int(needed)
        counts[seat, DUCKED] += int(needed and not took)


@compiled
def tally(before, action, g, counts):
    """The bonus of a hand counts whether the bid was kept or not."""
    if before.phase == PLAYING_TRICKS and before.laid == before.players - 1:
        tally_trick(before, g, counts)
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
