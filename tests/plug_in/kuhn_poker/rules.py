"""Kuhn poker: the deal, the legal actions, what they do, the points."""

import numpy as np

from kuhn_poker.state import CARDS
from pirate_envs.core.bits import allow, clear
from pirate_envs.core.jit import compiled
from pirate_envs.core.record import FINISHED, PLAYING
from pirate_envs.core.rewards import highest
from pirate_envs.core.rng import below, key

PASS, BET = 0, 1
ACTIONS = 2
DEAL = 0  # the only stream of chance that the game needs


@compiled
def deal(g):
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), DEAL)
    g.first = below(g.gen, 2)  # R1
    own = below(g.gen, CARDS)
    g.cards[0] = own
    g.cards[1] = one_of_the_others(own, g.gen)
    for seat in range(2):
        g.chips[seat] = 1
        g.points[seat] = 0
    g.to_move = g.first
    g.over = PLAYING
    g.decisions = 0


@compiled
def one_of_the_others(card, gen):
    """One of the two cards that this one is not."""
    other = below(gen, CARDS - 1)
    return other + 1 if other >= card else other


@compiled
def faces_bet(g):
    """Has the seat to move fewer chips in the pot than the other?"""
    return g.chips[int(g.to_move)] < g.chips[1 - int(g.to_move)]


@compiled
def legal(g, words):
    clear(words)
    allow(words, PASS)
    allow(words, BET)


@compiled
def apply(g, action):
    seat = int(g.to_move)
    answers = faces_bet(g)
    g.decisions += 1
    g.to_move = 1 - seat
    if action == BET:
        g.chips[seat] += 1
    if answers and action == PASS:
        win(g, 1 - seat)  # R3: a fold
    elif answers or (action == PASS and g.decisions == 2):
        win(g, 0 if g.cards[0] > g.cards[1] else 1)  # R3: a call; R4: both have checked


@compiled
def win(g, seat):
    """The seat takes the pot, and with it what the other has put in (R5)."""
    g.points[seat] = g.chips[1 - seat]
    g.points[1 - seat] = -g.chips[1 - seat]
    g.over = FINISHED


@compiled
def score(g, points):
    for seat in range(2):
        points[seat] = g.points[seat]
    return highest(points, 2)
