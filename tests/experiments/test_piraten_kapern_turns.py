"""What the reports of Piraten Kapern stand on: the worth of choices, against the solution's own account."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piraten_kapern.turns import decided, lost_by, own_points, worth_of, worths
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.sheets.piraten_kapern import lying_table
from pirate_envs.games.piraten_kapern.solved.account import JudgedTurn
from pirate_envs.games.piraten_kapern.solved.turn import CARDS, solve
from tests.games.piraten_kapern.tables import table

EXACT = np.array([[*turn.away_laid, turn.island_laid] for turn in map(solve, CARDS)])


def test_the_exact_turn_loses_nothing() -> None:
    assert np.abs(lost_by(EXACT)).max() < 1e-6
    assert own_points(EXACT) == pytest.approx([solve(card).mean for card in CARDS], abs=1e-6)


def test_the_sheet_keeps_99_percent_of_the_points() -> None:
    from experiments.reports.piraten_kapern.turns import SHARE

    sheet, best = own_points(lying_table()) @ SHARE, worths().own @ SHARE
    assert 0.989 < sheet / best < 0.99 and best == pytest.approx(647.377, abs=0.001)


@pytest.mark.parametrize(
    ("card", "dice", "more"),
    [
        ("gold", "CCDMMPSX", {}),
        ("treasure_island", "CCDMMPXX", {}),
        ("sorceress", "CCDMPXXX", {}),
        ("sorceress", "CCDMMPSX", {"sorceress_used": True, "rolls": 2}),
        ("sorceress", "CCDMXXXX", {}),
        ("captain", "CCDMXXXX", {}),
        ("after_the_storm", "CCDMMPSX", {}),
    ],
)
def test_choices_are_worth_what_the_coach_says(card: str, dice: str, more: dict[str, object]) -> None:
    game, g = table(card, dice, **more)
    told = JudgedTurn(game).worths(g)
    actions = np.array(list(told))
    found = worth_of(*decided(game, np.repeat(np.array([g]), len(actions)), actions))
    assert found == pytest.approx(list(told.values()))


def test_no_choice_beats_the_best() -> None:
    game = load("piraten_kapern", promo=True)
    matches, least = Lockstep(game, agent(game, "random"), dealt(game, range(50))), 0.0
    for move in matches.moves():
        at = decided(game, matches.records[move.rows], move.actions)
        least = min(least, float((worths().best[at.card, at.state, at.throw] - worth_of(*at)).min()))
    assert least == pytest.approx(0, abs=1e-6)
