"""Records: their layout, and every method of a game that is given one."""

from __future__ import annotations

import inspect

import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError, RecordError
from pirate_envs.core.game import Game
from pirate_envs.games import shipped
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
