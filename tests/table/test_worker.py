"""The worker: what players take there is their own time and their own death, nobody else's."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest

from pirate_envs.agents.table.worker import Worker, thinks
from pirate_envs.core.errors import TableError


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker(patience=1.0)
    yield worker
    worker.close()


async def failed(work: Awaitable[object]) -> None:
    with pytest.raises(TableError, match="took more than 1 seconds, or its process ended"):
        await work


def test_who_waits_loses_nothing_by_a_player_that_hangs(worker: Worker) -> None:
    async def hung_and_next() -> int:
        await failed(worker.do(time.sleep, 60))
        return await worker.do(abs, -1)

    async def all_at_once() -> list[int]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in (hung_and_next(), worker.do(abs, -2), worker.do(abs, -3))]
        return [task.result() for task in tasks]

    assert asyncio.run(all_at_once()) == [1, 2, 3]


def test_to_wait_one_s_turn_is_not_to_take_long(worker: Worker) -> None:
    async def in_a_row() -> list[None]:
        return await asyncio.gather(*(worker.do(time.sleep, 0.6) for _ in range(3)))

    assert asyncio.run(in_a_row()) == [None] * 3


def test_to_make_the_process_is_nobody_s_time(worker: Worker) -> None:
    worker.patience = 0.2
    assert asyncio.run(worker.do(thinks, "exact:race"))


def test_a_process_that_does_not_answer_is_not_waited_for_for_ever(worker: Worker) -> None:
    async def stopped_and_next() -> int:
        process = await worker.do(os.getpid)
        os.kill(process, signal.SIGSTOP)
        worker.starting = 0.5
        with pytest.raises(TableError, match="did not answer within 0.5 seconds"):
            await worker.do(abs, -1)
        worker.starting = 60
        return await worker.do(abs, -2)

    assert asyncio.run(stopped_and_next()) == 2


def ended(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    time.sleep(0.5)


@pytest.mark.parametrize("kill", [ended, lambda process: os.kill(process, signal.SIGKILL)])
def test_a_process_that_died_idle_is_made_anew(worker: Worker, kill: Callable[[int], None]) -> None:
    async def after_its_death() -> int:
        kill(await worker.do(os.getpid))
        return await worker.do(abs, -1)

    assert asyncio.run(after_its_death()) == 1


def test_who_ends_the_process_fails_alone(worker: Worker) -> None:
    async def fatal_and_next() -> list[int | None]:
        return list(await asyncio.gather(failed(worker.do(os._exit, 1)), worker.do(abs, -1)))

    assert asyncio.run(fatal_and_next()) == [None, 1]


def test_what_nobody_waits_for_any_more_holds_nobody_up(worker: Worker) -> None:
    async def left_and_next() -> int:
        await worker.do(abs, -1)
        left = asyncio.create_task(worker.do(time.sleep, 60))
        await asyncio.sleep(0.3)
        left.cancel()
        return await worker.do(abs, -2)

    assert asyncio.run(left_and_next()) == 2
