"""Whether the coach's choices are better than those of the policy that it plays out with, in duplicate deals."""

from __future__ import annotations

import numpy as np

from experiments.studies.coach_parts.matches import POLICY, by_deal
from experiments.studies.coach_parts.part import CHOICES, CoachPart, Columns, Row, here
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.arena.statistics import measures
from pirate_envs.agents.coach import Choice, Coach
from pirate_envs.agents.player import Decisions

TOGETHER = 16  # deals
FIGURES = ("win_share", "margin")


class CoachPlayer(Agent):
    """Plays the coach's choice."""

    wants_records = True

    def __init__(self, coach: Coach) -> None:
        self.name, self._coach = f"coach:{coach.budget.worlds}", coach

    def act(self, decisions: Decisions) -> np.ndarray:
        free = np.flatnonzero(decisions.action_masks.sum(axis=1) > 1)
        actions = decisions.action_masks.argmax(axis=1)
        judged: list[list[Choice]] = self._coach.judge_all(list(decisions.redacted[free])) if len(free) else []
        actions[free] = [choices[0].action for choices in judged]
        return actions


def work(coach: Coach, deals: range) -> Columns:
    """A row a deal: the coach's figures, means over the seats."""
    game = coach.game
    line_up = [CoachPlayer(coach), *[agent(game, POLICY)] * (game.players - 1)]
    outcomes = play(game, line_up, deals, coach.budget.seed)
    figures = measures(outcomes.points, outcomes.wins)
    return {key: figures[key][:, :, 0].mean(axis=1).tolist() for key in FIGURES}


def row(coach: Coach, columns: Columns) -> Row:
    """Means, their intervals by deal."""
    deals = len(columns[FIGURES[0]])
    return {"matches": deals * coach.game.players, **{key: by_deal(columns[key]) for key in FIGURES}}


PART = CoachPart(work, row, TOGETHER, (*CHOICES, *here("sense.py")))
