"""Whole matches: under the laws, beside the referee, and between equal players."""

from __future__ import annotations

import random

import pirate_envs
from pirate_envs.agents.arena import Standings
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.arena.ratings import MEAN
from pirate_envs.agents.arena.standings import standings
from pirate_envs.agents.arena.tournament import line_ups
from pirate_envs.agents.names import agent
from pirate_envs.core.game import Game
from pirate_envs.testing import GameLawError, check_game
from tests.games.setups import seats, setup_of
from tests.games.test_referees import MATCHES_AT_ONCE, any_game, play_side_by_side

AFTER_THE_TESTS = 10**6  # option sets of the tests come before
MATCHES, OPTION_SETS, TOURNAMENTS, DEALS = 20_000, 20, 20, 100
EQUALS = ("one", "other")  # two random players
TABLE, LINE_UPS = 4, 8  # seats; mixed line-ups, at most


def under_laws(name: str, number: int) -> dict[str, float]:
    """Random matches of one random option set, or, each second chunk, of the usual options at a random table.

    Those of a set that breaks a law are not counted: how many had been played by then is not known.
    """
    rng = random.Random(f"laws {number}")
    usual = {"players": rng.choice(list(seats(name)))}
    game = pirate_envs.load(name, **usual) if number % 2 else any_game(name, setup_of(name).random_options, rng)
    count = MATCHES if game.max_decisions < 2_000 else MATCHES // 10
    try:
        check_game(game, count, seed=(AFTER_THE_TESTS + number) << 32)
    except GameLawError as error:
        return {"done": 0, "failed": 1, "error": str(error)}  # type: ignore[dict-item]
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
    """Tournaments of two random players; of the first one's 95 % intervals, how many leave out the truth.

    `failed` are those of its share of the wins among copies of the other, `margins` and `ratings` those of its margin at all
    tables and of its rating.
    """
    count = {"done": TOURNAMENTS, "failed": 0, "margins": 0, "ratings": 0}
    game = pirate_envs.load(name, players=TABLE)
    for tournament in range(TOURNAMENTS * number, TOURNAMENTS * (number + 1)):
        told = equal_players(game, tournament)
        one, other = EQUALS
        for key, figure, truth in (
            ("failed", told.payoff[game.players][one][other], 1 / game.players),
            ("margins", told.figures[game.players][one]["margin"], 0.0),
            ("ratings", told.ratings[one], MEAN),
        ):
            count[key] += not figure.low <= truth <= figure.high
    return count


def equal_players(game: Game, number: int) -> Standings:
    """A tournament of two random players at tables of one size.

    Each line-up has deals of its own: on the same ones two random players would do the same, and nothing could differ.
    """
    random_player, first = agent(game, "random"), AFTER_THE_TESTS + (number << 4)
    players = [random_player] * game.players
    tables = line_ups(len(EQUALS), game.players, LINE_UPS, number)
    return standings(game, EQUALS, {at: play(game, players, range(DEALS), first + i) for i, at in enumerate(tables)})
