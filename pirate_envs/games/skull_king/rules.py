"""Skull King: the verbs deal, legal, apply, score, reopen and stage. Rule numbers are the folder's manual's."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.record import FINISHED
from pirate_envs.core.rewards import highest
from pirate_envs.core.rng import below, key
from pirate_envs.core.seats import NO_ONE, after, following
from pirate_envs.games.skull_king.state import (
    BIDDING,
    BLACK,
    BLACK_FOURTEEN,
    CHARACTERS,
    DECK_SIZES,
    DECKS,
    ESCAPE,
    FOURTEENS,
    KING,
    MARY,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    MAX_PLAYERS,
    MERMAID,
    NO_BID,
    NO_CARD,
    NO_SUIT,
    NUMBERS,
    PIRATE,
    PLAY,
    PLAYING_TRICKS,
    SPECIALS,
    STRENGTH_BLACK,
    STRENGTH_ESCAPE,
    STRENGTH_KING,
    STRENGTH_LED,
    STRENGTH_MERMAID,
    STRENGTH_MERMAID_OVER_KING,
    STRENGTH_PIRATE,
    SUIT_CARDS,
    copies,
    one_copy,
)

# -- dealing (R1-R3) ---------------------------------------------------------------------------------------------------


@compiled
def add_card(g, seat, kind):
    """Put one card into a hand."""
    if kind < NUMBERS or kind == KING:
        g.hands[seat] |= 1 << kind
    elif kind <= MERMAID:
        g.hands[seat] |= 1 << kind
        g.counts[seat] += one_copy(kind)
    else:
        g.hands[seat] |= MARY


@compiled
def take_card(g, seat, kind):
    """Take one card out of a hand."""
    if kind < NUMBERS or kind == KING:
        g.hands[seat] ^= 1 << kind
    elif kind <= MERMAID:
        g.counts[seat] -= one_copy(kind)
        if copies(int(g.counts[seat]), kind) == 0:
            g.hands[seat] ^= 1 << kind
    else:
        g.hands[seat] ^= MARY


@compiled_apart
def deal_cards(g):
    players, size, total = int(g.players), int(g.hand_number), int(DECK_SIZES[int(g.highest)])
    deck = DECKS[int(g.highest)].copy()
    seat = int(g.first_leader)
    left = size
    for i in range(size * players):
        j = i + below(g.gen, total - i)
        kind = int(deck[j])
        deck[j] = deck[i]
        add_card(g, seat, kind)
        left -= 1
        if left == 0:
            seat = following(seat, players)
            left = size


@compiled
def start_trick(g, leader):
    g.leader = leader
    g.to_move = leader
    g.led_suit = NO_SUIT
    g.free = 0
    g.laid = 0
    g.on_table = 0
    g.winning = leader
    g.strength = -1
    for i in range(MAX_PLAYERS):
        g.trick[i] = NO_CARD


@compiled_apart
def start_hand(g):
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), int(g.hand_number))  # each hand's cards are a stream of their own
    for seat in range(MAX_PLAYERS):
        g.hands[seat] = 0
        g.counts[seat] = 0
        g.bids[seat] = NO_BID
        g.tricks_won[seat] = 0
        g.bonus[seat] = 0
        g.voids[seat] = 0
    g.gone = 0
    g.gone_counts = 0
    g.tricks_left = g.hand_number
    g.phase = BIDDING
    deal_cards(g)
    start_trick(g, int(g.first_leader))


@compiled
def deal(g):
    g.over = 0
    g.decisions = 0
    g.hand_number = g.first_hand
    g.first_leader = 0
    g.last_leader = NO_ONE
    g.last_winner = NO_ONE
    g.last_bonus = 0
    for seat in range(MAX_PLAYERS):
        g.scores[seat] = 0
        g.last_trick[seat] = NO_CARD
    start_hand(g)


# -- legal actions (R4, R8-R11) ----------------------------------------------------------------------------------------


@compiled
def playable(hand, led_suit):
    """The kinds of a hand that may be played (R9-R11)."""
    if led_suit >= 0 and hand & SUIT_CARDS[led_suit] != 0:
        return hand & (SUIT_CARDS[led_suit] | SPECIALS)
    return hand


@compiled
def legal(g, words):
    """Bids are the lowest bits of the words. Cards stand PLAY bits higher, so the highest kinds fall into its second word."""
    if g.phase == BIDDING:
        words[0] = np.uint64((2 << int(g.hand_number)) - 1)
        words[1] = np.uint64(0)
    else:
        cards = playable(int(g.hands[g.to_move]), int(g.led_suit))
        words[0] = np.uint64(cards & ((1 << (64 - PLAY)) - 1)) << np.uint64(PLAY)
        words[1] = np.uint64(cards >> (64 - PLAY))


# -- playing (R12-R21) -------------------------------------------------------------------------------------------------


@compiled
def strength_of(kind, led_suit):
    """How strong a card is in a trick, king and mermaid together apart (R17-R20)."""
    if kind < NUMBERS:
        suit = kind // MAX_NUMBER
        number = kind - suit * MAX_NUMBER + 1
        if suit == BLACK:
            return STRENGTH_BLACK + number
        return STRENGTH_LED + number if suit == led_suit else 0
    if kind == KING:
        return STRENGTH_KING
    if kind == PIRATE or kind == MARY_PIRATE:
        return STRENGTH_PIRATE
    return STRENGTH_MERMAID if kind == MERMAID else STRENGTH_ESCAPE


@compiled
def first_mermaid(g):
    """The seat of the first mermaid in the trick."""
    for i in range(int(g.laid)):
        if g.trick[i] == MERMAID:
            return after(int(g.leader), i, int(g.players))
    return NO_ONE


@compiled
def contest(g, seat, kind):
    """Let the card just laid win the trick if it does (R16-R21)."""
    both = (1 << KING) | (1 << MERMAID)
    if (1 << kind) & both != 0 and int(g.on_table) & both == both:  # R16
        g.winning = first_mermaid(g)
        g.strength = STRENGTH_MERMAID_OVER_KING
        return
    strength = strength_of(kind, int(g.led_suit))
    if strength > g.strength:
        g.winning = seat
        g.strength = strength


@compiled
def note_suit(g, seat, kind):
    """What the card does to the led suit, and what it tells about its owner (R8)."""
    if kind >= NUMBERS:
        if g.laid == 0 and g.character_lead_frees_trick and (CHARACTERS >> kind) & 1 == 1:
            g.free = 1
        return
    suit = kind // MAX_NUMBER
    if g.led_suit >= 0:
        if suit != g.led_suit:
            g.voids[seat] |= 1 << int(g.led_suit)
    elif not g.free:
        g.led_suit = suit


@compiled
def is_pirate(g, kind):
    """Is a king paid for this card? (R22)"""
    return kind == PIRATE or kind == MARY_PIRATE or (kind == MARY_ESCAPE and g.mary_as_escape_counts == 1)


@compiled
def count_pirates(g):
    """Pirates in the trick, complete or not, that the king is paid for (R22)."""
    pirates = 0
    for i in range(int(g.players)):
        if is_pirate(g, int(g.trick[i])):
            pirates += 1
    return pirates


@compiled
def fourteens_bonus(g, cards):
    """Points for the 14s among the cards of a trick."""
    bonus = int(g.fourteen) * popcount(cards & FOURTEENS)
    if cards & BLACK_FOURTEEN != 0:
        bonus += int(g.black_fourteen)
    return bonus


@compiled
def trick_bonus(g):
    """Points that the trick's winner earns if the bid is kept (R22)."""
    bonus = 0
    if g.strength == STRENGTH_MERMAID_OVER_KING:
        bonus = int(g.mermaid_takes_king)
    elif g.strength == STRENGTH_KING:
        bonus = int(g.king_takes_pirate) * count_pirates(g)
    elif g.strength == STRENGTH_PIRATE and g.pirate_takes_mermaid != 0:
        for i in range(int(g.players)):
            if g.trick[i] == MERMAID:
                bonus += int(g.pirate_takes_mermaid)
    if g.highest == MAX_NUMBER:
        bonus += fourteens_bonus(g, int(g.on_table))
    return bonus


@compiled
def hand_score(bid, tricks, size, bonus):
    """Points of one hand (R23-R25)."""
    if bid == 0:
        return 10 * size if tricks == 0 else -10 * size
    if bid == tricks:
        return 20 * bid + bonus
    return -10 * abs(bid - tricks)


@compiled
def end_hand(g):
    """Score the hand and deal the next, or end the match (R5-R7)."""
    size = int(g.hand_number)
    for seat in range(int(g.players)):
        g.scores[seat] += hand_score(int(g.bids[seat]), int(g.tricks_won[seat]), size, int(g.bonus[seat]))
    if g.hand_number == g.last_hand:
        g.over = FINISHED
        return
    g.hand_number += 1
    g.first_leader = following(int(g.first_leader), int(g.players))
    start_hand(g)


@compiled
def end_trick(g):
    winner = int(g.winning)
    bonus = trick_bonus(g)
    g.tricks_won[winner] += 1
    g.bonus[winner] += bonus
    g.last_leader = g.leader
    g.last_winner = winner
    g.last_bonus = bonus
    for i in range(MAX_PLAYERS):
        g.last_trick[i] = g.trick[i]
    g.tricks_left -= 1
    start_trick(g, winner)
    if g.tricks_left == 0:
        end_hand(g)


@compiled
def bid(g, tricks):
    """R4."""
    seat = int(g.to_move)
    g.bids[seat] = tricks
    g.to_move = following(seat, int(g.players))
    if g.to_move == g.first_leader:
        g.phase = PLAYING_TRICKS


@compiled
def note_gone(g, kind):
    """The card is played and seen by all (R13)."""
    g.gone |= 1 << kind
    if ESCAPE <= kind <= MERMAID:
        g.gone_counts += one_copy(kind)


@compiled
def lay_card(g, seat, kind):
    """Put a card on the table: what it tells and who wins now; hands and what is gone stay."""
    g.trick[g.laid] = kind
    g.on_table |= 1 << kind
    note_suit(g, seat, kind)
    g.laid += 1
    contest(g, seat, kind)


@compiled
def play(g, kind):
    seat = int(g.to_move)
    take_card(g, seat, kind)
    note_gone(g, kind)
    lay_card(g, seat, kind)
    if g.laid == g.players:
        end_trick(g)
    else:
        g.to_move = following(seat, int(g.players))


@compiled
def apply(g, action):
    g.decisions += 1
    if action < PLAY:
        bid(g, action)
    else:
        play(g, action - PLAY)


@compiled
def score(g, points):
    for seat in range(int(g.players)):
        points[seat] = g.scores[seat]
    return highest(points, int(g.players))


@compiled
def stage(g):
    return int(g.hand_number)


@compiled
def reopen(g):
    if g.phase == BIDDING and g.bidding == 0:
        other = int(g.first_leader)
        while other != g.to_move:
            g.bids[other] = NO_BID
            g.decisions -= 1
            other = following(other, int(g.players))
        g.to_move = g.first_leader
