"""A folder of chunks of work that have been done: each a sealed folder of arrays, so that work goes on where it ended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents.sealed import keep_arrays, kept_arrays, read_json
from pirate_envs.core.errors import CheckpointError, shown
from pirate_envs.core.files import check_writable_folder, clear_leftovers, lock_folder, write_text

SCHEMA, ABOUT, CHUNKS = 1, "about.json", "chunks"
Arrays = dict[str, np.ndarray]


class ChunkFolder:
    """One process works in it at a time; its workers do the chunks."""

    def __init__(self, path: Path, kind: str, identity: Mapping[str, Any]) -> None:
        """Make the folder, or see that it holds work of this identity (ready for JSON), and clear what killed writes left.

        Raises CheckpointError for other work's, BusyError if another process works there, OSError if it cannot be written.
        """
        self.path, self.kind, self.chunks = path, kind, path / CHUNKS
        self.about = {"kind": kind, "schema": SCHEMA, **json.loads(json.dumps(dict(identity)))}
        path.mkdir(parents=True, exist_ok=True)
        check_writable_folder(path)
        self._lock = lock_folder(path)
        file = path / ABOUT
        if os.path.lexists(file):
            self._compare(read_json(file))
        if os.path.lexists(self.chunks) and (self.chunks.is_symlink() or not self.chunks.is_dir()):
            raise CheckpointError(f"{self.chunks} is no folder; needed: the folder of the chunks that have been done")
        self.chunks.mkdir(exist_ok=True)
        for folder in (path, self.chunks):
            clear_leftovers(folder)
        if not file.exists():
            write_text(file, json.dumps(self.about, indent=1))

    def _compare(self, found: Mapping[str, Any]) -> None:
        for key, wanted in self.about.items():
            if found.get(key) != wanted:
                raise CheckpointError(
                    f"{self.path} holds other {self.kind}: their {key} is {shown(found.get(key))}, not {shown(wanted)}"
                )

    def save(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Whole or not at all."""
        keep_arrays(self.chunks / name, arrays, {**self.about, "chunk": name})

    def load(self, name: str) -> Arrays | None:
        """None if it has not been done. Raises CheckpointError if it is not what was saved."""
        return kept_arrays(self.chunks / name, {**self.about, "chunk": name})


def done_once(
    do: Callable[[Iterable[range]], Iterator[tuple[range, Arrays]]],
    chunks: Sequence[range],
    kept: ChunkFolder | None,
    told: Callable[[range], object] = lambda chunk: None,
) -> list[Arrays]:
    """The arrays of each chunk, in order: those that are kept, and what `do` makes of the others, which is kept as it comes.

    `told` hears of each chunk that is there. Raises CheckpointError for a kept chunk that is not what was saved.
    """
    found: dict[range, Arrays | None] = {chunk: kept.load(chunk_name(chunk)) if kept else None for chunk in chunks}
    missing = [chunk for chunk, arrays in found.items() if arrays is None]
    for chunk in found.keys() - set(missing):
        told(chunk)
    for chunk, arrays in do(missing):
        found[chunk] = arrays
        if kept:
            kept.save(chunk_name(chunk), arrays)
        told(chunk)
    return [arrays for arrays in found.values() if arrays is not None]


def chunk_name(chunk: range) -> str:
    """Of its folder."""
    return f"{chunk.start:07d}-{len(chunk)}"
