"""Skull King: rule players, weakest first, deciding only on what the seat to move may see.

`simple` is a plain human rule of thumb. `expected_points` compares the expected scores of all its bids or cards in a small
model of the tricks to come: each card left is one trick; if it is wanted the card takes it with one chance, if it is not
with a smaller one; the player steers by choosing, trick by trick, whether to want it. The model's numbers were fitted by
self-play (see WEIGHTS).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.skull_king.observation import sees_bid
from pirate_envs.games.skull_king.rules import (
    ALL_NUMBERS,
    BIDDING,
    BLACK,
    BLACK_FOURTEEN,
    ESCAPE,
    FOURTEENS,
    KING,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_HAND,
    MAX_NUMBER,
    MERMAID,
    NO_SUIT,
    NUMBERS,
    PIRATE,
    PLAY,
    STRENGTH_KING,
    SUIT_CARDS,
    SUITS,
    following,
    hand_score,
    playable,
    strength_of,
)

# -- what both players look at -----------------------------------------------------------------------------------------


@compiled
def copies(counts, kind):
    """How many escapes, pirates or mermaids there are in packed `counts`."""
    return (counts >> (4 * (kind - ESCAPE))) & 15


@compiled
def beats_table(g, kind):
    """Would the card win the trick as it lies now? (R16-R21)"""
    table = int(g.on_table)
    if kind == KING:
        return (table >> MERMAID) & 1 == 0
    if kind == MERMAID and (table >> KING) & 1 == 1:
        return (table >> MERMAID) & 1 == 0
    suit = int(g.led_suit)
    if suit == NO_SUIT and kind < NUMBERS and g.free == 0:
        suit = kind // MAX_NUMBER
    return strength_of(kind, suit) > g.strength


@compiled
def needed(g, seat):
    """Tricks that the seat still needs to keep its bid; negative: too many won."""
    return int(g.bids[seat]) - int(g.tricks_won[seat])


# -- simple ------------------------------------------------------------------------------------------------------------


@compiled
def simple_bid(g, seat):
    """Count half tricks: the king, pirates and Scary Mary 2, mermaids and black from 9 up 1, other 13s and 14s 1."""
    hand, counts = int(g.hands[seat]), int(g.counts[seat])
    halves = 2 * (((hand >> KING) & 1) + ((hand >> MARY_PIRATE) & 1) + copies(counts, PIRATE)) + copies(counts, MERMAID)
    for suit in range(SUITS):
        sure = 9 if suit == BLACK else 13
        halves += popcount(hand & SUIT_CARDS[suit] & -(1 << (suit * MAX_NUMBER + sure - 1)))
    return halves // 2


@compiled
def simple_card(g, seat):
    """Tricks needed: the strongest card, or the weakest winner when last to play. Else: the strongest card that loses."""
    want = needed(g, seat) > 0
    last = g.laid == g.players - 1
    cards = playable(int(g.hands[seat]), int(g.led_suit))
    best, best_worth = -1, -1000
    while cards != 0:
        kind = lowest_bit(cards)
        cards &= cards - 1
        power = strength_of(kind, kind // MAX_NUMBER)
        wins = g.laid > 0 and beats_table(g, kind)
        if want:
            worth = (100 - power if last else 100 + power) if wins or g.laid == 0 else -power
        else:
            worth = -power if wins or g.laid == 0 else power
        if worth > best_worth:
            best, best_worth = kind, worth
    return best


# -- expected_points: the model ----------------------------------------------------------------------------------------

PLAIN, TRUMP, MERMAIDS, PIRATES, KINGS, CLASSES = range(6)  # card classes: rows of the weights
SCRATCH = MAX_HAND + 2


class Unseen(NamedTuple):
    """Cards that a seat cannot place: numbers as bits, the rest as counts."""

    numbers: int
    pirates: int  # Scary Mary is one
    mermaids: int
    kings: int
    total: int


@compiled
def unseen_by(g, seat):
    """What is neither in the seat's hand nor played."""
    hand, gone = int(g.hands[seat]), int(g.gone)
    known, counts = hand | gone, int(g.counts[seat]) + int(g.gone_counts)
    numbers = 0
    for suit in range(SUITS):
        numbers |= ((1 << int(g.highest)) - 1) << (suit * MAX_NUMBER)
    numbers &= ~known
    mary = 1 - (((known >> MARY_PIRATE) | (known >> MARY_ESCAPE)) & 1)
    pirates = 5 - copies(counts, PIRATE) + mary
    mermaids = 2 - copies(counts, MERMAID)
    kings = 1 - ((known >> KING) & 1)
    total = popcount(numbers) + 5 - copies(counts, ESCAPE) + pirates + mermaids + kings
    return Unseen(numbers, pirates, mermaids, kings, max(total, 1))


@compiled
def threats(kind, unseen):
    """Class of a card and what may beat it: (class, characters that do, higher or equal cards of its sort)."""
    if kind < NUMBERS:
        suit = kind // MAX_NUMBER
        higher = popcount(unseen.numbers & SUIT_CARDS[suit] & -(2 << kind))
        return TRUMP if suit == BLACK else PLAIN, unseen.pirates + unseen.mermaids + unseen.kings, higher
    if kind == KING:
        return KINGS, unseen.mermaids, 0
    if kind == MERMAID:
        return MERMAIDS, unseen.pirates, unseen.mermaids
    return PIRATES, unseen.kings, unseen.pirates


@compiled
def list_hand(g, seat, kinds):
    """Write the kinds of all cards held, specials first, then numbers from black down; returns how many."""
    hand, counts = int(g.hands[seat]), int(g.counts[seat])
    size = 0
    for kind in (MARY_PIRATE, KING):
        if (hand >> kind) & 1 == 1:
            kinds[size] = kind
            size += 1
    for kind in (MERMAID, PIRATE, ESCAPE):
        for _ in range(copies(counts, kind)):
            kinds[size] = kind
            size += 1
    numbers = hand & ALL_NUMBERS
    size += popcount(numbers)
    at = size
    while numbers != 0:
        at -= 1
        kinds[at] = lowest_bit(numbers)
        numbers &= numbers - 1
    return size


# Weights. A card's chance is 1 / (1 + odds against it). Row of CHANCES: the odds against a card of that class in a trick to
# come, when it is wanted (base, for each character in others' hands that beats it, each higher card, each black card that
# may trump it) and the same when it is not wanted.
CHANCES = np.array(
    [
        [2.0, 1.0, 1.0, 0.3, 8.0, 2.0, 2.0, 1.0],
        [0.5, 0.5, 0.7, 0.01, 1.0, 1.0, 2.0, 0.01],
        [0.3, 0.5, 0.1, 0.01, 1.0, 1.0, 0.5, 0.01],
        [0.1, 0.3, 0.1, 0.01, 0.5, 1.0, 0.5, 0.01],
        [0.02, 0.5, 0.01, 0.01, 0.05, 0.5, 0.01, 0.01],
    ]
)
(
    EAGER,  # how likely a later player beats a card: anyone, more if he needs a trick, more by the share he needs
    EAGER_NEEDS,
    EAGER_SHARE,
    BY_CHARACTER,  # with a character, a higher card of the suit, a black card
    BY_HIGHER,
    BY_BLACK,
    DEMAND_WANT,  # the odds against grow with the others' demand for tricks
    DEMAND_AVOID,
    DEMAND_BID,  # what a hidden bid is taken to demand, in shares of the hand's tricks
    NO_LEAD,  # in few tricks a plain card needs the lead
    LEAD,
    KING_BONUS,  # worth of the bonus that a card may still earn, in shares of it
    MERMAID_BONUS,
    PIRATE_BONUS,
    SPOIL,  # points for taking a trick that its owner needs, or leaving him one that he does not
    FEED,  # share of the bonus that a pirate under the king gives away
) = range(16)
HABITS = np.array([0.15, 0.35, 0.4, 1.0, 0.8, 0.5, 0.4, 0.8, 1.0, 3.0, 1.0, 0.4, 0.4, 0.3, 2.0, 0.3])


@compiled
def demand(g, seat, size, habits):
    """Tricks that the others still need for each that is left, as far as the seat knows."""
    total = 0.0
    players = int(g.players)
    for other in range(players):
        if other == seat:
            continue
        if sees_bid(g, seat, other):
            total += max(needed(g, other), 0)
        else:
            total += habits[DEMAND_BID] * size / players
    return total / size


@compiled
def appraise(g, seat, unseen, scratch, kinds, size, chances, habits):
    """Write each card's chances in a trick to come into scratch: row 0 wanted, 1 wanted with the lead, 2 not wanted;
    row 3: the bonus that it may still earn."""
    held = (int(g.players) - 1) * size / unseen.total  # share of the unseen cards that others hold
    call = demand(g, seat, size, habits)
    hotter, colder = 1.0 + habits[DEMAND_WANT] * call, 1.0 + habits[DEMAND_AVOID] * call
    blacks = popcount(unseen.numbers & SUIT_CARDS[BLACK])
    for i in range(size):
        kind = kinds[i]
        scratch[3, i] = 0.0
        if kind == ESCAPE:
            scratch[0, i] = 0.0
            scratch[1, i] = 0.0
            scratch[2, i] = 0.0
            continue
        sort, characters, higher = threats(kind, unseen)
        trumps, late, early = 0.0, 1.0, 1.0
        if sort == PLAIN:
            of_suit = popcount(unseen.numbers & SUIT_CARDS[kind // MAX_NUMBER])
            trumps = held * blacks / (1.0 + of_suit * size / unseen.total)
            late += habits[NO_LEAD] / size
            early /= 1.0 + habits[LEAD] / size
        row = chances[sort]
        want = hotter * (row[0] + row[1] * held * characters + row[2] * held * higher + row[3] * trumps)
        avoid = colder * (row[4] + row[5] * held * characters + row[6] * held * higher + row[7] * trumps)
        scratch[0, i] = 1.0 / (1.0 + want * late)
        scratch[1, i] = 1.0 / (1.0 + want * early)
        scratch[2, i] = min(scratch[0, i], 1.0 / (1.0 + avoid * late))
        if kind == MARY_PIRATE:
            scratch[2, i] = 0.0
        if kind == KING:
            scratch[3, i] = habits[KING_BONUS] * int(g.king_takes_pirate) * held * unseen.pirates
        elif kind == MERMAID:
            scratch[3, i] = habits[MERMAID_BONUS] * int(g.mermaid_takes_king) * held * unseen.kings
        elif sort == PIRATES:
            scratch[3, i] = habits[PIRATE_BONUS] * int(g.pirate_takes_mermaid) * held * unseen.mermaids


@compiled
def outlook(scratch, row, size, without, bid, won, hand_number, bonus):
    """Expected score of the hand with the cards of scratch[row] (but `without`) to play and `won` tricks won."""
    values = scratch[4]
    left = size - 1 if without >= 0 else size
    for k in range(left + 1):
        values[k] = hand_score(bid, won + k, hand_number, 0)
    for i in range(size):
        if i == without:
            continue
        for k in range(left):
            step = values[k + 1] - values[k]
            values[k] += step * (scratch[row, i] if step > 0.0 else scratch[2, i])
        left -= 1
    if bid > 0:
        return values[0] + bonus * max(values[0] + 10.0, 0.0) / (20.0 * bid + 10.0)
    return values[0]


@compiled
def bonus_to_come(scratch, size, without):
    """Bonus that the cards but `without` may still earn."""
    total = 0.0
    for i in range(size):
        if i != without:
            total += scratch[3, i]
    return total


@compiled
def best_bid(g, seat, size, scratch):
    """The bid of highest expected score."""
    row = 1 if seat == g.first_leader else 0
    bonus = bonus_to_come(scratch, size, -1)
    best, best_worth = 0, -1000.0
    for bid in range(size + 1):
        worth = outlook(scratch, row, size, -1, bid, 0, size, bonus)
        if worth > best_worth + 1e-9:
            best, best_worth = bid, worth
    return best


# -- expected_points: playing a card -----------------------------------------------------------------------------------


@compiled
def chance_now(g, seat, kind, unseen, size, habits):
    """Chance that the card wins the trick on the table: no later player beats it."""
    players = int(g.players)
    if not beats_table(g, kind):
        return 0.0
    if kind == ESCAPE or kind == MARY_ESCAPE:
        return 1.0 if g.laid == players - 1 else 0.0
    if kind == MERMAID and (int(g.on_table) >> KING) & 1 == 1:
        return 1.0
    sort, characters, higher = threats(kind, unseen)
    suit = kind // MAX_NUMBER if kind < NUMBERS else 0
    of_suit = popcount(unseen.numbers & SUIT_CARDS[suit])
    blacks = popcount(unseen.numbers & SUIT_CARDS[BLACK]) if sort == PLAIN else 0
    if sort > TRUMP:
        higher = 0
    void_chance = 1.0 / (1.0 + of_suit * size / unseen.total)
    odds = 0.0
    other = seat
    for _ in range(int(g.laid) + 1, players):
        other = following(other, players)
        need = needed(g, other)
        eager = habits[EAGER]
        if need > 0:
            eager += habits[EAGER_NEEDS] + habits[EAGER_SHARE] * min(need, size) / size
        shown_void = (int(g.voids[other]) >> suit) & 1 == 1
        odds += eager * (
            habits[BY_CHARACTER] * characters
            + (0.0 if shown_void else habits[BY_HIGHER] * higher)
            + habits[BY_BLACK] * blacks * (1.0 if shown_void else void_chance)
        )
    return 1.0 / (1.0 + odds * size / unseen.total)


@compiled
def pirates_on_table(g):
    """Pirates in the trick that a king would be paid for (R22)."""
    pirates = 0
    for i in range(int(g.laid)):
        kind = int(g.trick[i])
        if kind == PIRATE or kind == MARY_PIRATE or (kind == MARY_ESCAPE and g.mary_as_escape_counts):
            pirates += 1
    return pirates


@compiled
def bonus_now(g, kind):
    """Bonus that the card earns if it wins the trick as it lies (R22)."""
    table = int(g.on_table) | (1 << kind)
    bonus = int(g.fourteen) * popcount(table & FOURTEENS)
    if table & BLACK_FOURTEEN != 0:
        bonus += int(g.black_fourteen)
    if kind == KING:
        bonus += int(g.king_takes_pirate) * pirates_on_table(g)
    elif kind == MERMAID and (table >> KING) & 1 == 1:
        bonus += int(g.mermaid_takes_king)
    elif (kind == PIRATE or kind == MARY_PIRATE) and (table >> MERMAID) & 1 == 1:
        bonus += int(g.pirate_takes_mermaid)
    return bonus


@compiled
def harm(g, kind, chance, habits):
    """Points for what the card does to the owner of the trick as it lies."""
    if g.laid == 0:
        return 0.0
    need = needed(g, int(g.winning))
    value = chance * habits[SPOIL] * (1.0 if need > 0 else -1.0)
    if g.strength == STRENGTH_KING and need > 0:
        if kind == PIRATE or kind == MARY_PIRATE or (kind == MARY_ESCAPE and g.mary_as_escape_counts):
            value -= habits[FEED] * int(g.king_takes_pirate)
    return value


@compiled
def card_worth(g, seat, kind, at, unseen, size, scratch, habits):
    """Expected score of the hand if the card at place `at` of the hand is played as `kind`."""
    bid, won, hand = int(g.bids[seat]), int(g.tricks_won[seat]), int(g.hand_number)
    chance = chance_now(g, seat, kind, unseen, size, habits)
    bonus = int(g.bonus[seat]) + bonus_to_come(scratch, size, at)
    worth = harm(g, kind, chance, habits)
    for wins in range(2):
        share = chance if wins == 1 else 1.0 - chance
        if share > 0.0:
            worth += share * outlook(scratch, wins, size, at, bid, won + wins, hand, bonus + wins * bonus_now(g, kind))
    return worth


@compiled
def best_card(g, seat, unseen, size, kinds, scratch, habits):
    """The card of highest expected score."""
    cards = playable(int(g.hands[seat]), int(g.led_suit))
    if cards & (cards - 1) == 0:
        return lowest_bit(cards)
    best, best_worth = -1, -1e9
    for at in range(size - 1, -1, -1):
        for way in range(2 if kinds[at] == MARY_PIRATE else 1):
            kind = kinds[at] + way
            if (cards >> kind) & 1 == 1 and (at == 0 or kinds[at - 1] != kind):
                worth = card_worth(g, seat, kind, at, unseen, size, scratch, habits)
                if worth > best_worth + 1e-9:
                    best, best_worth = kind, worth
    return best


@compiled_apart
def expected_points(g, chances, habits):
    """The action of highest expected score under these weights."""
    seat = int(g.to_move)
    kinds = np.empty(SCRATCH, np.int64)
    scratch = np.empty((5, SCRATCH))
    unseen = unseen_by(g, seat)
    size = list_hand(g, seat, kinds)
    appraise(g, seat, unseen, scratch, kinds, size, chances, habits)
    if g.phase == BIDDING:
        return best_bid(g, seat, size, scratch)
    return PLAY + best_card(g, seat, unseen, size, kinds, scratch, habits)


@compiled
def rule_action(g, player):
    seat = int(g.to_move)
    if player > 0:
        return expected_points(g, CHANCES, HABITS)
    return simple_bid(g, seat) if g.phase == BIDDING else PLAY + simple_card(g, seat)
