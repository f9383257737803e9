"""The games: one folder each, found by looking."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Any

from pirate_envs.core.errors import UnknownGameError
from pirate_envs.core.game import Game


@functools.lru_cache(maxsize=1)
def games() -> tuple[str, ...]:
    """Names of all games, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def load(name: str, **options: Any) -> Game:
    """The game of that name with these options. Raises UnknownGameError or OptionError.

    >>> load("skull_king", players=3).players
    3
    """
    if name not in games():
        raise UnknownGameError(f"unknown game {name!r}; there are: {', '.join(games())}")
    game: Game = importlib.import_module(f"{__name__}.{name}").GAME
    return game.with_options(**options)
