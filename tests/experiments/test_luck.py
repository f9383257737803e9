"""Luck in designs: matches that tell who is the better player."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.reports.estimates import Rows
from experiments.reports.luck import counted, margins, matches_needed, more_matches, pair
from experiments.reports.piratenpoker.english_and_french import (
    DIFFERENCES,
    PLAYED_FRENCH,
    TABLES,
    EnglishAndFrench,
    luck_changes,
)
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play


def made_up(chance: np.random.Generator, margin: float, spread: float, deals: int = 4000) -> Rows:
    """Four matches a deal whose margins are drawn around a mean of their deal."""
    drawn = margin + chance.normal(0, spread / 2, deals)[:, None] + chance.normal(0, spread, (deals, 4))
    return {"deal": np.arange(deals), "margin": drawn.mean(axis=1), "square": (drawn**2).mean(axis=1)}


def test_matches_until_luck_has_evened_out() -> None:
    chance = np.random.default_rng(2)
    exactly = {"deal": np.arange(2), "margin": np.array([10.0, 10.0]), "square": np.array([2600.0, 2600.0])}
    needed = matches_needed(exactly)
    assert needed and needed.matches == pytest.approx(96.04) and counted(pair(needed)) == "96.0 matches"
    assert matches_needed({**exactly, "margin": -exactly["margin"]}) is None
    assert more_matches([needed], [None]).deals == more_matches([None, needed], [needed]).deals == 0
    # the error is what numbers of many such samples differ by
    found = [each for _ in range(300) if (each := matches_needed(made_up(chance, 20, 50)))]
    assert np.mean([each.error for each in found]) == pytest.approx(np.std([each.matches for each in found]), rel=0.15)
    more = [
        more_matches([matches_needed(made_up(chance, 20, 70))], [matches_needed(made_up(chance, 20, 50))]) for _ in range(300)
    ]
    assert np.mean([each.mean for each in more]) == pytest.approx(96, abs=2)
    assert np.mean([each.interval()[0] < 96 < each.interval()[1] for each in more]) > 0.9


def test_of_several_tables_the_geometric_means_are_compared() -> None:
    same = {"deal": np.arange(2), "margin": np.array([10.0, 10.0])}
    usual, double = (matches_needed({**same, "square": np.full(2, 100 + variance)}) for variance in (2500.0, 5000.0))
    assert more_matches([double], [usual]).mean == pytest.approx(100)
    assert more_matches([double, double], [usual, double]).mean == pytest.approx(100 * (2**0.5 - 1))
    assert more_matches([usual, double], [double, usual]).mean == pytest.approx(0)


def test_margins_are_those_of_the_player_at_place_0() -> None:
    game = load("piratenpoker", players=3)
    outcomes = play(game, [agent(game, "rules:strongest"), *[agent(game, "rules:plain")] * 2], range(6), 0)
    told = margins(outcomes)
    by_hand = [[rotation[0] - (rotation[1] + rotation[2]) / 2 for rotation in deal] for deal in outcomes.points]
    assert told["margin"] == pytest.approx(np.mean(by_hand, axis=1))
    assert told["square"] == pytest.approx(np.mean(np.square(by_hand), axis=1))


def test_luck_that_one_of_piratenpokers_differences_brings_comes_out() -> None:
    """Made-up tables: one difference doubles the spread's square, and the French rules have it."""
    chance = np.random.default_rng(4)
    parts = [made_up(chance, 20, 50 * 2 ** (0.5 * so), 20_000) for so in PLAYED_FRENCH[:, 2]]
    rows = {
        "deal": parts[0]["deal"],
        **{name: np.stack([part[name] for part in parts], axis=1) for name in ("margin", "square")},
    }
    found = luck_changes(rows)
    assert found["French rules: luck"].mean == pytest.approx(100, abs=6)
    assert found[f"{DIFFERENCES[2]}: luck"].mean == pytest.approx(100, abs=2)
    assert found[f"{DIFFERENCES[7]}: luck"].mean == pytest.approx(0, abs=2)
    # told wrongly, it is gone
    tests = EnglishAndFrench.question.tests
    by_deal = {test: np.zeros(20_000) for test in tests if "luck" not in test} | {"length": np.ones(20_000)}
    mixed = luck_changes(EnglishAndFrench().nothing({**rows, **by_deal}, chance))
    assert mixed[f"{DIFFERENCES[2]}: luck"].mean == pytest.approx(0, abs=2) and len(mixed) == len(TABLES) // 2
