"""Every game under its id: PettingZoo's and Gymnasium's registries and classic modules, without making any game's tables."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import ModuleType
from typing import Any

import gymnasium
import pettingzoo

from pirate_envs.doors.aec import GameAEC, make_aec, wrapped
from pirate_envs.doors.rendering import RENDER_MODES
from pirate_envs.games import games, package

NAMESPACE = "pirates"


def gymnasium_id(name: str, version: int | str) -> str:
    """A game's id there, in the words' usual form: 'pirates/SkullKing-v0'."""
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in name.split('_'))}-v{version}"


def classic(name: str) -> ModuleType:
    """The module `pirate_envs.<game>_v<version>`: PettingZoo's classic functions env() and raw_env(), and what Gymnasium calls.

    Gymnasium's doors are imported when they are first called.
    """
    game = package(name)
    module = ModuleType(f"{__name__.partition('.')[0]}.{name}_v{game.VERSION}", game.__doc__)

    def raw_env(render_mode: str | None = None, **options: Any) -> GameAEC:
        """The raw environment; see `make_aec`."""
        return make_aec(name, render_mode=render_mode, **options)

    def env(render_mode: str | None = None, **options: Any) -> pettingzoo.AECEnv:
        """The environment in PettingZoo's usual wrappers; see `wrapped`."""
        return wrapped(raw_env(render_mode, **options))

    def seat_env(**settings: Any) -> gymnasium.Env[Any, Any]:
        """One learner's seat, for Gymnasium; see `pirate_envs.doors.gym.make_seat`."""
        made: gymnasium.Env[Any, Any] = importlib.import_module("pirate_envs.doors.gym").make_seat(name, **settings)
        return made

    def vector_env(num_envs: int = 1, **settings: Any) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
        """Many learners' seats, for Gymnasium; see `pirate_envs.doors.vector.make_vector`."""
        door = importlib.import_module("pirate_envs.doors.vector")
        made: gymnasium.vector.VectorEnv[Any, Any, Any] = door.make_vector(name, num_envs, **settings)
        return made

    # By these Gymnasium knows that it may collect frames, as in mode 'ansi_list'.
    seat_env.metadata = {"render_modes": list(RENDER_MODES)}  # type: ignore[attr-defined]
    for function in (env, raw_env, seat_env, vector_env):
        function.__module__, function.__qualname__ = module.__name__, function.__name__
        setattr(module, function.__name__, function)
    return module


def register_all() -> dict[str, ModuleType]:
    """Make every game's classic module importable and register its ids, with PettingZoo where that has a registry (1.27).

    Returns the modules by their short names. An installed game whose package cannot be imported is left out with a warning.
    """
    register = getattr(pettingzoo, "register", None)
    modules = {}
    for name in games():
        try:
            module = classic(name)
        except (ImportError, AttributeError) as error:
            warnings.warn(f"the installed game {name!r} cannot be used: {error}", stacklevel=2)
            continue
        sys.modules[module.__name__] = module
        modules[module.__name__.partition(".")[2]] = module
        version = module.__name__.rpartition("_v")[2]
        if register is not None:
            register("aec", f"{NAMESPACE}/{name}-v{version}", entry_point=f"{module.__name__}:env")
        gymnasium.register(
            gymnasium_id(name, version),
            entry_point=f"{module.__name__}:seat_env",
            vector_entry_point=f"{module.__name__}:vector_env",
        )
    return modules
