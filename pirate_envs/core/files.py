"""Files that are whole or not there: written beside their place, seen to the disk, then renamed."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and see it to the disk. (Not atomic: for files inside a folder that is renamed as a whole.)"""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """See the folder's entries to the disk, where the system knows how."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, meets the old content or the new, never half of it."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        write_bytes(part, data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """`write_file` for text."""
    write_file(path, text.encode())
