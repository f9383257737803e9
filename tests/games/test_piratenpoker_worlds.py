"""Piratenpoker: imagined hands, stacks and sealed bids are the possible ones, each as often as it is likely.

(Where the discard became the pile: tests/games/piratenpoker/test_reshuffle.py.)
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from typing import Any

from tests.games.piratenpoker.stories import DECK, bid, names, table
from tests.games.worlds import check_worlds, hands_of


def few_unseen(*hands: str | int, unseen: str, own: str) -> Any:
    """A position in which nobody knows where these cards are; all others are on the discard."""
    return table(*hands, discard=sorted((DECK - Counter(names(own)) - Counter(names(unseen))).elements()))


def test_hands_without_a_reshuffle() -> None:
    """Equal cards too, and a pile besides."""
    unseen = "g4 g4 g5 r5 y1 y8 y3 r3"
    for sizes in ((2, 2), (1, 3)):
        game, g = few_unseen("g1 g2", *sizes, unseen=unseen, own="g1 g2")
        assert game.view(g)["pile"] == 4

        def world(seed: int, game: Any = game, g: Any = g) -> Any:
            return tuple(tuple(sorted(hand)) for hand in game.view(game.determinized(g, 0, seed))["hands"][1:])

        check_worlds(world, hands_of(names(unseen), sizes, lambda *_: True))


def test_stacks() -> None:
    """Every order of the cards of a colour that nobody has seen."""
    game, g = table("g4", 1, 1)
    view = game.view(g)
    for colour, hidden in enumerate(view["hidden"]):
        below = view["stacks"][colour][1:]
        assert len(below) == hidden > 2
        ways = Counter(permutations(below))

        def world(seed: int, colour: int = colour) -> Any:
            return tuple(game.view(game.determinized(g, 0, seed))["stacks"][colour][1:])

        check_worlds(world, ways)


def test_sealed_bids() -> None:
    """Any hand of the unseen cards, and of it any bid alike: one card, the other, both or the Pass."""
    unseen = ["green_4", "red_3", "red_5", "yellow_1"]
    game, g = few_unseen(2, "g1 g8", 1, unseen="g4 r3 r5 y1", own="g1 g8")
    bid(game, g, "-")

    def world(seed: int) -> Any:
        view = game.view(game.determinized(g, 1, seed))
        return tuple(view["hands"][0]), tuple(view["bids"][0])

    hands = list(combinations(unseen, 2))
    check_worlds(world, {(hand, sealed): 1 for hand in hands for sealed in (*((card,) for card in hand), hand, tuple("pass"))})
