"""Order: the error rate of each shipped player and of the coach, by kind of decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from experiments.studies.coach_parts.matches import POLICY, by_deal, match
from experiments.studies.coach_parts.part import CHOICES, CoachPart, Columns, Row, Shipped, here, joined
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.coach import Choice, Coach, yardsticks
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
        return {unit: self._rates(losses) for unit in (POINTS, WIN) if (losses := self.lost(unit)) is not None}

    def lost(self, unit: str) -> np.ndarray | None:
        """In that unit."""
        return self.wins if unit == WIN else self.points

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


def work(coach: Coach, seeds: range) -> Columns:
    """A row a decision: what it lost. The coach's are its choices, by other worlds, where the policy decided."""
    game, budget, parts = coach.game, coach.budget, list[Columns]()
    other = Coach(game, replace(budget, seed=budget.seed + 1))
    for name in players(game):
        which, records, played = decided(game, agent(game, name), seeds)
        told = coach.judge_all(records) if records else []
        parts.append(lost(game, name, which, records, played, told))
        if name == POLICY:
            own = [choices[0].action for choices in other.judge_all(records)] if records else []
            parts.append(lost(game, COACH, which, records, own, told))
    return joined(parts)


def lost(
    game: Game, player: str, matches: Sequence[int], records: Sequence[np.record], played: Sequence[int],
    told: Sequence[list[Choice]],
) -> Columns:  # fmt: skip
    """What these actions lost, as judged; None: not known as a share of the win."""
    chosen = [
        next(choice for choice in choices if choice.action == action) for choices, action in zip(told, played, strict=True)
    ]
    return {
        "player": [player] * len(chosen),
        "match": list(matches),
        "kind": [kind_of(game, g) for g in records],
        POINTS: [choice.regret.mean for choice in chosen],
        WIN: [None if choice.win_regret is None else choice.win_regret.mean for choice in chosen],
    }


def row(coach: Coach, columns: Columns) -> Row:
    """Rates, and by how much the coach's is below the policy's, on the same decisions."""
    found = by_player(columns)
    rates = {
        name: {unit: {kind: asdict(rate) for kind, rate in its.items()} for unit, its in of.rates().items()}
        for name, of in found.items()
    }
    unit = POINTS if found[POLICY].wins is None or found[COACH].wins is None else WIN
    policy, own = found[POLICY].lost(unit), found[COACH].lost(unit)
    assert policy is not None and own is not None
    pair = policy - own
    numbers = np.unique(found[POLICY].matches, return_inverse=True)[1]
    return {
        "matches": len(set(columns["match"])),
        "decisions": {name: len(each.points) for name, each in found.items()},
        "rates": rates,
        "unit": unit,
        "policy less coach": by_deal(np.bincount(numbers, pair) / np.bincount(numbers)),
    }


def by_player(columns: Columns) -> dict[str, Lost]:
    """Player -> what its decisions lost."""
    found = {}
    for name in dict.fromkeys(columns["player"]):
        its = [at for at, player in enumerate(columns["player"]) if player == name]
        matches, kinds, points, wins = ([columns[key][at] for at in its] for key in ("match", "kind", POINTS, WIN))
        found[name] = Lost(np.array(matches), kinds, np.array(points), None if None in wins else np.array(wins))
    return found


def ships(coach: Coach, columns: Columns, measured: Row) -> Shipped:
    """The game's ladder."""
    game, policy = coach.game, coach.policy
    rungs = [{"player": name, "rates": rates} for name, rates in measured["rates"].items()]
    return yardsticks.ladder_file(game), {
        "game": game.id,
        "policy": policy and policy.learned,
        "players": game.players,
        "options": game.options.changed(),
        "matches": measured["matches"],
        "rungs": rungs,
    }


PART = CoachPart(work, row, 4, (*CHOICES, *here("ladder.py", "matches.py")), ships=ships)
