"""Does an observation tell apart what a seat may know? Two positions that look the same are an alias."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from pirate_envs.core.game import Game

MISSING = object()  # in place of what a view does not hold


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
    pairs = pairs_alike(game, listed, seeds, plays)
    return pairs.total() - pairs[()]


# -- pairs of positions ------------------------------------------------------------------------------------------------

Choose = Callable[[Game, np.record, random.Random], int]


def at_random(game: Game, g: np.record, chance: random.Random) -> int:
    """Any legal action."""
    return int(chance.choice(game.legal_actions(g)))


def anywhere(g: np.record) -> bool:
    """Every position is looked at."""
    return True


def pairs_alike(
    game: Game,
    listed: Collection[str],
    seeds: int,
    plays: int,
    choose: Choose = at_random,
    looked_at: Callable[[np.record], bool] = anywhere,
) -> Counter[tuple[str, ...]]:
    """Plays of the same deals: how many pairs look the same to the seat that decides, by the listed keys that differ."""
    chance, known, pairs = random.Random(5), dict[tuple[int, bytes], np.record](), Counter[tuple[str, ...]]()
    for seed, _ in itertools.product(range(seeds), range(plays)):
        g = game.new(seed)
        while not game.is_over(g):
            if looked_at(g):
                seat = game.seat_to_move(g)
                looks = seat, game.observation(g, seat).tobytes()
                if looks in known:
                    pairs[differing_keys(game.view(known[looks], seat), game.view(g, seat), listed)] += 1
                else:
                    known[looks] = g.copy()
            game.apply(g, choose(game, g, chance))
    return pairs


def differing_keys(one: Mapping[str, Any], other: Mapping[str, Any], listed: Collection[str]) -> tuple[str, ...]:
    """The keys in which two views differ, all of them listed; `reshuffle.held` is a key within another."""
    keys = tuple(_differing(one, other))
    assert all(key in listed or key.partition(".")[0] in listed for key in keys), (keys, one, other)
    return keys


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(one.keys() | other.keys()):
        first, then = one.get(key, MISSING), other.get(key, MISSING)
        if isinstance(first, Mapping) and isinstance(then, Mapping):
            yield from (f"{key}.{within}" for within in _differing(first, then))
        elif first != then:
            yield key
