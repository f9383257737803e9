"""Sets of small integers as bits: legal actions as 64-bit words, cards as bits of one integer.

`words` are legal actions as an array of uint64, action a being bit a % 64 of word a // 64; `cells.expand` writes them as bytes.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from pirate_envs.core.jit import compiled
from pirate_envs.core.rng import below

ONE = np.uint64(1)
WORD = 64


def words_for(actions: int) -> int:
    """How many 64-bit words hold a bit for each of this many actions."""
    return -(-actions // WORD)


def padded_bytes(actions: int) -> int:
    """Bytes of one row of an action mask: whole groups of eight."""
    return -(-actions // 8) * 8


def popcount(x):
    """Number of set bits of a non-negative integer."""
    return int(x).bit_count()


def lowest_bit(x):
    """Position of the lowest set bit of a positive integer."""
    x = int(x)
    return (x & -x).bit_length() - 1


@intrinsic
def _popcount(typing, x):
    def generate(context, builder, signature, arguments):
        return context.cast(builder, builder.ctpop(arguments[0]), x, types.int64)

    return (types.int64(x), generate) if isinstance(x, types.Integer) else None


@intrinsic
def _lowest_bit(typing, x):
    def generate(context, builder, signature, arguments):
        count = builder.cttz(arguments[0], context.get_constant(types.boolean, True))
        return context.cast(builder, count, x, types.int64)

    return (types.int64(x), generate) if isinstance(x, types.Integer) else None


@overload(popcount)
def _overload_popcount(x):
    return lambda x: _popcount(x)  # noqa: PLW0108  (Numba wants a function)


@overload(lowest_bit)
def _overload_lowest_bit(x):
    return lambda x: _lowest_bit(x)  # noqa: PLW0108


def listed(words: np.ndarray) -> list[int]:
    """The legal actions, ascending."""
    in_order = words.astype("<u8", copy=False).view(np.uint8)  # the lowest bits first
    return np.flatnonzero(np.unpackbits(in_order, bitorder="little")).tolist()


BYTES = 0x0101010101010101  # times a byte: that byte in all eight places
PAIRS, FOURS, EIGHTS, TOPS = (np.uint64(byte * BYTES) for byte in (0x55, 0x33, 0x0F, 0x80))
_SET_BITS = [[at for at in range(8) if byte >> at & 1] for byte in range(256)]
_IN_BYTE = np.array([at for bits in _SET_BITS for at in (bits + [0] * 8)[:8]], np.int8)  # 8 * byte + rank: that set bit


@compiled
def nth_bit(word, rank):
    """Position of the rank-th (from 0) set bit of a uint64 that has more than that; no branches, few steps (Vigna 2008)."""
    sums = word - ((word >> np.uint64(1)) & PAIRS)
    sums = (sums & FOURS) + ((sums >> np.uint64(2)) & FOURS)
    sums = (sums + (sums >> np.uint64(4))) & EIGHTS
    for width in (8, 16, 32):
        sums += sums << np.uint64(width)  # in the end each byte holds the number of bits in itself and all lower bytes
    passed = ((np.uint64(rank * BYTES) | TOPS) - sums) & TOPS  # one bit for each byte that holds rank bits or fewer
    at = np.uint64(8 * popcount(passed))
    left = np.uint64(rank) - (((sums << np.uint64(8)) >> at) & np.uint64(255))
    return np.int64(at) + _IN_BYTE[(((word >> at) & np.uint64(255)) << np.uint64(3)) + left]


@compiled
def clear(words):
    """Leave no action legal."""
    for i in range(len(words)):
        words[i] = np.uint64(0)


@compiled
def allow(words, action):
    """Make one action legal."""
    words[action >> 6] |= ONE << np.uint64(action & 63)


@compiled
def allows(words, action):
    """Is the action legal? 0 <= action < 64 * len(words)."""
    return (words[action >> 6] >> np.uint64(action & 63)) & ONE == ONE


@compiled
def count(words):
    """Number of legal actions."""
    total = popcount(words[0])
    for i in range(1, len(words)):
        total += popcount(words[i])
    return total


@compiled
def draw(words, gen):
    """One legal action, each with the same chance; there must be one."""
    return draw_of(words, count(words), gen)


@compiled
def draw_of(words, total, gen):
    """One of the `total` legal actions, each with the same chance."""
    rank = below(gen, total)
    at = np.int64(0)
    word = words[0]
    for i in range(1, len(words)):
        before = popcount(word)
        later = rank >= before
        rank = rank - before if later else rank
        at = i * WORD if later else at
        word = words[i] if later else word
    return at + nth_bit(word, rank)
