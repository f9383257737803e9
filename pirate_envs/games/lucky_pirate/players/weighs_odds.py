"""Lucky Pirate: `weighs_odds` adds up what each play is worth.

That is: to be rid of the cards, what a cleared pile brings, the chances that the others, one after the other, have nothing
that fits, by all that is known of their cards and how near they are to their end, and whether it will be stuck itself when
the turn comes back. Its weights were found by tuning (weights.json).
"""

from __future__ import annotations

from pathlib import Path

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.weights import constant_names, load_weights
from pirate_envs.games.lucky_pirate.observation import unseen_by
from pirate_envs.games.lucky_pirate.players.cards import chance_to_fail, danger, need_after_reply, plays_of, stuck
from pirate_envs.games.lucky_pirate.rules import NEED_AFTER, cards_left, fitting, free_downs, turns_round, zone_in_play
from pirate_envs.games.lucky_pirate.state import (
    FLIP,
    KIND_NAMES,
    KINDS,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PLANK,
    SKIP,
    STOP,
    copies_of,
    size_of,
)

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
SHIPPED = load_weights(Path(__file__).parents[1], "weighs_odds", NAMES, positive=False)
WEIGHTS = SHIPPED.values


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
def odds_action(g, weights):
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
