"""The record: one NumPy row that holds all state of a match."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from pirate_envs.core.options import Options

PLAYING, FINISHED, TRUNCATED = 0, 1, 2  # what a record's `over` holds; truncated: cut off by the bound on its length
MOST_RECORDS = 1 << 31  # in one array
GAP = "gap_"  # begins the names of fields that fill gaps; they hold zeros

HEADER = [
    ("seed", np.uint32, (2,)),  # low, high word of the match seed
    ("gen", np.uint32, (4,)),  # the generator, keyed from the seed
    ("scale", np.float32),  # points that make a reward of 1
    ("decisions", np.int32),  # made so far in this match
    ("players", np.int8),
    ("to_move", np.int8),  # the seat to decide; meaningless after the end
    ("over", np.int8),  # PLAYING, FINISHED or TRUNCATED
    ("reward", np.int8),  # index into core.options.REWARDS
    ("pay_as_scored", np.int8),
]


def record_type(fields: Sequence[tuple[Any, ...]], options: type[Options] | None = None) -> np.dtype:
    """The dtype of a game's record: the header that every game shares, the game's own fields, then those of its options.

    Aligned, with every gap a field of its own, so that equal records are equal bytes.
    """
    known = {field[0] for field in (*HEADER, *fields)}  # `players` is in the header
    of_options = [field for field in (options.record_fields() if options else ()) if field[0] not in known]
    fields = [*HEADER, *fields, *of_options]
    aligned = np.dtype(fields, align=True)
    filled: list[tuple[Any, ...]] = []
    end = 0
    for field in fields:
        offset = aligned.fields[field[0]][1]  # type: ignore[index]
        if offset > end:
            filled.append((f"{GAP}{end}", np.uint8, (offset - end,)))
        filled.append(field)
        end = offset + aligned.fields[field[0]][0].itemsize  # type: ignore[index]
    if aligned.itemsize > end:
        filled.append((f"{GAP}{end}", np.uint8, (aligned.itemsize - end,)))
    return np.dtype((np.record, np.dtype(filled, align=True)))


def plain(g: np.record) -> Any:
    """The record's fields by name, as Python's own numbers and lists: many times as quick to read, for what reads them all."""
    values = zip(g.dtype.names or (), g.item(), strict=True)
    return SimpleNamespace(**{name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values})
