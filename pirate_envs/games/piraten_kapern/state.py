"""Piraten Kapern: cards, faces, the fields of the record, and throws by number. R1 is the folder's manual's.

A throw is what the eight dice show, whatever their order: one of 1,287 multisets of faces, known by its number. What a
throw is worth and what may be done with it are tables by that number, so that playing is looking up.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.core.ranges import FLAG, OF_OPTIONS, SEAT_OR_NO_ONE, Of, Range

MAX_PLAYERS, DICE = 5, 8
FACES = ("coin", "diamond", "monkey", "parrot", "sabre", "skull")
COIN, DIAMOND, MONKEY, PARROT, SABRE, SKULL = range(len(FACES))
CARDS = (
    *("treasure_island", "captain", "sorceress", "monkey_business", "gold", "diamond", "skulls_1", "skulls_2"),
    *("sea_battle_2", "sea_battle_3", "sea_battle_4", "after_the_storm", "peace"),
)
KINDS = len(CARDS)
TREASURE_ISLAND, CAPTAIN, SORCERESS, MONKEY_BUSINESS, GOLD_CARD, DIAMOND_CARD, SKULLS_1, SKULLS_2 = range(8)
SEA_BATTLE_2, SEA_BATTLE_3, SEA_BATTLE_4, STORM, PEACE = range(8, KINDS)
DECK = (4, 4, 4, 4, 4, 4, 3, 2, 2, 2, 2, 0, 0)  # R1
PROMO_DECK = (*DECK[:STORM], 1, 1)

NO_CARD = -1  # of a seat that has not played
STOP = 0  # actions: 0 stops; m = 1..255 re-rolls the slots whose bits are set, the dice lying in the order of FACES
ACTIONS = 1 << DICE

BATTLES = {SEA_BATTLE_2: (2, 300), SEA_BATTLE_3: (3, 500), SEA_BATTLE_4: (4, 1000)}  # sabres needed, points (R16)
CARD_SKULLS = np.zeros(KINDS, np.int64)  # R19
CARD_SKULLS[[SKULLS_1, SKULLS_2]] = 1, 2
IS_BATTLE = np.isin(np.arange(KINDS), list(BATTLES)).astype(np.int64)

FIELDS: list[tuple[Any, ...]] = [
    # the turn: the small ones first fill the gap after the header
    ("card", np.uint8),
    ("sorceress_used", np.uint8),
    ("island", np.uint8),
    ("kept", np.int64),  # dice that the last roll left lying, as packed counts
    ("rolls", np.uint16),
    ("dice", np.uint16),  # number of the throw on the table
    # the match
    ("scores", np.int32, (MAX_PLAYERS,)),
    ("turn", np.int32),  # turns before this one
    ("max_turns", np.int32),
    ("last_dice", np.uint16, (MAX_PLAYERS,)),  # how each seat's last turn ended
    ("last_points", np.int16, (MAX_PLAYERS,)),
    ("last_loss", np.int16, (MAX_PLAYERS,)),
    ("last_card", np.int8, (MAX_PLAYERS,)),
    ("last_island", np.int8, (MAX_PLAYERS,)),
    ("trigger", np.int8),  # whose points called the final round
    ("turns_left", np.int8),  # of the final round, after this one
    ("winner", np.int8),  # at once, with nine identical objects
    ("cards", np.uint8, (KINDS,)),  # option: the full deck
    ("undrawn", np.uint8, (KINDS,)),
    ("undrawn_total", np.uint8),
]

THROW: Range = (0, math.comb(DICE + 5, 5) - 1)
MOST_ROLLS = 30_000  # of one turn, in a record from outside: no rule bounds them, chance does
POINTS: Range = (-(2**15), 2**15 - 1)  # of one turn
RANGES: dict[str, Range] = {
    "card": (0, KINDS - 1),
    "sorceress_used": FLAG,
    "island": FLAG,
    "kept": (0, DICE * 0x010101010101),
    "rolls": (1, MOST_ROLLS),
    "dice": THROW,
    "scores": (-(2**30), 2**30),
    "turn": (0, Of("max_turns", -1)),
    "max_turns": OF_OPTIONS,
    "last_dice": THROW,
    "last_points": POINTS,
    "last_loss": POINTS,
    "last_card": (NO_CARD, KINDS - 1),
    "last_island": FLAG,
    "trigger": SEAT_OR_NO_ONE,
    "turns_left": (0, Of("players", -1)),
    "winner": SEAT_OR_NO_ONE,
    "cards": OF_OPTIONS,
    "undrawn": (0, 2**8 - 1),
    "undrawn_total": (0, 2**8 - 1),
}


# -- throws by number --------------------------------------------------------------------------------------------------

# Packed counts: byte f of an integer is how many dice show face f. With sums[f] the dice of the faces 0..f, up to eight
# dice have the number C(sums[0], 1) + C(sums[1] + 1, 2) + ... + C(sums[5] + 5, 6): 3,003 in all, full throws the last ones.
RANK = np.array([[math.comb(total + face, face + 1) for total in range(16)] for face in range(len(FACES))], np.int64)
PARTIAL = math.comb(DICE + 5, 6)  # numbers of fewer than eight dice come before the full throws
THROWS = math.comb(DICE + 5, 5)
EVERY_BYTE = 0x010101010101


def _all_counts() -> np.ndarray:
    """Counts by face of up to eight dice, int64 (3003, 6), in the order of their numbers."""
    laid = np.array(list(itertools.combinations_with_replacement(range(len(FACES) + 1), DICE)))
    counts = (laid[:, :, None] == np.arange(len(FACES))).sum(1)
    return counts[np.argsort(RANK[np.arange(len(FACES)), counts.cumsum(1)].sum(1))]


LAID = _all_counts()
COUNTS = LAID[PARTIAL:]  # by throw and face
PACKED = (COUNTS << (8 * np.arange(len(FACES)))).sum(1)
_ENDS = COUNTS.cumsum(1)
SLOTS = ((1 << _ENDS) - (1 << (_ENDS - COUNTS)) << (8 * np.arange(len(FACES)))).sum(1)  # byte f: the slots of face f
POWERS = np.array([6**n for n in range(DICE + 1)], np.int64)
_HALF = 6 ** (DICE // 2)
_DIGITS = np.arange(_HALF)[:, None] // POWERS[: DICE // 2] % 6
HALF_THROW = (1 << (8 * _DIGITS)).sum(1)  # packed counts of four dice by their base-6 number


@compiled
def number(packed):
    """The number of the throw with these packed counts of eight dice."""
    sums = int(packed) * EVERY_BYTE
    return (
        (sums & 15)
        + RANK[1, (sums >> 8) & 15]
        + RANK[2, (sums >> 16) & 15]
        + RANK[3, (sums >> 24) & 15]
        + RANK[4, (sums >> 32) & 15]
    )


@compiled
def chosen(throw, action):
    """Packed counts of the dice in the action's slots: the set bits of each byte, counted side by side."""
    bits = SLOTS[throw] & (action * EVERY_BYTE)
    bits -= (bits >> 1) & 0x555555555555
    bits = (bits & 0x333333333333) + ((bits >> 2) & 0x333333333333)
    return (bits + (bits >> 4)) & 0x0F0F0F0F0F0F


@compiled
def faces_of(x, count):
    """Packed counts of `count` dice from x in 0..6**count-1; digits that were not rolled read as coins."""
    x &= 0x1FFFFF  # changes nothing, but tells the compiler that x is not negative, and division gets cheaper
    upper = x // _HALF
    return HALF_THROW[upper] + HALF_THROW[x - upper * _HALF] - (DICE - count)


@compiled
def skulls_on(throw):
    """Skull dice of a throw."""
    return PACKED[throw] >> (8 * SKULL)


@compiled
def sabres_on(throw):
    """Sabres of a throw."""
    return (PACKED[throw] >> (8 * SABRE)) & 15
