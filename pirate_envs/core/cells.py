"""Whole vectors of cells written at once: the rows of observations and masks, and the LLVM instructions that store them."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from pirate_envs.core.jit import compiled

WORD = 64


def _vector_at(context, builder, array_type, array, at, vector):
    """A pointer to the array's cell `at`, for loading or storing a vector."""
    data = context.make_array(array_type)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [at]), vector.as_pointer())


@intrinsic
def _write_eight(typing, cells, at, bits):
    def generate(context, builder, signature, arguments):
        lanes = builder.bitcast(builder.trunc(arguments[2], ir.IntType(8)), ir.VectorType(ir.IntType(1), 8))
        values = builder.uitofp(lanes, ir.VectorType(ir.FloatType(), 8))
        place = _vector_at(context, builder, signature.args[0], arguments[0], arguments[1], values.type)
        builder.store(values, place).align = 4
        return context.get_dummy_value()

    return types.void(cells, types.int64, types.int64), generate


def write_eight(cells, at, bits):
    """Write the lowest eight bits as zeros and ones into eight float32 cells, as one vector."""
    for i in range(8):
        cells[at + i] = (bits >> i) & 1


@overload(write_eight)
def _overload_write_eight(cells, at, bits):
    return lambda cells, at, bits: _write_eight(cells, at, bits)  # noqa: PLW0108


@intrinsic
def _write_bytes(typing, cells, at, word, scale):
    def generate(context, builder, signature, arguments):
        of_floats = ir.VectorType(ir.FloatType(), 8)
        values = builder.uitofp(builder.bitcast(arguments[2], ir.VectorType(ir.IntType(8), 8)), of_floats)
        if isinstance(scale, types.Array):
            start = context.get_constant(types.int64, 0)
            scales = builder.load(_vector_at(context, builder, signature.args[3], arguments[3], start, of_floats), align=4)
        else:
            scales = ir.Constant(of_floats, ir.Undefined)
            for lane in range(8):
                scales = builder.insert_element(scales, arguments[3], ir.Constant(ir.IntType(32), lane))
        place = _vector_at(context, builder, signature.args[0], arguments[0], arguments[1], of_floats)
        builder.store(builder.fmul(values, scales), place).align = 4
        return context.get_dummy_value()

    return types.void(cells, types.int64, types.int64, scale if isinstance(scale, types.Array) else types.float32), generate


def write_bytes(cells, at, word, scale):
    """Write the eight bytes of a non-negative integer into eight float32 cells, as one vector.

    Each is multiplied by `scale`: a float32, or an array of eight.
    """
    scales = np.broadcast_to(np.float32(scale), 8)
    for i in range(8):
        cells[at + i] = np.float32((word >> (8 * i)) & 255) * scales[i]


@overload(write_bytes)
def _overload_write_bytes(cells, at, word, scale):
    return lambda cells, at, word, scale: _write_bytes(cells, at, word, scale)  # noqa: PLW0108


@intrinsic(prefer_literal=True)
def _copy_cells(typing, cells, at, source, start, count):
    if not isinstance(count, types.IntegerLiteral):
        return None
    vector = ir.VectorType(ir.FloatType(), count.literal_value)

    def generate(context, builder, signature, arguments):
        place = _vector_at(context, builder, signature.args[2], arguments[2], arguments[3], vector)
        values = builder.load(place, align=4)
        place = _vector_at(context, builder, signature.args[0], arguments[0], arguments[1], vector)
        builder.store(values, place).align = 4
        return context.get_dummy_value()

    return types.void(cells, types.int64, source, types.int64, count), generate


def copy_cells(cells, at, source, start, count):
    """Copy `count` (a constant) cells as one vector; `source` is a float32 array, read as if it had one dimension."""
    cells[at : at + count] = source.reshape(-1)[start : start + count]


@overload(copy_cells, prefer_literal=True)
def _overload_copy_cells(cells, at, source, start, count):
    return lambda cells, at, source, start, count: _copy_cells(cells, at, source, start, count)  # noqa: PLW0108


@compiled
def write_bits(bits, count, cells):
    """Write the lowest `count` bits (a multiple of eight) as zeros and ones."""
    for at in range(0, count, 8):
        write_eight(cells, at, bits >> at)


@intrinsic
def _write_nibbles(typing, cells, at, word, scale):
    def generate(context, builder, signature, arguments):
        of_bytes, of_floats = ir.VectorType(ir.IntType(8), 8), ir.VectorType(ir.FloatType(), 16)
        pairs = builder.bitcast(arguments[2], of_bytes)
        fours = ir.Constant(of_bytes, [4] * 8)
        low = builder.and_(pairs, ir.Constant(of_bytes, [15] * 8))
        order = ir.Constant(ir.VectorType(ir.IntType(32), 16), [i // 2 + 8 * (i % 2) for i in range(16)])
        nibbles = builder.uitofp(builder.shuffle_vector(low, builder.lshr(pairs, fours), order), of_floats)
        one = builder.insert_element(ir.Constant(of_floats, ir.Undefined), arguments[3], ir.Constant(ir.IntType(32), 0))
        every = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), 16), [0] * 16))
        place = _vector_at(context, builder, signature.args[0], arguments[0], arguments[1], of_floats)
        builder.store(builder.fmul(nibbles, every), place).align = 4
        return context.get_dummy_value()

    return types.void(cells, types.int64, types.int64, types.float32), generate


def write_nibbles(cells, at, word, scale):
    """Write the sixteen groups of four bits of a word, times `scale` (float32), into sixteen cells, as one vector."""
    for i in range(16):
        cells[at + i] = np.float32((word >> (4 * i)) & 15) * scale


@overload(write_nibbles)
def _overload_write_nibbles(cells, at, word, scale):
    return lambda cells, at, word, scale: _write_nibbles(cells, at, word, scale)  # noqa: PLW0108


_EXPANDED = (np.arange(256, dtype=np.uint8)[:, None] >> np.arange(8, dtype=np.uint8) & 1).astype(np.uint8).view("<u8")[:, 0]


@intrinsic
def _write_word(typing, groups, at, word):
    def generate(context, builder, signature, arguments):
        values = builder.zext(
            builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), WORD)), ir.VectorType(ir.IntType(8), WORD)
        )
        place = _vector_at(context, builder, signature.args[0], arguments[0], arguments[1], values.type)
        builder.store(values, place).align = 8
        return context.get_dummy_value()

    return types.void(groups, types.int64, types.uint64), generate


def write_word(groups, at, word):
    """Write the 64 bits of a word as bytes 0 and 1 into eight groups, as one vector."""
    for i in range(8):
        groups[at + i] = _EXPANDED[(word >> np.uint64(8 * i)) & np.uint64(255)]


@overload(write_word)
def _overload_write_word(groups, at, word):
    return lambda groups, at, word: _write_word(groups, at, word)  # noqa: PLW0108


@compiled
def expand(words, groups):
    """Write legal actions, given as words, as bytes 0 and 1; `groups` is the byte row seen as uint64, eight actions each."""
    whole = min(len(groups) >> 3, len(words))
    for i in range(whole):
        write_word(groups, 8 * i, words[i])
    for i in range(8 * whole, min(len(groups), 8 * len(words))):
        groups[i] = _EXPANDED[(words[i >> 3] >> np.uint64((i & 7) << 3)) & np.uint64(255)]
