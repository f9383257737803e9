"""Every example trains for a moment, and `ppo_on_batch` gives every seat its own credit."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pirate_envs

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.usefixtures("torch_settings")


def example(name: str, **smaller: Any) -> ModuleType:
    """The example as a module, with these constants of its own replaced."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for constant, value in smaller.items():
        assert hasattr(module, constant)
        setattr(module, constant, value)
    return module


def won(capsys: pytest.CaptureFixture[str]) -> float:
    """The share of matches that the example says it has won."""
    return float(re.search(r"([\d.]+)% \[", capsys.readouterr().out)[1]) / 100


def test_every_example_is_tried_here_or_in_its_library_s_own_environment() -> None:
    tried = set(re.findall(r'example\("(\w+)"', Path(__file__).read_text(encoding="utf-8")))
    for path in (EXAMPLES.parent / "tests" / "outside").glob("*/test_*.py"):
        tried |= set(re.findall(r'"(\w+)\.py"', path.read_text(encoding="utf-8")))
    assert {path.stem for path in EXAMPLES.glob("*.py")} <= tried


def test_ppo_on_batch_learns(capsys: pytest.CaptureFixture[str]) -> None:
    example("ppo_on_batch", LANES=128, STEPS=32, MINIBATCH=1024, DEALS=50).main("piraten_kapern", 0.05)
    assert won(capsys) > 0.35  # an even share is 25 %


def test_ppo_on_batch_gives_every_seat_its_own_credit() -> None:
    """With a lambda of 1 an advantage is what the seat is paid up to the end of its match, less its value."""
    ppo = example("ppo_on_batch", STEPS=60, GAE_LAMBDA=1.0)
    batch = pirate_envs.Batch(pirate_envs.load("skull_king", players=3, last_hand=2, reward="score", pay_as_scored=True), 8)
    rollout = ppo.play(batch, ppo.Network(batch.game.layout.size, batch.game.actions))
    advantages, usable = ppo.advantages(rollout)
    checked = 0
    for lane in range(batch.size):
        for step in range(ppo.STEPS):
            rest = np.flatnonzero(rollout["ended"][step:, lane])
            if len(rest):
                seat = rollout["seats"][step, lane]
                paid = rollout["rewards"][step : step + rest[0] + 1, lane, seat].sum()
                assert usable[step, lane]
                assert advantages[step, lane] == pytest.approx(paid - rollout["values"][step, lane], abs=1e-4)
                checked += 1
    assert checked > 300 and np.abs(rollout["rewards"]).sum() > 0


def test_ppo_on_batch_can_be_read_at_a_sitting() -> None:
    assert len((EXAMPLES / "ppo_on_batch.py").read_text(encoding="utf-8").splitlines()) <= 150


def test_maskable_ppo_on_gymnasium_learns(capsys: pytest.CaptureFixture[str]) -> None:
    ppo = example("maskable_ppo_on_gymnasium", STEPS=32, DEALS=100)
    ppo.TABLE.update(last_hand=2)
    ppo.main(4096)
    assert won(capsys) > 0.3  # an even share is 25 %
