"""Skull King: what `expected_points` thinks that each card of its hand may do in a trick to come."""

from __future__ import annotations

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled
from pirate_envs.games.skull_king.observation import sees_bid
from pirate_envs.games.skull_king.players.trick import needed
from pirate_envs.games.skull_king.players.unseen import threats
from pirate_envs.games.skull_king.players.weights import (
    AVOID,
    AVOID_BY_BLACK,
    AVOID_BY_CHARACTER,
    AVOID_BY_HIGHER,
    AVOID_LAST,
    AVOID_LAST_LEADING,
    AVOID_LATER,
    DEMAND_AVOID,
    DEMAND_BID,
    DEMAND_SHORT,
    DEMAND_WANT,
    KING_BONUS,
    KINGS,
    MERMAID_BONUS,
    MERMAIDS,
    ODDS,
    PIRATE_BONUS,
    PIRATES,
    PLAIN,
    WANT,
    WANT_BY_BLACK,
    WANT_BY_CHARACTER,
    WANT_BY_HIGHER,
    WANT_LAST,
    WANT_LAST_LEADING,
    WANT_LATER,
)
from pirate_envs.games.skull_king.state import (
    ALL_NUMBERS,
    BLACK,
    ESCAPE,
    KING,
    MARY_PIRATE,
    MAX_HAND,
    MAX_NUMBER,
    MERMAID,
    PIRATE,
    SUIT_CARDS,
    copies,
)

# Rows of the scratch space: chances of taking a trick that is wanted and one that is not, the rest as named. WANTED, AVOIDED
# and BEFORE have two rows each: without the lead, then with it.
WANTED, AVOIDED, BONUS, VALUES, BEFORE, ROWS = 0, 2, 4, 5, 6, 8
SCRATCH = MAX_HAND + 2  # its columns: the cards of a hand, and room for one more worth


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


@compiled
def demand(g, seat, size, weights):
    """Tricks that the others still need for each that is left, as far as the seat knows."""
    total = 0.0
    players = int(g.players)
    for other in range(players):
        if other == seat:
            continue
        if sees_bid(g, seat, other):
            total += max(needed(g, other), 0)
        else:
            total += (weights[DEMAND_BID] * size + weights[DEMAND_SHORT]) / players
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
def odds_to_come(g, seat, kind, unseen, share, weights):
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
    row = weights[ODDS * sort : ODDS * (sort + 1)]
    want = row[WANT] + row[WANT_BY_CHARACTER] * by_character + row[WANT_BY_HIGHER] * by_higher + row[WANT_BY_BLACK] * by_black
    avoid = row[AVOID] + row[AVOID_BY_CHARACTER] * by_character + row[AVOID_BY_HIGHER] * by_higher
    return sort, want, avoid + row[AVOID_BY_BLACK] * by_black


@compiled
def with_the_lead(odds, less):
    """A card's chance when the odds against it are divided by `less`."""
    return less / (less + odds)


@compiled
def appraise(g, seat, unseen, scratch, kinds, size, weights):
    """Write each card's chances in a trick to come, and the bonus that it may still earn, into the scratch space."""
    share, per_card = size / unseen.total, 1.0 / size
    held = (int(g.players) - 1) * share
    call = demand(g, seat, size, weights)
    for i in range(size):
        kind = kinds[i]
        for at in range(VALUES):
            scratch[at, i] = 0.0
        if kind == ESCAPE:
            continue
        sort, want, avoid = odds_to_come(g, seat, kind, unseen, share, weights)
        row = weights[ODDS * sort : ODDS * (sort + 1)]
        want *= (1.0 + weights[DEMAND_WANT] * call) / (1.0 + row[WANT_LATER] * size)
        avoid *= (1.0 + weights[DEMAND_AVOID] * call) / (1.0 + row[AVOID_LATER] * size)
        scratch[WANTED, i] = 1.0 / (1.0 + want * (1.0 + row[WANT_LAST] * per_card))
        scratch[WANTED + 1, i] = with_the_lead(want, 1.0 + row[WANT_LAST_LEADING] * per_card)
        if kind != MARY_PIRATE:
            avoided = 1.0 / (1.0 + avoid * (1.0 + row[AVOID_LAST] * per_card))
            avoided_leading = with_the_lead(avoid, 1.0 + row[AVOID_LAST_LEADING] * per_card)
            scratch[AVOIDED, i] = min(scratch[WANTED, i], avoided)
            scratch[AVOIDED + 1, i] = min(scratch[WANTED + 1, i], avoided_leading)
        if sort == KINGS:
            scratch[BONUS, i] = weights[KING_BONUS] * int(g.king_takes_pirate) * held * unseen.pirates
        elif sort == MERMAIDS:
            scratch[BONUS, i] = weights[MERMAID_BONUS] * int(g.mermaid_takes_king) * held * unseen.kings
        elif sort == PIRATES:
            scratch[BONUS, i] = weights[PIRATE_BONUS] * int(g.pirate_takes_mermaid) * held * unseen.mermaids
