"""The example that finds a learning rate with Ray Tune, for a moment: rates that differ by so much are told apart."""

from __future__ import annotations

import pytest

pytest.importorskip("ray.tune", reason="needs ray[tune]: see requirements.txt beside this file")

from tests.outside.shown import run_example

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


def test_the_example_finds_a_learning_rate() -> None:
    told = run_example("ray_tune.py", decisions=300_000, deals=100, lanes=256, rates=(1e-7, 3e-3))
    assert "the best is 0.003" in told and told.count("wins") == 2
