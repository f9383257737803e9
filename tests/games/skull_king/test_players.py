"""Skull King: its rule players."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.positions import random_match
from tests.games.skull_king.setup import OPTION_SETS
from tests.games.skull_king.test_rules import load


def rule_choice(player: str, given: dict[str, Any], **options: Any) -> str:
    game = load(**options)
    g = game.from_view(given)
    return str(game.action_name(g, game.rule_action(g, player)))


@pytest.mark.parametrize("player", ["simple", "expected_points"])
@pytest.mark.parametrize(
    ("hand", "bid"), [(["skull_king"], "bid 1"), (["escape"], "bid 0"), (["pirate"], "bid 1"), (["yellow_1"], "bid 0")]
)
def test_rule_players_bid_the_obvious(player: str, hand: list[str], bid: str) -> None:
    assert rule_choice(player, {"leader": 1, "to_move": 2, "hands": [1, 1, hand, 1]}) == bid


@pytest.mark.parametrize("player", ["simple", "expected_points"])
def test_rule_players_take_the_trick_they_need_cheaply_and_shed_what_they_do_not(player: str) -> None:
    last = {"phase": "play", "hand_number": 2, "leader": 1, "trick": ["red_5", "red_9", "red_2"]}
    own = {"hands": [["red_8", "red_10"], 1, 1, 1]}
    assert rule_choice(player, {**last, **own, "bids": [2, 0, 0, 0]}) == "play red_10"
    assert rule_choice(player, {**last, **own, "bids": [0, 1, 1, 0]}) == "play red_8"


def test_expected_points_plays_scary_mary_both_ways() -> None:
    table = {"phase": "play", "hand_number": 2, "leader": 1, "trick": ["red_5", "red_9", "red_2"]}
    own = {"hands": [["scary_mary", "escape"], 1, 1, 1]}
    assert rule_choice("expected_points", {**table, **own, "bids": [1, 1, 1, 0]}) == "play scary_mary:pirate"
    own = {"hands": [["scary_mary", "red_10"], 1, 1, 1]}
    assert rule_choice("expected_points", {**table, **own, "bids": [0, 1, 1, 0]}) == "play scary_mary:escape"


@pytest.mark.parametrize("options", OPTION_SETS)
@pytest.mark.parametrize("player", ["simple", "expected_points"])
def test_rule_players_are_legal_and_blind_to_what_is_hidden(options: dict[str, Any], player: str) -> None:
    game = load(**options)
    for i, g in enumerate(random_match(game, seed=21)):
        if game.is_over(g):
            break
        action = game.rule_action(g, player)
        assert action in game.legal_actions(g)
        if i % 5 == 0:
            assert action == game.rule_action(game.redacted(g, game.seat_to_move(g)), player)
