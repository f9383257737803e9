"""Turns of Piraten Kapern held against the exact one: what each choice is worth, and what it loses.

Everything here is exact, by card, state of the turn and throw: tables of (cards, 3, 1287), where the states are before and
after the sorceress was asked, and the Island of Skulls. Usual rules, points; on the Island what each opponent loses.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.engine.player import Vouched
from pirate_envs.games.piraten_kapern.solved.account import mean_of_first_roll
from pirate_envs.games.piraten_kapern.solved.choices import points_outlook
from pirate_envs.games.piraten_kapern.solved.turn import (
    CARD_SKULLS,
    CARDS,
    FACES,
    FALL,
    FIRST_THROW,
    LAID,
    SKULL,
    THROWS,
    engine_throws,
    means,
    solve,
    visits,
)
from pirate_envs.games.piraten_kapern.state import DECK, DICE, STOP

IN_DECK = [kind for kind, count in enumerate(DECK) if count]
SHARE = np.array(DECK) / sum(DECK)
"""Of the usual deck, by card."""
ISLAND, ASKED_THERE, ROWS = 2, 2 + DICE + 1, 2 + 2 * (DICE + 1)  # rows of Worths.rolled
STORM = CARDS.index("after_the_storm")


def named(kind: int) -> str:
    """A card as players say it."""
    return CARDS[kind].replace("skulls_1", "one skull").replace("skulls_2", "two skulls").replace("_", " ")


class Worths(NamedTuple):
    """What the exact turn makes of everything."""

    mean: np.ndarray
    """Of a turn with each card before its first roll, the Island's part with it, (cards,)."""
    own: np.ndarray
    """The same without the Island's part, (cards,)."""
    best: np.ndarray
    """Of a throw, (cards, 3, 1287)."""
    ends: np.ndarray
    """Of a stop, (cards, 3, 1287)."""
    rolled: np.ndarray
    """Of dice left lying, (cards, ROWS, 3003): before and after she was asked; on the Island by skulls; and if she is asked."""


@cache
def worths() -> Worths:
    """By the usual rules, solved in seconds."""
    turns = [solve(card) for card in CARDS]
    outlooks = [points_outlook(turn) for turn in turns]
    rolled = np.zeros((len(CARDS), ROWS, len(LAID)))
    for kind, outlook in enumerate(outlooks):
        away = [outlook.ends] * 2 if kind == STORM else outlook.away
        rolled[kind, :ISLAND] = [means(worth) + outlook.saved for worth in away]
        goes_on = [(THROWS[:, SKULL] > skulls) & (kind != STORM) for skulls in range(-1, DICE + 1)]  # R23
        after = [means(np.where(further, outlook.island, outlook.island_ends)) for further in goes_on]
        for skulls in range(DICE + 1):
            before, now = after[skulls][FALL[:, :SKULL]], after[skulls + 1][FALL[:, SKULL]]
            rolled[kind, ISLAND + skulls] = after[skulls + 1]
            rolled[kind, ASKED_THERE + skulls, :FIRST_THROW] = (before.sum(1) + now) / len(FACES)  # hers is no new skull
    return Worths(
        mean=np.array([mean_of_first_roll(turn) for turn in turns]),
        own=np.array([turn.mean for turn in turns]),
        best=np.array([[*outlook.away, outlook.island] for outlook in outlooks]),
        ends=np.array([[outlook.ends, outlook.ends, outlook.island_ends] for outlook in outlooks]),
        rolled=rolled,
    )


def worth_of(card: np.ndarray, state: np.ndarray, throw: np.ndarray, laid: np.ndarray) -> np.ndarray:
    """What it is worth to leave these dice lying (rows of LAID, -1: stop) and play on as well as can be; of one shape."""
    known, skulls = worths(), THROWS[throw, SKULL]
    asks = (laid >= 0) & (LAID[laid, SKULL] < skulls)
    row = np.where(state == ISLAND, np.where(asks, ASKED_THERE, ISLAND) + skulls, np.where(asks, 1, state))
    return np.where(laid < 0, known.ends[card, state, throw], known.rolled[card, row, laid])


def lost_by(table: np.ndarray) -> np.ndarray:
    """By a table of dice to leave lying: what its choice loses against the best, points, of the table's shape."""
    at: np.ndarray = np.indices(table.shape)
    return worths().best - worth_of(at[0], at[1], at[2], table)  # type: ignore[no-any-return]


def own_points(table: np.ndarray) -> np.ndarray:
    """Mean own points of a turn so played, by card, (cards,): the exact turn's less what is lost wherever it comes."""
    lost, told = lost_by(table), []
    for kind, card in enumerate(CARDS):
        met = visits(replace(solve(card), away_laid=table[kind, :ISLAND])).met
        told.append(worths().own[kind] - float((met * lost[kind, :ISLAND]).sum()))
    return np.array(told)


class DecidedTurns(NamedTuple):
    """Decisions of turns, (n,) each."""

    card: np.ndarray
    state: np.ndarray
    throw: np.ndarray
    laid: np.ndarray
    """What the player leaves lying, a row of LAID, -1: stop."""


def decided(game: Game, records: np.ndarray, actions: np.ndarray) -> DecidedTurns:
    """What these records (waiting for a decision) and actions say."""
    throw = engine_throws(game, "the reports")[records["dice"]]
    state = np.where(records["island"] != 0, ISLAND, records["sorceress_used"] != 0)
    laid = np.where(actions == STOP, -1, lying()[throw, actions])
    return DecidedTurns(records["card"].astype(np.int64), state, throw, laid)


@cache
def lying() -> np.ndarray:
    """By throw and action the dice left lying, a row of LAID, int64 (1287, 256)."""
    digits = (DICE + 1) ** np.arange(len(FACES))
    number = np.zeros((DICE + 1) ** len(FACES), np.int64)
    number[LAID @ digits] = np.arange(len(LAID))
    shown = np.array([np.repeat(FACES, counts) for counts in THROWS])
    stays = 1 - (np.arange(1 << DICE)[:, None] >> np.arange(DICE) & 1)
    return number[digits[shown] @ stays.T]  # type: ignore[no-any-return]


def table_of(game: Game, player: Agent) -> np.ndarray:
    """What a player does who looks at nothing but card and dice: dice to leave lying, the Island's as the exact turn has it."""
    table = np.array([[*turn.away_laid, turn.island_laid] for turn in map(solve, CARDS)])
    table[:, :ISLAND] = -1
    cards, asked, throws = np.indices((len(CARDS), ISLAND, len(THROWS))).reshape(3, -1)
    skulls = THROWS[throws, SKULL] + np.array([CARD_SKULLS.get(card, 0) for card in CARDS])[cards]
    waits = (cards == CARDS.index("sorceress")) & (asked == 0)
    open_ = (skulls < 3) | (waits & (skulls == 3))
    g = np.repeat(np.array([game.new(0)]), int(open_.sum()))
    g["card"], g["sorceress_used"], g["rolls"], g["island"] = cards[open_], asked[open_], 2, 0
    g["dice"] = np.argsort(engine_throws(game, "the reports"))[throws[open_]]
    chances = np.full(len(g), 0.5)
    seen = np.zeros((len(g), game.layout.size), np.float32), np.ones((len(g), game.actions), np.bool_)
    told = decided(game, g, player.act(Vouched(*seen, chances, g)))  # cards that the deck lacks are asked about too
    table[told.card, told.state, told.throw] = told.laid
    return table
