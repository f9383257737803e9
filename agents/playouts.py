"""Worlds played out by a policy: the same numbered worlds for every action that is tried."""

from __future__ import annotations

import numpy as np

from pirate_envs.agents.player import Decisions
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game
from pirate_envs.search.worlds import BY_ACT, Worlds

AT_ONCE = 1 << 14  # worlds


class Playouts:
    """Plays every seat's actions by one policy; in every second world the other seats may play by rules."""

    def __init__(self, game: Game, policy: Policy, others: int | None = None, *, drawn: bool = False) -> None:
        """`others`: the number of the rule player that the other seats play by in every second world; `drawn`: the policy's
        actions are drawn by their probabilities, the same chances in the same world, instead of the likeliest ones.
        """
        self.game, self.policy, self._others = game, policy.drawing(greedy=not drawn), others

    def play(
        self,
        roots: np.ndarray,
        actions: np.ndarray,
        seeds: np.ndarray,
        numbers: range | np.ndarray,
        horizon: int,
        before: int = 0,
    ) -> Worlds:
        """Try action i (int64) in each of these numbered worlds of redacted record i, and play on to the horizon.

        `seeds`: of the worlds, int64, (n,): equal ones and the same root give the same worlds. `numbers`: the same ones of
        each, or int64, (n, share). `before`: so many worlds of each came in earlier calls; the other seats play by rules in
        the second of all, the fourth and so on. `worth(horizon)` of what is returned has a row of as many worlds for each
        action, one after the other.
        """
        each = np.broadcast_to(np.asarray(numbers, np.int64), (len(roots), np.shape(numbers)[-1]))
        share = each.shape[1]
        worlds = Worlds(self.game, np.repeat(roots, share), np.ones(len(roots) * share, np.int64))
        worlds.draw(np.repeat(seeds, share), each.ravel())
        others = None
        if self._others is not None:
            others = np.tile(np.where((before + np.arange(share)) % 2, self._others, BY_ACT), len(roots))
        worlds.play(np.repeat(actions, share), self._act, horizon, others)
        return worlds

    def _act(self, observations: np.ndarray, action_masks: np.ndarray, chances: np.ndarray) -> np.ndarray:
        return self.policy.act(Decisions(observations, action_masks, chances, None))
