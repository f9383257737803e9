"""A hint at once: what a strong player would do here, and how good the seat's chances are.

The action is that of the strongest player that decides at once (names.strongest_name): the trained policy where one comes with
the game. The chance of winning is its value head's, for what the seat sees, among players like the policy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pirate_envs.agents.names import agent, has_pretrained, strongest_name
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import PositionError
from pirate_envs.core.game import Game

THOUGHT = "search:ismcts:1000"  # where a game brings neither a policy nor a solution


@dataclass(frozen=True)
class Hint:
    """What to do."""

    action: int
    name: str
    """The action's."""
    by: str
    """The player who would."""
    win: float | None
    """The seat's share of the win, 0 to 1; None: who gives the hint does not say."""


class Adviser:
    """Gives hints in one game; making it may take a second, a hint takes milliseconds."""

    def __init__(self, game: Game) -> None:
        """Raises what `agent` does for a policy that cannot be loaded."""
        self.game, self.player = game, agent(game, adviser_name(game))

    def hint(self, g: np.record) -> Hint:
        """For the seat to move, from what it knows. Raises PositionError after the end."""
        if self.game.is_over(g):
            raise PositionError("over: the match has ended; there is nothing to advise")
        decision = decisions_of(self.game, g)
        action = int(self.player.act(decision)[0])
        judges = isinstance(self.player, Policy) and bool(self.player.value)
        win = float(self.player.values(decision.observations)[0, 0]) if judges else None  # type: ignore[attr-defined]
        return Hint(action, self.game.action_name(g, action), self.player.name, win)


def adviser_name(game: Game) -> str:
    """The strongest player that answers in milliseconds, once it is made.

    A policy that comes with a game leads, or nearly so, the game's leaderboard; an exact player is solved in seconds, once; a
    search of a thousand worlds is compiled.
    """
    if has_pretrained(game):
        return strongest_name(game)
    return f"exact:{next(iter(game.solved))}" if game.solved else THOUGHT
