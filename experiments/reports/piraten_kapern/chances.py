"""Turns of Piraten Kapern between two, held against the race: what choices are worth in chances of winning, and what they risk.

By the solved race (`exact:race`): both play for the win from the next choice on. Positions are the mover's points and the
other's in hundreds, tables of dice to leave lying are (3, 1287) as in `turns`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from experiments.reports.piraten_kapern.turns import ISLAND, DecidedTurns
from pirate_envs.games.piraten_kapern.solved.any_worth import (
    CARD_SKULLS,
    HIGHEST,
    LOWEST,
    SORCERESS,
    TARGET,
    TREASURE,
    UNIT,
    TurnRoom,
    fill_means,
)
from pirate_envs.games.piraten_kapern.solved.race import fill_ends, solve_turn, table
from pirate_envs.games.piraten_kapern.solved.turn import LAID, SKULL, THROWS, lands
from pirate_envs.games.piraten_kapern.state import CARDS

TOLERANCE = 1e-5


def positions(records: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of these seats and of the others in matches of two, in hundreds as the race's table has them."""
    every = np.arange(len(records))
    mine, other = (np.floor_divide(records["scores"][every, seat], UNIT).astype(np.int64) for seat in (seats, 1 - seats))
    return np.clip(mine, LOWEST, TARGET - 1), np.clip(other, LOWEST, HIGHEST)


class RaceTurn(NamedTuple):
    """The turn that is best for winning, in one position with one card."""

    chance: float
    """Of winning, before the first roll."""
    worth: np.ndarray
    """Chance by state and throw, (3, 1287)."""
    laid: np.ndarray
    """(3, 1287)."""
    ends: np.ndarray
    """Chance with a turn that ends so away from the Island, (1287,)."""
    saved: np.ndarray
    """What a bust is worth more with dice lying on the treasure island, (3003,)."""


def race_turn(mine: int, other: int, card: int, room: TurnRoom) -> RaceTurn:
    """Solves it in `room`, which the result looks into until the next is solved."""
    ends = np.zeros(len(THROWS))
    chance = solve_turn(table(), mine, other, card, room)
    fill_ends(table(), mine, other, card, ends)
    return RaceTurn(float(chance), room.worth, room.laid, ends, room.saved if card == TREASURE else room.nothing)


def lost_chances(at: DecidedTurns, mine: np.ndarray, other: np.ndarray) -> np.ndarray:
    """What each choice away from the Island loses against the best one, as a chance of winning, (n,); 0 on the Island."""
    lost, room = np.zeros(len(at.card)), TurnRoom.empty()
    keys, which = np.unique(np.stack([mine, other, at.card], axis=1), axis=0, return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.searchsorted(which[order], np.arange(len(keys) + 1))
    for number, (me, him, card) in enumerate(keys.tolist()):
        rows = order[ends[number] : ends[number + 1]]
        rows = rows[at.state[rows] != ISLAND]
        if len(rows):
            lost[rows] = lost_in(race_turn(me, him, card, room), at.state[rows], at.throw[rows], at.laid[rows])
    return lost


def lost_in(turn: RaceTurn, state: np.ndarray, throw: np.ndarray, laid: np.ndarray) -> np.ndarray:
    """What choices away from the Island lose against the best, as a chance of winning; arrays of one shape."""
    means = np.stack([_means(turn.worth[0]), _means(turn.worth[1])])
    asks = (laid >= 0) & (LAID[laid, SKULL] < THROWS[throw, SKULL])
    rolled = means[np.where(asks, 1, state), laid] + np.where(asks, 0, turn.saved[laid])
    return turn.worth[state, throw] - np.where(laid < 0, turn.ends[throw], rolled)  # type: ignore[no-any-return]


def worthwhile(turn: RaceTurn, laid: np.ndarray, least: float) -> np.ndarray:
    """A table (3, 1287) with the race's choice wherever this one loses so much of a chance of winning, or more."""
    state, throw = np.indices((ISLAND, len(THROWS)))
    changed = laid.copy()
    changed[:ISLAND] = np.where(lost_in(turn, state, throw, laid[:ISLAND]) >= least, turn.laid[:ISLAND], laid[:ISLAND])
    return changed


def chance_by(turn: RaceTurn, card: int, laid: np.ndarray) -> float:
    """The chance of winning in that position if this turn is played by a table (3, 1287), the Island's part as the race's."""
    return _of_turn(card, laid, turn.ends, turn.saved, turn.worth[ISLAND])


def bust_chance(card: int, laid: np.ndarray) -> float:
    """How often a turn played by a table (3, 1287) ends with three skulls away from the Island."""
    dead = (THROWS[:, SKULL] + CARD_SKULLS[card] >= 3).astype(float)
    return _of_turn(card, laid, dead, np.zeros(len(LAID)), np.zeros(len(THROWS)))


def _of_turn(card: int, laid: np.ndarray, ends: np.ndarray, saved: np.ndarray, island: np.ndarray) -> float:
    """Mean worth of a turn by a table, from the worth of its ends."""
    after = _fixed(laid[1], ends, saved, None)
    first = _fixed(laid[0], ends, saved, _means(after)) if card == SORCERESS else after
    return float(_means(np.where(lands(CARDS[card]), island, first))[0])


def _fixed(laid: np.ndarray, ends: np.ndarray, saved: np.ndarray, asked: np.ndarray | None) -> np.ndarray:
    """Worth by throw of rolling on so until the end; `asked`: of dice left lying once the sorceress was asked."""
    rolls = laid >= 0
    asks = rolls & (LAID[laid, SKULL] < THROWS[:, SKULL])
    worth, change = ends, np.inf
    while change > TOLERANCE:
        rolled = (_means(worth) + saved)[laid]
        if asked is not None:
            rolled = np.where(asks, asked[laid], rolled)
        now = np.where(rolls, rolled, ends)
        worth, change = now, float(np.abs(now - worth).max())
    return worth


def _means(worth: np.ndarray) -> np.ndarray:
    out = np.zeros(len(LAID))
    fill_means(np.ascontiguousarray(worth), out)
    return out
