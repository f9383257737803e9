"""Skull King: what stays the same however it is played; tried by `pirate_envs.testing.check_game`."""

from __future__ import annotations

import numpy as np

from pirate_envs.games.skull_king import rules
from pirate_envs.games.skull_king.rules import (
    ALL_NUMBERS,
    BIDDING,
    COPIES,
    ESCAPE,
    KING,
    MARY,
    MAX_PLAYERS,
    MERMAID,
    NO_BID,
    SUIT_CARDS,
    SUITS,
)

SEATS = np.arange(MAX_PLAYERS)
SINGLE = ALL_NUMBERS | (1 << KING)  # kinds with one card and one bit
REPEATED = range(ESCAPE, MERMAID + 1)  # kinds with several cards, counted in four bits each
copies = getattr(rules.copies, "py_func", rules.copies)  # as plain Python it takes arrays of counts too


def conserved(records: np.ndarray) -> dict[str, np.ndarray]:
    """Laws by name, each bool (n,), for records of shape (n,)."""
    players, hand_number = records["players"], records["hand_number"]
    at_table = players[:, None] > SEATS
    place = (SEATS - records["leader"][:, None]) % players[:, None]
    size = np.where(at_table, records["tricks_left"][:, None] - (place < records["laid"][:, None]), 0)
    held = cards(records["hands"], records["counts"])
    gone = cards(records["gone"], records["gone_counts"])
    bids_in = (records["bids"] != NO_BID) == at_table
    return {
        "a seat holds a card for every trick that is left": (held == size).all(axis=1),
        "cards held and gone are those that were dealt": held.sum(axis=1) + gone == players * hand_number,
        "no card is there twice": no_card_twice(records),
        "tricks won and left make the hand": records["tricks_won"].sum(axis=1) + records["tricks_left"] == hand_number,
        "all bids are in before the first card": (records["phase"] == BIDDING) | bids_in.all(axis=1),
        "a seat holds no suit that it has shown not to hold": ~breaks_void(records),
    }


def cards(kinds: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Number of cards in sets of kinds with their counts."""
    repeated = sum(copies(counts, kind) for kind in REPEATED)
    return np.bitwise_count(kinds & SINGLE).astype(np.int64) + repeated + (kinds & MARY != 0)


def no_card_twice(records: np.ndarray) -> np.ndarray:
    """Every card is in one hand or gone, and no more copies than the deck has."""
    heaps = np.column_stack([records["hands"], records["gone"]])
    counts = np.column_stack([records["counts"], records["gone_counts"]])
    union = np.bitwise_or.reduce(heaps & SINGLE, axis=1)
    good = np.bitwise_count(heaps & SINGLE).sum(axis=1) == np.bitwise_count(union)
    good &= (heaps & MARY != 0).sum(axis=1) <= 1
    for kind in REPEATED:
        good &= copies(counts, kind).sum(axis=1) <= COPIES[kind]
        good &= ((copies(counts, kind) > 0) == (heaps >> kind & 1 == 1)).all(axis=1)
    return good


def breaks_void(records: np.ndarray) -> np.ndarray:
    """Does some seat hold a suit of which it has shown to be void?"""
    broken = np.zeros(len(records), bool)
    for suit in range(SUITS):
        void = records["voids"] >> suit & 1 == 1
        broken |= (void & (records["hands"] & SUIT_CARDS[suit] != 0)).any(axis=1)
    return broken
