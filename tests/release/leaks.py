"""Pairs of positions that a seat cannot tell apart, by a game's `scrambled`: nothing that it is shown may differ."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.core.bits import words_for
from pirate_envs.engine import probes
from tests.games.setups import material, setup_of
from tests.games.test_referees import any_game

PAIRS, LANES, EVERY = 50_000, 512, 5  # pairs of a chunk, matches at once, and decisions between two looks at them
SLOWLY = 500  # one pair in so many is shown in what is made in Python too


def pairs(name: str, number: int) -> dict[str, float]:
    """PAIRS pairs of one option set. `told apart`: by the next seat, which shows that a difference would be seen."""
    rng = random.Random(f"leaks {name} {number}")
    game = pirate_envs.load(name) if number % 2 else any_game(name, setup_of(name).random_options, rng)
    done = failed = told_apart = 0
    for rows in positions(game, rng):
        seats = (
            np.array([rng.randrange(game.players) for _ in rows]) if rng.random() < 0.5 else rows["to_move"].astype(np.int64)
        )
        others = scrambled_rows(name, rows, seats, rng)
        failed += int(differ(game, rows, others, seats).sum())
        told_apart += int(
            (seen(game, rows, (seats + 1) % game.players) != seen(game, others, (seats + 1) % game.players)).any(1).sum()
        )
        slow = [i for i in range(len(rows)) if rng.random() < 1 / SLOWLY]
        failed += sum(differ_slowly(game, rows[i], others[i], int(seats[i])) for i in slow)
        done += len(rows)
        if done >= PAIRS:
            return {"done": done, "failed": failed, "told apart": told_apart}
    raise AssertionError("matches ended")


def positions(game: pirate_envs.Game, rng: random.Random) -> Iterator[np.ndarray]:
    """Rows of random matches, without end."""
    batch = pirate_envs.Batch(game, LANES, seed=rng.getrandbits(48), observations=False)
    while True:
        for _ in range(rng.randint(1, 2 * EVERY)):
            batch.step(batch.random_actions())
        yield batch.records.copy()


def scrambled_rows(name: str, rows: np.ndarray, seats: np.ndarray, rng: random.Random) -> np.ndarray:
    scrambled = material(name, "scramble").scrambled
    others = rows.copy()
    for i in range(len(rows)):
        others[i] = scrambled(rows[i], int(seats[i]), rng)
    return others


def seen(game: pirate_envs.Game, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Observations as bits, uint32 (n, cells)."""
    out = np.zeros((len(rows), game.layout.size), np.float32)
    probes.observe_rows(rows, seats, out)
    return out.view(np.uint32)


def differ(game: pirate_envs.Game, rows: np.ndarray, others: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Which pairs differ in what the seat is shown, in what may be done or in what rule players do; bool, (n,)."""
    unequal = (seen(game, rows, seats) != seen(game, others, seats)).any(1)
    shown = []
    for side in (rows, others):
        hidden = side.copy()
        probes.redact_rows(hidden, seats)
        words = np.zeros((len(side), words_for(game.actions)), np.uint64)
        probes.legal_rows(side, words)
        advice = [np.zeros(len(side), np.int64) for _ in range(2 * len(game.rule_players))]
        for player in range(len(game.rule_players)):
            probes.advise_rows(side, player, advice[2 * player])
            probes.advise_rows(hidden, player, advice[2 * player + 1])
        mover = seats == side["to_move"]
        whole = hidden.view(np.uint8).reshape(len(side), -1)
        shown.append((whole, words * mover[:, None].astype(np.uint64), np.stack(advice, 1) * mover[:, None]))
    for one, two in zip(*shown, strict=True):
        unequal |= (one != two).any(1)
    return unequal


def differ_slowly(game: pirate_envs.Game, g: np.record, other: np.record, seat: int) -> bool:
    """Does anything that is made in Python for the seat differ?"""
    return list(shown_slowly(game, g, seat)) != list(shown_slowly(game, other, seat))


def shown_slowly(game: pirate_envs.Game, g: np.record, seat: int) -> Iterator[Any]:
    yield game.view(g, seat)
    yield game.render(g, seat)
    yield game.determinized(g, seat, 7).tobytes()
