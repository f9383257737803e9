"""The generator that lives in a record: xoshiro128++ (Blackman and Vigna 2019), keyed by (match seed, stream).

All arithmetic stays below 2**63 in signed integers, so the same source gives the same bytes compiled and uncompiled.
`gen` is always an array of four uint32. A game gives each hand, turn or cycle a stream of its own, so that a changed
decision does not shift the chance of later ones.
"""

from __future__ import annotations

import operator
from enum import IntEnum

import numpy as np

from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.jit import compiled

MASK = 0xFFFFFFFF
BRANCHES = 64  # room below a stream for others of its kind
FIRST_RESERVED = 0xFFFF0000  # a game's own streams (hands, turns, cycles) lie below


class Stream(IntEnum):
    """Every stream of a seed that is no game's own. A stream that branches owns BRANCHES numbers from its own downward."""

    NEXT_MATCH = 0xFFFFFFFF
    """The seed of the following match."""
    UNIFORM_ACTIONS = 0xFFFFFFFE
    """A batch lane's own uniform choices."""
    LANE = 0xFFFFFFFD
    """Seats, opponents and uniform actions of a lane; branches by the rotation of a duplicate deal."""
    WORLD = 0xFFFFFF00
    """A search's imagined worlds; branches by use."""
    POSITION = 0xFFFFFE00
    """What a view leaves out."""
    IMAGINED = 0xFFFFFD00
    """A determinized world."""


BRANCHING = (Stream.LANE, Stream.WORLD)


def streams() -> dict[str, range]:
    """The numbers that each stream owns, by its name."""
    return {each.name: range(each - (BRANCHES if each in BRANCHING else 1) + 1, each + 1) for each in Stream}


def seed_words(seed: int) -> tuple[int, int]:
    """Low and high word of a match seed. Raises OptionError unless it is an integer in 0..2**64-1."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < 2**64:
        raise OptionError(f"seed is {shown(seed)}; allowed: an integer from 0 to 2**64 - 1")
    return number & MASK, number >> 32


@compiled
def branch(stream, number):
    """The number of a branch of LANE or WORLD, 0 <= number < BRANCHES; branch 0 is the stream itself."""
    return stream - number


@compiled
def mix(x):
    """A bijection of 32-bit words that spreads every input bit (Wellons' hash prospector, two rounds)."""
    x ^= x >> 16
    x = (x * 0x21F0AAAD) & MASK
    x ^= x >> 15
    x = (x * 0x735A2D97) & MASK
    return x ^ (x >> 15)


@compiled
def key(gen, low, high, stream):
    """Start `gen` at the beginning of `stream` of the 64-bit seed (low, high): distinct inputs, distinct states."""
    a = mix((low + 0x9E3779B9) & MASK)
    b = mix((high + a) & MASK)
    c = mix((stream + b) & MASK)
    gen[0] = a
    gen[1] = b
    gen[2] = c
    gen[3] = mix((c + a + 0x85EBCA6B) & MASK) | 1


@compiled
def next32(gen):
    """32 random bits."""
    a = np.int64(gen[0])
    b = np.int64(gen[1])
    c = np.int64(gen[2])
    d = np.int64(gen[3])
    total = (a + d) & MASK
    result = ((((total << 7) & MASK) | (total >> 25)) + a) & MASK
    shifted = (b << 9) & MASK
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    gen[0] = a
    gen[1] = b
    gen[2] = c
    gen[3] = ((d << 11) & MASK) | (d >> 21)
    return result


@compiled
def below(gen, n):
    """Uniform in 0..n-1, exactly (Lemire 2019); 1 <= n < 2**31."""
    product = next32(gen) * n
    low = product & MASK
    if low < n:
        threshold = (MASK + 1 - n) % n
        while low < threshold:
            product = next32(gen) * n
            low = product & MASK
    return product >> 32


@compiled
def bring_forward(gen, items, count, wanted):
    """Put a random choice of items[:count], in random order, into items[:wanted] (Fisher and Yates)."""
    for i in range(min(wanted, count - 1)):
        j = i + below(gen, count - i)
        items[i], items[j] = items[j], items[i]


@compiled
def shuffle(gen, items, count):
    """Shuffle items[:count] in place."""
    bring_forward(gen, items, count, count)


@compiled
def forget_chance(g):
    """Blank a record's generator and seed: nobody may know what is to come."""
    for i in range(4):
        g.gen[i] = 0
    g.seed[0] = 0
    g.seed[1] = 0
