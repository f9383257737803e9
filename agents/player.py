"""What a player is: it turns a batch of decisions into actions."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from pirate_envs.engine.player import Decisions

__all__ = ["Agent", "Decisions"]


class Agent(ABC):
    """A player for any game whose decisions come in batches; all it may know is in them."""

    name: str
    """As given on a command line."""
    role: int | None = None
    """The number under which the compiled loop plays it, if it does (engine/lanes.py)."""
    wants_records: bool = False
    """Whether `act` needs redacted copies of the records."""
    learned: str | None = None
    """SHA-256 of the weights that it plays by, if the name does not say all."""

    @abstractmethod
    def act(self, decisions: Decisions) -> np.ndarray:
        """One legal action id for each decision, int64, shape (n,)."""
