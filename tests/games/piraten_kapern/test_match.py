"""Piraten Kapern: the course of a match, R25 to R35."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.testing import check_game
from tests.games.piraten_kapern.tables import faces, table


def play(game: pirate_envs.Game, g: np.record, decisions: int) -> None:
    """Stop so many times."""
    for _ in range(decisions):
        game.apply(g, 0)


def test_r25_turns_go_round_the_table():
    game = pirate_envs.load("piraten_kapern", players=3)
    g = game.new(seed=1)
    for _ in range(30):
        view = game.view(g)
        assert view["to_move"] == view["turn"] % 3
        assert view["round"] == view["turn"] // 3 + 1
        game.apply(g, 0)


def test_r26_the_final_round_is_one_more_turn_for_each_other_player():
    for mover in range(3):
        scores = [0, 0, 0]
        scores[mover] = 5700
        game, g = table("gold", "CCMMPPSS", to_move=mover, turn=6 + mover, scores=scores)
        game.apply(g, 0)  # three coins: 400 points
        assert game.view(g)["final_round"]["trigger"] == mover
        while not game.is_over(g):
            assert game.seat_to_move(g) != mover
            game.apply(g, 0)
        assert game.view(g)["turn"] == 6 + mover + 2
        assert game.winners(g) == [mover]
        assert not game.is_truncated(g)


def test_r26_below_the_target_nothing_is_called():
    game, g = table("gold", "CCMMPPSS", scores=[5500, 0, 0])
    game.apply(g, 0)
    assert game.view(g)["final_round"] is None


def test_r27_a_final_round_is_cancelled():
    final = {"trigger": 0, "turns_left": 1}
    game, g = table("captain", "MMMXXXXX", to_move=1, turn=4, scores=[6900, 0, 0], final_round=final)
    game.apply(g, 0)  # 5 skulls under the captain: 1000 from each opponent
    view = game.view(g)
    assert view["final_round"] is None
    assert view["last_turns"][1]["opponents"] == -1000
    assert view["turn"] >= 5
    assert not view["over"]


def test_r27_it_stands_at_just_the_target():
    final = {"trigger": 0, "turns_left": 1}
    game, g = table("captain", "MMMXXXXX", to_move=1, turn=4, scores=[7000, 0, 0], final_round=final)
    game.apply(g, 0)
    assert game.view(g)["final_round"] == {"trigger": 0, "turns_left": 0}


@pytest.mark.parametrize(
    ("scores", "trigger"),
    [
        ([6100, 0, 7000], 2),  # seat 2 is left with 6500
        ([6100, 6000, 7000], 1),  # the mover comes first
        ([6100, 0, 6400], None),
    ],
)
def test_r28_a_new_trigger_gives_everybody_else_one_more_turn(scores, trigger):
    final = {"trigger": 0, "turns_left": 1}
    game, g = table("gold", "MMMXXXXX", to_move=1, turn=4, scores=scores, final_round=final)
    game.apply(g, 0)  # 500 from each opponent
    view = game.view(g)
    if trigger is None:
        assert view["final_round"] is None
        return
    assert view["final_round"]["trigger"] == trigger
    while not game.is_over(g):
        assert game.seat_to_move(g) != trigger
        game.apply(g, 0)
    assert game.view(g)["turn"] == 6


def test_r28_at_the_last_turn_of_a_final_round_too():
    final = {"trigger": 0, "turns_left": 0}
    game, g = table("gold", "MMMXXXXX", to_move=2, turn=5, scores=[6100, 7000, 0], final_round=final)
    game.apply(g, 0)
    assert not game.is_over(g)
    assert game.view(g)["final_round"]["trigger"] == 1


def test_r29_a_match_is_cut_short():
    options = {"max_rounds": 2}
    game, g = table("gold", "CCMMPPSS", to_move=2, turn=5, scores=[0, 300, 0], options=options)
    game.apply(g, 0)
    assert game.is_over(g)
    assert game.is_truncated(g)
    assert game.winners(g) == [2]
    final = {"trigger": 0, "turns_left": 0}
    game, g = table("gold", "CCMMPPSS", to_move=2, turn=5, scores=[6000, 300, 0], final_round=final, options=options)
    game.apply(g, 0)
    assert game.is_over(g)
    assert not game.is_truncated(g)


def test_r30_equal_totals_share_the_win():
    game = pirate_envs.load("piraten_kapern", players=3)
    g = game.from_view({"over": True, "scores": [500, -100, 500], "card": "gold", "dice": faces("CCMMPPSS")})
    assert game.winners(g) == [0, 2]
    assert game.rewards(g).tolist() == [0.5, -1, 0.5]


VARIANTS: list[dict[str, Any]] = [
    {"battle_island": True, "battle_bust": "nothing", "deck": {"sea_battle_2": 2, "sea_battle_3": 2, "sea_battle_4": 2}},
    {"battle_bust": "nothing", "deck": {"sea_battle_2": 2, "sea_battle_3": 2, "sea_battle_4": 2}},
    {"sorceress_rescues": False, "deck": {"sorceress": 3}},
    {"sorceress_alone": False, "deck": {"sorceress": 3}},
    {"sorceress_rescues": False, "sorceress_alone": False, "deck": {"sorceress": 3}},
    {"peace_rolls_sabres": False, "deck": {"peace": 3}},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_r31_to_r35_keep_the_laws_and_rule_players_play_by_them(options):
    game = pirate_envs.load("piraten_kapern", players=3, max_rounds=15, **options)
    check_game(game, 60)
    for player in ("cautious", "exact_roll"):
        for seed in range(40):
            g = game.new(seed)
            while not game.is_over(g):
                game.apply(g, game.rule_action(g, player))
