"""Strategy reports, by a made-up one: what is registered, what is kept, what goes on where it was, and what is asked again."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.reports import again, measuring, run_folder, running
from experiments.reports.__main__ import ReportsSettings, main
from experiments.reports.design import TrainedAnew
from experiments.reports.estimates import Estimate, Rows, flipped, mean
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.measuring import measuring_code, shared_code
from experiments.reports.report import CONFIRM, EXPLORE, Findings, Registered, Report, ReportError
from experiments.reports.running import Run, register, report, run
from experiments.reports.telling import p_value, page
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game


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

    def more(self, found: Findings) -> str:
        return "Nothing else was asked."

    def draw(self, found: Findings, figure: Any) -> None:
        figure.subplots().bar([0], [found["first"].mean])


@pytest.fixture
def leads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Report:
    made = Leads()
    monkeypatch.setattr(running, "report", lambda game, name: made)
    monkeypatch.setattr(running, "FOLDER", tmp_path)
    return made


@pytest.fixture
def at_most(leads: Report, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let so many chunks be played; the next one is a Ctrl-C."""
    sample, left = type(leads).sample, [0]

    def played(*arguments: Any) -> Rows:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return sample(*arguments)

    def allow(chunks: int) -> None:
        left[0] = chunks
        monkeypatch.setattr(type(leads), "sample", played)

    return allow


def test_a_report_is_kept_and_printed(leads: Report, tmp_path: Path) -> None:
    content = run(Run(leads, 0, Workers(1)), write=True)
    kept = json.loads((tmp_path / "piraten_kapern" / "leads.json").read_text())
    assert kept == json.loads(json.dumps(content)) and (tmp_path / "piraten_kapern" / "leads.png").stat().st_size > 1000
    text = (tmp_path / "piraten_kapern" / "leads.md").read_text()
    assert text == page(kept) and content["statement"] in text and "among rules:strongest" in text
    assert "Nothing else was asked." in text and "`python -m experiments.reports piraten_kapern leads --write`" in text
    assert kept["game_id"] == "piraten_kapern-v0" and kept["policies"] == {}
    assert content["found"]["verdicts"]["first"]["estimate"]["deals"] == 60


def test_what_is_kept_is_told_anew(leads: Report, tmp_path: Path) -> None:
    content = run(Run(leads, 0, Workers(1)), write=True)
    page_before = (tmp_path / "piraten_kapern" / "leads.md").read_text()
    assert running.retold(leads, write=True) == json.loads(json.dumps(content))
    assert (tmp_path / "piraten_kapern" / "leads.md").read_text() == page_before
    assert p_value(0.0) == "<\u00a01e-30" and p_value(0.0123) == "0.012"
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


def test_deals_that_are_not_named_are_the_kept_ones_or_may_be_used(leads: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    assert running.usual_seed(leads) == 0
    register(leads, 0)
    assert running.usual_seed(leads) == 0  # begun, and goes on
    run(Run(leads, 2, Workers(1)), write=True)
    assert running.usual_seed(leads) == 2 and running.usual_seed(leads, other=True) == 0
    run(Run(leads, 0, Workers(1)), write=True)
    assert running.usual_seed(leads) == 0 and running.usual_seed(leads, other=True) == 1
    monkeypatch.setattr(type(leads), "question", dataclasses.replace(leads.question, smallest=0.5))
    assert running.usual_seed(leads) == 1
    register(leads, 1)
    assert running.usual_seed(leads) == 1


def test_nothing_is_registered_where_no_run_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "FOLDER", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        main(ReportsSettings("skull_king", ("seats",), out=tmp_path / "file" / "x"))
    assert not (tmp_path / "registered.json").exists()


def test_what_was_asked_may_not_change_once_its_numbers_were_seen(leads: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is not kept prints what the confirming deals say, and so does one that asks again."""
    run(Run(leads, 0, Workers(1)), write=True)
    run(Run(leads, 1, Workers(1)), write=False)
    again.agreement([Run(leads, 2, Workers(1))], write=False)
    monkeypatch.setattr(type(leads), "question", dataclasses.replace(leads.question, smallest=0.5))
    for seed in (1, 2):
        with pytest.raises(ReportError, match=f"changed after the deals of seed {seed} were used; take others: --seed 3"):
            run(Run(leads, seed, Workers(1)), write=True)


def test_a_trial_registers_nothing_and_plays_no_registered_deal(
    leads: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[range] = []
    sample = type(leads).sample

    def noted(self: Report, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        played.append(deals)
        return sample(self, game, player, deals, fitted)

    monkeypatch.setattr(type(leads), "sample", noted)
    content = run(Run(leads, 0, Workers(1), part=0.5), write=False)
    assert "A trial on 50.00% as many deals" in page(content) and not (tmp_path / "registered.json").exists()
    tried = {deal for deals in played for deal in deals}
    played.clear()
    run(Run(leads, 0, Workers(1)), write=True)
    assert tried and not tried & {deal for deals in played for deal in deals}
    with pytest.raises(ReportError, match=r"a part of the deals \(0.5\) is no result"):
        again.agreement([Run(leads, 1, Workers(1), part=0.5)], write=True)
    assert again.rows_of("piraten_kapern") == []


def test_what_cannot_be_noted_is_not_played(leads: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    register(leads, 0)

    def full(*given: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(running.Results, "write_json", full)
    register(leads, 0)
    with pytest.raises(ReportError, match="cannot be noted before its deals are used .no space left.; --part 0.1"):
        run(Run(leads, 1, Workers(1)), write=False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"again": True}, "--again without a game lists the reports alone; name one: "),
        ({"also": "random", "seed": 3}, "--seed, --also without a game"),
        (
            {"game": "skull_king", "retell": True, "seed": 5},
            "--retell goes by the deals that are kept; leave --seed and --part out",
        ),
        ({"game": "skull_king", "also": "random", "part": 0.5}, "--also goes by the deals that are kept"),
        ({"game": "skull_king", "also": "random", "again": True}, "commands of their own"),
    ],
)
def test_what_would_be_left_undone_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ReportError, match=re.escape(told)):
        main(ReportsSettings(**given))


def test_a_run_that_was_stopped_goes_on_where_it_was(
    leads: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_most: Callable[[int], None]
) -> None:
    monkeypatch.setattr(type(leads), "at_once", 10)
    straight = run(Run(leads, 0, Workers(1)), write=False)
    at_most(13)  # of the 18 chunks, the last six among others
    with pytest.raises(KeyboardInterrupt):
        run(Run(leads, 0, Workers(1), out=tmp_path / "runs"), write=True)
    folder = tmp_path / "runs" / "piraten_kapern" / "leads-0"
    assert len(list(folder.glob("*/chunks/*"))) == 13
    at_most(5)
    content = run(Run(leads, 0, Workers(1), out=tmp_path / "runs"), write=True)
    assert content["found"] == straight["found"] and content["by_chance"] == straight["by_chance"]
    assert not folder.exists(), "what the results hold is not kept twice"


def test_other_code_or_another_engine_plays_anew(
    leads: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_most: Callable[[int], None]
) -> None:
    run(Run(leads, 0, Workers(1), out=tmp_path), write=False)
    at_most(0)
    run(Run(leads, 0, Workers(1), out=tmp_path), write=False)
    for what in ("measuring_code", "digest_of", "source_hash"):
        with monkeypatch.context() as changed:
            changed.setattr(run_folder, what, lambda *given: "other")
            with pytest.raises(KeyboardInterrupt):
                run(Run(leads, 0, Workers(1), out=tmp_path), write=False)


def test_the_same_or_other_results_are_no_second_run(leads: Report, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="has not been run"):
        again.agreement([Run(leads, 1, Workers(1))], write=False)
    run(Run(leads, 0, Workers(1)), write=True)
    with pytest.raises(ReportError, match="is of seed 0 too"):
        again.agreement([Run(leads, 0, Workers(1))], write=False)
    assert "| all | 1 of 1 (100.0%) |" in again.agreement([Run(leads, 1, Workers(1))], write=False)
    file = tmp_path / "piraten_kapern" / "leads.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"form": 0}))
    with pytest.raises(ReportError, match="of form 0, not 1"):
        again.agreement([Run(leads, 1, Workers(1))], write=False)


def test_what_was_measured_otherwise_is_no_rerun(leads: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    register(leads, 0)
    monkeypatch.setattr(running, "measuring_code", lambda kind: "other")
    with pytest.raises(ReportError, match="how leads is measured was changed after the deals of seed 0 were used; .* --seed 1"):
        register(leads, 0)
    register(leads, 1)


def test_what_was_registered_before_code_was_noted_stays_so(leads: Report, tmp_path: Path) -> None:
    (tmp_path / "registered.json").write_text(json.dumps({"piraten_kapern/leads": {"0": leads.question.digest()}}))
    register(leads, 0)
    told = json.loads((tmp_path / "registered.json").read_text())
    assert told["piraten_kapern/leads, code"] == {"0": measuring_code(type(leads))}


MODULE = '''"""Words."""
TIMES = {times}
def doubled(value):
    return value * TIMES{comment}
def praised(value):
    return "{word}"
class Kind:
    """More words."""
    def sample(self, value):
        return doubled(value)
    def statement(self, found):
        return praised(found)
'''


def test_only_what_measures_is_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code(times: int = 2, comment: str = "", word: str = "fine") -> str:
        name = f"made_up_{times}_{len(comment)}_{word}"
        (tmp_path / f"{name}.py").write_text(MODULE.format(times=times, comment=comment, word=word))
        return measuring_code(importlib.import_module(name).Kind)

    monkeypatch.syspath_prepend(tmp_path)
    assert code() == code(comment="  # as it was") == code(word="better") != code(times=3)


def test_what_reports_share_is_of_the_code_where_they_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bids, values = (type(report("skull_king", name)) for name in ("what_to_bid", "card_values"))
    assert ("experiments.reports.skull_king.hands", "each_hand") in measuring._reached(bids)
    assert ("experiments.reports.lockstep", "branched") in measuring._reached(bids)
    before, source = (shared_code(bids), shared_code(values)), inspect.getsource
    monkeypatch.setattr(inspect, "getsource", lambda module: source(module).replace("chance.random(len(asked)) *", "0.5 *"))
    measuring._module.cache_clear()
    try:
        after = shared_code(bids), shared_code(values)
    finally:
        measuring._module.cache_clear()
    assert (before[0] == after[0], before[1] == after[1]) == (False, True)


def test_results_of_another_version_of_the_game_are_refused(leads: Report, tmp_path: Path) -> None:
    run(Run(leads, 0, Workers(1)), write=True)
    file = tmp_path / "piraten_kapern" / "leads.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"game_id": "piraten_kapern-v1"}))
    with pytest.raises(ReportError, match="results of leads are of piraten_kapern-v1, not piraten_kapern-v0: run it anew"):
        running.kept("piraten_kapern", "leads")
    content.pop("game_id")
    file.write_text(json.dumps(content))
    assert running.kept("piraten_kapern", "leads") == content, "results that name no version are of the first"


def test_the_kept_deals_are_asked_among_one_player_more(leads: Report, tmp_path: Path) -> None:
    run(Run(leads, 0, Workers(1)), write=True)
    content = running.asked_also(leads, "rules:cautious", Workers(1), write=True)
    assert list(content["found"]["verdicts"]["first"]["among"]) == ["rules:strongest", "rules:cautious"]
    assert content["found"]["verdicts"]["first"]["among"]["rules:cautious"]["deals"] == 30
    text = (tmp_path / "piraten_kapern" / "leads.md").read_text()
    assert "| among rules:cautious |" in text and "Among rules:cautious, not registered: `" in text
    assert running.retold(leads, write=False)["also"].keys() == {"rules:cautious"}
    with pytest.raises(ReportError, match="leads is asked among rules:strongest already"):
        running.asked_also(leads, "rules:strongest", Workers(1), write=False)


def test_policies_are_named_by_their_weights() -> None:
    game = load("piraten_kapern")
    policy = agent(game, "policy:pretrained")
    assert isinstance(policy, Policy)
    many = TrainedAnew({"one": policy})
    told = running.policies(game, {"random": "random", "policy:pretrained": "policy:pretrained", "anew": many})
    assert told == {"policy:pretrained": policy.acts_by, "anew": {"one": policy.acts_by}}


def test_what_was_asked_again_is_judged_by_the_aim(leads: Report, tmp_path: Path) -> None:
    assert pytest.approx(0.9315, abs=1e-4) == again.EXPECTED
    assert [again.verdict({"estimates": 100, "within": within}) for within in (91, 92, 98, 99)] == [
        "fewer than aimed at", "as aimed at", "as aimed at", "more than aimed at",
    ]  # fmt: skip
    with pytest.raises(ReportError, match="no report of piraten_kapern was asked again"):
        again.retold("piraten_kapern", write=False)
    run(Run(leads, 0, Workers(1)), write=True)
    text = again.agreement([Run(leads, 1, Workers(1))], write=True)
    assert again.retold("piraten_kapern", write=True) == text
    row = again.rows_of("piraten_kapern")[0]
    assert row["first"]["estimates"] == row["others"]["estimates"] == 1 and "matches" not in row and "not asked" in text
    (apart,) = row["first"]["apart"].values()
    before = running.kept("piraten_kapern", "leads")["found"]["verdicts"]
    (told,) = (Estimate(**each["estimate"]) for each in before.values())
    other = Run(leads, 1, Workers(1))
    (now,) = other.estimates(other.confirmed()[1]).values()
    assert apart == pytest.approx((now.mean - told.mean) / (now.error**2 + told.error**2) ** 0.5, abs=1e-3)
    assert again.errors_apart([{"first": {"apart": {"a": 3.0, "b": -4.0}}, "others": {"apart": {}}}]) == f"{12.5**0.5:.2f}"
    assert again.errors_apart([{"first": {"estimates": 1, "within": 1}}]) == "-"


def test_what_was_held_against_a_run_that_is_kept_no_more_does_not_count(tmp_path: Path, leads: Report) -> None:
    run(Run(leads, 0, Workers(1)), write=True)
    again.agreement([Run(leads, 1, Workers(1))], write=True)
    file = tmp_path / "piraten_kapern" / "leads.json"
    kept = json.loads(file.read_text())
    next(iter(kept["found"]["verdicts"].values()))["estimate"]["mean"] += 1e-9
    file.write_text(json.dumps(kept))
    assert again.rows_of("piraten_kapern") == []
    with pytest.raises(ReportError, match="no report of piraten_kapern was asked again"):
        again.retold("piraten_kapern", write=False)


def test_a_part_is_no_result(leads: Report) -> None:
    with pytest.raises(ReportError, match=r"a part of the deals \(0.5\) is no result"):
        run(Run(leads, 0, Workers(1), part=0.5), write=True)
