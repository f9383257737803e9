"""Arrays where the processor likes them: rows that begin at a cache line, in huge pages where there are many.

Two threads that write to one cache line wait for each other, though each has bytes of its own there.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from pirate_envs.core.errors import BatchError

CACHE_LINE, HUGE_PAGE = 64, 1 << 21  # bytes


@contextmanager
def room_for(name: str, size: int) -> Iterator[None]:
    """Where there is no memory for what is made within, for so many matches, that is a BatchError."""
    try:
        yield
    except MemoryError as error:
        asked = str(error).partition(" for an array")[0]  # NumPy goes on with the whole record's type
        told = f" ({asked})" if asked else ""
        raise BatchError(f"{name} is {size}: more than the memory holds{told}; allowed: fewer") from error


def aligned_rows(count: int, width: int, dtype: Any) -> np.ndarray:
    """Zeros, `count` rows of at least `width`, each beginning at a cache line: stores that straddle lines cost twice."""
    size = np.dtype(dtype).itemsize
    padded = -(-width * size // CACHE_LINE) * CACHE_LINE
    return memory(count * padded).view(dtype).reshape(count, padded // size)


def zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros that begin at a cache line."""
    return memory(prod(shape) * np.dtype(dtype).itemsize).view(dtype).reshape(shape)


def memory(size: int) -> np.ndarray:
    """`size` zero bytes that begin at a cache line, in huge pages where the system has them.

    A step walks through all of a batch's memory: in small pages that is more of them than the processor remembers. Raises
    MemoryError that tells how many were asked for.
    """
    if size < HUGE_PAGE // 8 or not hasattr(mmap, "MADV_HUGEPAGE"):
        raw = np.zeros(size + CACHE_LINE, np.uint8)
        start = -raw.ctypes.data % CACHE_LINE
    else:
        pages = _pages((size // HUGE_PAGE + 2) * HUGE_PAGE)
        pages.madvise(mmap.MADV_HUGEPAGE)
        raw = np.frombuffer(pages, np.uint8)
        start = -raw.ctypes.data % HUGE_PAGE
    return raw[start : start + size]


def _pages(size: int) -> mmap.mmap:
    try:
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"Unable to allocate {size} bytes: {error}") from None
