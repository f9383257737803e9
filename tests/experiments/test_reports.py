"""Strategy reports: estimates by deal, what is registered, what is kept, and every report at a small size."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.reports import running
from experiments.reports.again import agreement
from experiments.reports.estimates import Estimate, Rows, flipped, holm, mean, regression, shuffled
from experiments.reports.lockstep import Lockstep, branched, dealt, one_each
from experiments.reports.report import CONFIRM, EXPLORE, Findings, Registered, Report, ReportError
from experiments.reports.running import Run, page, register, report, reports, run, seeds_of
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games import shipped

EVERY = [(game, name) for game in shipped() for name in reports(game)]


# -- estimates ---------------------------------------------------------------------------------------------------------


def test_intervals_are_by_deal() -> None:
    """Rows of one deal that say the same are one draw, however many they are."""
    chance = np.random.default_rng(0)
    once = chance.normal(1, 2, 400)
    single, tenfold = mean(once, np.arange(400)), mean(np.repeat(once, 10), np.repeat(np.arange(400), 10))
    assert tenfold.mean == pytest.approx(single.mean) and tenfold.error == pytest.approx(single.error)
    assert single.error == pytest.approx(once.std(ddof=1) / 20, rel=0.01)
    low, high = single.interval()
    assert low < 1 < high and single.p < 1e-6


def test_a_regression_finds_what_was_put_in() -> None:
    chance = np.random.default_rng(1)
    deal = np.repeat(np.arange(1000), 4)
    columns = {"one": chance.integers(0, 3, 4000), "two": chance.integers(0, 2, 4000), "none": np.zeros(4000)}
    values = 2 * columns["one"] - columns["two"] + chance.normal(0, 1, 1000)[deal] + chance.normal(0, 1, 4000)
    told = regression(columns, values, deal)
    assert told["one"].interval(0.99)[0] < 2 < told["one"].interval(0.99)[1]
    assert told["two"].interval(0.99)[0] < -1 < told["two"].interval(0.99)[1]
    assert told["none"].deals == 0 and told["none"].p == 1 and told["none"].written() == "too few deals"


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_shuffled_and_flipped_rows_say_nothing() -> None:
    chance = np.random.default_rng(2)
    rows: Rows = {"deal": np.repeat(np.arange(500), 2), "x": np.tile([0, 1], 500), "y": np.tile([0.0, 5.0], 500)}
    assert regression({"x": rows["x"]}, rows["y"], rows["deal"])["x"].p < 1e-6
    mixed = shuffled(rows, ["x"], chance)
    assert regression({"x": mixed["x"]}, mixed["y"], mixed["deal"])["x"].p > 0.001
    assert mean(rows["y"], rows["deal"]).p < 1e-6
    signs = flipped(rows, ["y"], chance)["y"].reshape(500, 2)
    assert set(np.sign(signs[:, 1])) == {-1.0, 1.0} and mean(signs[:, 1], np.arange(500)).p > 0.001


# -- playing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_lockstep_plays_as_the_game_does(name: str) -> None:
    game = load(name)
    player = agent(game, "rules:strongest")
    matches = Lockstep(game, player, dealt(game, range(40, 44)))
    matches.play()
    for row, seed in enumerate(range(40, 44)):
        g = game.new(seed)
        while not game.is_over(g):
            game.apply(g, game.rule_action(g, len(game.rule_players) - 1))
        assert matches.points()[row].tolist() == game.payoffs(g).tolist()
        assert (matches.wins()[row] > 0).nonzero()[0].tolist() == list(game.winners(g))


@pytest.mark.parametrize("name", shipped())
def test_a_branch_with_the_players_own_action_changes_nothing(name: str) -> None:
    game = load(name)
    player = agent(game, "rules:strongest")
    found = one_each(game, player, range(100, 130), lambda records, move: move.action_masks.sum(axis=1) > 1)
    own = branched(game, player, found.records, found.actions)
    matches = Lockstep(game, player, found.records.copy())
    before, seats = matches.points(), found.records["to_move"].astype(int)
    matches.play()
    assert np.array_equal(own.own, (matches.points() - before)[np.arange(len(seats)), seats])
    assert np.array_equal(own.wins, matches.wins()[np.arange(len(seats)), seats])
    assert len(set(found.deal)) == len(found.deal)


def test_no_two_stages_share_a_deal() -> None:
    ranges = [seeds_of(stage, seed, 1_000_000) for seed in (0, 1) for stage in running.STAGES]
    ends = sorted((each.start, each.stop) for each in ranges)
    assert all(stop <= start for (_, stop), (start, _) in pairwise(ends))


# -- a report ----------------------------------------------------------------------------------------------------------


class Leads(Report):
    """Made up: whether the first seat's dice are better."""

    game = "piraten_kapern"
    name = "leads"
    question = Registered(
        title="Does the first seat win?", asked="Does it?", population="All matches.", estimate="Its share of wins, less 1/2.",
        smallest=0.0, deals={EXPLORE: 60, CONFIRM: 60}, tests=("first",), among=("random", "rules:strongest"), players=2,
    )  # fmt: skip

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        matches = Lockstep(game, player, dealt(game, deals))
        matches.play()
        return {"deal": np.arange(deals.start, deals.stop), "won": matches.wins()[:, 0] - 0.5}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        return {"first": mean(rows["won"], rows["deal"])}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["won"], chance)

    def statement(self, found: Findings) -> str:
        return f"The first seat wins {found['first'].written('+.1%')} more than its share."

    def draw(self, found: Findings, figure: Any) -> None:
        figure.subplots().bar([0], [found["first"].mean])


@pytest.fixture
def leads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Report:
    made = Leads()
    monkeypatch.setattr(running, "report", lambda game, name: made)
    monkeypatch.setattr(running, "FOLDER", tmp_path)
    return made


def test_a_report_is_kept_and_printed(leads: Report, tmp_path: Path) -> None:
    content = run(Run(leads, 0, Workers(1)), write=True)
    kept = json.loads((tmp_path / "piraten_kapern" / "leads.json").read_text())
    assert kept == json.loads(json.dumps(content)) and (tmp_path / "piraten_kapern" / "leads.png").stat().st_size > 1000
    text = (tmp_path / "piraten_kapern" / "leads.md").read_text()
    assert text == page(kept) and content["statement"] in text and "among rules:strongest" in text
    assert content["found"]["verdicts"]["first"]["estimate"]["deals"] == 60


def test_what_is_kept_is_told_anew(leads: Report, tmp_path: Path) -> None:
    content = run(Run(leads, 0, Workers(1)), write=True)
    page_before = (tmp_path / "piraten_kapern" / "leads.md").read_text()
    assert running.retold(leads, write=True) == json.loads(json.dumps(content))
    assert (tmp_path / "piraten_kapern" / "leads.md").read_text() == page_before
    assert running.p_value(0.0) == "< 1e-30" and running.p_value(0.0123) == "0.012"
    type(leads).question, before = dataclasses.replace(leads.question, smallest=0.5), leads.question
    try:
        with pytest.raises(ReportError, match="asked otherwise than now"):
            running.retold(leads, write=False)
    finally:
        type(leads).question = before


def test_what_was_asked_may_not_change_afterwards(leads: Report) -> None:
    register(leads, 0)
    register(leads, 0)
    type(leads).question, before = dataclasses.replace(leads.question, smallest=0.5), leads.question
    try:
        with pytest.raises(ReportError, match="changed after the deals of seed 0 were used; take others: --seed 1"):
            run(Run(leads, 0, Workers(1)), write=True)
        register(leads, 1)
    finally:
        type(leads).question = before


def test_the_same_or_other_results_are_no_second_run(leads: Report, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="has not been run"):
        agreement([Run(leads, 1, Workers(1))], write=False)
    run(Run(leads, 0, Workers(1)), write=True)
    with pytest.raises(ReportError, match="is of seed 0 too"):
        agreement([Run(leads, 0, Workers(1))], write=False)
    assert "| all | 1 |" in agreement([Run(leads, 1, Workers(1))], write=False)
    file = tmp_path / "piraten_kapern" / "leads.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"form": 0}))
    with pytest.raises(ReportError, match="of form 0, not 1"):
        agreement([Run(leads, 1, Workers(1))], write=False)


def test_a_part_is_no_result(leads: Report) -> None:
    with pytest.raises(ReportError, match=r"a part of the deals \(0.5\) is no result"):
        run(Run(leads, 0, Workers(1), part=0.5), write=True)


def test_unknown_reports() -> None:
    with pytest.raises(ReportError, match="there is no report of 'chess'"):
        reports("chess")
    with pytest.raises(ReportError, match="skull_king has no report 'luck'; allowed: "):
        report("skull_king", "luck")


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_every_report_runs(game: str, name: str) -> None:
    """At a hundredth of its size or less: all of it but the findings."""
    asked = report(game, name)
    largest = max(asked.question.deals.values())
    content = run(Run(asked, 7, Workers(1), part=min(0.01, 100 / largest)), write=False)
    assert set(content["found"]["verdicts"]) == set(asked.question.tests) and page(json.loads(json.dumps(content)))
    assert asked.game == game and asked.question.title and asked.question.smallest > 0
