"""Piratenpoker: the rule player `loot_value`, which weighs every division of its cards over the rounds that are left.

It adds up what winning and losing each round is worth (own loot and sets, what hurts the others), how likely each total wins
(foreseen.py), and what cards are worth in the next cycle. How much things count was found by tuning (weights.json).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.seats import after
from pirate_envs.core.weights import constant_names, load_weights
from pirate_envs.games.piratenpoker.players.foreseen import FIRST_ROW
from pirate_envs.games.piratenpoker.players.targets import BACK_SIDE, give_worst, worst_back
from pirate_envs.games.piratenpoker.rules import doubled_colour, legal_bids, takes_part
from pirate_envs.games.piratenpoker.state import (
    BELOW_ACTION,
    BID,
    BONUS,
    COLOURS,
    GIFT,
    HAND,
    MAX_PLAYERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    PASS,
    SET_SIZE,
    SHARK,
    SIDE_VALUES,
    shown,
)

SUBSETS = 1 << HAND

# -- how much things count ---------------------------------------------------------------------------------------------

(
    RIVALRY,  # what the others' points count together, in own points
    FOCUS,  # points by which one is ahead that make its points count e times as much; share of that at the end of the match
    FOCUS_END,
    FIRST_OF_SET,  # worth of one and of two of a set of three, in points
    SECOND_OF_SET,
    CARD,  # worth of a poker card kept for the next cycle: by number above a middle one, and that middle
    MIDDLE,
    SHARK_DRAW,  # how much likelier the others take a shark in the first round than another card
    LAST,  # share of a kept card's worth when a stack is empty
) = range(9)
# weights.json tells how they were found. The first ones came of evolution strategies in self-play; what is foreseen
# (foreseen.py) was counted anew between its steps.
SHIPPED = load_weights(Path(__file__).parents[1], "loot_value", constant_names(globals(), "RIVALRY", "LAST"), positive=True)
WEIGHTS = SHIPPED.values


@compiled
def to_come(g):
    """1 while many cycles are to come, 0 in the last."""
    fewest = min(g.stack_sizes[0], g.stack_sizes[1], g.stack_sizes[2])
    return min(4, np.int64(fewest) - np.int64(g.match_end)) / 4.0


@compiled
def importance(g, seat, weights):
    """How much a seat's points count, in no unit."""
    focus = weights[FOCUS] * (weights[FOCUS_END] + (1.0 - weights[FOCUS_END]) * to_come(g))
    return np.exp(int(g.scores[seat]) / focus)


@compiled_apart
def set_worth(count, fade, repeat, weights):
    """What a number of equal loot cards is worth beyond their values."""
    if count >= SET_SIZE and not repeat:
        return float(BONUS)
    sets = count // SET_SIZE
    rest = count - SET_SIZE * sets
    part = weights[FIRST_OF_SET] if rest == 1 else weights[SECOND_OF_SET] if rest == 2 else 0.0
    return BONUS * sets + fade * part


@compiled_apart
def loot_worth(g, seat, side, weights):
    """What one more loot card of that side is worth to a seat; a set of negative ones counts when it is full only."""
    worth = float(SIDE_VALUES[side])
    if side <= BACK_SIDE or g.bonus_sides == 1:
        count = (shown(g, seat) >> (8 * side)) & 255
        fade = to_come(g) if side <= BACK_SIDE else 0.0
        worth += set_worth(count + 1, fade, g.bonus_repeat, weights) - set_worth(count, fade, g.bonus_repeat, weights)
    return worth


@compiled
def weigh_others(g, seat, against, weights):
    """Write how much a point of every other seat counts against one's own."""
    players = np.int64(g.players)
    total = 0.0
    for other in range(players):
        against[other] = 0.0 if other == seat else importance(g, other, weights)
        total += against[other]
    for other in range(players):
        against[other] *= weights[RIVALRY] / total


@compiled
def target_chance(g, seat, giver, weights):
    """How likely the giver hurts this seat and not another."""
    total = 0.0
    for other in range(np.int64(g.players)):
        if other != giver:
            total += importance(g, other, weights)
    return importance(g, seat, weights) / total


# -- what rounds are worth ---------------------------------------------------------------------------------------------

# Rows of `worths`, one cell a colour: what it is worth that the loot of that colour ...
WIN_LOOT, LOSE_LOOT, DROP, DROPPED = range(4)  # is won or lost in round 3; is sent overboard by oneself or by another
AGAINST = 4  # by seat: how much a point of it counts against one's own
GIFTS, WORTH_ROWS = 5, 6  # to win or lose the second round's gift


@compiled_apart
def best_target(g, seat, back, against, weights):
    """(steps, worth) of the best owner of an overboard card."""
    players = np.int64(g.players)
    side = BACK_SIDE + back
    best, best_worth = 0, -1000.0
    for steps in range(players):
        to = after(seat, steps, players)
        worth = loot_worth(g, to, side, weights) * (1.0 if steps == 0 else -against[to])
        allowed = steps > 0 or g.overboard_to == 0
        if back == SHARK and g.overboard_shark == 1:
            allowed = steps == 0
        if allowed and worth > best_worth:
            best, best_worth = steps, worth
    return best, best_worth


@compiled_apart
def suffered(g, seat, back, against, weights):
    """Expected worth of an overboard card that one of the others sends."""
    players = np.int64(g.players)
    total = 0.0
    for giver in range(players):
        if giver == seat:
            continue
        if back == SHARK:
            total -= against[giver] * loot_worth(g, giver, BACK_SIDE, weights)
            continue
        loss = float(-SIDE_VALUES[BACK_SIDE + back])
        hit = target_chance(g, seat, giver, weights)
        total += loss * ((1.0 - hit) * (weights[RIVALRY] - against[giver]) / max(players - 2, 1) - hit)
    return total / (players - 1)


@compiled_apart
def gift_worth(g, seat, against, weights, worths):
    """Write what the second round's gift is worth to its winner, and expected when another wins."""
    players = np.int64(g.players)
    top = 0.0
    for other in range(players):
        top = max(top, against[other])
    own = worst_back(g, seat)
    worths[GIFTS, 0] = -(1.0 + top) * SIDE_VALUES[BACK_SIDE + own] if own > 0 else 0.0
    lost = 0.0
    for giver in range(players):
        back = worst_back(g, giver)
        if giver != seat and back > 0:
            hit = target_chance(g, seat, giver, weights)
            spared = (1.0 - hit) * (weights[RIVALRY] - against[giver]) / max(players - 2, 1)
            lost += SIDE_VALUES[BACK_SIDE + back] * (against[giver] + hit - spared)
    worths[GIFTS, 1] = lost / (players - 1)


@compiled_apart
def appraise(g, seat, weights, worths):
    """Write what every round is worth."""
    players = np.int64(g.players)
    against = worths[AGAINST]
    weigh_others(g, seat, against, weights)
    for colour in range(COLOURS):
        front = np.int64(g.offer[colour])
        if front < 0:
            continue
        worths[WIN_LOOT, colour] = loot_worth(g, seat, front, weights)
        lost, rivals = 0.0, 0
        for other in range(players):
            if other != seat and takes_part(g, other):
                lost -= against[other] * loot_worth(g, other, front, weights)
                rivals += 1
        worths[LOSE_LOOT, colour] = lost / max(rivals, 1)
        _, worths[DROP, colour] = best_target(g, seat, front, against, weights)
        worths[DROPPED, colour] = suffered(g, seat, front, against, weights)
    gift_worth(g, seat, against, weights, worths)


# -- what totals win ---------------------------------------------------------------------------------------------------


@compiled
def foreseen_row(g, other, number, front):
    """Row of LOWER for a seat's bid in round `number`, with that front on offer in the third."""
    row = FIRST_ROW[int(g.round_number) - 1, number - 1]
    if number == 1:
        sharks = int(g.offer[0] == SHARK) + int(g.offer[1] == SHARK) + int(g.offer[2] == SHARK)
        return row + min(sharks, 2)
    if number == 2:
        return row + int(shown(g, other) >> (8 * (BACK_SIDE + 1)) != 0)
    return row + front


@compiled_apart
def win_chance(g, seat, number, front, total, lower):
    """Chance that a total wins round `number` of this cycle."""
    chance = 1.0
    for other in range(np.int64(g.players)):
        if other != seat and takes_part(g, other):
            chance *= lower[foreseen_row(g, other, number, front), int(g.sizes[other]), total]
    return chance


# -- dividing the cards ------------------------------------------------------------------------------------------------

# `plans`: rows of 64 cells, one for every set of the hand's slots.
KEPT, CHANCE_1, CHANCE_2, CHANCE_3 = 0, 1, 2, 3  # worth in the next cycle; chance to win a round (3: one row a colour)
PLAN_3, PLAN_2 = CHANCE_3 + COLOURS, CHANCE_3 + 2 * COLOURS  # best worth of round 3 by loot, of 2 and 3 by what went overboard
PLAN_ROWS = PLAN_2 + COLOURS


@compiled_apart
def weigh_subsets(g, seat, lower, weights, plans):
    """Write what every set of the hand's cards is worth when kept, and how it fares in each round to come."""
    hand, size, first = int(g.hands[seat]), int(g.sizes[seat]), int(g.round_number)
    card = weights[CARD] * (1.0 if to_come(g) > 0.0 else weights[LAST])
    for cards in range(1 << size):
        total, kept = 0, 0.0
        for slot in range(size):
            if (cards >> slot) & 1 == 1:
                number = ((hand >> (8 * slot)) & 7) + 1
                total += number
                kept += card * (number - weights[MIDDLE])
        plans[KEPT, cards] = kept
        for number in range(first, np.int64(3)):
            plans[CHANCE_1 + number - 1, cards] = win_chance(g, seat, number, np.int64(0), total, lower)
        for colour in range(COLOURS):
            if g.offer[colour] >= 0:
                doubled = total + of_colour(hand, cards, size, colour)
                plans[CHANCE_3 + colour, cards] = win_chance(g, seat, np.int64(3), np.int64(g.offer[colour]), doubled, lower)


@compiled
def of_colour(hand, cards, size, colour):
    """Total of a colour's cards in a set."""
    total = 0
    for slot in range(size):
        kind = (hand >> (8 * slot)) & 31
        if (cards >> slot) & 1 == 1 and kind >> 3 == colour:
            total += (kind & 7) + 1
    return total


@compiled
def bid_3(plans, worths, colour, have, bid):
    """Worth of a bid in round 3 with these cards in hand."""
    chance = plans[CHANCE_3 + colour, bid]
    return chance * worths[WIN_LOOT, colour] + (1.0 - chance) * worths[LOSE_LOOT, colour] + plans[KEPT, have ^ bid]


@compiled
def pass_3(plans, worths, colour, have):
    return worths[LOSE_LOOT, colour] + plans[KEPT, have]


@compiled_apart
def plan_3(plans, worths, colour, size, can_pass):
    """Write the best worth of round 3 for every set of cards that one may then have."""
    for have in range(1 << size):
        best = pass_3(plans, worths, colour, have) if can_pass or have == 0 else -1000.0
        bid = have
        while bid > 0:
            best = max(best, bid_3(plans, worths, colour, have, bid))
            bid = (bid - 1) & have
        plans[PLAN_3 + colour, have] = best


@compiled
def bid_2(plans, worths, a, b, have, bid):
    """Worth of a bid in round 2 with the loot a and b on offer."""
    chance, left = plans[CHANCE_2, bid], have ^ bid
    with_a, with_b = plans[PLAN_3 + a, left], plans[PLAN_3 + b, left]
    lost = worths[GIFTS, 1] + 0.5 * (with_a + with_b)
    return chance * (worths[GIFTS, 0] + max(with_a, with_b)) + (1.0 - chance) * lost


@compiled
def pass_2(plans, worths, a, b, have, stays):
    """Worth of the Pass in round 2; `stays`: one has to bid in round 3 all the same."""
    later = 0.5 * (plans[PLAN_3 + a, have] + plans[PLAN_3 + b, have])
    if not stays:
        later = 0.5 * (pass_3(plans, worths, a, have) + pass_3(plans, worths, b, have))
    return worths[GIFTS, 1] + later


@compiled
def others_of(colour):
    """The two other colours."""
    return 1 if colour == 0 else 0, 1 if colour == 2 else 2


@compiled_apart
def plan_2(plans, worths, gone, size, can_pass, stays):
    """Write the best worth of rounds 2 and 3 for every set of cards that one may then have."""
    a, b = others_of(gone)
    for have in range(1 << size):
        best = pass_2(plans, worths, a, b, have, stays) if can_pass or have == 0 else -1000.0
        bid = have
        while bid > 0:
            best = max(best, bid_2(plans, worths, a, b, have, bid))
            bid = (bid - 1) & have
        plans[PLAN_2 + gone, have] = best


@compiled_apart
def lose_1(g, plans, worths, left, weights):
    """Worth of the cycle when another wins round 1."""
    total, chances = 0.0, 0.0
    for colour in range(COLOURS):
        chance = weights[SHARK_DRAW] if g.offer[colour] == SHARK else 1.0
        total += chance * (worths[DROPPED, colour] + plans[PLAN_2 + colour, left])
        chances += chance
    return total / chances


@compiled_apart
def win_1(plans, worths, left):
    best = -1000.0
    for colour in range(COLOURS):
        best = max(best, worths[DROP, colour] + plans[PLAN_2 + colour, left])
    return best


@compiled_apart
def pass_1(g, plans, worths, have, stays, weights):
    if stays:
        return lose_1(g, plans, worths, have, weights)
    total = 0.0
    for colour in range(COLOURS):
        a, b = others_of(colour)
        total += worths[DROPPED, colour] + pass_2(plans, worths, a, b, have, False)
    return total / COLOURS


@compiled
def bid_worth(g, plans, worths, have, bid, weights):
    """Worth of a bid in the round that is played."""
    stays = g.pass_effect == 1
    if g.round_number == 1:
        if bid == PASS:
            return pass_1(g, plans, worths, have, stays, weights)
        chance, left = plans[CHANCE_1, bid], have ^ bid
        return chance * win_1(plans, worths, left) + (1.0 - chance) * lose_1(g, plans, worths, left, weights)
    if g.round_number == 2:
        a, b = offered_pair(g)
        return pass_2(plans, worths, a, b, have, stays) if bid == PASS else bid_2(plans, worths, a, b, have, bid)
    colour = doubled_colour(g)
    return pass_3(plans, worths, colour, have) if bid == PASS else bid_3(plans, worths, colour, have, bid)


@compiled
def offered_pair(g):
    """The two colours on offer in round 2."""
    gone = 0
    for colour in range(COLOURS):
        if g.offer[colour] < 0:
            gone = colour
    return others_of(gone)


@compiled_apart
def best_bid(g, seat, plans, worths, weights):
    """The legal bid of highest worth."""
    have = (1 << int(g.sizes[seat])) - 1
    bids = legal_bids(g, seat)
    best, best_worth = 0, -1e9
    for bid in range(have + 1):
        if (bids >> np.uint64(bid)) & np.uint64(1) == np.uint64(1):
            worth = bid_worth(g, plans, worths, have, bid, weights)
            if worth > best_worth + 1e-9:
                best, best_worth = bid, worth
    return best


@compiled
def make_plans(g, seat, lower, weights, worths, plans):
    """Fill in the plans that the decision at hand looks at."""
    size = int(g.sizes[seat])
    stays, passed = g.pass_effect == 1, g.passed[seat] == 1
    weigh_subsets(g, seat, lower, weights, plans)
    for colour in range(COLOURS):
        if g.offer[colour] >= 0:
            plan_3(plans, worths, colour, size, not passed)
    if g.round_number == 1:
        for colour in range(COLOURS):
            plan_2(plans, worths, colour, size, not passed, stays)


@compiled_apart
def best_overboard(g, seat, plans, worths, weights):
    have = (1 << int(g.sizes[seat])) - 1
    best, best_worth = 0, -1e9
    for colour in range(COLOURS):
        if g.offer[colour] >= 0:
            steps, worth = best_target(g, seat, np.int64(g.offer[colour]), worths[AGAINST], weights)
            worth += plans[PLAN_2 + colour, have]
            if worth > best_worth:
                best, best_worth = MAX_PLAYERS * colour + steps, worth
    return OVERBOARD_ACTION + best


@compiled_apart
def best_below(g, seat, plans):
    have = (1 << int(g.sizes[seat])) - 1
    a, b = offered_pair(g)
    return BELOW_ACTION + (b if plans[PLAN_3 + a, have] >= plans[PLAN_3 + b, have] else a)


@compiled
def heaviest(g, seat, against):
    """Steps to the seat whose points count most."""
    players = np.int64(g.players)
    best = 1
    for steps in range(2, players):
        if against[after(seat, steps, players)] > against[after(seat, best, players)]:
            best = steps
    return best


@compiled_apart
def loot_value(g, lower, weights):
    """The action of highest worth under these weights (float64: LOWER's and WEIGHTS' shapes)."""
    seat = np.int64(g.to_move)
    worths = np.zeros((WORTH_ROWS, MAX_PLAYERS))
    appraise(g, seat, weights, worths)
    if g.phase == GIFT:
        return give_worst(g, seat, heaviest(g, seat, worths[AGAINST]))
    plans = np.zeros((PLAN_ROWS, SUBSETS))
    make_plans(g, seat, lower, weights, worths, plans)
    if g.phase == OVERBOARD:
        return best_overboard(g, seat, plans, worths, weights)
    return best_bid(g, seat, plans, worths, weights) if g.phase == BID else best_below(g, seat, plans)
