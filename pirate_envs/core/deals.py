"""Deals of unknown cards to holders that are known not to have some kinds: every possible deal is equally likely.

A shuffled heap is dealt; at a card that its holder cannot have all is dealt anew. Where that fails too often, lots are drawn.

Cards that are closed to the same holders are a group. Group by group, those with the fewest places first, each card draws one
of so many lots: the most places that can be open to it then, whatever those before it drew. A lot beyond the places that are
open means that all is drawn anew. So every arrangement that respects the bars comes with the same chance, the product of
1 / lots over all cards, and the first try that ends is a uniform draw of them. The mirror image, in which each holder's places
draw lots for cards, is as right; the side with fewer arrangements of lots draws, as it ends sooner. Where bars are nested
(those of one holder always are) there are as many lots as open places and the first try ends; in play of Skull King most do,
and at worst one in fifty.
"""

from __future__ import annotations

import math

import numpy as np

from pirate_envs.core.errors import PositionError
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.rng import below

HEAPS = 20  # tries with a shuffled heap: each is over soon
TRIES = 1_000_000  # with lots; in play a few hundred are enough


@compiled
def _deal_heap(gen, cards, need, barred):
    """Shuffle the cards that are needed to the front; False, at once, at one that its holder cannot have."""
    dealt = 0
    for holder in range(len(need)):
        for at in range(dealt, dealt + int(need[holder])):
            j = at + below(gen, len(cards) - at)
            cards[at], cards[j] = cards[j], cards[at]
            if (int(barred[holder]) >> int(cards[at])) & 1 == 1:
                return False
        dealt += int(need[holder])
    return True


@compiled
def _members(sizes, groups):
    """How many members these groups (bits) have together."""
    members = 0
    for group in range(len(sizes)):
        if (groups >> group) & 1 == 1:
            members += int(sizes[group])
    return members


@compiled_apart
def _grouped(cards, need, barred):
    """Sort the cards into groups that are closed to the same holders (of those that need any).

    Returns the holders (bits) that each group is closed to, and its size: int64, (groups,) each.
    """
    closed_to = np.zeros(len(cards), np.int64)
    closed, sizes, groups = np.zeros(len(cards), np.int64), np.zeros(len(cards), np.int64), 0
    for i in range(len(cards)):
        for holder in range(len(barred)):
            if need[holder] > 0 and (int(barred[holder]) >> int(cards[i])) & 1 == 1:
                closed_to[i] |= 1 << holder
        group = 0
        while group < groups and closed[group] != closed_to[i]:
            group += 1
        closed[group] = closed_to[i]
        sizes[group] += 1
        groups = max(groups, group + 1)
    given, done = cards.copy(), 0
    for group in range(groups):
        for i in range(len(given)):
            if closed_to[i] == closed[group]:
                cards[done] = given[i]
                done += 1
    return closed[:groups], sizes[:groups]


@compiled_apart
def _mirrored(closed, holders):
    """The groups (bits) that each holder is closed to, int64, (holders,)."""
    mirrored = np.zeros(holders, np.int64)
    for group in range(len(closed)):
        for holder in range(holders):
            mirrored[holder] |= ((int(closed[group]) >> holder) & 1) << group
    return mirrored


@compiled_apart
def _plan(sizes, closed, others):
    """Which group draws when, how many lots its first member has (each later one has one less), the log of all lots' product.

    `sizes`: members of each group; `closed`: which of the other side's groups (bits) are closed to it; `others`: their members.
    Raises PositionError where there are fewer lots than members: then no deal is possible.
    """
    order, lots = np.arange(len(sizes)), np.zeros(len(sizes), np.int64)
    for i in range(1, len(order)):  # there are few
        for j in range(i, 0, -1):
            if _members(others, int(closed[order[j]])) > _members(others, int(closed[order[j - 1]])):
                order[j], order[j - 1] = order[j - 1], order[j]
    left, log_ways = _members(others, (1 << len(others)) - 1), 0.0
    for i in range(len(order)):
        group = order[i]
        taken = _members(others, int(closed[group]))
        for earlier in order[:i]:  # at best these take members that are closed to this group
            taken -= min(int(sizes[earlier]), _members(others, int(closed[group]) & ~int(closed[earlier])))
        lots[i] = left - max(taken, 0)
        left -= int(sizes[group])
        if lots[i] < sizes[group]:
            raise PositionError("cards: no deal respects what their holders are known not to have")
        log_ways += math.lgamma(lots[i] + 1.0) - math.lgamma(lots[i] - sizes[group] + 1.0)
    return order, lots, log_ways


@compiled
def _try_once(gen, closed, order, lots, starts, other_starts, left, free, drawn):
    """Draw one of the other side for each member, into `drawn`; False if a lot is none of those that are open to it.

    `starts`: where each group's members begin, and their end; `left`: how many each group of the other side has; `free`: these,
    in any order within their groups.
    """
    for i in range(len(order)):
        group = order[i]
        for member in range(int(starts[group]), int(starts[group + 1])):
            lot, other = below(gen, int(lots[i] + starts[group]) - member), 0
            while other < len(left) and ((int(closed[group]) >> other) & 1 == 1 or lot >= left[other]):
                if (int(closed[group]) >> other) & 1 == 0:
                    lot -= int(left[other])
                other += 1
            if other == len(left):
                return False
            left[other] -= 1
            at, last = int(other_starts[other]) + lot, int(other_starts[other] + left[other])
            free[at], free[last] = free[last], free[at]
            drawn[member] = free[last]
    return True


@compiled_apart
def _draw(gen, sizes, closed, others, order, lots):
    """Which of the other side each member gets, int64, (members,)."""
    starts, other_starts = np.zeros(len(sizes) + 1, np.int64), np.zeros(len(others) + 1, np.int64)
    starts[1:], other_starts[1:] = np.cumsum(sizes), np.cumsum(others)
    left, free, drawn = others.copy(), np.arange(starts[-1]), np.zeros(starts[-1], np.int64)
    for _ in range(TRIES):
        if _try_once(gen, closed, order, lots, starts, other_starts, left, free, drawn):
            return drawn
        left[:] = others
    raise PositionError("cards: no deal found that respects what their holders are known not to have")


@compiled_apart
def _deal_lots(gen, cards, need, barred):
    places = np.zeros(len(need) + 1, np.int64)
    places[:-1], places[-1] = need, len(cards) - need.sum()  # the last holder is nobody
    closed, sizes = _grouped(cards, places, barred)
    mirrored = _mirrored(closed, len(places))
    order, lots, log_ways = _plan(sizes, closed, places)
    mirrored_order, mirrored_lots, mirrored_log_ways = _plan(places, mirrored, sizes)
    given = cards.copy()
    if mirrored_log_ways < log_ways - 0.1:  # the same answer whatever the last digits are
        cards[:] = given[_draw(gen, places, mirrored, sizes, mirrored_order, mirrored_lots)]
    else:
        cards[_draw(gen, sizes, closed, places, order, lots)] = given


@compiled_apart
def deal(gen, cards, need, barred):
    """Reorder `cards` so that each holder's come one after the other, in the order of the holders; what nobody gets is last.

    `gen`: the generator, uint32, (4,). `cards`: kinds of 0..62, int8, (n,), each entry a card of its own. For each holder (at
    most 61): `need`, how many cards it gets, and `barred`, the kinds (bits) that it cannot have: int64, (holders,) each.
    All orders of the holders' cards in which none has a barred one are equally likely. Raises PositionError if there are too
    few cards, if no deal respects the bars, or if none was found in TRIES tries.
    """
    wanted = 0
    for holder in range(len(need)):
        wanted += int(need[holder])
        if need[holder] < 0 or wanted > len(cards):
            raise PositionError("cards: there are fewer than their holders need, or one needs fewer than none")
    for _ in range(HEAPS):
        if _deal_heap(gen, cards, need, barred):
            return
    _deal_lots(gen, cards, need, barred)
