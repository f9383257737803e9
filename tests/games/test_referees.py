"""Engine and referee agree at every step of random matches: legal actions, state and scores.

The referees (a `referee.py` for each game) are plain Python written from the rulebooks; they share no code with the engine, not
even the random generator. 1,000 matches a game here, up to a million by ``make test-release``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import OptionError
from tests.games.setups import setup_of

MATCHES_AT_ONCE = 50  # of each set of options


def any_game(name: str, draw: Callable[[random.Random], dict[str, Any]], rng: random.Random) -> pirate_envs.Game:
    """A game with random options that fit together."""
    while True:
        try:
            return pirate_envs.load(name, **draw(rng))
        except OptionError:
            continue


def play_side_by_side(name: str, option_seed: int) -> int:
    """Play MATCHES_AT_ONCE random matches of one random option set in both; returns the decisions compared."""
    setup = setup_of(name)
    game = any_game(name, setup.random_options, random.Random(option_seed))
    first_seed = option_seed << 32
    batch = pirate_envs.Batch(game, MATCHES_AT_ONCE, seed=first_seed, observations=False)
    referees = {lane: setup.referee(game, first_seed + lane) for lane in range(batch.size)}
    referees = {lane: referee for lane, referee in referees.items() if not referee.over}  # the engine passes over such deals
    decisions, options = 0, f"{name} {game.options}"
    while referees:
        states = setup.engine_states(game, batch.records)
        for lane, referee in referees.items():
            where = f"{options} match seed {first_seed + lane} decision {batch.records['decisions'][lane]}"
            assert np.flatnonzero(batch.action_masks[lane]).tolist() == referee.legal(), where
            expected = referee.snapshot()
            for key, values in states.items():
                assert values[lane] == expected[key], f"{where}: {key}"
        actions = batch.random_actions()
        for lane, referee in referees.items():
            referee.apply(int(actions[lane]))
        decisions += len(referees)
        batch.step(actions)
        for lane, referee in list(referees.items()):
            assert bool(batch.ended[lane]) == referee.over
            if referee.over:
                check_end(batch, lane, referees.pop(lane))
    return decisions


def check_end(batch: pirate_envs.Batch, lane: int, referee: Any) -> None:
    """Final points, winners and truncation."""
    assert batch.points[lane].tolist() == referee.scores
    assert (batch.ended[lane] == 2) == getattr(referee, "truncated", False)
    winners = winners_of(referee)
    won, lost = len(winners), len(referee.scores) - len(winners)
    expected = [0.0 if lost == 0 else 1 / won if seat in winners else -1 / lost for seat in range(won + lost)]
    assert batch.rewards[lane].tolist() == pytest.approx(expected)


def winners_of(referee: Any) -> list[int]:
    """The seats that the referee names (`winners`, or `winner` for a win at once), else those with the most points."""
    if hasattr(referee, "winners"):
        return list(referee.winners)
    at_once = getattr(referee, "winner", -1)
    best = max(referee.scores)
    return [at_once] if at_once >= 0 else [seat for seat, points in enumerate(referee.scores) if points == best]


@pytest.mark.parametrize("name", pirate_envs.games())
def test_engine_and_referee_agree(name, request):
    sets = request.config.getoption("--option-sets")
    assert sum(play_side_by_side(name, option_seed) for option_seed in range(sets)) > MATCHES_AT_ONCE * sets
