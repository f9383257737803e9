"""Engine and referee agree at every step of random matches: legal actions, state and scores.

The referees (tests/reference) are plain Python written from the rulebooks; they share no code with the engine, not even
the random generator. Normal run: 2,000 matches a game. Longer run (``-m long``): 200,000 a game.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import OptionError
from pirate_envs.games.piraten_kapern.rules import COUNTS
from tests.reference.piraten_kapern import PiratenKapern
from tests.reference.skull_king import SkullKing

MATCHES_AT_ONCE = 50
NORMAL, LONG = 40, 4000  # option sets, each played MATCHES_AT_ONCE times
CHUNK = 100  # option sets of one test of the longer run

State = dict[str, list[Any]]


# -- what the engine's records say, in the referee's words: one list entry a lane --------------------------------------


def skull_king_states(game: pirate_envs.Game, records: np.ndarray) -> State:
    p = game.players
    return {
        "hand_number": records["hand_number"].tolist(),
        "leader": records["leader"].tolist(),
        "to_move": records["to_move"].tolist(),
        "phase": ["play" if phase else "bid" for phase in records["phase"].tolist()],
        "bids": records["bids"][:, :p].tolist(),
        "tricks_won": records["tricks_won"][:, :p].tolist(),
        "bonus": records["bonus"][:, :p].tolist(),
        "scores": records["scores"][:, :p].tolist(),
        "hands": [list(pair) for pair in zip(records["hands"][:, :p].tolist(), records["counts"][:, :p].tolist(), strict=True)],
        "trick": [trick[:laid] for trick, laid in zip(records["trick"].tolist(), records["laid"].tolist(), strict=True)],
    }


def packed_hands(hands: list[list[int]]) -> list[list[int]]:
    """The referee's hands as the engine keeps them: sets of kinds, and how many escapes, pirates and mermaids."""
    sets, counts = [], []
    for hand in hands:
        kinds = set(hand) | ({61} if 60 in hand else set())
        sets.append(sum(1 << kind for kind in kinds))
        counts.append(sum(hand.count(kind) << 4 * (kind - 56) for kind in (56, 57, 58)))
    return [sets, counts]


def skull_king_referee_state(referee: SkullKing) -> dict[str, Any]:
    state = referee.snapshot()
    return {**state, "hands": packed_hands(state["hands"])}


def piraten_kapern_states(game: pirate_envs.Game, records: np.ndarray) -> State:
    faces = np.arange(6)
    return {
        "card": records["card"].tolist(),
        "dice": [np.repeat(faces, counts).tolist() for counts in COUNTS[records["dice"]]],
        "to_move": records["to_move"].tolist(),
        "rolls": records["rolls"].tolist(),
        "sorceress_used": (records["sorceress_used"] != 0).tolist(),
        "island": (records["island"] != 0).tolist(),
        "turn": records["turn"].tolist(),
        "scores": records["scores"][:, : game.players].tolist(),
        "trigger": records["trigger"].tolist(),
        "undrawn": records["undrawn"].tolist(),
        "winner": records["winner"].tolist(),
    }


# -- option sets -------------------------------------------------------------------------------------------------------


def skull_king_options(rng: random.Random) -> dict[str, Any]:
    first = rng.randint(1, 10)
    chosen = {
        "players": rng.randint(2, 6),
        "rules": rng.choice(["schmidt", "schmidt", "2021"]),
        "first_hand": first,
        "last_hand": min(10, first + rng.choice([0, 0, 1, 2, 9])),
        "bidding": rng.choice(["sealed", "open"]),
    }
    extra = {
        "highest": rng.randint(5, 14),
        "mermaid_takes_king": rng.choice([0, 40, 50]),
        "king_takes_pirate": rng.choice([0, 30]),
        "pirate_takes_mermaid": rng.choice([0, 20]),
        "fourteen": rng.choice([0, 10]),
        "black_fourteen": rng.choice([0, 20]),
        "character_lead_frees_trick": rng.random() < 0.5,
        "mary_as_escape_counts": rng.random() < 0.5,
    }
    return chosen | {name: value for name, value in extra.items() if rng.random() < 0.3}


def piraten_kapern_options(rng: random.Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "players": rng.randint(2, 5),
        "target": rng.choice([500, 1000, 2000, 6000]),
        "max_rounds": rng.choice([1, 3, 10, 25]),
        "promo": rng.random() < 0.5,
        "nine_identical": rng.choice(["eight", "win"]),
    }
    if rng.random() < 0.3:
        cards = rng.sample(
            ["treasure_island", "captain", "sorceress", "gold", "skulls_2", "sea_battle_2", "after_the_storm", "peace"], 3
        )
        chosen["deck"] = {card: rng.randint(1, 3) for card in cards}
    return chosen


def any_game(name: str, draw: Callable[[random.Random], dict[str, Any]], rng: random.Random) -> pirate_envs.Game:
    """A game with random options that fit together."""
    while True:
        try:
            return pirate_envs.load(name, **draw(rng))
        except OptionError:
            continue


# -- side by side ------------------------------------------------------------------------------------------------------


def skull_king_referee(game: pirate_envs.Game, seed: int) -> SkullKing:
    names = {field.name for field in dataclasses.fields(game.options)} - {"players", "rules", "reward", "pay_as_scored"}
    return SkullKing(seed, game.players, **{name: getattr(game.options, name) for name in names})


def piraten_kapern_referee(game: pirate_envs.Game, seed: int) -> PiratenKapern:
    names = ("target", "promo", "deck", "nine_identical", "max_rounds")
    return PiratenKapern(seed, game.players, **{name: getattr(game.options, name) for name in names})


GAMES: dict[str, tuple[Any, ...]] = {
    "skull_king": (skull_king_options, skull_king_referee, skull_king_states, skull_king_referee_state),
    "piraten_kapern": (piraten_kapern_options, piraten_kapern_referee, piraten_kapern_states, PiratenKapern.snapshot),
}


def play_side_by_side(name: str, option_seed: int) -> int:
    """Play MATCHES_AT_ONCE random matches of one random option set in both; returns the decisions compared."""
    draw, make_referee, read_states, read_referee = GAMES[name]
    game = any_game(name, draw, random.Random(option_seed))
    first_seed = option_seed << 32
    batch = pirate_envs.Batch(game, MATCHES_AT_ONCE, seed=first_seed, observations=False)
    referees = {lane: make_referee(game, first_seed + lane) for lane in range(batch.size)}
    referees = {lane: referee for lane, referee in referees.items() if not referee.over}  # the engine passes over such deals
    decisions = 0
    while referees:
        states = read_states(game, batch.records)
        for lane, referee in referees.items():
            where = f"{name} {game.options} match seed {first_seed + lane} decision {batch.records['decisions'][lane]}"
            assert np.flatnonzero(batch.action_masks[lane]).tolist() == referee.legal(), where
            expected = read_referee(referee)
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
    at_once = getattr(referee, "winner", -1)
    best = max(referee.scores)
    winners = [seat == at_once if at_once >= 0 else points == best for seat, points in enumerate(referee.scores)]
    won = sum(winners)
    lost = len(winners) - won
    expected = [0.0 if lost == 0 else 1 / won if wins else -1 / lost for wins in winners]
    assert batch.rewards[lane].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", GAMES)
def test_engine_and_referee_agree(name):
    assert sum(play_side_by_side(name, option_seed) for option_seed in range(NORMAL)) > 50 * NORMAL * 5


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(NORMAL, NORMAL + LONG, CHUNK))
@pytest.mark.parametrize("name", GAMES)
def test_engine_and_referee_agree_for_long(name, chunk):
    assert sum(play_side_by_side(name, option_seed) for option_seed in range(chunk, chunk + CHUNK)) > 50 * CHUNK * 5
