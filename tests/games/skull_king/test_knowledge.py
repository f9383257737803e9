"""Skull King: no world that is imagined contradicts what all have seen: cards gone, suits that were not followed, bids."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.games.positions import Choose, at_random, strongest
from tests.games.skull_king.knowledge import Watcher, watched
from tests.games.skull_king.test_rules import load

TABLES: list[dict[str, Any]] = [
    *({"players": players} for players in range(2, 7)),
    {"players": 6, "rules": "2021"},
    {"players": 3, "bidding": "open", "first_hand": 4},
    {"players": 4, "highest": 5, "first_hand": 8, "last_hand": 8},
]


def allowed(game: Any, g: np.record, watcher: Watcher, seat: int) -> Callable[[dict[str, Any]], bool]:
    """Does a seat, which knows its own hand and bid too, think a world possible?"""
    own = game.view(g)

    def agrees(shown: dict[str, Any]) -> bool:
        mine = all(shown[what][seat] == own[what][seat] for what in ("hands", "bids"))
        return mine and not watcher.contradicted_by(shown)

    return agrees


def check_no_world_contradicts(options: dict[str, Any], choose: Choose, positions: int) -> None:
    """In so many positions: what has been watched agrees with the real world, and with one as each seat in turn thinks it.

    In a fair part of them something is known that a dealer who forgets it could contradict.
    """
    game, done, told = load(**options), 0, 0
    for seed in itertools.count():
        for g, watcher in watched(game, seed, choose):
            seat = done % game.players
            agrees = allowed(game, g, watcher, seat)
            assert agrees(game.view(g))
            assert agrees(game.view(game.determinized(g, seat, seed=done)))
            told += watcher.tells(game.view(g)["hands"])
            done += 1
            if done == positions:
                assert told > positions / 10
                return


@pytest.mark.parametrize("choose", [strongest, at_random(5)], ids=["strongest", "random"])
def test_a_dealer_who_forgets_a_void_is_found_out(choose: Choose) -> None:
    game, contradicted = load(players=4, first_hand=10), 0
    for i, (g, watcher) in enumerate(watched(game, 1, choose)):
        forgotten = g.copy()
        if g.laid == 0:  # an open trick shows its voids
            forgotten.voids[:] = 0
        world = game.view(game.determinized(forgotten, i % 4, seed=i))
        contradicted += not allowed(game, g, watcher, i % 4)(world)
    assert contradicted > 1


def test_cards_that_are_gone_and_other_bids_are_found_out() -> None:
    game = load(players=3, first_hand=3)
    g, watcher = next(each for each in watched(game, 2, strongest) if each[0].phase and each[0].decisions == 7)
    shown = game.view(g)
    assert not watcher.contradicted_by(shown)
    gone, bids, hands = shown["played"][0].partition(":")[0], shown["bids"], shown["hands"]
    for spoilt in (
        {"hands": [[gone, *hands[0][1:]], *hands[1:]]},
        {"hands": [hands[0][1:], *hands[1:]]},
        {"bids": [bids[0] ^ 1, *bids[1:]]},
        {"bids": [None, *bids[1:]]},
    ):
        assert watcher.contradicted_by({**shown, **spoilt})


@pytest.mark.parametrize("choose", [strongest, at_random(3)], ids=["strongest", "random"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_no_world_contradicts_what_all_have_seen(options: dict[str, Any], choose: Choose) -> None:
    check_no_world_contradicts(options, choose, 300)


@pytest.mark.long
@pytest.mark.parametrize("choose", [strongest, at_random(4)], ids=["strongest", "random"])
@pytest.mark.parametrize("options", TABLES, ids=str)
def test_no_world_contradicts_it_in_20_000_positions(options: dict[str, Any], choose: Choose) -> None:
    check_no_world_contradicts(options, choose, 20_000)
