"""The loops that run any game, written once against the verbs and compiled for each game's record."""

from __future__ import annotations

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import allows, draw, expand
from pirate_envs.core.jit import compiled
from pirate_envs.core.payout import value
from pirate_envs.core.rng import NEXT_MATCH, key, next32


@compiled
def next_match(g):
    """Deal the match after this one: its seed is the first words of the stream NEXT_MATCH of this one's seed."""
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), NEXT_MATCH)
    g.seed[0] = next32(g.gen)
    g.seed[1] = next32(g.gen)
    verbs.deal(g)


@compiled
def play(g, action, points, before, reward):
    """Apply a legal action and write what it paid to each seat.

    `points` (int64, (players,)) ends as the points so far when something was paid; `before` is scratch space like `reward`.
    """
    players = int(g.players)
    for seat in range(players):
        reward[seat] = 0.0
        before[seat] = 0.0
    if g.pay_as_scored:
        value(g, points, verbs.payoff(g, points), before)
    verbs.apply(g, action)
    if g.over or g.pay_as_scored:
        value(g, points, verbs.payoff(g, points), reward)
        for seat in range(players):
            reward[seat] -= before[seat]


@compiled
def look(g, seats, i, words, masks, observations):
    """Write lane i's seat to move, legal actions (as words and, where there are rows, as bytes) and observation."""
    seats[i] = g.to_move
    verbs.legal(g, words[i])
    if len(masks) > 0:
        expand(words[i], masks[i])
    if len(observations) > 0:
        verbs.observe(g, int(g.to_move), observations[i])


@compiled
def deal_all(records, seats, words, masks, observations):
    """Deal every lane's first match."""
    for i in range(len(records)):
        g = records[i]
        verbs.deal(g)
        look(g, seats, i, words, masks, observations)


@compiled
def look_all(records, seats, words, masks, observations):
    """Write what every lane shows now."""
    for i in range(len(records)):
        look(records[i], seats, i, words, masks, observations)


@compiled
def first_illegal(actions, words, count):
    """The first lane whose action is not legal, or -1."""
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= count or not allows(words[i], action):
            return i
    return -1


@compiled
def step_all(records, actions, seats, words, masks, observations, rewards, points, ended, scratch):
    """Play one legal action in every lane; a lane whose match ends is dealt its next one. Returns matches ended."""
    matches = 0
    for i in range(len(records)):
        g = records[i]
        play(g, actions[i], points[i], scratch, rewards[i])
        ended[i] = g.over
        if g.over:
            matches += 1
            next_match(g)
        look(g, seats, i, words, masks, observations)
    return matches


@compiled
def draw_all(words, generators, actions):
    """One uniform legal action for every lane, by the lane's own generator."""
    for i in range(len(actions)):
        actions[i] = draw(words[i], generators[i])


@compiled
def seed_generators(generators, low, high, stream):
    """Key lane i's generator to the seed plus i."""
    for i in range(len(generators)):
        key(generators[i], (low + i) & 0xFFFFFFFF, (high + ((low + i) >> 32)) & 0xFFFFFFFF, stream)


@compiled
def seed_records(records, low, high):
    """Give lane i the match seed plus i."""
    for i in range(len(records)):
        records[i].seed[0] = (low + i) & 0xFFFFFFFF
        records[i].seed[1] = (high + ((low + i) >> 32)) & 0xFFFFFFFF
