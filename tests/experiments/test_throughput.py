"""The speed table's learner rows: equal networks are equal, and the table says how large they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments import throughput
from pirate_envs import load


def test_a_row_tells_its_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """From runs of the training command, the shortest that have an update to be timed."""
    monkeypatch.setattr(throughput, "TRAININGS", 1)
    shipped = {what: (*flags, "--lanes", "64", "--steps", "16") for what, flags in throughput.LEARNERS.items()}
    monkeypatch.setattr(throughput, "LEARNERS", shipped)
    rows = {row.what: row for row in throughput.training_rows(load("piraten_kapern"), 2048)}
    assert list(rows) == list(throughput.LEARNERS)
    networks = {what: row.network for what, row in rows.items()}
    equal = {networks[what].split()[0] for what in (throughput.SB3_AS_SHIPPED, throughput.PPO_EQUAL)}
    assert len(equal) == 1 and equal != {networks[throughput.PPO_AS_SHIPPED].split()[0]}
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
