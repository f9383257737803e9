"""Every position that a match can begin with, and how likely: a chance node's outcomes, where the deal is all the chance.

The deal is the game's own verb, run as plain Python with a generator that gives each possible draw in turn, so the chances are
exact for any game. Or it is made of some cards only: what an option cannot make small, a heap of named cards can.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from types import FunctionType
from typing import Any

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.errors import OptionError, PositionError
from pirate_envs.core.game import Game

ALL, SAMPLED = "all", "sampled"
MOST_WAYS = 20_000  # ways to deal, each a draw after draw, that are looked through
TRIED = 20  # deals that are played to the end to see whether chance comes again
Deals = list[tuple[np.record, float]]
"""Matches with nothing decided, all different, and their probabilities."""


def deals_of(game: Game, which: str) -> Deals:
    """The deals that `which` tells of: ALL that there are, or those of cards named one after the other, each copy by itself.

    Raises OptionError if they are too many, cannot be made of these cards, or if they are not all the chance of a match.
    """
    deals = every_deal(game) if which == ALL else deals_from(game, which.split())
    check_no_later_chance(game, deals)
    return deals


# -- all deals ---------------------------------------------------------------------------------------------------------


class _EveryDraw:
    """Stands for the generator: over all runs, `below` answers with every sequence of draws that is possible."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.draws: list[tuple[int, int]] = []  # what each draw of this run gives, and out of how many
        self.made = 0

    def below(self, _: np.ndarray, n: int) -> int:
        if self.made == len(self.draws):
            self.draws.append((0, int(n)))
            if self.ways > MOST_WAYS:
                raise OptionError(
                    f"deals={ALL!r}: {self.game.name} with these options has more than {MOST_WAYS:,} ways to deal; "
                    f"use {SAMPLED!r}, or name few cards where the game deals hands of cards"
                )
        self.made += 1
        return self.draws[self.made - 1][0]

    @property
    def ways(self) -> int:
        """One over the probability of the draws made."""
        return math.prod(n for _, n in self.draws)

    def next_run(self) -> bool:
        """Go on to the next sequence; False when there is none."""
        while self.draws and self.draws[-1][0] + 1 == self.draws[-1][1]:
            self.draws.pop()
        if self.draws:
            drawn, n = self.draws.pop()
            self.draws.append((drawn + 1, n))
        self.made = 0
        return bool(self.draws)


def every_deal(game: Game) -> Deals:
    """All deals that leave something to decide (the engine passes over others). Raises OptionError if there are too many."""
    draw = _EveryDraw(game)
    deal = _interpreted(game.verbs["deal"], {rng.below: draw.below, rng.key: lambda *_: None})
    found: dict[bytes, Fraction] = {}
    more = True
    while more:
        g = _untouched(game)
        deal(g)
        if chance_left(g) != chance_left(_untouched(game)):
            raise OptionError(f"deals={ALL!r}: {game.name} draws its deal in a way that cannot be followed; use {SAMPLED!r}")
        if not g.over:
            found[g.tobytes()] = found.get(g.tobytes(), Fraction(0)) + Fraction(1, draw.ways)
        more = draw.next_run()
    total = sum(found.values())
    return [(np.frombuffer(each, game.state)[0].copy(), float(share / total)) for each, share in found.items()]


def _untouched(game: Game) -> np.record:
    """An empty record whose generator changes when anything is drawn from it."""
    g: np.record = game.empty(1)[0]
    g.gen[:] = 1
    return g


def _interpreted(function: Callable[..., Any], instead: dict[Any, Callable[..., Any]]) -> Callable[..., Any]:
    """The compiled function as plain Python, as is all that it calls by name, but for what is replaced."""
    if function in instead:
        return instead[function]
    source = getattr(function, "py_func", function)
    names = {**source.__globals__}
    plain = FunctionType(source.__code__, names, source.__name__, source.__defaults__, source.__closure__)
    instead = {**instead, function: plain}
    for name in source.__code__.co_names:
        if isinstance(names.get(name), FunctionType) or hasattr(names.get(name), "py_func"):
            names[name] = _interpreted(names[name], instead)
    return plain


# -- deals of some cards -----------------------------------------------------------------------------------------------


def deals_from(game: Game, cards: Sequence[str]) -> Deals:
    """The deals of these cards alone, each with the chance that it has given that no other cards are dealt.

    It can be told where hands of cards are all that is dealt. Raises OptionError.
    """
    start = game.view(game.new())
    if not _only_hands(game, start):
        raise OptionError(f"deals: in {game.name} hands of cards are not all that is dealt; allowed: {SAMPLED!r}, {ALL!r}")
    sizes = [len(hand) for hand in start["hands"]]
    left, ways = len(cards), 1
    for size in sizes:
        ways *= math.comb(left, size) if left >= size else 0
        left -= size
    if not 0 < ways <= MOST_WAYS:
        raise OptionError(f"deals: {len(cards)} cards can be dealt in {ways:,} ways; allowed: 1 to {MOST_WAYS:,} ways")
    found = Counter(_hands(tuple(cards), sizes))
    try:
        return [(game.from_view({**start, "hands": hands}), times / ways) for hands, times in found.items()]
    except PositionError as error:
        raise OptionError(f"deals: {error}") from None


def _only_hands(game: Game, start: dict[str, Any]) -> bool:
    """Whether hands of known cards are all in which two deals differ."""
    others = [game.view(game.new(seed)) for seed in range(1, TRIED)]
    fixed = [{key: value for key, value in view.items() if key != "hands"} for view in (start, *others)]
    return "hands" in start and game.positions is not None and all(view == fixed[0] for view in fixed)


def _hands(cards: tuple[str, ...], sizes: Sequence[int]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Every way to give each seat so many of the cards; each hand in alphabetical order."""
    if not sizes:
        yield ()
        return
    for chosen in combinations(range(len(cards)), sizes[0]):
        rest = tuple(card for at, card in enumerate(cards) if at not in chosen)
        for others in _hands(rest, sizes[1:]):
            yield (tuple(sorted(cards[at] for at in chosen)), *others)


# -- and nothing after them --------------------------------------------------------------------------------------------


def chance_left(g: np.record) -> bytes:
    """What all later draws come from: it stays the same for as long as nothing is drawn."""
    return g.seed.tobytes() + g.gen.tobytes()


def check_no_later_chance(game: Game, deals: Deals) -> None:
    """Play some of them to their ends. Raises OptionError if anything is drawn on the way."""
    choices = random.Random(0)
    for record, _ in deals[:: -(-len(deals) // TRIED)]:
        g = record.copy()
        while not game.is_over(g):
            game.apply(g, choices.choice(game.legal_actions(g)))
        if chance_left(g) != chance_left(record):
            raise OptionError(
                f"deals: {game.name} with these options draws again after its deal, so its deals are not all its chance; "
                f"allowed: {SAMPLED!r}"
            )
