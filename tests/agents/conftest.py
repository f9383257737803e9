"""Fixtures of the tests of players and of how they learn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest


@pytest.fixture(scope="session")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A league that has been played to its end in one go."""
    from experiments import league as command
    from pirate_envs.agents.learning.leagues import begin_league
    from tests.agents.leagues import TINY, play

    league = begin_league(replace(TINY, out=tmp_path_factory.mktemp("straight")), "this test")
    assert play(league)
    command.keep(league)
    league.lock = None
    return league
