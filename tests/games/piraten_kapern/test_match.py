"""Piraten Kapern: the course of a match, actions, observation, notation and the rule players."""

from __future__ import annotations

import copy
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
from pirate_envs.testing import check_game
from tests.games.piraten_kapern import referee
from tests.games.piraten_kapern.test_rules import ORDER, faces, table

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
    more = {"rolls": 2, "kept": "CCCXX", "to_move": 1, "turn": 4, "scores": [-500, 300, 1500], "final_round": final}
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
    assert seen["scores"] == pytest.approx([0.3, 1.5, -0.5, 0, 0])
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
SUNK = {"ended_by": "bust", "dice": faces("SSSSXXXX"), "card": "sea_battle_2", "points": -300, "opponents": 0}
DUG = {"ended_by": "bust", "dice": faces("CCCMPXXX"), "card": "treasure_island", "points": 200, "opponents": 0}  # at most 400


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
        ("last_turns", {"turn": 2, "last_turns": [{"card": "gold"}, None, None, None]}),
        ("last_turns", {"turn": 2, "last_turns": [FALLEN | {"points": 100}, None, None, None]}),
        ("last_turns", {"turn": 2, "last_turns": [FALLEN | {"ended_by": "stop"}, None, None, None]}),
        ("last_turns", {"turn": 2, "last_turns": [FALLEN | {"ended_by": "island", "opponents": -300}, None, None, None]}),
        ("last_turns", {"turn": 2, "last_turns": [SUNK | {"ended_by": "island", "opponents": -400}, None, None, None]}),
        ("last_turns", {"turn": 2, "last_turns": [DUG | {"points": 600}, None, None, None]}),
        ("last_turns", {"turn": 2, "last_turns": [None, None, FALLEN, None]}),  # seat 2 has not played yet
        ("last_turns", {"last_turns": [FALLEN, None, None, None]}),
        ("turn", {"turn": 2, "to_move": 1}),
        ("scores", {"scores": [0, 150, 0, 0]}),
        ("final_round", {"over": True, "turn": 9, "final_round": {"trigger": 0, "turns_left": 2}, "scores": [6000, 0, 0, 0]}),
        ("kept", {"card": "gold", "dice": faces("CCCXXXXX"), "rolls": 3, "kept": faces("CXXXX"), "island": True}),
        ("winner", {"winner": 1}),
        ("truncated", {"truncated": True}),
        ("over", {"over": 1}),
    ],
)
def test_impossible_positions_are_refused(field, view):
    game = pirate_envs.load("piraten_kapern")
    with pytest.raises(PositionError, match=f"^{field}: "):
        game.from_view(view)


def test_turns_that_can_have_been_played_are_read():
    game = pirate_envs.load("piraten_kapern", battle_island=True)
    for turn in (FALLEN, SUNK, DUG, DUG | {"points": 400}, SUNK | {"ended_by": "island", "points": 0, "opponents": -400}):
        g = game.from_view(GOOD | {"turn": 1, "last_turns": [turn, None, None, None]})
        assert {**game.view(g)["last_turns"][0], "dice": turn["dice"]} == turn
    with pytest.raises(PositionError, match="not one of \\[0, 100, 200, 400\\]"):
        game.from_view({"turn": 1, "last_turns": [DUG | {"points": 300}, None, None, None]})


STRANGE: list[Any] = [
    None, True, -1, 0, 3, 150, 2**70, -(2**70), 1.5, float("nan"), "", "coin", "island", b"x", object(), range(8), {"coin"},
    [], [None], [[]], ["coin"] * 9, {}, {"gold": 2**70}, {"trigger": np.zeros(2)}, {1: 2},
    np.zeros(0), np.zeros(4), np.arange(8), np.array("coin"), np.array([["stop"]]), [np.zeros(3)] * 4, [np.array(["coin"])] * 8,
    np.int8(1), np.uint64(2**63), np.float32(0), np.bool_(True),
]  # fmt: skip


def some_position(game: pirate_envs.Game, seed: int, chance: random.Random) -> np.record:
    """After a few random decisions."""
    g = game.new(seed)
    for _ in range(chance.randrange(60)):
        if not game.is_over(g):
            game.apply(g, chance.choice(game.legal_actions(g)))
    return g


def mutated(value: Any, chance: random.Random) -> Any:
    """The value with something strange in it, or in its place."""
    value, odd = copy.deepcopy(value), chance.choice(STRANGE)
    if isinstance(value, (dict, list)) and value and chance.random() < 0.7:
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value[key] = mutated(value[key], chance)
        return value
    return odd


@pytest.mark.parametrize("options", [*ROUND_TRIP_OPTIONS, {"sorceress_alone": False, "battle_island": True}])
def test_strange_positions_are_read_or_refused(options):
    """Whatever stands in a view's own fields: a record whose view leads back to it, or a PositionError that names a field."""
    game, chance, messages = pirate_envs.load("piraten_kapern", **options), random.Random(8), []
    for seed in range(200):
        shown = game.view(some_position(game, seed, chance))
        for field in chance.sample(sorted(set(shown) - {"game", "options", "legal"}), chance.choice([1, 1, 2])):
            shown[field] = mutated(shown[field], chance)
        try:
            again = game.from_view(shown, seed)
        except PositionError as error:
            messages.append(str(error))
        else:
            assert game.redacted(game.from_view(game.view(again)), 0).tobytes() == game.redacted(again, 0).tobytes()
    assert 100 < len(messages) < 200
    assert {message.split(":")[0] for message in messages} <= set(shown)


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
        {"battle_bust": "won"},
        {"battle_island": 1},
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


def mean_after_one_roll(card: int, dice: list[int], action: int, battle_is_lost: bool = True) -> float:
    """Exact mean of own points and each opponent's loss, rolling these slots once and stopping, by the referee's scores."""
    kept = [face for slot, face in enumerate(dice) if not action >> slot & 1]
    count = 8 - len(kept)
    total = 0.0
    for rolled in itertools.combinations_with_replacement(range(6), count):
        ways = math.factorial(count) // math.prod(map(math.factorial, Counter(rolled).values()))
        after = sorted(kept + list(rolled))
        if referee.count_skulls(card, after) >= 3:
            total += ways * sum(referee.score_bust(card, after, kept, battle_is_lost=battle_is_lost))
        else:
            total += ways * referee.score_stop(card, after)
    return total / 6**count


@pytest.mark.parametrize("battle_bust", ["lost", "nothing"])
@pytest.mark.parametrize(
    ("card", "dice"),
    [
        ("captain", "CCCMMPSX"),
        ("treasure_island", "CCCMMPXX"),
        ("treasure_island", "DDMMPSSX"),
        ("sea_battle_2", "CCMPPSXX"),
        ("sea_battle_3", "CCMMPSSX"),
        ("monkey_business", "MMPPPSSX"),
        ("gold", "CCDMMMSS"),
        ("skulls_1", "DDDDDPSX"),
        ("after_the_storm", "CCCDMMXX"),
        ("peace", "CCMMMSXX"),
        ("skulls_2", "CCMMMPPS"),
    ],
)
def test_exact_roll_does_what_has_the_best_mean(card, dice, battle_bust):
    game, g = table(card, dice, options={"battle_bust": battle_bust})
    kind = referee.CARDS.index(card)
    lying = [ORDER.index(face) for face in faces(dice)]
    lost = battle_bust == "lost"
    means = {action: mean_after_one_roll(kind, lying, action, lost) for action in game.legal_actions(g) if action}
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


VARIANTS: list[dict[str, Any]] = [
    {"battle_island": True, "battle_bust": "nothing", "deck": {"sea_battle_2": 2, "sea_battle_3": 2, "sea_battle_4": 2}},
    {"battle_bust": "nothing", "deck": {"sea_battle_2": 2, "sea_battle_3": 2, "sea_battle_4": 2}},
    {"sorceress_rescues": False, "deck": {"sorceress": 3}},
    {"sorceress_alone": False, "deck": {"sorceress": 3}},
    {"sorceress_rescues": False, "sorceress_alone": False, "deck": {"sorceress": 3}},
    {"peace_rolls_sabres": False, "deck": {"peace": 3}},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_r31_to_r35_keep_the_laws_and_rule_players_play_by_them(options):
    game = pirate_envs.load("piraten_kapern", players=3, max_rounds=15, **options)
    check_game(game, 60)
    for player in ("cautious", "exact_roll"):
        for seed in range(40):
            g = game.new(seed)
            while not game.is_over(g):
                game.apply(g, game.rule_action(g, player))
