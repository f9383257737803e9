"""Piratenpoker: the options, and how they are refused."""

from __future__ import annotations

from typing import Any

import pytest

from pirate_envs.core.errors import OptionError
from tests.games.piratenpoker.stories import load

FRENCH = {
    "overboard_to": "others",
    "overboard_shark": "keep",
    "gift_limit": "any",
    "pass_effect": "spent",
    "refill_to": 5,
    "all_pass": "remove_last",
    "match_end": "at_once",
    "bonus_repeat": True,
    "bonus_sides": "all",
    "tie_depth": "two",
    "final_tie": "runner_up",
}


def test_presets_give_way_to_what_is_said() -> None:
    english, french, mixed = load().options, load(rules="french").options, load(rules="french", tie_depth="all").options
    assert {name: getattr(french, name) for name in FRENCH} == FRENCH
    assert not any(getattr(english, name) == value for name, value in FRENCH.items())
    assert (mixed.tie_depth, mixed.overboard_to) == ("all", "others")
    for options in (english, french):
        assert (options.r3_tie_value, options.counts, options.max_cycles) == ("worth", (2, 2, 2, 1), 30)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 2}, "players"),
        ({"players": 6}, "players"),
        ({"rules": "german"}, "german"),
        ({"overboard_to": "nobody"}, "overboard_to"),
        ({"overboard_shark": True}, "overboard_shark"),
        ({"gift_limit": 1}, "gift_limit"),
        ({"pass_effect": "in"}, "pass_effect"),
        ({"refill_to": 7}, "refill_to"),
        ({"refill_to": 0}, "refill_to"),
        ({"all_pass": "keep"}, "all_pass"),
        ({"bonus_repeat": 1}, "bonus_repeat"),
        ({"bonus_sides": "backs"}, "bonus_sides"),
        ({"bonus_sides": True}, "bonus_sides"),
        ({"match_end": "never"}, "match_end"),
        ({"tie_depth": 2}, "tie_depth"),
        ({"final_tie": "third"}, "final_tie"),
        ({"r3_tie_value": "half"}, "r3_tie_value"),
        ({"loot_counts": {"5": 6}}, "loot_counts.*6 in all"),
        ({"loot_counts": {"7": 7}}, "loot_counts.*'7'"),
        ({"loot_counts": {"5": 8, "6": -1}}, "loot_counts.*-1"),
        ({"loot_counts": [2, 2, 2, 1]}, "loot_counts"),
        ({"max_cycles": 0}, "max_cycles"),
        ({"sharks": 3}, "sharks"),
        ({"pay_as_scored": True}, "pay_as_scored"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load(**options)
