"""Piratenpoker: what the fields of a record must say of each other so that a match can be played on from it."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled
from pirate_envs.core.record import FINISHED, PLAYING
from pirate_envs.core.seats import following
from pirate_envs.games.piratenpoker.rules import alike_slots, can_give, takes_part
from pirate_envs.games.piratenpoker.state import (
    BELOW_DECK,
    BID,
    COLOURS,
    DECK,
    EMPTY,
    EMPTY_HAND,
    FRONTS,
    GIFT,
    HAND,
    KINDS,
    MAX_PLAYERS,
    NO_BID,
    NOTHING,
    NUMBERS,
    OVERBOARD,
    PASS,
    POKER_CARDS,
    STACK,
    TURN,
    WINDOWS,
    display_score,
    shown,
    sums_up_to,
)

FLAWS = (
    "hands: they are not in order, or not of their sizes",
    "pile: hands, pile and discard do not make the deck, or pile_size says otherwise",
    "last_bids: they are more than a hand, or more of a card than the deck has",
    "stacks: stack_sizes, hidden or unseen say otherwise",
    "displays: with stacks, offer and removed they do not make the loot",
    "scores: they are not what the displays show",
    "offer: it does not fit phase and round_number",
    "to_move: the seat has nothing to decide in this phase, or gift_to says otherwise",
    "bids: they are not those of the seats that have bid, or not legal",
    "standing: a seat that is not there has one, or cards",
    "over: it does not fit stack_sizes and match_end",
    "held: what was held, drawn and staked since the reshuffle does not make hands and discard",
)
CODES = np.arange(2 * TURN)
STAKED_BY = CODES // KINDS % MAX_PLAYERS  # seats after the first seat, by the code of a card staked (see TURN)
STAKED = np.where(np.arange(COLOURS)[:, None] == CODES % KINDS // NUMBERS, 1 << 8 * (CODES % NUMBERS), 0)  # its packed count
EVERY_PLACE = 0x1111111  # of a stack, the lowest of its four bits
HIGH_BITS = 0x0080808080808080  # of all bytes but the last, whose range sees to that


@compiled
def within(part, counts):
    """Are packed counts no more than others, all below 128? With its free bit set no byte borrows from the next."""
    rest = (counts | HIGH_BITS) - part
    return (part & HIGH_BITS == 0) & (rest & HIGH_BITS == HIGH_BITS) & (rest >= 0)


@compiled
def total_of(counts):
    """How many cards packed counts hold."""
    return sums_up_to(counts) >> 56


@compiled
def knows(g, seat):
    return g.hands[seat] != EMPTY_HAND or g.sizes[seat] == 0


@compiled
def hands_agree(g, redacted):
    """Hands are sorted and have their sizes, but those that are blanked."""
    good = True
    for seat in range(MAX_PLAYERS):
        hand, before, held = int(g.hands[seat]), 0, 0
        for slot in range(HAND):
            kind = (hand >> (8 * slot)) & 255
            good &= (before <= kind) & (kind <= EMPTY)
            before = kind
            held += int(kind != EMPTY)
        good &= (held == g.sizes[seat]) | (redacted & (held == 0))
    return good


@compiled
def deck_agrees(g, redacted):
    """Every poker card is in a hand, on the pile or on the discard; of what is blanked the number."""
    lying, sizes, good = 0, 0, True
    green, red, yellow = 0, 0, 0
    for seat in range(MAX_PLAYERS):
        sizes += int(g.sizes[seat])
        hand = int(g.hands[seat])
        for slot in range(HAND):
            kind = (hand >> (8 * slot)) & 31
            card = int(kind < KINDS) << (8 * (kind & 7))
            green += card if kind < NUMBERS else 0
            red += card if NUMBERS <= kind < 2 * NUMBERS else 0
            yellow += card if kind >= 2 * NUMBERS else 0
    for colour in range(COLOURS):
        pile, discard = int(g.pile[colour]), int(g.discard[colour])
        if not (within(pile, DECK) and within(discard, DECK)):
            return False
        cards = pile + discard + (green, red, yellow)[colour]
        good &= (cards == DECK) | (redacted & within(cards, DECK))
        lying += total_of(discard)
    left = total_of(int(g.pile[0])) + total_of(int(g.pile[1])) + total_of(int(g.pile[2]))
    good &= (left == g.pile_size) | (redacted & (left == 0))
    return good & (sizes + lying + int(g.pile_size) == POKER_CARDS)


@compiled
def last_bids_agree(g):
    good = True
    for seat in range(MAX_PLAYERS):
        staked = 0
        for colour in range(COLOURS):
            bid = int(g.last_bids[seat, colour])
            if not within(bid, DECK):
                return False
            staked += total_of(bid)
        good &= staked <= HAND
    return good


@compiled
def places_of(g, colour, first, last):
    """The cards of a stack from one place to another, as packed counts by front; negative if there are gaps."""
    places = (1 << 4 * max(last, first)) - (1 << 4 * first)
    cards = int(g.stacks[colour]) & places
    taken = cards | cards >> 1 | cards >> 2 | cards >> 3
    if (taken ^ places) & EVERY_PLACE != 0 or popcount(cards) != max(last - first, 0):
        return -1
    counts = 0
    for front in range(len(FRONTS)):
        counts += popcount((cards >> front) & EVERY_PLACE) << (8 * front)
    return counts


@compiled
def stacks_agree(g, redacted):
    """Stacks have no gaps; what nobody has seen lies right below the top."""
    good = True
    for colour in range(COLOURS):
        size, hidden = int(g.stack_sizes[colour]), int(g.hidden[colour])
        good &= (hidden < size) | (hidden == 0)
        good &= int(g.stacks[colour]) >> (4 * size) == 0
        good &= total_of(int(g.unseen[colour])) == hidden
        unseen = places_of(g, colour, 1, 1 + hidden)
        blank = redacted & ((int(g.stacks[colour]) >> 4) & ((1 << 4 * hidden) - 1) == 0)
        good &= (unseen == g.unseen[colour]) | blank
        good &= (places_of(g, colour, 0, min(size, 1)) >= 0) & (places_of(g, colour, 1 + hidden, size) >= 0)
    return good


@compiled
def loot_agrees(g):
    """Each loot card is in its stack, on offer, in a display or out of the game."""
    good = True
    for colour in range(COLOURS):
        size, hidden, offer = int(g.stack_sizes[colour]), int(g.hidden[colour]), int(g.offer[colour])
        cards = places_of(g, colour, 0, min(size, 1)) + places_of(g, colour, 1 + hidden, size) + int(g.unseen[colour])
        cards += int(g.removed[colour]) + (1 << (8 * offer) if offer >= 0 else 0)
        good &= within(int(g.unseen[colour]), int(g.full_counts)) & within(int(g.removed[colour]), int(g.full_counts))
        for seat in range(MAX_PLAYERS):
            owned = int(g.displays[seat, colour])
            good &= within(owned, STACK * 0x0101010101010101)
            cards += (owned & 0xFFFFFFFF) + (owned >> 32)
        good &= cards == g.full_counts
    return good


@compiled
def scores_agree(g):
    good = True
    for seat in range(MAX_PLAYERS):
        good &= g.scores[seat] == display_score(shown(g, seat), g.bonus_repeat, g.bonus_sides)
    return good


@compiled
def offer_agrees(g):
    """Three loot cards, less one for each round that is decided; with the gift the second one is."""
    offered = 0
    for colour in range(COLOURS):
        offered += int(g.offer[colour] != NOTHING)
    if g.over != PLAYING:
        return (offered == 0) & (g.phase == BID)
    good = (g.phase != OVERBOARD) | (g.round_number == 1)
    good &= ((g.phase != BELOW_DECK) & (g.phase != GIFT)) | (g.round_number == 2)
    return good & (offered == 4 - int(g.round_number) - int(g.phase == GIFT))


@compiled
def mover_agrees(g):
    if g.over != PLAYING:
        return g.gift_to < 0
    if g.phase == BID:
        return takes_part(g, int(g.to_move)) and g.gift_to < 0
    if g.phase != GIFT:
        return g.gift_to < 0
    return can_give(g) and g.gift_to != g.to_move


@compiled
def bids_agree(g, redacted):
    """The seats that are asked before the mover have bid, and legally; nobody else has (R6 to R8)."""
    waits = g.phase == BID and g.over == PLAYING
    asked, seat, good = waits, int(g.first_seat), True
    for _ in range(int(g.players)):
        asked = asked and seat != g.to_move
        bid, size = int(g.bids[seat]), int(g.sizes[seat])
        if asked and takes_part(g, seat):
            fits = (bid >> size == 0) & ((bid >> 1) & ~bid & alike_slots(int(g.hands[seat])) == 0)
            fits &= (bid != PASS) | (g.passed[seat] == 0)
            good &= (redacted & (bid == NO_BID)) | ((bid != NO_BID) & fits)
        else:
            good &= bid == NO_BID
        seat = following(seat, int(g.players))
    return good


@compiled
def nobody_beyond(g):
    """Who is not there has nothing."""
    good = True
    for seat in range(int(g.players), MAX_PLAYERS):
        good &= (g.hands[seat] == EMPTY_HAND) & (g.standing[seat] == NOTHING) & (g.bids[seat] == NO_BID)
        good &= (g.sizes[seat] == 0) & (g.passed[seat] == 0)
        for colour in range(COLOURS):
            good &= (g.last_bids[seat, colour] == 0) & (g.displays[seat, colour] == 0)
    return good


@compiled
def ending_agrees(g):
    """A match is finished when a stack has run out, and goes on while none has."""
    fewest = STACK
    for colour in range(COLOURS):
        fewest = min(fewest, int(g.stack_sizes[colour]))
    return (fewest >= g.match_end) & ((g.over != FINISHED) | (fewest == g.match_end))


@compiled
def drew_what_is_left(g, seat):
    """Are a seat's cards in hand and staked, less those drawn, what it held when each window began, none below 0?"""
    green, red, yellow = 0, 0, 0
    first = int(g.first_seat)
    order = seat - first + (int(g.players) if seat < first else 0)  # seats after the first seat
    for slot in range(int(g.sizes[seat])):
        kind = (int(g.hands[seat]) >> (8 * slot)) & 31
        card = 1 << (8 * (kind & 7))
        green += card if kind < NUMBERS else 0
        red += card if NUMBERS <= kind < 2 * NUMBERS else 0
        yellow += card if kind >= 2 * NUMBERS else 0
    good = True
    for window in range(int(g.reshuffled)):
        for place in range(int(g.staked_count[window])):
            code = int(g.staked[window, place])
            own = -int(STAKED_BY[code] == order)  # all bits or none: faster than a branch
            green += int(STAKED[0, code]) & own
            red += int(STAKED[1, code]) & own
            yellow += int(STAKED[2, code]) & own
        cards = 0
        for colour in range(COLOURS):
            had, drawn = (green, red, yellow)[colour], int(g.drawn[seat, window, colour])
            good &= within(drawn, DECK) & within(drawn, had)
            cards += total_of(had) - total_of(drawn)
        good &= cards == g.held_sizes[seat, window]
        green, red, yellow = (
            green - int(g.drawn[seat, window, 0]),
            red - int(g.drawn[seat, window, 1]),
            yellow - int(g.drawn[seat, window, 2]),
        )
    return good


@compiled
def staked_are_the_discard(g, window):
    """The discard of now or, in a window that is over, all that nobody held when the next one began."""
    green, red, yellow, latest, beyond = 0, 0, 0, 0, 0
    for place in range(int(g.staked_count[window])):
        code = int(g.staked[window, place])
        latest = max(latest, int(STAKED_BY[code]))
        green += int(STAKED[0, code])
        red += int(STAKED[1, code])
        yellow += int(STAKED[2, code])
    for place in range(int(g.staked_count[window]), POKER_CARDS):
        beyond |= int(g.staked[window, place])
    good = (latest < g.players) & (beyond == 0)
    for colour in range(COLOURS):
        lay = int(g.discard[colour]) if window == 0 else DECK - int(g.held[window - 1, colour])
        good &= (green, red, yellow)[colour] == lay
    return good


@compiled
def window_agrees(g, window):
    """As many cards were held as the hands had, and what has been staked since lay on the discard at last."""
    held, sizes = 0, 0
    for colour in range(COLOURS):
        if not within(int(g.held[window, colour]), DECK):
            return False
        held += total_of(int(g.held[window, colour]))
    for seat in range(MAX_PLAYERS):
        sizes += int(g.held_sizes[seat, window])
    return (held == sizes) & staked_are_the_discard(g, window)


@compiled
def nothing_told(g, window):
    told = int(g.staked_count[window])
    for place in range(POKER_CARDS):
        told |= int(g.staked[window, place])
    for colour in range(COLOURS):
        told |= int(g.held[window, colour])
    for seat in range(MAX_PLAYERS):
        told |= int(g.held_sizes[seat, window])
        for colour in range(COLOURS):
            told |= int(g.drawn[seat, window, colour])
    return told == 0


@compiled
def reshuffle_agrees(g, redacted):
    """Before the first reshuffle there is nothing to tell of it; after each the counts of cards fit together (R19)."""
    good = True
    for window in range(WINDOWS):
        good = good and (window_agrees(g, window) if window < g.reshuffled else nothing_told(g, window))
    if g.reshuffled == 0:
        for seat in range(MAX_PLAYERS):
            good &= g.most_old[seat] == 0
        return good & (g.staked_turn == 0)
    for seat in range(MAX_PLAYERS):
        blank = redacted & (g.hands[seat] == EMPTY_HAND)
        there = seat < g.players
        good = good and (drew_what_is_left(g, seat) if there and not blank else there or nobody_held(g, seat))
    return good


@compiled
def nobody_held(g, seat):
    held = 0
    for window in range(WINDOWS):
        held |= int(g.held_sizes[seat, window])
    return held == 0


@compiled
def flaw(g, redacted):
    if not hands_agree(g, redacted):
        return 1
    if not deck_agrees(g, redacted):
        return 2
    if not last_bids_agree(g):
        return 3
    if not stacks_agree(g, redacted):
        return 4
    if not loot_agrees(g):
        return 5
    if not scores_agree(g):
        return 6
    if not offer_agrees(g):
        return 7
    if not mover_agrees(g):
        return 8
    if not bids_agree(g, redacted):
        return 9
    if not nobody_beyond(g):
        return 10
    if not ending_agrees(g):
        return 11
    return 0 if reshuffle_agrees(g, redacted) else 12


assert len(FRONTS) == 4
