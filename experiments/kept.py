"""Chunks of work that have been done, a JSON file each, so that the same command goes on where it was stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pirate_envs.agents.report import Results

ROOT = Path(__file__).resolve().parents[1]


def digest_of(sources: Sequence[str]) -> str:
    """A short digest of files, named from the root of the repository: chunks of other sources are to have another plan."""
    return hashlib.sha256(b"\0".join((ROOT / name).read_bytes() for name in sources)).hexdigest()[:16]


class KeptChunks:
    """A folder of chunks by name or number. Those of another plan do not count, and are written over."""

    def __init__(self, folder: Path, plan: Mapping[str, Any]) -> None:
        """`plan`: all that what a chunk finds depends on, ready for JSON."""
        self._files, self.plan = Results(folder), json.loads(json.dumps(dict(plan)))

    def read(self, name: int | str) -> dict[str, Any] | None:
        """What the chunk found; None if it has not been done. Raises CheckpointError for a file that is no JSON."""
        content = self._files.read(f"chunk_{name}")
        return content if content is not None and content.get("plan") == self.plan else None

    def write(self, name: int | str, found: Mapping[str, Any]) -> dict[str, Any]:
        """Keep what the chunk found, whole or not at all; returns it as `read` does."""
        content = {"plan": self.plan, **found}
        self._files.write_json(f"chunk_{name}", content)
        return content
