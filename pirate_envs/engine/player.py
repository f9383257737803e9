"""What a player that decides in batches is given, and what it gives."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from pirate_envs.core.errors import BatchError


class Decisions(NamedTuple):
    """A batch of decisions for one player to make."""

    observations: np.ndarray
    """float32, shape (n, layout size)."""
    action_masks: np.ndarray
    """bool, shape (n, actions)."""
    chances: np.ndarray
    """A number in [0, 1) for each decision, float64, shape (n,): the only randomness that a player may use."""
    records: np.ndarray | None
    """Redacted copies, shape (n,), where the player asks for them (`wants_records`), else None."""

    @property
    def redacted(self) -> np.ndarray:
        """The records. Raises BatchError if these decisions come without."""
        if self.records is None:
            raise BatchError("these decisions come without records, by which the player decides: set its `wants_records`")
        return self.records


class Vouched(Decisions):
    """Decisions of matches that the engine plays itself, by whatever options: their records need no further check."""

    __slots__ = ()


class OutsidePlayer(Protocol):
    """A player that decides in batches: `act` gives one legal action id each, integers, shape (n,)."""

    wants_records: bool

    def act(self, decisions: Decisions) -> np.ndarray: ...
