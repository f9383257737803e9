"""Piraten Kapern, rule by rule (R1 to R30 of the folder's manual), with numbers worked out by hand."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError, OptionError, PositionError
from tests.reference import piraten_kapern as referee

NAMES = {"C": "coin", "D": "diamond", "M": "monkey", "P": "parrot", "S": "sabre", "X": "skull"}
ORDER = list(NAMES.values())
EVERY_CARD = dict.fromkeys(referee.CARDS, 2)


def faces(letters: str) -> list[str]:
    """'CCX' as ['coin', 'coin', 'skull']."""
    return [NAMES[letter] for letter in letters]


def table(card: str, dice: str, **more: Any) -> tuple[pirate_envs.Game, np.record]:
    """Three players; seat 0 has just rolled these dice under this card. `kept` are letters, options go by `options`."""
    options = {"players": 3, "deck": EVERY_CARD, **more.pop("options", {})}
    if "kept" in more:
        more["kept"] = faces(more["kept"])
    game = pirate_envs.load("piraten_kapern", **options)
    return game, game.from_view({"card": card, "dice": faces(dice), **more}, seed=3)


def goes_on(game: pirate_envs.Game, g: np.record) -> bool:
    """Is it still seat 0's first turn?"""
    return game.view(g)["turn"] == 0


def names(game: pirate_envs.Game, g: np.record) -> list[str]:
    return [game.action_name(g, action) for action in game.legal_actions(g)]


def outcome(card: str, dice: str, **more: Any) -> tuple[str, int, int]:
    """How seat 0's turn ends, what it scores, what each opponent gets: played on as it lies, or else stopped."""
    game, g = table(card, dice, **more)
    if goes_on(game, g):
        game.apply(g, game.action(g, "stop"))
    last = game.view(g)["last_turns"][0]
    assert last["card"] == card
    assert Counter(last["dice"]) == Counter(faces(dice))
    return last["ended_by"], last["points"], last["opponents"]


def stop_points(card: str, dice: str) -> int:
    ended_by, points, opponents = outcome(card, dice)
    assert (ended_by, opponents) == ("stop", 0)
    return points


# -- components and the turn -------------------------------------------------------------------------------------------


def test_r1_the_deck():
    whole = {"treasure_island": 4, "captain": 4, "sorceress": 4, "monkey_business": 4, "gold": 4, "diamond": 4}
    whole |= {"skulls_1": 3, "skulls_2": 2, "sea_battle_2": 2, "sea_battle_3": 2, "sea_battle_4": 2}
    for promo, more in ((False, {}), (True, {"after_the_storm": 1, "peace": 1})):
        game = pirate_envs.load("piraten_kapern", promo=promo)
        view = game.view(game.from_view({"card": "gold", "dice": faces("CCCCCCCC")}))
        assert Counter(view["undrawn"]) == Counter(whole | more) - Counter(["gold"])


def test_r1_cards_are_drawn_without_replacement_and_shuffled_when_all_are_drawn():
    deck = {"gold": 2, "diamond": 1}
    game = pirate_envs.load("piraten_kapern", deck=deck)
    g = game.new(seed=1)
    seen = []
    while not game.is_over(g):
        view = game.view(g)
        drawn = 1 + view["turn"] % 3
        assert sum(view["undrawn"].values()) == 3 - drawn
        assert view["undrawn"].get(view["card"], 0) < deck[view["card"]]
        seen.append(drawn)
        game.apply(g, game.rule_action(g))
    assert {1, 2, 3} == set(seen)


def test_r2_a_turn_begins_with_a_card_and_eight_dice():
    game = pirate_envs.load("piraten_kapern")
    view = game.view(game.new(seed=11))
    assert (len(view["dice"]), view["rolls"], view["kept"]) == (8, 1, [])
    assert view["card"] in referee.CARDS


@pytest.mark.parametrize("card", ["captain", "gold", "treasure_island", "monkey_business"])
def test_r3_three_skulls_on_the_first_roll_are_a_bust(card):
    assert outcome(card, "CCCCCXXX") == ("bust", 0, 0)


def test_r3_four_skulls_on_the_first_roll_lead_to_the_island():
    game, g = table("gold", "CCCCXXXX")
    assert game.view(g)["island"]
    game, g = table("gold", "CCCCCCXX")
    assert not game.view(g)["island"]


def test_r4_any_two_or_more_dice_but_skulls_may_be_rolled_again():
    game, g = table("gold", "CCDDMMPP")
    assert len(names(game, g)) == 3**4 - 4 - 1 + 1  # 0 to 2 of each face; not one die alone, not none; stop
    game, g = table("gold", "CCCDDMXX")
    legal = names(game, g)
    assert "stop" in legal
    assert "reroll coin coin coin diamond diamond monkey" in legal
    assert not any("skull" in name for name in legal)
    assert all(len(name.split()) > 2 for name in legal if name != "stop")


def test_r4_dice_kept_before_may_be_rolled_again_and_the_others_stay():
    game, g = table("gold", "CCDDMMPP", rolls=2, kept="CCDDMM")
    game.apply(g, game.action(g, "reroll coin parrot parrot"))
    after = game.view(g)
    assert after["rolls"] == 3
    assert after["kept"] == faces("CDDMM")
    assert not Counter(faces("CDDMM")) - Counter(after["dice"])


def test_r5_a_turn_without_two_dice_to_roll_stops_by_itself():
    assert outcome("gold", "CXXXXXXX") == ("island", 0, -700)
    assert outcome("gold", "XXXXXXXX") == ("island", 0, -800)
    game, g = table("gold", "CCXXXXXX")
    assert names(game, g) == ["stop", "reroll coin coin"]


def test_r5_equal_dice_are_one_choice():
    game, g = table("gold", "CCCCCCCC")
    assert game.legal_actions(g) == [0, 0b11, 0b111, 0b1111, 0b11111, 0b111111, 0b1111111, 0b11111111]


@pytest.mark.parametrize("skulls", [3, 4, 5])
def test_r6_r7_three_skulls_after_a_reroll_are_a_bust(skulls):
    dice = "CCCDDDDD"[: 8 - skulls] + "X" * skulls
    assert outcome("captain", dice, rolls=2, kept="CXX") == ("bust", 0, 0)


def test_r6_two_skulls_go_on():
    assert goes_on(*table("captain", "CCCDDDXX", rolls=5, kept="CX"))


# -- scoring at a stop -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "card", "dice", "points"),
    [
        ("R8", "skulls_1", "MMPPSSCX", 100),
        ("R8", "sorceress", "MMMPPSSX", 100),
        ("R8", "sorceress", "MMMMPPSX", 200),
        ("R8", "sorceress", "MMMMMPPX", 500),
        ("R8", "sorceress", "MMMMMMPX", 1000),
        ("R8", "sorceress", "MMMMMMMX", 2000),
        ("R8", "sorceress", "MMMMMMMP", 2000),
        ("R8", "sorceress", "MMMMMMMM", 4000 + 500),
        ("R8", "sorceress", "MMMPPPSS", 100 + 100),
        ("R9", "sorceress", "CCDMMPPS", 300),
        ("R9", "sorceress", "CCCMMPPS", 100 + 300),
        ("R9", "sorceress", "DDDDMPSX", 200 + 400),
        ("R10", "gold", "CCMMPPSS", 100 + 300),
        ("R10", "gold", "MMPPSSXX", 100),
        ("R10", "diamond", "DDDMMMSS", 200 + 400 + 100),
        ("R10", "diamond", "CCMPPSSX", 300),
        ("R11", "sorceress", "CCCCMMMM", 200 + 400 + 200 + 500),
        ("R11", "sorceress", "CDMMMPPP", 200 + 100 + 100 + 500),
        ("R11", "sorceress", "CDMMMPPS", 200 + 100),
        ("R11", "gold", "CDMMMPPP", 300 + 100 + 100 + 500),
        ("R11", "gold", "CCMMMPPS", 100 + 300 + 100),
        ("R11", "treasure_island", "CCCCCCCC", 4000 + 800 + 500),
        ("R12", "gold", "CCCCCCCC", 4000 + 900 + 500),
        ("R12", "diamond", "DDDDDDDD", 4000 + 900 + 500),
        ("R13", "sorceress", "CCCCMMMX", 200 + 400 + 100),
        ("R13", "skulls_1", "CCCCMMMM", 200 + 400 + 200 + 500),
        ("R13", "skulls_2", "DDDDDSSS", 500 + 500 + 100 + 500),
        ("R14", "captain", "CCMMPPSX", 2 * 200),
        ("R14", "captain", "CCCMMMMM", 2 * (100 + 300 + 500 + 500)),
        ("R14", "captain", "CCCCCCCC", 2 * (4000 + 800 + 500)),
        ("R15", "monkey_business", "MMPPPSSS", 500 + 100 + 500),
        ("R15", "monkey_business", "CMPSSSXX", 100 + 100),
        ("R15", "monkey_business", "MPPSSCDX", 100 + 200),
        ("R15", "monkey_business", "MMMMPPPP", 4000 + 500),
        ("R16", "sea_battle_2", "CCMPPSSX", 200 + 300),
        ("R16", "sea_battle_2", "CCCDDDSS", 400 + 400 + 500 + 300),
        ("R16", "sea_battle_2", "CCCDDDMS", -300),
        ("R16", "sea_battle_3", "CCPPSSSX", 200 + 100 + 500),
        ("R16", "sea_battle_3", "CCCCCCSS", -500),
        ("R16", "sea_battle_4", "CCMMSSSS", 200 + 200 + 1000),
        ("R16", "sea_battle_4", "SSSSSSSS", 4000 + 500 + 1000),
        ("R16", "sea_battle_4", "CCCCCSSS", -1000),
        ("R18", "treasure_island", "CCCCMMMM", 200 + 400 + 200 + 500),
        ("R19", "skulls_1", "CCCMMPPX", 400),
        ("R19", "skulls_2", "CCCMMPPS", 400),
        ("R20", "after_the_storm", "CCCDMMMX", 2 * (100 + 400)),
        ("R20", "after_the_storm", "MMMMPPPP", 0),
        ("R20", "after_the_storm", "CCCCCCCC", 2 * (4000 + 800)),
        ("R21", "peace", "CCCMMSSX", -2000),
        ("R21", "peace", "SSSSSSSS", -8000),
        ("R21", "peace", "CCCMMMPX", 100 + 300 + 100),
        ("R21", "peace", "CCCCMMMM", 200 + 400 + 200 + 500),
    ],
)
def test_r8_to_r21_points_at_a_stop(rule, card, dice, points):
    assert stop_points(card, dice) == points, rule


def test_r12_nine_identical_can_win_the_match_at_once():
    win = {"nine_identical": "win"}
    for card, dice in (("gold", "C" * 8), ("diamond", "D" * 8)):
        game, g = table(card, dice, options=win, scores=[-6000, 5000, 0])
        game.apply(g, game.action(g, "stop"))
        assert game.is_over(g)
        assert not game.is_truncated(g)
        assert game.payoffs(g).tolist() == [-600, 5000, 0]
        assert game.winners(g) == [0]
        assert game.rewards(g).tolist() == [1, -0.5, -0.5]
        assert game.view(g)["winner"] == 0


@pytest.mark.parametrize(
    ("card", "dice", "nine_identical"),
    [("gold", "CCCCCCCC", "eight"), ("gold", "DDDDDDDD", "win"), ("captain", "CCCCCCCC", "win")],
)
def test_r12_nothing_else_does(card, dice, nine_identical):
    game, g = table(card, dice, options={"nine_identical": nine_identical, "target": 100_000})
    game.apply(g, game.action(g, "stop"))
    assert not game.is_over(g)
    assert game.view(g)["winner"] is None


# -- the cards at a bust -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "card", "dice", "kept", "ended"),
    [
        ("R16", "sea_battle_2", "CCCCCXXX", None, ("bust", -300, 0)),
        ("R16", "sea_battle_3", "SSSSSXXX", None, ("bust", -500, 0)),
        ("R16", "sea_battle_4", "SSSSSXXX", "SSSSXX", ("bust", -1000, 0)),
        ("R18", "treasure_island", "CCCCCXXX", None, ("bust", 0, 0)),
        ("R18", "treasure_island", "CCCMSXXX", "CCCXX", ("bust", 100 + 300, 0)),
        ("R18", "treasure_island", "CDMMMMXX", "", None),
        ("R18", "treasure_island", "CDMMMXXX", "CDMMXX", ("bust", 200, 0)),
        ("R18", "treasure_island", "CCCMSXXX", "", ("bust", 0, 0)),
        ("R18", "treasure_island", "MMMMMXXX", "MMMMX", ("bust", 200, 0)),
        ("R19", "skulls_1", "CCCCCCXX", None, ("bust", 0, 0)),
        ("R19", "skulls_2", "CCCCCCCX", None, ("bust", 0, 0)),
        ("R19", "skulls_2", "CCCCCCXX", "CCCC", ("bust", 0, 0)),
        ("R20", "after_the_storm", "CCCCCXXX", None, ("bust", 0, -300)),
        ("R20", "after_the_storm", "CCCXXXXX", "CCCX", ("bust", 0, -500)),
        ("R20", "after_the_storm", "CCCCDDXX", "CCCCD", ("stop", 2 * (200 + 600), 0)),
        ("R21", "peace", "MMSSSXXX", "MMXX", ("bust", -3000, 0)),
        ("R21", "peace", "MMMMMXXX", "MMXX", ("bust", 0, 0)),
        ("R21", "peace", "SCCCCXXX", None, ("bust", -1000, 0)),
    ],
)
def test_r16_to_r21_points_at_a_bust(rule, card, dice, kept, ended):
    again = {} if kept is None else {"rolls": 2, "kept": kept}
    if ended is None:
        assert goes_on(*table(card, dice, **again)), rule
    else:
        assert outcome(card, dice, **again) == ended, rule


def test_r17_the_sorceress_rolls_one_skull_again_alone_or_with_others():
    game, g = table("sorceress", "MMMMMMXX")
    assert names(game, g) == [
        "stop",
        *(f"reroll {' '.join(['monkey'] * count)}" for count in range(2, 7)),
        *(f"reroll {' '.join(['monkey'] * count + ['skull'])}" for count in range(7)),
    ]
    game.apply(g, game.action(g, "reroll skull"))
    if goes_on(game, g):
        assert game.view(g)["sorceress_used"]
        assert not any("skull" in name for name in names(game, g))


def test_r17_she_helps_at_the_third_skull():
    for again in ({}, {"rolls": 3, "kept": "MMMMX"}):
        game, g = table("sorceress", "MMMMMXXX", **again)
        assert goes_on(game, g)
        assert names(game, g) == ["stop", *(f"reroll {' '.join(['monkey'] * count + ['skull'])}" for count in range(6))]
        game.apply(g, game.action(g, "stop"))
        assert game.view(g)["last_turns"][0] == {
            "card": "sorceress",
            "dice": faces("MMMMMXXX"),
            "ended_by": "bust",
            "points": 0,
            "opponents": 0,
        }


def test_r17_only_once_and_only_at_exactly_three():
    used = {"rolls": 3, "kept": "MMMMX", "sorceress_used": True}
    assert outcome("sorceress", "MMMMMXXX", **used) == ("bust", 0, 0)
    assert outcome("sorceress", "MMMMXXXX", rolls=2, kept="MMMX") == ("bust", 0, 0)
    assert outcome("sorceress", "MMMMMXXX", rolls=2, kept="MMMMMXX", sorceress_used=True) == ("bust", 0, 0)


def test_r18_placing_can_be_undone_dice_rolled_again_are_not_on_the_card():
    game, g = table("treasure_island", "CCCDDDXX", rolls=2, kept="CCCDX")
    assert goes_on(game, g)
    for seed in range(200):
        h = game.from_view({**game.view(g), "decisions": 0}, seed)
        game.apply(h, game.action(h, "reroll coin coin"))
        last = game.view(h)["last_turns"][0]
        if last is not None:
            break
    assert (last["ended_by"], last["points"]) == ("bust", 100 + 400)  # one coin and three diamonds stayed


def test_r20_after_the_storm_one_reroll_ends_the_turn():
    for letters in ("CCMMPPSX", "CMPSXXXX"):
        game, g = table("after_the_storm", letters)
        assert goes_on(game, g)
        game.apply(g, game.legal_actions(g)[1])
        assert not goes_on(game, g)
    visit = {"rolls": 2, "island": True}
    assert outcome("after_the_storm", "MMSSXXXX", kept="MXXXX", **visit) == ("island", 0, -400)
    assert outcome("after_the_storm", "MMPXXXXX", kept="MXXXX", **visit) == ("island", 0, -500)


# -- the Island of Skulls ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "dice", "island"),
    [
        ("captain", "CCCCXXXX", True),
        ("skulls_1", "CCCCCXXX", True),
        ("skulls_2", "CCCCCCXX", True),
        ("sorceress", "CCCCXXXX", True),
        ("peace", "CCCCXXXX", True),
        ("sorceress", "CCCCCXXX", False),
    ],
)
def test_r22_four_skulls_of_the_first_roll_lead_to_the_island(card, dice, island):
    game, g = table(card, dice)
    assert goes_on(game, g)
    assert game.view(g)["island"] == island


@pytest.mark.parametrize(("card", "points"), [("sea_battle_2", -300), ("sea_battle_3", -500), ("sea_battle_4", -1000)])
def test_r22_with_a_sea_battle_they_lose_it(card, points):
    assert outcome(card, "SSSSXXXX") == ("bust", points, 0)


def test_r23_the_visit_goes_on_only_with_a_new_skull():
    there = {"rolls": 2, "island": True}
    assert goes_on(*table("captain", "CMMXXXXX", kept="CXXXX", **there))
    assert outcome("captain", "CMMSXXXX", kept="CMXXXX", **there) == ("island", 0, -800)
    assert outcome("captain", "CXXXXXXX", kept="CXXXXX", **there) == ("island", 0, -1400)
    game, g = table("captain", "CMMXXXXX", kept="CXXXX", **there)
    assert names(game, g) == ["stop", "reroll coin monkey", "reroll monkey monkey", "reroll coin monkey monkey"]


def test_r23_the_sorceress_may_be_asked_there_but_her_skull_is_no_new_one():
    game, g = table("sorceress", "MXXXXXXX")
    assert names(game, g) == ["stop", "reroll skull", "reroll monkey skull"]
    view = game.view(g)
    ends = Counter()
    for seed in range(60):
        h = game.from_view(view, seed)
        game.apply(h, game.action(h, "reroll skull"))
        last = game.view(h)["last_turns"][0]
        ends[last["ended_by"], last["opponents"]] += 1
    assert set(ends) == {("island", -600), ("island", -700)}
    game, g = table("sorceress", "MMXXXXXX")
    view = game.view(g)
    for seed in range(60):  # with one monkey: the visit goes on just when the monkey's die shows a skull
        h = game.from_view(view, seed)
        game.apply(h, game.action(h, "reroll monkey skull"))
        new = h.copy()
        now = game.view(new)
        if now["turn"] == 0:
            assert now["dice"].count("skull") == 6  # hers fell otherwise, and one die is left besides
            assert now["sorceress_used"]


@pytest.mark.parametrize(
    ("card", "dice", "points", "opponents"),
    [
        ("gold", "CCCCXXXX", 0, -400),
        ("treasure_island", "CCCCXXXX", 0, -400),
        ("skulls_1", "CCCCXXXX", 0, -500),
        ("skulls_2", "CCCCCXXX", 0, -500),
        ("captain", "CCCCXXXX", 0, -800),
        ("captain", "XXXXXXXX", 0, -1600),
        ("skulls_2", "XXXXXXXX", 0, -1000),
        ("after_the_storm", "CCCCXXXX", 0, -400),
        ("peace", "SSMMXXXX", -2000, 0),
        ("peace", "MMMMXXXX", 0, -400),
    ],
)
def test_r21_r24_what_a_visit_costs(card, dice, points, opponents):
    assert outcome(card, dice) == ("island", points, opponents)


def test_r24_every_opponent_loses():
    game, g = table("captain", "CCCCXXXX", scores=[100, 200, -300], options={"deck": {"captain": 35}})
    game.apply(g, game.action(g, "stop"))
    last = game.view(g)["last_turns"]
    assert last[1] is None  # seat 1 is on its way, so these are the points of seat 0's visit
    assert game.payoffs(g).tolist() == [100, -600, -1100]


# -- the match ---------------------------------------------------------------------------------------------------------


def play(game: pirate_envs.Game, g: np.record, decisions: int) -> None:
    """Stop so many times."""
    for _ in range(decisions):
        game.apply(g, 0)


def test_r25_turns_go_round_the_table():
    game = pirate_envs.load("piraten_kapern", players=3)
    g = game.new(seed=1)
    for _ in range(30):
        view = game.view(g)
        assert view["to_move"] == view["turn"] % 3
        assert view["round"] == view["turn"] // 3 + 1
        game.apply(g, 0)


def test_r26_the_final_round_is_one_more_turn_for_each_other_player():
    for mover in range(3):
        scores = [0, 0, 0]
        scores[mover] = 5700
        game, g = table("gold", "CCMMPPSS", to_move=mover, turn=6 + mover, scores=scores)
        game.apply(g, 0)  # three coins: 400 points
        assert game.view(g)["final_round"]["trigger"] == mover
        while not game.is_over(g):
            assert game.seat_to_move(g) != mover
            game.apply(g, 0)
        assert game.view(g)["turn"] == 6 + mover + 2
        assert game.winners(g) == [mover]
        assert not game.is_truncated(g)


def test_r26_below_the_target_nothing_is_called():
    game, g = table("gold", "CCMMPPSS", scores=[5500, 0, 0])
    game.apply(g, 0)
    assert game.view(g)["final_round"] is None


def test_r27_a_final_round_is_cancelled():
    final = {"trigger": 0, "turns_left": 1}
    game, g = table("captain", "MMMXXXXX", to_move=1, turn=4, scores=[6900, 0, 0], final_round=final)
    game.apply(g, 0)  # 5 skulls under the captain: 1000 from each opponent
    view = game.view(g)
    assert view["final_round"] is None
    assert view["last_turns"][1]["opponents"] == -1000
    assert view["turn"] >= 5
    assert not view["over"]


def test_r27_it_stands_at_just_the_target():
    final = {"trigger": 0, "turns_left": 1}
    game, g = table("captain", "MMMXXXXX", to_move=1, turn=4, scores=[7000, 0, 0], final_round=final)
    game.apply(g, 0)
    assert game.view(g)["final_round"] == {"trigger": 0, "turns_left": 0}


@pytest.mark.parametrize(
    ("scores", "trigger"),
    [
        ([6100, 0, 7000], 2),  # seat 2 is left with 6500
        ([6100, 6000, 7000], 1),  # the mover comes first
        ([6100, 0, 6400], None),
    ],
)
def test_r28_a_new_trigger_gives_everybody_else_one_more_turn(scores, trigger):
    final = {"trigger": 0, "turns_left": 1}
    game, g = table("gold", "MMMXXXXX", to_move=1, turn=4, scores=scores, final_round=final)
    game.apply(g, 0)  # 500 from each opponent
    view = game.view(g)
    if trigger is None:
        assert view["final_round"] is None
        return
    assert view["final_round"]["trigger"] == trigger
    while not game.is_over(g):
        assert game.seat_to_move(g) != trigger
        game.apply(g, 0)
    assert game.view(g)["turn"] == 6


def test_r28_at_the_last_turn_of_a_final_round_too():
    final = {"trigger": 0, "turns_left": 0}
    game, g = table("gold", "MMMXXXXX", to_move=2, turn=5, scores=[6100, 7000, 0], final_round=final)
    game.apply(g, 0)
    assert not game.is_over(g)
    assert game.view(g)["final_round"]["trigger"] == 1


def test_r29_a_match_is_cut_short():
    options = {"max_rounds": 2}
    game, g = table("gold", "CCMMPPSS", to_move=2, turn=5, scores=[0, 300, 0], options=options)
    game.apply(g, 0)
    assert game.is_over(g)
    assert game.is_truncated(g)
    assert game.winners(g) == [2]
    final = {"trigger": 0, "turns_left": 0}
    game, g = table("gold", "CCMMPPSS", to_move=2, turn=5, scores=[6000, 300, 0], final_round=final, options=options)
    game.apply(g, 0)
    assert game.is_over(g)
    assert not game.is_truncated(g)


def test_r30_equal_totals_share_the_win():
    game = pirate_envs.load("piraten_kapern", players=3)
    g = game.from_view({"over": True, "scores": [500, -100, 500], "card": "gold", "dice": faces("CCMMPPSS")})
    assert game.winners(g) == [0, 2]
    assert game.rewards(g).tolist() == [0.5, -1, 0.5]


# -- actions, observation, notation ------------------------------------------------------------------------------------


def test_actions_by_name():
    game, g = table("gold", "CCDMMSXX")
    assert game.action(g, "stop") == 0
    assert game.action(g, "reroll coin coin sabre") == 0b100011
    assert game.action(g, "reroll sabre monkey") == 0b101000
    assert game.action_name(g, 0b101000) == "reroll monkey sabre"
    for bad in ("", "reroll", "reroll coin coin coin", "reroll kraken", "stop coin", "roll coin coin"):
        with pytest.raises(IllegalActionError, match="names no action"):
            game.action(g, bad)
    for illegal in ("reroll coin", "reroll coin skull", "reroll skull"):
        with pytest.raises(IllegalActionError, match="not legal"):
            game.apply(g, game.action(g, illegal))


def test_an_observation_piece_by_piece():
    options = {"target": 1000, "max_rounds": 10, "nine_identical": "win"}
    final = {"trigger": 2, "turns_left": 1}
    more = {"rolls": 2, "kept": "CCCXX", "to_move": 1, "turn": 4, "scores": [-500, 250, 1500], "final_round": final}
    game, g = table("treasure_island", "CCCDMMXX", **more, options=options)
    seen = {name: cells.tolist() for name, cells in game.layout.split(game.observation(g, 1)).items()}
    assert seen["dice"] == [3 / 8, 1 / 8, 2 / 8, 0, 0, 2 / 8]
    assert seen["pairs"] == [1, 0, 1, 0, 0]
    assert seen["sets"] == [1, 0, 0, 0, 0]
    assert seen["card"] == [1] + [0] * 12
    assert (seen["rolls"], seen["sorceress_used"], seen["island"]) == ([0.5], [0], [0])
    assert seen["skulls"] == pytest.approx([0.2])
    assert seen["stop_points"] == pytest.approx([0.5])
    assert (seen["stop_loss"], seen["bust_points"]) == ([0], pytest.approx([0.5]))
    assert (seen["turns"], seen["turns_left"]) == (pytest.approx([4 / 30]), [0.25])
    assert seen["undrawn"] == [0.25] + [0.5] * 12
    assert seen["scores"] == pytest.approx([0.25, 1.5, -0.5, 0, 0])
    assert seen["trigger"] == [0, 1, 0, 0, 0]
    assert seen["players"] == pytest.approx([0.6])
    assert (seen["target"], seen["nine_identical"]) == (pytest.approx([1 / 6]), [1])


@pytest.mark.parametrize(
    ("card", "dice", "stop_loss", "bust_points"),
    [("captain", "CCCCXXXX", 0.8, 0), ("sea_battle_3", "SSSCCCXX", 0, -0.5), ("peace", "SSMMMMXX", 0, -2)],
)
def test_what_stopping_and_busting_would_mean(card, dice, stop_loss, bust_points):
    game, g = table(card, dice)
    seen = game.layout.split(game.observation(g, 0))
    assert seen["stop_loss"][0] == pytest.approx(stop_loss)
    assert seen["bust_points"][0] == pytest.approx(bust_points)


ROUND_TRIP_OPTIONS: list[dict[str, Any]] = [
    {},
    {"players": 2, "promo": True, "target": 300},
    {"players": 5, "target": 1000, "nine_identical": "win", "deck": {"gold": 2, "diamond": 2, "skulls_2": 1}},
    {"players": 3, "deck": {"sorceress": 1, "after_the_storm": 1, "peace": 1, "captain": 1}, "max_rounds": 3},
]


@pytest.mark.parametrize("options", ROUND_TRIP_OPTIONS)
def test_from_view_gives_the_record_back(options):
    chance = random.Random(4)
    game = pirate_envs.load("piraten_kapern", **options)
    for seed in range(6):
        g = game.new(seed)
        for _ in range(80):
            view = json.loads(json.dumps(game.view(g)))
            assert game.redacted(game.from_view(view, seed=9), 0).tobytes() == game.redacted(g, 0).tobytes()
            if game.is_over(g):
                break
            game.apply(g, chance.choice(game.legal_actions(g)) if chance.random() < 0.7 else 0)


def test_what_a_view_leaves_out_is_usual_or_drawn():
    game = pirate_envs.load("piraten_kapern")
    empty = [game.from_view({}, seed=seed) for seed in range(20)]
    assert empty[7].tobytes() == game.new(7).tobytes()
    views = [game.view(game.from_view({"card": "gold"}, seed=seed)) for seed in range(20)]
    assert len({tuple(view["dice"]) for view in views}) > 15
    views = [game.view(game.from_view({"dice": faces("CCCCCCCC")}, seed=seed)) for seed in range(20)]
    assert len({view["card"] for view in views}) > 3
    assert all(view["turn"] == 0 and sum(view["undrawn"].values()) == 34 for view in views)
    view = game.view(game.from_view({"to_move": 2, "round": 3, "dice": faces("CCCCCCCC")}))
    assert (view["turn"], view["to_move"]) == (10, 2)


GOOD = {"card": "gold", "dice": faces("CCMMPPSS")}
FALLEN = {"ended_by": "bust", "dice": faces("CCMMPXXX"), "card": "gold", "points": 0, "opponents": 0}


@pytest.mark.parametrize(
    ("field", "view"),
    [
        ("colour", {"colour": "red"}),
        ("game", {"game": "skull_king-v0"}),
        ("options", {"options": {"players": 2}}),
        ("scores", {"scores": [0, 0]}),
        ("scores", {"scores": [0, 0, 0, "many"]}),
        ("to_move", {"to_move": 4}),
        ("turn_of", {"to_move": 1, "turn_of": 2}),
        ("turn", {"turn": 240}),
        ("round", {"turn": 9, "round": 2}),
        ("card", {"card": "kraken"}),
        ("card", {"card": "peace"}),
        ("card", GOOD | {"undrawn": {"gold": 4}}),
        ("undrawn", GOOD | {"undrawn": {"gold": 5}}),
        ("undrawn", GOOD | {"undrawn": ["gold"]}),
        ("dice", {"dice": faces("CCMMPPS")}),
        ("dice", {"dice": faces("CCMMPPSSS")}),
        ("dice", {"dice": [*faces("CCMMPPS"), "kraken"]}),
        ("dice", {"rolls": 2}),
        ("rolls", GOOD | {"rolls": 0}),
        ("kept", GOOD | {"kept": ["coin"]}),
        ("kept", GOOD | {"rolls": 2, "kept": faces("CCC")}),
        ("kept", GOOD | {"rolls": 2, "kept": faces("CCMMPPS")}),
        ("kept", {"card": "gold", "dice": faces("CCCCXXXX"), "rolls": 2, "kept": faces("XXX")}),
        ("kept", {"card": "gold", "dice": faces("CCCCXXXX"), "rolls": 2, "island": True}),
        ("sorceress_used", GOOD | {"sorceress_used": True}),
        ("sorceress_used", GOOD | {"sorceress_used": 1}),
        ("island", GOOD | {"island": True}),
        ("island", {"card": "gold", "dice": faces("CCCCXXXX"), "island": False}),
        ("final_round", {"scores": [0, 6000, 0, 0]}),
        ("final_round", {"final_round": {"trigger": 1}}),
        ("final_round", {"final_round": {"trigger": 0}, "scores": [6000, 0, 0, 0]}),
        ("final_round", {"final_round": 3}),
        ("last_turns", {"last_turns": [None]}),
        ("last_turns", {"last_turns": [{"card": "gold"}, None, None, None]}),
        ("last_turns", {"last_turns": [FALLEN | {"points": 100}, None, None, None]}),
        ("last_turns", {"last_turns": [FALLEN | {"ended_by": "stop"}, None, None, None]}),
        ("winner", {"winner": 1}),
        ("truncated", {"truncated": True}),
        ("over", {"over": 1}),
    ],
)
def test_impossible_positions_are_refused(field, view):
    game = pirate_envs.load("piraten_kapern")
    with pytest.raises(PositionError, match=f"^{field}: "):
        game.from_view(view)


def test_a_position_as_text():
    game, g = table("sea_battle_3", "CCCMSSXX", scores=[1200, -300, 0], to_move=1, rolls=2, kept="CCCX")
    text = game.render(g, 0)
    for part in (
        "round 1",
        "sea_battle_3",
        "coin coin coin monkey sabre sabre skull skull",
        "skulls 2",
        "-500 points",
        "0 (you)",
    ):
        assert part in text
    assert "each opponent loses 400" in game.render(table("gold", "CCCCXXXX")[1])
    assert "called by seat 2" in game.render(table("gold", "CCMMPPSS", final_round={"trigger": 2}, scores=[0, 0, 6000])[1])


@pytest.mark.parametrize(
    "options",
    [
        {"players": 6},
        {"target": 99},
        {"max_rounds": 0},
        {"nine_identical": "lose"},
        {"promo": 1},
        {"deck": {"kraken": 1}},
        {"deck": {}},
        {"deck": {"gold": -1, "captain": 5}},
        {"deck": {"gold": 256}},
        {"deck": {"gold": 1.5}},
        {"deck": "gold"},
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        pirate_envs.load("piraten_kapern", **options)


# -- rule players ------------------------------------------------------------------------------------------------------


def mean_after_one_roll(card: int, dice: list[int], action: int) -> float:
    """Exact mean of own points and each opponent's loss, rolling these slots once and stopping, by the referee's scores."""
    kept = [face for slot, face in enumerate(dice) if not action >> slot & 1]
    count = 8 - len(kept)
    total = 0.0
    for rolled in itertools.combinations_with_replacement(range(6), count):
        ways = math.factorial(count) // math.prod(map(math.factorial, Counter(rolled).values()))
        after = sorted(kept + list(rolled))
        if referee.count_skulls(card, after) >= 3:
            total += ways * sum(referee.score_bust(card, after, kept))
        else:
            total += ways * referee.score_stop(card, after)
    return total / 6**count


@pytest.mark.parametrize(
    ("card", "dice"),
    [
        ("captain", "CCCMMPSX"),
        ("treasure_island", "CCCMMPXX"),
        ("treasure_island", "DDMMPSSX"),
        ("sea_battle_3", "CCMMPSSX"),
        ("monkey_business", "MMPPPSSX"),
        ("gold", "CCDMMMSS"),
        ("skulls_1", "DDDDDPSX"),
        ("after_the_storm", "CCCDMMXX"),
        ("peace", "CCMMMSXX"),
        ("skulls_2", "CCMMMPPS"),
    ],
)
def test_exact_roll_does_what_has_the_best_mean(card, dice):
    game, g = table(card, dice)
    kind = referee.CARDS.index(card)
    lying = [ORDER.index(face) for face in faces(dice)]
    means = {action: mean_after_one_roll(kind, lying, action) for action in game.legal_actions(g) if action}
    means[0] = referee.score_stop(kind, lying)
    assert means[game.rule_action(g, "exact_roll")] == pytest.approx(max(means.values()))


@pytest.mark.parametrize(
    ("card", "dice", "expected"),
    [
        ("gold", "CMMPXXXX", "reroll coin monkey monkey parrot"),  # on the Island every die may bring a skull
        ("peace", "MSXXXXXX", "reroll monkey sabre"),
        ("sorceress", "CCCMMXXX", "reroll skull"),  # three skulls: a stop is a bust
    ],
)
def test_exact_roll_on_the_island_and_with_the_sorceress(card, dice, expected):
    game, g = table(card, dice)
    chosen = game.action_name(g, game.rule_action(g, "exact_roll"))
    assert chosen == expected or (card == "sorceress" and chosen.endswith("skull"))


def test_exact_roll_does_not_stop_behind_in_a_final_round():
    dice, final = "CCCMMPXX", {"trigger": 0, "turns_left": 0}
    game, g = table("gold", dice, scores=[6500, 0, 0], final_round=final, to_move=1)
    assert game.rule_action(g, "exact_roll") != 0
    game, g = table("gold", dice, scores=[6500, 6400, 0], final_round=final, to_move=1)
    assert game.rule_action(g, "exact_roll") == 0


@pytest.mark.parametrize(
    ("card", "dice", "expected"),
    [
        ("gold", "CCMMMPPX", "reroll parrot parrot"),
        ("gold", "CCMMMPXX", "stop"),
        ("gold", "CCMMMPSX", "reroll parrot sabre"),
        ("gold", "CCCMMMSS", "reroll sabre sabre"),
        ("sea_battle_3", "CCCMMSSX", "reroll coin coin coin monkey monkey"),
        ("peace", "CCMMMSSX", "reroll sabre sabre"),
        ("sorceress", "CCCMMXXX", "reroll skull"),
        ("gold", "CCMPXXXX", "reroll coin coin monkey parrot"),
    ],
)
def test_cautious_keeps_what_scores_and_stops_at_two_skulls(card, dice, expected):
    game, g = table(card, dice)
    assert game.action_name(g, game.rule_action(g, "cautious")) == expected


def win_share(one: str, others: str | None, matches: int) -> float:
    """Share of the matches that `one` wins against three of `others` (None: uniform-legal), every seat in turn."""
    game = pirate_envs.load("piraten_kapern")
    chance = random.Random(1)
    won = 0.0
    for match in range(matches):
        g = game.new(match // 4)
        while not game.is_over(g):
            player = one if game.seat_to_move(g) == match % 4 else others
            game.apply(g, game.rule_action(g, player) if player else chance.choice(game.legal_actions(g)))
        winners = game.winners(g)
        won += (match % 4 in winners) / len(winners)
    return won / matches


def test_rule_players_are_in_order_of_strength():
    assert win_share("cautious", None, 8) > 0.9
    assert win_share("exact_roll", "cautious", 80) > 0.36  # 0.51 over many; a quarter is equal
