"""Every line of play of tiny matches, engine and referee side by side; the numbers of positions are pinned.

A match's chance is fixed by its seed, so all its decisions make a tree. How many positions it has at each depth sums up what
the rules allow, and any change of them, of the deal or of the chance moves it.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np
import pytest

import pirate_envs
from tests.games.setups import setup_of


def count(game: pirate_envs.Game, g: np.record, referee: Any, deepest: int, found: Counter[int], depth: int = 0) -> None:
    """Positions by depth, the end of a match under -1; at each, both allow the same and both give the same points."""
    assert game.is_over(g) == referee.over
    assert game.payoffs(g).tolist() == list(referee.scores)
    found[depth] += 1
    if referee.over:
        found[-1] += 1
        return
    assert game.legal_actions(g) == referee.legal()
    if depth < deepest:
        for action in referee.legal():
            after, replied = g.copy(), copy.deepcopy(referee)
            game.apply(after, action)
            replied.apply(action)
            count(game, after, replied, deepest, found, depth + 1)


WHOLE = 99  # deeper than any of these matches
MANY = {"deck": dict.fromkeys(("1", "2", "parrot", "plank", "reverse", "skip"), 7), "early_downs": True, "parrot_again": True}
TREES: list[tuple[str, dict[str, Any], int, list[int]]] = [
    ("skull_king", {"players": 2, "last_hand": 2, "highest": 5}, WHOLE,
     [3, 6, 12, 12, 12, 36, 108, 216, 432, 432, 432, 432]),
    ("skull_king", {"players": 3, "first_hand": 2, "last_hand": 2, "rules": "2021"}, WHOLE,
     [3, 9, 27, 81, 162, 270, 540, 540, 540, 540, 540]),
    ("piraten_kapern", {"players": 2, "max_rounds": 1, "promo": True}, 2, [3, 144, 3351, 1073]),
    ("piraten_kapern", {"players": 2, "max_rounds": 1, "deck": {"sorceress": 1, "peace": 1}}, 2, [3, 228, 9830, 19]),
    ("piratenpoker", {"players": 3, "max_cycles": 1}, 2, [3, 160, 8704, 0]),
    ("lucky_pirate", {"players": 2, "max_turns": 2}, WHOLE, [3, 36, 333, 450, 156, 17, 892]),
    ("lucky_pirate", {"players": 2, "max_turns": 2, **MANY}, WHOLE,
     [3, 18, 94, 248, 469, 866, 1436, 1769, 1441, 701, 154, 5566]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "deepest", "numbers"), TREES)
def test_every_line_of_play(name: str, options: dict[str, Any], deepest: int, numbers: list[int]) -> None:
    """`numbers`: positions at each depth, then ends."""
    game, found = pirate_envs.load(name, **options), Counter[int]()
    for seed in range(3):
        count(game, game.new(seed), setup_of(name).referee(game, seed), deepest, found)
    ends = found.pop(-1, 0)
    assert [found[depth] for depth in range(len(found))] + [ends] == numbers
