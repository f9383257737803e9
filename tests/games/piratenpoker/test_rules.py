"""Piratenpoker by its manual: the cards, a cycle, who wins a round (R1 to R16), in numbers worked out by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.games.piratenpoker.stories import COLOURS, DECK, bid, legal, load, names, play, table, winner
from tests.games.positions import differing, random_match

# -- components ----------------------------------------------------------------------------------------------------------


def test_r1_the_poker_cards() -> None:
    game, seen = load(players=5), Counter[str]()
    for seed in range(12):
        for g in random_match(game, seed):
            shown = game.view(g)
            if shown["phase"] == "bid" and shown["bids"] == [None] * 5:
                known = Counter(card for hand in (*shown["hands"], shown["discard"]) for card in hand)
                assert known <= DECK
                assert known.total() + shown["pile"] == 84
                seen |= known
    assert seen == DECK


@pytest.mark.parametrize(
    ("counts", "fronts"),
    [(None, [5, 5, 6, 6, 8, 8, 10]), ({"5": 3, "10": 4}, [5, 5, 5, 10, 10, 10, 10]), ({"6": 7}, [6] * 7)],
)
def test_r2_the_loot(counts: dict[str, int] | None, fronts: list[int]) -> None:
    game = load(loot_counts=counts)
    orders = set()
    for seed in range(30):
        shown = game.view(game.new(seed))
        loot = [card for stack in (shown["offer"], *shown["stacks"]) for card in stack]
        assert Counter(loot) == Counter(f"{colour}_+{front}" for colour in COLOURS.values() for front in fronts)
        orders.add(str(shown["stacks"]))
    assert len(orders) == (1 if counts == {"6": 7} else 30)


@pytest.mark.parametrize(
    ("front", "back", "points"), [("+5", "shark", 4), ("+6", "-3", -3), ("+8", "-4", -4), ("+10", "-5", -5)]
)
def test_r2_fronts_and_backs(front: str, back: str, points: int) -> None:
    game, g = table("g2", "g1", "r1", offer=f"g{front} r+6 y+6")
    bid(game, g, "g2", "g1", "r1")
    play(game, g, "overboard green to 1")
    assert game.view(g)["displays"] == [[], [f"green_{back}"], []]
    assert game.view(g)["scores"] == [0, points, 0]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_r3_the_deal(players: int) -> None:
    for preset in ("english", "french"):
        game = load(players=players, rules=preset)
        shown = game.view(game.new(4))
        assert [len(hand) for hand in shown["hands"]] == [6] * players
        assert shown["pile"] == 84 - 6 * players
        assert [len(stack) for stack in shown["stacks"]] == [6, 6, 6]
        assert (shown["discard"], shown["displays"]) == ([], [[]] * players)
        assert shown["pass_in_hand"] == [True] * players


def test_r3_the_top_of_each_stack_is_known_to_all() -> None:
    game = load()
    g = game.new(4)
    tops = [stack[0] for stack in game.view(g)["stacks"]]
    for seat in range(3):
        assert game.view(g, seat)["stacks"] == [[top, *[None] * 5] for top in tops]


# -- who may bid what --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["english", "french"])
def test_r4_in_a_new_cycle_everybody_is_in_and_holds_the_pass(preset: str) -> None:
    game, g = table("g8", "g5 r5", "g4", options={"rules": preset})
    bid(game, g, "g8", "-", "-")
    assert game.view(g)["pass_in_hand"] == [True, False, False]
    game, g = table("g8", "g5 r5", "g4", options={"rules": preset})
    bid(game, g, "-", "-", "-")
    shown = game.view(g)
    assert shown["cycle"] == 2
    assert shown["pass_in_hand"] == shown["in_cycle"] == [True] * 3


def test_r5_r6_a_cycle_is_three_rounds_of_one_bid_each() -> None:
    game, g = table("g8 g7 g6", "r3 r2 r1", "y3 y2 y1")
    seats = []
    for bids, choice in (("g8 r3 y3", ["overboard green to 2"]), ("g7 r2 y2", ["below red"]), ("g6 r1 y1", [])):
        for cards in bids.split():
            seats.append(game.seat_to_move(g))
            bid(game, g, cards)
        if choice:
            assert game.seat_to_move(g) == 0
            play(game, g, *choice)
    assert seats == [0, 1, 2] * 3
    shown = game.view(g)
    assert (shown["cycle"], shown["round"], shown["phase"], shown["to_move"]) == (2, 1, "bid", 0)
    assert [card.split("_")[0] for card in shown["offer"]] == ["green", "red", "yellow"]
    assert shown["displays"] == [["yellow_+10"], [], ["green_-4"]]


def test_r6_a_bid_is_any_of_ones_cards_or_the_pass() -> None:
    game, g = table("g4 g4 r5", "g1", "r1")
    assert legal(game, g) == {
        "pass", "bid green_4", "bid green_4 green_4", "bid red_5", "bid green_4 red_5", "bid green_4 green_4 red_5",
    }  # fmt: skip
    game, g = table("g1 g2 r1 r2 y1 y2", 6, 6)
    assert len(legal(game, g)) == 64


@pytest.mark.parametrize("options", [{}, {"rules": "french"}])
def test_r6_nothing_tells_of_a_sealed_bid_before_the_reveal(options: dict[str, Any]) -> None:
    hands = ("g1 g4 r4 r7 y2 y5", 6, 6, 6)
    worlds = []
    for sealed in ("-", "g1", "y5", "g4 r4", "g1 g4 r4 r7 y2 y5"):
        game, g = table(*hands, options=options)
        bid(game, g, sealed)
        assert game.view(g, 0)["bids"] == ["pass" if sealed == "-" else names(sealed), None, None, None]
        worlds.append(g)
    first = worlds[0]
    for g in worlds[1:]:
        for seat in (1, 2, 3):
            assert game.view(g, seat) == game.view(first, seat)
            assert game.view(g, seat)["hands"][0] == 6
            assert np.array_equal(game.observation(g, seat), game.observation(first, seat))
            assert differing(game.redacted(g, seat), game.redacted(first, seat)) == []
        assert game.legal_actions(g) == game.legal_actions(first)


def test_r6_after_the_reveal_all_bids_are_seen() -> None:
    game, g = table("g8 r8", "g5 r5", "g4 r4")
    bid(game, g, "-", "g5 r5", "g4")
    expected = {"round": 1, "doubled": None, "bids": ["pass", names("g5 r5"), ["green_4"]], "winner": 1}
    for seat in (None, 0, 1, 2):
        shown = game.view(g, seat)
        assert (shown["last_reveal"], shown["bids"]) == (expected, [None] * 3)
    assert [game.view(g, 0)["hands"][seat] for seat in (1, 2)] == [0, 1]


def test_r7_who_passed_is_out_for_the_rest_of_the_cycle() -> None:
    game, g = table("g8 r8", "g5 r5 y5", "g4 r4 y4")
    bid(game, g, "-", "g5", "g4")
    play(game, g, "overboard green to 1")
    assert (game.seat_to_move(g), game.view(g)["in_cycle"]) == (1, [False, True, True])
    bid(game, g, "r5", "r4")
    assert game.seat_to_move(g) == 1
    play(game, g, "below red", "give nothing")
    bid(game, g, "y5", "y4")
    shown = game.view(g)
    assert (shown["cycle"], shown["round"], shown["to_move"]) == (2, 1, 0)
    assert set(names("g8 r8")) <= set(shown["hands"][0])  # it kept them
    assert "pass" in legal(game, g)
    assert shown["in_cycle"] == shown["pass_in_hand"] == [True] * 3


def test_r7_a_spent_pass_leaves_cards_to_stake() -> None:
    game, g = table("g8 r8", "g5 r5 y5", "g4 r4 y4", options={"pass_effect": "spent"})
    bid(game, g, "-", "g5", "g4")
    play(game, g, "overboard green to 0")
    assert game.seat_to_move(g) == 0
    assert legal(game, g) == {"bid green_8", "bid red_8", "bid green_8 red_8"}
    assert game.view(g)["pass_in_hand"] == [False, True, True]


def test_r8_without_a_card_there_is_only_the_pass() -> None:
    game, g = table("-", "g1", "r1")
    assert legal(game, g) == {"pass"}


def test_r8_without_card_and_pass_one_is_not_asked() -> None:
    game, g = table("g8", "g5 r5", "g4", "-", options={"pass_effect": "spent"})
    bid(game, g, "g8", "-", "-", "-")
    play(game, g, "overboard green to 1")
    assert game.seat_to_move(g) == 0
    bid(game, g, "-", "g5", "g4")  # not seat 3
    assert (game.view(g)["phase"], game.seat_to_move(g)) == ("below", 1)
    play(game, g, "below red", "give nothing")
    assert game.seat_to_move(g) == 1  # neither seat 0, who has used both, nor seats 2 and 3
    bid(game, g, "r5")
    assert game.view(g)["displays"] == [[], ["green_-4", "yellow_+10"], [], []]


def test_r8_where_nobody_can_bid_the_cycle_ends_as_if_all_had_passed() -> None:
    game, g = table("g8", "g5", "g4", options={"pass_effect": "spent", "all_pass": "remove"})
    bid(game, g, "g8", "-", "-")
    play(game, g, "overboard green to 1")
    bid(game, g, "-", "g5", "g4")
    play(game, g, "below red", "give nothing")
    shown = game.view(g)
    assert (shown["cycle"], shown["round"], shown["displays"]) == (2, 1, [[], ["green_-4"], []])
    assert [len(stack) for stack in shown["stacks"]] == [5, 6, 5]  # a new one of each on offer, the red one back


def test_r9_staked_cards_are_discarded_the_losers_too() -> None:
    game, g = table("g8 r8", "g5 r5", "g4 r4")
    before = game.view(g)["discard"]
    bid(game, g, "g8", "-", "g4 r4")
    shown = game.view(g)
    assert Counter(shown["discard"]) - Counter(before) == Counter(names("g8 g4 r4"))
    assert shown["hands"] == [["red_8"], names("g5 r5"), []]
    assert all(game.view(g, seat)["discard"] == shown["discard"] for seat in range(3))


def test_r10_a_lone_player_bids_as_always() -> None:
    game, g = table("g1 r1 y1", "g8 r8", "y8 y7")
    bid(game, g, "g1", "-", "-")
    play(game, g, "overboard green to 1")
    assert "pass" in legal(game, g)
    bid(game, g, "r1")
    play(game, g, "below red")
    bid(game, g, "y1")
    assert game.view(g)["displays"] == [["yellow_+10"], ["green_-4"], []]
    game, g = table("g1 r1", "g8 r8", "y8 y7")
    bid(game, g, "g1", "-", "-")
    play(game, g, "overboard green to 1")
    bid(game, g, "-")
    assert game.view(g)["cycle"] == 2


# -- what a winner does ------------------------------------------------------------------------------------------------

ALL = {f"overboard {colour} to {seat}" for colour in COLOURS.values() for seat in range(3)}
OWN = {f"overboard {colour} to 1" for colour in COLOURS.values()}
NO_SHARK = {name for name in ALL if "red" not in name}


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        ({}, ALL),
        ({"overboard_to": "others"}, ALL - OWN),
        ({"overboard_shark": "keep"}, NO_SHARK | {"overboard red to 1"}),
        ({"overboard_to": "others", "overboard_shark": "keep"}, (NO_SHARK - OWN) | {"overboard red to 1"}),
        ({"rules": "french"}, (NO_SHARK - OWN) | {"overboard red to 1"}),
    ],
)
def test_r11_overboard(options: dict[str, Any], choices: set[str]) -> None:
    game, g = table("g1", "g8", "r1", offer="g+8 r+5 y+10", options=options)
    bid(game, g, "g1", "g8", "r1")
    assert (game.view(g)["phase"], game.seat_to_move(g)) == ("overboard", 1)
    assert legal(game, g) == choices


def test_r12_below_deck() -> None:
    game, g = table("g1", "r1", "y8", offer="g+8 y+10")
    stack = game.view(g)["stacks"][2]
    bid(game, g, "g1", "r1", "y8")
    assert legal(game, g) == {"below green", "below yellow"}
    play(game, g, "below yellow")
    shown = game.view(g)
    assert (shown["stacks"][2], shown["offer"]) == ([*stack, "yellow_+10"], ["green_+8"])
    assert (shown["round"], shown["phase"]) == (3, "bid")
    assert [game.view(g, seat)["stacks"][2] for seat in range(3)] == [[stack[0], *[None] * (len(stack) - 1), "yellow_+10"]] * 3


GIFTS = ["-", "g-3 r+8 y-5 y-3 gs", "-"]


def giving(*displays: str, **options: Any) -> Any:
    """Seat 1 has won round 2 and put the green card below."""
    game, g = table("g1 r1", "r8 y2", "g2 r2", offer="g+8 r+10", displays=list(displays), options=options)
    bid(game, g, "g1", "r8", "g2")
    play(game, g, "below green")
    return game, g


def test_r13_one_negative_card_may_be_given() -> None:
    game, g = giving(*GIFTS)
    assert (game.view(g)["phase"], game.seat_to_move(g)) == ("gift", 1)
    assert legal(game, g) == {"give nothing", "give -3 to 0", "give -3 to 2", "give -5 to 0", "give -5 to 2"}
    play(game, g, "give -5 to 2")
    shown = game.view(g)
    assert (shown["round"], shown["displays"][2], shown["scores"]) == (3, ["yellow_-5"], [0, 6, -5])
    game, g = giving(*GIFTS)
    play(game, g, "give nothing")
    assert (game.view(g)["round"], game.view(g)["scores"]) == (3, [0, 1, 0])


def test_r13_any_number_to_one_player() -> None:
    game, g = giving(*GIFTS, gift_limit="any")
    play(game, g, "give -3 to 2")
    assert legal(game, g) == {"give nothing", "give -3 to 2", "give -5 to 2"}
    play(game, g, "give -3 to 2", "give -5 to 2")
    shown = game.view(g)
    assert (shown["round"], shown["scores"]) == (3, [0, 12, -11])
    game, g = giving(*GIFTS, gift_limit="any")
    play(game, g, "give -5 to 0", "give nothing")
    assert (game.view(g)["round"], game.view(g)["scores"]) == (3, [-5, 6, 0])


@pytest.mark.parametrize("display", ["-", "gs r+8", "y+10"])
def test_r13_without_a_negative_card_there_is_no_gift(display: str) -> None:
    for limit in ("one", "any"):
        game, g = giving("g-4", display, "-", gift_limit=limit)
        assert game.view(g)["round"] == 3


def test_r14_the_loot() -> None:
    game, g = table("g1", "g5", "y8", offer="y+5", displays=["-", "r-3", "-"])
    bid(game, g, "g1", "g5", "y8")
    shown = game.view(g)
    assert (shown["displays"], shown["scores"]) == ([[], ["red_-3"], ["yellow_+5"]], [0, -3, 5])


# -- who wins a round --------------------------------------------------------------------------------------------------

ROUNDS = [
    (("g5", "r4", "y3"), 0),
    (("r8", "g4 g5", "y1"), 1),
    (("g5 r4", "g6 r3", "y1"), 1),  # nine each: the six
    (("r2 g6 y1", "r3 y6", "g1"), 1),  # nine and a six each: the three
    (("g5 g4 g3", "r5 r4 r2 y1", "y4"), 0),  # twelve, a five and a four each: the three
    (("g5", "r5", "y4"), 2),  # the tied ones drop out
    (("g5", "r5", "g4", "y4", "g1"), 4),  # and the next ones too
    (("g6 r3", "y6 r3", "g5 y4"), 2),  # nine each, two of them alike: the third
    (("g5", "r5", "-"), 2),  # the Pass is a bid of nothing
    (("g5", "r5", "-", "g2"), 3),
    (("g1", "-", "-"), 0),
    (("g5", "r5", "-", "-"), None),
    (("g5", "r5", "g4", "r4"), None),
    (("g2", "r2", "y2"), None),
    (("-", "-", "-"), None),
]


@pytest.mark.parametrize(("bids", "seat"), ROUNDS)
def test_r15_the_highest_sum_wins_then_the_highest_cards(bids: tuple[str, ...], seat: int | None) -> None:
    for turn in range(len(bids)):  # wherever they sit
        turned = bids[turn:] + bids[:turn]
        expected = None if seat is None else (seat - turn) % len(bids)
        assert winner(*turned) == expected
        assert winner(*turned, offer="g+8 y+10") == expected  # below deck as overboard


def test_r15_tie_depth() -> None:
    for bids, depth_all, depth_two in (
        (("g5 g4 g3", "r5 r4 r2 y1", "y4"), 0, 2),  # the third card is not looked at
        (("g5 g4 g3", "r5 r3 y3 y1", "y4"), 0, 0),  # the second is
        (("g5 g4 g3", "r5 r4 r2 y1", "y5 y4 y3"), 1, None),
    ):
        assert winner(*bids) == depth_all
        assert winner(*bids, tie_depth="two") == depth_two


def test_r15_who_takes_no_part_wins_nothing() -> None:
    game, g = table("g5 r1", "r5 y1", "g4", "y8")
    bid(game, g, "g5", "-", "g4", "-")
    play(game, g, "overboard green to 1")
    bid(game, g, "r1", "-")
    play(game, g, "below red")
    assert game.seat_to_move(g) == 0  # alone


@pytest.mark.parametrize(
    ("bids", "worth", "printed"),
    [
        (("g5", "r8", "y1"), 0, 0),  # ten against eight
        (("g4", "r8", "y1"), 2, 1),  # eight each: two equal cards; or a four against an eight
        (("g4", "r4 y4", "y1"), 0, 1),  # eight each: 8 against 4, 4; or 4 against 4, 4: the first one runs out
        (("g1 r2", "y4", "y3"), 1, 1),  # four each: 2, 2 against 4
        (("g4 r1", "r5 y4", "g3 y3"), 0, 1),  # nine each: 8, 1 against 5, 4 and 6, 3; or 4, 1 against 5, 4 and 3, 3
        (("g4", "r8", "-"), 2, 1),
    ],
)
def test_r16_the_colour_of_the_loot_counts_twice(bids: tuple[str, ...], worth: int, printed: int) -> None:
    assert winner(*bids, offer="g+8") == worth
    assert winner(*bids, offer="g+8", r3_tie_value="printed") == printed


def test_r16_not_before_the_third_round() -> None:
    assert winner("g5", "r8", "y1", offer="g+8 y+10") == 1
    assert winner("g5 r4", "g6 r3", "y1", r3_tie_value="printed") == 1
