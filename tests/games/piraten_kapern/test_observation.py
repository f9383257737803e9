"""Piraten Kapern: what a seat sees."""

from __future__ import annotations

import pytest

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
