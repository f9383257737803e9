"""What every game reads from a view: values of the right kind, or a PositionError that names the field."""

from __future__ import annotations

from collections.abc import Sequence
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
