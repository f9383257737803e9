"""Chunks of work that have been done, a JSON file each, so that the same command goes on where it was stopped."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pirate_envs.agents.sealed import check_seal, read_json, sealed
from pirate_envs.core.errors import CheckpointError, shown
from pirate_envs.core.files import LARGEST_FILE, FolderLock, clear_leftovers, lock_folder, write_file

ROOT = Path(__file__).resolve().parents[1]


def digest_of(sources: Sequence[str]) -> str:
    """A short digest of files, named from the root of the repository: chunks of other sources are to have another plan."""
    return hashlib.sha256(b"\0".join((ROOT / name).read_bytes() for name in sources)).hexdigest()[:16]


class KeptChunks:
    """A folder of chunks by name or number, sealed, for one process at a time. Those of another plan are written over."""

    def __init__(self, folder: Path, plan: Mapping[str, Any]) -> None:
        """`plan`: all that what a chunk finds depends on, ready for JSON."""
        self.folder, self.plan = folder, json.loads(json.dumps(dict(plan)))
        self._lock: FolderLock | None = None

    def read(self, name: int | str) -> dict[str, Any] | None:
        """What the chunk found; None if it has not been done. Raises CheckpointError if it is not what was written."""
        file = self._file(name)
        if not os.path.lexists(file):
            return None
        try:
            content = read_json(file, LARGEST_FILE)
            return self._checked(file, str(name), content) if content.get("plan") == self.plan else None
        except CheckpointError as error:
            raise CheckpointError(f"{error}; delete {file} to have it done anew") from None

    def write(self, name: int | str, found: Mapping[str, Any]) -> dict[str, Any]:
        """Keep what the chunk found, whole or not at all; returns it as `read` does.

        The first one makes the folder, locks it and clears what killed writes left there. Raises BusyError if another process
        writes there, OSError.
        """
        if self._lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(self.folder)
            clear_leftovers(self.folder)
        content = json.loads(json.dumps({**found, "plan": self.plan, "chunk": str(name)}))
        write_file(self._file(name), sealed(content))
        return dict(content)

    def _file(self, name: int | str) -> Path:
        return self.folder / f"chunk_{name}.json"

    def _checked(self, file: Path, name: str, content: dict[str, Any]) -> dict[str, Any]:
        if "seal" not in content:
            raise CheckpointError(f"{file} has no seal, as chunks of earlier versions")
        check_seal(file, content)
        if content.get("chunk") != name:
            raise CheckpointError(f"{file} is of other work: its chunk is {shown(content.get('chunk'))}, not {shown(name)}")
        del content["seal"]
        return content
