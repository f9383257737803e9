"""Skull King: the trick on the table and the bid, as every rule player looks at them."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.games.skull_king.rules import strength_of
from pirate_envs.games.skull_king.state import KING, MAX_NUMBER, MERMAID, NO_SUIT, NUMBERS


@compiled
def beats_table(g, kind):
    """Would the card win the trick as it lies now? (R16-R21)"""
    table = int(g.on_table)
    if kind == KING:
        return (table >> MERMAID) & 1 == 0
    if kind == MERMAID and (table >> KING) & 1 == 1:
        return (table >> MERMAID) & 1 == 0
    suit = int(g.led_suit)
    if suit == NO_SUIT and kind < NUMBERS and g.free == 0:
        suit = kind // MAX_NUMBER
    return strength_of(kind, suit) > g.strength


@compiled
def needed(g, seat):
    """Tricks that the seat still needs to keep its bid; negative: too many won."""
    return int(g.bids[seat]) - int(g.tricks_won[seat])
