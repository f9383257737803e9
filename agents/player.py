"""What a player is: it turns a batch of decisions into actions.

    from pirate_envs.agents import Agent, Decisions

    class First(Agent):
        name = "first"

        def act(self, decisions: Decisions) -> np.ndarray:
            return decisions.action_masks.argmax(axis=1)

An `Agent` may sit wherever a named player may: in `arena`, as an opponent of a learner, in a vector environment.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from pirate_envs.core.errors import OptionError, RecordError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.ranges import MOVER, check_records
from pirate_envs.engine.player import Decisions, Vouched

__all__ = ["Agent", "Decisions", "check_made_for", "decisions_of"]


def decisions_of(game: Game, g: np.record, chance: float = 0.5) -> Decisions:
    """The decision that a record waits for, as a player is given it."""
    seat = game.seat_to_move(g)
    records = np.array([game.redacted(g, seat)], game.state)
    return Decisions(game.observation(g, seat)[None], game.action_mask(g).astype(bool)[None], np.array([chance]), records)


def check_made_for(game: Game, player: Any) -> None:
    """Raise OptionError for a player, an `Agent` or its like, that was made for another game or another number of seats."""
    made = getattr(player, "game", None)
    if isinstance(made, Game) and (made.id, made.players) != (game.id, game.players):
        name, needed = getattr(player, "name", "a player"), f"needed: for {game.id} with players={game.players}"
        raise OptionError(f"{shown(name)} was made for {made.id} with players={made.players}; {needed}")


class Agent(ABC):
    """A player for one game, whose decisions come in batches; all that it may know of a decision is in `Decisions`.

    It keeps nothing from one decision to the next that could change an action, so that the same decisions (chances
    included) bring the same actions in whatever batches they come. A player by the clock is the exception.
    """

    game: Game | None = None
    """The game that it was made for, to be played with as many seats; None: it plays any."""
    name: str
    """As given on a command line (agents/names.py tells the grammar)."""
    role: int | None = None
    """The number under which the compiled loop plays it, if it does (engine/lanes.py)."""
    wants_records: bool = False
    """Whether `act` needs redacted copies of the records."""
    learned: str | None = None
    """SHA-256 of the weights that it plays by, if the name does not say all."""

    @property
    def acts_by(self) -> str | None:
        """SHA-256 of the weights that its actions depend on, of all that it `learned`."""
        return self.learned

    def records_of(self, decisions: Decisions) -> np.ndarray:
        """The redacted records of decisions, shape (n,), for a player that decides by them.

        Raises BatchError if they come without. Those that no engine vouches for are checked: RecordError for a record of other
        options than the player's game has, out of range, over, or redacted for another seat than the one that decides.
        """
        records = decisions.redacted
        if self.game is not None and not isinstance(decisions, Vouched):
            check_records(self.game, records, seat=MOVER)
            ended = np.flatnonzero(records["over"])
            if len(ended):
                raise RecordError(f"over in row {ended[0]} is {records['over'][ended[0]]}; there is nothing to decide")
        return records

    @abstractmethod
    def act(self, decisions: Decisions) -> np.ndarray:
        """One legal action id for each decision, integers, shape (n,); `n` may be any number from 1 up."""
