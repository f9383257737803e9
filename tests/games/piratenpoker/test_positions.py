"""Piratenpoker: the notation of positions and actions, what a seat may think of hidden cards, and the rule players."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import IllegalActionError, PositionError
from tests.games.piratenpoker.test_end import after_round_one
from tests.games.piratenpoker.test_rules import DECK, bid, load, names, play, table
from tests.games.positions import check_seats_views_become_worlds, check_views_give_records_back, random_match

ROUND_3: dict[str, Any] = {"round": 3, "offer": ["green_+8"]}
OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"players": 4, "rules": "french"},
    {"players": 5, "pass_effect": "spent", "gift_limit": "any", "loot_counts": {"5": 3, "6": 2, "10": 2}},
    {"players": 4, "all_pass": "remove", "refill_to": 2, "max_cycles": 5},
    {"all_pass": "remove_last", "match_end": "at_once", "bonus_sides": "all", "pass_effect": "spent", "refill_to": 3},
]


# -- positions ---------------------------------------------------------------------------------------------------------


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
    g = load(max_cycles=4).from_view({"over": True, "truncated": True, "cycle": 4})
    assert game.is_truncated(g)


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
            for odd in NONSENSE + ODD:
                for part in inside(shown[field], odd):
                    try:
                        game.view(game.from_view({**shown, field: part}))
                    except PositionError as error:
                        refused += str(error).split(":")[0] in shown
    assert refused > 3000


@pytest.mark.parametrize(
    "field",
    ["game", "options", "phase", "to_move", "scores", "over", "first_seat", "cycle", "round", "offer", "stacks", "hidden",
     "removed", "hands", "pass_in_hand", "in_cycle", "bids", "displays", "discard", "pile", "gift_to", "last_reveal",
     "truncated", "decisions"],
)  # fmt: skip
def test_nonsense_in_any_field_is_an_error_or_a_position_that_can_be_played(field: str) -> None:
    game, refused = load(), 0
    start = game.new(1)
    play(game, start, "pass", game.action_name(start, 1))
    values = NONSENSE if field in ("game", "options") else NONSENSE + ODD
    for base in ({}, BIDDING, ROUND_3, game.view(start)):
        for value in values:
            try:
                g = game.from_view({**base, field: value})
            except PositionError:
                refused += 1
            else:
                while not game.is_over(g):
                    game.apply(g, game.legal_actions(g)[-1])
    assert refused >= 2 * len(NONSENSE)


# -- actions -----------------------------------------------------------------------------------------------------------


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


# -- rule players ------------------------------------------------------------------------------------------------------

PLAYERS = ["plain", "loot_value"]


def rule_choice(player: str, given: dict[str, Any], **options: Any) -> str:
    game = load(**options)
    g = game.from_view(given)
    return str(game.action_name(g, game.rule_action(g, player)))


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("limit", ["one", "any"])
def test_rule_players_give_their_worst_card_to_the_leader(player: str, limit: str) -> None:
    given = {"phase": "gift", "to_move": 1, "offer": ["green_+8"]}
    for leader in (0, 2):
        displays = [names("r-3 y-5") if seat == 1 else ["red_+8"] if seat == leader else [] for seat in range(3)]
        assert rule_choice(player, {**given, "displays": displays}, gift_limit=limit) == f"give -5 to {leader}"
    more = {**given, "gift_to": 0, "displays": [["red_-5"], names("r-3 y-4"), ["red_+8"]]}
    assert rule_choice(player, more, gift_limit="any") == "give -4 to 0"  # who was given the first one


@pytest.mark.parametrize("player", PLAYERS)
def test_rule_players_throw_loot_at_the_leader_and_keep_sharks(player: str) -> None:
    given = {"phase": "overboard", "to_move": 0, "offer": names("g+8 r+6 y+10")}
    for leader in (1, 2):
        displays = [["red_+10"] if seat == leader else [] for seat in range(3)]
        assert rule_choice(player, {**given, "displays": displays}).endswith(f" to {leader}")
    third = {**given, "offer": names("g+5 r+6 y+6"), "displays": [names("rs ys"), [], ["red_+10"]]}
    assert rule_choice(player, third) == "overboard green to 0"


@pytest.mark.parametrize("player", PLAYERS)
def test_rule_players_without_cards_pass(player: str) -> None:
    assert rule_choice(player, {"hands": [[], 6, 6]}) == "pass"


def test_loot_value_stakes_one_low_card_where_nobody_can_beat_it() -> None:
    last = {"round": 3, "offer": ["green_+10"]}
    alone = {**last, "hands": [names("r1 g5 g6 y8"), 6, 6], "pass_in_hand": [True, False, False]}
    assert rule_choice("loot_value", alone) == "bid red_1"
    assert rule_choice("loot_value", {**last, "hands": [names("g5 g6 g8 y8"), 0, 0]}) == "bid green_5"


def test_loot_value_keeps_the_loot_of_its_set() -> None:
    given = {"phase": "below", "to_move": 0, "hands": [names("g6 g7 g8"), 4, 4], "offer": names("g+8 r+10")}
    assert rule_choice("loot_value", {**given, "displays": [names("g+8 y+8"), [], []]}) == "below red"


@pytest.mark.parametrize("options", OPTION_SETS)
@pytest.mark.parametrize("player", PLAYERS)
def test_rule_players_are_legal_and_blind_to_what_is_hidden(options: dict[str, Any], player: str) -> None:
    game = load(**options)
    for g in random_match(game, seed=21):
        if not game.is_over(g):
            action = game.rule_action(g, player)
            assert action in game.legal_actions(g)
            assert action == game.rule_action(game.redacted(g, game.seat_to_move(g)), player)


def wins(player: str, opponents: str | None, matches: int) -> float:
    """The share of matches of three that one seat wins, sitting everywhere in turn; None: uniform legal actions."""
    game, won, chance = load(), 0.0, random.Random(5)
    for seed in range(matches):
        g = game.new(seed // 3)
        while not game.is_over(g):
            who = player if game.seat_to_move(g) == seed % 3 else opponents
            game.apply(g, chance.choice(game.legal_actions(g)) if who is None else game.rule_action(g, who))
        winners = game.winners(g)
        won += (seed % 3 in winners) / len(winners)
    return won / matches


def test_rule_players_are_in_order_of_strength() -> None:
    assert wins("plain", None, 60) > 0.8  # a third is equal
    assert wins("loot_value", "plain", 60) > 0.7
