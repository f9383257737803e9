"""The cheat sheet of Piratenpoker: legal everywhere, and each of its rules in a position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.sheets.piratenpoker import PiratenpokerSheet
from pirate_envs.games.piratenpoker.options import PiratenpokerOptions

CALM = ["green_+6", "red_+8", "yellow_+10"]
WITH_SHARK = ["green_+5", "red_+8", "yellow_+10"]
HAND = ["green_1", "green_4", "red_2", "red_5", "yellow_3", "yellow_6"]  # yellow adds up to most


def chosen(options: dict[str, Any] | None = None, **view: Any) -> str:
    """What the sheet does in a position of four, seat 0 to move."""
    game = load("piratenpoker", players=4, **(options or {}))
    g = game.from_view({"phase": "bid", "round": 1, "to_move": 0, **view})
    return game.action_name(g, int(agent(game, "sheet").act(decisions_of(game, g))[0]))


@pytest.mark.parametrize("seed", range(6))
def test_legal_by_any_rules_at_any_table(seed: int) -> None:
    chance = np.random.default_rng(seed)
    french = PiratenpokerOptions.PRESETS["french"]
    options = {name: value for name, value in french.items() if chance.random() < 0.5}
    game = load("piratenpoker", players=int(chance.integers(3, 6)), **options)
    sheet, other = agent(game, "sheet"), agent(game, "random")
    outcomes = play(game, [sheet, other, *[sheet] * (game.players - 2)], range(20), seed)
    assert outcomes.decisions > 0
    g = game.new(seed)
    while not game.is_over(g):
        action = int(sheet.act(decisions_of(game, g))[0])
        assert game.action_mask(g)[action]
        game.apply(g, action)


def test_the_sheet_has_a_name_and_a_text() -> None:
    sheet = agent(load("piratenpoker"), "sheet")
    assert isinstance(sheet, PiratenpokerSheet) and sheet.name == "sheet"
    assert len(sheet.text.splitlines()) <= 30 and "**Round 3**" in sheet.text


def test_it_beats_the_simple_rule_player() -> None:
    game = load("piratenpoker", players=4)
    wins = play(game, [agent(game, "sheet"), *[agent(game, "rules:plain")] * 3], range(50), 3).wins
    assert wins[:, :, 0].mean() > 0.6


def test_without_a_shark_it_stakes_its_low_card_which_is_not_of_its_colour() -> None:
    assert chosen(offer=CALM, hands=[HAND, 6, 6, 6]) == "bid green_1"
    own_colour_low = ["green_4", "green_5", "red_5", "yellow_3", "yellow_6", "yellow_7"]
    assert chosen(offer=CALM, hands=[own_colour_low, 6, 6, 6]) == "bid green_4"
    far_lower = ["green_5", "green_5", "red_5", "yellow_1", "yellow_6", "yellow_7"]
    assert chosen(offer=CALM, hands=[far_lower, 6, 6, 6]) == "bid yellow_1"


def test_for_the_first_shark_it_stakes_all_but_its_two_lowest() -> None:
    assert chosen(offer=WITH_SHARK, hands=[HAND, 6, 6, 6]) == "bid green_4 red_5 yellow_3 yellow_6"
    alike = ["green_3", "green_3", "green_3", "red_5", "yellow_4", "yellow_6"]
    assert chosen(offer=WITH_SHARK, hands=[alike, 6, 6, 6]) == "bid green_3 red_5 yellow_4 yellow_6"
    assert chosen(offer=WITH_SHARK, hands=[["green_4", "red_2"], 6, 6, 6]) == "bid red_2"


def test_with_a_shark_or_two_it_stakes_everything_and_else_it_stays_out() -> None:
    everything, low = "bid green_1 green_4 red_2 red_5 yellow_3 yellow_6", "bid green_1"
    for own, others, expected in (
        (["red_shark"], [], everything),
        (["red_shark", "yellow_shark", "red_-4"], ["red_shark"], everything),
        (["red_shark", "yellow_shark", "yellow_shark"], [], low),
        ([], ["red_shark"], low),
        (["red_-4"], [], low),
    ):
        assert chosen(offer=WITH_SHARK, hands=[HAND, 6, 6, 6], displays=[own, others, [], []]) == expected


def test_in_the_second_round_a_weak_hand_goes_to_be_rid_of_a_negative_card() -> None:
    offer, weak = ["red_+8", "yellow_+10"], HAND[1:]  # 20, yellow twice: 29
    strong = ["green_4", "red_5", "yellow_6", "yellow_7", "yellow_8"]
    back = [["green_-3"], [], [], []]
    assert chosen(round=2, offer=offer, hands=[weak, 5, 5, 5], displays=back) == "bid green_4 red_2 red_5 yellow_3 yellow_6"
    assert chosen(round=2, offer=offer, hands=[weak, 5, 5, 5]) == "bid red_2"
    assert chosen(round=2, offer=offer, hands=[strong, 5, 5, 5], displays=back) == "bid green_4"
    assert chosen(round=2, offer=offer, hands=[weak, 5, 0, 0], displays=back) == "bid red_2"


def test_in_the_third_round_it_stakes_everything_and_without_cards_it_passes() -> None:
    assert chosen(round=3, offer=["red_+8"], hands=[["green_4", "red_2"], 4, 4, 4]) == "bid green_4 red_2"
    assert chosen(round=3, offer=["red_+8"], hands=[[], 4, 4, 4]) == "pass"


def test_overboard() -> None:
    hands, ahead = [HAND[1:], 5, 5, 5], [[], ["red_+6"], ["green_+8"], []]
    after = {"phase": "overboard", "hands": hands, "displays": ahead}
    assert chosen(offer=WITH_SHARK, **after) == "overboard green to 0"
    assert chosen(offer=CALM, **after) == "overboard green to 2"  # least in green
    assert chosen({"overboard_to": "others"}, offer=WITH_SHARK, **after) == "overboard green to 2"
    assert chosen({"overboard_to": "others", "overboard_shark": "keep"}, offer=WITH_SHARK, **after) == "overboard green to 0"


def test_below_deck() -> None:
    after = {"phase": "below", "round": 2, "offer": ["green_+6", "red_+8"]}
    assert chosen(hands=[["green_5", "red_2"], 4, 4, 4], **after) == "below red"
    assert chosen(hands=[["green_2", "red_5"], 4, 4, 4], **after) == "below green"
    assert chosen(hands=[["yellow_2", "yellow_5"], 4, 4, 4], **after) == "below green"  # equal: the lower one
    assert chosen(hands=[[], 4, 4, 4], **after) == "below red"  # the higher one


def test_gifts() -> None:
    displays = [["green_-3", "red_-5", "yellow_-4"], ["red_+6"], ["green_+8"], []]
    after = {"phase": "gift", "round": 2, "offer": ["red_+8"], "displays": displays, "hands": [["green_5"], 4, 4, 4]}
    assert chosen(**after) == "give -5 to 2"
    after["displays"] = [["green_-3", "red_-5"], ["red_+6", "green_-4"], ["green_+8"], []]
    assert chosen({"gift_limit": "any"}, gift_to=1, **after) == "give -5 to 1"
