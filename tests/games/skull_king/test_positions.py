"""Skull King: views as records and back."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import PositionError, RecordError
from pirate_envs.games.skull_king.notation import PLAYED_NAMES
from pirate_envs.games.skull_king.state import KING, PLAYING_TRICKS
from tests.games.positions import (
    check_seats_views_become_worlds,
    check_views_give_records_back,
    differing,
    random_match,
    refused_or_played,
)
from tests.games.skull_king.setup import OPTION_SETS
from tests.games.skull_king.test_rules import DECK, load, play


@pytest.mark.parametrize("options", OPTION_SETS)
def test_a_view_gives_the_record_back(options: dict[str, Any]) -> None:
    check_views_give_records_back(load(**options), every=7)


@pytest.mark.parametrize("options", OPTION_SETS)
def test_a_seats_view_becomes_a_world_that_agrees_with_it(options: dict[str, Any]) -> None:
    assert sum(1 for _ in check_seats_views_become_worlds(load(**options), every=11)) > 0


def test_a_seats_view_hides_hands() -> None:
    game = load(players=3)
    g = game.from_view({"phase": "play", "hand_number": 2, "hands": [["red_1", "red_2"], ["pirate"], 2], "leader": 1,
                        "trick": ["red_3"]})  # fmt: skip
    assert game.view(g, 0)["hands"] == [["red_1", "red_2"], 1, 2]
    assert game.view(g, 1)["hands"] == [2, ["pirate"], 2]
    assert game.view(g, 0)["legal"] == []  # seat 2 is to move
    assert "pirate" not in game.render(g, 0)
    assert "pirate" in game.render(g)


def test_the_shortest_view_is_the_start_of_a_match() -> None:
    game = load()
    g = game.from_view({}, seed=3)
    assert differing(g, game.new(3)) in ([], ["hands"], ["hands", "counts"])
    assert game.view(g)["phase"] == "bid"
    assert [len(hand) for hand in game.view(g)["hands"]] == [1, 1, 1, 1]


def test_left_out_cards_are_dealt_by_the_seed_from_what_remains() -> None:
    game = load(players=6)
    own = ["skull_king"] + ["pirate"] * 5 + ["escape"] * 4
    given = {"phase": "play", "hand_number": 10, "hands": [own, 10, None, 10, 10, 10]}
    worlds = [game.view(game.from_view(given, seed=seed))["hands"] for seed in range(5)]
    for hands in worlds:
        assert Counter(card for hand in hands for card in hand) <= DECK
        assert [len(hand) for hand in hands] == [10] * 6
    assert len({str(hands) for hands in worlds}) == 5
    assert worlds[2] == game.view(game.from_view(given, seed=2))["hands"]


def test_unknown_hands_hold_no_card_that_a_bonus_came_from() -> None:
    view = {"hand_number": 3, "phase": "play", "bids": [1, 1, 1], "tricks_won": [1, 0, 0], "bonus": [60, 0, 0]}
    game = load(players=3)
    for seed in range(40):  # by some of these seeds somebody would be dealt the king, by whom the bonus was won
        g = game.from_view(view, seed)
        assert game.from_view(game.view(g)).bonus[0] == 60


def test_no_bonus_is_more_than_the_cards_out_of_hands_bring() -> None:
    game = load(players=3, first_hand=9, last_hand=9)
    g = next(g for g in map(game.new, range(99)) if any(kinds >> KING & 1 for kinds in g.hands.tolist()))
    while g.phase != PLAYING_TRICKS:
        game.apply(g, game.legal_actions(g)[0])
    g.bonus[0] = 1_100
    with pytest.raises(RecordError, match="bonus in the record: the cards that are out of hands cannot have brought so much"):
        game.check_record(g)


def test_unknown_hands_respect_voids_even_where_few_worlds_are_left() -> None:
    game = load(players=2, highest=5)  # 34 cards, 20 held, seat 1 may hold black and specials only: 5 + 14 cards
    own = ["pirate"] * 5 + ["escape"] * 4 + ["skull_king"]
    given = {"phase": "play", "hand_number": 10, "hands": [own, 10], "voids": [[], ["yellow", "blue", "red"]]}
    with pytest.raises(PositionError, match="^hands: too few cards"):  # 5 black, escape, 2 mermaids, Scary Mary: nine
        game.from_view(given)
    given["hands"] = [[*own[1:], "yellow_1"], 10]
    g = game.from_view(given)
    black = [f"black_{number}" for number in range(1, 6)]
    assert sorted(game.view(g)["hands"][1]) == sorted([*black, "escape", "mermaid", "mermaid", "pirate", "scary_mary"])


def test_a_complete_trick_is_played_on() -> None:
    game = load(players=3)
    given = {"phase": "play", "hand_number": 2, "leader": 1, "bids": [1, 0, 1], "hands": [["red_1"], ["red_2"], ["red_3"]]}
    g = game.from_view({**given, "trick": ["blue_4", "blue_9", "black_1"]})
    shown = game.view(g)
    assert (shown["to_move"], shown["tricks_won"], shown["trick"]) == (0, [1, 0, 0], [])
    assert shown["last_trick"] == {"leader": 1, "cards": ["blue_4", "blue_9", "black_1"], "winner": 0, "bonus": 0}
    assert shown["voids"] == [["blue"], [], []]


def test_a_finished_hand_and_a_finished_match_are_scored() -> None:
    done = {"phase": "play", "hand_number": 2, "bids": [1, 1], "tricks_won": [1, 1], "hands": [[], []]}
    game = load(players=2)
    shown = game.view(game.from_view(done))
    assert (shown["hand_number"], shown["phase"], shown["scores"]) == (3, "bid", [20, 20])
    game = load(players=2, last_hand=2)
    g = game.from_view({**done, "scores": [10, 0]})
    assert game.is_over(g)
    assert game.payoffs(g).tolist() == [30, 20]
    assert game.is_over(game.from_view({**done, "scores": [30, 20], "over": True}))


START: dict[str, Any] = {"phase": "play", "hand_number": 2, "hands": [["red_1", "red_2"], 2, 2, 2]}


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("flag", {"flag": 1}),
        ("game", {"game": "skull_king-v9"}),
        ("options", {"options": {"players": 3}}),
        ("phase", {"phase": "sleep"}),
        ("hand_number", {"hand_number": 11}),
        ("hand_number", {"hand_number": 0}),
        ("hand_number", {"hand_number": "two"}),
        ("leader", {"leader": 4}),
        ("leader", {"leader": True}),
        ("first_leader", {"hand_number": 2, "leader": 1, "first_leader": 2}),
        ("bids", {"hand_number": 2, "bids": [3, None, None, None]}),
        ("bids", {"bids": [0, 0, 0]}),
        ("bids", {"hand_number": 2, "leader": 0, "bids": [None, 1, None, None]}),
        ("bids", {**START, "bids": [1, None, 0, 0]}),
        ("to_move", {**START, "leader": 1, "to_move": 2}),
        ("to_move", {"to_move": 4}),
        ("scores", {"scores": [0, 0, 0, 0.5]}),
        ("scores", {"scores": [0, 0, 0, 10**9]}),
        ("bonus", {**START, "bonus": [30, 0, 0, 0]}),
        ("bonus", {**START, "bonus": [-30, 0, 0, 0]}),
        ("tricks_won", {**START, "tricks_won": [1, 1, 1, 0]}),
        ("tricks_won", {"hand_number": 2, "tricks_won": [1, 0, 0, 0], "phase": "bid"}),
        ("hands", {**START, "hands": [["red_1"], 2, 2, 2]}),
        ("hands", {**START, "hands": [["red_1", "red_2"], 3, 2, 2]}),
        ("hands", {**START, "hands": [["red_1", "green_2"], 2, 2, 2]}),
        ("hands", {**START, "hands": [["red_1", "red_14"], 2, 2, 2]}),
        ("hands", {**START, "hands": [["red_1", "scary_mary:pirate"], 2, 2, 2]}),
        ("hands", {**START, "hands": [["red_1", "red_2"], ["red_2", "red_3"], 2, 2]}),
        ("hands", {**START, "hands": [["pirate", "pirate"]] * 3 + [2]}),
        ("hands", {**START, "hands": "red_1 red_2"}),
        ("trick", {**START, "leader": 0, "hands": [["red_1"], 2, 2, 2], "trick": ["scary_mary"]}),
        ("trick", {**START, "leader": 3, "hands": [["red_1"], 2, 2, 1], "trick": ["red_9", "blue_5"]}),
        ("trick", {**START, "trick": ["escape"] * 5}),
        ("trick", {**START, "leader": 1, "hands": [["red_1", "red_2"], 1, 1, 2], "trick": ["mermaid", "skull_king:x"]}),
        ("played", {**START, "played": ["red_5"]}),
        ("played", {**START, "hand_number": 3, "tricks_won": [1, 0, 0, 0], "played": ["skull_king", "skull_king"]}),
        ("voids", {**START, "voids": [["red"], [], [], []]}),
        ("voids", {**START, "voids": [["green"], [], [], []]}),
        ("to_move", {**START, "hand_number": 3, "tricks_won": [1, 1, 1, 0], "hands": [0, 0, 0, 0], "to_move": 4}),
        ("leader", {**START, "hand_number": 3, "leader": 1, "tricks_won": [1, 0, 0, 0]}),
        ("voids", {"voids": [["red"], [], [], []], "phase": "bid"}),
        ("voids", {**START, "hands": [2, 2, 2, 1], "leader": 3, "voids": [[], [], [], ["red"]], "trick": ["red_9"]}),
        ("over", {**START, "over": True}),
    ],
)
def test_positions_that_cannot_be_name_the_field(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^'?{field}'?: "):
        load().from_view(given)


NONSENSE: list[Any] = [
    -1, 99, 1.5, True, "", "pirate", [], {}, [None], [[]] * 4, ["pirate"], [1, 1, 1, 1], [-1, 0, 0, 0], [99] * 4, ["x"] * 4,
    [["pirate"]] * 4, [{}, {}, {}, {}], {"leader": 9, "cards": []}, {"leader": 0, "cards": ["escape"] * 4}, 10**30,
]  # fmt: skip


def last(*cards: str, leader: int = 0, **more: Any) -> dict[str, Any]:
    return {"last_trick": {"leader": leader, "cards": list(cards), **more}}


TRICK = ["red_3", "red_9", "blue_1", "pirate"]  # seat 0 led, seat 2 could not follow, seat 3 has won
ONE_TRICK: dict[str, Any] = {
    "phase": "play", "hand_number": 3, "bids": [1, 1, 0, 1], "tricks_won": [0, 0, 0, 1], "first_leader": 0, "leader": 3,
    "hands": [["red_4", "mermaid"], 2, 2, 2], "last_trick": {"leader": 0, "cards": TRICK},
}  # fmt: skip
LATER: dict[str, Any] = {**ONE_TRICK, "hand_number": 4, "tricks_won": [0, 1, 0, 1], "last_trick": {"leader": 1, "cards": TRICK}}
LATER_TRICK = last("red_3", "red_9", "pirate", "red_1", leader=1)  # won by seat 3


def test_the_last_trick_tells_who_leads_what_is_gone_and_who_could_not_follow() -> None:
    game = load()
    told = {key: value for key, value in ONE_TRICK.items() if key not in ("leader", "first_leader")}
    for given in (ONE_TRICK, told, {**ONE_TRICK, "played": TRICK}, {**ONE_TRICK, "played": ["red_9"]}):
        shown = game.view(game.from_view(given, seed=2))
        assert (shown["first_leader"], shown["leader"], shown["to_move"]) == (0, 3, 3)
        assert (shown["played"], shown["voids"]) == (sorted(TRICK, key=PLAYED_NAMES.index), [[], [], ["red"], []])
        assert not {card for hand in shown["hands"] for card in hand} & {"red_3", "red_9", "blue_1"}
    king = {"leader": 0, "cards": ["pirate", "escape", "red_1", "skull_king"]}
    assert game.view(game.from_view({**ONE_TRICK, "last_trick": king}))["bonus"] == [0, 0, 0, 30]


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("last_trick", last("pirate", "red_1")),
        ("last_trick", {"hand_number": 2, **last("pirate", "red_1")}),
        ("last_trick", {"hand_number": 2, **last(*TRICK, leader=1, winner=1)}),
        ("last_trick", {"hand_number": 2, **last(*TRICK, leader=0, winner=True)}),
        ("last_trick", {"hand_number": 2, **last(*TRICK, leader=0, bonus=30)}),
        ("last_trick", {"hand_number": 2, **last(*TRICK, leader=2)}),  # seat 0 led hand 1
        ("last_trick", last(*TRICK)),  # before the first trick of the match
        ("last_trick", {"hand_number": 3, **last("red_14", "red_1", "red_2", "red_4")}),
        ("last_trick", {"hand_number": 3, **last("red_1", "red_1", "red_2", "red_4")}),
        ("last_trick", {"hand_number": 3, **last("skull_king", "skull_king", "red_2", "red_4")}),
        ("last_trick", {"hand_number": 3, **last("scary_mary:pirate", "scary_mary:escape", "red_2", "red_4")}),
        ("last_trick", {**ONE_TRICK, **last("red_3", "red_4", "blue_1", "pirate")}),  # seat 0 holds it
        ("last_trick", {**ONE_TRICK, "hands": [2, 2, 2, 1], "trick": ["red_9"]}),  # it is on the table
        ("last_trick", {**ONE_TRICK, "played": ["red_3", "red_9", "blue_2", "pirate"]}),
        ("last_trick", {**ONE_TRICK, "played": ["red_3", "red_9", "blue_2"]}),
        ("last_trick", {**ONE_TRICK, "leader": 1, "tricks_won": [0, 1, 0, 0]}),  # seat 3 won it
        ("last_trick", {**ONE_TRICK, "first_leader": 1}),
        ("last_trick", {**LATER, **last(*TRICK)}),  # seat 0 had won nothing to lead with
        ("last_trick", {**LATER, "tricks_won": [1, 0, 0, 1], **LATER_TRICK}),
        ("voids", {**ONE_TRICK, "hands": [2, 2, ["red_5", "red_6"], 2]}),  # it did not follow
        ("voids", {**ONE_TRICK, "voids": [["red"], [], [], []], "hands": [2, 2, 2, 2]}),  # it played one since
        ("bonus", {**ONE_TRICK, "bonus": [0, 0, 0, 30]}),  # no king was there
        ("bonus", {**ONE_TRICK, "bonus": [0, 0, 0, 0], **last("pirate", "escape", "red_1", "skull_king")}),
        ("bonus", {**LATER, **LATER_TRICK, "bonus": [0, 20, 0, 0]}),
        ("bonus", {**LATER, **LATER_TRICK, "bonus": [0, 30, 0, 30]}),
        ("bonus", {**LATER, **LATER_TRICK, "bonus": [0, 120, 0, 0]}),  # three others at the table
        ("bonus", {**LATER, **LATER_TRICK, "bonus": [0, 50, 0, 0], "hands": [["skull_king", "red_4"], 2, 2, 2]}),
    ],
)  # fmt: skip
def test_histories_that_cannot_be_name_the_field(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^{field}: "):
        load().from_view(given)


@pytest.mark.parametrize("bonus", [0, 30, 50, 60, 90])
def test_each_bonus_that_one_trick_of_four_can_pay_may_be_told(bonus: int) -> None:
    told = {key: value for key, value in LATER.items() if key != "last_trick"}
    game = load()
    assert game.view(game.from_view({**told, "bonus": [0, bonus, 0, 0]}))["bonus"] == [0, bonus, 0, 0]


class Odd(list[Any]):
    """A list of an uncommon type."""


CYCLE: list[Any] = []
CYCLE.append(CYCLE)
DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]
ODD: list[Any] = [
    None, True, -1, 0, 1, 10**30, -(10**6_000), 1.5, float("nan"), "", "red_1", "\ud800", b"red", object(), {1, 2}, CYCLE, DEEP,
    range(4), Odd([0, 0, 0, 0]), np.zeros(4), np.zeros(4, np.int64), np.array(3), np.int8(1), np.bool_(True),
    np.array(["red_1"] * 4), np.zeros((4, 0)), [np.zeros(2)] * 4, [np.int64(1)] * 4, [None] * 4, [10**6_000] * 4,
    [[None]] * 4, [{}] * 4,
    {"leader": None}, {"leader": 0, "cards": None}, {"leader": np.zeros(3), "cards": np.array(["red_1"] * 4)},
    {10**6_000: 1}, {None: 1},
    {(1,): [2]},
]  # fmt: skip


def odd_versions(value: Any) -> list[Any]:
    """The value with one part of it changed to something odd."""
    if isinstance(value, dict):
        return ODD + [{**value, key: odd} for key, inner in value.items() for odd in odd_versions(inner)]
    if isinstance(value, list):
        return ODD + [
            [*value[:i], odd, *value[i + 1 :]] for i in {0, len(value) - 1} if value for odd in odd_versions(value[i])
        ]
    return ODD


@pytest.mark.parametrize("options", OPTION_SETS)
def test_only_a_position_error_comes_out_of_an_odd_view(options: dict[str, Any]) -> None:
    game, refused, taken = load(**options), 0, 0
    own = ("phase", "to_move", "scores", "over", *game.positions.OWN_KEYS)
    for i, g in enumerate(random_match(game, seed=5)):
        if i % 101 == 0:
            shown = game.view(g, i % game.players)
            for field in own:
                for odd in odd_versions(shown[field]):
                    try:
                        game.view(game.from_view({**shown, field: odd}))
                        taken += 1
                    except PositionError:
                        refused += 1
    assert refused > 4 * taken > 0


@pytest.mark.parametrize(
    "field",
    ["game", "options", "phase", "to_move", "scores", "over", "hand_number", "first_leader", "leader", "bids", "tricks_won",
     "bonus", "hands", "voids", "trick", "played", "last_trick"],
)  # fmt: skip
def test_nonsense_in_any_field_is_an_error_or_a_position_that_can_be_played(field: str) -> None:
    game = load()
    start = game.new(1)
    play(game, start, "bid 1", "bid 0", "bid 0", "bid 0")
    assert refused_or_played(game, ({}, START, game.view(start)), field, NONSENSE) >= 2 * len(NONSENSE)
