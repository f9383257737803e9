"""Whether the intervals of regrets hold what a much longer run says."""

from __future__ import annotations

import numpy as np

from experiments.studies.coach_parts.matches import by_deal, decisions, redacted
from experiments.studies.coach_parts.part import CHOICES, CoachPart, Columns, Row, here
from pirate_envs.agents.coach import Choice, Coach

TOGETHER = 16
LONGER = 64  # times as many worlds
OTHER_WORLDS = 1 << 20  # the seed of longer runs above that of the judgements
NEARLY = 0.5  # points that an interval may miss by
ROUNDING = 1e-9


def work(coach: Coach, seeds: range) -> Columns:
    """A row a decision, of an action drawn from those that are not the best: `low` and `high` of its regret, and the `longer`
    run's; points.
    """
    records, chance = decisions(coach.game, seeds).records, np.random.default_rng(seeds.start)
    found: Columns = {"low": [], "high": [], "longer": []}
    for g, (best, *others) in zip(records, coach.judge_all(list(records)), strict=True):
        some = others[int(chance.integers(len(others)))]
        found["low"].append(some.regret.low)
        found["high"].append(some.regret.high)
        found["longer"].append(long_run(coach, g, best, some))
    return found


def long_run(coach: Coach, g: np.record, best: Choice, other: Choice) -> float:
    """How many points worse the other is than the best."""
    roots, seeds = redacted(coach.game, np.array([g, g], coach.game.state)), np.full(2, coach.budget.seed + OTHER_WORLDS)
    numbers = coach.numbers(roots[:1], seeds[:1], range(coach.budget.worlds * LONGER)).repeat(2, axis=0)
    points, _ = coach.play(roots, np.array([best.action, other.action]), seeds, numbers)
    return float(points[0].mean() - points[1].mean())


def row(coach: Coach, columns: Columns) -> Row:
    """Shares of the intervals."""
    low, high, longer = (np.array(columns[key]) for key in ("low", "high", "longer"))

    def held(room: float) -> dict[str, float]:
        return by_deal((low - room <= longer) & (longer <= high + room))

    return {"runs": len(low), "covered": held(ROUNDING), "covered or nearly": held(NEARLY), "no width": by_deal(high == low)}


PART = CoachPart(work, row, TOGETHER, (*CHOICES, *here("cover.py", "matches.py")), size="decisions", solved=False)
