"""Skull King for the tests that serve every game.

`TRANSCRIPTS` are the options of the matches in golden.txt, `OPTION_SETS` those of the game's own tests; `random_options` draws
options, not always fitting together; `referee` makes the plain-Python referee of one match; `engine_states` says what records
hold in the words of the referee's `snapshot`, one list entry a record.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np

import pirate_envs
from tests.games.skull_king.referee import SkullKing

TRANSCRIPTS: list[dict[str, Any]] = [
    {"players": 4},
    {"players": 3, "rules": "2021", "last_hand": 5},
    {"players": 6, "bidding": "open", "first_hand": 9},
]

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"players": 2, "highest": 5, "last_hand": 10},
    {"players": 3, "bidding": "open", "first_hand": 4, "last_hand": 6},
    {"players": 6, "rules": "2021"},
]


def random_options(rng: random.Random) -> dict[str, Any]:
    first = rng.randint(1, 10)
    chosen = {
        "players": rng.randint(2, 6),
        "rules": rng.choice(["schmidt", "schmidt", "2021"]),
        "first_hand": first,
        "last_hand": min(10, first + rng.choice([0, 0, 1, 2, 9])),
        "bidding": rng.choice(["sealed", "open"]),
    }
    extra = {
        "highest": rng.randint(5, 14),
        "mermaid_takes_king": rng.choice([0, 40, 50]),
        "king_takes_pirate": rng.choice([0, 30]),
        "pirate_takes_mermaid": rng.choice([0, 20]),
        "fourteen": rng.choice([0, 10]),
        "black_fourteen": rng.choice([0, 20]),
        "character_lead_frees_trick": rng.random() < 0.5,
        "mary_as_escape_counts": rng.random() < 0.5,
    }
    return chosen | {name: value for name, value in extra.items() if rng.random() < 0.3}


class Referee(SkullKing):
    """Its snapshot shows hands as the engine keeps them."""

    def snapshot(self) -> dict[str, Any]:
        state = super().snapshot()
        return {**state, "hands": packed_hands(state["hands"])}


def referee(game: pirate_envs.Game, seed: int) -> Referee:
    names = {field.name for field in dataclasses.fields(game.options)} - {"players", "rules", "reward", "pay_as_scored"}
    return Referee(seed, game.players, **{name: getattr(game.options, name) for name in names})


def engine_states(game: pirate_envs.Game, records: np.ndarray) -> dict[str, list[Any]]:
    p = game.players
    return {
        "hand_number": records["hand_number"].tolist(),
        "leader": records["leader"].tolist(),
        "to_move": records["to_move"].tolist(),
        "phase": ["play" if phase else "bid" for phase in records["phase"].tolist()],
        "bids": records["bids"][:, :p].tolist(),
        "tricks_won": records["tricks_won"][:, :p].tolist(),
        "bonus": records["bonus"][:, :p].tolist(),
        "scores": records["scores"][:, :p].tolist(),
        "hands": [list(pair) for pair in zip(records["hands"][:, :p].tolist(), records["counts"][:, :p].tolist(), strict=True)],
        "trick": [trick[:laid] for trick, laid in zip(records["trick"].tolist(), records["laid"].tolist(), strict=True)],
    }


def packed_hands(hands: list[list[int]]) -> list[list[int]]:
    """The referee's hands as the engine keeps them: sets of kinds, and how many escapes, pirates and mermaids."""
    sets, counts = [], []
    for hand in hands:
        kinds = set(hand) | ({61} if 60 in hand else set())
        sets.append(sum(1 << kind for kind in kinds))
        counts.append(sum(hand.count(kind) << 4 * (kind - 56) for kind in (56, 57, 58)))
    return [sets, counts]
