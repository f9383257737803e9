"""What the tests that serve every game ask of a game: its test material, wherever it lies, and who may sit at its table."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pirate_envs
from pirate_envs.core.game import Game
from pirate_envs.games import package


def material(name: str, module: str) -> ModuleType:
    """A module of the game's tests: of tests/games/NAME, or of NAME_tests beside the package of a game from elsewhere.

    Raises LookupError, which says what to write.
    """
    places = (f"tests.games.{name}", f"{package(name).__name__}_tests")
    for place in places:
        if importlib.util.find_spec(place) is not None and importlib.util.find_spec(f"{place}.{module}") is not None:
            return importlib.import_module(f"{place}.{module}")
    needed = " or ".join(f"{place.replace('.', '/')}/{module}.py" for place in places)
    raise LookupError(f"{name} has no {module} for the tests that serve every game: write {needed} (docs/add_a_game.md)")


def setup_of(name: str) -> ModuleType:
    """TRANSCRIPTS, random_options, referee, engine_states: see any game's setup.py. Raises LookupError."""
    return material(name, "setup")


def golden_of(name: str) -> Path:
    """Where the game's transcripts lie, beside its setup."""
    return Path(setup_of(name).__file__ or "").with_name("golden.txt")


def seats(name: str) -> range:
    """The numbers of players that the game takes."""
    return pirate_envs.load(name).sizes


def seats_near(name: str, wanted: int) -> int:
    """So many players, or as near to it as the game takes."""
    return min(seats(name), key=lambda count: abs(count - wanted))


def table_of(name: str, wanted: int) -> Game:
    """The game with so many players, or as near to it as it takes."""
    return pirate_envs.load(name, players=seats_near(name, wanted))
