"""The generator that lives in a record: xoshiro128++ (Blackman and Vigna 2019), keyed by (match seed, stream).

All arithmetic stays below 2**63 in signed integers, so the same source gives the same bytes compiled and uncompiled.
`gen` is always an array of four uint32. A game gives each hand, turn or cycle a stream of its own, so that a changed
decision does not shift the chance of later ones.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.jit import compiled

MASK = 0xFFFFFFFF
NEXT_MATCH = 0xFFFFFFFF  # the stream that yields the seed of the following match


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
