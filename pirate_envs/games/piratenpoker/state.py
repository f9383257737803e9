"""Piratenpoker: constants, the fields of the record, and what moves cards between them. Rule numbers are the folder's manual's.

Heaps of poker cards and displays of loot are packed counts: one integer a colour, byte b of it for the number b + 1 (or the
side b of a loot card). A hand is one integer too: byte i is the kind of the card in slot i, slots sorted. So drawing,
sorting and comparing are a few operations on whole integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.ranges import FLAG, OF_OPTIONS, SEAT, SEAT_OR_NO_ONE, Of, Range
from pirate_envs.core.rng import below
from pirate_envs.core.seats import following

MIN_PLAYERS, MAX_PLAYERS, HAND, COLOURS, NUMBERS = 3, 5, 6, 3, 8
COPIES = (1, 2, 4, 7, 7, 4, 2, 1)  # of each number in each colour (R1)
POKER_CARDS = COLOURS * sum(COPIES)
DECK = sum(copies << 8 * at for at, copies in enumerate(COPIES))  # packed counts of one colour
KINDS = COLOURS * NUMBERS  # a kind of poker card is colour * 8 + number - 1
EMPTY = KINDS  # kind of an empty slot
EMPTY_HAND = sum(EMPTY << 8 * slot for slot in range(HAND))
LAST_SLOT_EMPTY = EMPTY << 8 * (HAND - 1)
TURN = KINDS * MAX_PLAYERS  # a card staked is its kind + KINDS * (seats after the first seat) + TURN * turn
WINDOWS = 3  # reshuffles that are remembered; a window is the time from one to the next, window 0 that since the last one
HIGHEST_BIT = np.array([max(bits.bit_length() - 1, 0) for bits in range(1 << HAND)], np.int64)

STACK = 7
FRONTS, BACKS = (5, 6, 8, 10), (4, -3, -4, -5)  # of one loot card: the same index (R2)
SIDES = len(FRONTS) + len(BACKS)  # a side is a front's index, or 4 + that of a back
SHARK = 0  # index of the card with a shark on its back
LOOT_SCALE = 4.0  # cards that make an observation cell of 1
BONUS, SET_SIZE = 5, 3
NOTHING = -1

BID, OVERBOARD, BELOW_DECK, GIFT = range(4)  # phases
PASS = 0  # actions: the Pass; 1..63 the hand's slots staked, as bits; then as named here, t seats on from the mover
OVERBOARD_ACTION = 1 << HAND  # + 5 * colour + t
BELOW_ACTION = OVERBOARD_ACTION + COLOURS * MAX_PLAYERS  # + colour
GIVE_NOTHING = BELOW_ACTION + COLOURS
GIVE = GIVE_NOTHING + 1  # + 4 * (back - 1) + t - 1
ACTIONS = GIVE + (len(BACKS) - 1) * (MAX_PLAYERS - 1)
NO_BID = -1

FIELDS: list[tuple[Any, ...]] = [
    ("hands", np.int64, (MAX_PLAYERS,)),  # kinds by slot, eight bits each; sealed bids are still in them
    ("last_bids", np.int64, (MAX_PLAYERS, COLOURS)),  # cards staked in the round revealed last, packed counts
    ("standing", np.int64, (MAX_PLAYERS,)),  # what they were worth (see KEYS); 0 the Pass, negative: took no part
    ("displays", np.int64, (MAX_PLAYERS, COLOURS)),  # loot owned, packed counts by side
    ("pile", np.int64, (COLOURS,)),
    ("discard", np.int64, (COLOURS,)),
    ("stacks", np.int32, (COLOURS,)),  # four bits a card from the top: 1 << front
    ("unseen", np.int32, (COLOURS,)),  # cards in the stack that nobody has seen, packed counts by front
    ("removed", np.int32, (COLOURS,)),  # loot that left the game, packed counts by front
    ("full_stack", np.int32),  # a whole stack, fronts ascending (loot_counts)
    ("full_counts", np.int32),  # the same as packed counts
    # the match
    ("first_seat", np.int8),  # is asked first and draws first
    ("pile_size", np.int8),
    ("cycle", np.int16),
    ("scores", np.int16, (MAX_PLAYERS,)),
    ("sizes", np.int8, (MAX_PLAYERS,)),  # cards in each hand, sealed ones too
    ("stack_sizes", np.int8, (COLOURS,)),
    ("hidden", np.int8, (COLOURS,)),  # cards below the top that nobody has seen; those under them were seen
    # the cycle
    ("offer", np.int8, (COLOURS,)),  # index of the front on offer, or NOTHING
    ("round_number", np.int8),  # 1 to 3
    ("phase", np.int8),
    ("bids", np.int8, (MAX_PLAYERS,)),  # actions, sealed
    ("passed", np.int8, (MAX_PLAYERS,)),  # has used the Pass in this cycle
    ("gift_to", np.int8),  # seat that the gifts of this round go to, or NO_ONE
    ("last_round", np.int8),  # the round revealed last; 0 none
    ("last_winner", np.int8),  # a seat, or NO_ONE
    ("last_doubled", np.int8),  # colour that counted twice in it, or NOTHING
    # since the discard last became the pile, and by window before that; zeros where there was none (R19)
    ("reshuffled", np.int8),  # windows that are told of
    ("most_old", np.int8, (MAX_PLAYERS,)),  # cards of each hand that can be from before window 0: the fewest it has held since
    ("staked_count", np.int8, (WINDOWS,)),
    ("staked_turn", np.int8),  # 0 or 1: tells this cycle's staked cards from those of the last cycle that had any
    ("held", np.int64, (WINDOWS, COLOURS)),  # cards that all hands held together when the window began, packed counts
    ("drawn", np.int64, (MAX_PLAYERS, WINDOWS, COLOURS)),  # cards that each seat has drawn in it, packed counts
    ("staked", np.uint8, (WINDOWS, POKER_CARDS)),  # cards staked in it, in order (see TURN): what lay on the discard
    ("held_sizes", np.int8, (MAX_PLAYERS, WINDOWS)),  # cards in each hand when it began
]

PACKED: Range = (0, 2**63 - 1)  # no count has its highest bit set: `flaw` sees to the others'
FRONT_COUNTS: Range = (0, STACK * 0x01010101)
MOST_TOTAL = HAND * 2 * NUMBERS  # of the worths of a bid; see rules.KEYS
RANGES: dict[str, Range] = {
    "hands": (0, EMPTY_HAND),
    "last_bids": PACKED,
    "standing": (NOTHING, (MOST_TOTAL + 1 << 40) - 1),
    "displays": PACKED,
    "pile": PACKED,
    "discard": PACKED,
    "stacks": (0, (1 << 4 * STACK) - 1),
    "unseen": FRONT_COUNTS,
    "removed": FRONT_COUNTS,
    "full_stack": OF_OPTIONS,
    "full_counts": OF_OPTIONS,
    "held": PACKED,
    "drawn": PACKED,
    "staked": (0, 2 * TURN - 1),
    "staked_count": (0, POKER_CARDS),
    "staked_turn": FLAG,
    "reshuffled": (0, WINDOWS),
    "held_sizes": (0, HAND),
    "most_old": (0, HAND),
    "first_seat": SEAT,
    "pile_size": (0, POKER_CARDS),
    "cycle": (1, Of("max_cycles")),
    "scores": (-512, 511),
    "sizes": (0, HAND),
    "stack_sizes": (0, STACK),
    "hidden": (0, STACK),
    "offer": (NOTHING, len(FRONTS) - 1),
    "round_number": (1, 3),
    "phase": (BID, GIFT),
    "bids": (NO_BID, (1 << HAND) - 1),
    "passed": FLAG,
    "gift_to": SEAT_OR_NO_ONE,
    "last_round": (0, 3),
    "last_winner": SEAT_OR_NO_ONE,
    "last_doubled": (NOTHING, COLOURS - 1),
}


# -- poker cards (R1, R19) ---------------------------------------------------------------------------------------------

EVERY_BYTE, HIGH_BITS = 0x01010101010101, 0x80808080808080  # of seven bytes
WHOLE_HAND = (1 << 8 * HAND) - 1


@compiled
def sums_up_to(counts):
    """Byte b: how many cards the bytes 0..b hold (the product adds up the counts shifted by no byte, one byte, and so on)."""
    return (int(counts) * 0x0101010101010101) & 0x7FFFFFFFFFFFFFFF


@compiled
def bytes_up_to(packed, limit, width):
    """How many of the lowest `width` (at most 7) bytes, all below 128, are not above the limit."""
    above = ((packed & (EVERY_BYTE * 255) | HIGH_BITS) - EVERY_BYTE * (limit + 1)) & HIGH_BITS & ((1 << 8 * width) - 1)
    return width - popcount(above)


@compiled
def take_from_pile(g, place):
    """Take the card at that place of the pile, as listed by colour and number; returns its kind."""
    green, red, yellow = sums_up_to(int(g.pile[0])), sums_up_to(int(g.pile[1])), sums_up_to(int(g.pile[2]))
    greens, reds = green >> 56, red >> 56
    beyond_green, beyond_red = place >= greens, place >= greens + reds  # no branches: they could not be foretold
    sums = yellow if beyond_red else red if beyond_green else green
    place -= (greens if beyond_green else 0) + (reds if beyond_red else 0)
    colour = int(beyond_green) + int(beyond_red)
    at = bytes_up_to(sums, place, NUMBERS - 1)
    g.pile[colour] -= 1 << (8 * at)
    return colour * NUMBERS + at


@compiled_apart
def reuse_discard(g):
    """The discard becomes the pile. Every other card is in a hand, so all know what the hands hold together."""
    begin_window(g)
    for colour in range(COLOURS):
        g.pile[colour] = g.discard[colour]
        g.held[0, colour] = DECK - int(g.discard[colour])
        g.discard[colour] = 0
    g.pile_size = POKER_CARDS
    for seat in range(int(g.players)):
        g.held_sizes[seat, 0] = g.sizes[seat]
        g.most_old[seat] = g.sizes[seat]
        g.pile_size -= g.sizes[seat]


@compiled
def begin_window(g):
    """Begin to count anew what is drawn and staked; what was before is kept if a card can be in the same hand since then.

    If none can, all cards held now came from one known pile, and nothing before tells more of them.
    """
    kept = 0
    for seat in range(MAX_PLAYERS):
        kept = min(int(g.reshuffled), WINDOWS - 1) if g.most_old[seat] > 0 else kept
    for window in range(kept, 0, -1):
        copy_window(g, window - 1, window)
    for window in range(kept + 1, WINDOWS):
        forget_window(g, window)
    forget_window(g, 0)
    g.staked_turn = 0
    g.reshuffled = kept + 1


@compiled
def copy_window(g, window, to):
    g.staked_count[to] = g.staked_count[window]
    for colour in range(COLOURS):
        g.held[to, colour] = g.held[window, colour]
    for place in range(POKER_CARDS):
        g.staked[to, place] = g.staked[window, place]
    for seat in range(MAX_PLAYERS):
        g.held_sizes[seat, to] = g.held_sizes[seat, window]
        for colour in range(COLOURS):
            g.drawn[seat, to, colour] = g.drawn[seat, window, colour]


@compiled
def forget_window(g, window):
    g.staked_count[window] = 0
    for colour in range(COLOURS):
        g.held[window, colour] = 0
    for place in range(POKER_CARDS):
        g.staked[window, place] = 0
    for seat in range(MAX_PLAYERS):
        g.held_sizes[seat, window] = 0
        for colour in range(COLOURS):
            g.drawn[seat, window, colour] = 0


@compiled
def forget_reshuffle(g):
    """As if the pile had never run out."""
    for window in range(WINDOWS):
        forget_window(g, window)
    g.staked_turn = 0
    g.reshuffled = 0
    for seat in range(MAX_PLAYERS):
        g.most_old[seat] = 0


@compiled
def draw_card(g, seat):
    """Draw a card from a pile that is not empty."""
    kind = take_from_pile(g, below(g.gen, int(g.pile_size)))
    g.pile_size -= 1
    g.drawn[seat, 0, kind // NUMBERS] += int(g.reshuffled > 0) << (8 * (kind % NUMBERS))
    return kind


@compiled
def with_card(hand, kind):
    """The hand with one card more, in its place."""
    at = 8 * bytes_up_to(hand, kind, HAND)
    return (hand & ((1 << at) - 1) | kind << at | (hand >> at) << (at + 8)) & WHOLE_HAND


@compiled
def refill(g, size):
    """Everybody draws up to that many cards, one seat after the other."""
    players = int(g.players)
    seat = int(g.first_seat)
    for _ in range(players):
        hand = int(g.hands[seat])
        for held in range(int(g.sizes[seat]), size):
            if g.pile_size == 0:
                g.sizes[seat] = held
                reuse_discard(g)
            hand = with_card(hand, draw_card(g, seat))
        g.hands[seat] = hand
        g.sizes[seat] = max(int(g.sizes[seat]), size)
        seat = following(seat, players)


# -- loot (R2, R5, R12, R17) -------------------------------------------------------------------------------------------


@compiled
def shuffle_stack(g, colour):
    stack = int(g.full_stack)
    for i in range(STACK - 1):
        j = i + below(g.gen, STACK - i)
        change = ((stack >> (4 * i)) ^ (stack >> (4 * j))) & 15
        stack ^= (change << (4 * i)) | (change << (4 * j)) if i != j else 0
    g.stacks[colour] = stack
    g.stack_sizes[colour] = STACK
    g.hidden[colour] = STACK
    g.unseen[colour] = g.full_counts
    see_top(g, colour)


@compiled
def see_top(g, colour):
    """The back of a stack's top card is seen by all, and with it its front."""
    if g.hidden[colour] > 0:
        g.hidden[colour] -= 1
        g.unseen[colour] -= 1 << (8 * lowest_bit(int(g.stacks[colour])))


@compiled
def offer_top(g, colour):
    """Put the top card of a stack on offer (R5)."""
    stack = int(g.stacks[colour])
    g.offer[colour] = lowest_bit(stack)
    g.stacks[colour] = stack >> 4
    g.stack_sizes[colour] -= 1
    see_top(g, colour)


@compiled
def put_under(g, colour):
    """Put the card on offer under the stack of its colour."""
    g.stacks[colour] |= 1 << (4 * int(g.stack_sizes[colour]) + int(g.offer[colour]))
    g.stack_sizes[colour] += 1
    g.offer[colour] = NOTHING


@compiled
def clear_offer(g, removed):
    """Take back all that is on offer: out of the game, or under the stacks (R17)."""
    for colour in range(COLOURS):
        if g.offer[colour] >= 0:
            if removed:
                g.removed[colour] += 1 << (8 * int(g.offer[colour]))
                g.offer[colour] = NOTHING
            else:
                put_under(g, colour)


# -- displays and their score (R21, R22) -------------------------------------------------------------------------------

SIDE_VALUES = np.array([*FRONTS, *BACKS], np.int64)


@compiled
def shown(g, seat):
    """All colours of a display together, packed counts by side."""
    return int(g.displays[seat, 0]) + int(g.displays[seat, 1]) + int(g.displays[seat, 2])


@compiled
def display_score(display, repeat, all_sides):
    """Points of a display: shown values and bonuses."""
    last = SIDES - 1 if all_sides else len(FRONTS)  # of the sides that make sets; the first ones are fronts and sharks
    points = 0
    for side in range(SIDES):
        count = (display >> (8 * side)) & 255
        points += count * SIDE_VALUES[side]
        if side <= last:
            sets = count // SET_SIZE
            points += BONUS * (sets if repeat else min(sets, 1))
    return points


@compiled
def display(g, seat, colour, side, change):
    """Lay a loot card into a display (change 1) or take it out (-1)."""
    g.displays[seat, colour] += change << (8 * side)
    g.scores[seat] = display_score(shown(g, seat), g.bonus_repeat, g.bonus_sides)
