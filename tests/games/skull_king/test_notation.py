"""Skull King: names of actions, and a view as text."""

from __future__ import annotations

import pytest

from pirate_envs.core.errors import IllegalActionError
from tests.games.skull_king.test_rules import load


def test_action_names() -> None:
    game = load()
    g = game.new(0)
    names = [game.action_name(g, action) for action in range(game.actions)]
    assert len(set(names)) == game.actions == 73
    assert [names[i] for i in (0, 10, 11, 66, 67, 70, 71, 72)] == [
        "bid 0", "bid 10", "play yellow_1", "play black_14", "play escape", "play skull_king",
        "play scary_mary:pirate", "play scary_mary:escape",
    ]  # fmt: skip
    assert [game.action(g, name) for name in names] == list(range(game.actions))
    for name in ("bid 11", "play scary_mary", "pirate", "", "bid"):
        with pytest.raises(IllegalActionError, match="names no action"):
            game.action(g, name)


def test_render_shows_the_table() -> None:
    game = load(players=3)
    hands = [["red_1", "pirate"], 1, ["yellow_3", "escape"]]
    g = game.from_view({"phase": "play", "hand_number": 2, "leader": 1, "bids": [1, 0, 2], "hands": hands, "trick": ["blue_7"]})
    text = game.render(g, 2)
    assert "hand 2 of 10: playing" in text
    assert "trick: 1 blue_7*" in text
    assert "2 (you)" in text
    assert "yellow 3 | escape" in text
    assert "2 cards" in text and "1 card" in text and "1 cards" not in text


def test_ids_are_made_as_the_manual_says() -> None:
    game = load()
    g, formula = game.new(1), "11 + 14 * suit + number - 1"
    assert formula in game.manual
    for suit, colour in enumerate(("yellow", "blue", "red", "black")):
        for number in range(1, 15):
            assert game.action(g, f"play {colour}_{number}") == eval(formula, {"suit": suit, "number": number})
    specials = ("escape", "pirate", "mermaid", "skull_king", "scary_mary:pirate", "scary_mary:escape")
    assert [game.action(g, f"play {name}") for name in specials] == list(range(67, 73))
