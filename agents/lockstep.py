"""Matches in lockstep, every seat played by the same player, which can be looked at move by move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pirate_envs.agents.player import Agent
from pirate_envs.core.bits import padded_bytes, words_for
from pirate_envs.core.game import Game
from pirate_envs.engine import probes
from pirate_envs.engine.batch import Batch
from pirate_envs.engine.player import Vouched
from pirate_envs.search.tree import TO_MATCH_END
from pirate_envs.search.worlds import apply_all, look_at, score_all, stages_of


class Move(NamedTuple):
    """What these matches are about to do."""

    rows: np.ndarray
    """Which matches, int64, (k,)."""
    seats: np.ndarray
    """Who decides, int64, (k,)."""
    observations: np.ndarray
    """float32, (k, layout size); overwritten by the next move."""
    action_masks: np.ndarray
    """bool, (k, actions); overwritten by the next move."""
    actions: np.ndarray
    """What is decided, int64, (k,); whoever looks on may change it."""


def dealt(game: Game, seeds: range) -> np.ndarray:
    """Records of new matches, one of each seed."""
    return Batch(game, len(seeds), seed=seeds.start, observations=False, action_masks=False).records.copy()


def stages_in(records: np.ndarray) -> np.ndarray:
    """Which hand, turn or cycle each of these records is in, int64, (n,)."""
    stages = np.zeros(len(records), np.int64)
    stages_of(records, stages)
    return stages


class Lockstep:
    """Matches that one player plays on every seat."""

    def __init__(self, game: Game, player: Agent, records: np.ndarray, seed: int = 0) -> None:
        """`records`: positions of the game, whole ones, (n,); they are played on in place. `seed`: of the player's chances."""
        self.game, self.player, self.records = game, player, records
        self._chance = np.random.default_rng(seed)

    def moves(self, horizon: int = TO_MATCH_END, where: np.ndarray | None = None) -> Iterator[Move]:
        """Every round of moves before it is made, of the matches `where` (bool, (n,); none given: of all).

        A match goes on until it is over, or until so many more stages (hands, turns, cycles) have ended.
        """
        game, size = self.game, len(self.records)
        rows = np.flatnonzero((self.records["over"] == 0) & (True if where is None else where))
        stages = stages_in(self.records)
        words = np.zeros(words_for(game.actions), np.uint64)
        masks = np.zeros((size, padded_bytes(game.actions)), np.int8)
        observations, goes_on = np.zeros((size, game.layout.size), np.float32), np.zeros(size, np.bool_)
        while len(rows):
            count = len(rows)
            look_at(self.records, rows, words, masks.view(np.uint64), observations)
            shown = observations[:count], masks[:count, : game.actions].view(np.bool_)
            move = Move(rows, self.records["to_move"][rows].astype(np.int64), *shown, self._decided(rows, *shown))
            yield move
            apply_all(self.records, rows, move.actions, stages, horizon, goes_on)
            rows = rows[goes_on[:count]]

    def _decided(self, rows: np.ndarray, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        records = None
        if self.player.wants_records:
            records = self.records[rows]
            probes.redact_rows(records, records["to_move"].astype(np.int64))
        decisions = Vouched(observations, action_masks, self._chance.random(len(rows)), records)
        return self.player.act(decisions).astype(np.int64)

    def play(self, horizon: int = TO_MATCH_END) -> None:
        """Play on to the horizon."""
        for _ in self.moves(horizon):
            pass

    def points(self) -> np.ndarray:
        """Of every seat, float64, (n, players)."""
        return self._scored()[0].astype(float)

    def wins(self) -> np.ndarray:
        """Every seat's share of the win as it stands, float64, (n, players)."""
        won = self._scored()[1][:, None] >> np.arange(self.game.players) & 1
        return won / won.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]

    def _scored(self) -> tuple[np.ndarray, np.ndarray]:
        points, winners = np.zeros((len(self.records), self.game.players), np.int64), np.zeros(len(self.records), np.int64)
        score_all(self.records, points, winners)
        return points, winners
