"""Piraten Kapern: what a seat may think of the chance to come, for nothing else is hidden."""

from __future__ import annotations

from collections import Counter
from itertools import product

from tests.games.piraten_kapern.tables import ORDER, table
from tests.games.worlds import check_worlds


def test_two_dice_fall_as_two_dice() -> None:
    game, g = table("gold", "CCDDMMPS")
    again = game.action(g, "reroll parrot sabre")

    def rolled(seed: int) -> tuple[str, ...]:
        world = game.determinized(g, 1, seed)
        game.apply(world, again)
        left = Counter(game.view(world)["dice"]) - Counter(["coin", "coin", "diamond", "diamond", "monkey", "monkey"])
        return tuple(sorted(left.elements()))

    check_worlds(rolled, Counter(tuple(sorted(two)) for two in product(ORDER, repeat=2)))


def test_the_next_card_is_any_of_those_left() -> None:
    left = {"gold": 1, "captain": 1, "skulls_2": 2}
    game, g = table("gold", "CCDDMMPS", undrawn=left)

    def drawn(seed: int) -> str:
        """The card of seat 1's turn, be it over already or not."""
        world = game.determinized(g, 1, seed)
        game.apply(world, game.action(world, "stop"))
        view = game.view(world)
        return (view["last_turns"][1] or view)["card"]

    check_worlds(drawn, left, each=200)
