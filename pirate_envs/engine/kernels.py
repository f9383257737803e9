"""The loops that run any game, written once against the verbs and compiled for each game's record."""

from __future__ import annotations

from pirate_envs.core import verbs
from pirate_envs.core.bits import allows, draw
from pirate_envs.core.cells import expand
from pirate_envs.core.jit import compiled, kernel
from pirate_envs.core.rewards import write_rewards
from pirate_envs.core.rng import key
from pirate_envs.core.seeds import begin_match, next_match

BLOCK = 64  # lanes whose records fit into the innermost caches


@compiled
def play(g, action, points, before, reward):
    """Apply a legal action and write what it paid to each seat.

    `points` (int64, (players,)) ends as the points so far when something was paid; `before` is scratch space like `reward`.
    """
    players = int(g.players)
    for seat in range(players):
        before[seat] = 0.0
        reward[seat] = 0.0
    if g.pay_as_scored and g.decisions > 0:  # the first decision pays what the deal itself scored, too
        write_rewards(g, points, verbs.score(g, points), before)
    verbs.apply(g, action)
    if g.over or g.pay_as_scored:
        write_rewards(g, points, verbs.score(g, points), reward)
        for seat in range(players):
            reward[seat] -= before[seat]


@kernel
def deal_all(records):
    """Deal every lane's first match."""
    for i in range(len(records)):
        begin_match(records[i])


@kernel
def look(records, start, stop, seats, words, masks, observations):
    """Write seat to move, legal actions (as words; as bytes too where `masks` has rows) and observations of some lanes.

    One short loop for each thing is faster than one loop for all.
    """
    for i in range(start, stop):
        seats[i] = records[i].to_move
        verbs.legal(records[i], words[i])
    if len(masks) > 0:
        for i in range(start, stop):
            expand(words[i], masks[i])
    if len(observations) > 0:
        for i in range(start, stop):
            verbs.observe(records[i], int(records[i].to_move), observations[i])


@kernel
def first_illegal(actions, words, count):
    """The first lane whose action is not legal, or -1."""
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= count or not allows(words[i], action):
            return i
    return -1


@kernel
def step_all(records, actions, seats, words, masks, observations, rewards, points, ended, points_now, before):
    """Play one legal action in every lane; a lane whose match ends is dealt its next one. Returns matches ended.

    Block by block, so that the records of a block stay in the cache until they have been looked at.
    """
    matches = 0
    for start in range(0, len(records), BLOCK):
        stop = min(start + BLOCK, len(records))
        for i in range(start, stop):
            g = records[i]
            play(g, actions[i], points_now, before, rewards[i])
            ended[i] = g.over
            if g.over:
                matches += 1
                for seat in range(int(g.players)):
                    points[i, seat] = points_now[seat]
                next_match(g)
        look(records, start, stop, seats, words, masks, observations)
    return matches


@kernel
def draw_all(words, generators, actions):
    """One uniform legal action for every lane, by the lane's own generator."""
    for i in range(len(actions)):
        actions[i] = draw(words[i], generators[i])


@kernel
def seed_generators(generators, low, high, stream):
    """Key lane i's generator to the seed plus i."""
    for i in range(len(generators)):
        key(generators[i], (low + i) & 0xFFFFFFFF, (high + ((low + i) >> 32)) & 0xFFFFFFFF, stream)


@kernel
def seed_records(records, low, high):
    """Give lane i the match seed plus i."""
    for i in range(len(records)):
        records[i].seed[0] = (low + i) & 0xFFFFFFFF
        records[i].seed[1] = (high + ((low + i) >> 32)) & 0xFFFFFFFF
