"""What every game reads from a view: values of the right kind, or a PositionError that names the field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core.errors import NumbaError

from pirate_envs.core import rng
from pirate_envs.core.errors import PirateError, PositionError, shown
from pirate_envs.core.record import FINISHED, TRUNCATED

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

DEEPEST = 8  # lists within lists in a view
LARGEST = 2**63 - 1
COMMON_KEYS = ("game", "options", "phase", "to_move", "scores", "over", "legal")  # of every view
VIEW = "a view, as `view` gives it"


def whole(field: str, value: Any, low: int, high: int) -> int:
    """An integer in low..high. Raises PositionError, as do all here."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise PositionError(f"{field}: {value!r:.100} is not {f'an integer from {low} to {high}' if low < high else low}")
    return int(value)


def flag(field: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise PositionError(f"{field}: {value!r:.100} is neither True nor False")
    return value


def items(field: str, value: Any, most: int, exactly: bool = False) -> list[Any]:
    """A list of at most, or exactly, so many entries."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > most or (exactly and len(value) != most):
        raise PositionError(f"{field}: {value!r:.100} is not a list of {'' if exactly else 'at most '}{most} entries")
    return list(value)


def alike(given: Any, value: Any) -> bool:
    """Whether a view's `given` is that value and of its kind: 2 is neither 2.0 nor, were it 1, True."""
    if isinstance(value, list):
        return isinstance(given, (list, tuple)) and len(given) == len(value) and all(map(alike, given, value))
    given = given.item() if isinstance(given, np.generic) else given
    return type(given) is type(value) and given == value


def check_plain(field: str, value: Any, depth: int = 0) -> None:
    """Raises PositionError for anything that JSON does not know: a view holds dicts, lists, text, numbers, bools and None."""
    if depth > DEEPEST:
        raise PositionError(f"{field}: lists or objects within each other, more than {DEEPEST} deep")
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if not isinstance(key, str):
                raise PositionError(f"{field}: a key is a {type(key).__name__}, not a name")
            check_plain(field, entry, depth + 1)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            check_plain(field, entry, depth + 1)
    elif isinstance(value, (int, np.integer)):
        if not -LARGEST <= value <= LARGEST:
            raise PositionError(f"{field}: an integer of {int(value).bit_length()} bits; allowed: 63")
    elif value is not None and not isinstance(value, (float, str)):
        raise PositionError(f"{field}: a {type(value).__name__} is no part of a view; use lists, dicts, names and numbers")


@contextmanager
def fitting(field: str, value: object, needed: str) -> Iterator[None]:
    """Where a value from outside is of a form by which what is done within fails, that is a PositionError."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, NumbaError) as error:
        if isinstance(error, PirateError):
            raise
        raise PositionError(f"{field}: {shown(value)} is not {needed} ({type(error).__name__}: {error})") from error


class Reader:
    """Reads a view's fields in turn into one record; a game adds its own, in the order in which they depend on each other."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        """An empty record of the seed's match. Raises OptionError for a bad seed."""
        self.game = game
        self.given = given
        self.players = game.players
        self.seats = range(game.players)
        self.g = game.empty(1)[0]
        self.g.seed[:] = rng.seed_words(seed)
        self._key = rng.seed_words(seed)

    def key_chance(self) -> None:
        """Let what the view leaves out be drawn by the seed, from a stream that no match uses."""
        rng.key(self.g.gen, *self._key, rng.Stream.POSITION)

    def get(self, field: str, usual: Any) -> Any:
        """What the view says of the field; None and left out alike: `usual`."""
        value = self.given.get(field)
        return usual if value is None else value

    def seat(self, field: str, usual: int) -> int:
        """A seat at this table."""
        return whole(field, self.get(field, usual), 0, self.players - 1)

    def per_seat(self, field: str, usual: Any = None, count: int = 0) -> list[Any]:
        """One entry for each seat (or `count`); left out: `usual` for all."""
        count = count or self.players
        return items(field, self.get(field, [usual] * count), count, exactly=True)

    def numbers(self, field: str, low: int, high: int) -> list[int]:
        """One integer in low..high for each seat; left out: zeros."""
        return [whole(field, value, low, high) for value in self.per_seat(field, 0)]

    def same(self, field: str, value: Any) -> None:
        """A field that follows from others, if it is given, says what they say."""
        given = self.given.get(field)
        if given is not None and not alike(given, value):
            raise PositionError(f"{field}: it is {value!r}, not {given!r:.100}")

    def ending(self) -> int:
        """0, FINISHED or TRUNCATED, from the fields over and truncated."""
        over, truncated = flag("over", self.get("over", False)), flag("truncated", self.get("truncated", False))
        if truncated and not over:
            raise PositionError("truncated: True, but the match is not over")
        return TRUNCATED if truncated else FINISHED if over else 0
