"""Piratenpoker: how a cycle and a match end, what loot is worth, who wins (R17 to R24)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.games.piratenpoker.stories import DECK, bid, load, names, play, table
from tests.games.positions import random_match

# -- a round that nobody wins ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bids", [("g5", "r5", "y5"), ("-", "-", "-")])
def test_r17_a_round_that_nobody_wins_ends_the_cycle(bids: tuple[str, ...]) -> None:
    game, g = table(*bids)
    before = game.view(g)
    bid(game, g, *bids)
    shown = game.view(g)
    assert (shown["cycle"], shown["round"], shown["to_move"], shown["last_reveal"]["winner"]) == (2, 1, 0, None)
    assert shown["offer"] == [stack[0] for stack in before["stacks"]]
    assert shown["stacks"] == [[*stack[1:], card] for stack, card in zip(before["stacks"], before["offer"], strict=True)]
    assert shown["displays"] == [[], [], []]
    assert [len(hand) for hand in shown["hands"]] == [6, 6, 6]


def test_r17_what_was_decided_before_stays() -> None:
    game, g = table("g8 r5", "g1 y5", "g2 g5")
    stacks = game.view(g)["stacks"]
    bid(game, g, "g8", "g1", "g2")
    play(game, g, "overboard green to 1")
    bid(game, g, "r5", "y5", "g5")
    shown = game.view(g)
    assert (shown["cycle"], shown["displays"]) == (2, [[], ["green_-4"], []])
    assert [stack[-1] for stack in shown["stacks"]] == [stacks[0][-1], "red_+6", "yellow_+10"]
    game, g = table("g1", "r1", "y1", offer="y+10")
    stacks = game.view(g)["stacks"]
    bid(game, g, "-", "-", "-")
    assert [stack[-1] for stack in game.view(g)["stacks"]] == [stacks[0][-1], stacks[1][-1], "yellow_+10"]


def test_r17_loot_on_which_all_pass_may_leave_the_game() -> None:
    for bids, removed in ((("-", "-", "-"), True), (("g5", "r5", "y5"), False)):
        game, g = table("g5", "r5", "y5", options={"all_pass": "remove"})
        stacks = game.view(g)["stacks"]
        bid(game, g, *bids)
        back = [[], [], []] if removed else [["green_+8"], ["red_+6"], ["yellow_+10"]]
        assert game.view(g)["stacks"] == [stack[1:] + card for stack, card in zip(stacks, back, strict=True)]


@pytest.mark.parametrize("bids", [("g8", "r1", "y5"), ("-", "-", "-")])
def test_r17_only_a_third_rounds_card_may_leave_the_game(bids: tuple[str, ...]) -> None:
    for offer in ("g+8 r+6 y+10", "g+8 r+6"):
        game, g = table("g8", "r8", "y8", offer=offer, options={"all_pass": "remove_last"})
        stacks = game.view(g)["stacks"]
        bid(game, g, "-", "-", "-")
        assert game.view(g)["removed"] == []
        assert [stack[-1] for stack in game.view(g)["stacks"]][:2] == names("g+8 r+6")
        assert [len(stack) for stack in game.view(g)["stacks"]][:2] == [len(stack) for stack in stacks[:2]]
    game, g = table(*bids, offer="y+10", options={"all_pass": "remove_last"})
    bid(game, g, *bids)
    assert game.view(g)["removed"] == (["yellow_+10"] if bids[0] == "-" else [])


def test_r17_a_third_rounds_card_goes_back_after_a_tie() -> None:
    game, g = table("g5", "r5", "g4", "r4", offer="y+10", options={"all_pass": "remove_last"})
    bid(game, g, "g5", "r5", "g4", "r4")
    assert (game.view(g)["removed"], game.view(g)["stacks"][2][-1]) == ([], "yellow_+10")


def test_r17_where_nobody_can_bid_in_the_third_round_its_card_is_passed_on() -> None:
    game, g = table("g8", "g5", "g4", options={"pass_effect": "spent", "all_pass": "remove_last"})
    bid(game, g, "g8", "-", "-")
    play(game, g, "overboard green to 1")
    bid(game, g, "-", "g5", "g4")
    play(game, g, "below red", "give nothing")
    assert (game.view(g)["cycle"], game.view(g)["removed"]) == (2, ["yellow_+10"])


# -- after a cycle -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("overboard", "below", "over"), [("red", "green", False), ("green", "red", True), ("red", "yellow", True)]
)
def test_r18_the_match_ends_when_a_stack_is_empty_after_a_cycle(overboard: str, below: str, over: bool) -> None:
    game, g = table("g8 r8 y8", "g1 r1 y1", "g2 r2 y2", stacks=[[], 3, 3])
    bid(game, g, "g8", "g1", "g2")
    assert not game.is_over(g)
    play(game, g, f"overboard {overboard} to 1")
    bid(game, g, "r8", "r1", "r2")
    play(game, g, f"below {below}")
    bid(game, g, "y8", "y1", "y2")
    assert game.is_over(g) == over
    assert not game.is_truncated(g)


@pytest.mark.parametrize("end", ["after_cycle", "at_once"])
@pytest.mark.parametrize("left", [1, 2])
def test_r18_a_match_that_ends_at_once_leaves_the_last_card_of_a_stack(end: str, left: int) -> None:
    game, g = table("g8", "g1", "r1", offer="y+10", stacks=[left, 3, 3], options={"match_end": end})
    bid(game, g, "g8", "g1", "r1")
    assert game.is_over(g) == (end == "at_once" and left == 1)
    assert not game.is_truncated(g)
    assert len(game.view(g)["stacks"][0]) == (left if game.is_over(g) else left - 1)
    assert (game.view(g)["offer"] == []) == game.is_over(g)
    assert "yellow_+10" in game.view(g)["displays"][0]


def test_r18_a_match_that_ends_at_once_is_not_cut_short_in_its_last_cycle() -> None:
    game, g = table("g8", "g1", "r1", offer="y+10", stacks=[1, 3, 3], options={"match_end": "at_once", "max_cycles": 1})
    bid(game, g, "g8", "g1", "r1")
    assert game.is_over(g)
    assert not game.is_truncated(g)


def test_r18_a_card_below_deck_keeps_a_match_from_ending_at_once() -> None:
    for below, over in (("green", False), ("red", True)):
        game, g = table("g8 r8 y8", "g1 r1 y1", "g2 r2 y2", stacks=[1, 3, 3], options={"match_end": "at_once"})
        bid(game, g, "g8", "g1", "g2")
        play(game, g, "overboard yellow to 1")
        bid(game, g, "r8", "r1", "r2")
        play(game, g, f"below {below}")
        bid(game, g, "y8", "y1", "y2")
        assert game.is_over(g) == over


@pytest.mark.parametrize(
    ("options", "sizes"), [({}, [6, 6, 6]), ({"rules": "french"}, [5, 5, 6]), ({"refill_to": 2}, [2, 4, 6])]
)
def test_r19_hands_are_filled_up(options: dict[str, Any], sizes: list[int]) -> None:
    game, g = table("g1", "r1 r2 r3 y4", "y1 y2 y3 y5 y6 y7", options=options)
    before = game.view(g)
    bid(game, g, "-", "-", "-")
    shown = game.view(g)
    assert [len(hand) for hand in shown["hands"]] == sizes
    assert shown["pile"] == before["pile"] - sum(sizes) + 11
    for hand, held in zip(shown["hands"], before["hands"], strict=True):
        assert Counter(held) <= Counter(hand)  # nobody discards


def test_r19_a_first_hand_is_six_cards_all_the_same() -> None:
    game = load(refill_to=2)
    g = game.new(1)
    assert [len(hand) for hand in game.view(g)["hands"]] == [6, 6, 6]


def test_r19_the_discard_becomes_the_pile_when_a_card_is_needed() -> None:
    hands = ["g1 g2 g2 g7 g7", "r1 r2 r2 r7", "y1 y2 y2 y7 y7 y8"]
    left = Counter(names("r3 r8"))
    discard = DECK - left - Counter(names(" ".join(hands)))
    game, g = table(*hands, discard=sorted(discard.elements()))
    assert game.view(g)["pile"] == 2
    bid(game, g, "-", "-", "-")
    shown = game.view(g)
    first, second = (Counter(shown["hands"][seat]) - Counter(names(hands[seat])) for seat in (0, 1))
    assert first <= left  # one of the two; seat 1 draws the other and one from the discard
    assert left - first <= second
    assert (second - left) <= discard
    assert (shown["discard"], shown["pile"]) == ([], 84 - 18)


def test_r20_a_match_is_cut_short() -> None:
    game = load(max_cycles=2)
    g = game.new(3)
    play(game, g, *["pass"] * 3)
    assert not game.is_over(g)
    play(game, g, *["pass"] * 3)
    assert game.is_over(g)
    assert game.is_truncated(g)
    assert game.payoffs(g).tolist() == [0, 0, 0]
    assert game.winners(g) == [0, 1, 2]


def test_r20_it_counts_as_it_stands() -> None:
    game, g = table("g8", "r1", "y1", offer="g+8", displays=["-", "g+5", "-"], options={"max_cycles": 1})
    bid(game, g, "g8", "r1", "y1")
    assert game.is_truncated(g)
    assert game.payoffs(g).tolist() == [8, 5, 0]
    assert game.rewards(g).tolist() == [1, -0.5, -0.5]


def test_r20_a_match_that_ends_with_its_last_cycle_is_not_cut_short() -> None:
    game, g = table("g8", "r1", "y1", offer="g+8", stacks=[[], 3, 3], options={"max_cycles": 1})
    bid(game, g, "g8", "r1", "y1")
    assert game.is_over(g)
    assert not game.is_truncated(g)


def test_r20_a_match_is_seven_cycles_or_more_or_six_if_it_ends_at_once() -> None:
    for options, fewest, left in (({}, 7, 0), ({"rules": "french"}, 6, 1), ({"players": 5}, 7, 0)):
        game = load(**options)
        for seed in range(20):
            *_, g = random_match(game, seed)
            assert fewest <= game.view(g)["cycle"] <= 30
            assert min(len(stack) for stack in game.view(g)["stacks"]) == left


# -- points ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("display", "once", "repeated"),
    [
        ("-", 0, 0),
        ("g+8 r+6 y-5 gs", 13, 13),
        ("g-3 r-4 y-5", -12, -12),
        ("g+8 r+8 y+8", 29, 29),
        ("g+10 r+10 y+10", 35, 35),
        ("gs rs ys", 17, 17),
        ("gs rs y+5", 13, 13),  # no shark while its front is shown
        ("g+5 r+5 ys", 14, 14),
        ("g-4 g-4 r-4", -12, -12),  # backs make no set
        ("g+6 r+6 y+6 g+8 r+8 y+8", 52, 52),
        ("g+6 g+6 r+6 y+6 gs rs ys", 46, 46),
        ("gs gs rs rs ys ys", 29, 34),
        ("g+6 g+6 r+6 r+6 y+6 y+6", 41, 46),
        ("gs gs rs rs ys", 25, 25),
    ],
)
def test_r21_r22_points_and_bonuses(display: str, once: int, repeated: int) -> None:
    for repeat, points in ((False, once), (True, repeated)):
        game = load(bonus_repeat=repeat)
        g = game.from_view({"displays": [[], names(display), []]})
        assert game.payoffs(g).tolist() == [0, points, 0]


@pytest.mark.parametrize(
    ("display", "fronts", "every", "repeated"),
    [
        ("g-4 g-4 r-4", -12, -7, -7),
        ("g-3 r-3 y-4", -10, -10, -10),  # no three of one value
        ("g-3 r-3 y-3 g-5 r-5 y-5", -24, -14, -14),  # two values, two sets
        ("g-3 r-3 y-3 g-3 r-3 y-3", -18, -13, -8),
        ("gs rs ys", 17, 17, 17),  # sharks once, as sharks
        ("g+5 r+5 ys", 14, 14, 14),
        ("g+6 r+6 y-3", 9, 9, 9),  # a front and a back are not equal
        ("g+8 r+8 y+8 g-3 r-3 y-3", 20, 25, 25),
    ],
)
def test_r22_sets_of_backs(display: str, fronts: int, every: int, repeated: int) -> None:
    sets = {"bonus_sides": "all"}
    for options, points in (({}, fronts), (sets, every), ({**sets, "bonus_repeat": True}, repeated)):
        game = load(**options)
        g = game.from_view({"displays": [names(display), [], []]})
        assert game.payoffs(g).tolist() == [points, 0, 0]
        assert game.view(g)["scores"] == [points, 0, 0]


def test_r22_a_bonus_of_backs_comes_and_goes_with_the_cards() -> None:
    options = {"bonus_sides": "all", "gift_limit": "one"}
    game, g = table("g1", "g8", "r1", offer="g+8 y+10", displays=["g-3 r-3", "g-3 r-3 y-3", "-"], options=options)
    assert game.payoffs(g).tolist() == [-6, -4, 0]
    bid(game, g, "g1", "g8", "r1")
    play(game, g, "below green", "give -3 to 0")
    assert game.payoffs(g).tolist() == [-4, -6, 0]


def test_r22_a_bonus_comes_and_goes_with_the_cards() -> None:
    game, g = table("g8", "g1", "r1", offer="g+5", displays=["r+5 y+5", "-", "-"])
    bid(game, g, "g8", "g1", "r1")
    assert game.payoffs(g).tolist() == [20, 0, 0]


def finished(*displays: str, **options: Any) -> Any:
    """A match that ended with these displays: the last round was passed by all, the green stack is empty."""
    players = len(displays)
    game, g = table(*[1] * players, offer="y+6", displays=list(displays), stacks=[0, None, None], options=options)
    bid(game, g, *["-"] * players)
    assert game.is_over(g)
    return game, g


@pytest.mark.parametrize(
    ("displays", "shared", "runner_up"),
    [
        (["g+8", "r+6", "-"], [0], [0]),
        (["g+5 r+5", "y+10", "-"], [1], [1]),  # ten each: the ten
        (["g+10 r-3", "r+8 y-5 ys", "g+6"], [0], [0]),  # seven each: the ten again
        (["g+6 r+5", "r+6 y+5", "g+8"], [0, 1], [2]),  # eleven each, card for card
        (["g+6 rs", "y+6 gs", "r+5 y+5"], [0, 1], [2]),  # ten each; the third is behind on cards and comes next
        (["g+6 rs", "y+6 gs", "g+8", "r+8"], [0, 1], [0, 1]),  # nobody is left
        (["g+6 rs", "y+6 gs", "g+8", "r+8", "y+5"], [0, 1], [4]),
        (["g-3", "r-3", "y-4"], [0, 1], [2]),
        (["-", "-", "-"], [0, 1, 2], [0, 1, 2]),
    ],
)
def test_r23_r24_who_wins(displays: list[str], shared: list[int], runner_up: list[int]) -> None:
    for final_tie, winners in (("shared", shared), ("runner_up", runner_up)):
        game, g = finished(*displays, final_tie=final_tie)
        assert game.winners(g) == winners
        lost = len(displays) - len(winners)
        share = 1 / len(winners) if lost else 0
        assert game.rewards(g) == pytest.approx([share if seat in winners else -1 / lost for seat in range(len(displays))])


def test_r23_tie_depth() -> None:
    displays = ["g+8 r+6 y+5 r-5", "r+8 g+6 ys g-4", "g+5"]  # fourteen each; the third card decides
    for options, winners in (
        ({}, [0]),
        ({"tie_depth": "two"}, [0, 1]),
        ({"tie_depth": "two", "final_tie": "runner_up"}, [2]),
        ({"rules": "french", "match_end": "after_cycle"}, [2]),
    ):
        game, g = finished(*displays, **options)
        assert game.payoffs(g).tolist() == [14, 14, 5]
        assert game.winners(g) == winners


def test_rewards_by_score_and_margin() -> None:
    displays = ["g+8", "r+6 y-4", "-"]  # 8, 2 and 0
    for reward, expected in (("score", [8, 2, 0]), ("margin", [7, -2, -5])):
        game, g = finished(*displays, reward=reward)
        assert game.rewards(g) * game.scale == pytest.approx(expected)
