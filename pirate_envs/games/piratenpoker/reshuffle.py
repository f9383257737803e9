"""Piratenpoker: what is known of the hands once the discard has become the pile, and deals that agree with it (R19).

At that moment every other card is in a hand, so a seat knows what the others hold together: the old cards. What is drawn
later, the new cards, comes from the discard of then. A card that somebody stakes may be either, if both heaps had its kind.

A history is a deal of the old cards to the places of the hands of then, a deal of the new ones to the places drawn since and
to the pile, and for each card staked the place it came from: one of its seat's, filled by then and not yet staked from. All
histories that agree with what the seat knows are alike; a world weighs as many as lead to it. `deal_hands` draws from that:
it goes through all that the staked cards can have been, old or new, in mostly a few and seldom more than a thousand steps,
keeps one by its weight, and deals the rest of both heaps. Where there are more than ENOUGH steps it keeps one of those seen
so far: near the weights only, but any possible one can be it, and no other.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.rng import below
from pirate_envs.core.seats import after
from pirate_envs.games.piratenpoker import state
from pirate_envs.games.piratenpoker.state import (
    COLOURS,
    DECK,
    EMPTY_HAND,
    HAND,
    KINDS,
    MAX_PLAYERS,
    NUMBERS,
    POKER_CARDS,
    TURN,
)

EVERY_COUNT = 0x0101010101010101
GUARD = 16 * EVERY_COUNT  # above all counts


@compiled
def less_staked(counts, less):
    """Packed counts less others, none below 0."""
    left = counts + GUARD - less
    return left & (((left >> 4) & EVERY_COUNT) * 15)


@compiled
def held_for_certain(g, seat):
    """What the others hold at least, packed counts by colour: their old cards less what they have staked since.

    All old cards and those that the seat has drawn, less the discard, are what is left of the old ones and the seat's own hand.
    """
    hand = int(g.hands[seat])
    green, red, yellow = 0, 0, 0
    for slot in range(HAND):
        kind = (hand >> (8 * slot)) & 31
        card = 1 << (8 * (kind & 7))
        green += card if kind < NUMBERS else 0
        red += card if NUMBERS <= kind < 2 * NUMBERS else 0
        yellow += card if 2 * NUMBERS <= kind < KINDS else 0
    return (
        less_staked(int(g.held[0]) + int(g.drawn[seat, 0]), int(g.discard[0]) + green),
        less_staked(int(g.held[1]) + int(g.drawn[seat, 1]), int(g.discard[1]) + red),
        less_staked(int(g.held[2]) + int(g.drawn[seat, 2]), int(g.discard[2]) + yellow),
    )


# -- which cards staked since are old ones -----------------------------------------------------------------------------

NEW, OLD = 0, 1  # heaps: rows of `left`, int64 (2, 25), the cards of each kind that are left in them
ALL = KINDS  # its last column, their sum
# Columns of `stakes`: DRAWN cards by its seat until then; FREE: may be of either heap; TRIED heaps; KEPT: the heap drawn.
SEAT, KIND, DRAWN, HEAP, FREE, TRIED, KEPT = range(7)
ENOUGH, MOST = 20_000, 1_000_000  # steps; steps without a history found
GRAIN = 1 << 30


@compiled
def read_staked(g, seat, stakes, at):
    """Append the cards that a seat has staked to `stakes`, int64 (84, 7), in order; returns the end."""
    size = int(g.held_sizes[seat])
    fewest, drawn, turn = size, 0, -1
    for place in range(int(g.staked_count)):
        code = int(g.staked[place])
        if code // TURN != turn:  # a new cycle: everybody has drawn
            turn = code // TURN
            more = max(int(g.refill_to) - size, 0)
            size += more
            drawn += more
        if after(int(g.first_seat), code // KINDS % MAX_PLAYERS, int(g.players)) == seat:
            stake = stakes[at]
            stake[SEAT], stake[KIND], stake[DRAWN] = seat, code % KINDS, drawn
            stake[HEAP] = NEW if fewest == 0 else OLD
            stake[FREE] = int(fewest > 0 and drawn > 0)
            size -= 1
            fewest = min(fewest, size)
            at += 1
    return at


@compiled
def _fill_heaps(g, left):
    for kind in range(KINDS):
        held = (int(g.held[kind // NUMBERS]) >> (8 * (kind % NUMBERS))) & 255
        left[OLD, kind] = held
        left[NEW, kind] = ((DECK >> (8 * (kind % NUMBERS))) & 255) - held


@compiled
def _take_known(g, seat, left, stakes):
    """Take a seat's own cards from the heaps; what it held or staked and has not drawn since is old."""
    for i in range(read_staked(g, seat, stakes, 0)):
        left[OLD, stakes[i, KIND]] -= 1
    for slot in range(int(g.sizes[seat])):
        left[OLD, (int(g.hands[seat]) >> (8 * slot)) & 31] -= 1
    for kind in range(KINDS):
        drawn = (int(g.drawn[seat, kind // NUMBERS]) >> (8 * (kind % NUMBERS))) & 255
        left[OLD, kind] += drawn
        left[NEW, kind] -= drawn


@compiled
def _move(stake, heap, cards, left, places):
    """Take a staked card from a heap (cards -1) or put it back (1); `places` are the old cards that the hands have left."""
    stake[HEAP] = heap
    left[heap, stake[KIND]] += cards
    left[heap, ALL] += cards
    places[stake[SEAT]] += cards if heap == OLD else 0


@compiled
def _force(stakes, left, places):
    """Take the staked cards that can be of one heap only from it."""
    for i in range(len(stakes)):
        if stakes[i, FREE] == 0:
            _move(stakes[i], stakes[i, HEAP], -1, left, places)
    forced = True
    while forced:
        forced = False
        for i in range(len(stakes)):
            stake = stakes[i]
            is_new = left[OLD, stake[KIND]] <= 0 or places[stake[SEAT]] <= 0
            if stake[FREE] == 1 and (is_new or left[NEW, stake[KIND]] <= 0):
                stake[FREE] = 0
                _move(stake, NEW if is_new else OLD, -1, left, places)
                forced = True


@compiled
def _ways(stakes):
    """How many choices of places the new cards among one seat's stakes can have come from; 0 if one was not yet drawn."""
    ways, used = 1.0, 0
    for i in range(len(stakes)):
        if stakes[i, HEAP] == NEW:
            ways *= max(stakes[i, DRAWN] - used, 0)
            used += 1
    return ways


@compiled
def _ways_of_all(stakes, ends):
    ways = 1.0
    for seat in range(MAX_PLAYERS):
        ways *= _ways(stakes[ends[seat] : ends[seat + 1]])
    return ways


@compiled
def _share(stake, heap, left, places):
    """The weight that one more staked card of that heap brings; 0 if there is none."""
    share = max(left[heap, stake[KIND]], 0) / max(left[heap, ALL], 1)
    return share * (max(places[stake[SEAT]], 0) if heap == OLD else 1)


@compiled
def _try_next(gen, stake, left, places):
    """Take a free card from the heap not tried yet, the likelier one sooner; returns its weight, below 0 if both are tried."""
    if stake[TRIED] > 0:
        _move(stake, stake[HEAP], 1, left, places)
    if stake[TRIED] == 2:
        stake[TRIED] = 0
        stake[HEAP] = OLD  # as before
        return -1.0
    old, new = _share(stake, OLD, left, places), _share(stake, NEW, left, places)
    heap = 1 - stake[HEAP]
    if stake[TRIED] == 0:
        heap = OLD if below(gen, GRAIN) * (old + new) < old * GRAIN else NEW
    stake[TRIED] += 1
    _move(stake, heap, -1, left, places)
    return old if heap == OLD else new


@compiled
def _in_number(left, places):
    """Has nothing been taken that was not there?"""
    fits, old = True, 0
    for kind in range(KINDS):
        fits &= left[OLD, kind] >= 0 and left[NEW, kind] >= 0
    for seat in range(MAX_PLAYERS):
        fits &= places[seat] >= 0
        old += places[seat]
    return fits and left[OLD, ALL] == old


@compiled
def _take_kept(stakes, left, places):
    """Give every free card the heap that was kept."""
    for i in range(len(stakes)):
        if stakes[i, FREE] == 1:
            if stakes[i, TRIED] > 0:
                _move(stakes[i], stakes[i, HEAP], 1, left, places)
            _move(stakes[i], stakes[i, KEPT], -1, left, places)


@compiled
def _search(gen, stakes, ends, left, places, order, weights):
    """Go through the heaps of the free cards (`order`) and keep each history with its share of the weight so far."""
    total, steps, at = 0.0, 0, 0
    while at >= 0 and steps < (ENOUGH if total > 0 else MOST):
        steps += 1
        if at == len(order):
            weight = weights[at] * _ways_of_all(stakes, ends)
            total += weight
            if below(gen, GRAIN) * total < weight * GRAIN:
                for i in range(len(stakes)):
                    stakes[i, KEPT] = stakes[i, HEAP]
            at -= 1
        else:
            stake = stakes[order[at]]
            share = _try_next(gen, stake, left, places)
            weights[at + 1] = weights[at] * share
            fits = share > 0 and _ways(stakes[ends[stake[SEAT]] : ends[stake[SEAT] + 1]]) > 0
            at += 1 if fits else -1 if share < 0 else 0
    return total > 0


@compiled
def _settle(gen, stakes, ends, left, places, order, weights):
    """Draw the heap of every staked card; seat s has stakes[ends[s] : ends[s + 1]]. False if no history was found."""
    _force(stakes, left, places)
    free = 0
    for i in range(len(stakes)):
        order[free] = i
        free += stakes[i, FREE]
    weights[0] = 1.0
    if not _in_number(left, places) or not _search(gen, stakes, ends, left, places, order[:free], weights):
        return False
    _take_kept(stakes, left, places)
    return True


# -- dealing -----------------------------------------------------------------------------------------------------------


@compiled
def _deal_heap(g, known, heap, left, places):
    """Deal so many cards of a heap to each hand that is not known; the rest is the pile."""
    for colour in range(COLOURS):
        g.pile[colour] = 0
        for at in range(NUMBERS):
            g.pile[colour] += left[heap, NUMBERS * colour + at] << (8 * at)
    cards = left[heap, ALL]
    for seat in range(int(g.players)):
        for _ in range(places[seat] if known >> seat & 1 == 0 else 0):
            kind = state.take_from_pile(g, below(g.gen, cards))
            cards -= 1
            g.hands[seat] = state.with_card(int(g.hands[seat]), kind)
            g.drawn[seat, kind // NUMBERS] += int(heap == NEW) << (8 * (kind % NUMBERS))


@compiled_apart
def deal_hands(g, known):
    """Deal the pile and all hands but those of the seats that are bits of `known`, by the public fields and what these drew.

    False, and nothing but the generator has changed, if no such deal was found (the record's history is impossible).
    """
    left = np.zeros((2, KINDS + 1), np.int64)
    places = np.zeros(MAX_PLAYERS, np.int64)
    stakes, order = np.zeros((POKER_CARDS, KEPT + 1), np.int64), np.zeros(POKER_CARDS + 1, np.int64)
    weights = np.zeros(POKER_CARDS + 1)
    ends = np.zeros(MAX_PLAYERS + 1, np.int64)
    _fill_heaps(g, left)
    for seat in range(int(g.players)):
        if known >> seat & 1:
            _take_known(g, seat, left, stakes)
        else:
            places[seat] = g.held_sizes[seat]
    for seat in range(MAX_PLAYERS):
        hidden = seat < int(g.players) and known >> seat & 1 == 0
        ends[seat + 1] = read_staked(g, seat, stakes, ends[seat]) if hidden else ends[seat]
    stakes = stakes[: ends[MAX_PLAYERS]]
    for kind in range(KINDS):
        left[:, ALL] += left[:, kind]
    if not _settle(g.gen, stakes, ends, left, places, order, weights):
        return False
    for seat in range(int(g.players)):
        if known >> seat & 1 == 0:
            g.hands[seat] = EMPTY_HAND
            for colour in range(COLOURS):
                g.drawn[seat, colour] = 0
    for i in range(len(stakes)):
        g.drawn[stakes[i, SEAT], stakes[i, KIND] // NUMBERS] += (1 - stakes[i, HEAP]) << (8 * (stakes[i, KIND] % NUMBERS))
    _deal_heap(g, known, OLD, left, places)
    for seat in range(int(g.players)):
        places[seat] = int(g.sizes[seat]) - places[seat]
    _deal_heap(g, known, NEW, left, places)
    return True
