"""Hands as they are dealt and played out: what several reports of Skull King begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Rows
from experiments.reports.lockstep import Lockstep, dealt
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.observation import HAND_NUMBERS, HAND_SPECIALS
from pirate_envs.games.skull_king.state import BIDDING, MAX_NUMBER, SUITS

NUMBERS = SUITS * MAX_NUMBER
BLACK = 3  # the trumps' suit
SPECIALS = {"escape": 5, "pirate": 5, "mermaid": 2, "king": 1, "Scary Mary": 1}  # copies in the deck: the cells' scale


def hands(game: Game, player: Agent, deals: range) -> Rows:
    """Every seat's every hand: `deal`, `hand` (cards), `place` (0 leads), `cards` (61 counts), `bid` and `gained`.

    `gained`: points of the hand less the mean of the others'.
    """
    matches = Lockstep(game, player, dealt(game, deals))
    options: Any = game.options
    size, first, last = len(deals), int(options.first_hand), int(options.last_hand)
    seen = {
        "cards": np.zeros((size, last + 1, game.players, NUMBERS + len(SPECIALS)), np.int8),
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


def counted(observations: np.ndarray) -> np.ndarray:
    """How many of each card are in hand, int8, (n, 61): numbers by suit, then SPECIALS."""
    specials = observations[:, HAND_SPECIALS : HAND_SPECIALS + len(SPECIALS)] * list(SPECIALS.values())
    numbers = observations[:, HAND_NUMBERS : HAND_NUMBERS + NUMBERS]
    return np.rint(np.concatenate([numbers, specials], axis=1)).astype(np.int8)
