"""Lucky Pirate: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize)."""

from __future__ import annotations

import numpy as np

from pirate_envs.core import deals
from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.cells import copy_cells, write_eight, write_nibbles
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.core.rng import forget_chance
from pirate_envs.games.lucky_pirate.options import PLAYERS_SHOWN, LuckyPirateOptions
from pirate_envs.games.lucky_pirate.rules import FITS, unknown_cards, zone_in_play
from pirate_envs.games.lucky_pirate.state import (
    HIDDEN,
    KINDS,
    MAX_PLAYERS,
    MOST_CARDS,
    MOST_COPIES,
    NEEDS,
    NO_CARD,
    NUMBERS,
    SLOTS,
    kinds_in,
    listed,
    size_of,
)

SCORE_SCALE = 1.0  # points that make a reward of 1
OPTION_CELLS = LuckyPirateOptions.cell_count()
PLAYER_CELLS = PLAYERS_SHOWN.count  # the first of them
COPIES_SCALE, SIZE_SCALE = 4.0, 16.0  # cards that make a cell of 1
MOST = MOST_COPIES / COPIES_SCALE
ROW = 2 * KINDS  # cells of one seat's cards
EVERY_CARD = -1  # a heap that has whatever may be asked for
SEAT_CELLS = 4

LAYOUT = Layout(
    Piece("hand", (KINDS,), "own hand: cards of each kind / 4, in the order of the actions", 0, MOST, private=True),
    Piece("unseen", (KINDS,), "cards that are in no known place, by kind / 4", 0, MOST),
    Piece("pile", (KINDS,), "cards in the pile by kind / 4", 0, MOST),
    Piece(
        "cards",
        (MAX_PLAYERS, ROW),
        "by seat in the order of play, own first: ups by kind / 4, then what all know of its hand by kind / 4",
        0,
        MOST,
    ),
    Piece(
        "cannot_hold",
        (MAX_PLAYERS, KINDS),
        "by seat in the order of play, own first: 1 for a kind of which its hand has no card but those that all know of, as "
        "its pick-ups have proved",
    ),
    Piece(
        "seats",
        (MAX_PLAYERS, SEAT_CELLS),
        "by seat in the order of play, own first: cards in hand / 16, ups / 4, downs / 4, games won / games needed",
        0,
        MOST_CARDS / SIZE_SCALE,
    ),
    Piece(
        "stuck",
        (MAX_PLAYERS, NEEDS),
        "by seat in the order of play, own first, and by what a pile may ask for, as in need: 1 if no card in its zone "
        "in play fits, of a hand not one's own none that all know of",
    ),
    Piece("unseen_fit", (NEEDS,), "by what a pile may ask for: share of the unseen cards that fit"),
    Piece("need", (NEEDS,), "what the pile asks for, one-hot: anything, 1 to 10, an answer to a captain"),
    Piece("run", (NUMBERS,), "value of the equal numbers on top of the pile, one-hot; zeros if there are none"),
    Piece("run_length", (1,), "how many they are / 2"),
    Piece("downs", (SLOTS,), "own slots with a down"),
    Piece("free_downs", (SLOTS,), "own slots with a down and no up on it"),
    Piece("zone", (3,), "own zone in play, one-hot: hand, ups, downs"),
    Piece("direction", (1,), "1 to the left, -1 to the right", -1),
    Piece("after_parrot", (1,), "1 if the seat to move has just played a parrot and may stop"),
    Piece("turn", (1,), "turns of this game so far / turns at which it is cut short"),
    Piece("players", (PLAYER_CELLS,), PLAYERS_SHOWN.text),
    Piece("options", (OPTION_CELLS - PLAYER_CELLS,), LuckyPirateOptions.cell_text("players")),
)
_AT = {piece.name: LAYOUT.offset(piece.name) for piece in LAYOUT}
HAND, UNSEEN, PILE, CARDS, SEATS = (_AT[name] for name in ("hand", "unseen", "pile", "cards", "seats"))
CANNOT_HOLD, STUCK, UNSEEN_FIT = (_AT[name] for name in ("cannot_hold", "stuck", "unseen_fit"))
NEED, RUN, RUN_LENGTH, DOWNS = (_AT[name] for name in ("need", "run", "run_length", "downs"))
ZONE, DIRECTION, AFTER_PARROT, TURN = (_AT[name] for name in ("zone", "direction", "after_parrot", "turn"))
OPTIONS = _AT["players"]

ONE_HOT = np.eye(16, dtype=np.float32)
VALUE = np.eye(16, NUMBERS, -1, dtype=np.float32)  # row: a value from 1, 0 none
QUARTERS = (np.arange(16) / 4).astype(np.float32)


# -- observe -----------------------------------------------------------------------------------------------------------

# Writers get `cells`, the observation from their piece's first cell on, and index it with constants and loop counters
# only: then the compiler sees that no index is negative and stores whole vectors. The masks `& 7` and such serve that too.


@compiled
def _write_heap(heap, cells):
    write_nibbles(cells, 0, heap, np.float32(1 / COPIES_SCALE))


@compiled
def _write_stuck(g, place, heap, out):
    """`heap`: what is known of a seat's zone in play."""
    row, cells = FITS[int(g.table) & 7], out[STUCK + NEEDS * place :]
    for need in range(NEEDS):
        cells[need] = np.float32(1.0) if heap & row[need] == 0 else np.float32(0.0)


@compiled
def _write_unseen_fit(g, unseen, out):
    row, cells = FITS[int(g.table) & 7], out[UNSEEN_FIT:]
    share = np.float32(1.0) / np.float32(max(size_of(unseen), 1))
    for need in range(NEEDS):
        cells[need] = np.float32(size_of(unseen & row[need])) * share


@compiled
def _write_seat(g, seat, place, out):
    _write_heap(int(g.ups[seat]), out[CARDS + ROW * place :])
    _write_heap(int(g.known[seat]), out[CARDS + ROW * place + KINDS :])
    write_nibbles(out[CANNOT_HOLD + KINDS * place :], 0, int(g.cannot_hold[seat]), np.float32(1.0))
    cells = out[SEATS + SEAT_CELLS * place :]
    cells[0] = np.float32(int(g.hand_sizes[seat])) * np.float32(1 / SIZE_SCALE)
    cells[1] = QUARTERS[popcount(int(g.ups_left[seat]) & 15)]
    cells[2] = QUARTERS[popcount(int(g.downs_left[seat]) & 15)]
    cells[3] = np.float32(int(g.wins[seat])) * g.option_cells[OPTION_CELLS - 1]


@compiled
def known_in_play(g, seat):
    """What all know of the seat's zone in play."""
    return int(g.known[seat]) if g.hand_sizes[seat] > 0 else int(g.ups[seat])


@compiled
def _write_seats(g, viewer, players, out):
    """All seats in the order of play, own first; the fields of those that are not there are zeros."""
    step = int(g.direction)
    for place in range(MAX_PLAYERS):
        seat = viewer + step * place
        seat = seat - players if seat >= players else (seat + players if seat < 0 else seat)
        seat = (seat if place < players else place) & 7
        _write_seat(g, seat, place, out)
        known = zone_in_play(g, seat) if place == 0 else known_in_play(g, seat)
        _write_stuck(g, place, known if place < players else EVERY_CARD, out)


@compiled
def _write_pile(g, out):
    _write_heap(int(g.pile), out[PILE:])
    copy_cells(out, NEED, ONE_HOT, 16 * (int(g.need) & 15), NEEDS)
    copy_cells(out, RUN, VALUE, NUMBERS * (int(g.run_value) & 15), NUMBERS)
    out[RUN_LENGTH] = np.float32(int(g.run_length)) * np.float32(0.5)


@compiled
def _write_turn(g, seat, out):
    downs, ups = int(g.downs_left[seat]), int(g.ups_left[seat])
    slots = (downs | ((downs & ~ups) << SLOTS)) & 255
    write_eight(out, DOWNS, slots)
    zone = 0 if g.hand_sizes[seat] > 0 else (1 if ups != 0 else 2)
    copy_cells(out, ZONE, ONE_HOT, 16 * zone, 3)
    out[DIRECTION] = np.float32(int(g.direction))
    out[AFTER_PARROT] = np.float32(int(g.after_parrot))
    out[TURN] = np.float32(int(g.turn)) / np.float32(int(g.max_turns))
    copy_cells(out, OPTIONS, g.option_cells, 0, OPTION_CELLS)


@compiled
def unseen_by(g, seat):
    """The heap of all cards whose place the seat does not know."""
    heap = int(g.whole_deck) - int(g.pile) - int(g.cleared) - int(g.hands[seat]) + int(g.known[seat])
    for other in range(MAX_PLAYERS):
        heap -= int(g.ups[other]) + int(g.known[other])
    return heap


@compiled
def observe(g, seat, out):
    unseen = unseen_by(g, seat)
    _write_heap(int(g.hands[seat]), out[HAND:])
    _write_heap(unseen, out[UNSEEN:])
    _write_unseen_fit(g, unseen, out)
    _write_pile(g, out)
    _write_seats(g, seat, int(g.players), out)
    _write_turn(g, seat, out)


# -- redact ------------------------------------------------------------------------------------------------------------


@compiled
def redact(g, seat):
    """Sizes stay, and what all know of a hand: cards in it, and kinds that the rest of it has not."""
    for other in range(int(g.players)):
        if other != seat:
            g.hands[other] = 0
        for slot in range(SLOTS):
            if (int(g.downs_left[other]) >> slot) & 1 == 1:
                g.down_cards[other, slot] = HIDDEN
    g.aside = 0
    forget_chance(g)


# -- determinize -------------------------------------------------------------------------------------------------------


@compiled_apart
def determinize(g, seat):
    """Every card that the seat cannot place is as likely in any hidden place, but for hands that have proved to hold no such.

    The cards are dealt in the free cells above the pile: together they are no more than a deck.
    """
    total = listed(unseen_by(g, seat), g.pile_cards[g.pile_size :])
    cards = g.pile_cards[g.pile_size : g.pile_size + total]
    need, barred = np.zeros(MAX_PLAYERS + 1, np.int64), np.zeros(MAX_PLAYERS + 1, np.int64)
    need[MAX_PLAYERS] = total  # the last holder: downs and the hand laid aside
    for other in range(int(g.players)):
        if other != seat:
            need[other], barred[other] = unknown_cards(g, other), kinds_in(int(g.cannot_hold[other]))
            need[MAX_PLAYERS] -= need[other]
    deals.deal(g.gen, cards, need, barred)
    _lay_out(g, seat, cards, need)
    for i in range(total):
        cards[i] = NO_CARD


@compiled
def _lay_out(g, seat, cards, need):
    """Put cards in the order of their holders into the other hands, as many as each needs, then face down, then aside."""
    dealt = 0
    for other in range(int(g.players)):
        if other != seat:
            hand = int(g.known[other])
            for _ in range(need[other]):
                hand += 1 << (4 * int(cards[dealt]))
                dealt += 1
            g.hands[other] = hand
    for owner in range(int(g.players)):
        downs = int(g.downs_left[owner])
        while downs != 0:
            g.down_cards[owner, lowest_bit(downs)] = cards[dealt]
            downs &= downs - 1
            dealt += 1
    for _ in range(int(g.aside_size)):
        g.aside += 1 << (4 * int(cards[dealt]))
        dealt += 1
