"""Lucky Pirate: the cards, actions and fields of the record, and heaps of cards. Rule numbers are the folder's manual's.

A heap of cards (a hand, the ups of a seat, the pile, ...) is one integer, four bits for the number of each kind: to pick
up the pile is one addition, and what may be played comes from a few bit operations on all kinds at once.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.ranges import FLAG, OF_OPTIONS, SEAT, Of, Range

MAX_PLAYERS, SLOTS = 6, 4
KIND_NAMES = (
    *("1", "2", "3", "4", "5", "6", "mermaid", "8", "captain", "kraken"),  # of value 1 to 10
    *("first_mate", "porthole", "parrot", "plank", "reverse", "skip"),
)
KINDS, NUMBERS = len(KIND_NAMES), 10
MERMAID, CAPTAIN, KRAKEN, FIRST_MATE, PORTHOLE, PARROT, PLANK, REVERSE, SKIP = (6, *range(8, KINDS))
DECK = (4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3)  # R1
MOST_COPIES = 7  # of a kind: three bits, the fourth stays free
MOST_CARDS = KINDS * MOST_COPIES
TABLE_CARDS = np.array([0, 0, 4, 4, 3, 2, 2], np.int64)  # downs of a seat, and as many ups, by players (R4)
PLACES = np.array([0, 0, 3, 3, 4, 5, 6], np.int64)  # by players (R3)

FLIP, PICK_UP, STOP = 3 * KINDS, 3 * KINDS + SLOTS, 3 * KINDS + SLOTS + 1  # 3 * kind + copies - 1 plays cards
ACTIONS = STOP + 1

OPEN, LOCKED, NEEDS = 0, NUMBERS + 1, NUMBERS + 2  # what the pile asks for: anything, 1 to 10, or an answer to a captain
NO_CARD, HIDDEN = -1, KINDS
NOTHING, PLAYED, CLEARED, PICKED_UP, STOPPED = range(5)  # what became of a seat's last decision
SPARE_GAMES = 8  # of a tournament, in place of truncated ones
IN_PAIRS = 0  # a value of the option several_reverses; the other one is 1

EVERY = 0x1111111111111111  # one of each kind

FIELDS = [
    # heaps
    ("hands", np.int64, (MAX_PLAYERS,)),
    ("ups", np.int64, (MAX_PLAYERS,)),
    ("known", np.int64, (MAX_PLAYERS,)),  # of each hand: what all have seen to go there
    ("cannot_hold", np.int64, (MAX_PLAYERS,)),  # one of each kind that the rest of the hand has not, as pick-ups have proved
    ("pile", np.int64),
    ("cleared", np.int64),
    ("aside", np.int64),  # the third hand of two players
    ("whole_deck", np.int64),  # made from options
    # the match
    ("turn", np.int32),  # turns before this one
    ("game_number", np.int16),
    ("most_games", np.int16),  # made from options
    ("dealer", np.int8),
    ("wins", np.int8, (MAX_PLAYERS,)),
    # the game
    ("direction", np.int8),  # +1 to the left, -1 to the right
    ("need", np.int8),
    ("table", np.int8),  # which of rules.FITS, made from captain_on_captain, first_mate and reverse_skip
    ("run_value", np.int8),  # 0: no run
    ("run_length", np.int8),
    ("after_parrot", np.int8),  # its player may play on or stop
    ("pile_size", np.int8),
    ("aside_size", np.int8),
    ("hand_sizes", np.int8, (MAX_PLAYERS,)),
    ("ups_left", np.int8, (MAX_PLAYERS,)),  # slots, as bits
    ("downs_left", np.int8, (MAX_PLAYERS,)),
    ("up_cards", np.int8, (MAX_PLAYERS, SLOTS)),
    ("down_cards", np.int8, (MAX_PLAYERS, SLOTS)),
    ("last_action", np.int8, (MAX_PLAYERS,)),
    ("last_flip", np.int8, (MAX_PLAYERS,)),  # the card flipped
    ("last_result", np.int8, (MAX_PLAYERS,)),
    ("pile_cards", np.int8, (MOST_CARDS,)),  # from the bottom up
]

HEAP: Range = (0, EVERY * MOST_COPIES)
BY_SLOT: Range = (0, (1 << SLOTS) - 1)
RANGES: dict[str, Range] = {
    "hands": HEAP,
    "ups": HEAP,
    "known": HEAP,
    "cannot_hold": (0, EVERY),
    "pile": HEAP,
    "cleared": HEAP,
    "aside": HEAP,
    "whole_deck": OF_OPTIONS,
    "turn": (0, Of("max_turns")),
    "game_number": (1, Of("most_games")),
    "most_games": OF_OPTIONS,
    "dealer": SEAT,
    "wins": (0, Of("wins_needed")),
    "direction": (-1, 1),
    "need": (OPEN, LOCKED),
    "table": OF_OPTIONS,
    "run_value": (0, NUMBERS),
    "run_length": (0, 2),  # three clear the pile
    "after_parrot": FLAG,
    "pile_size": (0, MOST_CARDS),
    "aside_size": (0, MOST_CARDS),
    "hand_sizes": (0, MOST_CARDS),
    "ups_left": BY_SLOT,
    "downs_left": BY_SLOT,
    "up_cards": (NO_CARD, KINDS - 1),
    "down_cards": (NO_CARD, HIDDEN),
    "last_action": (-1, ACTIONS - 1),
    "last_flip": (NO_CARD, KINDS - 1),
    "last_result": (NOTHING, STOPPED),
    "pile_cards": (NO_CARD, KINDS - 1),
}


# -- heaps -------------------------------------------------------------------------------------------------------------


def heap_of(counts) -> int:
    """The heap with these numbers of cards by kind."""
    return sum(int(count) << (4 * kind) for kind, count in enumerate(counts))


@compiled
def copies_of(heap, kind):
    return (heap >> (4 * kind)) & 7


@compiled
def size_of(heap):
    """How many cards a heap has."""
    return popcount(heap & EVERY) + 2 * popcount((heap >> 1) & EVERY) + 4 * popcount((heap >> 2) & EVERY)


@compiled_apart
def listed(heap, cells):
    """Write the kinds of a heap into the first cells, one a card, ascending; returns how many cards there are."""
    total = 0
    for kind in range(KINDS):
        for _ in range(copies_of(heap, kind)):
            cells[total] = kind
            total += 1
    return total


@compiled
def kinds_in(heap):
    """The kinds of which a heap has a card, as bits."""
    bits = 0
    for kind in range(KINDS):
        if copies_of(heap, kind) > 0:
            bits |= 1 << kind
    return bits


@compiled
def without(heap, kind, copies):
    """The heap less so many cards of a kind, or all it has."""
    return heap - (min(copies_of(heap, kind), copies) << (4 * kind))


@compiled
def up_to_three(heap):
    """The plays that a heap has: bit 4 * kind + m - 1 says that there are m cards of the kind, m up to 3.

    Of all kinds at once: bit0, bit1 and bit2 hold the ones, twos and fours of their counts, so two cards are there with
    a two or a four, three with a four or with both a one and a two.
    """
    bit0, bit1, bit2 = heap & EVERY, (heap >> 1) & EVERY, (heap >> 2) & EVERY
    two = bit1 | bit2
    return bit0 | two | (two << 1) | ((bit2 | (bit0 & bit1)) << 2)


@compiled
def as_actions(plays):
    """Close up the unused fourth bits: bit 4 * kind + m - 1 becomes bit 3 * kind + m - 1.

    Each step moves every second group down to the one below it: groups of 3, 6, 12 and 24 bits, in cells of 4, 8, 16 and 32.
    """
    x = (plays & 0x0707070707070707) | ((plays & 0x7070707070707070) >> 1)
    x = (x & 0x003F003F003F003F) | ((x & 0x3F003F003F003F00) >> 2)
    x = (x & 0x00000FFF00000FFF) | ((x & 0x0FFF00000FFF0000) >> 4)
    return (x & 0xFFFFFF) | ((x & 0xFFFFFF00000000) >> 8)
