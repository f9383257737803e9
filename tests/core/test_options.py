"""Options: checked, explained, and written down so that they come back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pirate_envs
from pirate_envs import OptionError, Replay, ReplayError, UnknownGameError
from pirate_envs.core.options import parse_options


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("skull_king", {}),
        ("skull_king", {"players": 2, "rules": "2021"}),
        ("skull_king", {"rules": "2021", "highest": 13}),
        ("skull_king", {"rules": "2021", "mary_as_escape_counts": True, "fourteen": 0}),
        ("skull_king", {"highest": 14, "bidding": "open", "reward": "margin", "pay_as_scored": True}),
        ("piraten_kapern", {"promo": True, "target": 3000}),
        ("piraten_kapern", {"deck": {"captain": 3, "peace": 1}}),
        ("piraten_kapern", {"deck": {"captain": 3, "peace": 0}}),
    ],
)
def test_changed_options_build_the_same_options(name, options):
    built = pirate_envs.load(name, **options).options
    assert type(built).of(**built.changed()) == built


def test_numpys_integers_are_kept_as_json_takes_them():
    game = pirate_envs.load("skull_king", players=np.int64(3), last_hand=np.uint8(2))
    assert json.loads(json.dumps(game.view(game.new(1))))["options"] == {"players": 3, "last_hand": 2}


def test_presets_set_what_is_not_given():
    options = pirate_envs.load("skull_king", rules="2021", king_takes_pirate=10).options
    assert (options.highest, options.mermaid_takes_king, options.king_takes_pirate) == (14, 40, 10)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"player": 4}, ["'player'", "players"]),
        ({"players": 7}, ["'players'", "7", "2 to 6"]),
        ({"players": 2.0}, ["'players'", "2.0"]),
        ({"players": True}, ["'players'", "True"]),
        ({"rules": "2022"}, ["'rules'", "'2022'", "'2021'"]),
        ({"bidding": None}, ["'bidding'", "None", "'open'"]),
        ({"mary_as_escape_counts": 1}, ["'mary_as_escape_counts'", "True or False"]),
        ({"first_hand": 5, "last_hand": 4}, ["first_hand=5", "last_hand=4"]),
        ({"players": 6, "highest": 5}, ["players=6", "60 cards", "34"]),
        ({"pay_as_scored": True}, ["pay_as_scored", "'score'"]),
    ],
)
def test_errors_name_the_value_and_what_is_allowed(options, words):
    with pytest.raises(OptionError) as error:
        pirate_envs.load("skull_king", **options)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("piraten_kapern", {"deck": {"captain": 300}}, "1 to 255 in all; names: treasure_island"),
        ("piratenpoker", {"loot_counts": {"5": 8}}, "7 in all; names: 5, 6, 8, 10"),
        ("lucky_pirate", {"deck": {"captain": 8}}, "0 to 7 each; names: 1, 2"),
    ],
)
def test_counts_are_told_with_their_limits(name, options, words):
    with pytest.raises(OptionError, match=f"counts by name, {words}"):
        pirate_envs.load(name, **options)


def test_unknown_game():
    with pytest.raises(UnknownGameError, match="skull_king") as error:
        pirate_envs.load("poker")
    assert "'poker'" in str(error.value)


@pytest.mark.parametrize("name", ["name", "self", "cls", "game", "options"])
def test_an_option_may_be_called_as_a_parameter_is(name):
    """And is then as unknown as any other."""
    with pytest.raises(OptionError, match=f"unknown option '{name}'"):
        pirate_envs.load("skull_king", **{name: 1})
    with pytest.raises(OptionError, match=f"unknown option '{name}'"):
        pirate_envs.load("skull_king").with_options(**{name: 1})
    with pytest.raises(OptionError, match=f"unknown option '{name}'"):
        pirate_envs.make_aec("skull_king", **{name: 1})
    with pytest.raises(ReplayError, match=f"unknown option '{name}'"):
        Replay("skull_king-v0", {"players": 2, name: 1}, 1, ()).play()


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100 + "]" * 100, "1" * 5000, "1e999", "NaN", "[1]", '{"a": 1}', "null"])
def test_whatever_is_typed_is_an_option_error_that_is_short(text):
    with pytest.raises(OptionError, match="'last_hand' is .*; allowed: an integer from 1 to 10") as error:
        pirate_envs.load("skull_king", **parse_options([f"last_hand={text}"]))
    assert len(str(error.value)) < 200


def test_values_too_large_to_write_down_are_option_errors():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (10**5000, -(10**5000), deep):
        for options in ({"players": value}, {"rules": value}, {"first_hand": value}):
            with pytest.raises(OptionError, match="too large to write down"):
                pirate_envs.load("skull_king", **options)
        with pytest.raises(OptionError, match="seed is .*too large to write down"):
            pirate_envs.load("skull_king").new(value)


def test_options_with_a_flag_of_their_own_are_told_by_it():
    with pytest.raises(OptionError, match="'players'"):
        parse_options(["players=3"], ("players",))
