"""What every game reads from a view: values of the right kind, or a PositionError that names the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pirate_envs.core.errors import PositionError


def whole(field: str, value: Any, low: int, high: int) -> int:
    """An integer in low..high. Raises PositionError, as do all here."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise PositionError(f"{field}: {value!r} is not {f'an integer from {low} to {high}' if low < high else low}")
    return int(value)


def flag(field: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise PositionError(f"{field}: {value!r} is neither True nor False")
    return value


def items(field: str, value: Any, most: int, exactly: bool = False) -> list[Any]:
    """A list of at most, or exactly, so many entries."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > most or (exactly and len(value) != most):
        raise PositionError(f"{field}: {value!r} is not a list of {'' if exactly else 'at most '}{most} entries")
    return list(value)


LARGEST, DEEPEST = 2**63 - 1, 3


def plain(field: str, value: Any, depth: int = 0) -> None:
    """Refuse what is no plain data (as JSON knows it), before anything compares or prints it."""
    if isinstance(value, Mapping | list | tuple) and depth < DEEPEST:
        for inner in [*value, *value.values()] if isinstance(value, Mapping) else value:
            plain(field, inner, depth + 1)
    elif isinstance(value, int | np.integer):
        if not -LARGEST <= value <= LARGEST:
            raise PositionError(f"{field}: an integer of {int(value).bit_length()} bits; allowed: 63")
    elif not isinstance(value, str | float | None):
        raise PositionError(
            f"{field}: {type(value).__name__}, {depth} deep, is no number, name or None, nor a list or dict of them"
        )
