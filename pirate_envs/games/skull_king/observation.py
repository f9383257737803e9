"""Skull King: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize)."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.core.rng import below, shuffle
from pirate_envs.games.skull_king import rules
from pirate_envs.games.skull_king.rules import (
    BIDDING,
    ESCAPE,
    KING,
    KINDS,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_HAND,
    MAX_NUMBER,
    MAX_PLAYERS,
    MERMAID,
    NO_BID,
    NUMBERS,
    SUITS,
)

SCORE_SCALE = 500.0
BONUS_SCALE = 100.0
CARD_CELLS = 11  # laid, four suits, number, escape, pirate, mermaid, king, Scary Mary

LAYOUT = Layout(
    Piece("hand_numbers", (SUITS, MAX_NUMBER), "own numbered cards: suit (yellow, blue, red, black) by number"),
    Piece("gone_numbers", (SUITS, MAX_NUMBER), "numbered cards played in this hand"),
    Piece("hand_specials", (5,), "own escapes / 5, pirates / 5, mermaids / 2, king, Scary Mary"),
    Piece("gone_specials", (5,), "specials played in this hand, the same scales"),
    Piece(
        "trick",
        (MAX_PLAYERS, CARD_CELLS),
        "card on the table by seat: laid, suit one-hot, number / 14, escape, pirate, mermaid, king, Scary Mary (with her mode)",
    ),
    Piece("leader", (MAX_PLAYERS,), "seat that leads the trick, one-hot"),
    Piece("winning", (MAX_PLAYERS,), "seat that would win the trick now, one-hot; zeros before the first card"),
    Piece("bid_known", (MAX_PLAYERS,), "1 where the seat's bid is known"),
    Piece("bids", (MAX_PLAYERS,), "bids that are known / 10"),
    Piece("tricks_won", (MAX_PLAYERS,), "tricks won in this hand / 10"),
    Piece("hand_sizes", (MAX_PLAYERS,), "cards held / 10"),
    Piece("bonus", (MAX_PLAYERS,), "trick bonuses of this hand / 100", 0, 20),
    Piece("scores", (MAX_PLAYERS,), "points of the match / 500", -2, 30),
    Piece("voids", (MAX_PLAYERS, SUITS), "suits that the seat has shown not to hold"),
    Piece("led_suit", (SUITS,), "suit to follow, one-hot; zeros when there is none"),
    Piece("playing", (1,), "0 while bidding, 1 while playing"),
    Piece("hand_number", (1,), "cards dealt to each / 10"),
    Piece("last_hand", (1,), "number of the match's last hand / 10"),
    Piece("players", (MAX_PLAYERS - 1,), "2 to 6 players, one-hot"),
    Piece(
        "options",
        (9,),
        "open bidding, highest / 14, character lead frees, Mary as escape counts, then mermaid_takes_king, king_takes_pirate, "
        "pirate_takes_mermaid, fourteen, black_fourteen, each / 100",
    ),
)
_AT = {piece.name: LAYOUT.offset(piece.name) for piece in LAYOUT}
HAND_NUMBERS, GONE_NUMBERS = _AT["hand_numbers"], _AT["gone_numbers"]
HAND_SPECIALS, GONE_SPECIALS = _AT["hand_specials"], _AT["gone_specials"]
TRICK, LEADER, WINNING = _AT["trick"], _AT["leader"], _AT["winning"]
BID_KNOWN, BIDS, TRICKS_WON, HAND_SIZES = _AT["bid_known"], _AT["bids"], _AT["tricks_won"], _AT["hand_sizes"]
BONUS, SCORES, VOIDS, LED_SUIT = _AT["bonus"], _AT["scores"], _AT["voids"], _AT["led_suit"]
PLAYING, HAND_NUMBER, LAST_HAND, PLAYERS, OPTIONS = (
    _AT[name] for name in ("playing", "hand_number", "last_hand", "players", "options")
)


def _card_cells(kind: int) -> list[float]:
    cells = [1.0] + [0.0] * (CARD_CELLS - 1)
    if kind < NUMBERS:
        cells[1 + kind // MAX_NUMBER] = 1.0
        cells[5] = (kind % MAX_NUMBER + 1) / MAX_NUMBER
    elif kind in (MARY_PIRATE, MARY_ESCAPE):
        cells[10] = 1.0
        cells[7 if kind == MARY_PIRATE else 6] = 1.0
    else:
        cells[6 + kind - ESCAPE] = 1.0
    return cells


CARD = np.array([_card_cells(kind) for kind in range(KINDS)], np.float32)
TENTHS = (np.arange(16) / 10).astype(np.float32)
FIFTHS = (np.arange(16) / 5).astype(np.float32)
HALVES = (np.arange(16) / 2).astype(np.float32)
SUIT_BITS = (np.arange(16)[:, None] >> np.arange(SUITS) & 1).astype(np.float32)


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


@compiled
def _write_numbers(cards, out, at):
    for i in range(NUMBERS):
        out[at + i] = np.float32((cards >> i) & 1)


@compiled
def _write_specials(cards, counts, out, at):
    out[at] = FIFTHS[counts & 15]
    out[at + 1] = FIFTHS[(counts >> 4) & 15]
    out[at + 2] = HALVES[(counts >> 8) & 15]
    out[at + 3] = np.float32((cards >> KING) & 1)
    out[at + 4] = np.float32(((cards >> MARY_PIRATE) | (cards >> MARY_ESCAPE)) & 1)


@compiled
def _write_trick(g, seat, players, out):
    place = int(g.leader) - seat
    if place < 0:
        place += players
    out[LEADER + place] = 1.0
    for i in range(int(g.laid)):
        kind = int(g.trick[i])
        at = TRICK + CARD_CELLS * place
        for cell in range(CARD_CELLS):
            out[at + cell] = CARD[kind, cell]
        place = place + 1 if place + 1 < players else 0
    if g.laid > 0:
        place = int(g.winning) - seat
        out[WINNING + (place if place >= 0 else place + players)] = 1.0
    if g.led_suit >= 0:
        out[LED_SUIT + int(g.led_suit)] = 1.0


@compiled
def _write_seats(g, seat, players, out):
    revealed = g.phase != BIDDING or g.bidding == 1
    size = int(g.tricks_left)
    place = int(g.leader) - seat + (players if g.leader < seat else 0)
    for i in range(players):  # from the leader: the first g.laid of them have one card less
        out[HAND_SIZES + place] = TENTHS[size - (1 if i < g.laid else 0)]
        place = place + 1 if place + 1 < players else 0
    other = seat
    for place in range(players):
        if g.bids[other] != NO_BID and (revealed or place == 0):
            out[BID_KNOWN + place] = 1.0
            out[BIDS + place] = TENTHS[g.bids[other]]
        out[TRICKS_WON + place] = TENTHS[g.tricks_won[other]]
        out[BONUS + place] = np.float32(g.bonus[other]) * np.float32(1 / BONUS_SCALE)
        out[SCORES + place] = np.float32(g.scores[other]) * np.float32(1 / SCORE_SCALE)
        void = int(g.voids[other])
        for suit in range(SUITS):
            out[VOIDS + SUITS * place + suit] = SUIT_BITS[void, suit]
        other = other + 1 if other + 1 < players else 0


@compiled
def _write_hand_and_options(g, players, out):
    out[PLAYING] = np.float32(g.phase)
    out[HAND_NUMBER] = TENTHS[g.hand_number]
    out[LAST_HAND] = TENTHS[g.last_hand]
    out[PLAYERS + players - 2] = 1.0
    out[OPTIONS] = np.float32(g.bidding)
    out[OPTIONS + 1] = np.float32(g.highest) * np.float32(1 / MAX_NUMBER)
    out[OPTIONS + 2] = np.float32(g.character_lead_frees_trick)
    out[OPTIONS + 3] = np.float32(g.mary_as_escape_counts)
    out[OPTIONS + 4] = np.float32(g.mermaid_takes_king) * np.float32(1 / BONUS_SCALE)
    out[OPTIONS + 5] = np.float32(g.king_takes_pirate) * np.float32(1 / BONUS_SCALE)
    out[OPTIONS + 6] = np.float32(g.pirate_takes_mermaid) * np.float32(1 / BONUS_SCALE)
    out[OPTIONS + 7] = np.float32(g.fourteen) * np.float32(1 / BONUS_SCALE)
    out[OPTIONS + 8] = np.float32(g.black_fourteen) * np.float32(1 / BONUS_SCALE)


@compiled
def observe(g, seat, out):
    players = int(g.players)
    hand = int(g.hands[seat])
    gone = int(g.gone)
    _write_numbers(hand, out, HAND_NUMBERS)
    _write_numbers(gone, out, GONE_NUMBERS)
    _write_specials(hand, int(g.counts[seat]), out, HAND_SPECIALS)
    _write_specials(gone, int(g.gone_counts), out, GONE_SPECIALS)
    for i in range(TRICK, LAYOUT_SIZE):
        out[i] = 0.0
    _write_trick(g, seat, players, out)
    _write_seats(g, seat, players, out)
    _write_hand_and_options(g, players, out)


LAYOUT_SIZE = LAYOUT.size


# -- redact ------------------------------------------------------------------------------------------------------------


@compiled
def redact(g, seat):
    for other in range(int(g.players)):
        if other != seat:
            g.hands[other] = 0
            g.counts[other] = 0
        if not sees_bid(g, seat, other):
            g.bids[other] = NO_BID
    for i in range(4):
        g.gen[i] = 0
    g.seed[0] = 0
    g.seed[1] = 0


# -- determinize -------------------------------------------------------------------------------------------------------


@compiled
def unseen_cards(g, seat):
    """The kinds of all cards that are neither in the seat's hand nor played, one entry a card."""
    cards = np.empty(rules.deck_size(g), np.int8)
    known = int(g.hands[seat]) | int(g.gone)
    counts = int(g.counts[seat]) + int(g.gone_counts)
    total = 0
    for suit in range(SUITS):
        for number in range(int(g.highest)):
            kind = suit * MAX_NUMBER + number
            if (known >> kind) & 1 == 0:
                cards[total] = kind
                total += 1
    for kind in range(ESCAPE, MERMAID + 1):
        copies = 2 if kind == MERMAID else 5
        for _ in range(copies - ((counts >> (4 * (kind - ESCAPE))) & 15)):
            cards[total] = kind
            total += 1
    if (known >> KING) & 1 == 0:
        cards[total] = KING
        total += 1
    if ((known >> MARY_PIRATE) | (known >> MARY_ESCAPE)) & 1 == 0:
        cards[total] = MARY_PIRATE
        total += 1
    return cards[:total]


@compiled
def can_hold(g, seat, kind):
    """May the seat hold this card, by the suits it has shown not to hold?"""
    return kind >= NUMBERS or (int(g.voids[seat]) >> (kind // MAX_NUMBER)) & 1 == 0


@compiled
def _fits(g, cards, owners):
    """Does a shuffled heap, dealt from its top by `owners`, respect every void?"""
    for i in range(len(owners)):
        if not can_hold(g, owners[i], int(cards[i])):
            return False
    return True


@compiled
def _feasible(g, cards, start, need):
    """Can cards[start:] still fill the hands? Hall's condition over every set of seats; need[s] cards are missing."""
    players = int(g.players)
    suits = np.zeros(SUITS + 1, np.int64)
    for i in range(start, len(cards)):
        suits[min(cards[i] // MAX_NUMBER, SUITS)] += 1
    for group in range(1, 1 << players):
        wanted, barred = 0, (1 << SUITS) - 1
        for seat in range(players):
            if (group >> seat) & 1 == 1 and need[seat] > 0:
                wanted += need[seat]
                barred &= int(g.voids[seat])
        available = suits[SUITS]
        for suit in range(SUITS):
            if (barred >> suit) & 1 == 0:
                available += suits[suit]
        if wanted > available:
            return False
    return True


@compiled
def _deal_carefully(g, cards, owners, need):
    """Order `cards` so that dealing by `owners` respects the voids: card by card, keeping the rest feasible."""
    for i in range(len(owners)):
        seat = owners[i]
        need[seat] -= 1
        for j in range(i, len(cards)):
            if can_hold(g, seat, int(cards[j])):
                cards[i], cards[j] = cards[j], cards[i]
                if _feasible(g, cards, i + 1, need):
                    break
                cards[i], cards[j] = cards[j], cards[i]


RANDOM_DEALS = 50  # uniform deals tried before dealing with care


@compiled
def determinize(g, seat):
    cards = unseen_cards(g, seat)
    need = np.zeros(MAX_PLAYERS, np.int64)
    owners = np.empty(MAX_PLAYERS * MAX_HAND, np.int64)
    held = 0
    for other in range(int(g.players)):
        if other != seat:
            need[other] = hand_size(g, other)
            for _ in range(need[other]):
                owners[held] = other
                held += 1
    owners = owners[:held]
    tries = 0
    shuffle(g.gen, cards, len(cards))
    while tries < RANDOM_DEALS and not _fits(g, cards, owners):
        shuffle(g.gen, cards, len(cards))
        tries += 1
    if tries == RANDOM_DEALS:
        _deal_carefully(g, cards, owners, need)
    for i in range(held):
        rules.add_card(g, owners[i], int(cards[i]))
    if g.phase == BIDDING:
        _guess_bids(g, seat)


@compiled
def _guess_bids(g, seat):
    """Sealed bids that are in but unseen: any number of tricks."""
    other = int(g.first_leader)
    while other != g.to_move:
        if other != seat and g.bids[other] == NO_BID:
            g.bids[other] = below(g.gen, int(g.hand_number) + 1)
        other = (other + 1) % int(g.players)
