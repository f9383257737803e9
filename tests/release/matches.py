"""Whole matches: under the laws, beside the referee, and between equal players."""

from __future__ import annotations

import random

import pirate_envs
from pirate_envs.agents.arena import versus
from pirate_envs.agents.names import agent
from pirate_envs.testing import GameLawError, check_game
from tests.games.setups import seats, setup_of
from tests.games.test_referees import MATCHES_AT_ONCE, any_game, play_side_by_side

AFTER_THE_TESTS = 10**6  # option sets of the tests come before
MATCHES, OPTION_SETS, EVALUATIONS, DEALS = 20_000, 20, 20, 100


def under_laws(name: str, number: int) -> dict[str, float]:
    """Random matches of one random option set, or, each second chunk, of the usual options at a random table."""
    rng = random.Random(f"laws {number}")
    usual = {"players": rng.choice(list(seats(name)))}
    game = pirate_envs.load(name, **usual) if number % 2 else any_game(name, setup_of(name).random_options, rng)
    count = MATCHES if game.max_decisions < 2_000 else MATCHES // 10
    try:
        check_game(game, count, seed=(AFTER_THE_TESTS + number) << 32)
    except GameLawError as error:
        return {"done": count, "failed": 1, "error": str(error)}  # type: ignore[dict-item]
    return {"done": count, "failed": 0}


def beside_referee(name: str, number: int) -> dict[str, float]:
    decisions = failed = 0
    for option_seed in range(OPTION_SETS * number, OPTION_SETS * (number + 1)):
        try:
            decisions += play_side_by_side(name, AFTER_THE_TESTS + option_seed)
        except AssertionError:
            failed += 1
    return {"done": OPTION_SETS * MATCHES_AT_ONCE, "failed": failed, "decisions": decisions}


def against_itself(name: str, number: int) -> dict[str, float]:
    """Evaluations of random play against random play; `failed` are those whose interval leaves out the margin 0."""
    game = pirate_envs.load(name, players=seats(name)[0])
    player = agent(game, "random")
    seeds = range(EVALUATIONS * number, EVALUATIONS * (number + 1))
    margins = [versus(game, player, player, DEALS, AFTER_THE_TESTS + seed).first()["margin"] for seed in seeds]
    return {"done": EVALUATIONS, "failed": sum(not margin.low <= 0 <= margin.high for margin in margins)}
