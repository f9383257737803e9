"""Designs of reports: their tables, and the policies that learn at them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.reports import running
from experiments.reports.design import TRAINED, TRAINED_AGAIN, Course, Design, TrainedAnew
from experiments.reports.estimates import Estimate
from experiments.reports.piratenpoker.english_and_french import DIFFERENCES, FRENCH, PLAYED_FRENCH, TABLES, changes
from experiments.reports.report import Findings, Verdict
from experiments.reports.running import Run, reports
from experiments.reports.telling import against, holds, page
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.player import decisions_of
from pirate_envs.core.errors import CheckpointError
from pirate_envs.games import load, shipped

DESIGNS = [report for game in shipped() for report in reports(game).values() if isinstance(report, Design)]


def test_every_game_has_a_design_and_asks_it_among_policies_trained_for_it() -> None:
    assert {design.game for design in DESIGNS} == set(shipped())
    assert all(TRAINED in design.question.among and design.course.told() in design.question.population for design in DESIGNS)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.game)
def test_the_first_table_is_the_usual_game_and_no_two_are_alike(design: Design) -> None:
    games = [load(design.game, **design.options(table)) for table in design.tables]
    assert games[0].options == load(design.game, players=design.question.players).options
    assert len({str(game.options) for game in games}) == len(games)


def test_a_course_is_learned_at_its_own_table_and_comes_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    design = next(each for each in DESIGNS if each.game == "skull_king")
    course = Course(8192, {"lanes": 64, "width": 16, "precision": "float32"})
    monkeypatch.setattr(type(design), "course", course)
    three, again, usual = (design.learn(table, seed=3) for table in ("3 seats", "3 seats", "usual rules"))
    assert three.game.players == 3 and usual.game.players == 4
    assert three.learned == again.learned != usual.learned
    assert design.learn("3 seats", seed=4).learned != three.learned
    assert three.settings["decisions"] == 8192 and three.settings["width"] == 16
    player = Run(design, 3, Workers(1), out=tmp_path).trained(design)
    assert list(player.policies) == list(design.tables) and player.name == TRAINED
    game, seated = design.seat("3 seats", player)
    assert game.players == 3 and seated.learned == three.learned
    other = Run(design, 3, Workers(1), out=tmp_path).player(TRAINED_AGAIN)
    assert isinstance(other, TrainedAnew) and list(other.policies) == list(design.tables) and other.name == TRAINED_AGAIN
    assert design.seat("3 seats", other)[1].learned not in {each.learned for each in player.policies.values()}
    monkeypatch.setattr(type(design), "learn", None)
    kept = Run(design, 3, Workers(1), out=tmp_path).trained(design).policies
    assert {table: each.learned for table, each in kept.items()} == {
        table: each.learned for table, each in player.policies.items()
    }
    for weights in tmp_path.glob("*/*/policies-*/0/*.safetensors"):  # of both trainings
        weights.write_bytes(b"")
    with pytest.raises(CheckpointError):
        Run(design, 3, Workers(1), out=tmp_path).trained(design)


def test_one_training_alone_says_nothing_against_a_finding() -> None:
    for_it, unsure, against_it = (Estimate(mean, 0.1, 500, 500) for mean in (2.0, 0.1, -2.0))
    told = Verdict("t", for_it, 0.0, for_it, {TRAINED: against_it, "sheet": against_it}, found=True, matters=True, failed=False)
    assert against(told) == [TRAINED, "sheet"]
    for other in (for_it, unsure):
        assert against(dataclasses.replace(told, among={**told.among, TRAINED_AGAIN: other})) == ["sheet"]
    assert against(dataclasses.replace(told, among={**told.among, TRAINED_AGAIN: against_it})) == [
        TRAINED,
        "sheet",
        TRAINED_AGAIN,
    ]
    assert against(dataclasses.replace(told, found=False)) == []


def test_pages_tell_what_a_training_may_be_off_by() -> None:
    kept = running.kept("skull_king", "variants")
    verdicts = kept["found"]["verdicts"]
    for verdict in verdicts.values():
        verdict["among"] = {TRAINED: dict(verdict["estimate"])}
    assert "another training may be off by more.\n" in page(kept)
    for at, verdict in enumerate(verdicts.values()):
        first = verdict["among"][TRAINED]
        verdict["among"][TRAINED_AGAIN] = {**first, "mean": first["mean"] + (3 if at else 2) * first["error"]}
    assert "Bold: the opposite, in all that was trained." not in page(kept)
    for who in (TRAINED, TRAINED_AGAIN):
        next(iter(verdicts.values()))["among"][who] |= {"mean": 9.0, "error": 0.1}
    assert "Bold: the opposite, in all that was trained." in page(kept)
    assert f"Of {len(verdicts)} estimates of the second training 1 lie inside the 99 % intervals of the first." in page(kept)


def test_a_player_of_many_tables_sits_elsewhere_as_at_the_first() -> None:
    design = next(each for each in DESIGNS if each.game == "piraten_kapern")
    game, exact = design.seat(next(iter(design.tables)), _named("exact:turn"))
    assert game is design.seat(next(iter(design.tables)), _named("exact:turn"))[0], "to solve a table once is enough"
    many = TrainedAnew({"one": exact})  # type: ignore[dict-item]
    decisions = decisions_of(game, game.new(seed=1))
    assert many.act(decisions).tolist() == exact.act(decisions).tolist()


def _named(name: str) -> Any:
    return dataclasses.make_dataclass("Named", ["name"])(name)


# -- the fraction of Piratenpoker --------------------------------------------------------------------------------------


def test_what_one_difference_does_is_mixed_with_no_other_and_no_pair() -> None:
    signs = 2 * PLAYED_FRENCH.astype(int) - 1
    assert signs.shape == (24, len(DIFFERENCES)) and not signs.sum(axis=0).any()
    assert (signs.T @ signs == 24 * np.eye(11)).all(), "every two differences come together as often as apart"
    pairs = np.stack([signs[:, i] * signs[:, j] for i in range(11) for j in range(i)])
    assert not (pairs @ signs).any()
    assert not PLAYED_FRENCH[0].any() and PLAYED_FRENCH[-1].all()


def test_its_tables_play_what_they_say() -> None:
    for (name, options), row in zip(TABLES.items(), PLAYED_FRENCH, strict=True):
        played = load("piratenpoker", **options).options
        for (switch, french), so in zip(FRENCH.items(), row, strict=True):
            assert (getattr(played, switch) == french) == so, (name, switch)


def test_an_effect_that_was_put_in_comes_out() -> None:
    """Made-up tables on which two differences add so much, and together some more."""
    chance = np.random.default_rng(0)
    worth = dict(
        zip(TABLES, 3 * PLAYED_FRENCH[:, 2] - 2 * PLAYED_FRENCH[:, 5] + PLAYED_FRENCH[:, 2] * PLAYED_FRENCH[:, 5], strict=True)
    )
    noise = chance.normal(0, 0.01, (len(TABLES), 400))
    values = np.array([worth[table] for table in TABLES])[:, None] + noise
    means = {test: column.mean() for test, column in changes("skill", values).items()}
    assert means[f"{DIFFERENCES[2]}: skill"] == pytest.approx(3.5, abs=0.01)
    assert means[f"{DIFFERENCES[5]}: skill"] == pytest.approx(-1.5, abs=0.01)
    assert means[f"{DIFFERENCES[0]}: skill"] == pytest.approx(0, abs=0.01)
    assert means["French rules: skill"] == pytest.approx(2, abs=0.01)


def test_what_holds_among_others_is_counted() -> None:
    sure, unsure, against = (Estimate(mean, 0.1, 500, 500) for mean in (2.0, 0.1, -2.0))
    among = {"x": sure, "y": unsure, "z": against}
    told = Verdict("a", sure, 0.0, sure, among, found=True, matters=True, failed=False)
    assert holds(Findings({"a": told}, None, {}, None)) == (
        "Of 1 findings hold 1 among x, 0 among y (cannot tell: a), 0 among z (the opposite: a)."
    )
    assert holds(Findings({"a": dataclasses.replace(told, found=False)}, None, {}, None)) == ""
