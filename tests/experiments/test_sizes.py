"""Size curves: every width is a run that goes on, measured on the way, told as a table and a picture."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import tyro

from experiments import sizes
from experiments.sizes import SizeSettings
from pirate_envs.agents.learning import PPOSettings, runs
from pirate_envs.core.errors import OptionError

pytestmark = pytest.mark.usefixtures("torch_settings")
LEARNER = PPOSettings(lanes=16, steps=16, batch=128, precision="float32")


def test_widths_are_measured_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sizes, "RESULTS", tmp_path / "results")
    settings = SizeSettings(
        "piraten_kapern", widths=(4, 8), decisions=512, every=256, deals=2, players=2, learner=LEARNER, out=tmp_path / "runs",
        write=True,
    )  # fmt: skip
    content = sizes.main(settings)
    page = (tmp_path / "results" / "sizes_piraten_kapern.md").read_text()
    assert content == json.loads((tmp_path / "results" / "sizes_piraten_kapern.json").read_text())
    assert page in capsys.readouterr().out and page.count("\n| ") == 4
    assert (tmp_path / "results" / "sizes_piraten_kapern.png").read_bytes().startswith(b"\x89PNG")
    assert [row["width"] for row in content["rows"]] == [4, 8]
    assert content["rows"][0]["parameters"] < content["rows"][1]["parameters"]
    for row in content["rows"]:
        assert [point["decisions"] for point in row["points"]] == [256, 512]
        assert all(point["low"] <= point["mean"] <= point["high"] for point in row["points"])
    before = {path: runs.read_settings(path.parent) for path in tmp_path.glob("runs/*/*/*/settings.json")}
    longer = sizes.main(dataclasses.replace(settings, decisions=768, write=False))
    assert set(tmp_path.glob("runs/*/*/*/settings.json")) == set(before) and len(before) == 2
    for row, earlier in zip(longer["rows"], content["rows"], strict=True):
        assert [point["decisions"] for point in row["points"]] == [256, 512, 768] and row["points"][:2] == earlier["points"]


@pytest.mark.usefixtures("sent")
def test_widths_are_sent_to_workers(tmp_path: Path) -> None:
    """The settings as they come from flags, which spawned processes must be able to read."""
    words = "piraten_kapern --players 2 --widths 4 8 --decisions 256 --every 256 --deals 2 --workers 2 --learner.lanes 16"
    words += f" --learner.steps 16 --learner.batch 64 --learner.precision float32 --out {tmp_path}"
    assert [row["width"] for row in sizes.main(tyro.cli(SizeSettings, args=words.split()))["rows"]] == [4, 8]


def test_other_settings_are_another_run(tmp_path: Path) -> None:
    settings = SizeSettings("piraten_kapern", decisions=256, players=2, learner=LEARNER, out=tmp_path)
    first = sizes._training(sizes.settings_of(settings, 4))
    other = sizes._training(sizes.settings_of(dataclasses.replace(settings, seed=1), 4))
    assert first.folder != other.folder


def test_bad_settings() -> None:
    for told in (
        {"widths": ()},
        {"widths": (8, 8)},
        {"widths": (0,)},
        {"decisions": 0},
        {"every": 0},
        {"deals": 0},
        {"seed": -1},
    ):
        with pytest.raises(OptionError):
            sizes.main(SizeSettings("skull_king", **told))  # type: ignore[arg-type]
