"""What is of the wrong type is told in the project's own error, wherever it comes in; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Batch, BatchError, IllegalActionError, OptionError, PositionError
from pirate_envs.core.errors import UnknownGameError, UnknownPlayerError

GAME = pirate_envs.load("skull_king", players=2)


def begun() -> Any:
    env = pirate_envs.make_aec(GAME.name)
    env.reset(seed=1)
    return env


CALLS: list[tuple[Callable[[np.record], Any], type[Exception]]] = [
    (lambda g: GAME.action_name(g, -1), IllegalActionError),
    (lambda g: GAME.action_name(g, GAME.actions), IllegalActionError),
    (lambda g: GAME.rule_action(g, 99), OptionError),
    (lambda g: GAME.from_view(None), PositionError),  # type: ignore[arg-type]
    (lambda g: begun().observe([]), UnknownPlayerError),
    (lambda g: pirate_envs.make_sb3(GAME.name, 2, opponents=3), OptionError),  # type: ignore[arg-type]
    (lambda g: Batch(GAME, 2).step([[1], 2]), BatchError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error"), CALLS)
def test_the_error_is_the_projects_own(call: Callable[[np.record], Any], error: type[Exception]) -> None:
    g = GAME.new(1)
    before = g.tobytes()
    with pytest.raises(error) as raised:
        call(g)
    assert isinstance(raised.value, pirate_envs.PirateError)
    assert g.tobytes() == before


def test_a_game_in_place_of_its_name_is_told_in_short() -> None:
    with pytest.raises(UnknownGameError) as raised:
        pirate_envs.make_sb3(GAME)  # type: ignore[arg-type]
    assert len(str(raised.value)) < 300
