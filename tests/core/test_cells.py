"""Rows of observations and masks: compiled and uncompiled they hold what plain Python says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pirate_envs.core import cells
from pirate_envs.core.layout import Layout, Piece

KINDS: list[Callable[..., None]] = [cells.expand, getattr(cells.expand, "py_func", cells.expand)]


@pytest.mark.parametrize("expand", KINDS)
@pytest.mark.parametrize("actions", [8, 56, 64, 72, 128, 200])
def test_legal_actions_as_bytes(expand: Callable[..., None], actions: int) -> None:
    chance = np.random.default_rng(actions)
    legal = chance.random(actions) < 0.5
    words = np.zeros(-(-actions // 64), np.uint64)
    for action in np.flatnonzero(legal).tolist():
        words[action // 64] |= np.uint64(1 << action % 64)
    groups = np.full(actions // 8, 0x7777777777777777, np.uint64)
    expand(words, groups)
    assert groups.view(np.uint8).tolist() == legal.astype(int).tolist()


def test_a_layouts_table_counts_cells_from_the_first_to_the_last() -> None:
    layout = Layout(Piece("one", (1,), "a cell"), Piece("six", (2, 3), "six", -1, 2.5), Piece("two", (2,), "two"))
    assert layout.table() == [
        ("0", "one", "0..1", "a cell"),
        ("1-6", "six", "-1..2.5", "six"),
        ("7-8", "two", "0..1", "two"),
    ]
    assert (layout.size, layout.offset("six"), layout.offset("two")) == (9, 1, 7)
