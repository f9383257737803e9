"""The players that every game brings: uniform over legal actions, and its rule players."""

from __future__ import annotations

import numpy as np

from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.engine import probes
from pirate_envs.engine.seating import UNIFORM, compiled_names, role_number


class Uniform(Agent):
    """Any legal action, each with the same chance."""

    name = "random"
    role = UNIFORM

    def act(self, decisions: Decisions) -> np.ndarray:
        legal = decisions.action_masks.astype(bool)
        rank = np.floor(decisions.chances * legal.sum(1)).astype(np.int64)
        return (legal.cumsum(1) > rank[:, None]).argmax(1)


class Rules(Agent):
    """One of the game's rule players, by name or 'strongest'."""

    wants_records = True

    def __init__(self, game: Game, name: str) -> None:
        """Raises UnknownPlayerError."""
        self.game, names = game, compiled_names(game)
        self.role = role = role_number(names, f"rules:{name}")
        self.name = names[role]
        self._player = role - 1

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = np.zeros(len(decisions.chances), np.int64)
        probes.advise_rows(self.records_of(decisions), self._player, actions)
        return actions


class Weighted(Agent):
    """The game's strongest rule player by other weights (float64, in the order of `game.weights.names`)."""

    wants_records = True

    def __init__(self, game: Game, weights: np.ndarray, name: str = "weighted") -> None:
        """Raises UnknownPlayerError for a game whose strongest rule player has none, WeightsError for any that do not fit."""
        if game.weights is None:
            raise UnknownPlayerError(f"rules:{game.rule_players[-1]} of {game.id} has no weights to play by")
        self.game, self.name = game, name
        self._weights = game.weights.checked(weights)

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = np.zeros(len(decisions.chances), np.int64)
        probes.advise_rows_by(self.records_of(decisions), self._weights, actions)
        return actions
