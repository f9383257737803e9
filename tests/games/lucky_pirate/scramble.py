"""A position that a seat cannot tell from another, from the rulebook alone: it shares nothing with `determinize`."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests.games.skull_king.scramble import redraw_chance

SWAPS, ASIDE = 60, -1
Place = tuple[int, int]  # a seat and a slot of its downs; (seat, IN_HAND); (ASIDE, 0)
IN_HAND = -1


def cards_in(heap: int) -> list[int]:
    return [kind for kind in range(16) for _ in range(heap >> 4 * kind & 7)]


def scrambled(g: Any, seat: int, rng: random.Random) -> Any:
    """Cards that nobody has seen swapped among other hands, all downs and the hand laid aside; other chance."""
    other = g.copy()
    players = int(g.players)
    places: list[tuple[Place, int]] = [((ASIDE, 0), card) for card in cards_in(int(g.aside))]
    for place in range(players):
        if place != seat:
            hidden = Counter(cards_in(int(g.hands[place]))) - Counter(cards_in(int(g.known[place])))
            places += [((place, IN_HAND), card) for card in hidden.elements()]
        downs = [slot for slot in range(4) if int(g.downs_left[place]) >> slot & 1]
        places += [((place, slot), int(g.down_cards[place, slot])) for slot in downs]

    def may_hold(place: Place, card: int) -> bool:
        return place[1] != IN_HAND or not int(g.cannot_hold[place[0]]) >> 4 * card & 1

    for _ in range(SWAPS if len(places) > 1 else 0):
        i, j = rng.sample(range(len(places)), 2)
        (here, mine), (there, yours) = places[i], places[j]
        if may_hold(here, yours) and may_hold(there, mine):
            places[i], places[j] = (here, yours), (there, mine)
    other.aside = sum(1 << 4 * card for place, card in places if place == (ASIDE, 0))
    for place in range(players):
        if place != seat:
            new = sum(1 << 4 * card for holder, card in places if holder == (place, IN_HAND))
            other.hands[place] = int(g.known[place]) + new
    for (place, slot), card in places:
        if place != ASIDE and slot != IN_HAND:
            other.down_cards[place, slot] = card
    redraw_chance(other, rng)
    return other
