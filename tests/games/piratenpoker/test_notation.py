"""Piratenpoker: names of actions, and a position as text."""

from __future__ import annotations

import pytest

from pirate_envs.core.errors import IllegalActionError
from tests.games.piratenpoker.stories import bid, load, table


def test_action_names() -> None:
    game, g = table("g4 g4 r5 y8", 6, 6)
    for action, name in ((0, "pass"), (1, "bid green_4"), (3, "bid green_4 green_4"), (13, "bid green_4 red_5 yellow_8"),
                         (64, "overboard green to 0"), (71, "overboard red to 2"), (76, "overboard yellow to 2"),
                         (80, "below red"), (82, "give nothing"), (83, "give -3 to 1"), (92, "give -5 to 2")):  # fmt: skip
        assert game.action_name(g, action) == name
        assert game.action(g, name) == action
    assert game.action(g, "bid yellow_8 green_4") == 9  # in any order
    for name in ("bid", "bid green_5", "bid green_4 green_4 green_4", "overboard green", "below blue", "give -4", "", "stop"):
        with pytest.raises(IllegalActionError, match="names no action"):
            game.action(g, name)


def test_players_in_names_are_seats_and_in_ids_steps() -> None:
    game = load()
    g = game.from_view({"phase": "overboard", "to_move": 2})
    assert [game.action_name(g, action) for action in (64, 65, 66)] == [f"overboard green to {seat}" for seat in (2, 0, 1)]
    assert game.action(g, "overboard yellow to 1") == 76


def test_render_shows_the_table() -> None:
    game, g = table("g4 r5 y8", 2, 2, displays=["g+8 r-3", "gs", "-"])
    bid(game, g, "g4 y8")
    text = game.render(g, 0)
    assert "cycle 1: round 1" in text
    assert "green 4 | red 5 | yellow 8" in text
    assert "shark" in text
    assert "2 cards" in text


def test_ids_are_made_as_the_manual_says() -> None:
    game, g = table("g4 g4 r5 y8", 6, 6)
    mover = game.seat_to_move(g)
    for formula in ("64 + 5 * colour + t", "79 + colour", "83 + 4 * back + t - 1"):
        assert formula in game.manual
    for colour, name in enumerate(("green", "red", "yellow")):
        assert game.action(g, f"below {name}") == eval("79 + colour", {"colour": colour})
        for t in range(game.players):
            at = (mover + t) % game.players
            assert game.action(g, f"overboard {name} to {at}") == eval("64 + 5 * colour + t", {"colour": colour, "t": t})
    for back, side in enumerate((-3, -4, -5)):
        for t in range(1, game.players):
            at = (mover + t) % game.players
            assert game.action(g, f"give {side} to {at}") == eval("83 + 4 * back + t - 1", {"back": back, "t": t})
