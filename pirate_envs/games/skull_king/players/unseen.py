"""Skull King: the cards that a seat cannot place, and which of them may beat a card."""

from __future__ import annotations

from typing import NamedTuple

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled
from pirate_envs.games.skull_king import state
from pirate_envs.games.skull_king.players.weights import KINGS, MERMAIDS, PIRATES, PLAIN, TRUMP
from pirate_envs.games.skull_king.state import (
    BLACK,
    ESCAPE,
    ESCAPES,
    KING,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    MERMAID,
    NUMBER_CARDS,
    NUMBERS,
    PIRATE,
    SUIT_CARDS,
    copies,
)


class Unseen(NamedTuple):
    """Cards that a seat cannot place: numbers as bits, the rest as counts."""

    numbers: int
    pirates: int  # Scary Mary is one
    mermaids: int
    kings: int
    total: int


@compiled
def unseen_by(g, seat):
    """What is neither in the seat's hand nor played."""
    hand, gone = int(g.hands[seat]), int(g.gone)
    known, counts = hand | gone, int(g.counts[seat]) + int(g.gone_counts)
    numbers = NUMBER_CARDS[int(g.highest)] & ~known
    mary = 1 - (((known >> MARY_PIRATE) | (known >> MARY_ESCAPE)) & 1)
    pirates = state.PIRATES - copies(counts, PIRATE) + mary
    mermaids = state.MERMAIDS - copies(counts, MERMAID)
    kings = 1 - ((known >> KING) & 1)
    total = popcount(numbers) + ESCAPES - copies(counts, ESCAPE) + pirates + mermaids + kings
    return Unseen(numbers, pirates, mermaids, kings, max(total, 1))


@compiled
def threats(kind, unseen):
    """Class of a card and what may beat it: (class, characters that do, higher or equal cards of its sort)."""
    if kind < NUMBERS:
        suit = kind // MAX_NUMBER
        higher = popcount(unseen.numbers & SUIT_CARDS[suit] & -(2 << kind))  # bits above the card's
        return TRUMP if suit == BLACK else PLAIN, unseen.pirates + unseen.mermaids + unseen.kings, higher
    if kind == KING:
        return KINGS, unseen.mermaids, 0
    if kind == MERMAID:
        return MERMAIDS, unseen.pirates, unseen.mermaids
    return PIRATES, unseen.kings, unseen.pirates
