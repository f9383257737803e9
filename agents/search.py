"""Players that think: Monte Carlo over worlds that agree with what the seat knows, flat or with a tree.

search:ismcts:1000                      1,000 iterations a decision
search:flat:20ms                        20 milliseconds a decision
search:ismcts:1000:rules=simple         playouts by that rule player instead of the strongest
search:ismcts:1000:uniform              playouts by uniform legal actions
search:ismcts:1000:horizon=2            judge after two hands, turns or cycles; horizon=match: by the match's rewards
search:ismcts:1000:c=0.5                UCB1's constant
"""

from __future__ import annotations

import re
import time

import numpy as np

from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.engine.seating import compiled_names, role_number
from pirate_envs.search.tree import CHUNK, TO_MATCH_END, UNIFORM, SearchSettings, Tree

KINDS = {"flat": 1, "ismcts": 1 << 30}  # depth of the tree
MOST = 999_999  # iterations
USAGE = "search:flat:N, search:ismcts:N with N iterations or Nms; then :rules=NAME or :uniform, :horizon=N or match, :c=NUMBER"


class Search(Agent):
    """Chooses the action that was tried most often. Deterministic but for a budget in milliseconds."""

    wants_records = True

    def __init__(self, game: Game, name: str) -> None:
        """`name` as in the module's docstring. Raises UnknownPlayerError."""
        self.name = name
        _, kind, budget, *settings = [*name.split(":"), "", ""]
        amount = re.fullmatch(r"([1-9]\d{0,5})(ms)?", budget)
        if kind not in KINDS or amount is None:
            raise UnknownPlayerError(f"unknown player {name!r}; allowed: {USAGE}")
        self._milliseconds = int(amount[1]) if amount[2] else None
        self._iterations = MOST if amount[2] else int(amount[1])
        self._tree = Tree(game, self._iterations, self._settings(game, KINDS[kind], [part for part in settings if part]))

    def _settings(self, game: Game, depth: int, parts: list[str]) -> SearchSettings:
        settings = SearchSettings(depth, role_number(compiled_names(game), "rules:strongest"))
        for part in parts:
            key, _, value = part.partition("=")
            if part == "uniform":
                settings = settings._replace(playout=UNIFORM)
            elif key == "rules":
                settings = settings._replace(playout=role_number(compiled_names(game), f"rules:{value}"))
            elif part == "horizon=match":
                settings = settings._replace(horizon=TO_MATCH_END)
            elif key == "horizon" and re.fullmatch(r"[1-9]\d{0,3}", value):
                settings = settings._replace(horizon=int(value))
            elif key == "c" and re.fullmatch(r"\d+(\.\d+)?", value):
                settings = settings._replace(exploration=float(value))
            else:
                raise UnknownPlayerError(f"unknown player {self.name!r}: {part!r}; allowed: {USAGE}")
        return settings

    def act(self, decisions: Decisions) -> np.ndarray:
        records = decisions.redacted
        seeds = (decisions.chances * (1 << 32)).astype(np.int64)
        if self._milliseconds is None:
            return self._tree.choose(records, seeds, self._iterations)
        return np.array([self._timed(records[i : i + 1], int(seed)) for i, seed in enumerate(seeds)])

    def _timed(self, record: np.ndarray, seed: int) -> int:
        end = time.perf_counter() + (self._milliseconds or 0) / 1000
        self._tree.plant(record)
        for start in range(0, MOST, CHUNK):
            self._tree.grow(seed, start, min(start + CHUNK, MOST))
            if time.perf_counter() >= end:
                break
        return self._tree.best()
