"""Skull King: what stays the same however it is played; tried by `pirate_envs.testing.check_game`.

And what a hand's tricks can have been, for a position that somebody tells: who led the last one, which bonuses they paid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from pirate_envs.core.seats import NO_ONE
from pirate_envs.games.skull_king import rules, state
from pirate_envs.games.skull_king.state import (
    ALL_NUMBERS,
    BIDDING,
    BLACK_FOURTEEN,
    COPIES,
    ESCAPE,
    FOURTEENS,
    KING,
    MARY,
    MARY_PIRATE,
    MAX_PLAYERS,
    MERMAID,
    NO_BID,
    PIRATE,
    SUIT_CARDS,
    SUITS,
)

SEATS = np.arange(MAX_PLAYERS)
SINGLE = ALL_NUMBERS | (1 << KING)  # kinds with one card and one bit
REPEATED = range(ESCAPE, MERMAID + 1)  # kinds with several cards, counted in four bits each
copies = getattr(state.copies, "py_func", state.copies)  # as plain Python it takes arrays of counts too


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


# -- histories that can be ---------------------------------------------------------------------------------------------


def may_have_led(g: np.record) -> bool:
    """May the last trick's leader, if there was one, have led it? (R6, R15)

    The first trick of a hand is led by its first leader, every other by the winner of the one before.
    """
    tricks = int(g.hand_number - g.tricks_left)
    leader, first = int(g.last_leader), int(g.first_leader)
    if leader == NO_ONE or (tricks == 0 and g.hand_number > 2):
        return True
    if tricks == 0:  # that was the only trick of hand 1
        return leader == (first - 1) % int(g.players)
    if tricks == 1:
        return leader == first
    return bool(g.tricks_won[leader] > (leader == g.last_winner))


Takings = tuple[int, ...]  # cards that bonuses are paid for: kings, pirates, mermaids, 14s, black 14s


def cannot_earn(g: np.record, cards: Counter[int], last: Sequence[int]) -> int | None:
    """A seat whose bonus its tricks, made of some of these cards, cannot have paid beside those of the seats before it.

    `last`: the cards of the last trick if it was one of this hand and is known; `cards` has them too. It may miss a bonus that
    cannot be, and finds none that can: each way to earn one counts its cards and tricks, not how they fell.
    """
    bonuses, tricks = g.bonus.tolist(), g.tricks_won.tolist()
    if last:
        bonuses[g.last_winner] -= int(g.last_bonus)
        tricks[g.last_winner] -= 1
    rests = {supply(g, cards - Counter(last))}
    for seat, (bonus, won) in enumerate(zip(bonuses, tricks, strict=True)):
        ways = ways_to_earn(g, bonus, won)
        rests = {tuple(have - need for have, need in zip(rest, way, strict=True)) for rest in rests for way in ways}
        rests = {rest for rest in rests if min(rest) >= 0}
        if not rests:
            return seat
    return None


def supply(g: np.record, cards: Counter[int]) -> Takings:
    """Those of the cards that bonuses are paid for."""
    pirates = sum(count for kind, count in cards.items() if rules.is_pirate(g, kind))
    fourteens = sum(count for kind, count in cards.items() if FOURTEENS >> kind & 1)
    black = sum(count for kind, count in cards.items() if BLACK_FOURTEEN >> kind & 1)
    return cards[KING], pirates, cards[MERMAID], fourteens, black


def ways_to_earn(g: np.record, bonus: int, tricks: int) -> list[Takings]:
    """The cards with which a seat may have earned the bonus in so many tricks: as few as each way needs."""
    if bonus == 0:
        return [(0, 0, 0, 0, 0)]
    others = int(g.players) - 1
    most_pirates = min(others, COPIES[PIRATE] + COPIES[MARY_PIRATE])
    kings_tricks = [(0, 0, 0, 0), (1, 0, 1, int(g.mermaid_takes_king))]  # kings, pirates, mermaids, points
    kings_tricks += [(1, pirates, 0, pirates * int(g.king_takes_pirate)) for pirates in range(1, most_pirates + 1)]
    ways: list[Takings] = []
    for (kings, pirates, mermaids, points), caught, fourteens, black in product(kings_tricks, range(3), range(4), range(2)):
        points += caught * int(g.pirate_takes_mermaid) + fourteens * int(g.fourteen) + black * int(g.black_fourteen)
        catchers = -(-caught // others)  # pirates, each in a trick of its own
        way = (kings, pirates + catchers, mermaids + caught, fourteens, black)
        if points == bonus and kings + catchers <= tricks and sum(way) <= tricks * int(g.players):
            ways.append(way)
    return ways
