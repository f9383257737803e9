"""Piratenpoker: how near to their weights worlds come where counting them is broken off (R19).

The mean of all worlds is told by the game's own search without an end: what it comes to is added up instead of drawn from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest

from pirate_envs.core.game import Game
from pirate_envs.core.jit import is_compiled
from pirate_envs.games.piratenpoker import reshuffle
from pirate_envs.games.piratenpoker.notation import hand_kinds
from pirate_envs.games.piratenpoker.reshuffle import ALL, ENOUGH, HEAPS, KEPT, MOST_STAKES, SEAT, TRIED
from pirate_envs.games.piratenpoker.state import KINDS, MAX_PLAYERS
from tests.games.piratenpoker.test_reshuffle import looked_at

# -- all worlds --------------------------------------------------------------------------------------------------------

compiled: Callable[[Any], Any] = numba.njit(nogil=True, error_model="numpy")


@compiled
def add(weight, left, places, sums):
    """Each place of a hand that is filled from a heap holds any card left in it, all alike."""
    for heap in range(HEAPS):
        for seat in range(MAX_PLAYERS):
            share = weight * places[heap, seat] / max(left[heap, ALL], 1)
            for kind in range(KINDS):
                sums[seat, kind] += share * left[heap, kind]


@compiled
def sum_up(g, stakes, ends, left, places, order, weights, sums, most):
    """Go through the heaps of the free cards, all or `most` steps; returns the weight of all histories, and the steps."""
    total, steps, at = 0.0, 0, 0
    while at >= 0 and steps < most:
        steps += 1
        if at == len(order):
            weight = weights[at] * reshuffle._ways_of_all(stakes, ends)
            add(weight, left, places, sums)
            total += weight
            at -= 1
        else:
            if stakes[order[at], TRIED] == 0:
                reshuffle._bring_forward(stakes, left, places, order, at)
            stake = stakes[order[at]]
            share = reshuffle._try_next(g.gen, stake, left, places)
            weights[at + 1] = weights[at] * share
            fits = share > 0 and reshuffle._ways(stakes[ends[stake[SEAT]] : ends[stake[SEAT] + 1]]) > 0
            at += 1 if fits else -1 if share < 0 else 0
    return total, steps


def mean_hands(game: Game, g: np.record, seat: int, most: int) -> tuple[np.ndarray, int]:
    """Cards of each kind that each other seat holds, the mean of all worlds by weight; and the steps that it took."""
    g = game.redacted(g, seat)
    left, places = np.zeros((HEAPS, KINDS + 1), np.int64), np.zeros((HEAPS, MAX_PLAYERS), np.int64)
    stakes, ends = np.zeros((MOST_STAKES, KEPT + 1), np.int64), np.zeros(MAX_PLAYERS + 1, np.int64)
    order, weights, sums = np.zeros(MOST_STAKES, np.int64), np.ones(MOST_STAKES + 1), np.zeros((MAX_PLAYERS, KINDS))
    reshuffle._fill_heaps(g, left)
    reshuffle._take_known(g, seat, left, stakes, places)
    for other in range(MAX_PLAYERS):
        hidden = other < game.players and other != seat
        ends[other + 1] = reshuffle.read_staked(g, other, stakes, ends[other], places) if hidden else ends[other]
    stakes = stakes[: ends[-1]]
    left[:, ALL] = left[:, :KINDS].sum(axis=1)
    reshuffle._force(stakes, left, places)
    free = reshuffle._begin(stakes, left, places, order)
    total, steps = sum_up(g, stakes, ends, left, places, order[:free], weights, sums, most)
    return sums / total if total else sums, steps


def drawn_hands(game: Game, g: np.record, seat: int, draws: int) -> np.ndarray:
    """The same of so many imagined worlds, world by world."""
    hands = np.zeros((draws, MAX_PLAYERS, KINDS))
    for seed in range(draws):
        world = game.determinized(g, seat, seed)
        for other in set(range(game.players)) - {seat}:
            np.add.at(hands[seed, other], hand_kinds(world, other), 1)
    return hands


# -- beside those drawn ------------------------------------------------------------------------------------------------

MOST, DRAWS, SURE = 20_000_000, 1000, 4.5  # steps to count all; worlds; a z that chance brings about once in 150,000


def each_match(who: str) -> Iterator[tuple[Any, np.record, int]]:
    """A position of each match in which an earlier reshuffle than the last one matters, with a seat that looks."""
    seen: set[bytes] = set()
    for game, g, tracker in looked_at({"players": 5}, who, 0.1):
        if g.reshuffled > 1 and g.seed.tobytes() not in seen:
            seen.add(g.seed.tobytes())
            yield game, g.copy(), tracker.seat


@dataclass
class Compared:
    """Worlds drawn beside all that there are: cards of each kind in each other hand, those that 20 draws and more hold."""

    off: np.ndarray
    """Mean of the draws less the true one, in cards."""
    error: np.ndarray
    """Its standard error."""

    @property
    def most(self) -> float:
        return float(np.abs(self.off).max())

    @property
    def z(self) -> float:
        return float(np.abs(self.off / self.error).max())


def compared(game: Any, g: np.record, seat: int, mean: np.ndarray) -> Compared:
    hands = drawn_hands(game, g, seat, DRAWS)
    assert not hands[:, mean == 0].any()
    off, spread = hands.mean(axis=0) - mean, hands.std(axis=0)
    told = (mean * DRAWS >= 20) & ((spread > 0) | (np.abs(off) > 1 / DRAWS))  # what all worlds hold cannot stray
    return Compared(off[told], (np.maximum(spread, DRAWS**-0.5) / DRAWS**0.5)[told])  # never less than that of one draw


def comparisons(who: str, number: int, most: int) -> tuple[list[Compared], list[Compared], int]:
    """So many positions in which `most` steps come to all worlds: those in which the game counts to the end, those in which
    it breaks off; and how many besides would take more.
    """
    whole: list[Compared] = []
    broken_off: list[Compared] = []
    beyond = 0
    for game, g, seat in each_match(who):
        mean, steps = mean_hands(game, g, seat, most)
        beyond += steps == most
        if steps < most:
            (broken_off if steps > ENOUGH else whole).append(compared(game, g, seat, mean))
        if len(whole) + len(broken_off) == number:
            break
    return whole, broken_off, beyond


def told(name: str, found: list[Compared]) -> None:
    """The figures for docs/trust.md."""
    off, error = (np.concatenate([getattr(each, field) for each in found]) for field in ("off", "error"))
    beyond = max(0.0, (off**2 - error**2).mean()) ** 0.5
    many = sum(each.z > SURE for each in found)
    print(f"{name}: {len(found)} positions, {len(off):,} means of {DRAWS:,} worlds; {many} positions with |z| > {SURE}")
    print(f"  largest |z| {max(each.z for each in found):.1f}; largest differences {np.sort(np.abs(off))[:-6:-1].round(2)}")
    print(f"  root mean square {beyond:.4f} beyond chance; a world's own {(error**2 * DRAWS).mean() ** 0.5:.2f}")


@pytest.mark.skipif(not is_compiled(), reason="millions of steps")
def test_worlds_come_by_their_weights_where_counting_comes_to_its_end() -> None:
    whole, _, _ = comparisons("random", number=3, most=ENOUGH)
    assert max(each.z for each in whole) < SURE


@pytest.mark.long
def test_worlds_are_near_to_their_weights_where_counting_is_broken_off() -> None:
    whole, broken_off, beyond = comparisons("sparing", number=80, most=MOST)
    told("counted to the end", whole)
    told("broken off", broken_off)
    print(f"  {beyond} more would take more than {MOST:,} steps")
    assert len(whole) > 3 and len(broken_off) > 20
    assert max(each.z for each in whole) < SURE
    assert max(each.most for each in broken_off) < 0.5
    assert sorted(each.most for each in broken_off)[len(broken_off) // 2] < 0.1
