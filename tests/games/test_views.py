"""What a view says is read strictly: a number is an integer, neither a float that equals it nor True."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

import pirate_envs
from pirate_envs.core.errors import PositionError
from pirate_envs.games import shipped
from tests.games.positions import random_match

Place = tuple[str | int, ...]
READ_ELSEWHERE = ("game", "options")  # by the game that is asked, which has tests of its own


def numbers(view: Any, place: Place = ()) -> Iterator[tuple[Place, int | bool]]:
    """Where in a view there are numbers and flags, and which."""
    if isinstance(view, (dict, list)):
        for key, entry in view.items() if isinstance(view, dict) else enumerate(view):
            yield from numbers(entry, (*place, key))
    elif isinstance(view, int):
        yield place, view


def with_another(view: dict[str, Any], place: Place, value: object) -> dict[str, Any]:
    changed: Any = copy.deepcopy(view)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return changed


def of_other_kinds(value: int | bool) -> list[object]:
    """What compares equal to it and is not what a view says."""
    if isinstance(value, bool):
        return [int(value), float(value)]
    return [float(value), bool(value)] if value in (0, 1) else [float(value)]


@pytest.mark.parametrize("name", shipped())
def test_a_number_of_another_kind_is_no_number(name: str) -> None:
    game, looked_at = pirate_envs.load(name), set()
    for i, g in enumerate(random_match(game, seed=3)):
        for viewer in (None, i % game.players) if i % 11 == 0 or game.is_over(g) else ():
            view = game.view(g, viewer)
            game.from_view(view)
            for place, value in numbers({key: view[key] for key in view if key not in READ_ELSEWHERE}):
                looked_at.add(place[0])
                for other in of_other_kinds(value):
                    with pytest.raises(PositionError, match=str(place[0])):
                        game.from_view(with_another(view, place, other))
    assert {"to_move", "scores", "over"} <= looked_at
