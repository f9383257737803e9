"""A position that a seat cannot tell from another, from the rulebook alone: it shares nothing with `determinize`.

After a reshuffle a card may change its place with one that came into a hand as it did: one held since before all that are told
of with another of these, one drawn since the last with another of these or with one of the pile.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests.games.skull_king.scramble import redraw_chance

KINDS, NUMBERS, EMPTY, PILE, SWAPS = 24, 8, 24, -1, 60
Counts = Any  # packed counts, one integer a colour


def cards_in(packed: Counts) -> list[int]:
    return [8 * colour + at for colour in range(3) for at in range(8) for _ in range(int(packed[colour]) >> 8 * at & 255)]


def hand_of(g: Any, seat: int) -> list[int]:
    kinds = [int(g.hands[seat]) >> 8 * slot & 255 for slot in range(6)]
    return [kind for kind in kinds if kind != EMPTY]


def staked_by(g: Any, seat: int, window: int) -> Counter[int]:
    """The cards that a seat has staked from one reshuffle to the next; 0: since the last one."""
    codes = [int(code) for code in g.staked[window, : int(g.staked_count[window])]]
    return Counter(code % KINDS for code in codes if (code // KINDS % 5 + int(g.first_seat)) % int(g.players) == seat)


def loose(g: Any, seat: int) -> tuple[list[int], list[int]]:
    """The cards of a hand that were surely held before all reshuffles told of, and those surely drawn since the last one.

    Without a reshuffle all are the latter.
    """
    hand, told = Counter(hand_of(g, seat)), range(int(g.reshuffled))
    if not told:
        return [], sorted(hand.elements())
    staked = [staked_by(g, seat, window) for window in told]
    drawn = [Counter(cards_in(g.drawn[seat, window])) for window in told]
    new = surely(hand, drawn[0], staked[0])
    all_staked, all_drawn = sum(staked, Counter[int]()), sum(drawn, Counter[int]())
    held = hand + all_staked
    held.subtract(all_drawn)
    return sorted(surely(hand, held, all_staked).elements()), sorted(new.elements())


def surely(hand: Counter[int], had: Counter[int], staked: Counter[int]) -> Counter[int]:
    """Of a hand, the cards that must be of those that it had, whichever were staked."""
    return Counter({kind: min(hand[kind], had[kind] - staked[kind]) for kind in hand if had[kind] > staked[kind]})


def swapped(places: list[tuple[int, int]], rng: random.Random) -> list[tuple[int, int]]:
    """The same cards at other places."""
    for _ in range(SWAPS if len(places) > 1 else 0):
        i, j = rng.sample(range(len(places)), 2)
        (here, mine), (there, yours) = places[i], places[j]
        places[i], places[j] = (here, yours), (there, mine)
    return places


def scrambled(g: Any, seat: int, rng: random.Random) -> Any:
    """Other hands, pile, hidden loot and sealed bids than the seat cannot see; other chance."""
    other = g.copy()
    others = [place for place in range(int(g.players)) if place != seat]
    hands = {place: Counter(hand_of(g, place)) for place in others}
    drawn = {place: Counter(cards_in(g.drawn[place, 0])) for place in others}
    old = [(place, card) for place in others for card in loose(g, place)[0]]
    new = [(place, card) for place in others for card in loose(g, place)[1]]
    pile = Counter(cards_in(g.pile))
    for cards, are_new in ((old, False), (new + [(PILE, card) for card in pile.elements()], True)):
        before = list(cards)
        for (place, was), (_, now) in zip(before, swapped(list(cards), rng), strict=True):
            for heap in (
                [pile] if place == PILE else [hands[place], drawn[place]] if are_new and g.reshuffled else [hands[place]]
            ):
                heap[was] -= 1
                heap[now] += 1
    for colour in range(3):
        other.pile[colour] = packed(pile, colour)
        for place in others:
            other.drawn[place, 0, colour] = packed(drawn[place], colour) if g.reshuffled else 0
        shuffle_hidden(other, colour, rng)
    for place in others:
        kinds = sorted(hands[place].elements())
        other.hands[place] = sum(kind << 8 * slot for slot, kind in enumerate([*kinds, *[EMPTY] * (6 - len(kinds))]))
        if g.bids[place] >= 0:
            other.bids[place] = rng.choice(bids_of(kinds, not g.passed[place]))
    redraw_chance(other, rng)
    return other


def packed(cards: Counter[int], colour: int) -> int:
    return sum(cards[8 * colour + at] << 8 * at for at in range(8))


def shuffle_hidden(g: Any, colour: int, rng: random.Random) -> None:
    """The places below the top that nobody has seen."""
    stack, hidden = int(g.stacks[colour]), int(g.hidden[colour])
    cards = [stack >> 4 * place & 15 for place in range(7)]
    some = cards[1 : 1 + hidden]
    rng.shuffle(some)
    cards[1 : 1 + hidden] = some
    g.stacks[colour] = sum(card << 4 * place for place, card in enumerate(cards))


def bids_of(kinds: list[int], may_pass: bool) -> list[int]:
    """Slots staked, as bits: of equal cards the first ones; 0 the Pass."""
    alike = [i for i in range(len(kinds) - 1) if kinds[i] == kinds[i + 1]]
    bids = [bid for bid in range(1, 1 << len(kinds)) if all(bid >> i & 1 or not bid >> i + 1 & 1 for i in alike)]
    return [*bids, 0] if may_pass else bids
