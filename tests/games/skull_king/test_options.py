"""Skull King: its options and presets."""

from __future__ import annotations

from typing import Any

import pytest

from pirate_envs.core.errors import OptionError
from tests.games.skull_king.test_rules import load


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 7}, "players"),
        ({"players": 1}, "players"),
        ({"first_hand": 6, "last_hand": 5}, "first_hand=6"),
        ({"last_hand": 11}, "last_hand"),
        ({"highest": 4}, "highest"),
        ({"highest": 15}, "highest"),
        ({"players": 6, "highest": 5}, "34"),
        ({"bidding": "secret"}, "bidding"),
        ({"rules": "1999"}, "1999"),
        ({"king_takes_pirate": -1}, "king_takes_pirate"),
        ({"kraken": True}, "kraken"),
        ({"pay_as_scored": True}, "pay_as_scored"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load(**options)


def test_a_preset_gives_way_to_what_is_said() -> None:
    later = load(rules="2021", fourteen=0).options
    assert (later.highest, later.mermaid_takes_king, later.fourteen, later.black_fourteen) == (14, 40, 0, 20)
    assert load().options.highest == 13
