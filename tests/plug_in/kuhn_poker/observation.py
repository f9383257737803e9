"""Kuhn poker: what a seat sees (observe), what it cannot (redact), and worlds that agree with it (determinize)."""

import numpy as np

from kuhn_poker.rules import one_of_the_others
from kuhn_poker.state import CARDS, HIDDEN
from pirate_envs.core.jit import compiled
from pirate_envs.core.layout import Layout, Piece
from pirate_envs.core.rng import forget_chance

LAYOUT = Layout(
    Piece("card", (CARDS,), "own card, one-hot: jack, queen, king", private=True),
    Piece("shown", (CARDS,), "the other's card, one-hot, when the cards have been compared; else zeros"),
    Piece("chips", (2,), "chips in the pot / 2: own, the other's"),
    Piece("first", (1,), "1 for the seat that began"),
    Piece("decisions", (1,), "decisions made / 3"),
)
SHOWN, CHIPS, FIRST, DECISIONS = (LAYOUT.offset(name) for name in ("shown", "chips", "first", "decisions"))


@compiled
def cards_are_shown(g):
    """Was the match decided by the cards (R6)?"""
    return g.over != 0 and g.chips[0] == g.chips[1]


@compiled
def observe(g, seat, out):
    other = 1 - seat
    shown = cards_are_shown(g)
    for card in range(CARDS):
        out[card] = g.cards[seat] == card
        out[SHOWN + card] = shown and g.cards[other] == card
    out[CHIPS] = g.chips[seat] / np.float32(2)
    out[CHIPS + 1] = g.chips[other] / np.float32(2)
    out[FIRST] = g.first == seat
    out[DECISIONS] = g.decisions / np.float32(3)


@compiled
def redact(g, seat):
    forget_chance(g)
    if not cards_are_shown(g):
        g.cards[1 - seat] = HIDDEN


@compiled
def determinize(g, seat):
    if g.cards[1 - seat] == HIDDEN:
        g.cards[1 - seat] = one_of_the_others(int(g.cards[seat]), g.gen)
