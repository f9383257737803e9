"""Lucky Pirate: rule players, weakest first, deciding only on what the seat to move may see.

`greedy` plays the lowest card that fits, as many as it has. `weighs_odds` adds up for each play what it is worth to be rid of
the cards, what a cleared pile brings, the chances that the others, one after the other, have nothing that fits, by all that
is known of their cards and how near they are to their end, and whether it will be stuck itself when the turn comes back. Its
weights were found by tuning (weights.json).
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.weights import constant_names, load_weights
from pirate_envs.games.lucky_pirate.observation import unseen_by
from pirate_envs.games.lucky_pirate.rules import (
    FITS,
    FLIP,
    KIND_NAMES,
    KINDS,
    MOST_CARDS,
    NEED_AFTER,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PLANK,
    SKIP,
    STOP,
    as_actions,
    copies_of,
    fitting,
    free_downs,
    size_of,
    turns_round,
    up_to_three,
    without,
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
def cards_left(g, seat):
    return int(g.hand_sizes[seat]) + popcount(int(g.ups_left[seat])) + popcount(int(g.downs_left[seat]))


@compiled
def danger(g, seat):
    """How near the seat is to its last card."""
    return 1.0 / max(cards_left(g, seat), 1)


# -- weighs_odds: what a play is worth ---------------------------------------------------------------------------------

FROM_HAND, FROM_UPS = 0, KINDS  # where the weights begin that say what it is worth to play a card of each kind
(
    CLEARS,  # a pile is cleared: at all, and for each card in it
    CLEARS_CARD,
    HURTS,  # another player fails: at all, for each card that it picks up, by its danger
    HURTS_CARD,
    HURTS_DANGER,
    HELPS,  # it does not: lost by its danger
    STUCK,  # nothing fits when the turn comes back: lost at all, and for each card in the pile
    STUCK_CARD,
    SECOND,  # lost by offering two equal numbers to whoever has the third
    FLIPS,  # a down is flipped and fits
    PICKS,  # a pile is picked up: lost at all, and for each card in it
    PICKS_CARD,
    LEADS,  # after another's failure the seat leads
    LEADS_OTHER,  # another one does: lost by its danger
    EXHAUSTS,  # the last card of its kind leaves the zone
) = range(2 * KINDS, 2 * KINDS + 15)

# Only the proportions of the weights matter. weights.json tells how they were found; the first ones came of evolution
# strategies in about 20 million matches of self-play.
NAMES = [
    *(f"{zone}_{kind}" for zone in ("from_hand", "from_ups") for kind in KIND_NAMES),
    *constant_names(globals(), "CLEARS", "EXHAUSTS"),
]
TUNED = load_weights(Path(__file__).parent, "weighs_odds", NAMES, positive=False)
WEIGHTS = TUNED.values


@compiled
def stuck(g, seat, kind, copies, need, unseen, total):
    """Chance that the seat could not play on its own cards, were it to move again at once."""
    fits = FITS[int(g.table) & 7, need]
    heap = without(zone_in_play(g, seat), kind, copies)
    if heap == 0 and g.hand_sizes[seat] > 0:
        heap = int(g.ups[seat])
    if heap != 0:
        return 0.0 if heap & fits != 0 else 1.0
    return 1.0 - size_of(unseen & fits) / max(total, 1)


@compiled
def need_after_reply(g, seat, need):
    """What the pile asks for after the seat's lowest card that is known to fit; unknown cards leave it as it is."""
    fitting_cards = FITS[int(g.table) & 7, need] & (int(g.known[seat]) if g.hand_sizes[seat] > 0 else int(g.ups[seat]))
    return int(NEED_AFTER[lowest_bit(fitting_cards) >> 2, need]) if fitting_cards != 0 else need


@compiled
def step_after(g, kind, copies):
    """The direction after these cards."""
    return -int(g.direction) if turns_round(g, kind, copies) else int(g.direction)


@compiled
def onward(g, seat, step):
    """The neighbour of the seat, +1 to the left."""
    players = int(g.players)
    seat += step
    return seat + players if seat < 0 else (seat - players if seat >= players else seat)


@compiled
def worth_of_leaving(g, seat, kind, copies, need, pile, unseen, total, weights):
    """Worth of leaving such a pile to the others until the turn comes back: each may fail, or play on."""
    step = step_after(g, kind, copies)
    other = onward(g, seat, step)
    for _ in range(copies if kind == SKIP else 0):
        other = onward(g, other, step)
    worth, reached = 0.0, 1.0
    while other != seat:
        fails = reached * chance_to_fail(g, other, need, unseen, total)
        near = danger(g, other)
        worth += fails * (weights[HURTS] + weights[HURTS_CARD] * pile + weights[HURTS_DANGER] * near)
        reached -= fails
        worth -= reached * weights[HELPS] * near
        need = need_after_reply(g, other, need)
        other = onward(g, other, step)
        worth += fails * (weights[LEADS] if other == seat else -weights[LEADS_OTHER] * danger(g, other))
    risk = weights[STUCK] + weights[STUCK_CARD] * pile
    return worth - reached * risk * stuck(g, seat, kind, copies, need, unseen, total)


@compiled
def worth_of_play(g, seat, kind, copies, unseen, total, weights):
    """Worth of playing cards that fit; the last ones win."""
    if cards_left(g, seat) == copies:
        return 1e9
    worth = copies * weights[kind + (FROM_HAND if g.hand_sizes[seat] > 0 else FROM_UPS)]
    if copies_of(zone_in_play(g, seat), kind) == copies:
        worth += weights[EXHAUSTS]
    pile = int(g.pile_size) + copies
    run = copies + (int(g.run_length) if g.run_value == kind + 1 else 0)
    need = int(NEED_AFTER[kind, int(g.need) & 15])
    if kind == PLANK or (kind < NUMBERS and run >= 3):
        worth += weights[CLEARS] + weights[CLEARS_CARD] * pile
        if g.clear_again == 1:
            return worth
        need, pile = OPEN, 0
    elif kind < NUMBERS and run == 2:
        worth -= weights[SECOND]
    if kind == PARROT and g.parrot_again == 1:
        return worth
    return worth + worth_of_leaving(g, seat, kind, copies, need, pile, unseen, total, weights)


@compiled
def worth_of_flip(g, unseen, total, weights):
    """Worth of turning up a down: any unseen card."""
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
        worth = worth_of_leaving(g, seat, PARROT, 0, OPEN, int(g.pile_size), unseen, total, weights)
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


@compiled_apart
def weighted_action(g, weights):
    return weighs_odds(g, weights)


@compiled
def rule_action(g, player):
    return weighs_odds(g, WEIGHTS) if player > 0 else greedy(g, int(g.to_move))
