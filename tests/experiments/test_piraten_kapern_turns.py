"""What the reports of Piraten Kapern stand on: the worth of choices, against the solution's own account."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piraten_kapern.chances import bust_chance, chance_by, lost_chances, positions, race_turn, worthwhile
from experiments.reports.piraten_kapern.five_sentences import FITTED, FiveSentences
from experiments.reports.piraten_kapern.fortune_cards import FortuneCards, TurnLog
from experiments.reports.piraten_kapern.turns import IN_DECK, SHARE, decided, lost_by, own_points, table_of, worth_of, worths
from experiments.studies.when_to_stop import turn_figures
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.sheets.piraten_kapern import lying_table
from pirate_envs.games.piraten_kapern.solved.account import JudgedTurn
from pirate_envs.games.piraten_kapern.solved.any_worth import TurnRoom
from pirate_envs.games.piraten_kapern.solved.turn import CARDS, solve
from tests.games.piraten_kapern.tables import table

EXACT = np.array([[*turn.away_laid, turn.island_laid] for turn in map(solve, CARDS)])


def test_the_exact_turn_loses_nothing() -> None:
    assert np.abs(lost_by(EXACT)).max() < 1e-6
    assert own_points(EXACT) == pytest.approx([solve(card).mean for card in CARDS], abs=1e-6)


def test_the_sheet_keeps_98_9_percent_of_the_points() -> None:
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


def test_players_by_card_and_dice_are_known_by_their_tables() -> None:
    game = load("piraten_kapern")
    assert own_points(table_of(game, agent(game, "exact:turn"))) == pytest.approx(worths().own)
    assert own_points(table_of(game, agent(game, "rules:cautious"))) @ SHARE < own_points(lying_table()) @ SHARE - 100


# -- a report's arithmetic ---------------------------------------------------------------------------------------------


def test_a_match_is_cards_dice_and_decisions() -> None:
    """One round of a match has no turn more for anybody: the three are the margin, to rounding."""
    game = load("piraten_kapern")
    rows = FortuneCards().sample(game, agent(game, "rules:cautious"), range(60), None)
    first = rows["round"] == 1
    parts = rows["cards"] + rows["dice"] + rows["decisions"]
    assert first.sum() > 200 and parts[first] == pytest.approx(rows["margin"][first])
    assert rows["decisions"][first].std() > 50


def test_margins_add_up_by_round() -> None:
    log = TurnLog(load("piraten_kapern", players=2, max_rounds=2), 1)
    told = log.margins(np.array([[100.0, 300.0, 50.0, 0.0]]))
    assert told.tolist() == [[[-200, 200], [-150, 150]]]


def test_the_fit_finds_the_bounds_that_lose_least() -> None:
    lost = np.ones((4, len(FITTED), 10))
    lost[:, 0, 3] = lost[:, 1, [5, 6]] = 0
    told = FiveSentences().fit({"by bound": lost})
    assert told[CARDS[FITTED[0]]] == 400 and told[CARDS[FITTED[1]]] == 700  # of equals the highest


# -- the race ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["gold", "sorceress", "skulls_1", "sea_battle_3", "treasure_island"])
def test_busts_of_the_exact_turn_are_those_of_its_study(card: str) -> None:
    kind = CARDS.index(card)
    assert bust_chance(kind, EXACT[kind]) == pytest.approx(turn_figures(card).busts, abs=1e-3)


@pytest.mark.parametrize(("mine", "other"), [(10, 5), (45, 62)])
def test_nobody_wins_more_than_the_race(mine: int, other: int) -> None:
    room = TurnRoom.empty()
    for kind in IN_DECK:
        turn = race_turn(mine, other, kind, room)
        assert chance_by(turn, kind, turn.laid) == pytest.approx(turn.chance, abs=1e-3)
        assert chance_by(turn, kind, EXACT[kind]) < turn.chance + 1e-3
        assert (worthwhile(turn, EXACT[kind], 2.0) == EXACT[kind]).all()


def test_the_race_loses_no_chances_and_others_some() -> None:
    game, told = load("piraten_kapern", players=2), {}
    for name in ("exact:race", "rules:cautious"):
        matches, lost = Lockstep(game, agent(game, name), dealt(game, range(20))), []
        for move in matches.moves():
            records = matches.records[move.rows]
            lost.append(lost_chances(decided(game, records, move.actions), *positions(records, move.seats)))
        told[name] = np.concatenate(lost)
        assert told[name].min() > -1e-3
    assert told["exact:race"].max() < 1e-3
    assert told["rules:cautious"].max() > 0.05
