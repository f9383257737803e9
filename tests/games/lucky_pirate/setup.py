"""Lucky Pirate for the tests that serve every game.

`TRANSCRIPTS` are the options of the matches in tests/golden; `random_options` draws options, not always fitting together;
`referee` makes the plain-Python referee of one match; `engine_states` says what records hold in the words of the
referee's `snapshot`, one list entry a record.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable
from typing import Any

import numpy as np

import pirate_envs
from tests.games.lucky_pirate.referee import CARDS, LOCKED, OPEN, SLOTS, LuckyPirate, Options

NEEDS = (OPEN, *range(1, 11), LOCKED)

TRANSCRIPTS: list[dict[str, Any]] = [
    {"players": 4},
    {
        "players": 3,
        "parrot_again": True,
        "early_downs": True,
        "captain_on_captain": False,
        "clear_again": False,
        "first_mate": "anywhere",
        "reverse_skip": "open",
    },
    {"players": 2, "wins_needed": 2, "max_turns": 82},
]


def random_options(rng: random.Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "players": rng.randint(2, 6),
        "wins_needed": rng.choice([1, 1, 1, 1, 2, 3]),
        "max_turns": rng.choice([40, 150, 400, 1000]),
    }
    extra: dict[str, Any] = {
        "deck": {card: rng.choice([0, 1, 3, 4, 5, 7]) for card in CARDS},
        "early_downs": True,
        "parrot_again": True,
        "captain_on_captain": False,
        "clear_again": False,
        "first_mate": "anywhere",
        "reverse_skip": "open",
        "several_reverses": "all",
    }
    return chosen | {name: value for name, value in extra.items() if rng.random() < 0.3}


class Referee(LuckyPirate):
    """Its snapshot shows cards in no order as the engine keeps them."""

    def snapshot(self) -> dict[str, Any]:
        state = super().snapshot()
        heaps = {name: [heap(cards) for cards in state[name]] for name in ("hands", "known")}
        return {**state, **heaps, "aside": heap(state["aside"]), "cleared": heap(state["cleared"])}


def referee(game: pirate_envs.Game, seed: int) -> Referee:
    return Referee(
        seed, game.players, **{field.name: getattr(game.options, field.name) for field in dataclasses.fields(Options)}
    )


def engine_states(game: pirate_envs.Game, records: np.ndarray) -> dict[str, list[Any]]:
    p, slots = game.players, SLOTS[game.players]
    piles = zip(records["pile_cards"].tolist(), records["pile_size"].tolist(), strict=True)
    return {
        "to_move": records["to_move"].tolist(),
        "hands": records["hands"][:, :p].tolist(),
        "ups": records["up_cards"][:, :p, :slots].tolist(),
        "downs": records["down_cards"][:, :p, :slots].tolist(),
        "known": records["known"][:, :p].tolist(),
        "aside": records["aside"].tolist(),
        "pile": [cards[:size] for cards, size in piles],
        "cleared": records["cleared"].tolist(),
        "need": [NEEDS[need] for need in records["need"].tolist()],
        "run_value": records["run_value"].tolist(),
        "run_length": records["run_length"].tolist(),
        "direction": records["direction"].tolist(),
        "after_parrot": (records["after_parrot"] != 0).tolist(),
        "dealer": records["dealer"].tolist(),
        "scores": records["wins"][:, :p].tolist(),
        "games": records["game_number"].tolist(),
        "turn": records["turn"].tolist(),
    }


def heap(cards: Iterable[int]) -> int:
    """Cards in no order as the engine keeps them: their numbers, four bits a kind."""
    return sum([1 << 4 * kind for kind in cards])
