"""Options: checked, explained, and written down so that they come back."""

from __future__ import annotations

import pytest

import pirate_envs
from pirate_envs import OptionError, UnknownGameError


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
    ],
)
def test_changed_options_build_the_same_options(name, options):
    built = pirate_envs.load(name, **options).options
    assert type(built).of(**built.changed()) == built


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


def test_unknown_game():
    with pytest.raises(UnknownGameError, match="skull_king") as error:
        pirate_envs.load("poker")
    assert "'poker'" in str(error.value)
