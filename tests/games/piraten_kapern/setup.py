"""Piraten Kapern for the tests that serve every game.

`TRANSCRIPTS` are the options of the matches in golden.txt; `random_options` draws options, not always fitting together;
`referee` makes the plain-Python referee of one match; `engine_states` says what records hold in the words of the
referee's `snapshot`, one list entry a record.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.games.piraten_kapern.state import COUNTS
from tests.games.piraten_kapern.referee import PiratenKapern

TRANSCRIPTS: list[dict[str, Any]] = [
    {"players": 4, "max_rounds": 12},
    {"players": 3, "promo": True, "target": 2000, "max_rounds": 12},
    {"players": 2, "deck": {"sorceress": 2, "after_the_storm": 1, "peace": 1, "treasure_island": 1}, "max_rounds": 8},
]


def random_options(rng: random.Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "players": rng.randint(2, 5),
        "target": rng.choice([500, 1000, 2000, 6000]),
        "max_rounds": rng.choice([1, 3, 10, 25]),
        "promo": rng.random() < 0.5,
        "nine_identical": rng.choice(["eight", "win"]),
    }
    if rng.random() < 0.3:
        cards = rng.sample(
            ["treasure_island", "captain", "sorceress", "gold", "skulls_2", "sea_battle_2", "after_the_storm", "peace"], 3
        )
        chosen["deck"] = {card: rng.randint(1, 3) for card in cards}
    if rng.random() < 0.5:
        flags = ("battle_island", "sorceress_rescues", "sorceress_alone", "peace_rolls_sabres")
        chosen |= {flag: rng.random() < 0.5 for flag in flags}
        chosen["battle_bust"] = rng.choice(["lost", "nothing"])
    return chosen


def referee(game: pirate_envs.Game, seed: int) -> PiratenKapern:
    names = (
        *("target", "promo", "deck", "nine_identical", "max_rounds"),
        *("battle_island", "battle_bust", "sorceress_rescues", "sorceress_alone", "peace_rolls_sabres"),
    )
    return PiratenKapern(seed, game.players, **{name: getattr(game.options, name) for name in names})


def engine_states(game: pirate_envs.Game, records: np.ndarray) -> dict[str, list[Any]]:
    faces = np.arange(6)
    return {
        "card": records["card"].tolist(),
        "dice": [np.repeat(faces, counts).tolist() for counts in COUNTS[records["dice"]]],
        "to_move": records["to_move"].tolist(),
        "rolls": records["rolls"].tolist(),
        "sorceress_used": (records["sorceress_used"] != 0).tolist(),
        "island": (records["island"] != 0).tolist(),
        "turn": records["turn"].tolist(),
        "scores": records["scores"][:, : game.players].tolist(),
        "trigger": records["trigger"].tolist(),
        "undrawn": records["undrawn"].tolist(),
        "winner": records["winner"].tolist(),
    }
