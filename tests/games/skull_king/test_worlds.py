"""Skull King: what a seat may think of the hidden cards and bids."""

from __future__ import annotations

from collections import Counter

from tests.games.skull_king.test_rules import DECK, load, play


def test_determinize_keeps_what_is_known_and_varies_the_rest() -> None:
    game = load()
    given = {
        "phase": "play", "hand_number": 6, "leader": 1, "bids": [1, 2, 0, 3], "tricks_won": [0, 2, 0, 0],
        "voids": [[], ["blue", "red"], [], ["black"]], "hands": [["yellow_4", "red_1", "mermaid", "escape"], 4, 4, 4],
    }  # fmt: skip
    g = game.from_view(given)
    worlds = [game.view(game.determinized(g, 0, seed)) for seed in range(40)]
    for shown in worlds:
        assert shown["hands"][0] == game.view(g)["hands"][0]
        assert [len(hand) for hand in shown["hands"]] == [4] * 4
        assert not any(card.startswith(("red", "blue")) for card in shown["hands"][1])
        assert not any(card.startswith("black") for card in shown["hands"][3])
        assert Counter(card for hand in shown["hands"] for card in hand) <= DECK
        assert (shown["bids"], shown["voids"]) == (given["bids"], given["voids"])
    assert len({str(shown["hands"]) for shown in worlds}) == 40


def test_determinize_finds_the_few_worlds_that_strict_voids_leave() -> None:
    game = load(players=2, highest=5)
    own = ["pirate"] * 4 + ["escape"] * 4 + ["skull_king", "yellow_1"]
    given = {"phase": "play", "hand_number": 10, "hands": [own, 10], "voids": [[], ["yellow", "blue", "red"]]}
    g = game.from_view(given)
    assert game.view(game.determinized(g, 0, 5))["hands"][1] == game.view(g)["hands"][1]  # only one is left


def test_determinize_guesses_sealed_bids() -> None:
    game = load(first_hand=3)
    g = game.new(1)
    play(game, g, "bid 3", "bid 0")
    guesses = {tuple(game.view(game.determinized(g, 2, seed))["bids"]) for seed in range(200)}
    assert guesses == {(a, b, None, None) for a in range(4) for b in range(4)}
    assert {tuple(game.view(game.determinized(g, 0, seed))["bids"][:2]) for seed in range(50)} == {(3, b) for b in range(4)}
