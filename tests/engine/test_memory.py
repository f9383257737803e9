"""More matches than there is memory for: told with their number and the bytes, and nothing is really taken."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest

import pirate_envs
from pirate_envs import Batch, BatchError
from pirate_envs.doors.sb3 import PirateVecEnv
from pirate_envs.doors.vector import PirateVectorEnv
from pirate_envs.engine import memory
from pirate_envs.engine.lanes import Lanes

GAME = pirate_envs.load("skull_king", players=2)


def no_memory(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


def no_bytes(size: int) -> Any:
    raise MemoryError(f"Unable to allocate {size} bytes for an array with shape (7,)")


@pytest.mark.skipif(not hasattr(memory.mmap, "MADV_HUGEPAGE"), reason="no huge pages are asked for here")
def test_a_batch_that_there_is_no_memory_for_is_told_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.mmap, "mmap", no_memory)
    with pytest.raises(BatchError, match=r"size is 4096: .*Unable to allocate \d{7} bytes: .*Cannot allocate"):
        Batch(GAME, 4096)


@pytest.mark.parametrize("made", ["lanes", "sb3", "vector"])
def test_lanes_that_there_is_no_memory_for_are_told_with_their_size(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    doors = {"lanes": Lanes, "sb3": PirateVecEnv, "vector": PirateVectorEnv}
    monkeypatch.setattr(type(GAME), "empty", lambda self, count: no_bytes(count * self.state.itemsize))
    with pytest.raises(BatchError, match=rf"lanes is {2**24}: .*Unable to allocate {2**24 * GAME.state.itemsize} bytes\)"):
        doors[made](GAME, 2**24)


def test_spaces_that_there_is_no_memory_for_are_told_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pirate_envs.doors.vector.batch_space", lambda *_: no_bytes(7))
    with pytest.raises(BatchError, match=r"num_envs is 2: .*7 bytes\)"):
        PirateVectorEnv(GAME, 2)
