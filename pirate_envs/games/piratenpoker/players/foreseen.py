"""Piratenpoker: what totals the rule player `loot_value` expects of others' bids, as seen in its play against itself."""

from __future__ import annotations

import numpy as np

from pirate_envs.games.piratenpoker.state import HAND, NUMBERS

MOST = 2 * NUMBERS * HAND  # no total is higher

# What is foreseen in round q of another player's bid in round r depends on a context: in the first round how many sharks are
# on offer, in the second whether it owns a negative card, in the third the loot's front. By row, and by the number of cards
# that it holds in round q: ten typical totals, ascending, each as likely as the others; 0 is no bid or the Pass.
TYPICAL: list[dict[int, tuple[int, ...]]] = [
    {  # in round 1 of round 1: no shark on offer
        5: (0, 0, 0, 0, 0, 0, 2, 4, 5, 10),
        6: (0, 0, 2, 3, 4, 5, 5, 6, 8, 12),
    },
    {  # in round 1 of round 1: one shark
        5: (0, 0, 0, 0, 2, 5, 9, 15, 21, 25),
        6: (0, 0, 2, 3, 5, 6, 10, 16, 25, 30),
    },
    {  # in round 1 of round 1: more sharks
        5: (0, 0, 0, 0, 3, 6, 9, 17, 22, 25),
        6: (0, 0, 2, 3, 5, 7, 11, 17, 26, 31),
    },
    {  # in round 1 of round 2: owns no negative card
        5: (0, 0, 0, 0, 0, 2, 3, 4, 5, 11),
        6: (0, 0, 1, 2, 3, 3, 4, 5, 6, 12),
    },
    {  # in round 1 of round 2: owns one
        5: (0, 5, 6, 8, 8, 9, 12, 14, 17, 22),
        6: (3, 6, 8, 9, 12, 14, 17, 21, 24, 27),
    },
    {  # in round 1 of round 3: +5 on offer
        5: (0, 0, 1, 6, 10, 18, 23, 27, 32, 36),
        6: (0, 0, 0, 0, 6, 12, 19, 24, 30, 37),
    },
    {  # in round 1 of round 3: +6
        5: (0, 0, 3, 7, 14, 20, 25, 29, 32, 37),
        6: (0, 0, 0, 3, 8, 16, 23, 28, 34, 39),
    },
    {  # in round 1 of round 3: +8
        5: (0, 0, 4, 8, 16, 22, 27, 29, 33, 38),
        6: (0, 0, 0, 4, 10, 18, 25, 30, 35, 40),
    },
    {  # in round 1 of round 3: +10
        5: (0, 0, 4, 9, 16, 22, 27, 30, 33, 38),
        6: (0, 0, 0, 4, 10, 19, 26, 32, 36, 40),
    },
    {  # in round 2 of round 2: owns no negative card
        1: (0, 0, 0, 0, 0, 1, 2, 3, 3, 4),
        2: (0, 1, 1, 1, 1, 2, 2, 3, 3, 5),
        3: (0, 0, 1, 1, 2, 2, 3, 4, 7, 11),
        4: (0, 0, 0, 1, 1, 2, 3, 3, 4, 7),
        5: (1, 2, 2, 3, 3, 4, 4, 5, 5, 7),
        6: (1, 2, 2, 3, 3, 4, 4, 5, 6, 9),
    },
    {  # in round 2 of round 2: owns one
        2: (1, 3, 5, 6, 7, 7, 8, 8, 12, 13),
        3: (4, 7, 8, 8, 9, 10, 12, 13, 14, 15),
        4: (1, 7, 8, 9, 11, 13, 15, 17, 18, 21),
        5: (3, 6, 8, 9, 11, 16, 20, 23, 25, 28),
    },
    {  # in round 2 of round 3: +5 on offer
        1: (0, 0, 0, 0, 0, 0, 0, 0, 2, 6),
        2: (0, 0, 2, 3, 4, 6, 6, 8, 8, 10),
        3: (0, 0, 0, 2, 4, 8, 9, 13, 15, 20),
        4: (0, 0, 1, 6, 10, 14, 18, 21, 26, 32),
        5: (0, 0, 4, 12, 19, 23, 27, 31, 33, 39),
        6: (4, 8, 12, 20, 27, 31, 36, 38, 41, 44),
    },
    {  # in round 2 of round 3: +6
        1: (0, 0, 0, 0, 0, 0, 0, 1, 4, 6),
        2: (0, 0, 0, 3, 4, 4, 6, 8, 8, 11),
        3: (0, 0, 0, 0, 4, 6, 8, 10, 15, 20),
        4: (0, 0, 1, 5, 9, 14, 18, 22, 27, 34),
        5: (0, 0, 4, 13, 21, 25, 29, 32, 35, 40),
        6: (4, 10, 17, 24, 30, 34, 37, 38, 41, 45),
    },
    {  # in round 2 of round 3: +8
        1: (0, 0, 0, 0, 0, 0, 0, 2, 3, 6),
        2: (0, 0, 2, 3, 4, 4, 5, 6, 8, 11),
        3: (0, 0, 0, 2, 5, 8, 10, 12, 16, 20),
        4: (0, 0, 4, 9, 13, 18, 20, 24, 28, 35),
        5: (0, 3, 11, 19, 25, 28, 31, 34, 36, 41),
        6: (4, 10, 19, 26, 33, 36, 37, 39, 42, 46),
    },
    {  # in round 2 of round 3: +10
        1: (0, 0, 0, 0, 0, 0, 0, 1, 3, 6),
        2: (0, 0, 1, 2, 3, 4, 5, 6, 8, 12),
        3: (0, 0, 3, 5, 8, 10, 12, 14, 19, 22),
        4: (0, 4, 8, 13, 18, 20, 22, 26, 28, 35),
        5: (0, 9, 18, 25, 28, 31, 33, 36, 38, 42),
        6: (6, 15, 21, 31, 35, 37, 39, 40, 43, 45),
    },
    {  # in round 3 of round 3: +5 on offer
        1: (0, 1, 2, 3, 4, 6, 6, 8, 8, 12),
        2: (1, 4, 7, 9, 12, 13, 15, 18, 20, 24),
        3: (4, 9, 14, 17, 20, 22, 26, 28, 32, 36),
        4: (4, 13, 18, 22, 25, 27, 29, 32, 34, 39),
        5: (4, 8, 16, 23, 30, 33, 36, 38, 40, 43),
    },
    {  # in round 3 of round 3: +6
        1: (0, 0, 2, 3, 4, 5, 6, 8, 8, 12),
        2: (0, 4, 6, 8, 10, 12, 14, 16, 20, 24),
        3: (0, 6, 13, 16, 18, 22, 25, 29, 33, 36),
        4: (4, 13, 20, 24, 27, 29, 32, 34, 36, 40),
        5: (5, 12, 20, 28, 32, 35, 37, 39, 41, 44),
    },
    {  # in round 3 of round 3: +8
        1: (0, 0, 2, 3, 4, 4, 5, 6, 8, 12),
        2: (0, 4, 6, 9, 11, 12, 14, 17, 20, 22),
        3: (3, 8, 13, 16, 19, 22, 26, 28, 32, 37),
        4: (4, 14, 22, 26, 29, 31, 32, 35, 37, 42),
        5: (6, 12, 22, 29, 33, 36, 37, 39, 42, 46),
    },
    {  # in round 3 of round 3: +10
        1: (0, 0, 2, 2, 3, 4, 5, 6, 8, 10),
        2: (0, 4, 7, 9, 11, 12, 14, 18, 20, 22),
        3: (3, 9, 14, 18, 20, 21, 26, 28, 32, 38),
        4: (4, 15, 22, 27, 29, 32, 34, 36, 38, 42),
        5: (6, 14, 23, 32, 35, 37, 39, 40, 42, 45),
    },
]
FIRST_ROW = np.array([[0, 3, 5], [0, 9, 11], [0, 0, 15]], np.int64)  # of the first context, by q - 1 and r - 1


def _lower_chances(typical: dict[int, tuple[int, ...]], cards: int) -> np.ndarray:
    """Chance that a bid of somebody with so many cards is below each total (ties half), float64 (97,)."""
    known = min(typical, key=lambda held: (abs(held - cards), held))
    points = np.array(typical[known]) * cards / known
    distance = np.arange(MOST + 1)[:, None] - points
    return np.where(points == 0, 1.0, np.clip(distance / 2 + 0.5, 0.0, 1.0)).mean(axis=1)


# By row, cards held and total.
LOWER = np.array([[_lower_chances(typical, cards) for cards in range(HAND + 1)] for typical in TYPICAL])
LOWER[:, 0] = 1.0
