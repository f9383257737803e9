"""Records: their layout, and every method of a game that is given one."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError, RecordError
from pirate_envs.core.game import Game
from pirate_envs.core.ranges import MOST_DECISIONS, MOST_PLAYED
from pirate_envs.games import load, shipped
from tests.games.setups import setup_of, table_of

ARGUMENTS = {  # of methods, beside the record
    "seat": 0, "action": 0, "name": "stop", "by": 1, "seed": 1, "viewer": None, "view": {}, "events": [],
}  # fmt: skip


OF_THE_HEADER = ("seat_to_move", "is_over", "is_truncated")  # they read one field, whatever it says


def methods_given_a_record() -> list[str]:
    """Public methods whose parameter is called `g`, but for those that only read the header."""
    members = inspect.getmembers(Game, inspect.isfunction)
    public = [(name, method) for name, method in members if name[0] != "_" and name not in OF_THE_HEADER]
    return [name for name, method in public if "g" in inspect.signature(method).parameters]


@pytest.mark.parametrize("name", shipped())
def test_no_field_of_a_record_is_empty(name: str) -> None:
    for options in setup_of(name).TRANSCRIPTS:
        fields = pirate_envs.load(name, **options).empty(1).dtype.fields
        assert all(field[0].itemsize for field in fields.values())


@pytest.mark.parametrize("method", methods_given_a_record())
def test_every_method_refuses_a_record_that_cannot_be(method: str) -> None:
    game = table_of("skull_king", 3)
    asked = getattr(game, method)
    more = [each for each in inspect.signature(asked).parameters.values() if each.name != "g" and each.default is each.empty]
    arguments = {each.name: ARGUMENTS[each.name] for each in more}
    g = game.new(seed=1)
    g.to_move = 100
    before = g.tobytes()
    with pytest.raises(RecordError, match="to_move.*100"):
        asked(g=g, **arguments)
    assert g.tobytes() == before


def test_an_illegal_action_is_refused_beside_twenty_that_are_legal() -> None:
    game = pirate_envs.load("piraten_kapern")
    g = game.new(seed=3)
    while len(legal := game.legal_actions(g)) <= 20:
        game.apply(g, legal[0])
    with pytest.raises(IllegalActionError, match="is not legal for seat 0; legal: 0 ") as error:
        game.apply(g, next(action for action in range(game.actions) if action not in legal))
    assert str(error.value).partition("legal: ")[2].count("(") == 20


def test_a_record_that_may_not_be_written_to_is_not_played_on() -> None:
    game = load("piraten_kapern")
    kept = game.new(1).tobytes()
    same = bytes(bytearray(kept))
    fixed = np.array([game.new(1)])
    fixed.flags.writeable = False
    for g in (np.frombuffer(kept, game.state)[0], fixed[0]):
        with pytest.raises(RecordError, match="may not be written to; play on in a copy"):
            game.apply(g, 0)
        game.apply(g.copy(), 0)
    assert kept == same == fixed.tobytes()


@pytest.mark.parametrize("name", shipped())
def test_decisions_come_to_no_end_in_a_match_that_is_played_on(name: str) -> None:
    game = load(name)
    g = game.new(1)
    g.decisions = MOST_PLAYED
    game.apply(g, game.legal_actions(g)[0])
    game.view(g)
    for decisions in (MOST_PLAYED + 1, MOST_DECISIONS):
        g = game.new(1)
        g.decisions = decisions
        game.view(g)
        with pytest.raises(RecordError, match=f"decisions in the record is {decisions}; allowed: 0 to {MOST_PLAYED} in"):
            game.apply(g, game.legal_actions(g)[0])


def test_games_with_equal_options_are_one_key() -> None:
    one, same, other = (load("piraten_kapern", deck={"peace": count}) for count in (1, 1, 2))
    assert {one: 1}[same] == 1 and len({one, same, other}) == 2
