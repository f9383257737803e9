"""Skull King: what looks the same to the seat that decides."""

from __future__ import annotations

from typing import Any

from tests.games.aliases import check_changes_are_seen, check_no_alias, seen
from tests.games.skull_king.test_rules import load, play

HAND: dict[str, Any] = {
    "phase": "play", "hand_number": 5, "leader": 1, "bids": [1, 2, 0], "tricks_won": [1, 1, 0], "scores": [40, -10, 0],
    "hands": [["blue_3", "black_2", "escape"], 2, 2], "trick": ["red_9", "scary_mary:pirate"],
    "played": ["yellow_1", "blue_5", "pirate", "pirate", "skull_king", "escape"], "bonus": [30, 0, 0],
}  # fmt: skip


def test_every_change_that_matters_is_seen() -> None:
    changes = [
        {"bids": [1, 2, 1]}, {"bids": [2, 1, 0]}, {"bids": [1, 0, 2]}, {"tricks_won": [0, 1, 1], "bonus": [0, 0, 0]},
        {"tricks_won": [0, 2, 0], "bonus": [0, 0, 0]}, {"scores": [40, 0, -10]}, {"scores": [50, -10, 0]},
        {"bonus": [0, 30, 0]}, {"bonus": [60, 0, 0]}, {"trick": ["red_9", "scary_mary:escape"]},
        {"trick": ["scary_mary:pirate", "red_9"]}, {"trick": ["red_8", "scary_mary:pirate"]}, {"trick": ["red_9", "pirate"]},
        {"hands": [["blue_3", "black_2", "mermaid"], 2, 2]}, {"hands": [["blue_4", "black_2", "escape"], 2, 2]},
        {"voids": [[], ["blue"], []]}, {"voids": [[], [], ["blue"]]}, {"voids": [["red"], [], []]},
        {"voids": [[], ["black"], []]}, {"played": [*HAND["played"][:5], "pirate"]},
        {"played": [*HAND["played"][:5], "mermaid"]}, {"played": ["yellow_4", *HAND["played"][1:]]},
    ]  # fmt: skip
    check_changes_are_seen(load(players=3), HAND, changes)


def test_bids_are_seen_when_they_are_shown() -> None:
    for bidding, told in (("open", True), ("sealed", False)):
        game, looks = load(players=3, first_hand=3, bidding=bidding), set()
        for bid in range(4):
            g = game.new(1)
            play(game, g, f"bid {bid}")
            looks.add(game.observation(g, 1).tobytes())
        assert len(looks) == (4 if told else 1)


def test_what_the_manual_lists_is_not_seen() -> None:
    """Who led the hand; by whom, when and in which order a card of an earlier trick was played; how Scary Mary was."""
    game, own = load(players=3), {**HAND, "trick": [], "leader": 0, "hands": [["blue_3", "black_2", "escape"], 3, 3]}
    played = [*HAND["played"][:5], "scary_mary:pirate"]
    for change in (
        {"first_leader": 1},
        {"first_leader": 2},
        {"played": played[::-1]},
        {"played": [*played[:5], "scary_mary:escape"]},
    ):
        assert seen(game, {**own, "played": played}) == seen(game, {**own, "played": played, **change})


def test_what_looks_the_same_is_the_same_apart_from_what_the_manual_lists() -> None:
    assert check_no_alias(load(players=2, last_hand=3), ["last_trick", "first_leader"]) > 20
    check_no_alias(load(players=3, last_hand=2, bidding="open"), ["last_trick", "first_leader"])
