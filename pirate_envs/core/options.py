"""Game options: frozen dataclasses whose fields say what they allow, checked with errors that say so.

From a field come its check, its line in the documentation, its field in the record and, with `cells`, what the observation
shows of it: an option is written down once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.files import parse_json

REWARDS = ("win", "score", "margin")


@dataclass(frozen=True)
class Cells:
    """What an observation shows of an option: `count` cells, `of(value)` their numbers, `text` their meaning."""

    text: str
    of: Callable[[Any], Sequence[float]]
    count: int = 1


def as_share(of: float, text: str) -> Cells:
    """A number, or a bool, divided by `of`."""
    return Cells(text, lambda value: [float(value) / of])


def is_choice(choice: str, text: str) -> Cells:
    """1 for this choice, 0 for the others."""
    return Cells(text, lambda value: [float(value == choice)])


def one_hot(low: int, high: int, text: str) -> Cells:
    """A cell for each number from low to high."""
    return Cells(text, lambda value: [float(value == number) for number in range(low, high + 1)], high - low + 1)


def option(
    default: Any,
    meaning: str,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[str, ...] = (),
    cells: Cells | None = None,
    recorded: bool = True,
) -> Any:
    """A dataclass field for an option: an integer in low..high, one of `choices`, or a bool (by its default).

    `cells`: what the observation shows of it. `recorded`: whether the record has a field of its name for the rules to read.
    """
    metadata = {"meaning": meaning, "low": low, "high": high, "choices": choices, "cells": cells, "recorded": recorded}
    return dataclasses.field(default=default, metadata=metadata)


def counts_option(
    meaning: str,
    names: Sequence[object],
    *,
    each: int | None = None,
    total: tuple[int, int] | None = None,
    cells: Cells | None = None,
) -> Any:
    """A field for a mapping from these names to counts; None: the usual ones.

    `each`: the most of one name; `total`: fewest and most in all. (No part of a hash: a mapping has none.)
    """
    limits = [f"0 to {each} each"] if each is not None else []
    if total is not None:
        limits.append(f"{total[0] if total[0] == total[1] else f'{total[0]} to {total[1]}'} in all")
    allowed = f"None, or counts by name, {', '.join(limits)}; names: {', '.join(map(str, names))}"
    metadata = {
        "meaning": meaning, "counts": tuple(map(str, names)), "each": each, "total": total, "allowed": allowed, "cells": cells,
    }  # fmt: skip
    return dataclasses.field(default=None, hash=False, metadata=metadata)


def checked_counts(field: dataclasses.Field[Any], given: Any) -> dict[str, int]:
    """A counts option's mapping with its names as text and its counts as ints. Raises OptionError."""
    names, allowed = field.metadata["counts"], field.metadata["allowed"]
    each, total = field.metadata["each"], field.metadata["total"]
    if not isinstance(given, Mapping):
        raise OptionError(f"option {field.name!r} is {shown(given)}; allowed: {allowed}")
    counts: dict[str, int] = {}
    for name, count in given.items():
        if isinstance(name, bool) or str(name) not in names or str(name) in counts:
            raise OptionError(f"option {field.name!r} names {shown(name)}; allowed: {allowed}")
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        if not whole or count < 0 or (each is not None and count > each):
            raise OptionError(f"option {field.name!r} has {shown(count)} of {name}; allowed: {allowed}")
        counts[str(name)] = int(count)
    if total is not None and not total[0] <= sum(counts.values()) <= total[1]:
        raise OptionError(f"option {field.name!r} has {shown(sum(counts.values()))} in all; allowed: {allowed}")
    return counts


def allowed(field: dataclasses.Field[Any]) -> str:
    """What values the option takes, in words."""
    choices = field.metadata.get("choices")
    if choices:
        return "one of " + ", ".join(repr(choice) for choice in choices)
    if isinstance(field.default, bool):
        return "True or False"
    if field.metadata.get("low") is not None:
        low, high = field.metadata["low"], field.metadata["high"]
        return f"an integer from {low} to {high}" if low < high else str(low)
    return str(field.metadata.get("allowed", "see the rules"))


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an int in low..high. Raises OptionError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise OptionError(f"{name} is {shown(value)}; allowed: an integer from {low} to {high}")
    return int(value)


def parse_option(text: str) -> tuple[str, Any]:
    """'name=value' as a name and a value: JSON where it is JSON (or True, False, None), else text. Raises OptionError."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise OptionError(f"option {text!r} is not of the form NAME=VALUE")
    plain = {"True": True, "False": False, "None": None}
    if value in plain:
        return name, plain[value]
    try:
        return name, parse_json(value)
    except ValueError:
        return name, value


def parse_options(texts: Sequence[str], told_apart: Sequence[str] = ()) -> dict[str, Any]:
    """Game options from NAME=VALUE texts, each told once.

    Raises OptionError, also for those of `told_apart`, which have flags of their own.
    """
    options: dict[str, Any] = {}
    for name, value in map(parse_option, texts):
        if name in options:
            raise OptionError(f"option {shown(name)} is told twice; needed: once")
        options[name] = value
    return checked_names(options, told_apart)


def checked_names(options: Mapping[str, Any], told_apart: Sequence[str]) -> dict[str, Any]:
    """Options whose names are text and none of `told_apart`, which are told otherwise. Raises OptionError."""
    for name in options:
        if not isinstance(name, str):
            raise OptionError(f"option {shown(name)} is no name: not a text")
        if name in told_apart:
            raise OptionError(f"option {name!r} is not told among the options, but by the setting or flag of that name")
    return dict(options)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every game; a game's own class adds its fields. Build with `Options.of`, which applies presets."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Values of the option `rules` -> the other options that it sets."""

    players: int
    reward: str = option(
        "win",
        "win: the winners share +1 and the others share -1 (one winner of four: +1, the others -1/3 each); score: points / "
        "scale; margin: own points minus the mean of the others', / scale",
        choices=REWARDS,
        recorded=False,  # in every record's header, as players and pay_as_scored are
    )
    pay_as_scored: bool = option(
        False, "with score and margin: pay points as they are scored instead of at the end", recorded=False
    )

    @classmethod
    def of(cls, /, **given: Any) -> Self:
        """Check and build. Explicit options win over those of the preset. Raises OptionError."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for name in given:
            if name not in fields:
                raise OptionError(f"unknown option {name!r}; there are: {', '.join(fields)}")
        given = {name: _as_choice(fields[name], value) for name, value in given.items()}
        if cls.PRESETS:
            preset = given.get("rules", fields["rules"].default)
            cls._check_field(fields["rules"], preset)
            given = {**cls.PRESETS[preset], **given}
        return cls(**given)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            self._check_field(field, value)
            if field.metadata.get("counts") and value is not None:
                object.__setattr__(self, field.name, checked_counts(field, value))
            elif isinstance(value, np.integer):
                object.__setattr__(self, field.name, int(value))  # as JSON takes it
        if self.pay_as_scored and self.reward == "win":
            raise OptionError("pay_as_scored=True needs reward='score' or 'margin', not 'win': a win is known at the end only")
        self.check()

    @staticmethod
    def _check_field(field: dataclasses.Field[Any], value: Any) -> None:
        meta = field.metadata
        if meta.get("choices"):
            good = isinstance(value, str) and value in meta["choices"]
        elif isinstance(field.default, bool):
            good = isinstance(value, bool)
        elif meta.get("low") is not None:
            good = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and meta["low"] <= value <= meta["high"]
        else:
            return  # the game checks it in `check`
        if not good:
            raise OptionError(f"option {field.name!r} is {shown(value)}; allowed: {allowed(field)}")

    def check(self) -> None:
        """Further checks of a game: options that must fit together. Raises OptionError."""

    # -- in the record and in the observation --------------------------------------------------------------------------

    @classmethod
    def record_fields(cls) -> list[tuple[Any, ...]]:
        """Fields for the record: `option_cells`, then each recorded option in the smallest type that holds its values."""
        recorded = filter(_recorded, dataclasses.fields(cls))
        fields: list[tuple[Any, ...]] = [(field.name, _record_type(field)) for field in recorded]
        fields.sort(key=lambda field: -np.dtype(field[1]).itemsize)
        return [*([("option_cells", np.float32, (cls.cell_count(),))] if cls.cell_count() else ()), *fields]

    @classmethod
    def shown(cls) -> list[tuple[str, Cells]]:
        """The options that the observation shows, by name, in its order."""
        return [(field.name, field.metadata["cells"]) for field in dataclasses.fields(cls) if field.metadata.get("cells")]

    @classmethod
    def cell_count(cls) -> int:
        """Cells of the observation that the options take."""
        return sum(cells.count for _, cells in cls.shown())

    @classmethod
    def cell_text(cls, *leave_out: str) -> str:
        """What these cells mean, in order, but for the options to leave out."""
        return ", ".join(cells.text for name, cells in cls.shown() if name not in leave_out)

    def cells(self) -> list[float]:
        """What the observation shows of these options."""
        return [number for name, cells in self.shown() for number in cells.of(self.shown_value(name))]

    def shown_value(self, name: str) -> Any:
        """The value that an option's cells are made from; a game overrides it where None stands for something."""
        return getattr(self, name)

    def write(self, g: np.record) -> None:
        """Put the options into a record's fields of the same names (a choice as its index), their cells into option_cells."""
        if "option_cells" in (g.dtype.names or ()) and self.shown():
            g.option_cells[:] = self.cells()
        for field in dataclasses.fields(self):
            if field.name in (g.dtype.names or ()):
                value = getattr(self, field.name)
                choices = field.metadata.get("choices")
                g[field.name] = choices.index(value) if choices else value

    def changed(self) -> dict[str, Any]:
        """The options that `of` needs to build these: players, the preset, and what differs from it."""
        fields = {field.name: field.default for field in dataclasses.fields(self)}
        usual = {**fields, **self.PRESETS.get(getattr(self, "rules", ""), {})}
        values = {name: getattr(self, name) for name in fields}
        return {
            name: value
            for name, value in values.items()
            if name == "players" or value != (fields["rules"] if name == "rules" else usual[name])
        }

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """Rows (name, default, allowed, meaning) for documentation."""
        return [
            (field.name, repr(field.default), allowed(field), field.metadata.get("meaning", ""))
            for field in dataclasses.fields(cls)
        ]


def _as_choice(field: dataclasses.Field[Any], value: Any) -> Any:
    """The value; a whole number as the choice that reads like it, as `rules=2021` on a command line."""
    number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    return str(value) if number and str(value) in field.metadata.get("choices", ()) else value


def _recorded(field: dataclasses.Field[Any]) -> bool:
    checked = bool(field.metadata.get("choices")) or isinstance(field.default, bool) or field.metadata.get("low") is not None
    return checked and field.metadata["recorded"]


def _record_type(field: dataclasses.Field[Any]) -> type[np.integer[Any]]:
    """The smallest signed integer type that holds every value of the option."""
    choices = field.metadata.get("choices")
    low, high = (0, len(choices)) if choices else (field.metadata.get("low") or 0, field.metadata.get("high") or 1)
    return next(
        kind for kind in (np.int8, np.int16, np.int32, np.int64) if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max
    )
