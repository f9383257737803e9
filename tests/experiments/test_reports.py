"""Strategy reports: estimates by deal, how matches are played for them, what they say, and every report at a small size."""

from __future__ import annotations

import dataclasses
import json
import re
from itertools import pairwise

import numpy as np
import pytest

from experiments.reports import pages, running
from experiments.reports.design import Design
from experiments.reports.estimates import Estimate, Rows, flipped, holm, mean, regression, shuffled
from experiments.reports.heard import Listener
from experiments.reports.lockstep import Lockstep, branched, dealt, each_drawn
from experiments.reports.report import POLICY, Findings, ReportError, Verdict
from experiments.reports.run_folder import weights_of
from experiments.reports.running import Run, report, reports, run, seeds_of
from experiments.reports.telling import found_in, holds, opposite, page
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.games import shipped

LONGEST = 45  # words of a statement
EVERY = [(game, name) for game in shipped() for name in reports(game)]
IN_SHORT = {
    "lucky_pirate": "pick_up",
    "piraten_kapern": "variants",
    "piratenpoker": "when_to_pass",
    "skull_king": "card_values",
}
"""One of each game, a design among them: what every run of the tests makes."""
QUICK = {"lanes": 16, "steps": 16, "batch": 128, "width": 16, "precision": "float32", "reward_scale": 1.0}
"""Of what learns at a design's tables, of which there are up to 24."""


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
    found = each_drawn(game, player, range(100, 110), lambda records, move: move.action_masks.sum(axis=1) > 1, 1 / 20)
    assert len(found.deal) > 5
    own = branched(game, player, found.records, found.actions)
    matches = Lockstep(game, player, found.records.copy())
    before, seats = matches.points(), found.records["to_move"].astype(int)
    matches.play()
    assert np.array_equal(own.own, (matches.points() - before)[np.arange(len(seats)), seats])
    assert np.array_equal(own.wins, matches.wins()[np.arange(len(seats)), seats])


def test_every_wanted_decision_is_drawn_with_the_same_chance() -> None:
    game = load("skull_king")
    player = agent(game, "rules:strongest")
    every, third = (
        each_drawn(game, player, range(100, 140), lambda records, move: records["phase"] == 0, share) for share in (1, 1 / 3)
    )
    assert len(every.deal) == 40 * 10 * 4 and set(every.deal) == set(range(100, 140))
    assert abs(len(third.deal) / len(every.deal) - 1 / 3) < 0.05
    assert set(map(bytes, third.records)) <= set(map(bytes, every.records))


def test_no_two_stages_and_no_trial_share_a_deal() -> None:
    ranges = [seeds_of(stage, seed, 1_000_000, trial) for seed in (0, 1) for stage in running.STAGES for trial in (False, True)]
    ends = sorted((each.start, each.stop) for each in ranges)
    assert all(stop <= start for (_, stop), (start, _) in pairwise(ends))


# -- what they say -----------------------------------------------------------------------------------------------------


def verdicts(**means: tuple[float, float]) -> Findings:
    """Made up: of each test what the first players' deals say, and others'."""
    told = {}
    for test, (one, other) in means.items():
        mine, others = (Estimate(mean, 0.1, 500, 500) for mean in (one, other))
        told[test] = Verdict(test, mine, 0.0, mine, {"others": others}, found=True, matters=True, failed=False)
    return Findings(told, None, {}, None)


def test_a_text_is_heard_for_the_tests_whose_numbers_it_tells() -> None:
    listener = Listener(verdicts(one=(3, 3), two=(4, -4), three=(5, 0)))
    text, tests = listener.tell(lambda found: f"So {found['two'].written()}.\nAnd {found.verdicts['one'].written()}.")
    assert text == "So +4.0 [+3.8, +4.2].\nAnd +3.0 [+2.8, +3.2]." and tests == [["two"], ["one"]]
    assert listener.tell(lambda found: f"{found['three'].mean}") == ("5", [[]])


def test_pages_name_who_says_the_opposite() -> None:
    found = verdicts(one=(3, 3), two=(4, -4), three=(5, 0))
    tests = {"statement": [["one"]], "advice": [["one"], ["two", "three"]]}
    content = {
        "found": dataclasses.asdict(found),
        "tests": tests,
        "advice": "A.\nB.",
        "title": "T",
        "seated": "among four of x",
    }
    assert opposite(content, "statement") == opposite(content, "advice", 0) == ""
    but = "**But the opposite, beyond chance:** two -4.0 [-4.2, -3.8] among others."
    assert opposite(content, "advice", 1) == opposite(content, "advice") == but
    assert pages._advised(content, 1, "B.") == f"B. ([why](#t); among four of x)\n   {but}"
    assert holds(found) == "Of 3 findings hold 1 among others (the opposite: two. cannot tell: three)."


def test_deals_of_several_reports_count_once() -> None:
    asked = [(0, {"explore": 5, "confirm": 40}), (0, {"explore": 9, "confirm": 10, "fit": 3}), (2, {"explore": 1})]
    assert pages.different_deals([{"seed": seed, "question": {"deals": deals}} for seed, deals in asked]) == 40 + 9 + 3 + 1


def test_unknown_reports() -> None:
    with pytest.raises(ReportError, match="there is no report of 'chess'"):
        reports("chess")
    with pytest.raises(ReportError, match="skull_king has no report 'luck'; allowed: "):
        report("skull_king", "luck")


@pytest.mark.parametrize(
    ("game", "name"), [pytest.param(*each, marks=() if each in IN_SHORT.items() else pytest.mark.long) for each in EVERY]
)
def test_every_report_runs(game: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a hundredth of its size or less: all of it but the findings."""
    asked = report(game, name)
    if isinstance(asked, Design):
        course = dataclasses.replace(asked.course, decisions=256, settings={**asked.course.settings, **QUICK})
        monkeypatch.setattr(type(asked), "course", course)
    largest = max(asked.question.deals.values())
    content = run(Run(asked, 7, Workers(1), part=min(0.01, 100 / largest)), write=False)
    assert set(content["found"]["verdicts"]) == set(asked.question.tests) and page(json.loads(json.dumps(content)))
    assert one_sentence(content["statement"]), content["statement"]
    assert asked.game == game and asked.question.title and asked.question.smallest > 0


def one_sentence(text: str) -> bool:
    return len(text.split()) <= LONGEST and text.endswith(".") and not re.search(r"[.!?] [A-Z]", text)


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_what_is_kept_is_asked_as_now_and_of_the_shipped_policy(game: str, name: str) -> None:
    kept = running.kept(game, name)
    assert kept["digest"] == report(game, name).question.digest(), f"python -m experiments.reports {game} {name} --write"
    if POLICY in (told := kept.get("policies", {})):
        assert told[POLICY] == weights_of(agent(load(game), POLICY)), f"python -m experiments.reports {game} {name} --write"


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_statement_is_one_sentence_with_its_number_and_interval(game: str, name: str) -> None:
    told = running.retold(report(game, name), write=False)
    assert one_sentence(told["statement"]), told["statement"]
    assert re.search(r"\d \[[+-]?[\d.]+, [+-]?[\d.]+\]", told["statement"])
    assert told == running.kept(game, name), f"python -m experiments.reports {game} {name} --retell --write"


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_statement_is_one_sentence_if_nothing_is_found(game: str, name: str) -> None:
    asked, found = report(game, name), found_in(running.kept(game, name))
    nothing = {test: dataclasses.replace(each, found=False, matters=False) for test, each in found.verdicts.items()}
    said = asked.statement(dataclasses.replace(found, verdicts=nothing))
    assert one_sentence(said) and ("found" in said or "(cannot tell)" in said), said


@pytest.mark.parametrize("game", shipped())
def test_five_sentences_tell_how_to_win(game: str) -> None:
    told = re.findall(r"^\d\. .*$", pages.win(game), re.MULTILINE)
    assert len(told) == 5 and all(re.search(r"\d \[|\d% \[", line) for line in told), told
