"""The rule player `cautious`: it keeps what scores and stops at the second skull."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled
from pirate_envs.games.piraten_kapern.rules import own_points, sabres_lie
from pirate_envs.games.piraten_kapern.state import (
    BATTLES,
    CARD_SKULLS,
    COIN,
    DIAMOND,
    IS_BATTLE,
    KINDS,
    PACKED,
    PEACE,
    SABRE,
    SKULL,
    SLOTS,
    STOP,
    STORM,
    sabres_on,
    skulls_on,
)

SABRES_NEEDED = np.array([BATTLES.get(card, (0, 0))[0] for card in range(KINDS)])


@compiled
def slots_of(throw, face):
    """The action that re-rolls all dice of a face."""
    return (SLOTS[throw] >> (8 * face)) & 255


@compiled
def is_loose(card, face, count):
    """Would the cautious player roll these dice again?"""
    if card == PEACE and face == SABRE:
        return True
    if IS_BATTLE[card] == 1 and face == SABRE:
        return False
    if face == COIN or face == DIAMOND:
        return False
    return card == STORM or count < 3


@compiled
def loose_slots(g, throw):
    card = np.int64(g.card)
    sabres = sabres_on(throw)
    if sabres_lie(g) == 1 and sabres > 0:  # R35: they cost what they cost, and nothing else counts
        return 0
    losing = IS_BATTLE[card] == 1 and sabres < SABRES_NEEDED[card]
    slots = 0
    for face in range(SKULL):
        count = (PACKED[throw] >> (8 * face)) & 15
        if g.island != 0 or (losing and face != SABRE) or is_loose(card, face, count):
            slots |= slots_of(throw, face)
    return slots


@compiled
def cautious_action(g):
    throw = np.int64(g.dice)
    skulls = skulls_on(throw) + CARD_SKULLS[g.card]
    slots = loose_slots(g, throw)
    if g.island == 0 and skulls == 3:  # the sorceress must be asked
        skull_slots = slots_of(throw, SKULL)
        another = (slots & -slots) | int(slots == 0)  # the first loose die, or the first of all
        return (skull_slots & -skull_slots) | another * int(g.sorceress_alone == 0)
    if popcount(slots) < 2 or (g.island == 0 and skulls == 2 and own_points(g) > 0):
        return STOP
    return slots
