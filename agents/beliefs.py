"""Beliefs: imagined worlds as likely as what the others have shown by their choices makes them.

`determinize` draws uniformly among the worlds that agree with the hard facts. A policy's belief head says how much likelier
each of them is than that (a density ratio: Sugiyama, Suzuki and Kanamori 2012), and worlds are drawn again by these weights
(sampling importance resampling; Rubin 1987).
"""

from __future__ import annotations

import numpy as np

from pirate_envs.agents.playouts import AT_ONCE
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game
from pirate_envs.search.worlds import Worlds, look_as

DRAWN = 8  # worlds that one is chosen from
DOUBT = 0.1  # share of the weight that is spread over all worlds alike: others may play as no policy would


def others_cells(game: Game, records: np.ndarray, seats: np.ndarray, size: int) -> np.ndarray:
    """The private cells of the seats after each of these (int64, (n,)), one after the other; float32, (n, size)."""
    private, rows = game.layout.private, np.arange(len(records))
    observations = np.zeros((len(records), game.layout.size), np.float32)
    cells = np.zeros((len(records), size), np.float32)
    for steps in range(1, game.players):
        look_as(records, rows, (seats + steps) % game.players, observations)
        cells[:, (steps - 1) * len(private) : steps * len(private)] = observations[:, private]
    return cells


class Beliefs:
    """Worlds by a policy's belief head."""

    def __init__(self, game: Game, policy: Policy) -> None:
        """Raises CheckpointError if the policy has none."""
        policy.check_belief()
        self.game, self.policy = game, policy

    def weights(self, roots: np.ndarray, seeds: np.ndarray, numbers: range) -> np.ndarray:
        """How likely these numbered worlds of each redacted record are among each other, float64, (n, w), rows summing to 1.

        `seeds`: of the worlds, int64, (n,), as `Worlds.draw` takes them.
        """
        count = len(numbers)
        parts = np.array_split(np.array(numbers), -(-count // AT_ONCE))
        logs = np.concatenate([self._logs(roots, seeds, part) for part in parts], axis=1).astype(np.float64)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return (1 - DOUBT) * weights + DOUBT / count

    def _logs(self, roots: np.ndarray, seeds: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """What the belief head says of these numbered worlds (int64, (w,)) of each record, float32, (n, w)."""
        count = len(numbers)
        worlds = Worlds(self.game, roots, np.full(len(roots), count))
        worlds.draw(np.repeat(seeds, count), np.tile(numbers, len(roots)))
        seats = roots["to_move"].astype(np.int64)
        cells = others_cells(self.game, worlds.records, worlds.seats, self.policy.guessed).reshape(len(roots), count, -1)
        observations = np.zeros((len(roots), self.game.layout.size), np.float32)
        look_as(roots, np.arange(len(roots)), seats, observations)
        return self.policy.likelier(observations, cells)

    def numbers(self, roots: np.ndarray, seeds: np.ndarray, wanted: range, most: int | None = None) -> np.ndarray:
        """Which worlds to look at in place of these numbers, int64, (n, len(wanted)); other `wanted` bring other worlds.

        They are chosen by weight from DRAWN times as many, or from `most` if that is fewer. A likely world may come more than
        once; whichever come first are a fair sample too.
        """
        count, start = len(wanted), DRAWN * wanted.start
        pool = range(start, start + min(DRAWN * count, most or DRAWN * count))
        parts = np.array_split(np.arange(len(roots)), min(len(roots), -(-len(roots) * len(pool) // AT_ONCE)))
        ladder = np.concatenate([self.weights(roots[part], seeds[part], pool) for part in parts]).cumsum(axis=1)
        steps = (np.arange(count) + 0.5) / count
        chosen = np.stack([np.searchsorted(row, steps * row[-1]) for row in ladder])
        order = np.random.default_rng(0).permutation(count)
        return pool.start + np.minimum(chosen, len(pool) - 1)[:, order]
