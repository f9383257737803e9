"""Whether what the coach says comes true: differences between actions, their intervals, and the level of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from experiments.reports.lockstep import DrawnPositions, branched, one_each
from experiments.studies.coach_parts.matches import POLICY, by_deal
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights
from pirate_envs.agents.coach import Choice, Coach
from pirate_envs.agents.coach.judging import STAGE
from pirate_envs.agents.coach.ladder import kind_of

OTHER_WORLDS = 1 << 20  # the seed of longer runs above that of the judgements
THIRDS = ("early", "middle", "late")
BLOCK = 100  # decisions that are judged together
NEARLY = 0.5  # points that an interval may miss by: one of nothing, where all worlds are alike, misses by less
FEWEST = 30  # decisions of a phase that is told


@dataclass(frozen=True)
class Foretold:
    """What was judged of n decisions, and what came; points."""

    said: np.ndarray
    """The judged value of the policy's action, float64, (n,)."""
    real: np.ndarray
    """What it gains on the others' mean to the end of the stage in the true world, if all play on by the policy."""
    ahead: np.ndarray
    """How much more was said of it than of another action, drawn at random."""
    gained: np.ndarray
    """How much more it gained."""
    kinds: np.ndarray
    """Of decisions (ladder.kind_of), (n,)."""
    stages: np.ndarray
    """Hands, turns or cycles, int64, (n,)."""
    runs: np.ndarray
    """Of the first of them a regret: the ends of its interval, and what a much longer run says; float64, (runs, 3)."""


def foretold(coach: Coach, seeds: range, longer: int, runs: int) -> Foretold:
    """Of decisions of the policy among its copies, one of each match; `runs`: with a run of `longer` times as many worlds."""
    game, policy = coach.game, agent(coach.game, POLICY)
    drawn = one_each(game, policy, seeds, lambda _, move: move.action_masks.sum(axis=1) > 1, seeds.start)
    told = coach.judge_all(list(drawn.records))
    chance = np.random.default_rng(seeds.start)
    judged = zip(told, drawn.actions, strict=True)
    others = np.array([chance.choice([choice.action for choice in choices if choice.action != own]) for choices, own in judged])
    said = values(told, drawn.actions)
    real = branched(game, policy, drawn.records, drawn.actions, STAGE).points
    return Foretold(
        said, real, said - values(told, others), real - branched(game, policy, drawn.records, others, STAGE).points,
        np.array([kind_of(game, g) for g in drawn.records]),
        np.array([int(game.verbs["stage"](g)) for g in drawn.records]),
        longer_runs(coach, drawn, told, longer, min(runs, len(told))),
    )  # fmt: skip


def joined(parts: Sequence[Foretold]) -> Foretold:
    """All of them."""
    return Foretold(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Foretold)))


def calibration(coach: Coach, decisions: int, longer: int) -> dict[str, Any]:
    """A longer run for one decision in twenty. Where the game is solved there is nothing to calibrate."""
    if coach.is_exact:
        return {}
    first, end = coach.budget.seed, coach.budget.seed + decisions
    blocks = [range(start, min(start + BLOCK, end)) for start in range(first, end, BLOCK)]
    return measured(joined([foretold(coach, block, longer, max(1, len(block) // 20)) for block in blocks]))


def measured(found: Foretold) -> dict[str, Any]:
    """Real less judged: of differences, with the slope of the real ones on the judged, and of values, by phase too."""
    levels = found.real - found.said
    return {
        "decisions": len(levels),
        "difference": by_deal(found.gained - found.ahead),
        "slope": slope(found.ahead, found.gained),
        "level": by_deal(levels),
        **{f"level, {phase}": {**by_deal(levels[rows]), "decisions": int(rows.sum())} for phase, rows in phases(found).items()},
        "covered": by_deal(held(found.runs, 1e-9)),
        "covered or nearly": by_deal(held(found.runs, NEARLY)),
        "of runs": len(found.runs),
    }


def values(told: list[list[Choice]], actions: np.ndarray) -> np.ndarray:
    """The judged points of these actions, float64, (n,)."""
    judged = zip(told, actions, strict=True)
    return np.array([next(choice.value.mean for choice in choices if choice.action == action) for choices, action in judged])


def slope(said: np.ndarray, came: np.ndarray) -> dict[str, float] | None:
    """Of what came on what was said, its interval by decision; None if all that was said is alike."""
    if not said.var():
        return None
    weights, size = bootstrap_weights(len(said)), len(said)
    means = [weights @ each / size for each in (said, came, said * came, said * said)]
    spread = means[3] - means[0] ** 2
    usable = spread > said.var() / 1000
    slopes = (means[2] - means[0] * means[1])[usable] / spread[usable]
    low, high = np.percentile(slopes, [2.5, 97.5])
    return asdict(Interval(float(np.cov(said, came)[0, 1] / np.var(said, ddof=1)), float(low), float(high)))


def phases(found: Foretold) -> dict[str, np.ndarray]:
    """Kind of decision and third of the stages -> which of the decisions, bool, (n,)."""
    thirds = np.searchsorted(np.quantile(found.stages, [1 / 3, 2 / 3]), found.stages)
    rows = {
        f"{kind}, {name}": (found.kinds == kind) & (thirds == third)
        for kind in np.unique(found.kinds)
        for third, name in enumerate(THIRDS)
    }
    return {phase: which for phase, which in rows.items() if which.sum() >= FEWEST}


def held(runs: np.ndarray, room: float) -> np.ndarray:
    """Whether the intervals, with so much room on both sides, hold what the longer runs say; bool, (runs,)."""
    low, high, longer = runs.T
    return (low - room <= longer) & (longer <= high + room)


def longer_runs(coach: Coach, drawn: DrawnPositions, told: list[list[Choice]], longer: int, runs: int) -> np.ndarray:
    """See Foretold.runs: of an action drawn from those that are not the best."""
    game, chance = coach.game, np.random.default_rng(coach.budget.seed + 1)
    found = []
    for g, choices in zip(drawn.records[:runs], told[:runs], strict=True):
        best, *others = choices
        some = others[int(chance.integers(len(others)))]
        roots = np.array([game.redacted(g, game.seat_to_move(g))] * 2)
        seeds, wanted = np.full(2, coach.budget.seed + OTHER_WORLDS), range(coach.budget.worlds * longer)
        numbers = wanted if coach.beliefs is None else coach.beliefs.numbers(roots[:1], seeds[:1], wanted).repeat(2, axis=0)
        points, _ = coach.play(roots, np.array([best.action, some.action]), seeds, numbers)
        found.append((some.regret.low, some.regret.high, float(points[0].mean() - points[1].mean())))
    return np.array(found)
