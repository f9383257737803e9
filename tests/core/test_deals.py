"""Cards dealt to holders that cannot have some kinds: every possible deal is equally likely."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from pirate_envs.core import deals, rng
from pirate_envs.core.errors import PositionError
from tests.games.worlds import check_worlds


def bits(*kinds: int) -> int:
    return sum(1 << kind for kind in kinds)


def chance(seed: int) -> np.ndarray:
    gen = np.zeros(4, np.uint32)
    rng.key(gen, seed, 0, 7)
    return gen


def dealt(deal, seed: int, cards: list[int], need: list[int], barred: list[int]) -> tuple[int, ...]:
    """What the holders get, in order."""
    heap = np.array(cards, np.int8)
    deal(chance(seed), heap, np.array(need, np.int64), np.array(barred, np.int64))
    assert sorted(heap.tolist()) == sorted(cards)
    return tuple(heap[: sum(need)].tolist())


def possible(cards: list[int], need: list[int], barred: list[int]) -> Counter[tuple[int, ...]]:
    """All orders of the holders' cards that respect the bars, counting each entry as a card of its own."""
    bars = [bar for bar, size in zip(barred, need, strict=True) for _ in range(size)]
    orders = permutations(cards, len(bars))
    return Counter(order for order in orders if not any(bar >> kind & 1 for bar, kind in zip(bars, order, strict=True)))


CROSSED = [
    ([0, 1, 2, 3, 4, 5], [2, 2], [bits(0, 1), bits(1, 2)]),
    ([0, 0, 1, 1, 2, 3], [2, 1, 1], [bits(1), bits(0), bits(3)]),
    ([0, 1, 2, 3, 4, 5, 62], [1, 0, 2, 1], [bits(0, 1, 2, 62), -1, bits(2, 3), bits(4, 5, 62)]),
    ([0, 1, 2, 3, 4, 5], [3, 2], [bits(0, 1, 2), bits(3)]),
]
NESTED = [
    ([0, 1, 2, 3, 4, 5], [2, 2], [0, bits(0, 1, 2)]),
    ([0, 0, 1, 2, 3, 4], [1, 2, 1], [bits(0, 1, 2), bits(0), bits(0, 1)]),
    ([7, 7, 8, 9], [2, 2], [bits(7), 0]),
]


def by_lots(gen: np.ndarray, cards: np.ndarray, need: np.ndarray, barred: np.ndarray) -> None:
    """As `deal`, without shuffled heaps before it."""
    deals._deal_lots(gen, cards, need, barred)


@pytest.mark.parametrize("deal", [deals.deal, by_lots])
@pytest.mark.parametrize("case", CROSSED + NESTED)
def test_every_possible_deal_is_equally_likely(case, deal) -> None:
    check_worlds(lambda seed: dealt(deal, seed, *case), possible(*case))


@pytest.mark.parametrize("case", NESTED)
def test_nested_bars_need_one_try(case) -> None:
    """As many arrangements of lots as there are of cards: no lot is refused. On either side."""
    cards, need, barred = case
    heap, places = np.array(cards, np.int8), np.array([*need, len(cards) - sum(need)], np.int64)
    closed, sizes = deals._grouped(heap, places, np.array(barred, np.int64))
    ways = sum(possible(*case).values()) * math.factorial(int(places[-1]))
    for side in ((sizes, closed, places), (places, deals._mirrored(closed, len(places)), sizes)):
        assert math.exp(deals._plan(*side)[2]) == pytest.approx(ways)


@pytest.mark.parametrize(
    ("cards", "need", "barred"),
    [
        ([0, 0], [2], [bits(0)]),
        ([0, 1], [2, 1], [0, 0]),
        ([0, 1], [-1], [0]),
        ([0, 1, 1], [1, 1], [bits(1), bits(1)]),
        ([0, 1, 2, 3], [1, 1, 2], [bits(1, 2, 3), bits(1, 2, 3), 0]),
    ],
)
def test_what_cannot_be_dealt_is_an_error(cards, need, barred) -> None:
    with pytest.raises(PositionError, match="^cards: "):
        dealt(deals.deal, 0, cards, need, barred)


def test_a_search_for_a_deal_ends(monkeypatch) -> None:
    """After TRIES tries, be there a deal or not."""
    monkeypatch.setattr(deals, "TRIES", 0)
    draw = getattr(deals._draw, "py_func", deals._draw)  # compiled code has frozen TRIES
    two = np.array([2, 2], np.int64)
    with pytest.raises(PositionError, match="no deal found"):
        draw(chance(0), two, np.zeros(2, np.int64), two, np.arange(2), two)
