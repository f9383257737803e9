"""Matches and decisions that the study of the coach looks at, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from experiments.reports.lockstep import DrawnPositions, one_each
from pirate_envs import Replay
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.statistics import bootstrap_weights, interval
from pirate_envs.agents.player import decisions_of
from pirate_envs.core.game import Game

POLICY = "policy:pretrained"


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
    """A decision with a choice of each match of the policy among its copies."""
    return one_each(game, agent(game, POLICY), seeds, lambda _, move: move.action_masks.sum(axis=1) > 1, seeds.start)


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
