"""What a record may hold: the range of every field, and the check that every record from outside passes.

Compiled code checks no bounds: a seat beyond the table would write beyond its arrays. So a game names the range of each of its
fields (RANGES, beside its FIELDS), and where ranges are not enough, what its fields must say of each other (the verb `flaw`). A
record of the engine's own is trusted; every other one is checked here, where it comes in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

MOST_DECISIONS = 2**31 - 2  # in a record that is looked at
MOST_PLAYED = 2**30  # in one that is played on: it never comes to the other

HEADER_RANGES: Mapping[str, Range] = {
    "seed": WORD,
    "gen": WORD,
    "scale": OF_OPTIONS,
    "decisions": (0, MOST_DECISIONS),
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

FINE, OUT_OF_RANGE, REDACTED, OVER, NOT_ITS_OWN, SPENT, FLAWED = -1, 0, 1, 2, 3, 4, 5  # what is wrong; FLAWED and on: that flaw
ANY, MOVER = -1, -2  # in place of a seat that is asked about
PLAIN_ARRAYS = (np.ndarray, np.memmap, np.recarray)  # others may hide rows, as masked arrays do, or have shapes of their own
NOWHERE = [8, 0, 0]  # a place whose value is 0, as its mask is
FAULTS = 1 << 8  # a fault is told as this times the row, and what is wrong


@compiled
def _eight(row, at):
    """Eight bytes as an integer, in one expression: one load."""
    low = np.int64(row[at]) | np.int64(row[at + 1]) << 8 | np.int64(row[at + 2]) << 16 | np.int64(row[at + 3]) << 24
    high = np.int64(row[at + 4]) | np.int64(row[at + 5]) << 8 | np.int64(row[at + 6]) << 16 | np.int64(row[at + 7]) << 24
    return low | high << 32


@compiled
def _value(row, end, spare, mask):
    """The integer that ends right before that place of a row of bytes: the high end of the eight there (see `_place`)."""
    return _eight(row, (end - 8) & 0xFFFF) >> spare & mask  # the `&` tells the compiler that it is not negative


@compiled
def _bytes_fit(row, lowest, spans):
    """Is every byte, less its lowest value, within its span? One comparison for all bytes, many at a time."""
    outside = False
    for at in range(len(spans)):
        outside |= ((np.int64(row[at]) - np.int64(lowest[at])) & 255) > np.int64(spans[at])
    return not outside


@compiled
def _cells_fit(row, cells):
    """Is each of the cells whose bytes do not tell in its range?"""
    outside = False
    for i in range(len(cells)):
        value = _value(row, cells[i, 0], cells[i, 1], cells[i, 2])
        outside |= (value < cells[i, 3]) | (value > cells[i, 4])
    return not outside


@compiled
def _counted_fit(row, counted):
    """Is each of the cells in its range that has a bound which is another field's value and so much more?"""
    outside = False
    for i in range(len(counted)):
        value = _value(row, counted[i, 0], counted[i, 1], counted[i, 2])
        low = counted[i, 3] + _value(row, counted[i, 5], counted[i, 6], counted[i, 7])
        high = counted[i, 4] + _value(row, counted[i, 8], counted[i, 9], counted[i, 10])
        outside |= (value < low) | (value > high)
    return not outside


@compiled
def _in_ranges(row, bounds):
    """Is every field in its range, and are the options one of the sets?"""
    for other in range(len(bounds.lowest)):
        if _bytes_fit(row, bounds.lowest[other], bounds.spans[other]):
            return _cells_fit(row, bounds.cells) and _counted_fit(row, bounds.counted)
    return False


@compiled
def _fault(g, row, bounds, use, seat):
    """What is wrong with a record, or FINE."""
    if not _in_ranges(row, bounds):
        return OUT_OF_RANGE
    redacted = g.gen[0] == 0 and g.gen[1] == 0 and g.gen[2] == 0 and g.gen[3] == 0
    if redacted and use != Use.LOOK:
        return REDACTED
    if g.over != PLAYING and use == Use.PLAY_ON:
        return OVER
    if g.over == PLAYING and use != Use.LOOK and g.decisions > MOST_PLAYED:
        return SPENT
    flaw = verbs.flaw(g, redacted)
    if flaw > 0:
        return FLAWED + flaw - 1
    asked = int(g.to_move) if seat == MOVER and g.over == PLAYING else seat
    return NOT_ITS_OWN if redacted and asked >= 0 and not verbs.knows(g, asked) else FINE


@kernel
def first_fault(records, rows, bounds, use, seat):
    """The first record that cannot be, as FAULTS times its number and what is wrong with it; or FINE.

    `rows`: the records as bytes, uint8, (n, bytes each); `bounds`: Bounds; `seat`: that is asked about, ANY or MOVER.
    """
    for i in range(len(rows)):
        fault = _fault(records[i], rows[i], bounds, use, seat)
        if fault != FINE:
            return i * FAULTS + fault
    return FINE


# -- a game's gate -----------------------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """The ranges of a game's record as the compiled check takes them.

    Most fields are bytes, whose bounds are numbers or made from options: they are told by the byte, many at a time.
    """

    lowest: np.ndarray
    """The lowest value of every byte of a record, uint8, shape (option sets, bytes): the options themselves in theirs."""
    spans: np.ndarray
    """How much more each may be, uint8, likewise: 255 where bytes do not tell."""
    cells: np.ndarray
    """Other cells, int64, shape (n, 5): their place (see `Gate._place`), the lowest and the highest value."""
    counted: np.ndarray
    """Other cells whose bounds are counted from fields, int64, shape (m, 11): likewise, and the places of these fields."""


def ranges_of(game: Game) -> dict[str, Range]:
    """The range of every field of the game's record, in its order. Raises TypeError, which names what is not declared."""
    of_options = dict.fromkeys((field[0] for field in type(game.options).record_fields()), OF_OPTIONS)
    declared = {**HEADER_RANGES, **of_options, **game.ranges}
    fields: Mapping[str, Any] = game.state.fields or {}
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
        self._fields = {name: (kind, at) for name, (kind, at, *_) in (game.state.fields or {}).items()}
        self._own = game.empty(1)
        others = [name for name in self._ranges if not self._told_by_bytes(name) and not self._is_free(name)]
        rows = [row for name in others for row in self._rows(name)]
        cells = np.array([row for row in rows if len(row) == 5], np.int64).reshape(-1, 5)
        counted = np.array([row for row in rows if len(row) > 5], np.int64).reshape(-1, 11)
        self._bounds = Bounds(*self._by_byte(self._own), cells, counted)
        self._entry = entry_point(first_fault, self._own, _as_bytes(self._own), self._bounds, 0, ANY)

    def _told_by_bytes(self, name: str) -> bool:
        """Whether the range of a field is one of its bytes: an option's are, numbers of one byte by numbers or options, and
        those of so many bits.
        """
        bounds = self._ranges[name]
        if any(isinstance(bound, Of) and self._ranges[bound.field] != OF_OPTIONS for bound in bounds):
            return False
        if bounds == OF_OPTIONS or self._fields[name][0].base.itemsize == 1:
            return True
        low, high = bounds
        return low == 0 and not isinstance(high, Of) and high & (high + 1) == 0  # the same whatever the options

    def _is_free(self, name: str) -> bool:
        """Whether the field may hold whatever its type does."""
        limits = np.iinfo(self._fields[name][0].base)
        return self._ranges[name] == (limits.min, limits.max)

    def _place(self, name: str, cell: int = 0) -> tuple[int, int, int]:
        """Where a cell ends, the bits of the eight bytes up to there that are not its own, and a mask for numbers without sign.

        No cell ends before the eighth byte: a record begins with its seed.
        """
        kind, at = self._fields[name]
        bits = 8 * kind.base.itemsize
        mask = -1 if kind.base.kind == "i" or bits == 64 else (1 << bits) - 1
        return at + (cell + 1) * kind.base.itemsize, 64 - bits, mask

    def _rows(self, name: str) -> Iterator[tuple[int, ...]]:
        """A field's rows of `cells` or, if a bound is counted from a field, of `counted` of Bounds."""
        kind = self._fields[name][0]
        ends: list[int] = []
        fields: list[int] = []
        for bound in self._ranges[name]:
            ends.append(bound.plus if isinstance(bound, Of) else bound)
            fields += self._place(bound.field) if isinstance(bound, Of) else NOWHERE
        for cell in range(kind.itemsize // kind.base.itemsize):
            yield *self._place(name, cell), *ends, *(fields if fields != 2 * NOWHERE else ())

    def _by_byte(self, option_sets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`lowest` and `spans` of Bounds, from a record with each set of options."""
        lowest = _as_bytes(option_sets).copy()
        spans = np.full_like(lowest, 255)
        for name in filter(self._told_by_bytes, self._ranges):
            kind, at = self._fields[name]
            cells = slice(at, at + kind.itemsize)
            spans[:, cells] = 0
            if self._ranges[name] != OF_OPTIONS:
                for row, g in enumerate(option_sets):
                    low, high = self._ends(name, g)
                    span = np.frombuffer((high - low).to_bytes(kind.base.itemsize, "little"), np.uint8)
                    lowest[row, cells], spans[row, cells] = low % 256, np.tile(span, kind.itemsize // kind.base.itemsize)
        return lowest, spans

    def _ends(self, name: str, g: np.record) -> tuple[int, int]:
        """The range of a field in that record."""
        low, high = (int(g[bound.field]) + bound.plus if isinstance(bound, Of) else bound for bound in self._ranges[name])
        return low, high

    def check(self, records: np.ndarray, use: Use, option_sets: np.ndarray | None = None, seat: int = ANY) -> None:
        """See `check_records`."""
        if type(records) not in PLAIN_ARRAYS or records.dtype != self.game.state or records.ndim != 1:
            raise RecordError(f"no row of records of {self.game.id} is {type(records).__name__!r} of another type or shape")
        records = np.require(records, requirements=["C", "A"]).view(self.game.state, np.ndarray)
        bounds, sets = self._bounds, self._own
        if option_sets is not None and len(option_sets):
            sets = np.concatenate([self._own, option_sets])
            lowest, spans = self._by_byte(sets)
            bounds = bounds._replace(lowest=lowest, spans=spans)
        fault = int(self._entry(records, _as_bytes(records), bounds, int(use), seat))
        if fault != FINE:
            row, fault = divmod(fault, FAULTS)
            raise RecordError(self._told(records[row], f"in row {row}", fault, sets))

    def check_one(self, g: Any, use: Use, seat: int = ANY) -> None:
        """See `check_records`: for one record, without an array's checks, and with what this seat holds in it."""
        if not isinstance(g, np.record) or (g.dtype is not self.game.state and g.dtype != self.game.state):
            raise RecordError(f"no record of {self.game.id} is {type(g).__name__!r} of another type; needed: as `new` makes")
        row = np.frombuffer(g, np.uint8)[None]  # type: ignore[call-overload]
        fault = int(self._entry(np.frombuffer(g, self.game.state), row, self._bounds, int(use), seat))  # type: ignore[call-overload]
        if fault != FINE:
            raise RecordError(self._told(g, "in the record", fault, self._own))

    def _told(self, g: np.record, where: str, fault: int, option_sets: np.ndarray) -> str:
        """What is wrong, in words: field, row, value and range."""
        if fault == REDACTED:
            return f"gen {where} is all 0: the record is redacted; to be played on it has to be whole (see `determinized`)"
        if fault == OVER:
            return f"over {where} is {int(g.over)}; allowed: {PLAYING}, a match that is being played"
        if fault == NOT_ITS_OWN:
            return f"gen {where} is all 0: the record is redacted, and for another seat: it lacks what this one holds"
        if fault == SPENT:
            return f"decisions {where} is {int(g.decisions)}; allowed: 0 to {MOST_PLAYED} in a match that is played on"
        if fault >= FLAWED:
            field, _, what = self.game.flaws[fault - FLAWED].partition(": ")
            return f"{field} {where}: {what}"
        names = [name for name, bounds in self._ranges.items() if bounds == OF_OPTIONS]
        strange = [[name for name in names if g[name].tobytes() != own[name].tobytes()] for own in option_sets]
        if all(strange):
            made = [f"{name}={g[name]}" for name in strange[0] if name != "option_cells" or len(strange[0]) == 1]
            return f"options {where}: dealt with {', '.join(made)}; needed for {self.game.id}: {self.game.options}"
        return next(filter(None, (self._outside(g, name, where) for name in self._ranges if name not in names)))

    def _outside(self, g: np.record, name: str, where: str) -> str:
        """The first cell of a field that is out of its range, in words; or nothing."""
        cells, (low, high) = np.asarray(g[name]), self._ends(name, g)
        for at, value in np.ndenumerate(cells):
            if not low <= value <= high:
                cell = f"{name}[{', '.join(map(str, at))}]" if at else name
                return f"{cell} {where} is {int(value)}; allowed: {low} to {high}"
        return ""


def check_records(
    game: Game, records: np.ndarray, use: Use = Use.LOOK, option_sets: np.ndarray | None = None, seat: int = ANY
) -> None:
    """Raise RecordError unless these records, shape (n,), may be the game's.

    They are of its type and dealt with its options, every field is in its range, and the game finds no flaw in them.
    `use` tells what they are wanted for; `option_sets`: records of other options that they may have been dealt with; `seat`:
    what this seat holds (MOVER: each one's to move) has to be in them, which records redacted for another one lack.
    """
    game.gate.check(records, use, option_sets, seat)


def _as_bytes(records: np.ndarray) -> np.ndarray:
    """The records, contiguous, as uint8, shape (n, bytes each)."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)
