"""Positions of random matches, and what the notation of every game must hold for them."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from pirate_envs.core.errors import PositionError
from pirate_envs.core.game import Game

Choose = Callable[[Game, np.record], int]
"""An action for the seat to move."""


def strongest(game: Game, g: np.record) -> int:
    return int(game.rule_action(g))


def at_random(seed: int) -> Choose:
    chance = random.Random(seed)
    return lambda game, g: chance.choice(game.legal_actions(g))


def random_match(game: Game, seed: int) -> Iterator[np.record]:
    """Every position of a match of uniform legal actions."""
    chance, g = random.Random(seed), game.new(seed)
    yield g
    while not game.is_over(g):
        game.apply(g, chance.choice(game.legal_actions(g)))
        yield g


def differing(a: np.record, b: np.record) -> list[str]:
    """Fields that differ, the seed and the generator apart."""
    return [name for name in a.dtype.names if name not in ("seed", "gen") and not np.array_equal(a[name], b[name])]


def check_views_give_records_back(game: Game, every: int) -> None:
    """A full view, through JSON, becomes the same record again; looked at in one position of `every`, and at the end."""
    for i, g in enumerate(random_match(game, seed=11)):
        if i % every == 0 or game.is_over(g):
            shown = json.loads(json.dumps(game.view(g)))
            assert differing(g, game.from_view(shown, seed=i)) == []


def check_seats_views_become_worlds(game: Game, every: int) -> Iterator[tuple[np.record, np.record]]:
    """A seat's view becomes a world that looks the same to it; yields the position and the world."""
    for i, g in enumerate(random_match(game, seed=12)):
        if i % every == 0:
            for seat in range(game.players):
                shown = json.loads(json.dumps(game.view(g, seat)))
                world = game.from_view(shown, seed=i)
                assert game.view(world, seat) == shown
                assert np.array_equal(game.observation(world, seat), game.observation(g, seat))
                yield g, world


def refused_or_played(game: Game, bases: Iterable[Mapping[str, Any]], field: str, values: Iterable[Any]) -> int:
    """Put each value into that field of each view: a PositionError, or a position that can be played to its end.

    Returns how many were refused.
    """
    refused = 0
    for base, value in itertools.product(bases, list(values)):
        try:
            g = game.from_view({**base, field: value})
        except PositionError:
            refused += 1
        else:
            while not game.is_over(g):
                game.apply(g, game.legal_actions(g)[-1])
    return refused
