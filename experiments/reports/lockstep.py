"""Positions of matches in lockstep (agents/lockstep.py): drawn from them, and branched."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pirate_envs.agents.lockstep import Lockstep, Move, dealt
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.search.tree import TO_MATCH_END

__all__ = ["Branches", "DrawnPositions", "Lockstep", "Move", "Wanted", "branched", "coins", "dealt", "each_drawn"]

Wanted = Callable[[np.ndarray, Move], np.ndarray]
COINS = 1  # the stream of the draws, apart from what else the chunk's first seed starts


class Branches(NamedTuple):
    """What came of forced actions, in the true world, if all play on as the player does; one row for each of them."""

    points: np.ndarray
    """What the deciding seat gained on the others' mean, float64, (n,)."""
    own: np.ndarray
    """What it gained, float64, (n,)."""
    wins: np.ndarray
    """Its share of the win where the match has ended, else of the lead as it stands, float64, (n,)."""


def branched(game: Game, player: Agent, records: np.ndarray, actions: np.ndarray, horizon: int = TO_MATCH_END) -> Branches:
    """Play action i (int64, (n,), legal) in a copy of record i (which waits for it), then go on to the horizon."""
    matches = Lockstep(game, player, records.copy())
    seats, before = matches.records["to_move"].astype(np.int64), matches.points()
    first = True
    for move in matches.moves(horizon):
        if first:
            move.actions[:] = actions[move.rows]
            first = False
    gained, every = matches.points() - before, np.arange(len(seats))
    own = gained[every, seats]
    others = (gained.sum(axis=1) - own) / (game.players - 1)
    return Branches(own - others, own, matches.wins()[every, seats])


class DrawnPositions(NamedTuple):
    """Decisions of which something is asked, drawn from matches; several may be of one match."""

    records: np.ndarray
    """Whole records, (n,)."""
    deal: np.ndarray
    """The match's seed, int64, (n,)."""
    observations: np.ndarray
    """What the seat to move sees, float32, (n, layout size)."""
    actions: np.ndarray
    """What the player does, int64, (n,)."""


def coins(deals: range) -> np.random.Generator:
    """What decides which positions of these deals are drawn: of nothing that happens in them."""
    return np.random.default_rng([deals.start, COINS])


def each_drawn(game: Game, player: Agent, deals: range, wanted: Wanted, share: float = 1.0) -> DrawnPositions:
    """Play these deals by one player on all seats and draw every decision that is wanted with the same chance, `share`.

    A coin decides, and nothing else: a mean over what is drawn is then one over all wanted decisions alike. To draw one
    decision of each match would weigh it by one over how many the match has, and that hangs on what came of the decision:
    who has flipped a down that fits is asked again, who has not is not, so that flips would seem to differ that cannot.
    Several of a match may be drawn; estimates are by deal, and allow for that.

    `wanted` tells of the records of a round of moves, and the moves, which are (bool, (k,)).
    """
    matches, chance = Lockstep(game, player, dealt(game, deals)), coins(deals)
    none = np.zeros(0, np.int64)
    kept = [DrawnPositions(matches.records[:0].copy(), none, np.zeros((0, game.layout.size), np.float32), none)]
    for move in matches.moves():
        records = matches.records[move.rows]
        taken = wanted(records, move) & (chance.random(len(records)) < share)
        told = records[taken], move.rows[taken] + deals.start, move.observations[taken], move.actions[taken]
        kept.append(DrawnPositions(*told))
    return DrawnPositions(*(np.concatenate(column) for column in zip(*kept, strict=True)))
