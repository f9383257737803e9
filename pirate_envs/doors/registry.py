"""Every game under its id: PettingZoo's registry and its classic modules, without making any game's tables."""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import Any

import pettingzoo

from pirate_envs.doors.aec import GameAEC, make_aec, wrapped
from pirate_envs.games import games, package

NAMESPACE = "pirates"


def classic(name: str) -> ModuleType:
    """The module `pirate_envs.<game>_v<version>` with PettingZoo's classic functions env() and raw_env()."""
    game = package(name)
    module = ModuleType(f"{__name__.partition('.')[0]}.{name}_v{game.VERSION}", game.__doc__)

    def raw_env(render_mode: str | None = None, **options: Any) -> GameAEC:
        """The raw environment; see `make_aec`."""
        return make_aec(name, render_mode=render_mode, **options)

    def env(render_mode: str | None = None, **options: Any) -> pettingzoo.AECEnv:
        """The environment in PettingZoo's usual wrappers; see `wrapped`."""
        return wrapped(raw_env(render_mode, **options))

    for function in (env, raw_env):
        function.__module__, function.__qualname__ = module.__name__, function.__name__
        setattr(module, function.__name__, function)
    return module


def register_all() -> dict[str, ModuleType]:
    """Make every game's classic module importable and, where PettingZoo has a registry (1.27), register its id.

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
        if register is not None:
            register("aec", f"{NAMESPACE}/{name}-v{module.__name__.rpartition('_v')[2]}", entry_point=f"{module.__name__}:env")
    return modules
