"""Skull King: cards as bits, the fields of the record, and tables that follow from them. R1 is the folder's manual's."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.core.ranges import FLAG, SEAT, SEAT_OR_NO_ONE, Of, Range

MAX_PLAYERS, MAX_HAND, SUITS, MAX_NUMBER = 6, 10, 4, 14
YELLOW, BLUE, RED, BLACK = range(SUITS)

# A card kind is suit * 14 + number - 1 (0..55) or one of these. A hand is a set of kinds as bits of one integer;
# Scary Mary is in it twice, once for each way to play her. `counts` says how many of each repeated kind are in it.
NUMBERS = SUITS * MAX_NUMBER
ESCAPE, PIRATE, MERMAID, KING, MARY_PIRATE, MARY_ESCAPE = range(NUMBERS, NUMBERS + 6)
KINDS = NUMBERS + 6
COPIES = {ESCAPE: 5, PIRATE: 5, MERMAID: 2, KING: 1, MARY_PIRATE: 1}  # R1
ESCAPES, PIRATES, MERMAIDS = COPIES[ESCAPE], COPIES[PIRATE], COPIES[MERMAID]
SUIT_CARDS = np.array([((1 << MAX_NUMBER) - 1) << (suit * MAX_NUMBER) for suit in range(SUITS)], np.int64)
VOID_CARDS = np.array(
    [sum(int(SUIT_CARDS[suit]) for suit in range(SUITS) if suits >> suit & 1) for suits in range(1 << SUITS)], np.int64
)  # row: suits as bits
NUMBER_CARDS = np.array(
    [sum(((1 << highest) - 1) << (suit * MAX_NUMBER) for suit in range(SUITS)) for highest in range(MAX_NUMBER + 1)], np.int64
)  # row: the highest number
ALL_NUMBERS = (1 << NUMBERS) - 1
SPECIALS = ((1 << KINDS) - 1) ^ ALL_NUMBERS
MARY = (1 << MARY_PIRATE) | (1 << MARY_ESCAPE)
CHARACTERS = (1 << PIRATE) | (1 << MERMAID) | (1 << KING) | (1 << MARY_PIRATE)
FOURTEENS = sum(1 << (suit * MAX_NUMBER + 13) for suit in (YELLOW, BLUE, RED))
BLACK_FOURTEEN = 1 << (BLACK * MAX_NUMBER + 13)

PLAY = MAX_HAND + 1  # actions: 0..10 bid that many; PLAY + kind plays a card
ACTIONS = PLAY + KINDS
BONUS_SCALE = 100  # points that make an observation cell of 1
NO_BID, NO_SUIT, NO_CARD = -1, -1, KINDS
BIDDING, PLAYING_TRICKS = 0, 1

# Who beats whom without king and mermaid together (R17-R20): a later card wins with more strength only.
STRENGTH_ESCAPE, STRENGTH_LED, STRENGTH_BLACK = 0, 0, 20
STRENGTH_MERMAID, STRENGTH_PIRATE, STRENGTH_KING, STRENGTH_MERMAID_OVER_KING = 40, 50, 60, 70

FIELDS = [
    ("hands", np.int64, (MAX_PLAYERS,)),  # kinds held, as bits
    ("gone", np.int64),  # kinds of which a card was played in this hand, as bits
    ("on_table", np.int64),  # kinds in the trick, as bits
    ("scores", np.int32, (MAX_PLAYERS,)),
    ("counts", np.int16, (MAX_PLAYERS,)),  # escapes, pirates, mermaids held: four bits each
    ("gone_counts", np.int16),  # the same for the cards played in this hand
    ("bonus", np.int16, (MAX_PLAYERS,)),  # won in this hand's tricks
    ("last_bonus", np.int16),
    # the hand
    ("hand_number", np.int8),
    ("phase", np.int8),
    ("first_leader", np.int8),
    ("bids", np.int8, (MAX_PLAYERS,)),
    ("tricks_won", np.int8, (MAX_PLAYERS,)),
    ("voids", np.int8, (MAX_PLAYERS,)),  # suits that the seat has shown not to hold, as bits
    # the trick
    ("leader", np.int8),
    ("led_suit", np.int8),
    ("free", np.int8),  # a character was led and frees the trick
    ("laid", np.int8),  # cards in the trick
    ("tricks_left", np.int8),  # of this hand, the one on the table included
    ("winning", np.int8),  # seat that would win it now
    ("strength", np.int8),  # of the winning card
    ("trick", np.int8, (MAX_PLAYERS,)),  # kinds in order from the leader
    ("last_leader", np.int8),
    ("last_winner", np.int8),
    ("last_trick", np.int8, (MAX_PLAYERS,)),
]

CARD_SETS: Range = (0, (1 << KINDS) - 1)
COUNTED: Range = (0, 0xFFF)
MOST_BONUS = 1_100  # of a hand: a king's five pirates, two mermaids, four 14s, at 100 points each
LOWEST_SCORE, HIGHEST_SCORE = -1_000, 15_000  # what an observation can hold
MOST_OF_A_HAND = 20 * MAX_HAND + MOST_BONUS
RANGES: dict[str, Range] = {
    "hands": CARD_SETS,
    "gone": CARD_SETS,
    "on_table": CARD_SETS,
    "scores": (LOWEST_SCORE, HIGHEST_SCORE),
    "counts": COUNTED,
    "gone_counts": COUNTED,
    "bonus": (0, MOST_BONUS),
    "last_bonus": (0, MOST_BONUS),
    "hand_number": (Of("first_hand"), Of("last_hand")),
    "phase": (BIDDING, PLAYING_TRICKS),
    "first_leader": SEAT,
    "bids": (NO_BID, Of("hand_number")),
    "tricks_won": (0, Of("hand_number")),
    "voids": (0, (1 << SUITS) - 1),
    "leader": SEAT,
    "led_suit": (NO_SUIT, SUITS - 1),
    "free": FLAG,
    "laid": SEAT,
    "tricks_left": (0, Of("hand_number")),
    "winning": SEAT,
    "strength": (-1, STRENGTH_MERMAID_OVER_KING),
    "trick": (0, NO_CARD),
    "last_leader": SEAT_OR_NO_ONE,
    "last_winner": SEAT_OR_NO_ONE,
    "last_trick": (0, NO_CARD),
}


def _full_deck(highest: int) -> list[int]:
    numbers = [suit * MAX_NUMBER + number for suit in range(SUITS) for number in range(highest)]
    return numbers + [kind for kind, count in COPIES.items() for _ in range(count)]


DECKS = np.full((MAX_NUMBER + 1, len(_full_deck(MAX_NUMBER))), -1, np.int8)  # row: the highest number
for _number in range(1, MAX_NUMBER + 1):
    DECKS[_number, : len(_full_deck(_number))] = _full_deck(_number)
DECK_SIZES = (DECKS >= 0).sum(axis=1)


# -- packed counts of escapes, pirates and mermaids ---------------------------------------------------------------------


@compiled
def one_copy(kind):
    """One card of a repeated kind, as packed counts add it."""
    return 1 << (4 * (kind - ESCAPE))


@compiled
def copies(counts, kind):
    """How many escapes, pirates or mermaids packed counts hold."""
    return (counts >> (4 * (kind - ESCAPE))) & 15
