"""Skull King: what a seat may think of the hidden cards and bids."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.games.skull_king.test_rules import DECK, load, play
from tests.games.worlds import check_worlds, hands_of


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


PLAYED_OUT = [
    # Own cards, tricks won by seat 0, voids of all seats, the cards that it cannot place. Numbers go up to 5.
    (["pirate", "pirate"], 6, [[], ["yellow", "blue", "red"], ["black", "red"], ["black", "yellow"]],
     ["yellow_1", "yellow_2", "blue_1", "escape", "red_1", "red_2", "black_1", "escape"]),
    (["escape", "pirate"], 6, [[], ["yellow"], ["blue"], ["red", "black"]],
     ["yellow_1", "yellow_2", "yellow_3", "blue_1", "blue_2", "red_1", "black_1", "black_2"]),
    # Of a hundred shuffled heaps one fits these two. To deal card by card, each one that leaves a deal for the rest as likely,
    # would make some worlds likelier than others: z = 18 and 24 with as many draws as here.
    (["escape", "escape", "pirate", "pirate"], 6, [[], ["yellow", "blue", "red"], ["black"]],
     ["black_1", "black_2", "black_3", "black_4", "black_5", "escape",
      "yellow_1", "yellow_2", "blue_1", "blue_2", "red_1", "red_2"]),
    (["pirate"] * 4, 6, [[], ["yellow", "blue"], ["black", "red"]],
     ["black_1", "black_2", "black_3", "red_1", "red_2", "red_3", "escape",
      "yellow_1", "yellow_2", "yellow_3", "blue_1", "blue_2"]),
]  # fmt: skip


@pytest.mark.parametrize(("own", "tricks", "voids", "unseen"), PLAYED_OUT)
def test_worlds_are_the_possible_ones_each_as_likely(own: list[str], tricks: int, voids: list[Any], unseen: list[str]) -> None:
    players, left = len(voids), len(own)
    game = load(players=players, highest=5, last_hand=tricks + left)
    deck = Counter({card: count for card, count in DECK.items() if not card[-1].isdigit() or int(card.split("_")[1]) <= 5})
    played = [card.replace("mary", "mary:pirate") for card in (deck - Counter(own) - Counter(unseen)).elements()]
    given = {
        "phase": "play", "hand_number": tricks + left, "tricks_won": [tricks] + [0] * (players - 1), "voids": voids,
        "hands": [own] + [left] * (players - 1), "played": played,
    }  # fmt: skip
    g = game.from_view(given)

    def world(seed: int) -> tuple[Any, ...]:
        return tuple(tuple(sorted(hand)) for hand in game.view(game.determinized(g, 0, seed))["hands"][1:])

    def may_hold(other: int, card: str) -> bool:
        return card.split("_", maxsplit=1)[0] not in voids[other + 1]

    check_worlds(world, hands_of(unseen, [left] * (players - 1), may_hold))


def test_sealed_bids_are_guessed_evenly() -> None:
    game = load(players=3, first_hand=3)
    g = game.new(1)
    play(game, g, "bid 3", "bid 0")
    ways = Counter((a, b, None) for a in range(4) for b in range(4))
    check_worlds(lambda seed: tuple(game.view(game.determinized(g, 2, seed))["bids"]), ways)
