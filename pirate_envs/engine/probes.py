"""Plain loops over rows of records, one verb each: what `check_game` is built from, and what players are asked by.

`records`: game.state, shape (n,); `seats` and `actions`: int64, (n,); `words`: uint64, (n, words); `points`: int64,
(n, players); `rewards`: float64, (n, players).
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import clear
from pirate_envs.core.jit import compiled_apart
from pirate_envs.core.rewards import write_rewards
from pirate_envs.core.rng import Stream, key
from pirate_envs.engine import kernels


@compiled_apart
def key_rows(records, generators):
    """Key each generator to its record's match seed."""
    for i in range(len(records)):
        key(generators[i], np.int64(records[i].seed[0]), np.int64(records[i].seed[1]), Stream.UNIFORM_ACTIONS)


@compiled_apart
def legal_rows(records, words):
    """Write each row's legal actions as words; all zero after the end."""
    for i in range(len(records)):
        if records[i].over:
            clear(words[i])
        else:
            verbs.legal(records[i], words[i])


@compiled_apart
def observe_rows(records, seats, out):
    """Write what the seats see over cells of NaN."""
    for i in range(len(records)):
        for cell in range(out.shape[1]):
            out[i, cell] = np.nan
        verbs.observe(records[i], seats[i], out[i])


@compiled_apart
def first_outside(rows, low, high):
    """The first row with a cell that is not within its bounds (as NaN is not), or -1."""
    for i in range(len(rows)):
        outside = 0
        for cell in range(rows.shape[1]):
            if not (low[cell] <= rows[i, cell] <= high[cell]):
                outside += 1
        if outside > 0:
            return i
    return -1


@compiled_apart
def first_difference(rows, others):
    """The first row whose bytes are not the same, or -1."""
    for i in range(len(rows)):
        difference = np.uint8(0)
        for at in range(rows.shape[1]):
            difference |= rows[i, at] ^ others[i, at]
        if difference != 0:
            return i
    return -1


@compiled_apart
def play_rows(records, actions, points, before, rewards):
    """Play one legal action in every row."""
    for i in range(len(records)):
        kernels.play(records[i], actions[i], points[i], before, rewards[i])


@compiled_apart
def redact_rows(records, seats):
    """Redact every row for its seat."""
    for i in range(len(records)):
        verbs.redact(records[i], seats[i])


@compiled_apart
def determinize_rows(records, seats, salt):
    """Fill every redacted row with one random world, row i by the seed (salt, i)."""
    for i in range(len(records)):
        g = records[i]
        g.seed[0] = salt
        g.seed[1] = i
        key(g.gen, salt, i, Stream.IMAGINED)
        verbs.determinize(g, seats[i])


@compiled_apart
def advise_rows(records, player, actions):
    """Ask a rule player in every row."""
    for i in range(len(records)):
        actions[i] = verbs.rule_action(records[i], player)


@compiled_apart
def advise_rows_by(records, weights, actions):
    """Ask the strongest rule player in every row what it would do by other weights (float64, as `Game.weights`)."""
    for i in range(len(records)):
        actions[i] = verbs.weighted_action(records[i], weights)


@compiled_apart
def value_rows(records, points, rewards):
    """Write every row's points and what they are worth."""
    for i in range(len(records)):
        write_rewards(records[i], points[i], verbs.score(records[i], points[i]), rewards[i])
