"""No alias at small tables of all games: what looks the same to a seat is the same, apart from what the manual lists."""

from __future__ import annotations

from typing import Any

import pytest

import pirate_envs
from pirate_envs.games import shipped
from tests.games.aliases import pairs_alike

TABLES: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("lucky_pirate", {"players": 2, "max_turns": 6}, ("last_plays", "pile", "decisions")),
    ("lucky_pirate", {"players": 3, "max_turns": 6}, ("last_plays", "pile", "decisions")),
    ("piraten_kapern", {"players": 2, "max_rounds": 2, "deck": {"gold": 2, "treasure_island": 1}},
     ("last_turns", "kept", "decisions")),
    ("piratenpoker", {"players": 3, "max_cycles": 2}, ()),
    ("skull_king", {"players": 2, "last_hand": 3}, ("last_trick", "first_leader")),
    ("skull_king", {"players": 3, "last_hand": 2, "bidding": "open"}, ("last_trick", "first_leader")),
]  # fmt: skip
"""Game, options, and the keys of a view that the manual lists as not observed."""
SEEDS, PLAYS = 20, 20


@pytest.mark.parametrize(("name", "options", "listed"), TABLES)
def test_what_looks_the_same_is_the_same(name: str, options: dict[str, Any], listed: tuple[str, ...]) -> None:
    pairs, differing = pairs_alike(pirate_envs.load(name, **options), listed, SEEDS, PLAYS)
    assert pairs > 300
    assert listed or differing == 0


def test_every_game_is_among_them() -> None:
    assert {name for name, *_ in TABLES} >= set(shipped())
