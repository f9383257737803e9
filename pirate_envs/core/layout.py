"""Layout: the named pieces of an observation vector, written once; offsets, bounds, views and tables come from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Piece:
    """One named part of an observation: `shape` float32 cells within [low, high]."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    low: float = 0.0
    high: float = 1.0
    private: bool = False
    """Whether other seats cannot see it: what a critic that sees all hands is shown of them."""

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Layout:
    """The pieces in order.

    >>> layout = Layout(Piece("hand", (3,), "cards held"), Piece("scores", (2,), "points / 100", -1, 1))
    >>> layout.size, layout.offset("scores")
    (5, 3)
    """

    def __init__(self, *pieces: Piece) -> None:
        self.pieces = pieces
        self._slices: dict[str, slice] = {}
        start = 0
        for piece in pieces:
            if piece.name in self._slices:
                raise ValueError(f"observation piece {piece.name!r} is named twice")
            self._slices[piece.name] = slice(start, start + piece.size)
            start += piece.size
        self.size = start

    def __iter__(self) -> Iterator[Piece]:
        return iter(self.pieces)

    def offset(self, name: str) -> int:
        """Index of the piece's first cell."""
        return self._slices[name].start

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Views of `observation` (float32, shape (..., size)) by piece name, each (..., *piece.shape)."""
        lead = observation.shape[:-1]
        return {piece.name: observation[..., self._slices[piece.name]].reshape(lead + piece.shape) for piece in self.pieces}

    @property
    def private(self) -> np.ndarray:
        """Indices of the cells of all private pieces, int64."""
        cells = [np.arange(self.size)[self._slices[piece.name]] for piece in self.pieces if piece.private]
        return np.concatenate([np.zeros(0, np.int64), *cells])

    @property
    def low(self) -> np.ndarray:
        """Lower bound of every cell, float32, shape (size,)."""
        return np.repeat([piece.low for piece in self.pieces], [piece.size for piece in self.pieces]).astype(np.float32)

    @property
    def high(self) -> np.ndarray:
        """Upper bound of every cell, float32, shape (size,)."""
        return np.repeat([piece.high for piece in self.pieces], [piece.size for piece in self.pieces]).astype(np.float32)

    def table(self) -> list[tuple[str, str, str, str]]:
        """Rows (cells, name, bounds, meaning) for documentation."""
        rows = []
        for piece in self.pieces:
            where = self._slices[piece.name]
            cells = f"{where.start}" if piece.size == 1 else f"{where.start}-{where.stop - 1}"
            rows.append((cells, piece.name, f"{piece.low:g}..{piece.high:g}", piece.meaning))
        return rows
