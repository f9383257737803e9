"""Piratenpoker: what is known of the hands once the discard has become the pile, and deals that agree with it (R19).

At that moment every other card is in a hand, so a seat knows what the others hold together. What is drawn later comes from the
discard of then. From one reshuffle to the next is a window; windows are told from the last one, 0, back to the first that can
still tell of the hands. So every card came from a heap: heap w are the cards drawn in window w, the last heap those held when
the first window told of began. A card that somebody stakes may be of any heap that had its kind.

A history is a deal of every heap to the places of hands that were filled from it (and of heap 0 to the pile), and for each card
staked the place it came from: one of its seat's, filled by then and not yet staked from. All histories that agree with what the
seat knows are alike; a world weighs as many as lead to it. `deal_hands` draws from that: it goes through all heaps that the
staked cards can have been of, in mostly a few and seldom more than a thousand steps, keeps one choice by its weight, and deals
the rest of the heaps. Where there are more than ENOUGH steps (seldom with one window, with several about one time in six) it
keeps one of those seen so far: near the weights only, but any possible one can be it, and no other. A search that has found
none begins anew, by other chance, every TRY steps, TRIES times, and then goes on to MOST: some first choices lead to no history
that a million steps would find, while others soon come to one (Gomes, Selman and Kautz 1998), and some positions have so few
that only going through all choices comes to one.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
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
    WINDOWS,
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
        less_staked(int(g.held[0, 0]) + int(g.drawn[seat, 0, 0]), int(g.discard[0]) + green),
        less_staked(int(g.held[0, 1]) + int(g.drawn[seat, 0, 1]), int(g.discard[1]) + red),
        less_staked(int(g.held[0, 2]) + int(g.drawn[seat, 0, 2]), int(g.discard[2]) + yellow),
    )


# -- which heap each card staked is of ---------------------------------------------------------------------------------

HEAPS = WINDOWS + 1  # rows of `left`, int64 (HEAPS, 25), the cards of each kind that are left in them, and of `places`, int64
ALL = KINDS  # (HEAPS, 5), the places of hands that are filled from them; a last column of `left` is the sum of all kinds
# Columns of `stakes`. FILLED: byte h, cards of heap h that had come into the seat's hand until then; MAY: heaps that it can be
# of, as bits; HEAP: that it is of, or NO_HEAP; TRIED heaps, as bits; KEPT: the heap drawn.
SEAT, KIND, WINDOW, FILLED, MAY, HEAP, TRIED, KEPT = range(8)
NO_HEAP = -1
MOST_STAKES = WINDOWS * POKER_CARDS
ENOUGH, TRY, TRIES, MOST = 20_000, 500, 2_000, 3_000_000  # steps; without a history found: of a try, how many tries, all steps
GRAIN = 1 << 30


@compiled
def _drawn_up_to(size, hand, window):
    """A hand, as the size, FILLED and MAY of its next stake, once it has drawn up to that size in a window."""
    held, filled, may = hand
    more = max(size - held, 0)
    return held + more, filled + (more << 8 * window), may | int(more > 0) << window


@compiled
def _less_one(hand):
    """A hand once it has staked a card; an empty one has kept none."""
    held, filled, may = hand
    return held - 1, filled, may if held > 1 else 0


@compiled
def read_staked(g, seat, stakes, at, places):
    """Append the cards that a seat has staked to `stakes`, int64 (MOST_STAKES, 8), in order; returns the end."""
    told = int(g.reshuffled)
    hand = _drawn_up_to(int(g.held_sizes[seat, told - 1]), (0, 0, 0), told)
    for window in range(told - 1, -1, -1):
        turn = -1
        for place in range(int(g.staked_count[window])):
            code = int(g.staked[window, place])
            if code // TURN != turn:  # a new cycle: everybody has drawn
                turn = code // TURN
                hand = _drawn_up_to(int(g.refill_to), hand, window)
            if after(int(g.first_seat), code // KINDS % MAX_PLAYERS, int(g.players)) == seat:
                _write_stake(stakes[at], seat, code % KINDS, window, hand)
                hand = _less_one(hand)
                at += 1
        hand = _drawn_up_to(int(g.held_sizes[seat, window - 1] if window > 0 else g.sizes[seat]), hand, window)
    for heap in range(told + 1):
        places[heap, seat] = (hand[1] >> 8 * heap) & 255
    return at


@compiled
def _write_stake(stake, seat, kind, window, hand):
    stake[SEAT], stake[KIND], stake[WINDOW] = seat, kind, window
    stake[FILLED], stake[MAY], stake[HEAP] = hand[1], hand[2], NO_HEAP


@compiled
def _fill_heaps(g, left):
    """Heap w are the cards drawn in window w; the last one those held when the first window told of began."""
    told = int(g.reshuffled)
    for kind in range(KINDS):
        for window in range(told):
            held = (int(g.held[window, kind // NUMBERS]) >> (8 * (kind % NUMBERS))) & 255
            left[window, kind] = ((DECK >> (8 * (kind % NUMBERS))) & 255) - held
            left[window + 1, kind] = held  # until the next one writes over it


@compiled
def _take_known(g, seat, left, stakes, places):
    """Take a seat's own cards from the heaps; what it held or staked and has not drawn is of the last one."""
    told = int(g.reshuffled)
    for i in range(read_staked(g, seat, stakes, 0, places)):
        left[told, stakes[i, KIND]] -= 1
    for slot in range(int(g.sizes[seat])):
        left[told, (int(g.hands[seat]) >> (8 * slot)) & 31] -= 1
    for window in range(told):
        for kind in range(KINDS):
            drawn = (int(g.drawn[seat, window, kind // NUMBERS]) >> (8 * (kind % NUMBERS))) & 255
            left[told, kind] += drawn
            left[window, kind] -= drawn
    for heap in range(HEAPS):
        places[heap, seat] = 0


@compiled
def _move(stake, heap, cards, left, places):
    """Take a staked card from a heap (cards -1) or put it back (1)."""
    stake[HEAP] = heap
    left[heap, stake[KIND]] += cards
    left[heap, ALL] += cards
    places[heap, stake[SEAT]] += cards


@compiled
def _is_free(stake):
    """Can a staked card be of more than one heap?"""
    return stake[MAY] & (stake[MAY] - 1) != 0


@compiled
def _still_possible(stake, left, places):
    """The heaps that a staked card can be of, as bits, with what is left of them."""
    may = stake[MAY]
    for heap in range(HEAPS):
        gone = left[heap, stake[KIND]] <= 0 or (heap != stake[WINDOW] and places[heap, stake[SEAT]] <= 0)
        may &= ~(int(gone) << heap)
    return may


@compiled
def _force(stakes, left, places):
    """Take the staked cards that can be of one heap only from it."""
    for i in range(len(stakes)):
        if not _is_free(stakes[i]):
            _take_only(stakes[i], left, places)
    forced = True
    while forced:
        forced = False
        for i in range(len(stakes)):
            if _is_free(stakes[i]):
                stakes[i, MAY] = _still_possible(stakes[i], left, places)
                if not _is_free(stakes[i]):
                    _take_only(stakes[i], left, places)
                    forced = True


@compiled
def _take_only(stake, left, places):
    """Take a card from the only heap it can be of; if there is none from one that has none left, which `_in_number` sees."""
    _move(stake, lowest_bit(stake[MAY]) if stake[MAY] != 0 else stake[WINDOW], -1, left, places)


@compiled
def _ways(stakes):
    """How many choices of places one seat's stakes can have come from; 0 if one was not yet drawn."""
    ways, used = 1.0, 0
    for i in range(len(stakes)):
        heap = stakes[i, HEAP]
        if heap >= 0:
            at = 8 * heap
            ways *= max(((stakes[i, FILLED] >> at) & 255) - ((used >> at) & 255), 0)
            used += 1 << at
    return ways


@compiled
def _ways_of_all(stakes, ends):
    ways = 1.0
    for seat in range(MAX_PLAYERS):
        ways *= _ways(stakes[ends[seat] : ends[seat + 1]])
    return ways


@compiled
def _share(stake, heap, left):
    """The weight that one more staked card of that heap brings; 0 if there is none."""
    return max(left[heap, stake[KIND]], 0) / max(left[heap, ALL], 1)


@compiled
def _chance(stake, heap, left, places):
    """How likely a card is of that heap, about."""
    if (stake[MAY] >> heap) & 1 == 0:
        return 0.0
    return _share(stake, heap, left) * (1 if heap == stake[WINDOW] else max(places[heap, stake[SEAT]], 0))


@compiled
def _first_heap(gen, stake, left, places):
    """A heap to try first, the likelier one sooner."""
    total = 0.0
    for heap in range(HEAPS - 1, -1, -1):
        total += _chance(stake, heap, left, places)
    rest = below(gen, GRAIN) * total
    for heap in range(HEAPS - 1, 0, -1):
        chance = _chance(stake, heap, left, places) * GRAIN
        if rest < chance:
            return heap
        rest -= chance
    return lowest_bit(stake[MAY])


@compiled
def _try_next(gen, stake, left, places):
    """Take a free card from a heap not tried yet; returns its weight, below 0 if all are tried."""
    if stake[HEAP] >= 0:
        _move(stake, stake[HEAP], 1, left, places)
    untried = stake[MAY] & ~stake[TRIED]
    if untried == 0:
        stake[TRIED], stake[HEAP] = 0, NO_HEAP
        return -1.0
    heap = _first_heap(gen, stake, left, places) if stake[TRIED] == 0 else lowest_bit(untried)
    share = _share(stake, heap, left)
    stake[TRIED] |= 1 << heap
    _move(stake, heap, -1, left, places)
    return share


@compiled
def _in_number(told, left, places):
    """Has nothing been taken that was not there, and is each heap that no pile holds as large as its places?"""
    fits = True
    for heap in range(told + 1):
        cards = 0
        for kind in range(KINDS):
            fits &= left[heap, kind] >= 0
        for seat in range(MAX_PLAYERS):
            fits &= places[heap, seat] >= 0
            cards += places[heap, seat]
        fits &= heap == 0 or left[heap, ALL] == cards
    return fits


@compiled
def _take_kept(stakes, left, places):
    """Give every free card the heap that was kept."""
    for i in range(len(stakes)):
        if _is_free(stakes[i]):
            if stakes[i, HEAP] >= 0:
                _move(stakes[i], stakes[i, HEAP], 1, left, places)
            _move(stakes[i], stakes[i, KEPT], -1, left, places)


@compiled
def _bring_forward(stakes, left, places, order, at):
    """Of the free cards not tried yet make one the next that can be of the fewest heaps: dead ends are seen sooner."""
    fewest, chosen, next_at = HEAPS + 1, at, at
    while next_at < len(order) and fewest > 1:
        heaps = popcount(_still_possible(stakes[order[next_at]], left, places))
        chosen = next_at if heaps < fewest else chosen
        fewest = min(fewest, heaps)
        next_at += 1
    order[at], order[chosen] = order[chosen], order[at]


@compiled
def _begin(stakes, left, places, order):
    """All free cards in their first order, put back, none tried; returns how many there are."""
    free = 0
    for i in range(len(stakes)):
        if _is_free(stakes[i]):
            if stakes[i, HEAP] >= 0:
                _move(stakes[i], stakes[i, HEAP], 1, left, places)
            stakes[i, HEAP], stakes[i, TRIED] = NO_HEAP, 0
            order[free] = i
            free += 1
    return free


@compiled
def _search(g, stakes, ends, left, places, order, weights):
    """Go through the heaps of the free cards (`order`) and keep each history with its share of the weight so far."""
    total, steps, at = 0.0, 0, 0
    while at >= 0 and steps < (ENOUGH if total > 0 else MOST):
        steps += 1
        if total == 0 and steps % TRY == 0 and steps <= TRY * TRIES:
            _begin(stakes, left, places, order)
            at = 0
        if at == len(order):
            weight = weights[at] * _ways_of_all(stakes, ends)
            total += weight
            if below(g.gen, GRAIN) * total < weight * GRAIN:
                for i in range(len(stakes)):
                    stakes[i, KEPT] = stakes[i, HEAP]
            at -= 1
        else:
            if g.reshuffled > 1 and stakes[order[at], TRIED] == 0:
                _bring_forward(stakes, left, places, order, at)
            stake = stakes[order[at]]
            share = _try_next(g.gen, stake, left, places)
            weights[at + 1] = weights[at] * share
            fits = share > 0 and _ways(stakes[ends[stake[SEAT]] : ends[stake[SEAT] + 1]]) > 0
            at += 1 if fits else -1 if share < 0 else 0
    return total > 0


@compiled
def _settle(g, stakes, ends, left, places, order, weights):
    """Draw the heap of every staked card; seat s has stakes[ends[s] : ends[s + 1]]. False if no history was found."""
    _force(stakes, left, places)
    weights[0] = 1.0
    free = _begin(stakes, left, places, order)
    if not _in_number(int(g.reshuffled), left, places):
        return False
    if not _search(g, stakes, ends, left, places, order[:free], weights):
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
        for _ in range(places[heap, seat] if known >> seat & 1 == 0 else 0):
            kind = state.take_from_pile(g, below(g.gen, cards))
            cards -= 1
            g.hands[seat] = state.with_card(int(g.hands[seat]), kind)
            _note_drawn(g, seat, kind, heap)


@compiled
def _note_drawn(g, seat, kind, heap):
    if heap < g.reshuffled:
        g.drawn[seat, heap, kind // NUMBERS] += 1 << (8 * (kind % NUMBERS))


@compiled
def _empty_hand(g, seat):
    g.hands[seat] = EMPTY_HAND
    for window in range(WINDOWS):
        for colour in range(COLOURS):
            g.drawn[seat, window, colour] = 0


@compiled_apart
def deal_hands(g, known):
    """Deal the pile and all hands but those of the seats that are bits of `known`, by the public fields and what these drew.

    False, and nothing but the generator has changed, if no such deal was found (the record's history is impossible).
    """
    left = np.zeros((HEAPS, KINDS + 1), np.int64)
    places = np.zeros((HEAPS, MAX_PLAYERS), np.int64)
    stakes, order = np.zeros((MOST_STAKES, KEPT + 1), np.int64), np.zeros(MOST_STAKES + 1, np.int64)
    weights = np.zeros(MOST_STAKES + 1)
    ends = np.zeros(MAX_PLAYERS + 1, np.int64)
    _fill_heaps(g, left)
    for seat in range(int(g.players)):
        if known >> seat & 1:
            _take_known(g, seat, left, stakes, places)
    for seat in range(MAX_PLAYERS):
        hidden = seat < int(g.players) and known >> seat & 1 == 0
        ends[seat + 1] = read_staked(g, seat, stakes, ends[seat], places) if hidden else ends[seat]
    stakes = stakes[: ends[MAX_PLAYERS]]
    for kind in range(KINDS):
        left[:, ALL] += left[:, kind]
    if not _settle(g, stakes, ends, left, places, order, weights):
        return False
    for seat in range(int(g.players)):
        if known >> seat & 1 == 0:
            _empty_hand(g, seat)
    for i in range(len(stakes)):
        _note_drawn(g, stakes[i, SEAT], stakes[i, KIND], stakes[i, HEAP])
    for heap in range(int(g.reshuffled), -1, -1):
        _deal_heap(g, known, heap, left, places)
    return True
