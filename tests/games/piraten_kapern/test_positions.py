"""Piraten Kapern: positions in words, and back again."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import PositionError
from pirate_envs.games.piraten_kapern.state import MOST_ROLLS
from tests.games.piraten_kapern.tables import faces
from tests.games.positions import differing

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
        ("'colour'", {"colour": "red"}),
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


def test_scores_that_many_turns_can_bring_are_read():
    game = pirate_envs.load("piraten_kapern", players=2, deck={"peace": 1}, max_rounds=10_000, target=100_000)
    g = game.new(1)
    while g.scores[0] > -1_010_000 and not g.over:
        game.verbs["apply"](g, 0)
    assert g.scores[0] <= -1_010_000 and differing(g, game.from_view(game.view(g))) == []


def test_rolls_are_counted_as_far_as_a_record_holds():
    game = pirate_envs.load("piraten_kapern", players=2)
    view = {"card": "gold", "dice": ["coin"] * 8, "kept": ["coin"] * 6}
    for rolls in (MOST_ROLLS - 1, MOST_ROLLS):
        g = game.from_view({**view, "rolls": rolls})
        game.apply(g, 3)
        assert game.view(g, 0)["rolls"] in (MOST_ROLLS, 1)  # 1: the turn has passed
    with pytest.raises(PositionError, match="^rolls: "):
        game.from_view({**view, "rolls": MOST_ROLLS + 1})
