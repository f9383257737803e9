"""Piratenpoker: what the fields of a record must say of each other so that a match can be played on from it."""

from __future__ import annotations

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
)
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
    for seat in range(MAX_PLAYERS):
        sizes += int(g.sizes[seat])
    for colour in range(COLOURS):
        pile, discard = int(g.pile[colour]), int(g.discard[colour])
        if not (within(pile, DECK) and within(discard, DECK)):
            return False
        cards = pile + discard
        for seat in range(MAX_PLAYERS):
            hand = int(g.hands[seat])
            for slot in range(HAND):
                kind = (hand >> (8 * slot)) & 31
                own = (kind < KINDS) & (kind // NUMBERS == colour)
                cards += (1 << (8 * (kind & 7))) if own else 0
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
    counts = 0
    for place in range(first, last):
        card = (int(g.stacks[colour]) >> (4 * place)) & 15
        counts = counts + (1 << (8 * (card >> 1) - (8 if card == 8 else 0))) if popcount(card) == 1 and counts >= 0 else -1
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
    return 0 if ending_agrees(g) else 11


assert len(FRONTS) == 4
