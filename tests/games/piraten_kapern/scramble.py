"""A position that a seat cannot tell from another: nothing but chance to come is hidden."""

from __future__ import annotations

import random
from typing import Any

from tests.games.skull_king.scramble import redraw_chance


def scrambled(g: Any, seat: int, rng: random.Random) -> Any:
    other = g.copy()
    redraw_chance(other, rng)
    return other
