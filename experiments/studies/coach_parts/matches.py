"""Matches and decisions that the study of the coach looks at, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

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


def decisions(game: Game, count: int, seed: int) -> list[np.record]:
    """Decisions with a choice, up to ten of each match of the policy with itself, spread over it at random."""
    policy, chance, found = agent(game, POLICY), np.random.default_rng(seed), list[np.record]()
    while len(found) < count:
        _, positions = match(game, [policy] * game.players, seed)
        free = [g for g in positions if len(game.legal_actions(g)) > 1]
        chosen = chance.choice(len(free), min(10, len(free)), replace=False)
        found += [free[at] for at in sorted(chosen)]
        seed += 1
    return found[:count]


def margin(game: Game, policy: Agent, g: np.record, action: int) -> float:
    """What the seat gains on the others' mean to the end of the stage, in the true world, if all play on by the policy."""
    seat, stage, before = game.seat_to_move(g), game.verbs["stage"](g), game.payoffs(g)
    g = g.copy()
    game.apply(g, action)
    while not game.is_over(g) and game.verbs["stage"](g) == stage:
        game.apply(g, int(policy.act(decisions_of(game, g))[0]))
    gain = game.payoffs(g) - before
    return float(gain[seat] - (gain.sum() - gain[seat]) / (game.players - 1))


def by_deal(values: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Mean and interval of values that are drawn one by one."""
    return asdict(interval(np.array(values, float), bootstrap_weights(len(values))))


def outcome(game: Game, end: np.record, seat: int) -> tuple[float, float]:
    """A seat's margin and share of the win at the end."""
    points, winners = game.payoffs(end), game.winners(end)
    others = float(points.sum() - points[seat]) / (game.players - 1)
    return float(points[seat]) - others, (seat in winners) / len(winners)
