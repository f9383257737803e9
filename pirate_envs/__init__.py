"""Pirate card and dice games as fast, exact environments."""

from pirate_envs.engine.batch import Batch
from pirate_envs.games import games, load

__all__ = ["Batch", "games", "load"]
