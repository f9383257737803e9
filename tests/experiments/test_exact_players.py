"""The printed results of the exact Piraten Kapern players."""

import json

import pytest

from experiments.studies import exact_players, when_to_stop
from experiments.studies.when_to_stop import Advice, advice, decisions, turn_figures


def test_the_kept_tables_are_those_of_the_code(tmp_path, monkeypatch, capsys):
    kept = (when_to_stop.FOLDER / "when_to_stop.md").read_text(encoding="utf-8")
    monkeypatch.setattr(when_to_stop, "FOLDER", tmp_path)
    when_to_stop.main(when_to_stop.WhenToStopSettings(write=True))
    assert (tmp_path / "when_to_stop.md").read_text(encoding="utf-8") == kept
    assert kept in capsys.readouterr().out
    assert (tmp_path / "when_to_stop.png").read_bytes().startswith(b"\x89PNG")
    assert {row["card"] for row in json.loads((tmp_path / "when_to_stop.json").read_text())["turns"]} == set(when_to_stop.CARDS)


def test_turns_end_in_one_of_three_ways():
    for card in ("gold", "skulls_2", "sea_battle_3"):
        row = turn_figures(card)
        assert row.stops + row.busts + row.islands == pytest.approx(1)
    assert turn_figures("sea_battle_3").islands == 0


def test_a_bound_agrees_with_the_optimum_as_often_as_it_says():
    bound = advice("monkey_business", 2)
    assert isinstance(bound, Advice) and bound.stop_from == 400
    made = decisions("monkey_business")
    here = made.skulls == 2
    agree = made.met[here & (made.stops == (made.points >= bound.stop_from))].sum()
    assert bound.agrees == pytest.approx(agree / made.met[here].sum())


def test_two_skulls_of_the_card_leave_no_other_decisions():
    assert advice("skulls_2", 1) is None
    assert advice("skulls_2", 2).met > 0


def test_a_sorceress_is_always_asked_before_a_stop_with_a_skull():
    assert advice("sorceress", 1).stop_from is None


def test_line_ups_are_measured_and_kept_with_their_commands(tmp_path, monkeypatch):
    monkeypatch.setattr(exact_players, "FOLDER", tmp_path)
    monkeypatch.setattr(
        exact_players, "LINE_UPS", (("exact:turn", "rules:strongest"), ("exact:turn", "exact:turn", "rules:strongest"))
    )
    exact_players.main(exact_players.ExactPlayersSettings(deals=2, write=True))
    results = json.loads((tmp_path / "exact_players.json").read_text())
    assert [result["matches"] for result in results] == [8, 6]
    page = (tmp_path / "exact_players.md").read_text()
    assert page == exact_players.page(results)
    assert all(result["command"] in page for result in results)
    assert "exact:turn against 1 x exact:turn, 1 x rules:exact_roll" in page


def test_the_kept_page_is_that_of_the_kept_figures():
    results = json.loads((exact_players.FOLDER / "exact_players.json").read_text(encoding="utf-8"))
    assert (exact_players.FOLDER / "exact_players.md").read_text(encoding="utf-8") == exact_players.page(results)
