"""The players that every game brings: uniform over legal actions, and its rule players."""

from __future__ import annotations

import numpy as np

from agents.base import Agent, Decisions
from pirate_envs.core import verbs
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled
from pirate_envs.engine.lanes import UNIFORM, inside_names, role_number


class Uniform(Agent):
    """Any legal action, each with the same chance."""

    name = "random"
    role = UNIFORM

    def act(self, decisions: Decisions) -> np.ndarray:
        legal = decisions.action_masks.astype(bool)
        rank = np.floor(decisions.chances * legal.sum(1)).astype(np.int64)
        return (legal.cumsum(1) > rank[:, None]).argmax(1)


@compiled
def rule_actions(records, player, actions):
    """The rule player's action for every record."""
    for i in range(len(records)):
        actions[i] = verbs.rule_action(records[i], player)


class Rules(Agent):
    """One of the game's rule players, by name or 'strongest'."""

    wants_records = True

    def __init__(self, game: Game, name: str) -> None:
        """Raises UnknownPlayerError."""
        names = inside_names(game)
        self.role = role = role_number(names, f"rules:{name}")
        self.name = names[role]
        self._player = role - 1

    def act(self, decisions: Decisions) -> np.ndarray:
        assert decisions.records is not None
        actions = np.zeros(len(decisions.chances), np.int64)
        rule_actions(decisions.records, self._player, actions)
        return actions
