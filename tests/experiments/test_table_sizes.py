"""Table sizes: a policy at every number of seats, and what specialists for one of them have more."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import tyro

from experiments import docs, goals, table_sizes
from experiments.table_sizes import TableSizeSettings
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.learning import PPOSettings
from pirate_envs.core.errors import OptionError, UnknownPlayerError

pytestmark = pytest.mark.usefixtures("torch_settings")
LEARNER = PPOSettings(lanes=16, steps=16, batch=128, precision="float32")
SMALL = TableSizeSettings("piraten_kapern", seats=(2, 3), decisions=512, deals=6, learner=LEARNER)


def test_a_table_of_sizes_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(table_sizes, "RESULTS", tmp_path)
    content = table_sizes.main(dataclasses.replace(SMALL, write=True))
    page = (tmp_path / "table_sizes_piraten_kapern.md").read_text()
    assert content == json.loads((tmp_path / "table_sizes_piraten_kapern.json").read_text())
    assert page in capsys.readouterr().out and "| 2 | 50.0% |" in page and "| 3 | 33.3% |" in page
    for row in content["rows"]:
        assert row["lost"]["mean"] == pytest.approx(row["specialist"]["mean"] - row["policy"]["mean"])
    assert content["learned"] == agent(load("piraten_kapern"), "policy:pretrained").acts_by


def test_what_is_kept_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the game's page, which says so while nothing is measured, and beside what was aimed at."""
    for module in (table_sizes, docs, goals):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    page = docs.ROOT / "docs" / "results" / "piraten_kapern.md"
    block = "<!-- begin table_sizes:piraten_kapern -->\n<!-- end -->"
    assert "Not measured yet; `python -m experiments.table_sizes piraten_kapern`" in docs.filled(block, page)
    table_sizes.main(dataclasses.replace(SMALL, write=True))
    assert (tmp_path / "table_sizes_piraten_kapern.md").read_text() in docs.filled(block, page)
    assert block.split("\n", maxsplit=1)[0] in page.read_text(encoding="utf-8")
    line = next(line for line in goals.table().splitlines() if "Kapern | what a specialist" in line)
    assert "at most +1%" in line and "seats" in line and "not measured" not in line


@pytest.mark.usefixtures("sent")
def test_sizes_are_sent_to_workers() -> None:
    """The settings as they come from flags, which spawned processes must be able to read."""
    words = "piraten_kapern --seats 2 3 --deals 4 --decisions 512 --learner.lanes 16 --learner.steps 16 --learner.batch 64"
    words += " --learner.precision float32 --workers"
    one, two = (table_sizes.main(tyro.cli(TableSizeSettings, args=[*words.split(), count]))["rows"] for count in "12")
    assert one == two


def test_a_specialist_learns_at_its_size_from_the_policy_on() -> None:
    policy = agent(load("piraten_kapern", players=3), "policy:pretrained")
    made, again = (table_sizes.specialist(SMALL, policy, 3) for _ in "ab")
    assert made.learned == again.learned != policy.learned and made.game.players == 3
    weights, before = made.layers[0][0], policy.layers[0][0]  # type: ignore[attr-defined]
    assert weights.shape == before.shape and 0 < np.abs(weights - before).max() < 0.1, "few decisions change it a little"


def test_without_specialists_no_weights_are_needed() -> None:
    told = table_sizes.row(TableSizeSettings("lucky_pirate", policy="rules:strongest", deals=4), 5)
    assert told == {"seats": 5, "policy": {"mean": 0.2, "low": 0.2, "high": 0.2}}
    with pytest.raises(UnknownPlayerError, match="has no weights to start from"):
        table_sizes.main(dataclasses.replace(SMALL, policy="rules:strongest"))


def test_bad_settings() -> None:
    with pytest.raises(OptionError, match="--seats has 9; piraten_kapern-v0 is for 2, 3, 4, 5"):
        table_sizes.main(dataclasses.replace(SMALL, seats=(9,)))
    for told in ({"decisions": -1}, {"deals": 0}, {"seed": -1}):
        with pytest.raises(OptionError):
            table_sizes.main(dataclasses.replace(SMALL, **told))
