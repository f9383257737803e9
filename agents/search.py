"""Players that think: Monte Carlo over worlds that agree with what the seat knows, flat or with a tree.

search:ismcts:1000                      1,000 iterations a decision
search:flat:20ms                        20 milliseconds a decision
search:ismcts:1000:rules=expected_points   playouts by that rule player
"""

from __future__ import annotations

import re
import time

import numpy as np

from agents.base import Agent, Decisions
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.engine.lanes import inside_names, role_number
from pirate_envs.engine.search import TO_MATCH_END, TO_STAGE_END, UNIFORM, Tree

KINDS = {"flat": 1, "ismcts": 1 << 30}  # depth of the tree
HORIZONS = {"match": TO_MATCH_END, "stage": TO_STAGE_END}
MOST = 1 << 20  # iterations
CHUNK = 32  # iterations between two looks at the clock
USAGE = "search:flat:N, search:ismcts:N with N iterations or Nms; then :rules=NAME, :horizon=match or stage, :c=NUMBER"


class Search(Agent):
    """Chooses the action that was tried most often. Deterministic but for a budget in milliseconds."""

    wants_records = True

    def __init__(self, game: Game, name: str) -> None:
        """`name` as in the module's docstring. Raises UnknownPlayerError."""
        self.name = name
        _, kind, budget, *settings = [*name.split(":"), "", ""][: max(3, name.count(":") + 1)]
        amount = re.fullmatch(r"(\d{1,7})(ms)?", budget)
        if kind not in KINDS or amount is None or not 1 <= int(amount[1]) <= MOST:
            raise UnknownPlayerError(f"unknown player {name!r}; allowed: {USAGE}")
        self.iterations = MOST if amount[2] else int(amount[1])
        self.seconds = int(amount[1]) / 1000 if amount[2] else None
        self._tree = Tree(game, self.iterations, depth=KINDS[kind], **self._settings(game, settings))

    def _settings(self, game: Game, settings: list[str]) -> dict[str, float]:
        values = {"playout": UNIFORM, "horizon": TO_STAGE_END if game.plays_in_stages else TO_MATCH_END, "exploration": 0.7}
        for setting in settings:
            key, _, value = setting.partition("=")
            if key == "rules":
                values["playout"] = role_number(inside_names(game), f"rules:{value}")
            elif key == "horizon" and value in HORIZONS:
                values["horizon"] = HORIZONS[value]
            elif key == "c" and re.fullmatch(r"\d+(\.\d+)?", value):
                values["exploration"] = float(value)
            else:
                raise UnknownPlayerError(f"unknown player {self.name!r}: {setting!r}; allowed: {USAGE}")
        return values

    def act(self, decisions: Decisions) -> np.ndarray:
        assert decisions.records is not None
        seeds = (decisions.chances * (1 << 32)).astype(np.int64)
        if self.seconds is None:
            return self._tree.choose(decisions.records, seeds, self.iterations)
        return np.array([self._timed(decisions.records[i : i + 1], int(seed)) for i, seed in enumerate(seeds)])

    def _timed(self, record: np.ndarray, seed: int) -> int:
        end = time.perf_counter() + self.seconds
        self._tree.plant(record)
        for start in range(0, MOST, CHUNK):
            self._tree.grow(seed, start, start + CHUNK)
            if time.perf_counter() >= end:
                break
        return self._tree.best()
