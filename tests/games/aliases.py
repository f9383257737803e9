"""Does an observation tell apart what a seat may know? Two positions that look the same are an alias."""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from pirate_envs.core.game import Game


def seen(game: Game, view: Mapping[str, Any]) -> bytes:
    """What the seat that decides observes in the position of a view."""
    g = game.from_view(view)
    return game.observation(g, game.seat_to_move(g)).tobytes()


def check_changes_are_seen(game: Game, base: Mapping[str, Any], changes: Iterable[Mapping[str, Any]]) -> None:
    """The position of `base` and those of its changed views all look different to the seat that decides."""
    views = [dict(base)] + [{**base, **change} for change in changes]
    for (one, first), (other, second) in itertools.combinations([(view, seen(game, view)) for view in views], 2):
        assert first != second, (one, other)


def check_no_alias(game: Game, listed: Collection[str], seeds: int = 20, plays: int = 20) -> int:
    """Random plays of the same deals: what looks the same to a seat that decides is the same in its view, `listed` keys apart.

    Returns how many pairs there were that look the same and differ in these.
    """
    return pairs_alike(game, listed, seeds, plays)[1]


def pairs_alike(game: Game, listed: Collection[str], seeds: int, plays: int) -> tuple[int, int]:
    """The same, with the pairs that look the same before those that differ in what is listed."""
    chance, known, pairs, differing = random.Random(5), {}, 0, 0
    for seed, _ in itertools.product(range(seeds), range(plays)):
        g = game.new(seed)
        while not game.is_over(g):
            seat = game.seat_to_move(g)
            view = game.view(g, seat)
            apart = {key: view.pop(key) for key in listed}
            looks = seat, game.observation(g, seat).tobytes()
            first, then = known.setdefault(looks, (view, apart))
            assert view == first
            pairs, differing = pairs + (view is not first), differing + (apart != then)
            game.apply(g, chance.choice(game.legal_actions(g)))
    return pairs, differing
