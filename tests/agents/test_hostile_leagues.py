"""Folders of leagues from strangers: whatever is in them, they are read as they were saved or end in a CheckpointError."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pirate_envs.agents.learning.league import League
from pirate_envs.agents.learning.league_state import check_state
from pirate_envs.agents.learning.leagues import begin_league, resumed_league
from pirate_envs.core.errors import CheckpointError, PirateError
from tests.agents.leagues import TINY, play
from tests.agents.test_hostile import nothing_is_unpickled
from tests.agents.test_hostile_folders import EACH, Attack, assert_nothing_ran, names, rounds, seal_again

__all__ = ["nothing_is_unpickled"]  # a fixture of every test here
pytestmark = pytest.mark.usefixtures("torch_settings")


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league of two rounds, in which an exploiter has been challenged."""
    league = begin_league(replace(TINY, rounds=2, out=tmp_path_factory.mktemp("leagues")), "this test")
    assert play(league)
    league.lock = None
    return resumed_league(league.folder)  # all is compiled before pickles are forbidden


def state_of(league: League) -> dict[str, Any]:
    return json.loads(json.dumps(league._state()))  # type: ignore[no-any-return]


def check(league: League, state: dict[str, Any]) -> None:
    fixed = {each.name: each.sort for each in league.contenders.values() if each.sort in ("regular", "search")}
    check_state(state, fixed, league.exploiters, league.settings.patience)


def league_attacked(attack: Attack, seed: int, league: League, place: Path) -> bool:
    """True if it was refused; else it stands where a league can stand."""
    folder = place / "attacked"
    shutil.copytree(league.folder, folder)
    attack(folder, random.Random(seed))
    try:
        resumed = resumed_league(folder)
    except CheckpointError:
        resumed = None
    assert_nothing_ran(place)
    if resumed is not None:
        check(resumed, state_of(resumed))
        assert 0 <= resumed.seconds < math.inf
    return resumed is None


@names
def test_a_hostile_league_is_refused(attack: Attack, league: League, tmp_path: Path) -> None:
    assert rounds(league_attacked, attack, range(EACH), league, tmp_path) >= 8


@pytest.mark.long
@names
def test_two_thousand_hostile_leagues_are_refused(attack: Attack, league: League, tmp_path: Path) -> None:
    print(attack.__name__, rounds(league_attacked, attack, range(1000, 1200), league, tmp_path), "of 200 refused")


HUGE = 10**400
SPOILT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "round is -1": lambda state: state.update(round=-1),
    "round is inf": lambda state: state.update(round=math.inf),
    "lessons of exploiter-1 is inf": lambda state: state["lessons"].update({"exploiter-1": math.inf}),
    "lessons of exploiter-1 is 2": lambda state: state["lessons"].update({"exploiter-1": 2}),
    "contender 'main-0' of the sort 1e[+]308": lambda state: _set(state["contenders"], "main-0", 1, 1e308),
    "contender '../out'": lambda state: _set(state["contenders"], "main-0", 0, "../out"),
    "contender 'rules:simple' of the sort 'main'": lambda state: _set(state["contenders"], "rules:simple", 1, "main"),
    "contender 'main-1' twice": lambda state: _set(state["contenders"], "main-1", 2, 1),
    "the pool of 'rules:simple'": lambda state: state["contenders"].pop(0),
    "a payoff of 'nobody'": lambda state: state["payoffs"][0].__setitem__(0, "nobody"),
    "a challenge's round is nan": lambda state: state["challenges"][0].__setitem__(0, math.nan),
    "a challenge of 'won'": lambda state: state["challenges"][0].__setitem__(6, "won"),
    "rounds with opponents met is 1": lambda state: state["met"].pop(),
    "opponents met of 'nobody'": lambda state: state["met"][0].update(nobody=0.5),
    "shares of opponents": lambda state: state["met"][0].update({"main-0": math.nan}),
}


def _set(rows: list[list[Any]], name: str, place: int, value: Any) -> None:
    next(row for row in rows if row[0] == name)[place] = value


@pytest.mark.parametrize("said", SPOILT)
def test_a_state_that_no_league_has_left_is_refused(said: str, league: League) -> None:
    state = state_of(league)
    check(league, state)
    SPOILT[said](state)
    with pytest.raises((PirateError, ValueError), match=said):
        check(league, state)


@pytest.mark.parametrize("seconds", [HUGE, -1, math.nan, math.inf, "1"])
def test_seconds_that_no_league_has_taken_are_refused(seconds: Any, league: League, tmp_path: Path) -> None:
    folder = tmp_path / "attacked"
    shutil.copytree(league.folder, folder)
    file = max((folder / "checkpoints").iterdir()) / "resume.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "seconds": seconds}))
    seal_again(file)
    with pytest.raises(CheckpointError, match=r"cannot be resumed: .*seconds are|is not readable"):
        resumed_league(folder)
