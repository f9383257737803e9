"""Lucky Pirate: what a rule player knows of the cards, its own and the others'."""

from __future__ import annotations

import math

import numpy as np

from pirate_envs.core.bits import lowest_bit
from pirate_envs.core.jit import compiled
from pirate_envs.games.lucky_pirate.observation import known_in_play
from pirate_envs.games.lucky_pirate.rules import FITS, NEED_AFTER, cards_left, fitting, zone_in_play
from pirate_envs.games.lucky_pirate.state import MOST_CARDS, as_actions, size_of, up_to_three, without


@compiled
def plays_of(g, seat):
    """The plays that are legal, as actions' bits."""
    return as_actions(up_to_three(zone_in_play(g, seat)) & fitting(g))


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
    return 1.0 / max(cards_left(g, seat), 1)


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
    fitting_cards = FITS[int(g.table) & 7, need] & known_in_play(g, seat)
    return int(NEED_AFTER[lowest_bit(fitting_cards) >> 2, need]) if fitting_cards != 0 else need
