"""Are drawn worlds the possible ones, each as often as it is likely? Pearson's chi-square."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations


def z_score(drawn: Mapping[Hashable, int], ways: Mapping[Hashable, int]) -> float:
    """Chi-square of counts against chances in proportion to `ways`, as a standard normal number (Wilson and Hilferty 1931)."""
    share = sum(drawn.values()) / sum(ways.values())
    freedom = len(ways) - 1
    chi_square = sum((drawn.get(world, 0) - share * count) ** 2 / (share * count) for world, count in ways.items())
    scale = 2 / (9 * freedom)
    return ((chi_square / freedom) ** (1 / 3) - 1 + scale) / math.sqrt(scale)


def check_worlds(draw: Callable[[int], Hashable], ways: Mapping[Hashable, int], each: int = 20) -> None:
    """Draw by seeds: all possible worlds come and no others, as often as `ways` says; the rarest `each` times on average."""
    draws = each * sum(ways.values()) // min(ways.values())
    drawn = Counter(draw(seed) for seed in range(draws))
    assert not set(drawn) - set(ways), "a world that cannot be"
    assert not set(ways) - set(drawn), "a possible world that never came"
    assert abs(z := z_score(drawn, ways)) < 4, f"{len(ways)} worlds, {draws} draws: z = {z:.1f}"


def hands_of(cards: Sequence[str], sizes: Sequence[int], may_hold: Callable[[int, str], bool]) -> Counter[Hashable]:
    """Every way to give each holder so many of these cards, each entry a card of its own; hands are sorted tuples."""
    deals: Counter[Hashable] = Counter()
    for deal in _deals(list(range(len(cards))), sizes, lambda holder, i: may_hold(holder, cards[i])):
        deals[tuple(tuple(sorted(cards[i] for i in hand)) for hand in deal)] += 1
    return deals


def _deals(left: list[int], sizes: Sequence[int], may_hold: Callable[[int, int], bool]) -> Iterator[list[tuple[int, ...]]]:
    """Deals of what is left to the last holders, one for each size."""
    if not sizes:
        yield []
        return
    *others, size = sizes
    for hand in combinations([i for i in left if may_hold(len(others), i)], size):
        for rest in _deals([i for i in left if i not in hand], others, may_hold):
            yield [*rest, hand]
