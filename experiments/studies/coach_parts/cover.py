"""Whether the intervals of regrets hold what a much longer run says."""

from __future__ import annotations

import numpy as np

from experiments.studies.coach_parts.matches import by_deal, decisions, redacted
from experiments.studies.coach_parts.part import CHOICES, CoachPart, Columns, Row, here
from pirate_envs.agents.coach import Choice, Coach
from pirate_envs.agents.coach.choice import POINTS, WIN, loss_of

TOGETHER = 16
LONGER = 64  # times as many worlds
OTHER_WORLDS = 1 << 20  # the seed of longer runs above that of the judgements
NEARLY = {POINTS: 0.5, WIN: 0.005}  # by which an interval may miss
ROUNDING = 1e-9


def work(coach: Coach, seeds: range) -> Columns:
    """A row a decision, of an action drawn from those that are not the best: `low` and `high` of what it loses, and the
    `longer` run's; in points, and as shares of the win where they are foretold.
    """
    records, chance = decisions(coach.game, seeds).records, np.random.default_rng(seeds.start)
    units = (POINTS, WIN) if coach.by_win else (POINTS,)
    found: Columns = {f"{end}, {unit}": [] for unit in units for end in ("low", "high", "longer")}
    for g, (best, *others) in zip(records, coach.judge_all(list(records)), strict=True):
        some = others[int(chance.integers(len(others)))]
        for unit, longer in zip(units, long_run(coach, g, best, some), strict=False):
            loss = loss_of(some, unit)
            for end, number in (("low", loss.low), ("high", loss.high), ("longer", longer)):
                found[f"{end}, {unit}"].append(number)
    return found


def long_run(coach: Coach, g: np.record, best: Choice, other: Choice) -> tuple[float, float]:
    """How many points, and how much of the win, the other is worse than the best."""
    roots, seeds = redacted(coach.game, np.array([g, g], coach.game.state)), np.full(2, coach.budget.seed + OTHER_WORLDS)
    numbers = coach.numbers(roots[:1], seeds[:1], range(coach.budget.worlds * LONGER)).repeat(2, axis=0)
    points, shares = coach.play(roots, np.array([best.action, other.action]), seeds, numbers)
    return float(points[0].mean() - points[1].mean()), float(shares[0].mean() - shares[1].mean())


def row(coach: Coach, columns: Columns) -> Row:
    """Shares of the intervals."""
    units = [unit for unit in (POINTS, WIN) if f"low, {unit}" in columns]
    return {"runs": len(columns[f"low, {POINTS}"]), "units": {unit: shares(columns, unit) for unit in units}}


def shares(columns: Columns, unit: str) -> Row:
    """Of the intervals in that unit: those that hold the longer run's loss, those that nearly do, and those of no width."""
    low, high, longer = (np.array(columns[f"{end}, {unit}"]) for end in ("low", "high", "longer"))

    def held(room: float) -> dict[str, float]:
        return by_deal((low - room <= longer) & (longer <= high + room))

    return {"covered": held(ROUNDING), "covered or nearly": held(NEARLY[unit]), "no width": by_deal(high == low)}


PART = CoachPart(work, row, TOGETHER, (*CHOICES, *here("cover.py", "matches.py")), size="decisions", solved=False)
