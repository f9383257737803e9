"""The page's examples run; the small Skull King is solved to what its page says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.outside.shown import run_page

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel's set of tests runs in its own environment: make test-doors")

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("about", ["new_initial_state", "CFRPlusSolver"])
def test_the_pages_examples_run(about: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_page("openspiel.md", about)
    assert capsys.readouterr().out


@pytest.fixture(scope="module")
def solved() -> tuple[dict[str, Any], str]:
    """The study with a third of its iterations."""
    study = pytest.importorskip("experiments.studies.small_skull_king", reason="the study needs tyro and tqdm")
    result: tuple[dict[str, Any], str] = study.study(300)
    return result


def test_the_small_skull_king_is_solved(solved: tuple[dict[str, Any], str]) -> None:
    """To below 0.01 points, of which a hand brings some tens."""
    figures, _ = solved
    assert figures["exploitable"]["strategy"] < 0.01
    assert figures["exploitable"]["uniform"] > figures["exploitable"]["rules"] > 1
    assert sum(each["share"] for each in figures["bids"]) == pytest.approx(1, abs=0.01)
    for each in figures["hands"]:
        assert sum(each["bids"]) == pytest.approx(1)


def test_it_is_the_one_on_the_page(solved: tuple[dict[str, Any], str]) -> None:
    """An equilibrium's value is one number, however it was found; so are what a player that is no equilibrium loses."""
    figures, page = solved
    kept = json.loads((ROOT / "experiments/results/skull_king_small/strategy.json").read_text(encoding="utf-8"))
    assert figures["margin"] == pytest.approx(kept["margin"], abs=0.01)
    for player in ("uniform", "rules"):
        assert figures["exploitable"][player] == pytest.approx(kept["exploitable"][player])
    assert figures["information_states"] == kept["information_states"]
    assert page.splitlines()[0].startswith(f"{kept['deals']} deals")
