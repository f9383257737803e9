"""The speed table's learner rows: equal networks are equal, and the table says how large they are."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import throughput
from pirate_envs import load, make_aec


def test_a_row_tells_its_network(monkeypatch: pytest.MonkeyPatch, torch_settings: None) -> None:
    """From runs of the training command, the shortest that have an update to be timed; in this process, which has torch."""

    def run(command: list[str], **_: Any) -> None:
        monkeypatch.setattr(sys, "argv", command[2:])
        monkeypatch.delitem(sys.modules, command[2], raising=False)
        runpy.run_module(command[2], run_name="__main__")

    monkeypatch.setattr(throughput, "subprocess", SimpleNamespace(run=run, DEVNULL=None))
    monkeypatch.setattr(throughput, "TRAININGS", 1)
    shipped = {what: (*flags, "--lanes", "64", "--steps", "16") for what, flags in throughput.LEARNERS.items()}
    monkeypatch.setattr(throughput, "LEARNERS", shipped)
    rows = {row.what: row for row in throughput.training_rows(load("piraten_kapern"), 2048)}
    assert list(rows) == list(throughput.LEARNERS)
    networks = {what: row.network for what, row in rows.items()}
    equal = {networks[what].split()[0] for what in (throughput.SB3_USUAL, throughput.PPO_EQUAL)}
    assert len(equal) == 1 and equal != {networks[throughput.PPO_USUAL].split()[0]}
    assert all("parameters, float32" in text or "parameters, bfloat16" in text for text in networks.values())
    assert all(row.median > 0 and row.unit == "/s" for row in rows.values())
    table = throughput.table(list(rows.values()))
    assert all(text in table for text in networks.values())


def test_unequal_networks_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {what: 100 + number for number, what in enumerate(throughput.LEARNERS)}
    monkeypatch.setattr(throughput, "trained", lambda game, decisions, what: throughput.Trained([1.0], sizes[what], "float32"))
    with pytest.raises(AssertionError, match="100 and 101 parameters"):
        throughput.training_rows(load("piraten_kapern"), 1)


def test_rows_without_a_network_are_as_they_were() -> None:
    row = throughput.Speed("skull_king", "batch", "/s", 1.0, 0.5, 2.0)
    assert (
        row.cells()[:2] == ("skull_king", "batch") and replace(row, network="5 parameters").cells()[1] == "batch: 5 parameters"
    )


def test_the_aec_row_is_the_loop_that_a_user_writes() -> None:
    game = load("lucky_pirate")
    env = make_aec(game)
    env.reset(seed=3)
    lengths = [throughput.sampled_match(env) for _ in range(3)]
    assert lengths[-1] == env.record["decisions"] and len(set(lengths)) > 1 and not env.agents
    assert all(rate > 0 for rate in throughput.aec_rates(game, throughput.ThroughputSettings(repeats=2)))


def test_the_doors_play_the_same_matches_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in {"LANES": 6, "DOOR_STEPS": 3, "SYNC_STEPS": 2}.items():
        monkeypatch.setattr(throughput, name, number)
    rates = throughput.door_rates(load("skull_king"), throughput.ThroughputSettings(repeats=2))
    assert list(rates) == [throughput.SB3_DOOR, throughput.VECTOR_DOOR, throughput.SYNC_DOOR, throughput.SEAT_DOOR]
    assert all(len(values) == 2 and min(values) > 0 for values in rates.values())


def test_doors_are_kept_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Their rows take no other rows' place."""
    monkeypatch.setattr(throughput, "RESULTS", tmp_path)
    rows = [throughput.measured("skull_king", what, "/s", [1.0]) for what in ("batch", throughput.SEAT_DOOR)]
    monkeypatch.setattr(throughput, "game_rows", lambda name, settings: rows)
    throughput.main(throughput.ThroughputSettings(games=("skull_king",), write=True))
    kept = [json.loads((tmp_path / f"{name}.json").read_text())["rows"] for name in ("throughput", "doors")]
    assert [[row["what"] for row in each] for each in kept] == [["batch"], [throughput.SEAT_DOOR]]


def test_matches_are_as_long_as_the_game_says_if_it_does() -> None:
    told, untold = load("skull_king"), load("kuhn_poker")
    assert told.usual_length == 260 and untold.usual_length is None
    throughput.check_length(told, 259.0)
    throughput.check_length(untold, 2.5)
    for game, mean in ((told, 200.0), (untold, untold.max_decisions + 0.1)):
        with pytest.raises(AssertionError, match=game.name):
            throughput.check_length(game, mean)


def test_rows_of_several_threads_stand_beside_those_of_one() -> None:
    settings = throughput.ThroughputSettings(size=64, repeats=2, steps=70, threads=2)
    rows = throughput.thread_rows(load("piraten_kapern"), settings)
    assert [row.what for row in rows] == [
        f"batch of 64 on {threads}: {what}"
        for threads in ("1 thread", "2 threads")
        for what in ("a call a step", "all steps in one call")
    ]
    assert all(row.median > 0 for row in rows)
