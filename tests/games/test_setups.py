"""What a game lacks for the tests that serve every game is told in a sentence; tables are as near as a game allows."""

from __future__ import annotations

import pytest

import pirate_envs
from tests.games.setups import golden_of, material, seats, seats_near, table_of


def test_what_is_missing_is_told_with_where_to_write_it() -> None:
    with pytest.raises(
        LookupError, match=r"skull_king has no swords .* tests/games/skull_king/swords.py or .*_tests/swords.py"
    ):
        material("skull_king", "swords")
    with pytest.raises(LookupError, match=r"tests/games/kuhn_poker/swords.py or kuhn_poker_tests/swords.py"):
        material("kuhn_poker", "swords")
    with pytest.raises(pirate_envs.UnknownGameError):
        material("ludo", "setup")


def test_transcripts_lie_beside_the_setup() -> None:
    assert golden_of("skull_king").parts[-3:] == ("games", "skull_king", "golden.txt")
    assert golden_of("kuhn_poker").parts[-3:] == ("plug_in", "kuhn_poker_tests", "golden.txt")


def test_players_as_near_as_the_game_takes() -> None:
    assert list(seats("kuhn_poker")) == [2]
    assert [seats_near("kuhn_poker", wanted) for wanted in (1, 2, 5)] == [2, 2, 2]
    assert seats_near("skull_king", 3) == 3
    assert seats_near("skull_king", 99) == max(seats("skull_king"))
    assert table_of("kuhn_poker", 4).players == 2
