"""The error rate of each shipped player and of the coach, by kind of decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from experiments.studies.coach_parts.matches import POLICY, by_deal, match
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.coach import Budget, Choice, Coach
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.ladder import kind_of
from pirate_envs.agents.coach.yardsticks import EVERY
from pirate_envs.agents.names import sheets
from pirate_envs.core.game import Game

EACH = 10  # decisions of a match that are judged
LEAST = 20  # decisions of a kind of which a rate is told
COACH = "coach"


@dataclass(frozen=True)
class Lost:
    """What decisions lost, in one array each."""

    matches: np.ndarray
    kinds: list[str]
    points: np.ndarray
    wins: np.ndarray | None
    """None: not known of all of them."""

    def rates(self) -> dict[str, dict[str, Interval]]:
        """Unit -> kind -> mean loss, its interval by match."""
        losses = {POINTS: self.points, **({} if self.wins is None else {WIN: self.wins})}
        return {unit: self._rates(values) for unit, values in losses.items()}

    def _rates(self, losses: np.ndarray) -> dict[str, Interval]:
        numbers = np.unique(self.matches, return_inverse=True)[1]
        count = int(numbers.max()) + 1
        found = {}
        for kind in [EVERY, *sorted(set(self.kinds))]:
            rows = np.array([kind in (EVERY, its) for its in self.kinds])
            if rows.sum() >= LEAST or kind == EVERY:
                sums, sizes = (np.bincount(numbers[rows], of, count) for of in (losses[rows], np.ones(rows.sum())))
                rate = ratio(sums, sizes, bootstrap_weights(count))
                assert rate is not None
                found[kind] = rate
        return found


def players(game: Game) -> list[str]:
    """Of the ladder, the worst first as far as is known before it is measured; the coach is not among them."""
    weakest, *_, strongest = [*game.rule_players, *game.rule_players]
    sheet = [sheets.NAME] if sheets.has_sheet(game) else []
    return list(dict.fromkeys(["random", f"rules:{weakest}", *sheet, f"rules:{strongest}", POLICY]))


def decided(game: Game, player: Agent, seeds: range) -> tuple[list[int], list[np.record], list[int]]:
    """EACH decisions with a choice, drawn from a match of each seed against policies: the match, the position, the action."""
    found: tuple[list[int], list[np.record], list[int]] = ([], [], [])
    for seed in seeds:
        seat, chance = seed % game.players, np.random.default_rng(seed)
        line_up = [agent(game, POLICY)] * game.players
        line_up[seat] = player
        replay, positions = match(game, line_up, seed)
        free = [at for at, g in enumerate(positions) if game.seat_to_move(g) == seat and len(game.legal_actions(g)) > 1]
        for at in sorted(chance.choice(free, min(EACH, len(free)), replace=False)) if free else []:
            found[0].append(seed)
            found[1].append(positions[at])
            found[2].append(game.action(positions[at], replay.actions[at]))
    return found


def lost(
    game: Game, matches: Sequence[int], records: Sequence[np.record], played: Sequence[int], told: Sequence[list[Choice]]
) -> Lost:
    """What these actions lost, as judged."""
    chosen = [
        next(choice for choice in choices if choice.action == action) for choices, action in zip(told, played, strict=True)
    ]
    points = np.array([choice.regret.mean for choice in chosen])
    known = [choice.win_regret for choice in chosen if choice.win_regret is not None]
    wins = np.array([regret.mean for regret in known]) if len(known) == len(chosen) else None
    return Lost(np.array(matches), [kind_of(game, g) for g in records], points, wins)


def judged(game: Game, matches: int, seed: int, budget: Budget) -> dict[str, Lost]:
    """Player -> what its decisions lost. The coach's are its choices, by other worlds, where the policy decided."""
    coach, other = Coach(game, budget), Coach(game, Budget(budget.worlds, budget.seed + 1))
    found: dict[str, Lost] = {}
    for name in players(game):
        which, records, played = decided(game, agent(game, name), range(seed, seed + matches))
        told = coach.judge_all(records)
        found[name] = lost(game, which, records, played, told)
        if name == POLICY:
            own = [choices[0].action for choices in other.judge_all(records)]
            found[COACH] = lost(game, which, records, own, told)
    return found


def ladder(game: Game, matches: int, seed: int, budget: Budget) -> dict[str, Any]:
    """The error rates of all of them."""
    return row(judged(game, matches, seed, budget), matches)


def row(found: dict[str, Lost], matches: int) -> dict[str, Any]:
    """Rates, and by how much the coach's is below the policy's, on the same decisions."""
    rates = {
        name: {unit: {kind: asdict(rate) for kind, rate in its.items()} for unit, its in of.rates().items()}
        for name, of in found.items()
    }
    pair = found[POLICY].points - found[COACH].points
    numbers = np.unique(found[POLICY].matches, return_inverse=True)[1]
    return {
        "matches": matches,
        "decisions": {name: len(each.points) for name, each in found.items()},
        "rates": rates,
        "policy less coach": by_deal(np.bincount(numbers, pair) / np.bincount(numbers)),
    }


def content(game: Game, measured: dict[str, Any]) -> dict[str, Any]:
    """A game's file of the ladder."""
    policy = Coach(game).policy
    rungs = [{"player": name, "rates": rates} for name, rates in measured["rates"].items()]
    return {
        "game": game.id,
        "policy": policy and policy.learned,
        "players": game.players,
        "matches": measured["matches"],
        "rungs": rungs,
    }
