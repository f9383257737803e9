"""Lucky Pirate: positions that cannot be are refused, and any other can be played."""

from __future__ import annotations

import copy
import itertools
import random
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import PositionError, RecordError
from pirate_envs.games.lucky_pirate.notation import ACTION_NAMES
from tests.games.lucky_pirate.story import CARDS, DECK, OPTION_SETS, OTHER, all_cards, load, position
from tests.games.positions import differing, random_match, refused_or_played

START = position("4 5 / 6 8 / 1 2", OTHER, "3 / / 3", pile="4")


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("'flag'", {"flag": 1}),
        ("game", {"game": "lucky_pirate-v9"}),
        ("options", {"options": {"players": 4}}),
        ("phase", {"phase": "sleep"}),
        ("phase", {"phase": "downs"}),
        ("to_move", {"to_move": 3}),
        ("to_move", {"to_move": True}),
        ("pile", {"pile": ["7"]}),
        ("pile", {"pile": "4"}),
        ("pile", {"pile": ["4", "4", "4"]}),
        ("pile", {"pile": ["plank"]}),
        ("pile", {"pile": ["skip"] * 4}),
        ("need", {"need": 5}),
        ("need", {"need": "open"}),
        ("run", {"run": [4, 2]}),
        ("run", {"run": "4"}),
        ("direction", {"direction": 0}),
        ("hands", {"hands": [["4", "5"], ["2"]]}),
        ("hands", {"hands": [["4", "shark"], ["2"], ["3"]]}),
        ("hands", {"hands": [["4"] * 5, ["2"], ["3"]]}),
        ("hands", {"hands": "4 5"}),
        ("hands", {"hands": [99, 1, 1]}),
        ("known", {"known": [["6"], [], []]}),
        ("known", {"known": [["4"], []]}),
        ("ups", {"ups": [["6", "8"], []]}),
        ("ups", {"ups": [["6", "8", "1", "1", "2"], [], []]}),
        ("ups", {"ups": [["6", "shark", None, None], [None] * 4, [None] * 4]}),
        ("ups", {"downs": [["1", "2", "3", None], [], []]}),
        ("downs", {"downs": [["1", "2", "3", "3", "5"], [], []]}),
        ("downs", {"downs": [["2"] * 4, ["2"], []]}),
        ("downs", {"downs": [["1", 5, None, None], [None] * 4, [None] * 4]}),
        ("aside", {"aside": ["4"]}),
        ("cleared", {"cleared": ["4"] * 4}),
        ("cleared", {"cleared": ["shark"]}),
        ("after_parrot", {"after_parrot": True}),
        ("turn", {"turn": -1}),
        ("turn", {"turn": 1000}),
        ("game_number", {"game_number": 2}),
        ("dealer", {"dealer": 3}),
        ("wins", {"wins": [1, 0, 0]}),
        ("wins", {"wins": [0, 0]}),
        ("last_plays", {"last_plays": [None, None]}),
        ("last_plays", {"last_plays": [{"action": "sing", "flipped": None, "result": "played"}, None, None]}),
        ("scores", {"scores": [1, 0, 0]}),
        ("over", {"over": 1}),
        ("truncated", {"truncated": True}),
        ("wins", {"over": True}),
        ("hands", {"over": True, "wins": [1, 0, 0]}),
        ("hands", {"hands": [[], ["2"], ["3"]], "ups": [[], [], []], "downs": [[], ["1"], ["3"]]}),
    ],
)
def test_positions_that_cannot_be_name_the_field(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^{field}: "):
        load(players=3).from_view({**START, **given})


NONSENSE: list[Any] = [
    -1, 99, 1.5, True, "", "4", [], {}, [None], [[]] * 3, ["4"], [1, 1, 1], [-1, 0, 0], [99] * 3, ["x"] * 3,
    [["4"]] * 3, [{}, {}, {}], [["?"] * 4] * 3, [[None] * 4] * 3, {"action": "stop"}, 10**30,
]  # fmt: skip


@pytest.mark.parametrize(
    "field",
    ["game", "options", "phase", "to_move", "scores", "over", "pile", "need", "run", "direction", "hands", "known", "ups",
     "downs", "aside", "cleared", "after_parrot", "turn", "game_number", "dealer", "wins", "last_plays", "truncated",
     "decisions"],
)  # fmt: skip
def test_nonsense_in_any_field_is_an_error_or_a_position_that_can_be_played(field: str) -> None:
    game = load(players=3, max_turns=50)
    middle = list(random_match(game, seed=1))[20]
    assert refused_or_played(game, ({}, START, game.view(middle)), field, NONSENSE) >= 2 * len(NONSENSE)


def told(action: str, result: str, flipped: str | None = None, seat: int = 1, **more: Any) -> dict[str, Any]:
    """What to add to a view of three seats, of which one has played last."""
    play = {"action": action, "flipped": flipped, "result": result}
    return {"last_plays": [play if other == seat else None for other in range(3)], **more}


FLIPPED = {"hands": [["4", "5"], [], ["3"]], "downs": [["1", "2", "?", "?"], [None, "1"], ["3"]]}
PICKED = {"hands": [["4", "5"], ["2", "6"], ["3"]], "known": [[], ["6"], []]}
STOPS = {"players": 3, "parrot_again": True}


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (told("play 4", "played"), {}),
        (told("play 4 4", "played"), {}),
        (told("play 5", "played"), {}),  # cleared since
        (told("play kraken kraken kraken", "cleared", seat=0, pile=[]), {}),
        (told("play plank", "cleared"), {"clear_again": False}),
        (told("flip 0", "played", "8", **FLIPPED), {}),
        (told("flip 0", "picked up", "1", **FLIPPED, known=[[], ["1", "6"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("pick up", "picked up", **PICKED), {}),
        (told("stop", "stopped"), STOPS),
        (told("play parrot", "played", seat=0, pile=["4", "parrot"], after_parrot=True), STOPS),
        (told("play 4", "played", turn=1, decisions=1), {}),
        (told("play 8 8", "played", wins=[1, 0, 0]), {"wins_needed": 2}),  # in the game before this one
        (told("pick up", "picked up", wins=[1, 0, 0]), {"wins_needed": 2}),
    ],
)
def test_last_plays_that_agree_with_the_rest_come_back(given: dict[str, Any], options: dict[str, Any]) -> None:
    game = load(**{"players": 3, **options})
    shown = game.view(game.from_view({**START, **given}, seed=4))
    assert shown["last_plays"] == given["last_plays"]
    assert game.view(game.from_view(shown)) == shown
    assert all_cards(shown) == DECK


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (told("play plank", "played"), {}),  # results that these cards cannot have
        (told("play 4 4 4", "played"), {}),
        (told("play skip", "cleared"), {}),
        (told("play 4", "picked up"), {}),
        (told("pick up", "played"), {}),
        (told("stop", "stopped"), {}),
        (told("play captain", "cleared"), {"captain_on_captain": False}),
        (told("flip 0", "picked up", "porthole", **FLIPPED, known=[[], ["porthole", "5"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("flip 0", "picked up", "kraken", **FLIPPED, known=[[], ["kraken", "6"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("flip 0", "picked up", "8", **FLIPPED, known=[[], ["8", "6"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("play 1 1 1", "cleared", seat=0, pile=[]), {}),  # two of the four lie face down, all seen
        (told("play 8 8", "played", ups=[["8", "8", "8", None], [], []]), {}),
        (told("play 2 2", "played"), {"deck": dict.fromkeys(CARDS, 4) | {"2": 1}}),
        (told("play 5", "played", pile=["4"], cleared=["6"] * 3), {}),
        (told("pick up", "picked up"), {}),  # places that do not agree
        (told("pick up", "picked up", **PICKED | {"known": [[], [], []]}), {}),
        (told("pick up", "picked up", hands=[1, ["skip", "2"], 1], known=[[], ["skip"], []]), {}),
        (told("flip 0", "played", "8"), {}),
        (told("flip 1", "played", "8", **FLIPPED), {}),
        (told("flip 0", "played", "8", **FLIPPED | {"hands": [1, 1, 1]}), {}),
        (told("flip 3", "played", "8"), {"players": 4}),
        (told("play 4", "played", turn=0), {}),  # turns that do not agree
        (told("play plank", "cleared"), {}),
        (told("play plank", "cleared", seat=0), {}),
        (told("play parrot", "played"), STOPS),
        (told("play parrot", "played", seat=0, pile=["4", "parrot"]), STOPS),
        (told("play 4", "played", seat=0, pile=["4", "parrot"], after_parrot=True), STOPS),
        ({"last_plays": [None, *told("play plank plank", "cleared")["last_plays"][1:2] * 2]}, {"clear_again": False}),
        ({"last_plays": told("play 4", "played")["last_plays"][1:2] * 3}, {"max_turns": 3}),
        (told("play plank", "cleared", seat=0, pile=[], turn=2, decisions=2), {}),
    ],
)  # fmt: skip
def test_last_plays_that_cannot_be_are_refused(given: dict[str, Any], options: dict[str, Any]) -> None:
    game = load(**{"players": 3, **options})
    start = {**START, **given}
    if game.players == 4:
        start = {"last_plays": [*given["last_plays"], None]}
    with pytest.raises(PositionError, match="^last_plays: "):
        game.from_view(start)


def test_fewer_decisions_than_turns_are_refused() -> None:
    for given in ({"turn": 7, "decisions": 6}, {"turn": 7, "wins": [1, 0, 0], "decisions": 7}):
        with pytest.raises(PositionError, match="^decisions: "):
            load(players=3, wins_needed=2).from_view({**START, **given})


@pytest.mark.parametrize("options", OPTION_SETS)
def test_any_last_play_is_refused_or_comes_back(options: dict[str, Any]) -> None:
    game, chance, accepted, refused = load(**options), random.Random(6), 0, 0
    for g in itertools.islice(random_match(game, seed=8), 10, 160, 5):
        shown = game.view(g)
        for _ in range(6):
            action = chance.choice(ACTION_NAMES)
            flipped = chance.choice(CARDS) if action.startswith("flip") else None
            result = chance.choice(["played", "cleared", "picked up", "stopped"])
            plays = list(shown["last_plays"])
            plays[chance.randrange(game.players)] = {"action": action, "flipped": flipped, "result": result}
            changed = {**shown, "last_plays": plays}
            try:
                world = game.from_view(changed)
            except PositionError:
                refused += 1
            else:
                assert game.view(world) == changed
                accepted += 1
    assert refused > accepted


def mutations(value: Any, chance: random.Random) -> Any:
    """The value with something odd in it, at any depth."""
    if isinstance(value, dict | list) and value and chance.random() < 0.8:
        changed = copy.copy(value)
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        changed[key] = mutations(value[key], chance)
        return changed
    return chance.choice([
        None, [], {}, "", "?", "4", -1, 0, 1, 3, 200, 10**30, -(10**5000), 2.5, float("nan"), True, [None], [[[[[[]]]]]],
        ["4"] * 200, {"action": "stop"}, {1: 2}, {10**5000: 1}, np.array([]), np.array([1, 2]), np.array("4"),
        np.arange(6).reshape(2, 3), np.int64(1), np.int8(-1), np.float32(1), np.bool_(True), np.str_("4"), b"4", 1j, {4},
        range(3), object(), print, np.zeros(1, [("x", np.int8)])[0],
    ])  # fmt: skip


@pytest.mark.parametrize("options", OPTION_SETS)
def test_whatever_a_view_holds_it_is_refused_or_can_be_played(options: dict[str, Any]) -> None:
    game, chance, refused = load(**options), random.Random(7), 0
    for g in itertools.islice(random_match(game, seed=9), 5, 200, 20):
        shown = game.view(g, chance.choice([None, *range(game.players)]))
        for field in shown:
            if field in ("game", "options", "legal"):
                continue
            for _ in range(8):
                try:
                    world = game.from_view({**shown, field: mutations(shown[field], chance)})
                except PositionError:
                    refused += 1
                else:
                    assert game.is_over(world) or game.legal_actions(world)
    assert refused > 200


def test_a_game_that_has_come_to_its_last_turn_does_not_go_on() -> None:
    game = load(max_turns=3)
    g = game.new(1)
    g.turn = 3
    with pytest.raises(RecordError, match="turn in the record: it has come to max_turns, but the match goes on"):
        game.check_record(g)


def test_positions_set_up_and_played_on_come_back() -> None:
    chance = random.Random(8)
    for options in OPTION_SETS:
        game = load(**options)
        for start in itertools.islice(random_match(game, seed=10), 3, 90, 15):
            shown = game.view(start, chance.randrange(game.players))
            kept = {key: value for key, value in shown.items() if chance.random() < 0.5 and key not in ("known", "last_plays")}
            try:
                g = game.from_view(kept, seed=3)
            except PositionError:
                continue
            while not game.is_over(g) and g.turn < 40:
                assert differing(g, game.from_view(game.view(g))) == []
                game.apply(g, chance.choice(game.legal_actions(g)))
