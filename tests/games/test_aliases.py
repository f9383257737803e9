"""No alias at small tables of all games: what looks the same to a seat is the same, apart from what the manual lists."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.game import Game
from pirate_envs.games import shipped
from pirate_envs.games.piratenpoker.state import BID
from tests.games.aliases import anywhere, at_random, pairs_alike


@dataclass(frozen=True)
class Table:
    """Plays of a game, all of them random or all beyond a reshuffle."""

    game: str
    options: dict[str, Any]
    listed: tuple[str, ...]
    """The keys of a view that the manual lists as not observed."""
    seeds: int = 20
    plays: int = 20
    reshuffled: bool = False
    """Only positions of Piratenpoker after the discard has become the pile."""

    def pairs(self) -> Counter[tuple[str, ...]]:
        """How many pairs of positions look the same, by the listed keys that differ."""
        choose, looked_at = (hold_back, after_a_reshuffle) if self.reshuffled else (at_random, anywhere)
        game = pirate_envs.load(self.game, **self.options)
        return pairs_alike(game, self.listed, self.seeds, self.plays, choose, looked_at)


def hold_back(game: Game, g: np.record, chance: random.Random) -> int:
    """Piratenpoker's pile runs out twice, and hands hold old cards: seats 0 and 1 stake one card a round, the others all.

    Seat 0 its first, seldom its last: often the same cards in another order. Loot goes the same ways, whoever decides.
    """
    actions = game.legal_actions(g)
    if g.phase != BID:
        return max(actions, key=lambda action: game.action_name(g, action))
    single = [action for action in actions if action.bit_count() == 1] or actions
    if game.seat_to_move(g) > 1:
        return actions[-1]
    return single[-1 if game.seat_to_move(g) == 0 and chance.random() < 0.1 else 0]


def after_a_reshuffle(g: np.record) -> bool:
    """Of Piratenpoker."""
    return bool(g.reshuffled)


TABLES = [
    Table("lucky_pirate", {"players": 2, "max_turns": 6}, ("last_plays", "pile", "decisions")),
    Table("lucky_pirate", {"players": 3, "max_turns": 6}, ("last_plays", "pile", "decisions")),
    Table("piraten_kapern", {"players": 2, "max_rounds": 2, "deck": {"gold": 2, "treasure_island": 1}},
          ("last_turns", "kept", "decisions")),
    Table("piratenpoker", {"players": 3, "max_cycles": 2}, ()),
    Table("piratenpoker", {"players": 5, "max_cycles": 12}, ("reshuffle",), seeds=5, plays=40, reshuffled=True),
    Table("skull_king", {"players": 2, "last_hand": 3}, ("last_trick", "first_leader")),
    Table("skull_king", {"players": 3, "last_hand": 2, "bidding": "open"}, ("last_trick", "first_leader")),
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.game} {table.options}")
def test_what_looks_the_same_is_the_same(table: Table) -> None:
    pairs = table.pairs()
    assert pairs.total() > 300
    if table.reshuffled:  # what the observation leaves out differs in pairs that look the same
        assert {key for keys in pairs for key in keys} == {f"reshuffle.{key}" for key in ("held", "drawn", "staked", "earlier")}


def test_every_game_is_among_them() -> None:
    assert {table.game for table in TABLES} >= set(shipped())
