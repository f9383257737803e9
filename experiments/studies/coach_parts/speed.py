"""Processor time of a hint, of a judgement and of a review."""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.studies.coach_parts.matches import POLICY, match
from experiments.studies.coach_parts.part import CHOICES, LUCK, CoachPart, Columns, Row, here
from pirate_envs.agents import agent
from pirate_envs.agents.coach import Adviser, Budget, Coach, review

MOST = 20  # decisions of a match


def work(coach: Coach, seeds: range) -> Columns:
    """Seconds of hints and judgements, a row a decision, and of reviews, a row a match."""
    game, budgets = coach.game, (64, Budget.worlds)
    found: Columns = {"hint": [], "judgement": [], **{f"review_{worlds}": [] for worlds in budgets}}
    for seed in seeds:
        replay, positions = match(game, [agent(game, POLICY)] * game.players, seed)
        free = [g for g in positions if len(game.legal_actions(g)) > 1][:MOST]
        adviser = Adviser(game)
        adviser.hint(free[0])
        coach.judge_all(free[:2])  # compiles
        found["hint"] += [seconds(partial(adviser.hint, g)) for g in free]
        found["judgement"] += [seconds(partial(coach.judge, g, game.seat_to_move(g))) for g in free]
        for worlds in budgets:
            found[f"review_{worlds}"].append(seconds(partial(review, replay, 0, Budget(worlds))))
    return found


def seconds(do: Callable[[], Any]) -> float:
    """Processor seconds of this process."""
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    do()
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - start


def row(coach: Coach, columns: Columns) -> Row:
    """Medians, and the slowest hint."""
    medians = {key: float(np.median(column)) for key, column in columns.items()}
    return {"hint": medians.pop("hint"), "hint_slowest": max(columns["hint"]), **medians}


PART = CoachPart(work, row, 1, (*CHOICES, *LUCK, *here("speed.py")))
