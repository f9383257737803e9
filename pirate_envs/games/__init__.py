"""The games: a package each, found by looking: the folders here, and what other distributions bring.

A game is a package with a docstring (its manual), a VERSION and a module `game` that holds GAME. Another distribution's game
is announced in the entry-point group `pirate_envs.games`, by its name and its package.

The package may be called: `pirate_envs.games()` is its `games()`, while `import pirate_envs.games.skull_king` works too.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from types import ModuleType
from typing import Any

from pirate_envs.core.errors import UnknownGameError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.jit import installed_games


@functools.lru_cache(maxsize=1)
def _packages() -> dict[str, str]:
    """Game -> its package, in alphabetical order; a folder here wins over another distribution's game of the same name."""
    own = {name: f"{__name__}.{name}" for name in shipped()}
    return dict(sorted({**installed_games(), **own}.items()))


def games() -> tuple[str, ...]:
    """Names of all games, in alphabetical order."""
    return tuple(_packages())


def shipped() -> tuple[str, ...]:
    """Names of the games that lie here, without those of other distributions, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def package(name: str) -> ModuleType:
    """A game's package: its manual and VERSION, without its tables. Raises UnknownGameError."""
    if not isinstance(name, str) or name not in _packages():
        raise UnknownGameError(f"unknown game {shown(name)}; there are: {', '.join(games())}")
    return importlib.import_module(_packages()[name])


def load(name: str, /, **options: Any) -> Game:
    """The game of that name with these options. Raises UnknownGameError or OptionError.

    >>> load("skull_king", players=3).players
    3
    """
    game: Game = importlib.import_module(f"{package(name).__name__}.game").GAME
    return game.with_options(**options)


def as_game(game: str | Game, /, **options: Any) -> Game:
    """A game by its name, or one made by `load`, with these options; others that it was made with it keeps.

    Raises UnknownGameError or OptionError.
    """
    if not isinstance(game, Game):
        return load(game, **options)
    return game.with_options(**{**game.options.changed(), **options}) if options else game


class _Games(ModuleType):
    """A package that lists the games when it is called."""

    def __call__(self) -> tuple[str, ...]:
        return games()


sys.modules[__name__].__class__ = _Games
