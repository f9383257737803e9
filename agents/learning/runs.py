"""A run's folder: settings, tables, checkpoints. Whatever happens, what lies under its final name is whole."""

from __future__ import annotations

import contextlib
import csv
import datetime
import importlib.metadata
import io
import itertools
import json
import math
import os
import platform
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents.policy import KIND, SCHEMA, WEIGHTS, Policy, newest_checkpoint
from pirate_envs.agents.sealed import pack, plain_bytes, read_file, read_json, read_manifest, unpack, write_sealed
from pirate_envs.core.errors import CheckpointError, MissingExtraError, shown
from pirate_envs.core.extras import import_extra
from pirate_envs.core.files import (
    FolderLock,
    check_writable_folder,
    clear_leftovers,
    followed,
    lock_folder,
    named,
    parse_json,
    write_text,
)

RUN_KIND, RUN_SCHEMA = "training run", 1
ARRAYS, NUMBERS = "resume.safetensors", "resume.json"
LARGEST_TABLE = 1 << 28  # bytes
CHANGED = "  # resumed with "  # in a command: what follows came later
HERE = Path(__file__).resolve()
TRACKED_AS = "agents/learning/runs.py"  # in the project's own checkout
PACKAGES = ("pirate-envs", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")


def new_folder(parent: Path, game: str) -> Path:
    """The path of a run folder that is not there yet: parent/game-date-time."""
    stamp = datetime.datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    names = [parent / f"{game}-{stamp}", *(parent / f"{game}-{stamp}-{number}" for number in range(2, 100))]
    return next(path for path in names if not path.exists())


def git_revision() -> str:
    """The revision of the checkout that this file belongs to, '+' if files differ from it; 'unknown' outside a checkout.

    A copy installed somewhere inside another project's checkout is none of that project's files.
    """
    try:
        if _git("ls-files", "--error-unmatch", "--full-name", HERE.name) != TRACKED_AS:
            return "unknown"
        return _git("rev-parse", "HEAD") + ("+" if _git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=HERE.parent, capture_output=True, text=True, check=True).stdout.strip()


def versions() -> dict[str, str]:
    """Of Python and of those of PACKAGES that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def write_settings(folder: Path, settings: Mapping[str, Any], command: str, kind: str = RUN_KIND) -> None:
    """Make the run folder with its settings.json."""
    folder.mkdir(parents=True)
    content = {
        "kind": kind,
        "schema": RUN_SCHEMA,
        "settings": dict(settings),
        "command": command,
        "git": git_revision(),
        "versions": versions(),
    }
    write_text(folder / "settings.json", json.dumps(content, indent=1))


def read_settings(folder: Path, kind: str = RUN_KIND) -> tuple[dict[str, Any], str]:
    """The settings and the command of a run folder of that kind. Raises CheckpointError."""
    content = read_json(folder / "settings.json")
    if content.get("kind") != kind or content.get("schema") != RUN_SCHEMA:
        found = f"{content.get('kind')!r} of schema {content.get('schema')!r}"
        raise CheckpointError(f"{folder} is {found}; needed: {kind!r} of schema {RUN_SCHEMA}")
    if not isinstance(content.get("settings"), dict) or not isinstance(content.get("command"), str):
        raise CheckpointError(f"{folder / 'settings.json'} holds no settings")
    return content["settings"], content["command"]


def check_own(folder: Path, what: str, told: Mapping[str, Any], own: Mapping[str, Any], names: Collection[str]) -> None:
    """See that what is told by these names (`learner.width` for one within another) is what the settings of a folder say.

    `what`: a run or a league; `out` is where the folder lies now. Raises CheckpointError that names the setting.
    """
    for name in sorted(names):
        value, is_ = _within(told, name), _within(own, name)
        if name == "out":
            value, is_ = str(followed(value)), str(followed(folder).parent)
        if value != is_:
            raise CheckpointError(f"{folder} holds another {what}: its {name} is {shown(is_)}, not {shown(value)}")


def _within(settings: Mapping[str, Any], name: str) -> Any:
    """The setting of that name; None if there is none."""
    value: Any = settings
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def change_settings(folder: Path, changes: Mapping[str, Any]) -> None:
    """Have the folder's settings say this from now on; its command, where one is noted, says that they were changed."""
    content = read_json(folder / "settings.json")
    if {**content["settings"], **changes} == content["settings"]:
        return
    flags = " ".join(f"--{name} {value}" for name, value in changes.items() if value is not None)
    begun_by = content["command"].partition(CHANGED)[0]
    content["settings"] |= changes
    content["command"] = begun_by and f"{begun_by}{CHANGED}{flags}"
    write_text(folder / "settings.json", json.dumps(content, indent=1))


# -- checkpoints -------------------------------------------------------------------------------------------------------


def save_checkpoint(
    folder: Path, policy: Policy, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any], keep: int
) -> Path:
    """Write folder/NNN, a policy folder that also holds what resuming needs, and drop all but the newest `keep`.

    Later ones, of a course that the run has left by going on from an earlier checkpoint, are dropped too.
    """
    path = folder / f"{numbers['decisions']:012d}"
    if path.exists() and not _holds(path, policy):
        shutil.rmtree(path)
    if not path.exists():
        files = {**policy.files(), ARRAYS: pack(arrays), NUMBERS: json.dumps(numbers).encode()}
        write_sealed(path, files, {**policy.manifest(), "decisions": numbers["decisions"]})
    saved = sorted(each for each in folder.glob("[0-9]*") if each.is_dir() and not each.is_symlink())
    now = saved.index(path)
    for old in [*saved[: max(0, now + 1 - keep)], *saved[now + 1 :]]:
        shutil.rmtree(old)
    return path


def _holds(path: Path, policy: Policy) -> bool:
    """Whether a checkpoint is complete and this policy's."""
    try:
        manifest = read_manifest(path, KIND, SCHEMA)
        return read_file(path, WEIGHTS, manifest) == policy.files()[WEIGHTS]
    except CheckpointError:
        return False


def enter(folder: Path) -> FolderLock | None:
    """Lock a run folder for this process and clear what killed writes have left in it.

    Raises CheckpointError if it is no folder, BusyError if another process works in it, or OSError if it cannot be written.
    """
    if not (folder / "settings.json").exists():
        raise CheckpointError(f"{folder / 'settings.json'} is missing")
    lock = lock_folder(folder)
    check_writable_folder(folder)
    for each in (folder, folder / "checkpoints", folder / "best"):
        clear_leftovers(each)
    return lock


def load_checkpoint(run: Path) -> tuple[Path, dict[str, np.ndarray], dict[str, Any]]:
    """Path, arrays and numbers of a training run's newest complete checkpoint. Raises CheckpointError."""
    path, arrays, numbers = read_checkpoint(run)
    check_numbers(path / NUMBERS, numbers)
    return path, arrays, numbers


def read_checkpoint(run: Path) -> tuple[Path, dict[str, np.ndarray], dict[str, Any]]:
    """The same of any run, its numbers as they stand there. Raises CheckpointError."""
    path = newest_checkpoint(run)
    if path is None:
        raise CheckpointError(f"{run} holds no complete checkpoint")
    manifest = read_manifest(path, KIND, SCHEMA)
    arrays = unpack(read_file(path, ARRAYS, manifest), path / ARRAYS)
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(f"{path / ARRAYS}: {name} holds numbers that are not finite")
    text = read_file(path, NUMBERS, manifest)
    try:
        numbers = dict(parse_json(text))
        if numbers["decisions"] != int(path.name):
            raise ValueError(f"decisions is {shown(numbers['decisions'])}, not {int(path.name)}")
    except (ValueError, TypeError, LookupError) as error:
        raise CheckpointError(f"{path / NUMBERS} is not readable: {error}") from None
    return path, arrays, numbers


def check_numbers(file: Path, numbers: Mapping[str, Any]) -> None:
    """Raise CheckpointError unless a training run can have these numbers."""
    try:
        times = [numbers["seconds"], *(numbers["last"][name] for name in ("evaluation", "checkpoint"))]
        fits = all(is_number(each) and each >= 0 for each in times)
        fits = fits and is_number(numbers["best"]) and -1 <= numbers["best"] <= 1
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise CheckpointError(f"{file} is not readable: {error}") from None
    if not fits:
        told = {name: numbers[name] for name in ("decisions", "seconds", "best", "last")}
        raise CheckpointError(f"{file} holds numbers that no run can have: {shown(told)}")


def checked_seconds(value: Any) -> float:
    """The seconds that a run has taken. Raises ValueError for what no run can have taken."""
    if not is_number(value) or value < 0:
        raise ValueError(f"seconds are {shown(value)}")
    return float(value)


def is_number(value: object) -> bool:
    """Whether it is a number that a table or a clock can have shown: finite, and below 10^15."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15 and not math.isnan(value)


# -- tables ------------------------------------------------------------------------------------------------------------

_LOGS = itertools.count()


class Board:
    """A TensorBoard log that is begun with its first number, each one in its file as soon as it is known.

    Without the library, or from when on its folder cannot be written, nothing is logged, which is said once.
    """

    def __init__(self, folder: Path | None) -> None:
        """`folder`: where the log goes; None: nowhere."""
        number = f"{next(_LOGS):06}"  # logs are read in the order of their names
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.{number}"
        self._file = None if folder is None else folder / name
        self.purge_step: int | None = None
        """What earlier logs of the folder say from this step on is not shown."""

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Add a number to the curve of this name."""
        if self._file is None:
            return
        try:
            self._add({"value": [{"tag": name, "simple_value": value}]}, step, self._file)
        except (MissingExtraError, OSError) as error:
            self._file = None
            warnings.warn(f"no TensorBoard log: {error}; the CSV files hold the same numbers", stacklevel=3)

    def _add(self, summary: Mapping[str, Any], step: int, file: Path) -> None:
        """Write here and now: the library's own writer does it in a thread, which has nobody to tell that the disk is full."""
        protocol = import_extra("tensorboard.compat.proto.event_pb2", "a TensorBoard log")
        records = import_extra("tensorboard.summary.writer.record_writer", "a TensorBoard log")
        events: list[dict[str, Any]] = [] if file.exists() else [{"file_version": "brain.Event:2"}]
        if events and self.purge_step is not None:
            events.append({"session_log": {"status": "START"}, "step": self.purge_step})
        events.append({"summary": summary, "step": step})
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as out:
            for event in events:
                records.RecordWriter(out).write(protocol.Event(wall_time=time.time(), **event).SerializeToString())


class CsvLog:
    """A CSV file that grows by a row at a time; its first column counts decisions. Without a file it is kept in memory.

    All its columns hold numbers, but for those of NAMES.
    """

    NAMES = ("opponent",)

    def __init__(self, path: Path | None, columns: tuple[str, ...]) -> None:
        self.path, self.columns = path, columns
        self._kept: list[dict[str, str]] = []

    def rows(self) -> list[dict[str, str]]:
        """The complete rows; a torn last line is left out. Raises CheckpointError for what no such table holds."""
        if self.path is None:
            return list(self._kept)
        if not os.path.lexists(self.path):
            return []
        try:
            text = plain_bytes(self.path, LARGEST_TABLE).decode()
            whole = text[: text.rfind("\n") + 1]
            table = csv.DictReader(io.StringIO(whole), strict=True)
            rows = [row for row in table if None not in row.values() and None not in row]
            if whole and table.fieldnames != list(self.columns):
                raise ValueError(f"its columns are {shown(table.fieldnames)}, not {', '.join(self.columns)}")
            for row in rows:
                self._check(row)
        except (ValueError, csv.Error) as error:
            raise CheckpointError(f"{self.path} is no table of this run: {error}") from None
        return rows

    def _check(self, row: dict[str, str]) -> None:
        """Raises ValueError unless the row's cells are what `append` writes."""
        if not 0 <= int(row[self.columns[0]]) < 1 << 63:
            raise ValueError(f"{self.columns[0]} is {row[self.columns[0]]}")
        for name in self.columns:
            if name not in self.NAMES:
                float(row[name])

    def append(self, **values: Any) -> None:
        """Add a row, seen to the file at once."""
        row = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in values.items()}
        if self.path is None:
            self._kept.append(row)
            return
        with named(self.path), self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)

    def cut(self, decisions: int) -> None:
        """Drop the rows after this many decisions: a resumed run writes them again."""
        kept = [row for row in self.rows() if int(row[self.columns[0]]) <= decisions]
        if self.path is None:
            self._kept = kept
            return
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        write_text(self.path, text.getvalue())
