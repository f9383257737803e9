"""Players that a game brings solved: `exact:NAME` for each name in `Game.solved`."""

from __future__ import annotations

import numpy as np

from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game

USAGE = (("exact:NAME", "an exact solution that the game brings"),)


class Exact(Agent):
    """Plays by a solution that the game declares; `which` is its name there."""

    wants_records = True

    def __init__(self, game: Game, which: str) -> None:
        """Makes what the solution needs, which may take seconds.

        Raises UnknownPlayerError for a name that the game does not declare, OptionError for options that it does not hold for.
        """
        if which not in game.solved:
            there_are = f"there are: {', '.join(f'exact:{name}' for name in game.solved)}" if game.solved else "it has none"
            raise UnknownPlayerError(f"no exact player 'exact:{which}' in {game.name}; {there_are}")
        self.game, self.name = game, f"exact:{which}"
        self._actions = game.solved[which](game)

    def act(self, decisions: Decisions) -> np.ndarray:
        return self._actions(self.records_of(decisions))


def meanings(game: Game) -> list[tuple[str, str]]:
    """Each exact player of the game, with the first line of what its maker says of it."""
    return [(f"exact:{name}", (maker.__doc__ or "").partition("\n")[0]) for name, maker in game.solved.items()]
