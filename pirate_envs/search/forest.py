"""Root-parallel search: a tree for each thread, grown apart from the others, and the action that all of them support most.

Chaslot, Winands and van den Herik, Parallel Monte-Carlo Tree Search (2008). The trees share the iterations and draw
different worlds, so that a choice depends on the number of threads, and else on nothing but what a single tree's depends on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pirate_envs.core.errors import BatchError
from pirate_envs.core.game import Game
from pirate_envs.core.rng import MASK
from pirate_envs.engine.checks import checked_size
from pirate_envs.engine.threads import Threads
from pirate_envs.search.tree import SearchSettings, Tree, WhichWorlds

APART = 0x9E3779B9  # between two trees' seeds: 2**32 over the golden ratio


class Forest:
    """Room for a tree a thread; it is used as one `Tree` is."""

    def __init__(
        self,
        game: Game,
        iterations: int,
        settings: SearchSettings,
        threads: int,
        which_worlds: WhichWorlds | None = None,
    ) -> None:
        """`iterations`: the most of one search, by all trees together; `threads`: 1 to 256; else as `Tree`."""
        self.game = game
        self._threads, self.most = Threads(threads), checked_size("iterations", iterations)
        share = self._share(0, self.most)
        self._trees = [Tree(game, share, settings, which_worlds) for _ in range(self._threads.count)]

    @property
    def decisions(self) -> int:
        """Decisions made in the worlds of the last search of each tree."""
        return sum(tree.decisions for tree in self._trees)

    def choose(self, records: np.ndarray, seeds: np.ndarray, iterations: int) -> np.ndarray:
        """An action for each redacted record, int64, shape (n,), by this many iterations each. `seeds`: int64, (n,).

        Raises BatchError for more iterations than there is room for.
        """
        if not 1 <= iterations <= self.most:
            raise BatchError(f"iterations is {iterations!r}; there is room for 1 to {self.most}")
        votes, values = self._ballots(len(records))
        growing = range(min(len(self._trees), iterations))
        self._threads.map(
            Tree.vote,
            [(self._trees[t], records, seed_of(seeds, t), self._share(t, iterations), votes[t], values[t]) for t in growing],
        )
        return elected(votes.sum(0), values.sum(0))

    def plant(self, record: np.ndarray) -> None:
        """Begin a search that goes on by `grow`, from one redacted record, shape (1,)."""
        for tree in self._trees:
            tree.plant(record)

    def grow(self, seed: int, start: int, stop: int) -> None:
        """Iterations start..stop-1 of all trees together. Raises BatchError for more of them than there is room for."""
        work = [(tree, seed_of(seed, t), self._share(t, start), self._share(t, stop)) for t, tree in enumerate(self._trees)]
        self._threads.map(Tree.grow, work)

    def grow_until(self, seed: int, end: float) -> None:
        """As many iterations as are made until the clock, `time.perf_counter`, shows `end`, or there is no more room."""
        self._threads.map(Tree.grow_until, [(tree, seed_of(seed, t), end) for t, tree in enumerate(self._trees)])

    def best(self) -> int:
        """The action of most support. Raises BatchError before any was tried."""
        votes, values = self._ballots(1)
        for tree, its_votes, its_values in zip(self._trees, votes, values, strict=True):
            tree.poll(its_votes[0], its_values[0])
        if not votes.any():
            raise BatchError("best of no iterations: grow the trees first")
        return int(elected(votes.sum(0), values.sum(0))[0])

    def _share(self, number: int, iterations: int) -> int:
        """How many of so many iterations one of the trees makes; where that does not come out even, the first make one more."""
        return (iterations + self._threads.count - 1 - number) // self._threads.count

    def _ballots(self, records: int) -> tuple[np.ndarray, np.ndarray]:
        shape = self._threads.count, records, self.game.actions
        return np.zeros(shape, np.int64), np.zeros(shape)


def seed_of(seeds: Any, number: int) -> Any:
    """A tree's own seed, or seeds; those of the first tree are the search's."""
    return (seeds + number * APART) & MASK


def elected(votes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Each row's action of most votes, of equals the one of the highest value; (n, actions) each."""
    return np.where(votes == votes.max(1, keepdims=True), values, -np.inf).argmax(1)
