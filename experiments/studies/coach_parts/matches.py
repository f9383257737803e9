"""Matches and decisions that the study of the coach looks at, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from experiments.reports.lockstep import DrawnPositions, Lockstep
from pirate_envs import Replay
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.statistics import bootstrap_weights, interval
from pirate_envs.agents.player import decisions_of
from pirate_envs.core.game import Game

POLICY = "policy:pretrained"
LONGEST = 256  # decisions with a choice of a match of four: Skull King has 210, Piratenpoker 99, Lucky Pirate 71 on average


def match(game: Game, line_up: Sequence[Agent], seed: int) -> tuple[Replay, list[np.record]]:
    """A match of these players, and its positions before each decision."""
    g, chance = game.new(seed), np.random.default_rng(seed)
    names, positions = [], []
    while not game.is_over(g):
        positions.append(g.copy())
        action = int(line_up[game.seat_to_move(g)].act(decisions_of(game, g, chance.random()))[0])
        names.append(game.action_name(g, action))
        game.apply(g, action)
    return Replay.of(game, seed, names), positions


def decisions(game: Game, seeds: range) -> DrawnPositions:
    """A decision with a choice for each seed, of matches of the policy among its copies.

    Which one it is of the first LONGEST is drawn before the match begins; where the match ends before it, another match is
    dealt and drawn for. So all decisions count alike: one drawn of those that a match had would count for less in a long
    match, which may be long by what came of it.
    """
    player, size, attempts = agent(game, POLICY), len(seeds), 0
    found = DrawnPositions(
        np.zeros(size, game.state), np.array(seeds), np.zeros((size, game.layout.size), np.float32), np.zeros(size, np.int64)
    )
    left = np.arange(size)
    while len(left):
        chances = [np.random.default_rng((seeds[row], attempts)) for row in left]
        matches = Lockstep(game, player, np.array([game.new(int(each.integers(1 << 62))) for each in chances], game.state))
        to_come = np.array([each.integers(LONGEST) for each in chances])  # decisions before the chosen one
        for move in matches.moves():
            is_choice = move.action_masks.sum(axis=1) > 1
            taken = is_choice & (to_come[move.rows] == 0)
            rows = left[move.rows[taken]]
            found.records[rows] = matches.records[move.rows[taken]]
            found.observations[rows], found.actions[rows] = move.observations[taken], move.actions[taken]
            to_come[move.rows] -= is_choice
        left, attempts = left[to_come >= 0], attempts + 1
    return found


def redacted(game: Game, records: np.ndarray) -> np.ndarray:
    """What who decides knows of each of these records."""
    return np.array([game.redacted(g, game.seat_to_move(g)) for g in records], game.state)


def by_deal(values: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Mean and interval of values that are drawn one by one."""
    return asdict(interval(np.array(values, float), bootstrap_weights(len(values))))


def outcome(game: Game, end: np.record, seat: int) -> tuple[float, float]:
    """A seat's margin and share of the win at the end."""
    points, winners = game.payoffs(end), game.winners(end)
    others = float(points.sum() - points[seat]) / (game.players - 1)
    return float(points[seat]) - others, (seat in winners) / len(winners)
