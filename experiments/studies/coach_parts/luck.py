"""How much of what separates results is luck that the coach tells, and whether its mean is 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.studies.coach_parts.matches import POLICY, by_deal, match, outcome
from experiments.studies.coach_parts.part import LUCK, CoachPart, Columns, Row, Shipped, here
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.statistics import bootstrap_weights
from pirate_envs.agents.coach import Coach, yardsticks
from pirate_envs.agents.coach.choice import POINTS
from pirate_envs.agents.coach.luck import LuckMeter
from pirate_envs.agents.coach.yardsticks import ESTIMATES, KINDS, UNITS, LuckWeights
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game


@dataclass(frozen=True)
class Told:
    """Matches of one player against three policies that draw their actions."""

    player: str
    results: np.ndarray
    """Margin and share of the win, float64, (n, 2)."""
    changes: np.ndarray
    """Sums over the moments of a match, float64, (n, kinds, 2, ESTIMATES)."""

    def lucks(self, weights: LuckWeights) -> np.ndarray:
        """By kind of moment, float64, (n, kinds, 2)."""
        return np.stack([(self.changes[:, i] * weights.of(kind)).sum(axis=2) for i, kind in enumerate(KINDS)], axis=1)


def reviewed(game: Game) -> list[Agent]:
    """Players of different strength whose luck is told: two by rules, and a policy that draws."""
    names = dict.fromkeys([f"rules:{game.rule_players[0]}", f"rules:{game.rule_players[-1]}"])
    return [*(agent(game, name) for name in names), drawing(game)]


def drawing(game: Game) -> Policy:
    """The policy, its actions drawn."""
    policy = agent(game, POLICY)
    assert isinstance(policy, Policy)
    return policy.drawing()


def estimated(game: Game, player: Agent, policy: Policy, seed: int) -> tuple[tuple[float, float], np.ndarray]:
    """A match against policies that draw: result and sums of luck, a row of Told each."""
    seat = seed % game.players
    line_up: list[Agent] = [policy] * game.players
    line_up[seat] = player
    replay, positions = match(game, line_up, seed)
    end = replay.play()
    actions = [game.action(g, name) for g, name in zip(positions, replay.actions, strict=True)]
    others = {other: policy for other in range(game.players) if other != seat}
    sums = np.zeros((len(KINDS), len(UNITS), ESTIMATES))
    for moment in LuckMeter(game, policy, seat, seed).moments([*positions, end], actions, others):
        sums[KINDS.index(moment.kind)] += moment.changes
    return outcome(game, end, seat), sums


def exact(coach: Coach, seeds: range) -> Columns:
    """Of matches of the policy where turns are solved, a row a turn: its points, its luck, and how far its account is off."""
    game, solution = coach.game, coach.solutions[POINTS]
    found = Columns(match=[], points=[], luck=[], off=[])
    for seed in seeds:
        replay, positions = match(game, [agent(game, POLICY)] * game.players, seed)
        actions = [game.action(g, name) for g, name in zip(positions, replay.actions, strict=True)]
        for turn in (turn for seat in range(game.players) for turn in solution.account(positions[0], actions, seat)):
            lucky = turn.card_luck + turn.dice_luck
            found["match"].append(seed)
            found["points"].append(turn.points)
            found["luck"].append(lucky)
            found["off"].append(abs(turn.expected + lucky - turn.lost - turn.points))
    return found


def work(coach: Coach, seeds: range) -> Columns:
    """Exact luck turn by turn; or, a row a match and player, its result and sums of estimated luck."""
    if is_exact(coach):
        return exact(coach, seeds)
    game, policy, found = coach.game, drawing(coach.game), Columns(player=[], result=[], changes=[])
    for player in reviewed(game):
        for seed in seeds:
            result, changes = estimated(game, player, policy, seed)
            found["player"].append(player.name)
            found["result"].append(list(result))
            found["changes"].append(changes.tolist())
    return found


def is_exact(coach: Coach) -> bool:
    """Whether turns are solved, with an account of each."""
    return hasattr(coach.solutions.get(POINTS), "account")


def by_player(columns: Columns) -> list[Told]:
    """What matches tell of each player."""
    told = []
    for name in dict.fromkeys(columns["player"]):
        its = [at for at, player in enumerate(columns["player"]) if player == name]
        results, changes = (np.array([columns[key][at] for at in its]) for key in ("result", "changes"))
        told.append(Told(name, results, changes))
    return told


def fitted(matches: Sequence[Told]) -> dict[str, dict[str, list[float]]]:
    """Weights of the estimates that leave least variance: those of the cards first, then those of drawn decisions."""
    weights: dict[str, dict[str, list[float]]] = {kind: {} for kind in KINDS}
    for row, unit in enumerate(UNITS):
        left = np.concatenate([each.results[:, row] - each.results[:, row].mean() for each in matches])
        for place, kind in enumerate(KINDS):
            changes = np.concatenate([each.changes[:, place, row] for each in matches])
            found = np.linalg.lstsq(changes, left, rcond=None)[0]
            left = left - changes @ found
            weights[kind][unit] = [round(float(weight), 4) for weight in found]
    return weights


def variance_left(results: np.ndarray, lucks: np.ndarray) -> dict[str, float] | None:
    """The variance without luck by that with it, and its interval by match; None where results hardly differ."""
    weights, rare = bootstrap_weights(len(results)), results.var() / 20

    def variances(values: np.ndarray) -> np.ndarray:
        values = values - values.mean()
        return np.asarray((weights @ values**2) / len(values) - ((weights @ values) / len(values)) ** 2)

    before, after = variances(results), variances(results - lucks)
    if not (before > rare).all():
        return None
    low, high = np.percentile(after / before, [2.5, 97.5])
    return {"mean": float((results - lucks).var() / results.var()), "low": float(low), "high": float(high)}


def halves(matches: Sequence[Told]) -> tuple[list[Told], list[Told]]:
    """Every other match of each player."""
    first, second = ([Told(each.player, each.results[part::2], each.changes[part::2]) for each in matches] for part in (0, 1))
    return first, second


def cross_fitted(matches: Sequence[Told]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Player -> results (n, 2) and luck by kind of moment (n, kinds, 2), each half by weights fitted to the other."""
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {each.player: [] for each in matches}
    first, second = halves(matches)
    for mine, other in ((first, second), (second, first)):
        given = fitted(other)
        weights = LuckWeights({kind: np.array([given[kind][unit] for unit in UNITS]) for kind in KINDS})
        for each in mine:
            found[each.player].append((each.results, each.lucks(weights)))
    return {name: tuple(map(np.concatenate, zip(*parts, strict=True))) for name, parts in found.items()}  # type: ignore[misc]


def measured(matches: Sequence[Told]) -> dict[str, Any]:
    """Of each player and unit: the mean of each kind of luck, and the variance left without cards' luck and without either."""
    players: dict[str, dict[str, Any]] = {}
    for name, (results, lucks) in cross_fitted(matches).items():
        players[name] = {}
        for row, unit in enumerate(UNITS):
            means = {f"mean luck of {kind}": by_deal(lucks[:, place, row]) for place, kind in enumerate(KINDS)}
            cards, both = lucks[:, 0, row], lucks[:, :, row].sum(axis=1)
            left = {
                "left without cards": variance_left(results[:, row], cards),
                "left without both": variance_left(results[:, row], both),
            }
            players[name][unit] = {**means, **left}
    return {"matches of each": len(matches[0].results), "players": players}


def row(coach: Coach, columns: Columns) -> Row:
    """The mean of luck, which should be 0, and the variance of results without it."""
    if not is_exact(coach):
        return measured(by_player(columns))
    points, chance = np.array(columns["points"]), np.array(columns["luck"])
    left = float(np.var(points - chance) / np.var(points))
    played = {"matches of each": len(set(columns["match"])), "turns": len(points)}
    return {**played, "mean luck": by_deal(chance), "off": max(columns["off"]), "variance left": left}


def ships(coach: Coach, columns: Columns, measured: Row) -> Shipped | None:
    """Weights fitted to all these matches; exact luck needs none."""
    if is_exact(coach):
        return None
    game, matches = coach.game, by_player(columns)
    told_of = {"game": game.id, "policy": drawing(game).learned, "players": game.players, "matches": len(matches[0].results)}
    return yardsticks.luck_file(game), {**told_of, "weights": fitted(matches)}


PART = CoachPart(work, row, 8, (*LUCK, *here("luck.py", "matches.py")), ships=ships)
