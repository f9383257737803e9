"""Where chunks of work are done: in this process, or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


def results(work: Callable[[Chunk], Result], chunks: Sequence[Chunk], workers: int = 1) -> Iterator[tuple[Chunk, Result]]:
    """Every chunk with its result, as it comes. `work` and the chunks must be such as pickle knows if workers > 1."""
    if workers == 1:
        yield from ((chunk, work(chunk)) for chunk in chunks)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        waiting = {pool.submit(work, chunk): chunk for chunk in chunks}
        try:
            for done in as_completed(waiting):
                yield waiting.pop(done), done.result()
        finally:
            pool.shutdown(cancel_futures=True)
