"""Piratenpoker: the rule player `plain`, a simple rule of thumb."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.piratenpoker.players.targets import give_worst, leader
from pirate_envs.games.piratenpoker.rules import overboard_actions
from pirate_envs.games.piratenpoker.state import (
    BELOW_ACTION,
    BID,
    COLOURS,
    GIFT,
    HAND,
    MAX_PLAYERS,
    NUMBERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    PASS,
    SHARK,
)


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
