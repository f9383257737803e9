"""Where chunks of work are done: the same results in this process and in others, which may die."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.arena import evaluate
from pirate_envs.agents.arena.workers import AHEAD, Doing, WorkerDied, Workers
from pirate_envs.agents.learning import PPOSettings, begin
from pirate_envs.core.errors import ClusterError, MissingExtraError, OptionError, UnknownPlayerError

ROOT = Path(__file__).resolve().parents[2]


def squared(number: int) -> int:
    return number * number


def dies_once(chunk: tuple[str, int]) -> int:
    """The process that is first given a chunk kills itself over it."""
    mark, number = Path(chunk[0]), chunk[1]
    try:
        (mark / str(number)).touch(exist_ok=False)
    except FileExistsError:
        return number
    if number % 3 == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuses(_: int) -> None:
    raise UnknownPlayerError("nobody")


def test_chunks_come_in_order_and_are_asked_for_as_workers_get_free() -> None:
    asked: list[int] = []

    def chunks() -> Iterator[int]:
        for number in range(40):
            asked.append(number)
            yield number

    with Workers(2).doing(squared) as do:
        assert next(do(chunks())) is not None
        assert len(asked) == 2 * (1 + AHEAD)
    with Workers(2).doing(squared) as do:
        assert do.in_order(range(9)) == [n * n for n in range(9)]
        assert do.in_order([]) == []
    with Workers().doing(squared) as do:
        assert list(do(range(3))) == [(0, 0), (1, 1), (2, 4)]


def test_a_dead_workers_chunks_are_done_anew(tmp_path: Path) -> None:
    with Workers(2).doing(dies_once) as do:
        assert do.in_order([(str(tmp_path), number) for number in range(7)]) == list(range(7))


def test_a_pool_that_breaks_while_it_starts_a_worker_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python starts workers when work is handed in; if another one dies at that moment, what breaks is a closed pipe."""
    whole, handed_in = ProcessPoolExecutor.submit, 0

    def breaks_once(pool: ProcessPoolExecutor, *call: Any) -> Future[Any]:
        nonlocal handed_in
        handed_in += 1
        if handed_in == 4:
            raise OSError("handle is closed")
        return whole(pool, *call)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", breaks_once)
    with Workers(2).doing(squared) as do:
        assert do.in_order(range(9)) == [n * n for n in range(9)]


@pytest.mark.parametrize("count", [1, 2])
def test_a_chunk_may_follow_from_what_another_one_gave(count: int) -> None:
    waiting, found = [2, 3], []
    with Workers(count).doing(squared, hear_ctrl_c=False) as do:
        for number, result in do.as_asked(lambda: waiting.pop() if waiting else None):
            found.append((number, result))
            waiting.extend([result] if result < 20 else [])
    assert sorted(found) == [(2, 4), (3, 9), (4, 16), (9, 81), (16, 256)]


def naps(chunk: tuple[str, float]) -> None:
    Path(chunk[0], str(os.getpid())).touch()
    time.sleep(chunk[1])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_that_they_work_for(number: signal.Signals, tmp_path: Path) -> None:
    """Killed, it can tell them nothing; asked to end it waits for no chunk that takes long."""
    code = """
import sys
from pirate_envs.core.signals import terminating
from tests.agents.test_workers import Workers, naps
with terminating(), Workers(2).doing(naps) as do:
    do.in_order([(sys.argv[1], 600)] * 2)
"""
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline and parent.poll() is None:
        time.sleep(0.05)
    parent.send_signal(number)
    parent.wait(timeout=120)
    workers = [int(mark.name) for mark in tmp_path.iterdir()]
    assert len(workers) == 2
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def is_running(process: int) -> bool:
    """Neither gone nor a zombie that nobody has buried."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Dead:
    """A place whose workers all die."""

    def room(self) -> int:
        return 1

    def submit(self, chunk: int) -> int:
        return chunk

    def done(self, under_way: Iterable[int]) -> list[int]:
        return list(under_way)

    def result(self, ticket: int) -> int:
        raise WorkerDied(f"killed over {ticket}")

    def close(self) -> None:
        pass


def test_work_that_kills_every_worker_is_given_up() -> None:
    with pytest.raises(ClusterError, match="again and again; the last one did 1: killed over 1"):
        Doing(Dead()).in_order([1])


def test_what_the_work_raises_comes_through() -> None:
    for count in (1, 2):
        with pytest.raises(UnknownPlayerError, match="nobody"), Workers(count).doing(refuses) as do:
            do.in_order([1, 2])


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        (Workers(0), "workers is 0"),
        (Workers(-1), "workers is -1"),
        (Workers(10**6), "workers is 1000000"),
        (Workers(on="slurm"), "on is 'slurm'; allowed: here, ray"),  # type: ignore[arg-type]
        (Workers(address="10.0.0.1:6379"), "goes with --on ray only"),
    ],
)
def test_workers_that_cannot_be_are_refused(workers: Workers, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        workers.check()


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    few = PPOSettings("piraten_kapern", on="ray", learners=2, out=None)
    for what in (Workers(on="ray").check, lambda: begin(few)):
        with pytest.raises(MissingExtraError, match=r"needs ray: pip install 'pirate-envs\[ray\]'"):
            what()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"learners": 0}, "learners is 0; allowed: an integer from 1"),
        ({"learners": 0, "on": "ray"}, "learners is 0; allowed: an integer from 1"),
        ({"learners": 2}, "learners is 2; allowed: 1, or more with --on ray"),
        ({"address": "10.0.0.1:6379"}, "goes with --on ray only"),
        ({"on": "slurm"}, "on is 'slurm'; allowed: here, ray"),
    ],
)
def test_learners_that_cannot_be_are_refused(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=said):
        begin(PPOSettings("piraten_kapern", out=tmp_path / "new", **changes))
    assert not (tmp_path / "new").exists()


def test_an_evaluation_is_the_same_whoever_plays_it() -> None:
    game = pirate_envs.load("piraten_kapern", players=2, target=1000)
    players = [agent(game, "policy:pretrained"), agent(game, "rules:strongest")]
    told: list[tuple[int, int]] = []
    found = [
        evaluate(game, players, 30, 3, workers, 10, lambda *done: told.append(done)).as_dict() for workers in (1, 2, Workers(2))
    ]
    for each in found:
        del each["seconds"], each["decisions_per_second"]
    assert found[0] == found[1] == found[2]
    assert told == [(n, 3) for n in (1, 2, 3)] * 3
    with pytest.raises(OptionError, match="chunk is 0"):
        evaluate(game, players, 30, chunk=0)


TOURNAMENT = [
    *("piraten_kapern", "random", "rules:strongest", "--tables", "2", "--option", "target=1000"),
    *("--deals", "3000", "--chunk", "10"),
]


def begun(folder: Path, workers: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "experiments.tournament", *TOURNAMENT, "--out", str(folder), "--workers", str(workers)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that work for it: those that multiprocessing has spawned."""
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    except OSError:
        return []


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="finds a process's children by /proc")
def test_fifty_kills_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    """A tournament whose workers are killed at random moments leaves the files of one that was left in peace."""
    whole = begun(tmp_path / "whole", 1)
    told, _ = whole.communicate(timeout=600)
    assert whole.returncode == 0, told
    rng, kills, before, process = random.Random(7), 0, 0, None
    while kills < 50:
        if process is None or process.poll() is not None:  # the end came before the last kill: anew
            told = "" if process is None else process.communicate()[0]
            assert process is None or process.returncode == 0, told
            before = 0
            shutil.rmtree(tmp_path / "part", ignore_errors=True)
            process = begun(tmp_path / "part", 2)
        chunks = tmp_path / "part" / "chunks"
        if len(os.listdir(chunks)) <= before if chunks.is_dir() else True:  # killed faster than they start, they are given up
            time.sleep(0.02)
            continue
        time.sleep(rng.uniform(0, 0.5))
        before = len(os.listdir(chunks))
        for pid in rng.sample(found, 1) if (found := workers_of(process)) else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                kills += 1
    assert process is not None
    told, _ = process.communicate(timeout=600)
    assert process.returncode == 0, told
    assert contents(tmp_path / "part") == contents(tmp_path / "whole")
