"""Search with a trained policy: flat Monte Carlo over determinized worlds that a frozen policy plays out, all in one batch.

search:flat:64:policy=FOLDER            64 worlds a decision, shared by its legal actions, played out by that policy
search:flat:64:policy=pretrained        by the shipped one
search:flat:64:policy=FOLDER:horizon=2  and judged after two hands, turns or cycles

Every seat draws its actions from the policy; a world is judged as the other searches judge it (search/tree.py). Policies
cost far more than rule players, so the worlds of all decisions that are asked for at once are played in lockstep.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game
from pirate_envs.search.worlds import Worlds

AT_ONCE = 1 << 14  # worlds


class PolicyPlayouts(Agent):
    """Chooses the action whose worlds came out best on average. Deterministic."""

    wants_records = True

    def __init__(self, game: Game, name: str, worlds: int, player: Policy, horizon: int = 1) -> None:
        """`worlds`: of a decision; each of its actions gets an equal share of them, at least one.

        `horizon`: hands, turns or cycles, this one included, or search.tree.TO_MATCH_END.
        """
        self.name = name
        self._game, self._worlds, self._policy, self._horizon = game, worlds, player.drawing(), horizon
        self.learned = player.learned

    def act(self, decisions: Decisions) -> np.ndarray:
        records = decisions.redacted
        chosen = decisions.action_masks.argmax(axis=1).astype(np.int64)
        open_ones = np.flatnonzero(decisions.action_masks.sum(axis=1) > 1)
        for part in np.array_split(open_ones, max(1, -(-len(open_ones) * self._worlds // AT_ONCE))):
            if len(part):
                masks, chances = decisions.action_masks[part], decisions.chances[part]
                chosen[part] = self._best(records[part], masks, chances)
        return chosen

    def _best(self, roots: np.ndarray, masks: np.ndarray, chances: np.ndarray) -> np.ndarray:
        legal = [np.flatnonzero(mask) for mask in masks]
        shares = [max(1, self._worlds // len(actions)) for actions in legal]
        counts = np.array([len(actions) * share for actions, share in zip(legal, shares, strict=True)])
        worlds = Worlds(self._game, roots, counts)
        # The n-th world of every action of a root is the same one.
        numbers = np.concatenate(
            [np.tile(np.arange(share), len(actions)) for actions, share in zip(legal, shares, strict=True)]
        )
        first = np.concatenate([np.repeat(actions, share) for actions, share in zip(legal, shares, strict=True)])
        worlds.draw(np.repeat((chances * (1 << 32)).astype(np.int64), counts), numbers)
        outcomes = np.split(worlds.play(first, self._by_policy(chances), self._horizon), np.cumsum(counts)[:-1])
        means = [outcome.reshape(len(actions), -1).mean(axis=1) for outcome, actions in zip(outcomes, legal, strict=True)]
        return np.array([actions[mean.argmax()] for actions, mean in zip(legal, means, strict=True)])

    def _by_policy(self, chances: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        generator = np.random.default_rng((chances * (1 << 53)).astype(np.int64))

        def act(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return self._policy.act(Decisions(observations, masks, generator.random(len(masks)), None))

        return act
