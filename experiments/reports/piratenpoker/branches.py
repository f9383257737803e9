"""Matches of Piratenpoker branched and played on to their end: what several reports begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from experiments.reports.lockstep import Lockstep
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.core.seats import NO_ONE
from pirate_envs.games.piratenpoker.state import BID, NO_BID, display_score

UNKNOWN = NO_ONE - 1
PER_CENT = 100.0
LATE = 3  # cards in the smallest stack, below which a match is late


class Ends(NamedTuple):
    """How branches ended."""

    points: np.ndarray
    """Of every seat, float64, (n, players)."""
    wins: np.ndarray
    """Every seat's share of the win in per cent, float64, (n, players)."""
    winner: np.ndarray
    """Who won the round in which they began, or NO_ONE, int64, (n,)."""


def ends(game: Game, player: Agent, records: np.ndarray, actions: np.ndarray | None = None) -> Ends:
    """Play copies of the records to the end of the match, with these first actions (int64, (n,)) if any are given."""
    matches = Lockstep(game, player, records.copy())
    winner = np.full(len(records), UNKNOWN)
    for number, move in enumerate(matches.moves()):
        if number == 0 and actions is not None:
            move.actions[:] = actions[move.rows]
        now, then = matches.records[move.rows], records[move.rows]
        revealed = (
            (now["cycle"] != then["cycle"]) | (now["round_number"] != then["round_number"]) | (now["phase"] != then["phase"])
        )
        first = revealed & (winner[move.rows] == UNKNOWN)
        winner[move.rows[first]] = now["last_winner"][first]
    winner = np.where(winner == UNKNOWN, matches.records["last_winner"], winner)
    return Ends(matches.points(), PER_CENT * matches.wins(), winner)


def margin(points: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """A seat's points less the mean of the others', float64, (n,)."""
    own = points[np.arange(len(seats)), seats]
    return own - (points.sum(axis=1) - own) / (points.shape[1] - 1)  # type: ignore[no-any-return]


def opens_round(records: np.ndarray, number: int) -> np.ndarray:
    """Does a round of that number wait for its first bid? bool, (n,)."""
    unasked = (records["bids"] == NO_BID).all(axis=1)
    return (records["phase"] == BID) & (records["round_number"] == number) & unasked  # type: ignore[no-any-return]


def moved(records: np.ndarray, old: np.ndarray, new: np.ndarray, colour: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Copies of the records in which a loot card lies in another display: all int64, (n,), seats, colours and sides."""
    changed, every, card = records.copy(), np.arange(len(records)), 1 << 8 * side
    changed["displays"][every, old, colour] -= card
    changed["displays"][every, new, colour] += card
    for seats in (old, new):
        shown = changed["displays"][every, seats].sum(axis=1)
        told = zip(shown, changed["bonus_repeat"], changed["bonus_sides"], strict=True)
        changed["scores"][every, seats] = [display_score(int(held), int(again), int(sides)) for held, again, sides in told]
    return changed


def left(records: np.ndarray) -> np.ndarray:
    """Loot cards in the smallest stack, int64, (n,)."""
    return records["stack_sizes"].min(axis=1).astype(np.int64)  # type: ignore[no-any-return]
