"""Kuhn poker: what a record holds."""

import numpy as np

from pirate_envs.core.ranges import SEAT, Range
from pirate_envs.core.record import record_type

PLAYERS, CARDS = 2, 3
HIDDEN = -1  # in `cards`

STATE = record_type(
    [
        ("cards", np.int8, (PLAYERS,)),  # 0 jack, 1 queen, 2 king, or HIDDEN
        ("chips", np.int8, (PLAYERS,)),  # in the pot
        ("points", np.int8, (PLAYERS,)),  # chips won; zeros before the end
        ("first", np.int8),  # the seat that begins
    ]
)

RANGES: dict[str, Range] = {
    "cards": (HIDDEN, CARDS - 1),
    "chips": (1, 2),
    "points": (-2, 2),
    "first": SEAT,
}
