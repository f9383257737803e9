"""Skull King: `simple`, a plain human rule of thumb."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled
from pirate_envs.games.skull_king.players.trick import beats_table, needed
from pirate_envs.games.skull_king.rules import playable, strength_of
from pirate_envs.games.skull_king.state import (
    BIDDING,
    BLACK,
    KING,
    MARY_PIRATE,
    MAX_NUMBER,
    MERMAID,
    PIRATE,
    PLAY,
    SUIT_CARDS,
    SUITS,
    copies,
)


@compiled
def simple_bid(g, seat):
    """Count half tricks: the king, pirates and Scary Mary 2, mermaids and black from 9 up 1, other 13s and 14s 1."""
    hand, counts = int(g.hands[seat]), int(g.counts[seat])
    halves = 2 * (((hand >> KING) & 1) + ((hand >> MARY_PIRATE) & 1) + copies(counts, PIRATE))
    halves += copies(counts, MERMAID)
    for suit in range(SUITS):
        sure = 9 if suit == BLACK else 13
        halves += popcount(hand & SUIT_CARDS[suit] & -(1 << (suit * MAX_NUMBER + sure - 1)))  # -(1 << k): bits k and up
    return halves // 2


@compiled
def simple_card(g, seat):
    """Tricks needed: the strongest card, or the weakest winner when last to play. Else: the strongest card that loses."""
    want = needed(g, seat) > 0
    last = g.laid == g.players - 1
    cards = playable(int(g.hands[seat]), int(g.led_suit))
    best, best_worth = -1, -1000
    while cards != 0:
        kind = lowest_bit(cards)
        cards &= cards - 1
        power = strength_of(kind, kind // MAX_NUMBER)
        wins = g.laid > 0 and beats_table(g, kind)
        if want:
            worth = (100 - power if last else 100 + power) if wins or g.laid == 0 else -power
        else:
            worth = -power if wins or g.laid == 0 else power
        if worth > best_worth:
            best, best_worth = kind, worth
    return best


@compiled
def simple(g):
    """The action of the rule of thumb."""
    seat = np.int64(g.to_move)  # one type, so that each function is compiled once
    return simple_bid(g, seat) if g.phase == BIDDING else PLAY + simple_card(g, seat)
