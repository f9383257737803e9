"""A position that a seat cannot tell from another, from the rulebook alone: it shares nothing with `determinize`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

NUMBERS, ESCAPE, PIRATE, MERMAID, KING, MARY, MARY_AS_ESCAPE = 56, 56, 57, 58, 59, 60, 61
COPIES = {ESCAPE: 5, PIRATE: 5, MERMAID: 2, KING: 1, MARY: 1}
SWAPS, UNDEALT = 60, -1


def cards_in(kinds: int, counts: int) -> list[int]:
    """The cards of a packed hand, Scary Mary once."""
    cards = [kind for kind in range(NUMBERS) if kinds >> kind & 1]
    cards += [kind for at, kind in enumerate((ESCAPE, PIRATE, MERMAID)) for _ in range(counts >> 4 * at & 15)]
    return cards + [kind for kind in (KING, MARY) if kinds >> kind & 1]


def undealt(g: Any, in_hands: list[int]) -> list[int]:
    """The cards that are neither in a hand nor played."""
    gone = [kind for kind in range(NUMBERS) if int(g.gone) >> kind & 1]
    gone += [kind for at, kind in enumerate((ESCAPE, PIRATE, MERMAID)) for _ in range(int(g.gone_counts) >> 4 * at & 15)]
    gone += [KING] * (int(g.gone) >> KING & 1) + [MARY] * int(int(g.gone) >> MARY & 3 != 0)
    deck = [suit * 14 + number for suit in range(4) for number in range(int(g.highest))]
    deck += [kind for kind, copies in COPIES.items() for _ in range(copies)]
    for card in (*gone, *in_hands):
        deck.remove(card)
    return deck


def scrambled(g: Any, seat: int, rng: random.Random) -> Any:
    """Cards swapped among the other hands and what is not dealt, shown voids kept; sealed bids drawn anew; other chance."""
    other = g.copy()
    players = int(g.players)
    hands = {place: cards_in(int(g.hands[place]), int(g.counts[place])) for place in range(players)}
    rest = undealt(g, [card for hand in hands.values() for card in hand])
    places = [(place, card) for place in range(players) if place != seat for card in hands[place]]
    places += [(UNDEALT, card) for card in rest]

    def may_hold(place: int, card: int) -> bool:
        return place == UNDEALT or card >= NUMBERS or not int(g.voids[place]) >> card // 14 & 1

    for _ in range(SWAPS if len(places) > 1 else 0):
        i, j = rng.sample(range(len(places)), 2)
        (here, mine), (there, yours) = places[i], places[j]
        if may_hold(here, yours) and may_hold(there, mine):
            places[i], places[j] = (here, yours), (there, mine)
    for place in range(players):
        if place != seat:
            pack(other, place, [card for holder, card in places if holder == place])
    if g.phase == 0 and not g.bidding:
        for place in range(players):
            if place != seat and g.bids[place] >= 0:
                other.bids[place] = rng.randint(0, int(g.hand_number))
    redraw_chance(other, rng)
    return other


def pack(g: Any, place: int, hand: list[int]) -> None:
    g.hands[place] = sum(1 << kind for kind in set(hand)) | (1 << MARY_AS_ESCAPE if MARY in hand else 0)
    g.counts[place] = sum(hand.count(kind) << 4 * at for at, kind in enumerate((ESCAPE, PIRATE, MERMAID)))


def redraw_chance(g: Any, rng: random.Random) -> None:
    """Another seed, and another state of the generator."""
    g.seed[:] = np.array([rng.getrandbits(32) for _ in range(2)], np.uint32)
    g.gen[:] = np.array([rng.getrandbits(32) | 1 for _ in range(4)], np.uint32)
