"""Piratenpoker: views become records again; what cannot be is refused."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import PositionError
from tests.games.piratenpoker.stories import DECK, OPTION_SETS, after_round_one, load, names, play, table
from tests.games.positions import (
    check_seats_views_become_worlds,
    check_views_give_records_back,
    random_match,
    refused_or_played,
)

ROUND_3: dict[str, Any] = {"round": 3, "offer": ["green_+8"]}


@pytest.mark.parametrize("options", OPTION_SETS)
def test_a_view_gives_the_record_back(options: dict[str, Any]) -> None:
    check_views_give_records_back(load(**options), every=1)


@pytest.mark.parametrize("options", OPTION_SETS)
def test_a_seats_view_becomes_a_world_that_agrees_with_it(options: dict[str, Any]) -> None:
    assert sum(1 for _ in check_seats_views_become_worlds(load(**options), every=5)) > 0


def test_a_seats_view_hides_hands_and_unseen_loot() -> None:
    game, g = table("g4 r5", "y8 y7", 3, stacks=[["green_+5", "green_+6", "green_+10"], 3, 3], hidden=[1, 2, 2])
    shown = game.view(g, 0)
    assert shown["hands"] == [["green_4", "red_5"], 2, 3]
    assert shown["stacks"][0] == ["green_+5", None, "green_+10"]  # the last one was put there before all eyes
    assert game.view(g, 1)["legal"] == []
    text = game.render(g, 0)
    assert "yellow 7 8" not in text
    assert "yellow 7 8" in game.render(g)


def test_the_shortest_view_is_the_start_of_a_match() -> None:
    game = load()
    shown = game.view(game.from_view({}, seed=3))
    start = game.view(game.new(3))
    assert [len(hand) for hand in shown["hands"]] == [6, 6, 6]
    assert [len(stack) for stack in shown["stacks"]] == [6, 6, 6]
    hidden = ("hands", "offer", "stacks", "legal")
    assert {key: value for key, value in shown.items() if key not in hidden} == {
        key: value for key, value in start.items() if key not in hidden
    }


def test_left_out_cards_are_dealt_by_the_seed_from_what_remains() -> None:
    hands = [names("g4 g4 g4 g4 g4 g4"), 6, None]
    game = load()
    worlds = [game.view(game.from_view({"hands": hands}, seed=seed)) for seed in range(6)]
    for shown in worlds:
        assert [len(hand) for hand in shown["hands"]] == [6, 6, 6]
        assert Counter(card for hand in shown["hands"] for card in hand) <= DECK
    assert len({str(shown["hands"]) for shown in worlds}) == 6
    assert worlds[2] == game.view(game.from_view({"hands": hands}, seed=2))


def test_loot_that_a_stack_does_not_hold_has_left_the_game() -> None:
    _, g = table(1, 1, 1, offer="y+10", stacks=[["green_+5"], 0, 6], displays=["g+10", "-", "-"])
    shown = load().view(g)
    assert [len(stack) for stack in shown["stacks"]] == [1, 0, 6]
    assert Counter(shown["removed"]) == Counter(names("g+5 g+6 g+6 g+8 g+8 r+5 r+5 r+6 r+6 r+8 r+8 r+10"))


def test_complete_bids_are_revealed() -> None:
    _, g = table("g8 r1", "g1", "r2", bids=[["green_8"], ["green_1"], "pass"])
    shown = load().view(g)
    assert (shown["phase"], shown["to_move"], shown["last_reveal"]["winner"]) == ("overboard", 0, 0)
    assert shown["hands"] == [["red_1"], [], ["red_2"]]


def test_the_phases_of_a_winner() -> None:
    game = load()
    g = game.from_view({"phase": "overboard", "to_move": 2, "offer": names("g+8 r+6 y+10")})
    play(game, g, "overboard red to 1")
    assert (game.view(g)["round"], game.view(g)["displays"][1]) == (2, ["red_-3"])
    g = game.from_view({"phase": "below", "to_move": 1, "offer": names("g+8 y+10"), "displays": [[], ["red_-3"], []]})
    play(game, g, "below green")
    assert game.view(g)["legal"] == ["give nothing", "give -3 to 2", "give -3 to 0"]
    g = game.from_view({"phase": "gift", "to_move": 1, "offer": ["green_+8"], "displays": [[], ["red_shark"], []]})
    assert (game.view(g)["phase"], game.view(g)["round"]) == ("bid", 3)  # nothing to give
    game = load(gift_limit="any")
    displays = [[], names("r-3 g-3"), ["red_-4"]]
    g = game.from_view({"phase": "gift", "to_move": 1, "gift_to": 2, "offer": ["yellow_+8"], "displays": displays})
    assert game.view(g)["legal"] == ["give nothing", "give -3 to 2"]


def test_a_finished_match() -> None:
    game = load()
    g = game.from_view({"over": True, "stacks": [[], 2, 2], "displays": [["green_+8"], ["green_+6"], []]})
    assert game.is_over(g)
    assert (game.winners(g), game.view(g)["to_move"], game.view(g)["legal"]) == ([0], None, [])
    short = load(max_cycles=4)
    assert short.is_truncated(short.from_view({"over": True, "truncated": True, "cycle": 4}))


BIDDING: dict[str, Any] = {"hands": [["green_4", "red_5"], 2, 2]}


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("'flag'", {"flag": 1}),
        ("game", {"game": "piratenpoker-v9"}),
        ("options", {"options": {"players": 4}}),
        ("phase", {"phase": "reveal"}),
        ("round", {"round": 4}),
        ("round", {"round": 2, "phase": "overboard"}),
        ("cycle", {"cycle": 0}),
        ("cycle", {"cycle": 31}),
        ("first_seat", {"first_seat": 3}),
        ("to_move", {"to_move": 3}),
        ("to_move", {"to_move": True}),
        ("scores", {"scores": [5, 0, 0]}),
        ("over", {"over": True}),
        ("over", {"over": 1}),
        ("truncated", {"truncated": True}),
        ("truncated", {"over": True, "truncated": True}),
        ("offer", {"offer": names("g+8 r+6")}),
        ("offer", {"offer": names("g+8 g+6 r+6")}),
        ("offer", {"offer": names("g+8 r+6 y-5")}),
        ("offer", {"offer": names("g+8 r+6 y+7")}),
        ("offer", {"offer": names("g+8 r+6 y+10"), "displays": [["yellow_-5"], [], []]}),
        ("displays", {"displays": [[], []]}),
        ("displays", {"displays": [["green_+7"], [], []]}),
        ("displays", {"displays": [["green_-5"], ["green_+10"], []]}),
        ("displays", {"displays": [["green_shark"] * 3, [], []]}),
        ("stacks", {"stacks": [["red_+5"], None, None]}),
        ("stacks", {"stacks": [["green_-4"], None, None]}),
        ("stacks", {"stacks": [8, None, None]}),
        ("stacks", {"stacks": [["green_+10"] * 2, None, None]}),
        ("hidden", {"hidden": [7, None, None]}),
        ("removed", {"removed": ["green_+8"] * 3}),
        ("removed", {"stacks": [3, None, None], "removed": []}),
        ("hands", {"hands": [["green_4"] * 7, 6, 6]}),
        ("hands", {"hands": [["green_8"], ["green_8"], 6]}),
        ("hands", {"hands": [["blue_4"], 6, 6]}),
        ("hands", {"hands": [["green_9"], 6, 6]}),
        ("hands", {"hands": [7, 6, 6]}),
        ("hands", {"hands": "green_4"}),
        ("discard", {"discard": ["green_1"] * 2}),
        ("discard", {"discard": ["green_+5"]}),
        ("pile", {"pile": 84}),
        ("pass_in_hand", {"pass_in_hand": [False, True, True]}),
        ("pass_in_hand", {**ROUND_3, "pass_in_hand": [0, True, True]}),
        ("in_cycle", {**ROUND_3, "pass_in_hand": [False, True, True], "in_cycle": [True, True, True]}),
        ("bids", {**BIDDING, "bids": [["green_5"], None, None]}),
        ("bids", {**BIDDING, "bids": [None, "pass", None]}),
        ("bids", {**BIDDING, "bids": [[], None, None]}),
        ("bids", {**BIDDING, "bids": ["pass", None]}),
        ("bids", {"phase": "overboard", "bids": ["pass", None, None]}),
        ("gift_to", {"phase": "gift", "gift_to": 1, "displays": [["red_-3"], [], []]}),
        ("gift_to", {"gift_to": 1}),
        ("last_reveal", {"last_reveal": {"round": 1}}),
        ("last_reveal", {"last_reveal": {"round": 1, "bids": ["pass", "pass", ["green_1"]], "winner": 0}}),
        ("last_reveal", {"last_reveal": {"round": 3, "bids": ["pass", "pass", ["green_1"]], "winner": 2}}),
        ("last_reveal", after_round_one("g8", "-", "g8")),  # there is one
        ("last_reveal", after_round_one("g7 g7", "g7", "-")),  # there are two
        ("last_reveal", after_round_one("g8", "-", "r1", discard=["green_8"])),
        ("last_reveal", after_round_one("g8", None, "r1")),
        ("last_reveal", after_round_one("-", "-", "-")),  # would have ended the cycle
        ("last_reveal", after_round_one("g8", "-", "r1", round=1, offer=None)),  # and this one not
        ("last_reveal", {**after_round_one("g8", "-", "r1"), **ROUND_3}),
        ("last_reveal", after_round_one("g8", "-", "r1", phase="below")),
        ("last_reveal", {"phase": "overboard", "last_reveal": {"round": 1, "bids": ["pass"] * 3}}),
        ("last_reveal", {"over": True, "stacks": [0, 2, 2], "last_reveal": {"round": 1, "bids": ["pass", "pass", ["red_8"]]}}),
        ("last_reveal", {**ROUND_3, "last_reveal": {"round": 2, "bids": [None] * 3}}),
        ("last_reveal", {**ROUND_3, "last_reveal": {"round": 2, "bids": [["red_8"], None, "pass"], "winner": False}}),
        ("hands", after_round_one("g8", "-", "r1", hands=[6, 6, 5])),
        ("hands", after_round_one("g8 g7", "-", "r1", hands=[names("y1 y2 y3 y4 y5"), 6, 5])),
        ("hands", after_round_one("g8", "-", "r1", hands=[["green_8"], 6, 5])),  # it lies on the discard
        ("pass_in_hand", after_round_one("g8", "-", "r1", pass_in_hand=[True] * 3)),
        ("pass_in_hand", after_round_one("g8", "-", "r1", in_cycle=[True] * 3)),
        ("pass_in_hand", after_round_one("g8", "-", "r1", pass_in_hand=[False, False, True])),
        ("to_move", {"phase": "overboard", "to_move": 1, "last_reveal": {"round": 1, "bids": [["red_8"], ["red_1"], "pass"]}}),
        ("to_move", {"over": True, "stacks": [0, 2, 2], "to_move": 0}),
        ("bids", {"over": True, "stacks": [0, 2, 2], "bids": ["pass", None, None]}),
        ("stacks", {**ROUND_3, "stacks": [3, 0, 0]}),
    ],
)
def test_positions_that_cannot_be_name_the_field(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^{field}: "):
        load().from_view(given)


NONSENSE: list[Any] = [
    -1, 99, 1.5, True, "", "green_4", [], {}, [None], [[]] * 3, ["green_4"], [1, 1, 1], [-1, 0, 0], [99] * 3, ["x"] * 3,
    [["green_4"]] * 3, [{}, {}, {}], [True] * 3, [False] * 3, ["pass"] * 3, {"round": 1, "bids": []}, 10**30,
]  # fmt: skip
ODD: list[Any] = [
    10**5000,
    np.array(3), np.arange(3), np.array(["pass"] * 3), [np.arange(2)] * 3, np.int64(1), np.bool_(True), float("nan"), 1j, b"ab",
    range(3), range(10**30), object(), {3}, [[[[[[]]]]]], {"round": 10**5000, "bids": np.zeros((3, 2))}, [10**5000] * 3,
]  # fmt: skip


def inside(value: Any, odd: Any) -> list[Any]:
    """The value with one of its parts replaced by an odd one, for each part, those of parts too."""
    if isinstance(value, dict):
        keys = value
    elif isinstance(value, list):
        keys = dict(enumerate(value[:6]))
    else:
        return []
    changed = []
    for key, part in keys.items():
        for new in (odd, *inside(part, odd)):
            copy = value.copy()
            copy[key] = new
            changed.append(copy)
    return changed


@pytest.mark.parametrize("options", [{}, {"rules": "french"}])
def test_odd_parts_of_real_views_are_an_error_or_a_position(options: dict[str, Any]) -> None:
    game, chance, refused = load(**options), random.Random(2), 0
    match = list(random_match(game, seed=6))
    for g in (match[4], match[len(match) // 2], match[-1]):
        shown = game.view(g, chance.choice([None, 0, 1, 2]))
        for field in set(shown) - {"game", "options", "legal"}:
            changed = [part for odd in NONSENSE + ODD for part in inside(shown[field], odd)]
            for part in chance.sample(changed, len(changed) // 3):
                try:
                    game.view(game.from_view({**shown, field: part}))
                except PositionError as error:
                    refused += str(error).split(":")[0] in shown
    assert refused > 1000


@pytest.mark.parametrize(
    "field",
    ["game", "options", "phase", "to_move", "scores", "over", "first_seat", "cycle", "round", "offer", "stacks", "hidden",
     "removed", "hands", "pass_in_hand", "in_cycle", "bids", "displays", "discard", "pile", "gift_to", "last_reveal",
     "reshuffle", "truncated", "decisions"],
)  # fmt: skip
def test_nonsense_in_any_field_is_an_error_or_a_position_that_can_be_played(field: str) -> None:
    game = load()
    start = game.new(1)
    play(game, start, "pass", game.action_name(start, 1))
    values = NONSENSE if field in ("game", "options") else NONSENSE + ODD
    assert refused_or_played(game, ({}, BIDDING, ROUND_3, game.view(start)), field, values) >= 2 * len(NONSENSE)


# -- what a position tells of the round before -------------------------------------------------------------------------


def test_what_the_last_reveal_tells_may_be_left_out() -> None:
    shown = load().view(load().from_view(after_round_one("g8 g7 r8", "-", "y5")))
    assert shown["pass_in_hand"] == shown["in_cycle"] == [True, False, True]
    assert shown["discard"] == names("g7 g8 r8 y5")
    assert [len(hand) for hand in shown["hands"]] == [3, 5, 5]
    last = {"round": 2, "bids": [names("g8"), None, names("r1")]}
    game = load(pass_effect="spent")
    shown = game.view(game.from_view({"round": 3, "offer": ["green_+8"], "last_reveal": last}))
    assert shown["hands"][1] == []
    assert shown["pass_in_hand"] == [True, False, True]


def test_a_last_reveal_may_lie_under_a_new_pile_when_a_cycle_begins() -> None:
    last = {"round": 1, "bids": [["green_8"], ["green_7"], ["green_7"]]}
    won = {"round": 3, "doubled": "red", "bids": last["bids"]}
    game = load()
    g = game.from_view({"cycle": 2, "last_reveal": won, "discard": [], "displays": [["red_+6"], [], []]})
    assert game.view(g)["discard"] == []
    for bad in ({"discard": ["green_7"]}, {"cycle": 1}, {"displays": [["red_-3"], ["red_+6"], []]}, {"last_reveal": last}):
        with pytest.raises(PositionError, match=r"^last_reveal: "):
            game.from_view({"cycle": 2, "last_reveal": won, "discard": [], "displays": [["red_+6"], [], []], **bad})


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("stacks", {"round": 2, "offer": names("r+6 y+10"), "stacks": [0, 3, 3]}),
        ("over", {"over": True, "stacks": [2, 2, 2]}),
        ("stacks", {"over": True, "stacks": [0, 2, 2]}),
        ("truncated", {"over": True, "truncated": True, "cycle": 4, "stacks": [1, 2, 2]}),
        ("pass_in_hand", after_round_one("g8", "-", "r1", pass_in_hand=[True] * 3)),
        ("pass_in_hand", after_round_one("g8", "g7", "r1", pass_in_hand=[True, False, True])),
        (
            "hands",
            {
                "round": 3,
                "offer": ["green_+8"],
                "last_reveal": {"round": 2, "bids": [names("g8"), None, names("r1")]},
                "hands": [1, 1, 1],
            },
        ),
    ],
)
def test_positions_that_cannot_be_where_a_pass_is_spent_and_the_match_ends_at_once(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^{field}: "):
        load(pass_effect="spent", match_end="at_once", max_cycles=4).from_view(given)
