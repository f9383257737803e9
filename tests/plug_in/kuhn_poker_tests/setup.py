"""Kuhn poker for the tests that serve every game."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import pirate_envs
from kuhn_poker_tests.referee import KuhnPoker

TRANSCRIPTS: list[dict[str, Any]] = [{}, {"reward": "score"}, {"reward": "margin"}]


def random_options(rng: random.Random) -> dict[str, Any]:
    return {"players": 2}


def referee(game: pirate_envs.Game, seed: int) -> KuhnPoker:
    return KuhnPoker(seed)


def engine_states(game: pirate_envs.Game, records: np.ndarray) -> dict[str, list[Any]]:
    fields = {"to_move": "to_move", "cards": "cards", "first": "first", "chips": "chips", "scores": "points"}
    return {key: records[field].tolist() for key, field in fields.items()}
