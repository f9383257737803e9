"""Lucky Pirate: what the fields of a record must say of each other so that a match can be played on from it."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.core.record import FINISHED, PLAYING
from pirate_envs.games.lucky_pirate.rules import NEED_AFTER, cards_left
from pirate_envs.games.lucky_pirate.state import (
    EVERY,
    HIDDEN,
    KINDS,
    MAX_PLAYERS,
    MOST_CARDS,
    NO_CARD,
    NUMBERS,
    OPEN,
    PLANK,
    SLOTS,
    copies_of,
    size_of,
)

FLAWS = (
    "hands: they are not of their hand_sizes, or what is known of them is not in them",
    "cannot_hold: it is no set of kinds, a hand has what it rules out, or there is nothing to rule out",
    "ups: they are not the up_cards, or ups_left says otherwise",
    "down_cards: downs_left says otherwise, or an up lies on none",
    "pile: it is not the pile_cards, or pile_size, need, run_value or run_length says otherwise",
    "whole_deck: hands, ups, downs, pile, cleared and aside do not make it",
    "hand_sizes: a seat has no card left in a game that is being played, or cards where nobody sits",
    "over: it does not fit wins",
    "direction: it is 0",
    "after_parrot: no parrot has just opened the pile",
    "turn: it has come to max_turns, but the match goes on",
)
BYTES = 0x0F0F0F0F0F0F0F0F  # every second kind of a heap, with room for sums up to 255
EIGHTS = EVERY * 8 & 0x7FFFFFFFFFFFFFFF  # no heap has so many of a kind; of the last kind its range sees to that


@compiled
def is_heap(heap):
    return heap & EIGHTS == 0


@compiled
def within(part, heap):
    """Has the heap all cards of the part? Of two heaps; with its free bit set no kind borrows from the next."""
    rest = (heap | EIGHTS) - part
    return (rest & EIGHTS == EIGHTS) & (rest >= 0)


@compiled
def knows(g, seat):
    return size_of(int(g.hands[seat])) == g.hand_sizes[seat]


@compiled
def hands_agree(g, redacted):
    """Hands have their sizes, but those that are blanked; what is known of a hand is in it."""
    good = is_heap(int(g.aside)) & is_heap(int(g.cleared))
    for seat in range(MAX_PLAYERS):
        hand, known, size = int(g.hands[seat]), int(g.known[seat]), int(g.hand_sizes[seat])
        blank = redacted & (hand == 0)
        good &= is_heap(hand) & is_heap(known)
        good &= (blank & (size_of(known) <= size)) | ((size_of(hand) == size) & within(known, hand))
    size = int(g.aside_size)
    return good & ((size_of(int(g.aside)) == size) | (redacted & (g.aside == 0)))


@compiled
def cannot_hold_agrees(g, redacted):
    """What is ruled out of a hand is not in it, besides what is known to be; where all is known nothing is ruled out."""
    good = True
    for seat in range(MAX_PLAYERS):
        barred, unknown = int(g.cannot_hold[seat]), int(g.hands[seat]) - int(g.known[seat])
        kinds = (unknown | (unknown >> 1) | (unknown >> 2)) & EVERY
        blank = redacted & (g.hands[seat] == 0)
        good &= barred & ~EVERY == 0
        good &= blank | (kinds & barred == 0)
        good &= (barred == 0) | (size_of(int(g.known[seat])) < g.hand_sizes[seat])
    return good


@compiled
def ups_agree(g):
    good = True
    for seat in range(MAX_PLAYERS):
        heap, slots = 0, 0
        for slot in range(SLOTS):
            kind = int(g.up_cards[seat, slot])
            there = kind != NO_CARD
            heap += 1 << (4 * (kind & 15)) if there else 0
            slots |= int(there) << slot
        good &= (heap == g.ups[seat]) & (slots == g.ups_left[seat])
    return good


@compiled
def downs_agree(g, redacted):
    good = True
    for seat in range(MAX_PLAYERS):
        slots = 0
        for slot in range(SLOTS):
            kind = int(g.down_cards[seat, slot])
            slots |= int(kind != NO_CARD) << slot
            good &= redacted | (kind != HIDDEN)
        good &= (slots == g.downs_left[seat]) & (int(g.ups_left[seat]) & ~slots == 0)
    return good


@compiled
def pile_agrees(g):
    """The pile is the cards on it, and what it asks for and the run on top follow from them (R11 to R17)."""
    heap, need, value, length, size = 0, OPEN, 0, 0, int(g.pile_size)
    for i in range(size):
        kind = int(g.pile_cards[i])
        if kind == NO_CARD:
            return False
        heap += 1 << (4 * kind)
        need = int(NEED_AFTER[kind, need])
        number = kind < NUMBERS
        length = (length + 1 if value == kind + 1 else 1) if number else 0
        value = kind + 1 if number else 0
        if kind == PLANK or length >= 3 or heap & EIGHTS != 0 or heap < 0:
            return False
    free = 0
    for i in range(size, MOST_CARDS):
        free += int(g.pile_cards[i] == NO_CARD)
    good = (free == MOST_CARDS - size) & (heap == g.pile) & (need == g.need)
    return good & (value == g.run_value) & (length == g.run_length)


@compiled
def deck_agrees(g, redacted):
    """Every card is in one place; of blanked hands what is known of them, and no more cards than there are places."""
    deck, cleared = int(g.whole_deck), int(g.cleared)
    low = (int(g.pile) & BYTES) + (cleared & BYTES) + (int(g.aside) & BYTES)
    high = ((int(g.pile) >> 4) & BYTES) + ((cleared >> 4) & BYTES) + ((int(g.aside) >> 4) & BYTES)
    cards = int(g.pile_size) + size_of(cleared) + int(g.aside_size)
    for seat in range(MAX_PLAYERS):
        heap = int(g.hands[seat])
        heap = int(g.known[seat]) if redacted and heap == 0 else heap
        low += (heap & BYTES) + (int(g.ups[seat]) & BYTES)
        high += ((heap >> 4) & BYTES) + ((int(g.ups[seat]) >> 4) & BYTES)
        cards += cards_left(g, seat)
        for slot in range(SLOTS):
            kind = int(g.down_cards[seat, slot])
            if 0 <= kind < KINDS:
                one = 1 << (8 * (kind >> 1))
                low += one if kind & 1 == 0 else 0
                high += one if kind & 1 == 1 else 0
    if cards != size_of(deck):
        return False
    good = True
    for pair in range(KINDS // 2):
        evens, odds = (low >> (8 * pair)) & 255, (high >> (8 * pair)) & 255
        good &= (evens <= copies_of(deck, 2 * pair)) & (odds <= copies_of(deck, 2 * pair + 1))
    return good


@compiled
def seats_agree(g):
    """Who plays has a card left; who is not there has nothing."""
    good = True
    for seat in range(MAX_PLAYERS):
        if seat >= g.players:
            good &= (cards_left(g, seat) == 0) & (g.wins[seat] == 0)
        elif g.over == PLAYING:
            good &= cards_left(g, seat) > 0
    return good


@compiled
def ending_agrees(g):
    won = False
    for seat in range(int(g.players)):
        won |= g.wins[seat] == g.wins_needed
    return won == (g.over == FINISHED)


@compiled
def flaw(g, redacted):
    if not hands_agree(g, redacted):
        return 1
    if not cannot_hold_agrees(g, redacted):
        return 2
    if not ups_agree(g):
        return 3
    if not downs_agree(g, redacted):
        return 4
    if not pile_agrees(g):
        return 5
    if not deck_agrees(g, redacted):
        return 6
    if not seats_agree(g):
        return 7
    if not ending_agrees(g):
        return 8
    if g.direction == 0:
        return 9
    opened = g.need == OPEN and g.pile_size > 0 and g.parrot_again == 1
    if g.after_parrot == 1 and not opened:
        return 10
    return 11 if g.over == PLAYING and g.turn >= g.max_turns else 0
