"""Skull King: rule players, weakest first, deciding only on what the seat to move may see.

`simple` is a plain human rule of thumb. `expected_points` compares the expected scores of all its bids or cards in a small
model of the tricks to come: each card left is one trick; if it is wanted the card takes it with one chance, if it is not
with a smaller one; the player steers by choosing, trick by trick, whether to want it. The model's numbers were found by
tuning (weights.json).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.weights import constant_names, load_weights
from pirate_envs.games.skull_king import rules
from pirate_envs.games.skull_king.observation import sees_bid
from pirate_envs.games.skull_king.rules import (
    ALL_NUMBERS,
    BIDDING,
    BLACK,
    ESCAPE,
    ESCAPES,
    KING,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_HAND,
    MAX_NUMBER,
    MERMAID,
    NO_SUIT,
    NUMBER_CARDS,
    NUMBERS,
    PIRATE,
    PLAY,
    STRENGTH_KING,
    SUIT_CARDS,
    SUITS,
    copies,
    count_pirates,
    following,
    fourteens_bonus,
    hand_score,
    is_pirate,
    playable,
    strength_of,
)

# -- what both players look at (np.int64: one type, so that each function is compiled once) ----------------------------


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
    halves = 2 * (((hand >> KING) & 1) + ((hand >> MARY_PIRATE) & 1) + copies(counts, PIRATE))
    halves += copies(counts, MERMAID)
    for suit in range(SUITS):
        sure = 9 if suit == BLACK else 13
        halves += popcount(hand & SUIT_CARDS[suit] & -(1 << (suit * MAX_NUMBER + sure - 1)))  # -(1 << k): bits k and up
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
    numbers = NUMBER_CARDS[int(g.highest)] & ~known
    mary = 1 - (((known >> MARY_PIRATE) | (known >> MARY_ESCAPE)) & 1)
    pirates = rules.PIRATES - copies(counts, PIRATE) + mary
    mermaids = rules.MERMAIDS - copies(counts, MERMAID)
    kings = 1 - ((known >> KING) & 1)
    total = popcount(numbers) + ESCAPES - copies(counts, ESCAPE) + pirates + mermaids + kings
    return Unseen(numbers, pirates, mermaids, kings, max(total, 1))


@compiled
def threats(kind, unseen):
    """Class of a card and what may beat it: (class, characters that do, higher or equal cards of its sort)."""
    if kind < NUMBERS:
        suit = kind // MAX_NUMBER
        higher = popcount(unseen.numbers & SUIT_CARDS[suit] & -(2 << kind))  # bits above the card's
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


# A card's chance is 1 / (1 + odds against it). Rows of CHANCES: card classes. Columns: the odds against the card in a trick
# to come when it is wanted (base, for each character in others' hands that beats it, each higher card, each black card that
# may trump it), the same when it is not wanted; then how much more the odds are in the last trick when another leads, and
# how much less when the seat leads, wanted and not wanted (a share 1/n of that with n tricks left); last, how much less for
# each trick that is left, wanted and not wanted.
CLASS_NAMES = ("plain", "black", "mermaid", "pirate", "king")
WANT, WANT_BY_CHARACTER, WANT_BY_HIGHER, WANT_BY_BLACK = range(4)
AVOID, AVOID_BY_CHARACTER, AVOID_BY_HIGHER, AVOID_BY_BLACK = range(4, 8)
WANT_LAST, WANT_LAST_LEADING, AVOID_LAST, AVOID_LAST_LEADING, WANT_LATER, AVOID_LATER = range(8, 14)
ODDS_NAMES = constant_names(globals(), "WANT", "AVOID_LATER")
(
    EAGER,  # how likely a later player beats a card: anyone, more if it needs a trick, more by the share it needs
    EAGER_NEEDS,
    EAGER_SHARE,
    FORCED,  # how likely anyone does who must follow suit
    BY_CHARACTER,  # with a character, a higher card of the suit, a black card
    BY_HIGHER,
    BY_BLACK,
    DEMAND_WANT,  # the odds against grow with the others' demand for tricks
    DEMAND_AVOID,
    DEMAND_BID,  # what a hidden bid is taken to demand, in shares of the hand's tricks; and more in tricks
    DEMAND_SHORT,
    KING_BONUS,  # worth of the bonus that a card may still earn, in shares of it
    MERMAID_BONUS,
    PIRATE_BONUS,
    SPOIL,  # points for taking a trick that its owner needs, or leaving it one that it does not
    FEED,  # share of the bonus that a pirate under the king gives away
) = range(16)
# weights.json tells how they were found. The first ones came of evolution strategies in 2.9 million matches of self-play.
NAMES = [
    *(f"{card}_{odds}" for card in CLASS_NAMES for odds in ODDS_NAMES),
    *constant_names(globals(), "EAGER", "FEED"),
]
TUNED = load_weights(Path(__file__).parent, "expected_points", NAMES, positive=True)
ODDS = len(ODDS_NAMES)
CHANCES, HABITS = TUNED.values[: CLASSES * ODDS].reshape(CLASSES, ODDS), TUNED.values[CLASSES * ODDS :]


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
            total += (habits[DEMAND_BID] * size + habits[DEMAND_SHORT]) / players
    return total / size


@compiled
def void_share(g, seat, suit):
    """Share of the others who have shown not to hold the suit."""
    void = 0
    for other in range(int(g.players)):
        if other != seat:
            void += (int(g.voids[other]) >> suit) & 1
    return void / (int(g.players) - 1)


@compiled
def odds_to_come(g, seat, kind, unseen, share, chances):
    """Odds against a card in a trick to come: (class, when it is wanted, when it is not).

    `share`: of the unseen cards, those that one of the others holds.
    """
    held = (int(g.players) - 1) * share
    sort, characters, higher = threats(kind, unseen)
    by_character, by_higher, by_black = held * characters, held * higher, 0.0
    if sort == PLAIN:
        suit = kind // MAX_NUMBER
        void = void_share(g, seat, suit)
        of_suit = popcount(unseen.numbers & SUIT_CARDS[suit]) * share
        by_higher *= 1.0 - void
        by_black = held * popcount(unseen.numbers & SUIT_CARDS[BLACK]) * (void + (1.0 - void) / (1.0 + of_suit))
    row = chances[sort]
    want = row[WANT] + row[WANT_BY_CHARACTER] * by_character + row[WANT_BY_HIGHER] * by_higher + row[WANT_BY_BLACK] * by_black
    avoid = row[AVOID] + row[AVOID_BY_CHARACTER] * by_character + row[AVOID_BY_HIGHER] * by_higher
    return sort, want, avoid + row[AVOID_BY_BLACK] * by_black


# Rows of the scratch space: chances of taking a trick that is wanted and one that is not, the rest as named. WANTED, AVOIDED
# and BEFORE have two rows each: without the lead, then with it.
WANTED, AVOIDED, BONUS, VALUES, BEFORE, ROWS = 0, 2, 4, 5, 6, 8


@compiled
def with_the_lead(odds, less):
    """A card's chance when the odds against it are divided by `less`."""
    return less / (less + odds)


@compiled
def appraise(g, seat, unseen, scratch, kinds, size, chances, habits):
    """Write each card's chances in a trick to come, and the bonus that it may still earn, into the scratch space."""
    share, per_card = size / unseen.total, 1.0 / size
    held = (int(g.players) - 1) * share
    call = demand(g, seat, size, habits)
    for i in range(size):
        kind = kinds[i]
        for row in range(VALUES):
            scratch[row, i] = 0.0
        if kind == ESCAPE:
            continue
        sort, want, avoid = odds_to_come(g, seat, kind, unseen, share, chances)
        row = chances[sort]
        want *= (1.0 + habits[DEMAND_WANT] * call) / (1.0 + row[WANT_LATER] * size)
        avoid *= (1.0 + habits[DEMAND_AVOID] * call) / (1.0 + row[AVOID_LATER] * size)
        scratch[WANTED, i] = 1.0 / (1.0 + want * (1.0 + row[WANT_LAST] * per_card))
        scratch[WANTED + 1, i] = with_the_lead(want, 1.0 + row[WANT_LAST_LEADING] * per_card)
        if kind != MARY_PIRATE:
            avoided = 1.0 / (1.0 + avoid * (1.0 + row[AVOID_LAST] * per_card))
            avoided_leading = with_the_lead(avoid, 1.0 + row[AVOID_LAST_LEADING] * per_card)
            scratch[AVOIDED, i] = min(scratch[WANTED, i], avoided)
            scratch[AVOIDED + 1, i] = min(scratch[WANTED + 1, i], avoided_leading)
        if sort == KINGS:
            scratch[BONUS, i] = habits[KING_BONUS] * int(g.king_takes_pirate) * held * unseen.pirates
        elif sort == MERMAIDS:
            scratch[BONUS, i] = habits[MERMAID_BONUS] * int(g.mermaid_takes_king) * held * unseen.kings
        elif sort == PIRATES:
            scratch[BONUS, i] = habits[PIRATE_BONUS] * int(g.pirate_takes_mermaid) * held * unseen.mermaids


@compiled
def set_out(values, left, bid, won, hand_number):
    """Write the hand's score for each number of further tricks won, none to all that are left."""
    for k in range(left + 1):
        values[k] = hand_score(bid, won + k, hand_number, 0)


@compiled
def steer(values, left, scratch, leads, i):
    """From the worth of what follows a trick to the worth before it, with the card at i; `left` tricks, this one included."""
    want, avoid = scratch[WANTED + leads, i], scratch[AVOIDED + leads, i]
    for k in range(left):
        step = values[k + 1] - values[k]
        values[k] += step * (want if step > 0.0 else avoid)


@compiled
def with_bonus(worth, bid, bonus):
    """The worth of a hand with the bonus, which is paid as likely as the bid is kept."""
    return worth + bonus * max(worth + 10.0, 0.0) / (20.0 * bid + 10.0) if bid > 0 else worth


@compiled
def bonus_to_come(scratch, size, without):
    """Bonus that the cards but `without` may still earn."""
    total = 0.0
    for i in range(size):
        if i != without:
            total += scratch[BONUS, i]
    return total


@compiled
def best_bid(g, seat, size, scratch):
    """The bid of highest expected score."""
    leads = 1 if seat == g.first_leader else 0
    won, bonus = np.int64(g.tricks_won[seat]), bonus_to_come(scratch, size, size)
    best, best_worth = 0, -1000.0
    values = scratch[VALUES]
    for bid in range(size + 1):
        set_out(values, size, bid, won, size)
        for i in range(size):
            steer(values, size - i, scratch, leads, i)
        worth = with_bonus(values[0], bid, bonus)
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
    share = size / unseen.total
    void_chance = 1.0 / (1.0 + of_suit * share)
    odds = 0.0
    other = seat
    for _ in range(int(g.laid) + 1, players):
        other = following(other, players)
        need = needed(g, other)
        needs = 0.0
        if need > 0:
            needs = habits[EAGER_NEEDS] + habits[EAGER_SHARE] * min(need, size) / size
        shown_void = (int(g.voids[other]) >> suit) & 1 == 1
        eager = habits[EAGER] + needs
        odds += eager * habits[BY_CHARACTER] * characters
        if shown_void:
            odds += eager * habits[BY_BLACK] * blacks
        else:
            odds += (habits[FORCED] + needs) * habits[BY_HIGHER] * higher + eager * habits[BY_BLACK] * blacks * void_chance
    return 1.0 / (1.0 + odds * share)


@compiled
def bonus_now(g, kind):
    """Bonus that the card earns if it wins the trick as it lies (R22); `trick_bonus` is of the whole trick."""
    table = int(g.on_table) | (1 << kind)
    bonus = fourteens_bonus(g, table)
    if kind == KING:
        bonus += int(g.king_takes_pirate) * count_pirates(g)
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
    need = needed(g, np.int64(g.winning))
    value = chance * habits[SPOIL] * (1.0 if need > 0 else -1.0)
    if g.strength == STRENGTH_KING and need > 0 and is_pirate(g, kind):
        value -= habits[FEED] * int(g.king_takes_pirate)
    return value


@compiled
def worth_after(scratch, wins, at, size):
    """Worth of the tricks after this one, won (1) or not (0) with the card at `at`; BEFORE holds the cards before it."""
    values = scratch[VALUES]
    for k in range(size - at):
        values[k] = scratch[BEFORE + wins, k]
    for i in range(at + 1, size):
        steer(values, size - i, scratch, wins, i)
    return values[0]


@compiled
def card_worth(g, seat, kind, at, unseen, size, scratch, habits):
    """Expected score of the hand if the card at place `at` of the hand is played as `kind`."""
    bid = np.int64(g.bids[seat])
    chance = chance_now(g, seat, kind, unseen, size, habits)
    bonus = int(g.bonus[seat]) + bonus_to_come(scratch, size, at)
    worth = harm(g, kind, chance, habits)
    if chance < 1.0:
        worth += (1.0 - chance) * with_bonus(worth_after(scratch, 0, at, size), bid, bonus)
    if chance > 0.0:
        worth += chance * with_bonus(worth_after(scratch, 1, at, size), bid, bonus + bonus_now(g, kind))
    return worth


@compiled
def best_card(g, seat, unseen, size, kinds, scratch, habits):
    """The card of highest expected score; of equal ones the last in the list, and Scary Mary as a pirate."""
    cards = playable(int(g.hands[seat]), int(g.led_suit))
    bid, won, hand = np.int64(g.bids[seat]), np.int64(g.tricks_won[seat]), np.int64(g.hand_number)
    for wins in range(2):
        set_out(scratch[BEFORE + wins], size - 1, bid, won + wins, hand)
    best, best_worth = -1, -1e9
    for at in range(size):
        for way in range(2 if kinds[at] == MARY_PIRATE else 1):
            kind = kinds[at] + way
            if (cards >> kind) & 1 == 1 and (at == 0 or kinds[at - 1] != kind):
                worth = card_worth(g, seat, kind, at, unseen, size, scratch, habits)
                if worth > best_worth + (1e-9 if way == 1 else -1e-9):
                    best, best_worth = kind, worth
        for wins in range(2):
            steer(scratch[BEFORE + wins], size - 1 - at, scratch, wins, at)
    return best


@compiled_apart
def expected_points(g, chances, habits):
    """The action of highest expected score under these weights (float64, shapes of CHANCES and HABITS)."""
    seat = np.int64(g.to_move)
    if g.phase != BIDDING:
        cards = playable(int(g.hands[seat]), int(g.led_suit))
        if cards & (cards - 1) == 0:  # nothing to weigh
            return PLAY + lowest_bit(cards)
    kinds = np.empty(SCRATCH, np.int64)
    scratch = np.empty((ROWS, SCRATCH))
    unseen = unseen_by(g, seat)
    size = list_hand(g, seat, kinds)
    appraise(g, seat, unseen, scratch, kinds, size, chances, habits)
    if g.phase == BIDDING:
        return best_bid(g, seat, size, scratch)
    return PLAY + best_card(g, seat, unseen, size, kinds, scratch, habits)


@compiled_apart
def weighted_action(g, weights):
    return expected_points(g, weights[: CLASSES * ODDS].reshape(CLASSES, ODDS), weights[CLASSES * ODDS :])


@compiled
def rule_action(g, player):
    seat = np.int64(g.to_move)
    if player > 0:
        return expected_points(g, CHANCES, HABITS)
    return simple_bid(g, seat) if g.phase == BIDDING else PLAY + simple_card(g, seat)
