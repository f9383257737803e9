"""The rule player `exact_roll`: the best single roll.

It compares stopping now with every choice of dice to roll once more and then stop, by the exact mean over all ways they can
fall; a point that the opponents lose counts as a point won.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.jit import compiled
from pirate_envs.core.rewards import WIN
from pirate_envs.games.piraten_kapern.rules import LEGAL, OWN, allowed, own_points, points_row, saved, sorceress_waits
from pirate_envs.games.piraten_kapern.state import (
    COUNTS,
    DICE,
    FACES,
    LAID,
    PACKED,
    PARTIAL,
    PEACE,
    RANK,
    SABRE,
    SKULL,
    SORCERESS,
    STOP,
    STORM,
    TREASURE_ISLAND,
    chosen,
    number,
)

# -- the worth of dice lying, and of dice yet to fall ------------------------------------------------------------------

# Rows: those of OWN, played on without the sorceress; then four more.
SORCERESS_WAITS, SORCERESS_WITH_ANOTHER, ISLAND, ISLAND_PEACE = range(len(OWN), len(OWN) + 4)
_faces = np.arange(len(FACES))
_sums = LAID[:PARTIAL].cumsum(1)
_with_one_more = _sums[:, None, :] + (_faces >= _faces[:, None])
ONE_MORE = RANK[_faces, _with_one_more].sum(2)  # by dice laid (fewer than eight) and face: the dice with one more


def _means(worth: np.ndarray) -> np.ndarray:
    """Mean worth of up to eight dice once the missing ones have fallen, float64 (3003,); `worth` is by throw."""
    means = np.concatenate([np.zeros(PARTIAL), worth])
    for count in range(DICE - 1, -1, -1):
        some = np.flatnonzero(LAID[:PARTIAL].sum(1) == count)
        means[some] = means[ONE_MORE[some]].mean(1)
    return means


def _at_the_third_skull(means: np.ndarray, throw: int) -> tuple[float, float]:
    """Mean worth once that skull is rolled again: alone, and with the one other die that is best rolled with it (R17, R34)."""
    kept = COUNTS[throw] - (_faces == SKULL)
    others = [kept - (_faces == face) for face in range(SKULL) if kept[face]]
    alone, *joined = (float(means[RANK[_faces, dice.cumsum()].sum()]) for dice in (kept, *others))
    return alone, max(joined)


def _table_of_means() -> np.ndarray:
    """By row and dice laid, float32 (20, 3003): the mean of own points and of what each opponent loses."""
    skulls, sabres = COUNTS[:, SKULL], COUNTS[:, SABRE]
    worth = OWN.astype(float)
    worth[STORM] += np.where(skulls >= 3, 100 * skulls, 0)  # R20
    means = [_means(row) for row in worth]
    waiting = worth[[SORCERESS, SORCERESS]]
    for throw in np.flatnonzero(skulls == 3).tolist():
        waiting[:, throw] = _at_the_third_skull(means[SORCERESS], throw)
    peace = np.where(sabres > 0, -1000.0 * sabres, 100 * skulls)
    return np.array([*means, *map(_means, (*waiting, 100.0 * skulls, peace))], np.float32)


MEAN = _table_of_means()


def _bust_chances() -> np.ndarray:
    """Chance of three skulls or more, float64 (9, 9), by skulls lying and dice rolled."""
    chances = np.zeros((DICE + 1, DICE + 1))
    chances[3:, 0] = 1
    for count in range(1, DICE + 1):
        chances[:, count] = (5 * chances[:, count - 1] + chances[[*range(1, DICE + 1), DICE], count - 1]) / 6
    return chances


BUST_CHANCE = _bust_chances()


# -- the choice --------------------------------------------------------------------------------------------------------


@compiled
def row_of(g, asks_sorceress):
    """The row of MEAN for what lies after this choice."""
    if g.island != 0:
        return ISLAND_PEACE if g.card == PEACE else ISLAND
    if sorceress_waits(g) == 1 and g.sorceress_rescues != 0 and not asks_sorceress:
        return SORCERESS_WAITS if g.sorceress_alone != 0 else SORCERESS_WITH_ANOTHER
    return points_row(g)


@compiled
def worth_of_rolling(g, throw, action):
    """Mean worth of rolling these slots once and stopping then."""
    again = chosen(throw, action)
    kept = PACKED[throw] - again
    rolled = popcount(action)
    mean = np.float64(MEAN[row_of(g, again >> (8 * SKULL) != 0), number(kept) + RANK[SKULL, DICE - rolled]])
    if g.card == TREASURE_ISLAND and g.island == 0:  # R18
        mean += BUST_CHANCE[kept >> (8 * SKULL), rolled] * saved(kept)
    return mean


@compiled
def stopping_loses(g):
    """In a final round played for the win: would somebody else still be ahead?"""
    if g.trigger < 0 or g.reward != WIN:
        return False
    mover = int(g.to_move)
    mine = np.int64(g.scores[mover]) + own_points(g)
    for seat in range(int(g.players)):
        if seat != mover and g.scores[seat] > mine:
            return g.island == 0
    return False


@compiled
def exact_roll_action(g):
    throw = np.int64(g.dice)
    row = allowed(g)
    best, best_worth = STOP, np.float64(MEAN[row_of(g, True), PARTIAL + throw])
    if stopping_loses(g):
        best_worth = -1e9
    for i in range(4):
        word = LEGAL[row, throw, i]
        if i == 0:
            word &= ~np.uint64(1)
        while word != np.uint64(0):
            action = 64 * i + lowest_bit(word)
            word &= word - np.uint64(1)
            worth = worth_of_rolling(g, throw, action)
            if worth > best_worth:
                best, best_worth = action, worth
    return best
