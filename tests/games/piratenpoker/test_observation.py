"""Piratenpoker: what a seat observes, and what it may think of the hidden cards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.games.aliases import differing_keys
from tests.games.piratenpoker.stories import DECK, bid, load, names, table
from tests.games.piratenpoker.test_reshuffle import reshuffled_view

# -- observation -------------------------------------------------------------------------------------------------------


def seen_in_round_two(seat: int) -> dict[str, Any]:
    """Round 2, seat 1 is out, seat 0 has sealed a four, seat 2 is to bid."""
    game, g = table(
        *("g4 g4 r5 y8", "g1 y2", "r1 r2 r3"),
        offer="g+8 y+10",
        displays=["-", "r-3 gs", "y+5"],
        discard=names("g5 r8"),
        stacks=[names("g+5 g+6 g+8"), names("r+10 r+6"), names("y+6")],
        hidden=[1, 1, 0],
        pass_in_hand=[True, False, True],
        last_reveal={"round": 1, "bids": [["green_5"], "pass", ["red_8"]]},
    )
    bid(game, g, "g4")
    assert game.seat_to_move(g) == 2
    return {name: cells.tolist() for name, cells in game.layout.split(game.observation(g, seat)).items()}


def same(cells: Any, *expected: Any) -> bool:
    return bool(np.allclose(cells, np.array(expected)))


def test_an_observation_piece_by_piece() -> None:
    seen = seen_in_round_two(0)
    green, red, yellow, empty = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0] * 8
    assert same(
        seen["hand"],
        [*green, 4 / 8, 1, 4 / 16, 0, 1],
        [*green, 4 / 8, 1, 4 / 16, 1, 0],  # the same kind again, not staked
        [*red, 5 / 8, 1, 5 / 16, 0, 0],
        [*yellow, 1, 1, 8 / 16, 0, 0],
        *[empty] * 2,
    )
    assert same(
        seen["seats"],
        [1, 1, 1, 4 / 6, 0, 0, 5 / 36, 0, *empty],  # four cards still: the bid is sealed
        [1, 0, 0, 2 / 6, 0, 1, 0, 1 / 50, 0, 0, 0, 0, 1 / 3, 1 / 3, 0, 0],
        [1, 1, 1, 3 / 6, 1, 0, 8 / 36, 5 / 50, 1 / 3, 0, 0, 0, 0, 0, 0, 0],
        *[empty * 2] * 2,
    )
    last_bids, discard = np.zeros((5, 3, 8)), np.zeros((3, 8))
    last_bids[0, 0, 4] = last_bids[2, 1, 7] = 1 / 2
    discard[0, 4], discard[1, 7] = 1 / 7, 1
    assert same(seen["last_bids"], *last_bids)
    assert same(seen["discard"], *discard)
    assert same(seen["stacks"], [0.5, 0.1, 0.8, 0, 0, 0, 0], [1, 0.1, 0, 0, 0, 0, 0], [0.6, 0, 0, 0, 0, 0, 0])
    assert same(seen["tops"], [1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0])
    assert same(seen["offer"], [0, 0, 1, 0], [0] * 4, [0, 0, 0, 1])
    assert same(seen["unseen"], [0, 1 / 4, 0, 0], [0, 1 / 4, 0, 0], [0] * 4)
    assert same(seen["stack_sizes"], 3 / 7, 2 / 7, 1 / 7)
    assert (seen["round"], seen["choice"], seen["gift_to"]) == ([0, 1, 0], [0] * 3, [0] * 4)
    assert (seen["last_round"], seen["last_doubled"], seen["own_pass"]) == ([1, 0, 0], [0] * 3, [0])
    assert same(seen["pile"], (84 - 2 - 9) / 84)
    assert same([*seen["cycle"], *seen["cycles_left"]], 1 / 30, 29 / 30)
    assert same(seen["options"], 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 / 2, 1 / 2, 1 / 2, 1 / 4)


def test_an_observation_begins_with_ones_own_seat() -> None:
    own, seen = seen_in_round_two(0), seen_in_round_two(2)
    assert seen["seats"] == [own["seats"][seat] for seat in (2, 0, 1, 3, 4)]
    assert seen["last_bids"] == [own["last_bids"][seat] for seat in (2, 0, 1, 3, 4)]
    assert [slot[:5] for slot in seen["hand"][:3]] == [[0, 1, 0, number / 8, 1] for number in (1, 2, 3)]
    assert not any(slot[7] for slot in seen["hand"])


def test_an_observation_of_a_winners_choice() -> None:
    game = load(gift_limit="any", rules="french")
    display = [["green_-4"], names("r+6 r-4"), names("r-3 g-3")]
    last = {"round": 2, "bids": ["pass", ["green_1"], ["green_8"]]}
    g = game.from_view({"phase": "gift", "to_move": 2, "gift_to": 1, "offer": ["yellow_+8"], "displays": display,
                        "last_reveal": last})  # fmt: skip
    seen = {name: cells.tolist() for name, cells in game.layout.split(game.observation(g, 2)).items()}
    assert (seen["choice"], seen["gift_to"], seen["last_round"]) == ([0, 0, 1], [0, 1, 0, 0], [0, 1, 0])
    assert same(seen["options"], 1, 0, 0, 1, 1, 1, 1, 5 / 6, 1, 1, 1, 1, 0, 1 / 2, 1 / 2, 1 / 2, 1 / 4)


def test_a_colour_that_counts_twice_is_observed() -> None:
    game, g = table("g4 r5", "g1", "g8", offer="g+8")
    slots = game.layout.split(game.observation(g, 0))["hand"]
    assert same(slots[:2, 5], 8 / 16, 5 / 16)
    bid(game, g, "g4", "g1", "-")
    seen = game.layout.split(game.observation(g, 0))
    assert (seen["last_doubled"].tolist(), seen["last_round"].tolist()) == ([1, 0, 0], [0, 0, 1])
    assert same(seen["seats"][:3, 6], 8 / 36, 2 / 36, 0)


# -- what a seat may think of the hidden cards -------------------------------------------------------------------------


def test_determinize_keeps_what_is_known_and_varies_the_rest() -> None:
    hands = ("g4 r5 y8 y7", "g1 g2 g3 g6", "r1 r2 r3 r6")
    game, g = table(*hands, discard=names("g8 r8"), displays=["-", "g-4", "-"])
    before = game.view(g, 0)
    worlds = [game.view(game.determinized(g, 0, seed)) for seed in range(40)]
    for shown in worlds:
        assert shown["hands"][0] == before["hands"][0]
        assert [len(hand) for hand in shown["hands"]] == [4, 4, 4]
        assert Counter(card for hand in (*shown["hands"], shown["discard"]) for card in hand) <= DECK
        assert [stack[0] for stack in shown["stacks"]] == [stack[0] for stack in before["stacks"]]
        assert [Counter(stack) for stack in shown["stacks"]] == [Counter(stack) for stack in game.view(g)["stacks"]]
    assert len({str(shown["hands"]) for shown in worlds}) == 40
    assert len({str(shown["stacks"]) for shown in worlds}) == 40


def test_determinize_guesses_sealed_bids_of_any_size() -> None:
    game, g = table("g4 r5", "g1 g2", "r1 r2")
    bid(game, g, "g4", "-")
    guesses = {str(game.view(game.determinized(g, 2, seed))["bids"][0]) == "pass" for seed in range(60)}
    sizes = {len(game.view(game.determinized(g, 2, seed))["bids"][0]) for seed in range(60)}
    assert guesses == {True, False}
    assert {1, 2} <= sizes
    assert all(game.view(game.determinized(g, 0, seed))["bids"][0] == ["green_4"] for seed in range(20))


# -- what the manual lists as not observed -----------------------------------------------------------------------------


def emptied_view() -> dict[str, Any]:
    """The third cycle: all have staked six cards since a reshuffle and drawn six others."""
    own, first, second = (names(cards) for cards in ("g4 g5 r4 y3 y8 y7", "g5 r5 r5 r6 y4 y4", "g3 g3 r3 r3 y5 y5"))
    new, staked = names("g4 g4 r6 y6 y6 r1"), [[seat, card] for seat, hand in enumerate((own, first, second)) for card in hand]
    past = {"held": names("g4 g5 r4 y3 g5 g3 g3 r3 r3"), "drawn": [names("y8 y7") + new, 11, 8], "staked": [staked, []]}
    return {"cycle": 3, "hands": [new, 6, 6], "discard": own + first + second, "reshuffle": past}


ORDER = [[[0, "yellow_3"], [0, "green_4"], [1, "green_5"], [2, "green_5"]], []]
NOT_OBSERVED: list[tuple[dict[str, Any], dict[str, Any]]] = [  # a view, and what can be otherwise in it
    (reshuffled_view(), {"decisions": 99}),
    (reshuffled_view(), {"reshuffle": reshuffled_view(staked=ORDER)["reshuffle"]}),
    (emptied_view(), {"reshuffle": None}),
    ({"displays": [[], names("gs"), names("rs")]}, {"displays": [[], names("rs"), names("gs")]}),
    (
        {"displays": [[], names("g+6"), []], "removed": names("r+6")},
        {"displays": [[], names("r+6"), []], "removed": names("g+6")},
    ),
]


@pytest.mark.parametrize(("view", "other"), NOT_OBSERVED)
def test_what_the_manual_lists_is_not_observed(view: dict[str, Any], other: dict[str, Any]) -> None:
    """Each of these is among what the seat knows besides."""
    game = load(all_pass="remove")
    one, then = game.from_view(view), game.from_view(view | other)
    assert game.observation(one, 0).tobytes() == game.observation(then, 0).tobytes()
    assert set(differing_keys(game.view(one, 0), game.view(then, 0), other)) != set()
