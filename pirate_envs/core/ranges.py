"""What a record may hold: the range of every field, and the check that every record from outside passes.

Compiled code checks no bounds: a seat beyond the table would write beyond its arrays. So a game names the range of each of
its fields (RANGES, beside its FIELDS), and where ranges are not enough, what its fields must say of each other (the verb `flaw`).
A record of the engine's own is trusted; every other one is checked here, once, where it comes in.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.errors import RecordError
from pirate_envs.core.jit import compiled, entry_point, kernel
from pirate_envs.core.record import GAP, PLAYING, TRUNCATED
from pirate_envs.core.seats import NO_ONE

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

# -- how a range is written --------------------------------------------------------------------------------------------


class Of(NamedTuple):
    """A bound that is another field's value in the same record, and so much more."""

    field: str
    plus: int = 0


Range = tuple[int | Of, int | Of]
"""The lowest and the highest value of every cell of a field."""

OF_OPTIONS: Range = (0, -1)
"""Instead of a range: made from the options, and so the same in every record of a game with these options."""
FLAG: Range = (0, 1)
SEAT: Range = (0, Of("players", -1))
SEAT_OR_NO_ONE: Range = (NO_ONE, Of("players", -1))
WORD: Range = (0, 2**32 - 1)

HEADER_RANGES: Mapping[str, Range] = {
    "seed": WORD,
    "gen": WORD,
    "scale": OF_OPTIONS,
    "decisions": (0, 2**31 - 2),
    "players": OF_OPTIONS,
    "to_move": SEAT,
    "over": (PLAYING, TRUNCATED),
    "reward": OF_OPTIONS,
    "pay_as_scored": OF_OPTIONS,
}


class Use(IntEnum):
    """What a record is wanted for."""

    LOOK = 0
    """To be looked at: it may be redacted, or over."""
    PLAY = 1
    """To be played: not redacted."""
    PLAY_ON = 2
    """To be played in lockstep with others: not over either."""


# -- the check ---------------------------------------------------------------------------------------------------------

FINE, OTHER_OPTIONS, REDACTED, OVER = -1, 1 << 12, (1 << 12) + 1, (1 << 12) + 2  # what is wrong; below them: this field is
FLAWED = 1 << 13  # and from here on: this flaw less one
ROW_AT = 16  # bits of what is wrong, below the number of the row


@compiled
def _two(row, at):
    return np.int64(row[at]) | np.int64(row[at + 1]) << 8


@compiled
def _four(row, at):
    return _two(row, at) | _two(row, at + 2) << 16


@compiled
def _value(row, at, size, signed):
    """The integer of so many bytes at that place of a row of bytes."""
    if size == 1:
        number = np.int64(row[at])
    elif size == 2:
        number = _two(row, at)
    elif size == 4:
        number = _four(row, at)
    else:
        return _four(row, at) | _four(row, at + 4) << 32
    sign = 1 << (8 * size - 1)
    return (number ^ sign) - sign if signed else number


@compiled
def _bound(row, table, number, field):
    """A bound: a number, or so much more than the value of a field (its row of the table)."""
    if field < 0:
        return number
    return _value(row, table[field, 0], table[field, 1], table[field, 2] != 0) + number


@compiled
def _outside(row, table):
    """The number of the first field with a cell out of its range, or FINE."""
    for field in range(len(table)):
        at, size, signed, cells = table[field, 0], table[field, 1], table[field, 2] != 0, table[field, 3]
        low = _bound(row, table, table[field, 4], table[field, 5])
        high = _bound(row, table, table[field, 6], table[field, 7])
        outside = 0
        for cell in range(cells):
            value = _value(row, at + cell * size, size, signed)
            outside |= int(value < low) | int(value > high)
        if outside != 0:
            return field
    return FINE


@compiled
def _dealt_with(row, options, parts):
    """Are these parts of the row (start and stop of each) those of one of the option sets?"""
    for other in range(len(options)):
        alike = True
        for part in range(len(parts)):
            for at in range(parts[part, 0], parts[part, 1]):
                alike &= row[at] == options[other, at]
        if alike:
            return True
    return False


@compiled
def _fault(g, row, table, options, parts, use):
    """What is wrong with a record."""
    if not _dealt_with(row, options, parts):
        return OTHER_OPTIONS
    field = _outside(row, table)
    if field != FINE:
        return field
    redacted = g.gen[0] == 0 and g.gen[1] == 0 and g.gen[2] == 0 and g.gen[3] == 0
    if redacted and use != Use.LOOK:
        return REDACTED
    if g.over != PLAYING and use == Use.PLAY_ON:
        return OVER
    flaw = verbs.flaw(g, redacted)
    return FLAWED + flaw - 1 if flaw > 0 else FINE


@kernel
def first_fault(records, rows, table, options, parts, use):
    """What is wrong with the first record that cannot be, and from ROW_AT on its number; or FINE.

    `rows`: the records as bytes, uint8, (n, bytes each); `table`: int64, (fields, 8), see `Gate`; `options`: records that they
    may have been dealt with, as bytes; `parts`: int64, (k, 2).
    """
    for i in range(len(rows)):
        fault = _fault(records[i], rows[i], table, options, parts, use)
        if fault != FINE:
            return i << ROW_AT | fault
    return FINE


# -- a game's gate -----------------------------------------------------------------------------------------------------


def ranges_of(game: Game) -> dict[str, Range]:
    """The range of every field of the game's record, in its order. Raises TypeError, which names what is not declared."""
    of_options = dict.fromkeys((field[0] for field in type(game.options).record_fields()), OF_OPTIONS)
    declared = {**HEADER_RANGES, **of_options, **game.ranges}
    fields = game.state.fields or {}
    gaps = dict.fromkeys((name for name in fields if name.startswith(GAP)), (0, 0))
    missing = [name for name in fields if name not in declared and name not in gaps]
    if missing:
        raise TypeError(f"game {game.name!r} declares no range for {', '.join(missing)}; each needs a line in `ranges`")
    unknown = [name for name in game.ranges if name not in fields]
    if unknown:
        raise TypeError(f"game {game.name!r} declares a range for {', '.join(unknown)}, but its record has no such field")
    ranges = {name: {**declared, **gaps}[name] for name in fields}
    for name, bounds in ranges.items():
        if fields[name][0].base.kind not in "iu" and bounds != OF_OPTIONS:
            raise TypeError(f"game {game.name!r}: the field {name} has a range, but holds no integers")
    return ranges


class Gate:
    """The check of one game's records, made ready."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._ranges = ranges_of(game)
        fields = game.state.fields or {}
        self._names = [name for name in self._ranges if fields[name][0].base.kind in "iu"]
        self._table = np.array([self._row(name) for name in self._names], np.int64)
        of_options = [fields[name] for name, bounds in self._ranges.items() if bounds == OF_OPTIONS]
        self._parts = np.array([(at, at + kind.itemsize) for kind, at, *_ in of_options], np.int64).reshape(-1, 2)
        own = game.empty(1)
        self._options = _as_bytes(own)
        self._entry = entry_point(first_fault, own, self._options, self._table, self._options, self._parts, 0)

    def _row(self, name: str) -> tuple[int, ...]:
        """A field's row of the table: where it begins, bytes of a cell, is it signed, cells; each bound, and the field it is of."""
        kind, at = (self.game.state.fields or {})[name][:2]
        bounds: tuple[Any, ...] = self._ranges[name]
        if bounds == OF_OPTIONS:
            bounds = np.iinfo(kind.base).min, np.iinfo(kind.base).max
        numbers = [(bound.plus, self._names.index(bound.field)) if isinstance(bound, Of) else (bound, -1) for bound in bounds]
        return at, kind.base.itemsize, kind.base.kind == "i", kind.itemsize // kind.base.itemsize, *numbers[0], *numbers[1]

    def check(self, records: np.ndarray, use: Use, option_sets: np.ndarray | None = None) -> None:
        """See `check_records`."""
        if records.dtype != self.game.state:
            raise RecordError(f"the records are of another type; needed: records of {self.game.id}")
        records = np.require(records, requirements=["C", "A"])
        options = self._options if option_sets is None else np.concatenate([self._options, _as_bytes(option_sets)])
        fault = self._entry(records, _as_bytes(records), self._table, options, self._parts, int(use))
        if fault != FINE:
            raise RecordError(self._told(records, int(fault) >> ROW_AT, int(fault) & ((1 << ROW_AT) - 1), options))

    def check_one(self, g: Any, use: Use) -> None:
        """See `check_records`: for one record, without the cost of an array's ways."""
        if not isinstance(g, np.record) or (g.dtype is not self.game.state and g.dtype != self.game.state):
            raise RecordError(f"{type(g).__name__!r} object is no record of {self.game.id}; needed: one, as `new` makes")
        row = np.frombuffer(g, np.uint8)[None]  # type: ignore[call-overload]
        records = np.frombuffer(g, self.game.state)  # type: ignore[call-overload]
        fault = self._entry(records, row, self._table, self._options, self._parts, int(use))
        if fault != FINE:
            raise RecordError(self._told(records, 0, int(fault), self._options))

    def _told(self, records: np.ndarray, row: int, fault: int, options: np.ndarray) -> str:
        """What is wrong, in words: field, row, value and range."""
        g, where = records[row], f"in row {row}" if len(records) > 1 else "in the record"
        if fault == OTHER_OPTIONS:
            own = options[0].view(self.game.state)[0]
            others = [name for name, bounds in self._ranges.items() if bounds == OF_OPTIONS and not np.array_equal(g[name], own[name])]
            made = [f"{name}={g[name]}" for name in others if name != "option_cells" or len(others) == 1]
            return f"{where}: dealt with {', '.join(made)}; needed for {self.game.id}: {self.game.options}"
        if fault == REDACTED:
            return f"{where}: gen is all 0, the record is redacted; to be played on it has to be whole (`determinized`)"
        if fault == OVER:
            return f"over {where} is {int(g.over)}; allowed: {PLAYING}, a match that is being played"
        if fault >= FLAWED:
            return f"{self.game.flaws[fault - FLAWED]} ({where})"
        name = self._names[fault]
        low, high = (int(g[bound.field]) + bound.plus if isinstance(bound, Of) else bound for bound in self._ranges[name])
        cells = np.ravel(g[name])
        at = int(np.argmax((cells < low) | (cells > high)))
        cell = f"{name}[{', '.join(map(str, np.unravel_index(at, g[name].shape)))}]" if g[name].shape else name
        return f"{cell} {where} is {int(cells[at])}; allowed: {low} to {high}"


def check_records(game: Game, records: np.ndarray, use: Use = Use.LOOK, option_sets: np.ndarray | None = None) -> None:
    """Raise RecordError unless these records, shape (n,), may be the game's: of its type and options, every field in its range.

    `use` tells what they are wanted for; `option_sets`: records of other options that they may have been dealt with.
    """
    game.gate.check(records, use, option_sets)


def _as_bytes(records: np.ndarray) -> np.ndarray:
    """The records, contiguous, as uint8, shape (n, bytes each)."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)
