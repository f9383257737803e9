"""Worlds as a seat imagines them, against what all at the table have seen: by trackers that share nothing with the dealing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from tests.games.lucky_pirate import test_knowledge as lucky_pirate
from tests.games.piratenpoker import test_reshuffle as piratenpoker
from tests.games.positions import at_random, strongest
from tests.games.skull_king import test_knowledge as skull_king

POSITIONS = 200  # of a chunk
FAR = 1_000_000  # first matches of two chunks of one table lie so far apart
Agrees = Callable[[dict[str, Any]], bool]  # with what was seen, by the view of all


def imagined(name: str, number: int) -> dict[str, float]:
    """POSITIONS positions of one table size or rule and kind of player; those of each follow each other by `number`.

    The true world must agree, or the tracker itself is wrong: an AssertionError.
    """
    failed = 0
    for i, (game, g, seat, agrees) in enumerate(itertools.islice(POSITIONS_OF[name](number), POSITIONS)):
        if not agrees(game.view(g)):
            raise AssertionError(f"{name} {number}: the true world of position {i} contradicts what was seen")
        failed += not agrees(game.view(game.determinized(g, seat, i)))
    return {"done": POSITIONS, "failed": failed}


def of_lucky_pirate(number: int) -> Iterator[tuple[Any, Any, int, Agrees]]:
    kinds = list(itertools.product(lucky_pirate.TABLES, (strongest, at_random(number))))
    options, choose = kinds[number % len(kinds)]
    game, looked = lucky_pirate.load(**options), 0
    for seed in itertools.count(FAR * (number // len(kinds))):
        for g, watcher, _ in lucky_pirate.watched(game, seed, choose):
            yield game, g, looked % game.players, lambda shown, watcher=watcher: not watcher.contradicted_by(shown["hands"])
            looked += 1


def of_piratenpoker(number: int) -> Iterator[tuple[Any, Any, int, Agrees]]:
    """Only positions after a reshuffle."""
    kinds = list(itertools.product(piratenpoker.TABLES, ("loot_value", "random", "sparing")))
    options, who = kinds[number % len(kinds)]
    for game, g, tracker in piratenpoker.looked_at(options, who, 0.5, FAR * (number // len(kinds))):
        yield game, g, tracker.seat, lambda shown, tracker=tracker: tracker.allows_all(shown["hands"])


def of_skull_king(number: int) -> Iterator[tuple[Any, Any, int, Agrees]]:
    kinds = list(itertools.product(skull_king.TABLES, (strongest, at_random(number))))
    options, choose = kinds[number % len(kinds)]
    game, looked = skull_king.load(**options), 0
    for seed in itertools.count(FAR * (number // len(kinds))):
        for g, watcher in skull_king.watched(game, seed, choose):
            seat = looked % game.players
            yield game, g, seat, skull_king.allowed(game, g, watcher, seat)
            looked += 1


POSITIONS_OF = {"lucky_pirate": of_lucky_pirate, "piratenpoker": of_piratenpoker, "skull_king": of_skull_king}
