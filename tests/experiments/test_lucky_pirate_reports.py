"""Strategy reports of Lucky Pirate: which positions they ask about, and what they change in them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from experiments.reports.estimates import Estimate
from experiments.reports.lockstep import dealt
from experiments.reports.lucky_pirate import hold_or_spend, pick_up, singles_or_sets, ups_and_downs, variants
from experiments.reports.lucky_pirate import table as reports_table
from experiments.reports.lucky_pirate.table import KINDS, cards_left, counts, drawn, left_to_next, masks
from experiments.reports.report import Findings, Verdict
from pirate_envs.agents import agent
from pirate_envs.agents.player import decisions_of
from pirate_envs.games.lucky_pirate.state import CAPTAIN, KIND_NAMES, PICK_UP
from tests.games.lucky_pirate.story import OTHER, load, table


def row(*seats: str, pile: str = "", **more: Any) -> tuple[Any, np.ndarray]:
    """A game and one record of it, in an array, in which seat 0 is to play."""
    game, g = table(*seats, pile=pile, **more)
    return game, np.array([g], game.state)


def test_cards_are_counted() -> None:
    game, records = row("3 3 plank / 8 / 1 ?", "/ 4 / 1", OTHER)
    assert cards_left(records)[0, :3].tolist() == [8, 5, 2]
    assert left_to_next(records).tolist() == [5]
    assert counts(records["hands"])[0, 0].tolist() == [2 * (name == "3") + (name == "plank") for name in KIND_NAMES]
    assert masks(game, records)[0].tolist() == game.action_mask(records[0]).astype(bool).tolist()


def test_what_is_held_is_all_that_was_dealt() -> None:
    game = load()
    records = dealt(game, range(7, 10))
    held = ups_and_downs.zones(records, 4)
    assert held.shape == (3, 4, 3, KINDS) and held.sum(axis=(1, 2)).tolist() == [list(game.options.counts)] * 3
    assert held.sum(axis=3)[:, :, 1:].tolist() == [[[3, 3]] * 4] * 3


def test_every_decision_of_a_group_is_drawn_with_its_chance() -> None:
    game = load()
    player = agent(game, "rules:greedy")
    every, some = (drawn(game, player, range(50, 80), shares, _forced_or_free) for shares in ((1.0, 1.0), (1.0, 0.25)))
    legal = masks(game, every.records)
    assert (legal.sum(axis=1) > 1).tolist() == (every.group == 1).tolist()
    assert set(every.deal) == set(range(50, 80)) and len(every.deal) > 1000
    forced, free = (np.bincount(found.group, minlength=2) for found in (every, some))
    assert free[0] == forced[0] and abs(free[1] / forced[1] - 0.25) < 0.06


def test_a_match_that_goes_in_circles_is_drawn_from_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 2,250 had 136 of the 2,184 pick-ups of a group, and stood for none but itself."""
    monkeypatch.setattr(reports_table, "LAST_TURN", 30)
    game = load()
    found = drawn(game, agent(game, "rules:greedy"), range(50, 60), (1.0, 1.0), _forced_or_free)
    assert found.records["turn"].max() == 30


def test_which_of_the_downs_is_flipped_first_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """They lie face down: one is as good as another. One flip drawn of each match made -5.5, seven standard errors of it."""
    monkeypatch.setattr(ups_and_downs, "FLIPPED", 1)
    report, game = ups_and_downs.UpsAndDowns(), load(players=4)
    rows = report.sample(game, agent(game, "rules:greedy"), range(6_000_000, 6_004_000), None)
    told = report.estimates(rows)[ups_and_downs.LAST_DOWN]
    low, high = told.interval(0.999)
    assert low < 0 < high and told.error < 0.5 and told.deals == 4000


def _forced_or_free(records: np.ndarray, move: Any) -> np.ndarray:
    free = move.action_masks.sum(axis=1) > 1
    return np.column_stack([~free, free])


@pytest.mark.parametrize(
    ("seat", "next_one", "stage"),
    [("3 captain / / 1", "3 / / 1 4", 0), ("3 captain / / 1", OTHER, 1), ("/ 3 captain / 1 4", OTHER, 2)],
)
def test_the_special_is_asked_about_beside_the_lowest_number(seat: str, next_one: str, stage: int) -> None:
    game, records = row(seat, next_one, OTHER, pile="2")
    legal = masks(game, records)
    assert hold_or_spend.stage_of(records).tolist() == [stage]
    assert [game.action_name(records[0], int(action)) for action in hold_or_spend.lowest_number(legal)] == ["play 3"]
    assert hold_or_spend.lowest_number(np.zeros((1, game.actions), bool)).tolist() == [-1]


@pytest.mark.parametrize(
    ("seat", "pile", "asked"),
    [
        ("3 3 5 5 5 mermaid mermaid skip skip / / 1", "", {0: 2, 2: 6, 3: 15, 4: 4}),
        ("3 3 6 6 8 / / 1", "3", {1: 5, 4: 2}),
        ("3 3 6 6 8 / / 1", "3 3", {1: 5}),
        ("3 4 5 / / 1", "", {}),
    ],
)
def test_sets_are_sorted_and_those_that_clear_are_apart(seat: str, pile: str, asked: dict[int, int]) -> None:
    game, records = row(seat, OTHER, OTHER, pile=pile)
    told = singles_or_sets.sets(records, masks(game, records))[0]
    assert {sort: int(kind) for sort, kind in enumerate(told) if kind >= 0} == asked
    groups, kinds = singles_or_sets.asked_of(records, masks(game, records))
    size = int(np.searchsorted([4, 8], records["hand_sizes"][0, 0]))
    assert np.flatnonzero(groups[0]).tolist() == [3 * sort + size for sort in asked]
    assert kinds[0, groups[0]].tolist() == list(asked.values())


def test_equal_ups_are_a_group_of_their_own() -> None:
    game, records = row("/ 5 captain captain / 1 1 4", OTHER, OTHER, pile="3")
    groups, kinds = singles_or_sets.asked_of(records, masks(game, records))
    assert [singles_or_sets.TESTS[at] for at in np.flatnonzero(groups[0])] == [singles_or_sets.UPS]
    assert kinds[0, -1] == CAPTAIN


@pytest.mark.parametrize(("together", "played"), [(True, "play 5 5"), (False, "play 5")])
def test_a_habit_changes_the_number_of_cards_alone(together: bool, played: str) -> None:
    game, g = table("5 5 8 / / 1", OTHER, OTHER, pile="4")
    one = singles_or_sets.Copies(agent(game, "rules:greedy"), together)
    assert game.action_name(g, int(one.act(decisions_of(game, g))[0])) == played
    game, g = table("5 5 8 / / 1", OTHER, OTHER, pile="kraken")
    assert one.act(decisions_of(game, g)).tolist() == [PICK_UP]


def test_a_pile_that_is_swept_away_leaves_all_else_as_it_was_picked_up() -> None:
    game, records = row("3 4 / 5 / 1 ?", OTHER, OTHER, pile="6 8")
    assert pick_up.TESTS[int(pick_up.group_of(records)[0])] == "2 or 3 cards, hand of 1 to 3"
    after = pick_up.picked_up(records)
    swept = pick_up.swept_away(records, after)
    one, other = game.view(after[0]), game.view(swept[0])
    assert one["hands"][0] == ["3", "4", "6", "8"] and other["hands"][0] == ["3", "4"]
    assert other["cleared"] == sorted([*one["cleared"], "6", "8"], key=KIND_NAMES.index) and other["known"][0] == []
    changed = {key for key in one if one[key] != other[key]}
    assert changed == {"hands", "known", "cleared"} and one["to_move"] == 1
    assert cards_left(swept)[0, 0] == cards_left(records)[0, 0]


def test_the_usual_rules_measure_as_they_play() -> None:
    game = load()
    told = variants.matches_of(game, agent(game, "rules:greedy"), range(900, 960))
    assert set(told) == {*variants.BY_DEAL, "margin", "square"} and all(len(values) == 60 for values in told.values())
    assert told["skill"] == pytest.approx(np.zeros(60), abs=1e-9), "a greedy player among greedy ones"
    assert told["margin"] == pytest.approx(np.zeros(60), abs=1e-9) and (told["square"] > 0).all()
    assert set(told["comebacks"]) == {0.0, 100.0} and set(told["leader"]) == {-25.0, 75.0}
    assert 30 < told["length"].mean() < 120


# -- what is said ------------------------------------------------------------------------------------------------------


def findings(report: Any, effect: float, found: bool) -> Findings:
    """Made up: every test tells the same."""
    estimate = Estimate(effect, 0.1, 500, 500)
    told = Verdict("", estimate, 0.0, estimate, {}, found=found, matters=found, failed=False)
    verdicts = {test: dataclasses.replace(told, test=test) for test in report.question.tests}
    won = {name: Estimate(0.25 + share / 100, 0.001, 500, 500) for name, share in (("together", effect), ("single", -effect))}
    extra = {**dict.fromkeys(variants.BY_DEAL, 1.0), variants.LUCK: [1.0, 0.1]}
    return Findings(verdicts, None, {name: {"win_share": each} for name, each in won.items()}, extra)


EVERY = (
    hold_or_spend.HoldOrSpend,
    singles_or_sets.SinglesOrSets,
    pick_up.PickUp,
    ups_and_downs.UpsAndDowns,
    variants.LuckyPirateVariants,
)


@pytest.mark.parametrize("kind", EVERY)
def test_nothing_found_is_told_and_advises_nothing(kind: type[Any]) -> None:
    report = kind()
    nothing = findings(report, 0.0, found=False)
    assert report.advice(nothing) == ""
    assert " was found" in report.statement(nothing)


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("effect", [-3.0, 3.0])
def test_what_was_found_is_told_with_its_sign(kind: type[Any], effect: float) -> None:
    report = kind()
    found = findings(report, effect, found=True)
    assert f"{effect:+.1f}" in report.statement(found)
    advice = report.advice(found)
    assert (advice == "") == (kind is variants.LuckyPirateVariants or (effect < 0 and kind is pick_up.PickUp))
    if kind is singles_or_sets.SinglesOrSets:
        assert f"equal cards {'one by one' if effect < 0 else 'all together'}: it wins 28.0%" in advice
