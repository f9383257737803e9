"""Piratenpoker: what the fields of a record must say of each other so that a match can be played on from it."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled, compiled_apart
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
    "held: what was held, drawn and staked since the reshuffle does not make hands and discard, or not in this order",
)
CODES = np.arange(2 * TURN, dtype=np.uint8)
STAKED_BY = CODES // KINDS % MAX_PLAYERS  # seats after the first seat, by the code of a card staked (see TURN)
STAKED_COLOUR = CODES % KINDS // NUMBERS
STAKED = 1 << 8 * (CODES.astype(np.int64) % NUMBERS)  # as a packed count
# The books of a window, int64 (MAX_PLAYERS, NEW + 1), a row a seat from the first seat on: what it has staked, by colour as
# packed counts, then which seat it is, cards in hand, the fewest that there were, cards drawn, and how many of these it staked.
SEAT, SIZE, FEWEST, DRAWN, NEW = range(COLOURS, COLOURS + 5)
EVERY_PLACE = 0x1111111  # of a stack, the lowest of its four bits
HIGH_BITS = 0x0080808080808080  # of all bytes but the last, whose range sees to that
HIGH_BITS_AND_SIGN = HIGH_BITS - (1 << 63)


@compiled
def within(part, counts):
    """Are packed counts no more than others, all below 128? With its free bit set no byte borrows from the next."""
    rest = (counts | HIGH_BITS) - part
    return (part & HIGH_BITS) | ((rest ^ HIGH_BITS) & HIGH_BITS_AND_SIGN) == 0


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
def clear(counts):
    """No cards by colour: of the first cells of each row."""
    for order in range(MAX_PLAYERS):
        for colour in range(COLOURS):
            counts[order, colour] = 0


@compiled
def count_hands(g, hands):
    """Packed counts of the cards in each hand from the first seat's on, int64, shape (MAX_PLAYERS, COLOURS), and beyond
    these what is of no use, as of empty slots.
    """
    clear(hands)
    seat = int(g.first_seat)
    for order in range(int(g.players)):
        for slot in range(HAND):
            kind = (int(g.hands[seat]) >> (8 * slot)) & 31
            hands[order, kind // NUMBERS] += 1 << (8 * (kind % NUMBERS))
        seat = following(seat, int(g.players))


@compiled
def deck_agrees(g, hands, redacted):
    """Every poker card is in a hand, on the pile or on the discard; of what is blanked the number."""
    sizes, lying, left, good = int(g.pile_size), 0, 0, True
    for seat in range(MAX_PLAYERS):
        sizes += int(g.sizes[seat])
    for colour in range(COLOURS):
        pile, discard = int(g.pile[colour]), int(g.discard[colour])
        if not (within(pile, DECK) and within(discard, DECK)):
            return False
        cards = pile + discard
        for order in range(MAX_PLAYERS):
            cards += hands[order, colour]
        good &= (cards == DECK) | (redacted & within(cards, DECK))
        lying += total_of(discard)
        left += total_of(pile)
    good &= (left == g.pile_size) | (redacted & (left == 0))
    return good & (sizes + lying == POKER_CARDS)


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
def count_staked(g, window, books):
    """What each seat has staked in a window."""
    clear(books)
    for place in range(int(g.staked_count[window])):
        code = int(g.staked[window, place])
        books[STAKED_BY[code], STAKED_COLOUR[code]] += STAKED[code]


@compiled
def drew_what_is_left(g, seat, window, held, staked):
    """Take what a seat held at a window's end back to its beginning: is no count below 0, and are they as many as is said?"""
    good, cards = True, 0
    for colour in range(COLOURS):
        had, drawn = held[colour] + staked[colour], int(g.drawn[seat, window, colour])
        good &= within(drawn, DECK) & within(drawn, had)
        held[colour] = had - drawn
        cards += total_of(had - drawn)
    return good & (cards == g.held_sizes[seat, window])


@compiled
def staked_are_the_discard(g, window, books):
    """The discard of now or, in a window that is over, all that nobody held when the next one began."""
    good, beyond, count = True, False, int(g.staked_count[window])
    for colour in range(COLOURS):
        lay = int(g.discard[colour]) if window == 0 else DECK - int(g.held[window - 1, colour])
        for order in range(MAX_PLAYERS):
            lay -= books[order, colour]
            good &= (order < g.players) | (books[order, colour] == 0)
        good &= lay == 0
    for place in range(POKER_CARDS):
        beyond |= (place >= count) & (g.staked[window, place] != 0)
    return good & (not beyond)


@compiled
def window_agrees(g, window, books):
    """As many cards were held as the hands had, and what has been staked since lay on the discard at last."""
    held, sizes = 0, 0
    for colour in range(COLOURS):
        if not within(int(g.held[window, colour]), DECK):
            return False
        held += total_of(int(g.held[window, colour]))
    for seat in range(MAX_PLAYERS):
        sizes += int(g.held_sizes[seat, window])
    return (held == sizes) & staked_are_the_discard(g, window, books)


@compiled
def nothing_told(g, window):
    told = g.staked_count[window] != 0
    for place in range(POKER_CARDS):
        told |= g.staked[window, place] != 0
    for colour in range(COLOURS):
        told |= g.held[window, colour] != 0
    for seat in range(MAX_PLAYERS):
        told |= g.held_sizes[seat, window] != 0
        for colour in range(COLOURS):
            told |= g.drawn[seat, window, colour] != 0
    return not told


@compiled
def open_books(g, window, books):
    """A window begins: how many cards each seat held, and nothing drawn or staked yet."""
    clear(books)
    seat = int(g.first_seat)
    for order in range(int(g.players)):
        books[order, DRAWN] = books[order, NEW] = 0
        books[order, SEAT] = seat
        books[order, SIZE] = books[order, FEWEST] = int(g.held_sizes[seat, window])
        seat = following(seat, int(g.players))


@compiled
def begin_cycle(g, books):
    """Every seat draws until its hand is full (R18)."""
    for order in range(int(g.players)):
        more = max(int(g.refill_to) - books[order, SIZE], 0)
        books[order, SIZE] += more
        books[order, DRAWN] += more


@compiled
def stake(code, held, books):
    """A card more than the seat had `held` of its kind is one that it has drawn."""
    order, colour, shift = STAKED_BY[code], STAKED_COLOUR[code], 8 * (code % NUMBERS)
    books[order, SIZE] -= 1
    books[order, colour] += STAKED[code]
    books[order, NEW] += int((books[order, colour] >> shift) & 255 > (held[order, colour] >> shift) & 255)


@compiled
def end_cycle(g, books, redacted):
    """Since it began hands have only shrunk: they are the smallest now. Had each seat drawn what it staked and had not held?"""
    good = True
    for order in range(int(g.players)):
        books[order, FEWEST] = min(books[order, FEWEST], books[order, SIZE])
        good &= (books[order, NEW] <= books[order, DRAWN]) | (redacted & (g.hands[books[order, SEAT]] == EMPTY_HAND))
    return good


@compiled
def window_ends_rightly(g, window, books):
    """Hands have the sizes of now or, in a window that is over, no more than when the next one began."""
    good, kept = True, window == 0
    for order in range(int(g.players)):
        seat, size, fewest = books[order, SEAT], books[order, SIZE], books[order, FEWEST]
        kept |= fewest > 0
        if window == 0:
            good &= (size == g.sizes[seat]) & (fewest == g.most_old[seat])
        else:
            good &= size <= g.held_sizes[seat, window - 1]
    return good & kept


@compiled
def cycles_agree(g, window, held, books, redacted):
    """Go through the cycles of a window that began with what was `held`: was every card in hand when staked? (R18, R19)"""
    open_books(g, window, books)
    good, turn = True, int(g.staked[window, 0]) // TURN
    begin_cycle(g, books)
    for place in range(int(g.staked_count[window])):
        code = int(g.staked[window, place])
        if code // TURN != turn:
            turn = code // TURN
            good &= end_cycle(g, books, redacted)
            begin_cycle(g, books)
        stake(code, held, books)
    good &= end_cycle(g, books, redacted)
    if window == 0 and g.staked_count[0] > 0 and turn != g.staked_turn:
        begin_cycle(g, books)
    return good & window_ends_rightly(g, window, books)


@compiled
def reshuffle_agrees(g, held, books, redacted):
    """Before the first reshuffle there is nothing to tell of it; after each the cards fit together, in their order (R19).

    `held`: what each seat holds, from the first seat on; ends as what they held when the oldest window began. `books`: scratch.
    """
    for window in range(int(g.reshuffled), WINDOWS):
        if not nothing_told(g, window):
            return False
    if g.reshuffled == 0:
        good = g.staked_turn == 0
        for seat in range(MAX_PLAYERS):
            good &= g.most_old[seat] == 0
        return good
    for seat in range(int(g.players), MAX_PLAYERS):
        if not nobody_held(g, seat):
            return False
    for window in range(int(g.reshuffled)):
        count_staked(g, window, books)
        if not window_agrees(g, window, books):
            return False
        seat = int(g.first_seat)
        for order in range(int(g.players)):
            blank = redacted & (g.hands[seat] == EMPTY_HAND)
            if not (blank or drew_what_is_left(g, seat, window, held[order], books[order])):
                return False
            seat = following(seat, int(g.players))
        if not cycles_agree(g, window, held, books, redacted):
            return False
    return True


@compiled
def nobody_held(g, seat):
    held = int(g.most_old[seat])
    for window in range(WINDOWS):
        held |= int(g.held_sizes[seat, window])
        for colour in range(COLOURS):
            held |= int(g.drawn[seat, window, colour])
    return held == 0


@compiled_apart
def first_flaw(g, redacted):
    """See `flaw`; it makes arrays, which only functions that are compiled apart may."""
    both = np.empty((2, MAX_PLAYERS, NEW + 1), np.int64)
    hands, books = both[0], both[1]
    if not hands_agree(g, redacted):
        return 1
    count_hands(g, hands)
    if not deck_agrees(g, hands, redacted):
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
    return 0 if reshuffle_agrees(g, hands, books, redacted) else 12


@compiled
def flaw(g, redacted):
    return first_flaw(g, redacted)


assert len(FRONTS) == 4
