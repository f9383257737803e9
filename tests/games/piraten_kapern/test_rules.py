"""Piraten Kapern, rule by rule (R1 to R24 and R31 to R35 of the folder's manual), with numbers worked out by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import pirate_envs
from tests.games.piraten_kapern import referee
from tests.games.piraten_kapern.tables import faces, goes_on, names, table


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


# -- variants ----------------------------------------------------------------------------------------------------------


def test_r31_a_sea_battle_may_lead_to_the_island():
    """Nobody wins or loses the battle there."""
    there = {"options": {"battle_island": True}}
    for card in ("sea_battle_2", "sea_battle_3", "sea_battle_4"):
        game, g = table(card, "SSSSXXXX", **there)
        assert goes_on(game, g) and game.view(g)["island"]
        seen = game.layout.split(game.observation(g, 0))
        assert [float(seen[name][0]) for name in ("stop_points", "bust_points")] == [0, 0]
        assert seen["stop_loss"][0] == pytest.approx(0.4)
        assert outcome(card, "SSSSXXXX", **there) == ("island", 0, -400)
        assert outcome(card, "CSXXXXXX", rolls=2, kept="XXXXXX", island=True, **there) == ("island", 0, -600)
    assert outcome("sea_battle_3", "SSSSSXXX", **there) == ("bust", -500, 0)
    assert outcome("sea_battle_3", "SSSSXXXX", rolls=2, kept="SSSXX", **there) == ("bust", -500, 0)


def test_r32_a_bust_in_a_sea_battle_may_score_nothing():
    free = {"options": {"battle_bust": "nothing"}}
    for card, points in (("sea_battle_2", 300), ("sea_battle_3", 500), ("sea_battle_4", 1000)):
        assert outcome(card, "SSSSSXXX", **free) == ("bust", 0, 0)
        assert outcome(card, "CCCSXXXX", rolls=2, kept="CCCXX", **free) == ("bust", 0, 0)
        assert outcome(card, "SSSSXXXX", **free) == ("bust", 0, 0)  # R22: still no way to the Island
        assert outcome(card, "CCCMMMPS", **free) == ("stop", -points, 0)
        game, g = table(card, "SSSSCCXX", **free)
        assert game.layout.split(game.observation(g, 0))["bust_points"][0] == 0
        assert outcome(card, "SSSSMMPX", **free) == ("stop", points + 200, 0)


def test_r33_the_sorceress_may_come_too_late_at_the_third_skull():
    late = {"options": {"sorceress_rescues": False}}
    assert outcome("sorceress", "MMMMMXXX", **late) == ("bust", 0, 0)
    assert outcome("sorceress", "MMMMMXXX", rolls=2, kept="MMMMX", **late) == ("bust", 0, 0)
    assert not goes_on(*table("sorceress", "MMMMMXXX", **late))
    for dice in ("MMMMMMXX", "MMMMXXXX"):
        game, g = table("sorceress", dice, **late)
        assert "reroll skull" in names(game, g) and "reroll monkey monkey" in names(game, g)


def test_r34_her_skull_may_need_another_die():
    joined = {"options": {"sorceress_alone": False}}
    game, g = table("sorceress", "MMMMMMXX", **joined)
    with_her = [f"reroll {' '.join(['monkey'] * count + ['skull'])}" for count in range(1, 7)]
    assert names(game, g) == ["stop", *(f"reroll {' '.join(['monkey'] * count)}" for count in range(2, 7)), *with_her]
    game, g = table("sorceress", "MMMMMXXX", **joined)
    assert names(game, g) == ["stop", *with_her[:5]]
    game, g = table("sorceress", "MXXXXXXX", **joined)
    assert names(game, g) == ["stop", "reroll monkey skull"]
    game, g = table("sorceress", "XXXXXXXX")
    assert names(game, g) == ["stop", "reroll skull"]
    assert not goes_on(*table("sorceress", "XXXXXXXX", **joined))
    assert outcome("sorceress", "XXXXXXXX", **joined) == ("island", 0, -800)


def test_r35_sabres_may_have_to_lie_on_the_island_with_the_peace_card():
    lying = {"options": {"peace_rolls_sabres": False}}
    game, g = table("peace", "MMPSXXXX", **lying)
    assert names(game, g) == ["stop", "reroll monkey monkey", "reroll monkey parrot", "reroll monkey monkey parrot"]
    assert outcome("peace", "MMPSXXXX", **lying) == ("island", -1000, 0)
    for dice, points in (("SSSSXXXX", -4000), ("MSSSXXXX", -3000)):  # with fewer than two other dice the visit ends
        assert goes_on(*table("peace", dice))
        assert not goes_on(*table("peace", dice, **lying))
        assert outcome("peace", dice, **lying) == ("island", points, 0)
    game, g = table("peace", "MMPSSXXC", **lying)
    assert "reroll sabre sabre" in names(game, g)  # away from the Island
    game, g = table("gold", "MMSSXXXX", **lying)
    assert "reroll sabre sabre" in names(game, g)  # with another card
