"""The study of what threads are worth."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import pirate_envs
from experiments.studies import threads
from experiments.studies.threads import ThreadsSettings, main, ratios, seconds
from pirate_envs.agents.learning import PPOSettings
from pirate_envs.core.errors import PirateError


def test_everything_is_timed_in_turn(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "PPOSettings", partial(PPOSettings, lanes=64, width=16))
    main(ThreadsSettings(lanes=(256,), iterations=20, turns=1))
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("| `", "| PPO"))]
    assert len(rows) == 2 * len(pirate_envs.games()) + 3 + 1
    assert all(float(row.split("|")[3]) > 0 for row in rows)


def test_the_ratio_is_of_one_to_several() -> None:
    order: list[int] = []

    def work(threads: int) -> Callable[[], float]:
        return lambda: order.append(threads) or 6.0 / threads  # type: ignore[func-returns-value]

    assert ratios(work, 3, 2) == [3.0, 3.0]
    assert order == [1, 3] * 3  # by turns, the first of which does not count


def test_seconds_are_those_of_the_call() -> None:
    called: list[int] = []
    assert 0 <= seconds(lambda: called.append(1)) < 60 and called == [1]


@pytest.mark.parametrize("bad", [{"threads": 1}, {"threads": 257}, {"turns": 0}, {"iterations": 0}, {"lanes": (0,)}])
def test_what_cannot_be_timed(bad: dict[str, Any]) -> None:
    with pytest.raises(PirateError, match="allowed"):
        main(ThreadsSettings(**bad))
