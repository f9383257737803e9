"""Hands as they are dealt and played out: what several reports of Skull King begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Rows
from experiments.reports.lockstep import DrawnPositions, Lockstep, Wanted, dealt
from experiments.reports.report import ReportError
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets.skull_king import HAND_CELLS, counted
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.state import BIDDING

SPECIALS = ("escape", "pirate", "mermaid", "king", "Scary Mary")  # the last of a hand's cells


def hands(game: Game, player: Agent, deals: range) -> Rows:
    """Every seat's every hand: `deal`, `hand` (cards), `place` (0 leads), `cards` (61 counts), `bid` and `gained`.

    `gained`: points of the hand less the mean of the others'.
    """
    matches = Lockstep(game, player, dealt(game, deals))
    options: Any = game.options
    size, first, last = len(deals), int(options.first_hand), int(options.last_hand)
    seen = {
        "cards": np.zeros((size, last + 1, game.players, HAND_CELLS), np.int8),
        "place": np.zeros((size, last + 1, game.players), np.int8),
        "bid": np.zeros((size, last + 1, game.players), np.int8),
    }
    scores = np.zeros((size, last + 2, game.players))
    for rows, seats, observations, _, actions in matches.moves():
        records = matches.records[rows]
        bids = records["phase"] == BIDDING
        at = rows[bids], records["hand_number"][bids].astype(int), seats[bids]
        seen["cards"][at] = counted(observations[bids])
        seen["place"][at] = (at[2] - records["first_leader"][bids]) % game.players
        seen["bid"][at] = actions[bids]
        scores[at[0], at[1]] = records["scores"][bids][:, : game.players]
    scores[:, last + 1] = matches.points()
    gained = np.diff(scores, axis=1)[:, first:]
    margin = gained - (gained.sum(axis=2, keepdims=True) - gained) / (game.players - 1)
    match, hand, _ = np.indices(margin.shape)
    told = {name: values[:, first:].reshape(-1, *values.shape[3:]) for name, values in seen.items()}
    return {"deal": match.ravel() + deals.start, "hand": hand.ravel() + first, **told, "gained": margin.ravel()}


def each_hand(game: Game, player: Agent, deals: range, wanted: Wanted, seed: int = 0) -> DrawnPositions:
    """Of each hand of a match that has any, one of the positions that are wanted, drawn at random among them.

    Raises ReportError if not all of those hands have as many: each would weigh what its number makes of it (`each_drawn`).
    """
    matches, chance = Lockstep(game, player, dealt(game, deals), seed), np.random.default_rng(seed)
    last = int(game.options.last_hand)  # type: ignore[attr-defined]
    count = np.zeros(len(deals) * last, np.int64)
    kept = DrawnPositions(
        np.repeat(matches.records, last), np.repeat(np.arange(deals.start, deals.stop), last),
        np.zeros((len(count), game.layout.size), np.float32), np.zeros(len(count), np.int64),
    )  # fmt: skip
    for move in matches.moves():
        records = matches.records[move.rows]
        hands_ = move.rows * last + records["hand_number"] - 1
        asked = wanted(records, move)
        count[hands_[asked]] += 1
        taken = asked & (chance.random(len(asked)) * count[hands_] < 1)
        at = hands_[taken]
        kept.records[at] = records[taken]
        kept.observations[at] = move.observations[taken]
        kept.actions[at] = move.actions[taken]
    if len(set(count[count > 0].tolist())) > 1:
        raise ReportError("hands that have different numbers of positions are not drawn from alike; use each_drawn")
    return DrawnPositions(*(column[count > 0] for column in kept))
