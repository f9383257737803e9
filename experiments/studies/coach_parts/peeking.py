"""Whether a judgement differs on the redacted record or in other worlds of the seat: it should not."""

from __future__ import annotations

from experiments.studies.coach_parts.matches import decisions
from experiments.studies.coach_parts.part import CHOICES, CoachPart, Columns, Row, here
from pirate_envs.agents.coach import Coach

WORLDS_OF_THE_SEAT = 8


def work(coach: Coach, seeds: range) -> Columns:
    """A row a decision: how many judgements were `compared` with that of the true record, and how many `differ`."""
    game, found = coach.game, Columns(compared=[], differ=[])
    for g in decisions(game, seeds).records:
        seat = game.seat_to_move(g)
        told = coach.judge(g, seat)
        others = [game.redacted(g, seat), *(game.determinized(g, seat, each) for each in range(WORLDS_OF_THE_SEAT))]
        found["compared"].append(len(others))
        found["differ"].append(sum(coach.judge(other, seat) != told for other in others))
    return found


def row(coach: Coach, columns: Columns) -> Row:
    """Counts."""
    return {key: sum(column) for key, column in columns.items()}


PART = CoachPart(work, row, 8, (*CHOICES, *here("peeking.py", "matches.py")), size="decisions")
