"""Piratenpoker: the rule players."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.games.piratenpoker.stories import OPTION_SETS, load, names
from tests.games.positions import random_match

PLAYERS = ["plain", "loot_value"]


def rule_choice(player: str, given: dict[str, Any], **options: Any) -> str:
    game = load(**options)
    g = game.from_view(given)
    return str(game.action_name(g, game.rule_action(g, player)))


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("limit", ["one", "any"])
def test_rule_players_give_their_worst_card_to_the_leader(player: str, limit: str) -> None:
    given = {"phase": "gift", "to_move": 1, "offer": ["green_+8"]}
    for leader in (0, 2):
        displays = [names("r-3 y-5") if seat == 1 else ["red_+8"] if seat == leader else [] for seat in range(3)]
        assert rule_choice(player, {**given, "displays": displays}, gift_limit=limit) == f"give -5 to {leader}"
    more = {**given, "gift_to": 0, "displays": [["red_-5"], names("r-3 y-4"), ["red_+8"]]}
    assert rule_choice(player, more, gift_limit="any") == "give -4 to 0"  # who was given the first one


@pytest.mark.parametrize("player", PLAYERS)
def test_rule_players_throw_loot_at_the_leader_and_keep_sharks(player: str) -> None:
    given = {"phase": "overboard", "to_move": 0, "offer": names("g+8 r+6 y+10")}
    for leader in (1, 2):
        displays = [["red_+10"] if seat == leader else [] for seat in range(3)]
        assert rule_choice(player, {**given, "displays": displays}).endswith(f" to {leader}")
    third = {**given, "offer": names("g+5 r+6 y+6"), "displays": [names("rs ys"), [], ["red_+10"]]}
    assert rule_choice(player, third) == "overboard green to 0"


@pytest.mark.parametrize("player", PLAYERS)
def test_rule_players_without_cards_pass(player: str) -> None:
    assert rule_choice(player, {"hands": [[], 6, 6]}) == "pass"


def test_loot_value_stakes_one_low_card_where_nobody_can_beat_it() -> None:
    last = {"round": 3, "offer": ["green_+10"]}
    alone = {**last, "hands": [names("r1 g5 g6 y8"), 6, 6], "pass_in_hand": [True, False, False]}
    assert rule_choice("loot_value", alone) == "bid red_1"
    assert rule_choice("loot_value", {**last, "hands": [names("g5 g6 g8 y8"), 0, 0]}) == "bid green_5"


def test_loot_value_keeps_the_loot_of_its_set() -> None:
    given = {"phase": "below", "to_move": 0, "hands": [names("g6 g7 g8"), 4, 4], "offer": names("g+8 r+10")}
    assert rule_choice("loot_value", {**given, "displays": [names("g+8 y+8"), [], []]}) == "below red"


@pytest.mark.parametrize("options", OPTION_SETS)
@pytest.mark.parametrize("player", PLAYERS)
def test_rule_players_are_legal_and_blind_to_what_is_hidden(options: dict[str, Any], player: str) -> None:
    game = load(**options)
    for g in random_match(game, seed=21):
        if not game.is_over(g):
            action = game.rule_action(g, player)
            assert action in game.legal_actions(g)
            assert action == game.rule_action(game.redacted(g, game.seat_to_move(g)), player)


def wins(player: str, opponents: str | None, matches: int) -> float:
    """The share of matches of three that one seat wins, sitting everywhere in turn; None: uniform legal actions."""
    game, won, chance = load(), 0.0, random.Random(5)
    for seed in range(matches):
        g = game.new(seed // 3)
        while not game.is_over(g):
            who = player if game.seat_to_move(g) == seed % 3 else opponents
            game.apply(g, chance.choice(game.legal_actions(g)) if who is None else game.rule_action(g, who))
        winners = game.winners(g)
        won += (seed % 3 in winners) / len(winners)
    return won / matches


def test_rule_players_are_in_order_of_strength() -> None:
    assert wins("plain", None, 60) > 0.8  # a third is equal
    assert wins("loot_value", "plain", 60) > 0.7


@pytest.mark.parametrize("player", PLAYERS)
def test_r22_rule_players_keep_a_set_of_backs_that_pays(player: str) -> None:
    given = {"phase": "gift", "to_move": 1, "offer": ["green_+8"], "displays": [[], names("g-3 r-3 y-3"), []]}
    for sides, choice in (("fronts", "give -3"), ("all", "give nothing")):
        game = load(bonus_sides=sides)
        g = game.from_view(given)
        assert game.action_name(g, game.rule_action(g, player)).startswith(choice)
        more = game.from_view({**given, "displays": [[], names("g-3 r-3 y-3 g-4 r-5"), []]})
        assert game.action_name(more, game.rule_action(more, player)).startswith("give -5")
