"""A game asked what its rule players would do."""

import pytest

import pirate_envs
from pirate_envs.core.errors import OptionError

SKULL_KING = pirate_envs.load("skull_king", players=2, last_hand=3)
PLAYERS = SKULL_KING.rule_players


def opinions(players: range | tuple[str, ...], seed: int) -> list[list[int]]:
    """What each of these rule players would do wherever the strongest comes in a match."""
    g, said = SKULL_KING.new(seed=seed), []
    while not g.over:
        said.append([SKULL_KING.rule_action(g, player) for player in players])
        SKULL_KING.apply(g, SKULL_KING.rule_action(g))
    return said


def test_a_rule_player_goes_by_name_or_number() -> None:
    by_name = opinions(PLAYERS, seed=4)
    assert by_name == opinions(range(len(PLAYERS)), seed=4)
    assert any(len(set(said)) > 1 for said in by_name)  # they are not all alike


def test_the_strongest_rule_player_is_the_last_one() -> None:
    g = SKULL_KING.new(seed=4)
    assert SKULL_KING.rule_action(g) == SKULL_KING.rule_action(g, -1) == SKULL_KING.rule_action(g, PLAYERS[-1])


@pytest.mark.parametrize(
    ("player", "told"), [("nobody", f"there are: {', '.join(PLAYERS)}"), (len(PLAYERS), "rule player"), (-2, "-2")]
)
def test_a_rule_player_that_is_not_there_is_told(player: str | int, told: str) -> None:
    g = SKULL_KING.new(seed=4)
    before = g.tobytes()
    with pytest.raises(OptionError, match=told):
        SKULL_KING.rule_action(g, player)
    assert g.tobytes() == before
