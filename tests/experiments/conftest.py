"""Fixtures of the commands' tests."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pirate_envs.agents.arena import workers


class _Sent(workers._Here):
    """What several processes would do, done in this one by what pickle makes of the work and of each chunk."""

    def __init__(self, work: workers.Work, *_: Any) -> None:
        super().__init__(pickle.loads(pickle.dumps(work)))

    def submit(self, chunk: Any) -> int:
        return super().submit(pickle.loads(pickle.dumps(chunk)))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started for chunks, which takes seconds of a processor each; `tests/agents/test_workers.py` starts some."""
    monkeypatch.setattr(workers, "_Processes", _Sent)
