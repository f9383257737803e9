"""Piratenpoker: the rule player `plain`, and what every rule player looks at."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.piratenpoker.rules import overboard_actions
from pirate_envs.games.piratenpoker.table import (
    BACKS,
    BELOW_ACTION,
    BID,
    COLOURS,
    FRONTS,
    GIFT,
    GIVE,
    GIVE_NOTHING,
    HAND,
    MAX_PLAYERS,
    NUMBERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    PASS,
    SHARK,
    display_score,
    shown,
)

BACK_SIDE = len(FRONTS)  # side of the first back

# -- what both players look at (np.int64: one type, so that each function is compiled once) ----------------------------


@compiled
def after(seat, steps, players):
    """The seat that many steps on."""
    to = seat + steps
    return to - players if to >= players else to


@compiled
def leader(g, seat):
    """Steps to the other seat with the most points."""
    players = np.int64(g.players)
    best, best_steps = -1000, 1
    for steps in range(1, players):
        points = int(g.scores[after(seat, steps, players)])
        if points > best:
            best, best_steps = points, steps
    return best_steps


@compiled
def worst_back(g, seat):
    """Index of the back that a seat is best rid of, or 0: of the negative ones the lowest, unless its set pays more (R22)."""
    held = shown(g, seat)
    worst, most = 0, 0
    for back in range(1, len(BACKS)):
        card = 1 << (8 * (BACK_SIDE + back))
        if held & (255 * card) != 0:
            gain = display_score(held - card, g.bonus_repeat, g.bonus_sides) - int(g.scores[seat])
            worst, most = (back, gain) if gain > most else (worst, most)
    return worst


@compiled
def give_worst(g, seat, steps):
    """Give the worst back to the seat so many steps on, or to the one that is given others already."""
    back = worst_back(g, seat)
    if g.gift_to >= 0:
        steps = int(g.gift_to) - seat
        steps += np.int64(g.players) if steps < 0 else 0
    return GIVE + (MAX_PLAYERS - 1) * (back - 1) + steps - 1 if back > 0 else GIVE_NOTHING


# -- plain -------------------------------------------------------------------------------------------------------------


@compiled
def lowest_cards(g, seat, count):
    """The bid of so many of the lowest cards, lowest slots first among equal ones."""
    hand = int(g.hands[seat])
    bid = 0
    for number in range(NUMBERS):
        for slot in range(int(g.sizes[seat])):
            if (hand >> (8 * slot)) & 7 == number and count > 0:
                bid |= 1 << slot
                count -= 1
    return bid


@compiled
def plain_bid(g, seat):
    """A low card in the first round, two in the second, all in the third."""
    if g.sizes[seat] == 0:
        return PASS
    return lowest_cards(g, seat, min(int(g.round_number), 2) if g.round_number < 3 else HAND)


@compiled
def plain_overboard(g, seat):
    """A shark for oneself; else the lowest back for the leader."""
    actions = overboard_actions(g)
    best = lowest_bit(actions)
    lowest = -1
    for colour in range(COLOURS):
        front = np.int64(g.offer[colour])
        steps = 0 if front == SHARK else leader(g, seat)
        choice = MAX_PLAYERS * colour + steps
        worth = 10 if front == SHARK else front
        if (actions >> choice) & 1 == 1 and worth > lowest:
            lowest, best = worth, choice
    return OVERBOARD_ACTION + best


@compiled
def plain_below(g):
    """The lower card goes below deck."""
    best, lowest = 0, 100
    for colour in range(COLOURS):
        if g.offer[colour] >= 0 and g.offer[colour] < lowest:
            best, lowest = colour, np.int64(g.offer[colour])
    return BELOW_ACTION + best


@compiled_apart
def plain(g, seat):
    if g.phase == BID:
        return plain_bid(g, seat)
    if g.phase == OVERBOARD:
        return plain_overboard(g, seat)
    return give_worst(g, seat, leader(g, seat)) if g.phase == GIFT else plain_below(g)
