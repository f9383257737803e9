"""Sealed folders: files with a manifest that names each file's SHA-256, written whole or not at all, read with suspicion.

Everything is written into a hidden folder beside the goal, the manifest last, synced to disk, and then renamed: a folder
under its final name is complete. Nothing in it is ever unpickled or run.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as tensors_from_bytes
from safetensors.numpy import save as tensors_to_bytes

from pirate_envs.core.errors import CheckpointError, shown
from pirate_envs.core.files import LARGEST_FILE, check_writable_folder, named, parse_json, part_of, sync_folder, write_bytes
from pirate_envs.core.files import read_file as read_plain

MANIFEST, ARRAYS = "manifest.json", "arrays.safetensors"
LARGEST_MANIFEST = 1 << 20


def check_new(path: Path) -> None:
    """See that `write_sealed` can write it, before long work. Raises CheckpointError if it is there already, and OSError."""
    _refuse_existing(path)
    check_writable_folder(path)


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise CheckpointError(f"{path} exists already and is not overwritten")


def write_sealed(path: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> None:
    """Write `files` and a manifest as the new folder `path`. Raises CheckpointError if it is there already, and OSError."""
    check_new(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    part.mkdir()
    try:
        for name, data in files.items():
            write_bytes(part / name, data)
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        write_bytes(part / MANIFEST, sealed({**manifest, "sha256": digests}))
        with named(part):
            sync_folder(part)
            part.rename(path)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename, error.filename2 = str(path), None  # not the hidden one
        raise
    sync_folder(path.parent)


def sealed(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as JSON with a seal, its own SHA-256."""
    return json.dumps({**manifest, "seal": _seal(manifest)}, indent=1).encode()


def _seal(manifest: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


# -- one in place of another -------------------------------------------------------------------------------------------


def copies_of(path: Path) -> tuple[Path, Path]:
    """Where the folder that is to take this one's place lies, whole, and where this one lies until it is deleted."""
    return path.with_name(f".{path.name}.new"), path.with_name(f".{path.name}.old")


def settle(path: Path) -> None:
    """Put the new folder in this one's place, if there is one: what `copies_of` tells; also where a move was cut off.

    Nothing whole is deleted before another one is in place. Raises OSError.
    """
    new, old = copies_of(path)
    if _is_whole(new):
        if os.path.lexists(path):
            _delete(old)
            path.rename(old)
        new.rename(path)
        sync_folder(path.parent)
    elif _is_whole(old) and not os.path.lexists(path):
        old.rename(path)
        sync_folder(path.parent)
    _delete(new)
    _delete(old)


def left_beside(path: Path) -> Path | None:
    """Where the folder is not there, because a move was cut off: a whole one that lies hidden beside it."""
    if not path.name or os.path.lexists(path):
        return None
    return next((copy for copy in copies_of(path) if _is_whole(copy)), None)


def _is_whole(path: Path) -> bool:
    return os.path.isfile(path / MANIFEST)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_manifest(path: Path, kind: str, schema: int) -> dict[str, Any]:
    """The manifest of a sealed folder of that kind and schema. Raises CheckpointError."""
    file = path / MANIFEST
    copy = left_beside(path)
    if copy is not None:
        raise CheckpointError(
            f"{path} is missing; a whole one lies in {copy}, where a write was cut off: move it to {path.name}"
        )
    if not os.path.lexists(file):
        raise CheckpointError(f"{path} holds no {MANIFEST}: not a saved {kind}, or an incomplete one")
    manifest = read_json(file, LARGEST_MANIFEST)
    if manifest.get("kind") != kind or manifest.get("schema") != schema:
        found = f"{manifest.get('kind')!r} of schema {manifest.get('schema')!r}"
        raise CheckpointError(f"{path} is {found}; needed: {kind!r} of schema {schema}")
    check_seal(file, manifest)
    return manifest


def check_seal(file: Path, content: Mapping[str, Any]) -> None:
    """See that what was read from a file is what `sealed` made. Raises CheckpointError."""
    if content.get("seal") != _seal(content):
        raise CheckpointError(f"{file} is corrupt: its seal is not that of its content")


def read_json(file: Path, largest: int = LARGEST_MANIFEST) -> dict[str, Any]:
    """A JSON object from a file. Raises CheckpointError."""
    try:
        value = parse_json(plain_bytes(file, largest))
    except CheckpointError:
        raise
    except ValueError as error:
        raise CheckpointError(f"{file} is not readable JSON: {error}") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{file} holds no JSON object")
    return value


def plain_bytes(file: Path, largest: int) -> bytes:
    """A file's content; no links, devices or endless files. Raises CheckpointError."""
    try:
        return read_plain(file, largest)
    except FileNotFoundError:
        raise CheckpointError(f"{file} is missing") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise CheckpointError(f"{file} cannot be read: {getattr(error, 'strerror', error)}") from None


def read_file(path: Path, name: str, manifest: Mapping[str, Any]) -> bytes:
    """A file of a sealed folder, its hash checked. Raises CheckpointError."""
    digests, file = manifest.get("sha256"), path / name
    if not isinstance(digests, dict) or not isinstance(digests.get(name), str):
        raise CheckpointError(f"{path / MANIFEST} names no SHA-256 of {name}")
    data = plain_bytes(file, LARGEST_FILE)
    if hashlib.sha256(data).hexdigest() != digests[name]:
        raise CheckpointError(f"{file} is corrupt: its SHA-256 is not the manifest's")
    return data


def pack(tensors: Mapping[str, np.ndarray]) -> bytes:
    """Arrays as safetensors bytes."""
    return bytes(tensors_to_bytes({name: np.ascontiguousarray(array) for name, array in tensors.items()}))


def unpack(data: bytes, where: Path) -> dict[str, np.ndarray]:
    """Arrays from safetensors bytes. Raises CheckpointError."""
    try:
        return dict(tensors_from_bytes(data))
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{where} is not readable safetensors: {error}") from None


def keep_arrays(path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Work that has been done, as the new sealed folder `path`; `about`: its kind, schema and what tells it from others."""
    write_sealed(path, {ARRAYS: pack(arrays)}, about)


def kept_arrays(path: Path, about: Mapping[str, Any]) -> dict[str, np.ndarray] | None:
    """What `keep_arrays` kept there, if it is about the same; None if nothing is there. Raises CheckpointError."""
    if not os.path.lexists(path):
        return None
    try:
        if path.is_symlink():
            raise CheckpointError(f"{path} is a link; needed: a folder")
        manifest = read_manifest(path, about["kind"], about["schema"])
        for key, wanted in about.items():
            if manifest.get(key) != wanted:
                raise CheckpointError(f"{path} is of other work: its {key} is {shown(manifest.get(key))}, not {shown(wanted)}")
        return unpack(read_file(path, ARRAYS, manifest), path / ARRAYS)
    except CheckpointError as error:
        raise CheckpointError(f"{error}; delete {path} to have it done anew") from None
