"""Piraten Kapern: what a seat sees."""

from __future__ import annotations

import pytest

import pirate_envs
from tests.games.aliases import check_changes_are_seen, check_no_alias, seen
from tests.games.piraten_kapern.tables import table


def test_an_observation_piece_by_piece():
    options = {"target": 1000, "max_rounds": 10, "nine_identical": "win"}
    final = {"trigger": 2, "turns_left": 1}
    more = {"rolls": 2, "kept": "CCCXX", "to_move": 1, "turn": 4, "scores": [-500, 300, 1500], "final_round": final}
    game, g = table("treasure_island", "CCCDMMXX", **more, options=options)
    seen = {name: cells.tolist() for name, cells in game.layout.split(game.observation(g, 1)).items()}
    assert seen["dice"] == [3 / 8, 1 / 8, 2 / 8, 0, 0, 2 / 8]
    assert seen["pairs"] == [1, 0, 1, 0, 0]
    assert seen["sets"] == [1, 0, 0, 0, 0]
    assert seen["card"] == [1] + [0] * 12
    assert (seen["rolls"], seen["sorceress_used"], seen["island"]) == ([0.5], [0], [0])
    assert seen["skulls"] == pytest.approx([0.2])
    assert seen["stop_points"] == pytest.approx([0.5])
    assert (seen["stop_loss"], seen["bust_points"]) == ([0], pytest.approx([0.5]))
    assert (seen["turns"], seen["turns_left"]) == (pytest.approx([4 / 30]), [0.25])
    assert seen["undrawn"] == [0.25] + [0.5] * 12
    assert seen["scores"] == pytest.approx([0.3, 1.5, -0.5, 0, 0])
    assert seen["trigger"] == [0, 1, 0, 0, 0]
    assert seen["players"] == pytest.approx([0.6])
    assert (seen["target"], seen["nine_identical"]) == (pytest.approx([1 / 6]), [1])


@pytest.mark.parametrize(
    ("card", "dice", "stop_loss", "bust_points"),
    [("captain", "CCCCXXXX", 0.8, 0), ("sea_battle_3", "SSSCCCXX", 0, -0.5), ("peace", "SSMMMMXX", 0, -2)],
)
def test_what_stopping_and_busting_would_mean(card, dice, stop_loss, bust_points):
    game, g = table(card, dice)
    seen = game.layout.split(game.observation(g, 0))
    assert seen["stop_loss"][0] == pytest.approx(stop_loss)
    assert seen["bust_points"][0] == pytest.approx(bust_points)


# -- what looks the same -----------------------------------------------------------------------------------------------

TURN = {
    "card": "treasure_island", "dice": ["coin", "coin", "monkey", "monkey", "parrot", "sabre", "sabre", "skull"], "rolls": 2,
    "to_move": 1, "turn": 4, "scores": [300, 100, 0], "undrawn": {"gold": 2, "captain": 1},
}  # fmt: skip


def test_every_change_that_matters_is_seen() -> None:
    game = pirate_envs.load("piraten_kapern", players=3)
    changes = [
        {"card": "captain"}, {"card": "monkey_business"}, {"rolls": 3}, {"scores": [300, 100, 100]}, {"scores": [100, 300, 0]},
        {"scores": [300, 0, 0]}, {"undrawn": {"gold": 1, "captain": 1}}, {"undrawn": {"gold": 1, "captain": 2}}, {"turn": 7},
        {"dice": [*TURN["dice"][:7], "sabre"]}, {"dice": ["diamond", *TURN["dice"][1:]]},
    ]  # fmt: skip
    check_changes_are_seen(game, TURN, changes)
    called = {**TURN, "scores": [6000, 100, 6000], "final_round": {"trigger": 0, "turns_left": 1}}
    changes = [{"trigger": 0, "turns_left": 0}, {"trigger": 2, "turns_left": 1}, {"trigger": 2, "turns_left": 0}]
    check_changes_are_seen(game, called, [{"final_round": change} for change in changes])
    check_changes_are_seen(game, {**TURN, "card": "sorceress"}, [{"sorceress_used": True}])
    island = {**TURN, "card": "gold", "dice": ["coin"] * 4 + ["skull"] * 4, "phase": "island", "rolls": 1}
    check_changes_are_seen(game, island, [{"card": "captain"}, {"dice": ["coin"] * 3 + ["skull"] * 5}])


def test_what_the_manual_lists_is_not_seen() -> None:
    game = pirate_envs.load("piraten_kapern", players=3)
    turns = [None, {"card": "gold", "dice": ["coin"] * 8, "ended_by": "stop", "points": 5400, "opponents": 0}, None]
    for change in ({"kept": ["coin", "coin"]}, {"kept": ["monkey", "monkey"]}, {"last_turns": turns}):
        assert seen(game, TURN) == seen(game, {**TURN, **change})


def test_what_looks_the_same_is_the_same_apart_from_what_the_manual_lists() -> None:
    game = pirate_envs.load("piraten_kapern", players=2, max_rounds=2, deck={"gold": 2, "treasure_island": 1})
    assert check_no_alias(game, ["last_turns", "kept", "decisions"]) > 20
