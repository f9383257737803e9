"""The loops that run any game in a batch, written once against the verbs and compiled for each game's record.

Arrays that belong together come as a NamedTuple whose fields tell shape and dtype; n is the number of lanes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import allows, draw
from pirate_envs.core.cells import expand
from pirate_envs.core.jit import compiled, kernel
from pirate_envs.core.rewards import write_rewards
from pirate_envs.core.rng import Stream, key
from pirate_envs.core.seeds import begin_match, next_match

BLOCK = 64  # lanes whose records fit into the innermost caches


class Shown(NamedTuple):
    """What a batch shows of each lane: whole rows, their padding included."""

    seats: np.ndarray
    """Seat to move, int64, shape (n,)."""
    words: np.ndarray
    """Its legal actions as words (core/bits.py), uint64, shape (n, words)."""
    groups: np.ndarray
    """Its legal actions as bytes, seen as groups of eight, uint64, shape (n, groups); or no rows."""
    observations: np.ndarray
    """What it sees, float32, shape (n, layout size and padding); or no rows."""


class Outcome(NamedTuple):
    """What a step of a batch brought in each lane."""

    rewards: np.ndarray
    """What it paid to every seat, float64, shape (n, players)."""
    points: np.ndarray
    """Points of the match that ended last, int64, shape (n, players)."""
    ended: np.ndarray
    """0, or how the match came out that the step ended, int8, shape (n,)."""


class Scratch(NamedTuple):
    """Room for one lane's step; what it holds means nothing before and after."""

    points: np.ndarray
    """int64, shape (players,)."""
    before: np.ndarray
    """float64, shape (players,)."""


@compiled
def play(g, action, points, before, reward):
    """Apply a legal action and write what it paid to each seat into `reward` (float64, (players,)).

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
def look(records, start, stop, shown):
    """Write what is shown (Shown) of the lanes from `start` up to `stop`."""
    look_for_actions(records, start, stop, shown)
    show(records, start, stop, shown)


@kernel
def look_for_actions(records, start, stop, shown):
    """Write the seats to move and their legal actions as words."""
    for i in range(start, stop):
        shown.seats[i] = records[i].to_move
        verbs.legal(records[i], shown.words[i])


@kernel
def show(records, start, stop, shown):
    """Write these actions as bytes, and the observations; one short loop for each thing is faster than one loop for all."""
    if len(shown.groups) > 0:
        for i in range(start, stop):
            expand(shown.words[i], shown.groups[i])
    if len(shown.observations) > 0:
        for i in range(start, stop):
            verbs.observe(records[i], int(records[i].to_move), shown.observations[i])


@kernel
def first_illegal(actions, words, count):
    """The first row of `actions` (int64, (n,)) that its row of `words` (uint64, (n, words)) does not allow, or -1."""
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= count or not allows(words[i], action):
            return i
    return -1


@kernel
def step_block(records, actions, start, stop, outcome, scratch):
    """Play one legal action in each lane from `start` up to `stop`; a lane whose match ends is dealt its next one.

    Returns how many matches ended.
    """
    matches = 0
    for i in range(start, stop):
        g = records[i]
        play(g, actions[i], scratch.points, scratch.before, outcome.rewards[i])
        outcome.ended[i] = g.over
        if g.over:
            matches += 1
            for seat in range(int(g.players)):
                outcome.points[i, seat] = scratch.points[seat]
            next_match(g)
    return matches


@kernel
def step_all(records, actions, shown, outcome, scratch):
    """Play one legal action (int64, (n,)) in every lane; returns how many matches ended.

    Block by block, so that the records of a block stay in the cache until they have been looked at. `shown`: Shown;
    `outcome`: Outcome; `scratch`: Scratch.
    """
    matches = 0
    for start in range(0, len(records), BLOCK):
        stop = min(start + BLOCK, len(records))
        matches += step_block(records, actions, start, stop, outcome, scratch)
        look(records, start, stop, shown)
    return matches


@kernel
def play_all(records, generators, steps, actions, shown, outcome, scratch):
    """Draw and play `steps` uniform legal actions in every lane; returns how many matches ended.

    As `steps` times `draw_all` and `step_all` leave everything, but with all steps of a block at once, and with nothing
    written out that the next step would overwrite unseen.
    """
    matches = 0
    for start in range(0, len(records), BLOCK):
        stop = min(start + BLOCK, len(records))
        for _ in range(steps):
            for i in range(start, stop):
                actions[i] = draw(shown.words[i], generators[i])
            matches += step_block(records, actions, start, stop, outcome, scratch)
            look_for_actions(records, start, stop, shown)
        show(records, start, stop, shown)
    return matches


@kernel
def draw_all(words, generators, actions):
    """One uniform legal action for every lane, by the lane's own generator (uint32, (n, 4))."""
    for i in range(len(actions)):
        actions[i] = draw(words[i], generators[i])


@kernel
def seed_generators(generators, low, high):
    """Key lane i's generator (uint32, (n, 4)) for uniform actions, by the seed (two words) plus i."""
    for i in range(len(generators)):
        key(generators[i], (low + i) & 0xFFFFFFFF, (high + ((low + i) >> 32)) & 0xFFFFFFFF, Stream.UNIFORM_ACTIONS)


@kernel
def seed_records(records, low, high):
    """Give lane i the match seed (two words) plus i."""
    for i in range(len(records)):
        records[i].seed[0] = (low + i) & 0xFFFFFFFF
        records[i].seed[1] = (high + ((low + i) >> 32)) & 0xFFFFFFFF
