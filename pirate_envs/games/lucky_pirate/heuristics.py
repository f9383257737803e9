"""Lucky Pirate: rule players, weakest first, deciding only on what the seat to move may see.

`greedy` plays the lowest card that fits, as many as it has. `weighs_odds` adds up for each play what the cards are worth to
it later, what a cleared pile brings, the exact chance that the next player has nothing that fits, by all that is known of his
cards, and its own chance to be stuck on what it leaves behind. Its weights were fitted by self-play (see WEIGHTS).
"""

from __future__ import annotations

import math

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.games.lucky_pirate.observation import unseen_by
from pirate_envs.games.lucky_pirate.rules import (
    FITS,
    FLIP,
    KINDS,
    MOST_CARDS,
    NEED_AFTER,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PLANK,
    REVERSE,
    SKIP,
    STOP,
    as_actions,
    fitting,
    free_downs,
    size_of,
    up_to_three,
    zone_in_play,
)

# -- greedy ------------------------------------------------------------------------------------------------------------


@compiled
def plays_of(g, seat):
    """The plays that are legal, as actions' bits."""
    return as_actions(up_to_three(zone_in_play(g, seat)) & fitting(g))


@compiled
def greedy(g, seat):
    """The lowest card that fits, as many as there are; else the first free down."""
    plays = plays_of(g, seat)
    if plays != 0:
        first = lowest_bit(plays)
        return first + ((plays >> (first + 1)) & 1) + ((plays >> (first + 2)) & 1)
    downs = free_downs(g, seat)
    return FLIP + lowest_bit(downs) if downs != 0 else PICK_UP


# -- weighs_odds: what is known of the cards ---------------------------------------------------------------------------

LOG_FACTORIAL = np.array([math.lgamma(n + 1) for n in range(MOST_CARDS + 1)])


@compiled
def chance_of_none(total, fitting_cards, drawn):
    """Chance that so many cards drawn from `total` are all of those that do not fit."""
    others = total - fitting_cards
    if drawn > others:
        return 0.0
    log = LOG_FACTORIAL
    return math.exp(log[others] - log[others - drawn] - log[total] + log[total - drawn])


@compiled
def chance_to_fail(g, seat, need, unseen, total):
    """Chance that the seat has nothing that fits, or flips a down that does not, to one who cannot place these cards."""
    fits = FITS[int(g.table) & 7, need]
    if g.hand_sizes[seat] > 0:
        known = int(g.known[seat])
        if known & fits != 0:
            return 0.0
        return chance_of_none(total, size_of(unseen & fits), int(g.hand_sizes[seat]) - size_of(known))
    if g.ups[seat] != 0:
        return 0.0 if int(g.ups[seat]) & fits != 0 else 1.0
    return 1.0 - size_of(unseen & fits) / total


@compiled
def danger(g, seat):
    """How near the seat is to its last card."""
    left = int(g.hand_sizes[seat]) + popcount(int(g.ups_left[seat])) + popcount(int(g.downs_left[seat]))
    return 1.0 / max(left, 1)


# -- weighs_odds: what a play is worth ---------------------------------------------------------------------------------

FROM_HAND, FROM_UPS = 0, KINDS  # worth of playing a card of each kind
(
    CLEARS,  # a cleared pile, and for each of its cards
    CLEARS_CARD,
    HURTS,  # the next player fails: at all, for each card that he picks up, by his danger
    HURTS_CARD,
    HURTS_DANGER,
    HELPS,  # he does not: by his danger
    STUCK,  # nothing left that fits on the own play: at all, and for each card in the pile
    STUCK_CARD,
    SECOND,  # two equal numbers are offered to the third
    FLIPS,  # a down flipped that fits
    PICKS,  # a pile picked up, and for each of its cards
    PICKS_CARD,
) = range(2 * KINDS, 2 * KINDS + 12)
WEIGHTS = np.zeros(2 * KINDS + 12)
WEIGHTS[:10] = WEIGHTS[16:26] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.2, 0.5, 0.1, 0.2]
WEIGHTS[10:16] = WEIGHTS[26:32] = [0.3, 0.0, 0.0, 0.1, 0.1, 0.1]
WEIGHTS[32:] = [0.5, 0.02, 0.3, 0.05, 1.0, 1.0, 0.2, 0.02, 0.1, 0.8, 0.5, 0.1]


@compiled
def stuck(g, seat, kind, copies, need, unseen, total):
    """Chance that the seat could not play on its own cards, were it to move again at once."""
    fits = FITS[int(g.table) & 7, need]
    heap = zone_in_play(g, seat) - (copies << (4 * kind))
    if heap == 0 and g.hand_sizes[seat] > 0:
        heap = int(g.ups[seat])
    if heap != 0:
        return 0.0 if heap & fits != 0 else 1.0
    return 1.0 - size_of(unseen & fits) / max(total, 1)


@compiled
def next_after(g, seat, kind, copies):
    """Who is next if these cards are played."""
    players = int(g.players)
    step = int(g.direction)
    if kind == REVERSE and copies != 2:
        step = -step
    if kind == SKIP:
        step += step * copies
    return (seat + step + 4 * players) % players


@compiled
def worth_of_leaving(g, seat, after, need, pile, unseen, total, weights):
    """Worth of leaving the player `after` such a pile."""
    if after == seat:
        return 0.0
    fails = chance_to_fail(g, after, need, unseen, total)
    near = danger(g, after)
    hurt = weights[HURTS] + weights[HURTS_CARD] * pile + weights[HURTS_DANGER] * near
    return fails * hurt - (1.0 - fails) * weights[HELPS] * near


@compiled
def worth_of_play(g, seat, kind, copies, unseen, total, weights):
    left = int(g.hand_sizes[seat]) + popcount(int(g.ups_left[seat])) + popcount(int(g.downs_left[seat]))
    if left == copies:
        return 1e9
    worth = copies * weights[kind + (FROM_HAND if g.hand_sizes[seat] > 0 else FROM_UPS)]
    pile = int(g.pile_size) + copies
    run = copies + (int(g.run_length) if g.run_value == kind + 1 else 0)
    if kind == PLANK or (kind < NUMBERS and run >= 3):
        worth += weights[CLEARS] + weights[CLEARS_CARD] * pile
        if g.clear_again == 1:
            return worth
        return worth + worth_of_leaving(g, seat, next_after(g, seat, kind, copies), OPEN, 0, unseen, total, weights)
    if kind < NUMBERS and run == 2:
        worth -= weights[SECOND]
    need = int(NEED_AFTER[kind, int(g.need) & 15])
    worth -= stuck(g, seat, kind, copies, need, unseen, total) * (weights[STUCK] + weights[STUCK_CARD] * pile)
    if kind == PARROT and g.parrot_again == 1:
        return worth
    return worth + worth_of_leaving(g, seat, next_after(g, seat, kind, copies), need, pile, unseen, total, weights)


@compiled
def worth_of_flip(g, unseen, total, weights):
    fits = size_of(unseen & fitting(g)) / max(total, 1)
    return fits * weights[FLIPS] - (1.0 - fits) * (weights[PICKS] + weights[PICKS_CARD] * (int(g.pile_size) + 1))


@compiled_apart
def weighs_odds(g, weights):
    """The action of most worth under these weights (float64, as WEIGHTS)."""
    seat = int(g.to_move)
    plays, downs = plays_of(g, seat), free_downs(g, seat)
    unseen = unseen_by(g, seat)
    total = size_of(unseen)
    best, best_worth = -1, -1e18
    if downs != 0:
        best, best_worth = FLIP + lowest_bit(downs), worth_of_flip(g, unseen, total, weights)
    if plays == 0 and zone_in_play(g, seat) != 0:
        worth = -weights[PICKS] - weights[PICKS_CARD] * int(g.pile_size)
        if worth > best_worth:
            best, best_worth = PICK_UP, worth
    if g.after_parrot == 1:
        after = next_after(g, seat, PARROT, 1)
        worth = worth_of_leaving(g, seat, after, OPEN, int(g.pile_size), unseen, total, weights)
        if worth > best_worth:
            best, best_worth = STOP, worth
    while plays != 0:
        action = lowest_bit(plays)
        plays &= plays - 1
        kind = action // 3
        worth = worth_of_play(g, seat, kind, action - 3 * kind + 1, unseen, total, weights)
        if worth > best_worth:
            best, best_worth = action, worth
    return best


@compiled
def rule_action(g, player):
    return weighs_odds(g, WEIGHTS) if player > 0 else greedy(g, int(g.to_move))
