"""Lucky Pirate: what its options allow, and where they are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import OptionError
from tests.games.lucky_pirate.story import CARDS, load


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "players"),
        ({"players": 7}, "players"),
        ({"max_turns": 0}, "max_turns"),
        ({"wins_needed": 0}, "wins_needed"),
        ({"first_mate": "never"}, "first_mate"),
        ({"reverse_skip": "captain"}, "reverse_skip"),
        ({"several_reverses": "one"}, "several_reverses"),
        ({"early_downs": 1}, "early_downs"),
        ({"deck": {"shark": 4}}, "deck.*'shark'; allowed: .*0 to 7 each; names: 1, 2, .*skip"),
        ({"deck": {"4": -1}}, "deck.*-1 of 4; allowed: "),
        ({"deck": {"4": 8}}, "deck.*8 of 4; allowed: .*0 to 7 each"),
        ({"deck": {"4": 1.5}}, "deck.*1.5 of 4"),
        ({"deck": {"4": True}}, "deck.*True of 4"),
        ({"deck": ["4", "4"]}, r"deck.*\['4', '4'\]; allowed: None, or counts"),
        ({"deck": {}}, "deck"),
        ({"deck": {"4": 7, "5": 7, "6": 7}}, "21 cards"),
        ({"shark": True}, "shark"),
        ({"pay_as_scored": True}, "pay_as_scored"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load(**options)


@pytest.mark.parametrize(("players", "cards"), [(2, 27), (3, 27), (4, 28), (5, 25), (6, 30)])
def test_the_smallest_deck_leaves_a_card_for_every_hand(players: int, cards: int) -> None:
    deck = dict.fromkeys(CARDS[:5], 5) | {"8": cards - 25}
    game = load(players=players, deck=deck)
    assert [len(hand) for hand in game.view(game.new(1))["hands"]] == [1] * players
    with pytest.raises(OptionError, match=f"deck.*{cards - 1} cards"):
        load(players=players, deck=deck | {"1": 4})


def test_r19_several_reverses_is_kept_in_the_record_but_not_observed() -> None:
    pairs, every = load(), load(several_reverses="all")
    g, other = pairs.new(5), every.new(5)
    assert (g.several_reverses, other.several_reverses) == (0, 1)
    other.several_reverses = 0
    assert g.tobytes() == other.tobytes()
    other.several_reverses = 1
    for seat in range(4):
        assert np.array_equal(pairs.observation(g, seat), every.observation(other, seat))
