"""Piraten Kapern: actions by name, positions as text, and the options' errors."""

from __future__ import annotations

import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError, OptionError
from tests.games.piraten_kapern.tables import table


def test_actions_by_name():
    game, g = table("gold", "CCDMMSXX")
    assert game.action(g, "stop") == 0
    assert game.action(g, "reroll coin coin sabre") == 0b100011
    assert game.action(g, "reroll sabre monkey") == 0b101000
    assert game.action_name(g, 0b101000) == "reroll monkey sabre"
    for bad in ("", " ", "reroll", "reroll coin coin coin", "reroll kraken", "stop coin", "roll coin coin"):
        with pytest.raises(IllegalActionError, match="names no action"):
            game.action(g, bad)
    for illegal in ("reroll coin", "reroll coin skull", "reroll skull"):
        with pytest.raises(IllegalActionError, match="not legal"):
            game.apply(g, game.action(g, illegal))


def test_a_position_as_text():
    game, g = table("sea_battle_3", "CCCMSSXX", scores=[1200, -300, 0], to_move=1, rolls=2, kept="CCCX")
    text = game.render(g, 0)
    for part in (
        "round 1",
        "sea_battle_3",
        "coin coin coin monkey sabre sabre skull skull",
        "skulls 2",
        "-500 points",
        "0 (you)",
    ):
        assert part in text
    assert "each opponent loses 400" in game.render(table("gold", "CCCCXXXX")[1])
    assert "called by seat 2" in game.render(table("gold", "CCMMPPSS", final_round={"trigger": 2}, scores=[0, 0, 6000])[1])


@pytest.mark.parametrize(
    ("used", "note"), [(False, "one skull may be rolled again"), (True, "the skull has been rolled again")]
)
def test_a_position_says_whether_the_sorceress_still_waits(used: bool, note: str) -> None:
    game, g = table("sorceress", "CCDMMSXX", rolls=2, kept="CC", sorceress_used=used)
    assert f"sorceress ({note})" in game.render(g)
    picture = game.picture(g)
    assert f"{note}</text>" in picture and note in picture.partition("<desc")[2].partition("</desc>")[0]


@pytest.mark.parametrize(
    "options",
    [
        {"players": 6},
        {"target": 99},
        {"max_rounds": 0},
        {"nine_identical": "lose"},
        {"battle_bust": "won"},
        {"battle_island": 1},
        {"promo": 1},
        {"deck": {"kraken": 1}},
        {"deck": {}},
        {"deck": {"gold": -1, "captain": 5}},
        {"deck": {"gold": 256}},
        {"deck": {"gold": 1.5}},
        {"deck": "gold"},
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        pirate_envs.load("piraten_kapern", **options)
