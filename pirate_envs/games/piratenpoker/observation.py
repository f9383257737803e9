"""Piratenpoker: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize).

Pieces by seat begin with the seat that looks and go round the table. Sealed bids stay in the hands until the reveal, so
that no count tells about them.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import nth_bit, popcount
from pirate_envs.core.cells import copy_cells, write_bytes
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.core.rng import below, forget_chance
from pirate_envs.core.seats import following
from pirate_envs.games.piratenpoker import reshuffle, rules, state
from pirate_envs.games.piratenpoker.options import MOST_CYCLES, PiratenpokerOptions
from pirate_envs.games.piratenpoker.rules import TOTAL_AT
from pirate_envs.games.piratenpoker.state import (
    BID,
    COLOURS,
    COPIES,
    DECK,
    EMPTY_HAND,
    FRONTS,
    GIFT,
    HAND,
    KINDS,
    LOOT_SCALE,
    MAX_PLAYERS,
    NO_BID,
    NOTHING,
    NUMBERS,
    OVERBOARD,
    POKER_CARDS,
    SIDES,
    STACK,
    WINDOWS,
)

SCORE_SCALE = 50.0
TOTAL_SCALE = 36.0
CYCLES_SCALE = 30.0
OPTION_CELLS = PiratenpokerOptions.cell_count()
SLOT_CELLS, SEAT_CELLS, FLAGS = 8, 16, 8  # rows of whole vector registers; a seat's flags come before its display

LAYOUT = Layout(
    Piece(
        "hand",
        (HAND, SLOT_CELLS),
        "own poker cards by slot: green, red, yellow, number / 8, there is a card, its worth in this round / 16, of the same "
        "kind as the slot before, staked in the own sealed bid",
        private=True,
    ),
    Piece(
        "seats",
        (MAX_PLAYERS, SEAT_CELLS),
        "by seat, own first: seated, may take part in the cycle's rounds to come, Pass in hand, cards at the last reveal or "
        "refill / 6, won the last reveal, passed in it, its total then / 36, points / 50; cards shown / 3 of +5, +6, +8, +10, "
        "shark, -3, -4, -5",
        -3,
        7,
    ),
    Piece("last_bids", (MAX_PLAYERS, COLOURS, NUMBERS), "by seat: cards of each kind in its bid at the last reveal / 2", 0, 3),
    Piece("discard", (COLOURS, NUMBERS), "share of the cards of each kind that lie on the discard"),
    Piece(
        "held",
        (COLOURS, NUMBERS),
        "share of the cards of each kind that the others hold for certain: what they held together when the discard last "
        "became the pile, less what they have staked since; zeros if that has not happened",
        private=True,
    ),
    Piece("old", (MAX_PLAYERS,), "by seat: most cards of its hand that can be older than that / 6"),
    Piece("stacks", (COLOURS, STACK), "loot stacks from the top: front / 10, 0.1 not seen by anybody, 0 no card"),
    Piece("tops", (COLOURS, len(FRONTS)), "front of each stack's top card, one-hot"),
    Piece("offer", (COLOURS, len(FRONTS)), "front of each colour's card on offer, one-hot"),
    Piece("unseen", (COLOURS, len(FRONTS)), "cards of each front in the stack that nobody has seen / 4", 0, STACK / LOOT_SCALE),
    Piece("stack_sizes", (COLOURS,), "cards in each stack / 7"),
    Piece("round", (3,), "round of the cycle, one-hot"),
    Piece("choice", (3,), "what the mover decides if it is no bid: overboard, below deck, gift"),
    Piece("gift_to", (MAX_PLAYERS - 1,), "who gets the mover's gifts, one-hot by seats after the mover; zeros if not decided"),
    Piece("last_round", (3,), "round of the last reveal, one-hot"),
    Piece("last_doubled", (COLOURS,), "colour that counted twice in it, one-hot"),
    Piece("own_pass", (1,), "1 if the own sealed bid is the Pass", private=True),
    Piece("pile", (1,), "cards in the draw pile / 84"),
    Piece("cycle", (1,), "cycles begun / 30", 0, MOST_CYCLES / CYCLES_SCALE),
    Piece("cycles_left", (1,), "cycles after this one before the match is cut short / 30", 0, MOST_CYCLES / CYCLES_SCALE),
    Piece(
        "options",
        (OPTION_CELLS,),
        PiratenpokerOptions.cell_text(),
        0,
        STACK / LOOT_SCALE,
    ),
)
_AT = {piece.name: LAYOUT.offset(piece.name) for piece in LAYOUT}
SEATS, LAST_BIDS, DISCARD, HELD, OLD = (_AT[name] for name in ("seats", "last_bids", "discard", "held", "old"))
STACKS, TOPS = (_AT[name] for name in ("stacks", "tops"))
OFFER, UNSEEN, STACK_SIZES, ROUND, CHOICE = (_AT[name] for name in ("offer", "unseen", "stack_sizes", "round", "choice"))
GIFT_TO, LAST_ROUND, LAST_DOUBLED, OWN_PASS = (_AT[name] for name in ("gift_to", "last_round", "last_doubled", "own_pass"))
PILE, CYCLE, CYCLES_LEFT, OPTIONS = (_AT[name] for name in ("pile", "cycle", "cycles_left", "options"))


def _slot_cells(kind: int, doubled: int) -> list[float]:
    colour, number = kind // NUMBERS, kind % NUMBERS + 1
    if kind >= KINDS:
        return [0.0] * SLOT_CELLS
    worth = number * (2 if colour == doubled else 1)
    return [*(float(colour == other) for other in range(COLOURS)), number / NUMBERS, 1.0, worth / (2 * NUMBERS), 0.0, 0.0]


SLOT = np.array([[_slot_cells(kind, doubled) for kind in range(32)] for doubled in (NOTHING, *range(COLOURS))], np.float32)
UNKNOWN = 15  # for four bits of a stack
_PLACE = np.zeros(16, np.float32)
_PLACE[[1 << front for front in range(len(FRONTS))]] = np.array(FRONTS, np.float32) / 10
_PLACE[UNKNOWN] = 0.1
PLACES = np.array([[_PLACE[pair & 15], _PLACE[pair >> 4]] for pair in range(256)], np.float32)  # of two cards of a stack
FRONT = np.array([[bits >> front & 1 for front in range(len(FRONTS))] for bits in range(16)], np.float32)
FLAG_SCALES = np.array([1, 1, 1, 1 / HAND, 1, 1, 1 / TOTAL_SCALE, 0], np.float32)
SHARE = (1 / np.array(COPIES)).astype(np.float32)


def _one_hot(size: int, *numbers: int) -> list[float]:
    """Each number from 1 to `size` as one-hot cells, 0 as zeros."""
    return [float(number == cell) for number in numbers for cell in range(1, size + 1)]


STAGES = np.array([[*_one_hot(3, stage & 3, stage >> 2), 0, 0] for stage in range(16)], np.float32)  # row: phase, round
LASTS = np.array([[*_one_hot(3, last >> 2, last & 3), 0, 0] for last in range(16)], np.float32)  # row: round, colour + 1
STEPS = np.array([_one_hot(MAX_PLAYERS - 1, steps) for steps in range(8)], np.float32)


@compiled
def hidden_places(g, colour):
    """The four bits of every card of a stack that nobody has seen."""
    return ((1 << (4 * int(g.hidden[colour]))) - 1) << 4


# -- observe -----------------------------------------------------------------------------------------------------------

# Writers get `cells`, the observation from their piece's first cell on, and index it with constants and loop counters
# only: then the compiler sees that no index is negative and stores whole vectors. The masks `& 7` and such serve that too.


@compiled
def _write_hand(g, seat, cells):
    hand = int(g.hands[seat])
    staked = max(int(g.bids[seat]), 0)
    row = (rules.doubled_colour(g) + 1) & 3
    alike = rules.alike_slots(hand) << 1 & ((1 << int(g.sizes[seat])) - 1)
    for slot in range(HAND):
        kind = (hand >> (8 * slot)) & 31
        copy_cells(cells, SLOT_CELLS * slot, SLOT, SLOT_CELLS * (32 * row + kind), SLOT_CELLS)
        cells[SLOT_CELLS * slot + 6] = np.float32((alike >> slot) & 1)
        cells[SLOT_CELLS * slot + 7] = np.float32((staked >> slot) & 1)


@compiled
def _write_seat(g, seat, cells):
    passed = int(g.passed[seat])
    standing = int(g.standing[seat])
    flags = 1 | (1 - (passed & (1 - int(g.pass_effect)))) << 8 | (1 - passed) << 16 | int(g.sizes[seat]) << 24
    flags |= int(g.last_winner == seat) << 32 | int(standing == 0) << 40 | (max(standing, 0) >> TOTAL_AT) << 48
    write_bytes(cells, 0, flags, FLAG_SCALES)
    cells[FLAGS - 1] = np.float32(int(g.scores[seat])) * np.float32(1 / SCORE_SCALE)
    write_bytes(cells, FLAGS, state.shown(g, seat), np.float32(1 / 3))


@compiled
def _write_seats(g, viewer, out):
    players = int(g.players)
    seat = viewer
    for place in range(players):
        _write_seat(g, seat & 7, out[SEATS + SEAT_CELLS * place :])
        bid = out[LAST_BIDS + KINDS * place :]
        for colour in range(COLOURS):
            write_bytes(bid, NUMBERS * colour, int(g.last_bids[seat & 7, colour]), np.float32(1 / 2))
        out[OLD + place] = np.float32(int(g.most_old[seat & 7])) * np.float32(1 / HAND)
        seat = following(seat, players)
    for place in range(players, MAX_PLAYERS):
        cells, bid = out[SEATS + SEAT_CELLS * place :], out[LAST_BIDS + KINDS * place :]
        for cell in range(SEAT_CELLS):
            cells[cell] = np.float32(0)
        for cell in range(KINDS):
            bid[cell] = np.float32(0)
        out[OLD + place] = np.float32(0)


@compiled
def _write_held(g, seat, cells):
    green, red, yellow = 0, 0, 0
    if g.reshuffled:
        green, red, yellow = reshuffle.held_for_certain(g, seat)
    write_bytes(cells, 0, green, SHARE)
    write_bytes(cells, NUMBERS, red, SHARE)
    write_bytes(cells, 2 * NUMBERS, yellow, SHARE)


@compiled
def _write_loot(g, out):
    """Stacks and unseen cards overlap the next piece by some cells, which it then writes."""
    for colour in range(COLOURS):
        hidden = hidden_places(g, colour)
        stack = int(g.stacks[colour]) | hidden
        cells = out[STACKS + STACK * colour :]
        for pair in range(4):
            copy_cells(cells, 2 * pair, PLACES, 2 * ((stack >> (8 * pair)) & 255), 2)
    for colour in range(COLOURS):
        top = int(g.stacks[colour]) & 15
        offered = ((1 << (int(g.offer[colour]) + 1)) >> 1) & 15
        copy_cells(out, TOPS + 4 * colour, FRONT, 4 * top, 4)
        copy_cells(out, OFFER + 4 * colour, FRONT, 4 * offered, 4)
    for colour in range(COLOURS):
        write_bytes(out, UNSEEN + len(FRONTS) * colour, int(g.unseen[colour]), np.float32(1 / LOOT_SCALE))
    for colour in range(COLOURS):
        out[STACK_SIZES + colour] = np.float32(int(g.stack_sizes[colour])) * np.float32(1 / STACK)


@compiled
def _write_stage(g, seat, out):
    """Rows of eight cells overlap the next piece by two, which it then writes."""
    stage = (int(g.phase) & 3) << 2 | int(g.round_number) & 3
    last = (int(g.last_doubled) + 1) & 3 | (int(g.last_round) & 3) << 2
    steps = int(g.gift_to) - int(g.to_move)
    steps += int(g.players) if steps < 0 else 0
    steps = steps & 7 if g.gift_to >= 0 else 0
    copy_cells(out, ROUND, STAGES, 8 * stage, 8)
    copy_cells(out, GIFT_TO, STEPS, 4 * steps, 4)
    copy_cells(out, LAST_ROUND, LASTS, 8 * last, 8)
    out[OWN_PASS] = np.float32(int(g.bids[seat] == state.PASS))
    out[PILE] = np.float32(int(g.pile_size)) * np.float32(1 / POKER_CARDS)
    out[CYCLE] = np.float32(int(g.cycle)) * np.float32(1 / CYCLES_SCALE)
    out[CYCLES_LEFT] = np.float32(int(g.max_cycles) - int(g.cycle)) * np.float32(1 / CYCLES_SCALE)
    copy_cells(out, OPTIONS, g.option_cells, 0, OPTION_CELLS)


@compiled
def observe(g, seat, out):
    _write_hand(g, seat, out)
    _write_seats(g, seat, out)
    for colour in range(COLOURS):
        cells = out[DISCARD + NUMBERS * colour :]
        write_bytes(cells, 0, int(g.discard[colour]), SHARE)
    _write_held(g, seat, out[HELD:])
    _write_loot(g, out)
    _write_stage(g, seat, out)


# -- redact ------------------------------------------------------------------------------------------------------------


@compiled
def redact(g, seat):
    for other in range(int(g.players)):
        if other != seat:
            g.hands[other] = EMPTY_HAND
            g.bids[other] = NO_BID
            for window in range(WINDOWS):
                for colour in range(COLOURS):
                    g.drawn[other, window, colour] = 0
    for colour in range(COLOURS):
        g.pile[colour] = 0
        g.stacks[colour] &= ~hidden_places(g, colour)
    forget_chance(g)


# -- determinize -------------------------------------------------------------------------------------------------------


@compiled
def _gather_unseen(g, seat):
    """Make every poker card that is neither in the seat's hand nor on the discard the pile."""
    for colour in range(COLOURS):
        g.pile[colour] = DECK - int(g.discard[colour])
    hand = int(g.hands[seat])
    for slot in range(int(g.sizes[seat])):
        kind = (hand >> (8 * slot)) & 31
        g.pile[kind // NUMBERS] -= 1 << (8 * (kind % NUMBERS))


@compiled
def _deal_unseen(g, seat):
    """Deal the other hands from the pile."""
    left = int(g.pile_size)
    for other in range(int(g.players)):
        left += int(g.sizes[other]) if other != seat else 0
    for other in range(int(g.players)):
        if other != seat:
            hand = EMPTY_HAND
            for _ in range(int(g.sizes[other])):
                hand = state.with_card(hand, state.take_from_pile(g, below(g.gen, left)))
                left -= 1
            g.hands[other] = hand


@compiled
def fill_stack(g, colour):
    """Put the cards that nobody has seen into a stack's hidden places, in random order."""
    unseen = int(g.unseen[colour])
    hidden = int(g.hidden[colour])
    for place in range(1, hidden + 1):
        rank = below(g.gen, hidden + 1 - place)
        front = 0
        while rank >= (unseen >> (8 * front)) & 255:
            rank -= (unseen >> (8 * front)) & 255
            front += 1
        unseen -= 1 << (8 * front)
        g.stacks[colour] |= 1 << (4 * place + front)


@compiled
def seal_bid(g, seat):
    """Any legal bid of the seat."""
    bids = rules.legal_bids(g, seat)
    g.bids[seat] = nth_bit(bids, below(g.gen, popcount(bids)))


@compiled_apart
def determinize(g, seat):
    if g.reshuffled == 0 or not reshuffle.deal_hands(g, 1 << seat):
        _gather_unseen(g, seat)
        _deal_unseen(g, seat)
    for colour in range(COLOURS):
        fill_stack(g, colour)
    if g.phase == BID and g.over == 0:
        other = int(g.first_seat)
        while other != g.to_move:
            if other != seat and rules.takes_part(g, other):
                seal_bid(g, other)
            other = following(other, int(g.players))


assert (OVERBOARD, GIFT) == (1, 3)  # `choice` is one-hot in their order
assert SIDES == FLAGS
