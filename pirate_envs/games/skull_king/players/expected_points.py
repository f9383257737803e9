"""Skull King: `expected_points` compares the expected scores of all its bids or cards in a small model of the tricks to come.

Each card left is one trick; if it is wanted the card takes it with one chance, if it is not with a smaller one
(appraisal.py); the player steers by choosing, trick by trick, whether to want it.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.seats import following
from pirate_envs.games.skull_king.players.appraisal import (
    AVOIDED,
    BEFORE,
    BONUS,
    ROWS,
    SCRATCH,
    VALUES,
    WANTED,
    appraise,
    list_hand,
)
from pirate_envs.games.skull_king.players.trick import beats_table, needed
from pirate_envs.games.skull_king.players.unseen import threats, unseen_by
from pirate_envs.games.skull_king.players.weights import (
    BY_BLACK,
    BY_CHARACTER,
    BY_HIGHER,
    EAGER,
    EAGER_NEEDS,
    EAGER_SHARE,
    FEED,
    FORCED,
    PLAIN,
    SPOIL,
    TRUMP,
)
from pirate_envs.games.skull_king.rules import count_pirates, fourteens_bonus, hand_score, is_pirate, playable
from pirate_envs.games.skull_king.state import (
    BIDDING,
    BLACK,
    ESCAPE,
    KING,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    MERMAID,
    NUMBERS,
    PIRATE,
    PLAY,
    STRENGTH_KING,
    SUIT_CARDS,
)

# -- what a hand is worth, and bidding ----------------------------------------------------------------------------------


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


# -- playing a card ----------------------------------------------------------------------------------------------------


@compiled
def chance_now(g, seat, kind, unseen, size, weights):
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
            needs = weights[EAGER_NEEDS] + weights[EAGER_SHARE] * min(need, size) / size
        shown_void = (int(g.voids[other]) >> suit) & 1 == 1
        eager = weights[EAGER] + needs
        odds += eager * weights[BY_CHARACTER] * characters
        if shown_void:
            odds += eager * weights[BY_BLACK] * blacks
        else:
            odds += (weights[FORCED] + needs) * weights[BY_HIGHER] * higher + eager * weights[BY_BLACK] * blacks * void_chance
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
def harm(g, kind, chance, weights):
    """Points for what the card does to the owner of the trick as it lies."""
    if g.laid == 0:
        return 0.0
    need = needed(g, np.int64(g.winning))
    value = chance * weights[SPOIL] * (1.0 if need > 0 else -1.0)
    if g.strength == STRENGTH_KING and need > 0 and is_pirate(g, kind):
        value -= weights[FEED] * int(g.king_takes_pirate)
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
def card_worth(g, seat, kind, at, unseen, size, scratch, weights):
    """Expected score of the hand if the card at place `at` of the hand is played as `kind`."""
    bid = np.int64(g.bids[seat])
    chance = chance_now(g, seat, kind, unseen, size, weights)
    bonus = int(g.bonus[seat]) + bonus_to_come(scratch, size, at)
    worth = harm(g, kind, chance, weights)
    if chance < 1.0:
        worth += (1.0 - chance) * with_bonus(worth_after(scratch, 0, at, size), bid, bonus)
    if chance > 0.0:
        worth += chance * with_bonus(worth_after(scratch, 1, at, size), bid, bonus + bonus_now(g, kind))
    return worth


@compiled
def best_card(g, seat, unseen, size, kinds, scratch, weights):
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
                worth = card_worth(g, seat, kind, at, unseen, size, scratch, weights)
                if worth > best_worth + (1e-9 if way == 1 else -1e-9):
                    best, best_worth = kind, worth
        for wins in range(2):
            steer(scratch[BEFORE + wins], size - 1 - at, scratch, wins, at)
    return best


@compiled_apart
def expected_points(g, weights):
    """The action of highest expected score under these weights (float64, one for each of NAMES)."""
    seat = np.int64(g.to_move)
    if g.phase != BIDDING:
        cards = playable(int(g.hands[seat]), int(g.led_suit))
        if cards & (cards - 1) == 0:  # nothing to weigh
            return PLAY + lowest_bit(cards)
    kinds = np.empty(SCRATCH, np.int64)
    scratch = np.empty((ROWS, SCRATCH))
    unseen = unseen_by(g, seat)
    size = list_hand(g, seat, kinds)
    appraise(g, seat, unseen, scratch, kinds, size, weights)
    if g.phase == BIDDING:
        return best_bid(g, seat, size, scratch)
    return PLAY + best_card(g, seat, unseen, size, kinds, scratch, weights)
