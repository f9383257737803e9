"""What is of the wrong type is told in the project's own error, wherever it comes in; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Batch, BatchError, IllegalActionError, OptionError, PositionError, Replay, ReplayError
from pirate_envs.core.errors import MatchOverError, RecordError, SnapshotError, UnknownGameError, UnknownPlayerError
from pirate_envs.core.ranges import check_records
from pirate_envs.doors.gym import make_seat
from pirate_envs.engine.lanes import Lanes

GAME = pirate_envs.load("skull_king", players=2)


def begun() -> Any:
    env = pirate_envs.make_aec(GAME.name)
    env.reset(seed=1)
    return env


def ended() -> Any:
    """An environment whose match is over, with agents that have still to leave."""
    env = pirate_envs.make_aec(GAME.name, last_hand=1)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.last()[4]["action_mask"])[0]))
    return env


def over() -> np.record:
    g = GAME.new(1)
    while not GAME.is_over(g):
        GAME.apply(g, GAME.legal_actions(g)[0])
    return g


def nested(make: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(100_000):
        value = make(value)
    return value


LARGE, DEEP = 10**5000, nested(lambda value: [value])
CALLS: list[tuple[Callable[[np.record], Any], type[Exception]]] = [
    (lambda g: GAME.action_name(g, -1), IllegalActionError),
    (lambda g: GAME.action_name(g, GAME.actions), IllegalActionError),
    (lambda g: GAME.rule_action(g, 99), OptionError),
    (lambda g: GAME.from_view(None), PositionError),  # type: ignore[arg-type]
    (lambda g: begun().observe([]), UnknownPlayerError),
    (lambda g: pirate_envs.make_sb3(GAME.name, 2, opponents=3), OptionError),  # type: ignore[arg-type]
    (lambda g: Batch(GAME, 2).step([[1], 2]), BatchError),  # type: ignore[arg-type]
    (lambda g: Batch(GAME.name, 2), OptionError),  # type: ignore[arg-type]
    (lambda g: Lanes(GAME.name, 2), OptionError),  # type: ignore[arg-type]
    (lambda g: GAME.empty(-1), OptionError),
    (lambda g: GAME.fold(GAME.view(g), [{}]), PositionError),
    (lambda g: GAME.fold(GAME.view(g), [{"event": []}]), PositionError),
    (lambda g: GAME.fold(GAME.view(g), 3), PositionError),  # type: ignore[arg-type]
    (lambda g: GAME.fold(None, []), PositionError),  # type: ignore[arg-type]
    (lambda g: GAME.fold({}, [{"event": "bid_made"}]), PositionError),
    (lambda g: GAME.picture_of({}, 0), PositionError),
    (lambda g: GAME.picture_of({**GAME.view(g), "leader": None}), PositionError),
    (lambda g: GAME.picture_of(GAME.view(g), language=np.zeros(0)), OptionError),  # type: ignore[arg-type]
    (lambda g: GAME.events(None, 0, g), RecordError),  # type: ignore[arg-type]
    (lambda g: GAME.events(g, 0, None, 0, ({}, {})), RecordError),  # type: ignore[arg-type]
    (lambda g: GAME.events(g, 0, g, 0, ({}, {})), PositionError),
    (lambda g: GAME.events(g, 0, g, 0, np.zeros(0)), PositionError),  # type: ignore[arg-type]
    (lambda g: GAME.events(g, 0, g, 0, ()), PositionError),  # type: ignore[arg-type]
    (lambda g: GAME.events(g, 11, g), PositionError),  # a card, while bids are asked for
    (lambda g: begun().action_space("player_9"), UnknownPlayerError),
    (lambda g: begun().observation_space({}), UnknownPlayerError),
    (lambda g: Replay.of(None, 1, []), OptionError),  # type: ignore[arg-type]
    (lambda g: Replay.of(GAME, 1, None), ReplayError),  # type: ignore[arg-type]
    (lambda g: Replay.of(GAME, 1, [None]), ReplayError),  # type: ignore[list-item]
    (lambda g: Replay(None, {}, 1, ()), ReplayError),  # type: ignore[arg-type]
    (lambda g: Replay(GAME.id, [{}], 1, ()), ReplayError),  # type: ignore[arg-type]
    (lambda g: Replay.parse(None), ReplayError),  # type: ignore[arg-type]
    (lambda g: Replay.of(GAME, 1, np.array(3)), ReplayError),
    (lambda g: Replay(GAME.id, {1: 2}, 1, ()), ReplayError),  # type: ignore[dict-item]
    *((lambda g, action=action: GAME.apply(over(), action), MatchOverError) for action in (LARGE, DEEP)),
    *((lambda g, action=action: ended().step(action), MatchOverError) for action in (LARGE, DEEP)),
    *((lambda g, action=action: pirate_envs.make_aec(GAME.name).step(action), MatchOverError) for action in (LARGE, DEEP)),
    (lambda g: GAME.from_view({LARGE: 1}), PositionError),  # type: ignore[dict-item]
    (lambda g: GAME.fold(nested(lambda value: {"a": value}), []), PositionError),
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


# -- snapshots -----------------------------------------------------------------------------------------------------------


class Other(np.ndarray):
    """An array that may have a shape and ways of its own."""


def masked(array: np.ndarray) -> np.ndarray:
    return np.ma.masked_all_like(array)


def seat() -> Any:
    env = make_seat(GAME.name, players=2)
    env.reset(seed=1)
    return env


TAKING: dict[str, Callable[[], Any]] = {"batch": lambda: Batch(GAME, 2), "aec": begun, "seat": seat}


@pytest.mark.parametrize("door", TAKING)
def test_an_array_that_hides_some_of_its_own_is_no_snapshots(door: str) -> None:
    env = TAKING[door]()
    state = env.get_state()
    arrays = state["match"] if door == "aec" else state
    for name, array in arrays.items():
        for strange in (masked(array), array.view(Other), array.tolist()):
            spoilt = {**arrays, name: strange}
            with pytest.raises(SnapshotError, match=f"{name} is a {type(strange).__name__}; needed"):
                env.set_state({**state, "match": spoilt} if door == "aec" else spoilt)
            assert repr(env.get_state()) == repr(state)


@pytest.mark.parametrize("door", TAKING)
def test_records_of_plain_bytes_are_a_snapshots_too(door: str) -> None:
    env = TAKING[door]()
    state = env.get_state()
    arrays = state["match"] if door == "aec" else state
    records = arrays["records"].view(np.dtype((np.void, env.game.state)))
    env.set_state({**state, "match": {"records": records}} if door == "aec" else {**state, "records": records})
    assert repr(env.get_state()) == repr(state)
    spoilt = records.copy()
    spoilt["gen"] = 0
    with pytest.raises(RecordError, match="redacted"):
        env.set_state({**state, "match": {"records": spoilt}} if door == "aec" else {**state, "records": spoilt})


def test_a_masked_array_is_no_row_of_records() -> None:
    with pytest.raises(RecordError, match="MaskedArray"):
        check_records(GAME, masked(GAME.empty(2)))
