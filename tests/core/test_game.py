"""A game asked what its rule players would do, for a position that a view describes, and for worlds that a seat may imagine."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import OptionError, PositionError, RecordError
from pirate_envs.core.game import Game
from pirate_envs.core.rng import seed_words

SKULL_KING = pirate_envs.load("skull_king", players=2, last_hand=3)
PLAYERS = SKULL_KING.rule_players


def opinions(players: range | tuple[str, ...], seed: int) -> list[list[int]]:
    """What each of these rule players would do wherever the strongest comes in a match."""
    g, said = SKULL_KING.new(seed=seed), []
    while not g.over:
        said.append([SKULL_KING.rule_action(g, player) for player in players])
        SKULL_KING.apply(g, SKULL_KING.rule_action(g))
    return said


def test_a_rule_player_goes_by_name_or_number() -> None:
    by_name = opinions(PLAYERS, seed=4)
    assert by_name == opinions(range(len(PLAYERS)), seed=4)
    assert any(len(set(said)) > 1 for said in by_name)  # they are not all alike


def test_the_strongest_rule_player_is_the_last_one() -> None:
    g = SKULL_KING.new(seed=4)
    assert SKULL_KING.rule_action(g) == SKULL_KING.rule_action(g, -1) == SKULL_KING.rule_action(g, PLAYERS[-1])


@pytest.mark.parametrize(
    ("player", "told"), [("nobody", f"there are: {', '.join(PLAYERS)}"), (len(PLAYERS), "rule player"), (-2, "-2")]
)
def test_a_rule_player_that_is_not_there_is_told(player: str | int, told: str) -> None:
    g = SKULL_KING.new(seed=4)
    before = g.tobytes()
    with pytest.raises(OptionError, match=told):
        SKULL_KING.rule_action(g, player)
    assert g.tobytes() == before


def described_wrongly(spoil: Callable[[np.record], None]) -> Callable[[Game, Mapping[str, Any], int], np.record]:
    """A game's `from_view` with a fault: it lets something through that cannot be."""

    def from_view(game: Game, view: Mapping[str, Any], seed: int) -> np.record:
        g = game.new(seed)
        spoil(g)
        return g

    return from_view


@pytest.mark.parametrize(("field", "value"), [("to_move", 9), ("hand_number", 77)])
def test_what_a_view_becomes_is_checked_as_a_record(field: str, value: int) -> None:
    positions = SimpleNamespace(OWN_KEYS=(), from_view=described_wrongly(lambda g: g.__setitem__(field, value)))
    with pytest.raises(PositionError, match=rf"{field}.*{value}"):
        replace(SKULL_KING, positions=positions).from_view({})


def test_a_world_has_the_seed_that_it_was_drawn_by() -> None:
    g = SKULL_KING.new(seed=4)
    for seed in (0, 5, 2**32 + 7):
        assert tuple(SKULL_KING.determinized(g, 0, seed).seed) == seed_words(seed)


@pytest.mark.parametrize("spoilt", ["before", "after"])
def test_what_events_lie_between_is_checked_though_its_views_are_given(spoilt: str) -> None:
    g = SKULL_KING.new(seed=4)
    after = g.copy()
    SKULL_KING.apply(after, 0)
    views = SKULL_KING.view(g), SKULL_KING.view(after)
    assert SKULL_KING.events(g, 0, after, None, views)
    {"before": g, "after": after}[spoilt].to_move = 9
    with pytest.raises(RecordError, match=r"to_move.*9"):
        SKULL_KING.events(g, 0, after, None, views)
