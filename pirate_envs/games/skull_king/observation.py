"""Skull King: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize)."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.cells import copy_cells, write_bits
from pirate_envs.core.deals import deal as deal_to_holders
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.core.rng import below, forget_chance
from pirate_envs.core.seats import following
from pirate_envs.games.skull_king.options import SkullKingOptions
from pirate_envs.games.skull_king.rules import add_card
from pirate_envs.games.skull_king.state import (
    BIDDING,
    BONUS_SCALE,
    DECK_SIZES,
    ESCAPE,
    ESCAPES,
    KINDS,
    KING,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_HAND,
    MAX_NUMBER,
    MAX_PLAYERS,
    MERMAID,
    MERMAIDS,
    NO_BID,
    NO_CARD,
    NUMBER_CARDS,
    NUMBERS,
    PIRATE,
    PIRATES,
    SUITS,
    VOID_CARDS,
    copies,
)

SCORE_SCALE = 500.0
OPTION_CELLS, SHOWN = SkullKingOptions.cell_count(), dict(SkullKingOptions.shown())
CARD_CELLS, SEAT_CELLS = 8, 16  # rows of whole vector registers
TRICKS_WON, CARDS_HELD, BONUS, SCORE, LEADS, WINS = range(CARD_CELLS + 2, SEAT_CELLS)  # cells of a seat's row after its bid

LAYOUT = Layout(
    Piece("hand_numbers", (SUITS, MAX_NUMBER), "own numbered cards: suit (yellow, blue, red, black) by number", private=True),
    Piece("gone_numbers", (SUITS, MAX_NUMBER), "numbered cards played in this hand"),
    Piece(
        "seats",
        (MAX_PLAYERS, SEAT_CELLS),
        "by seat, own first: its card in the trick (number / 14 in the suit's cell; escape, pirate, mermaid, king; Scary Mary "
        "is her mode's cell and half of the other), bid known, bid / 10, tricks won / 10, cards held / 10, bonus of this hand "
        "/ 100, points / 500, leads the trick, would win it now",
        -2,
        30,
    ),
    Piece("voids", (MAX_PLAYERS, SUITS), "by seat: suits that it has shown not to hold"),
    Piece("hand_specials", (5,), "own escapes / 5, pirates / 5, mermaids / 2, king, Scary Mary", private=True),
    Piece("gone_specials", (5,), "specials played in this hand, the same scales"),
    Piece("led_suit", (SUITS,), "suit to follow, one-hot; zeros when there is none"),
    Piece("playing", (1,), "0 while bidding, 1 while playing"),
    Piece("hand_number", (1,), "cards dealt to each / 10"),
    Piece("last_hand", (1,), "number of the match's last hand / 10"),
    Piece("players", (SHOWN["players"].count,), SHOWN["players"].text),
    Piece("options", (OPTION_CELLS - SHOWN["players"].count,), SkullKingOptions.cell_text("players")),
)
_AT = {piece.name: LAYOUT.offset(piece.name) for piece in LAYOUT}
HAND_NUMBERS, GONE_NUMBERS, SEATS, VOIDS = (_AT[name] for name in ("hand_numbers", "gone_numbers", "seats", "voids"))
HAND_SPECIALS, GONE_SPECIALS, LED_SUIT = (_AT[name] for name in ("hand_specials", "gone_specials", "led_suit"))
PLAYING, HAND_NUMBER, LAST_HAND, OPTIONS = (_AT[name] for name in ("playing", "hand_number", "last_hand", "players"))


def _card_cells(kind: int) -> list[float]:
    cells = [0.0] * CARD_CELLS
    if kind < NUMBERS:
        cells[kind // MAX_NUMBER] = (kind % MAX_NUMBER + 1) / MAX_NUMBER
    elif kind in (MARY_PIRATE, MARY_ESCAPE):
        cells[4] = 1.0 if kind == MARY_ESCAPE else 0.5
        cells[5] = 1.0 if kind == MARY_PIRATE else 0.5
    elif kind < NO_CARD:
        cells[4 + kind - ESCAPE] = 1.0
    return cells


CARD = np.array([_card_cells(kind) for kind in range(KINDS + 1)], np.float32)
BID = np.array([[0.0, 0.0]] + [[1.0, bid / 10] for bid in range(MAX_HAND + 5)], np.float32)  # row: the bid plus one; 0 unknown
TENTHS = (np.arange(16) / 10).astype(np.float32)
FIFTHS = (np.arange(16) / 5).astype(np.float32)
HALVES = (np.arange(16) / 2).astype(np.float32)


# -- observe -----------------------------------------------------------------------------------------------------------


@compiled
def hand_size(g, seat):
    """Cards a seat holds: one a trick that is left, and one less if it has played to the trick on the table."""
    place = seat - int(g.leader)
    if place < 0:
        place += int(g.players)
    return int(g.tricks_left) - (1 if place < g.laid else 0)


@compiled
def sees_bid(g, viewer, seat):
    """Bids are seen once all are in, or at once with open bidding; one's own always (R4)."""
    return g.bids[seat] != NO_BID and (g.phase != BIDDING or g.bidding == 1 or viewer == seat)


# Writers get `cells`, the observation from their piece's first cell on, and index it with constants and loop counters
# only: then the compiler sees that no index is negative and stores whole vectors. The masks `& 7` and such serve that too.


@compiled
def _write_specials(held, counts, cells):
    cells[0] = FIFTHS[copies(counts, ESCAPE)]
    cells[1] = FIFTHS[copies(counts, PIRATE)]
    cells[2] = HALVES[copies(counts, MERMAID)]
    cells[3] = np.float32((held >> KING) & 1)
    cells[4] = np.float32(((held >> MARY_PIRATE) | (held >> MARY_ESCAPE)) & 1)


@compiled
def _write_seat(g, seat, turn, shown_bid, cells):
    """One seat's row, LEADS and WINS at 0; `turn` is its place in the trick, from the leader."""
    kind = int(g.trick[turn]) & 63
    copy_cells(cells, 0, CARD, CARD_CELLS * kind, CARD_CELLS)
    copy_cells(cells, CARD_CELLS, BID, 2 * (shown_bid & 15), 2)
    cells[TRICKS_WON] = TENTHS[int(g.tricks_won[seat]) & 15]
    cells[CARDS_HELD] = TENTHS[(int(g.tricks_left) - (1 if turn < g.laid else 0)) & 15]
    cells[BONUS] = np.float32(int(g.bonus[seat])) * np.float32(1 / BONUS_SCALE)
    cells[SCORE] = np.float32(int(g.scores[seat])) * np.float32(1 / SCORE_SCALE)
    cells[LEADS] = np.float32(0.0)
    cells[WINS] = np.float32(0.0)


@compiled
def _write_seats(g, viewer, players, out):
    """All rows, own seat first; rows of seats that are not there are zeros. Then the suits they have shown not to hold."""
    revealed = g.phase != BIDDING or g.bidding == 1
    leader = int(g.leader) - viewer
    leader = leader + players if leader < 0 else leader
    seat = viewer
    turn = players - leader if leader > 0 else 0
    voids = 0
    for place in range(players):
        shown_bid = int(g.bids[seat & 7]) + 1 if revealed or place == 0 else 0
        _write_seat(g, seat & 7, turn & 7, shown_bid, out[SEATS + SEAT_CELLS * place :])
        voids |= int(g.voids[seat & 7]) << (SUITS * place)
        seat = following(seat, players)
        turn = following(turn, players)
    for place in range(players, MAX_PLAYERS):
        cells = out[SEATS + SEAT_CELLS * place :]
        for cell in range(SEAT_CELLS):
            cells[cell] = np.float32(0.0)
    out[SEATS + SEAT_CELLS * (leader & 7) + LEADS] = np.float32(1.0)
    if g.laid > 0:
        winning = int(g.winning) - viewer
        winning = winning + players if winning < 0 else winning
        out[SEATS + SEAT_CELLS * (winning & 7) + WINS] = np.float32(1.0)
    write_bits(voids, MAX_PLAYERS * SUITS, out[VOIDS:])


@compiled
def _write_hand_and_options(g, out):
    for suit in range(SUITS):
        out[LED_SUIT + suit] = np.float32(1.0) if g.led_suit == suit else np.float32(0.0)
    out[PLAYING] = np.float32(int(g.phase))
    out[HAND_NUMBER] = TENTHS[int(g.hand_number) & 15]
    out[LAST_HAND] = TENTHS[int(g.last_hand) & 15]
    copy_cells(out, OPTIONS, g.option_cells, 0, OPTION_CELLS)


@compiled
def observe(g, seat, out):
    players = int(g.players)
    hand = int(g.hands[seat])
    gone = int(g.gone)
    write_bits(hand, NUMBERS, out[HAND_NUMBERS:])
    write_bits(gone, NUMBERS, out[GONE_NUMBERS:])
    _write_seats(g, seat, players, out)
    _write_specials(hand, int(g.counts[seat]), out[HAND_SPECIALS:])
    _write_specials(gone, int(g.gone_counts), out[GONE_SPECIALS:])
    _write_hand_and_options(g, out)


# -- redact ------------------------------------------------------------------------------------------------------------


@compiled
def redact(g, seat):
    for other in range(int(g.players)):
        if other != seat:
            g.hands[other] = 0
            g.counts[other] = 0
        if not sees_bid(g, seat, other):
            g.bids[other] = NO_BID
    forget_chance(g)


# -- determinize -------------------------------------------------------------------------------------------------------


@compiled_apart
def unseen_cards(g, seat):
    """The kinds of all cards that are neither in the seat's hand nor played, one entry a card."""
    cards = np.empty(int(DECK_SIZES[int(g.highest)]), np.int8)
    known = int(g.hands[seat]) | int(g.gone)
    counts = int(g.counts[seat]) + int(g.gone_counts)
    total = 0
    numbers = NUMBER_CARDS[int(g.highest)] & ~known
    while numbers != 0:
        cards[total] = lowest_bit(numbers)
        numbers &= numbers - 1
        total += 1
    for kind, in_deck in ((ESCAPE, ESCAPES), (PIRATE, PIRATES), (MERMAID, MERMAIDS)):
        for _ in range(in_deck - copies(counts, kind)):
            cards[total] = kind
            total += 1
    if (known >> KING) & 1 == 0:
        cards[total] = KING
        total += 1
    if ((known >> MARY_PIRATE) | (known >> MARY_ESCAPE)) & 1 == 0:
        cards[total] = MARY_PIRATE
        total += 1
    return cards[:total]


@compiled_apart
def determinize(g, seat):
    """Every deal of the cards that the seat cannot place is equally likely, if it gives nobody a suit shown not to be held."""
    cards = unseen_cards(g, seat)
    need, barred = np.zeros(MAX_PLAYERS, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    for other in range(int(g.players)):
        if other != seat:
            need[other] = hand_size(g, other)
            barred[other] = VOID_CARDS[int(g.voids[other]) & 15]
    deal_to_holders(g.gen, cards, need, barred)
    dealt = 0
    for other in range(int(g.players)):
        for _ in range(int(need[other])):
            add_card(g, other, int(cards[dealt]))
            dealt += 1
    if g.phase == BIDDING:
        _guess_bids(g, seat)


@compiled
def _guess_bids(g, seat):
    """Sealed bids that are in but unseen: any number of tricks."""
    other = int(g.first_leader)
    while other != g.to_move:
        if other != seat and g.bids[other] == NO_BID:
            g.bids[other] = below(g.gen, int(g.hand_number) + 1)
        other = following(other, int(g.players))
