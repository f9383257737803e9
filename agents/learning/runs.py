"""A run's folder: settings, tables, checkpoints. Whatever happens, what lies under its final name is whole."""

from __future__ import annotations

import contextlib
import csv
import datetime
import importlib.metadata
import io
import json
import platform
import shutil
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents.policy import KIND, SCHEMA, Policy, newest_checkpoint
from pirate_envs.agents.sealed import pack, read_file, read_json, read_manifest, unpack, write_sealed
from pirate_envs.core.errors import CheckpointError, MissingExtraError
from pirate_envs.core.extras import import_extra
from pirate_envs.core.files import write_text

RUN_KIND, RUN_SCHEMA = "training run", 1
ARRAYS, NUMBERS = "resume.safetensors", "resume.json"
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


def write_settings(folder: Path, settings: Mapping[str, Any], command: str) -> None:
    """Make the run folder with its settings.json."""
    folder.mkdir(parents=True)
    content = {
        "kind": RUN_KIND,
        "schema": RUN_SCHEMA,
        "settings": dict(settings),
        "command": command,
        "git": git_revision(),
        "versions": versions(),
    }
    write_text(folder / "settings.json", json.dumps(content, indent=1))


def read_settings(folder: Path) -> tuple[dict[str, Any], str]:
    """The settings and the command of a run folder. Raises CheckpointError."""
    content = read_json(folder / "settings.json")
    if content.get("kind") != RUN_KIND or content.get("schema") != RUN_SCHEMA:
        found = f"{content.get('kind')!r} of schema {content.get('schema')!r}"
        raise CheckpointError(f"{folder} is {found}; needed: {RUN_KIND!r} of schema {RUN_SCHEMA}")
    if not isinstance(content.get("settings"), dict) or not isinstance(content.get("command"), str):
        raise CheckpointError(f"{folder / 'settings.json'} holds no settings")
    return content["settings"], content["command"]


# -- checkpoints -------------------------------------------------------------------------------------------------------


def save_checkpoint(
    folder: Path, policy: Policy, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any], keep: int
) -> Path:
    """Write folder/NNN, a policy folder that also holds what resuming needs, and drop all but the newest `keep`."""
    path = folder / f"{numbers['decisions']:012d}"
    if not path.exists():
        files = {**policy.files(), ARRAYS: pack(arrays), NUMBERS: json.dumps(numbers).encode()}
        write_sealed(path, files, {**policy.manifest(), "decisions": numbers["decisions"]})
    for old in sorted(folder.glob("[0-9]*"))[:-keep]:
        shutil.rmtree(old)
    return path


def load_checkpoint(run: Path) -> tuple[Path, dict[str, np.ndarray], dict[str, Any]]:
    """Path, arrays and numbers of a run's newest complete checkpoint. Raises CheckpointError."""
    path = newest_checkpoint(run)
    if path is None:
        raise CheckpointError(f"{run} holds no complete checkpoint")
    manifest = read_manifest(path, KIND, SCHEMA)
    arrays = unpack(read_file(path, ARRAYS, manifest), path / ARRAYS)
    try:
        numbers = json.loads(read_file(path, NUMBERS, manifest))
    except ValueError as error:
        raise CheckpointError(f"{path / NUMBERS} is not readable JSON: {error}") from None
    return path, arrays, numbers


# -- tables ------------------------------------------------------------------------------------------------------------


class Board:
    """A TensorBoard log that is begun with its first number; without the library nothing is logged, which is said once."""

    def __init__(self, folder: Path | None) -> None:
        """`folder`: where the log goes; None: nowhere."""
        self._folder = folder
        self._writer: Any = None
        self.purge_step: int | None = None
        """What earlier logs of the folder say from this step on is not shown."""

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Add a number to the curve of this name."""
        if self._folder is not None and self._writer is None:
            self._begin(self._folder)
        if self._writer is not None:
            self._writer.add_scalar(name, value, step)

    def _begin(self, folder: Path) -> None:
        try:
            self._writer = import_extra("torch.utils.tensorboard", "a TensorBoard log").SummaryWriter(
                folder, purge_step=self.purge_step
            )
        except MissingExtraError as error:
            self._folder = None
            warnings.warn(f"{error}; the CSV files hold the same numbers", stacklevel=2)

    def flush(self) -> None:
        """See to it that all of it is in the file."""
        if self._writer is not None:
            self._writer.flush()


class CsvLog:
    """A CSV file that grows by a row at a time; its first column counts decisions. Without a file it is kept in memory."""

    def __init__(self, path: Path | None, columns: tuple[str, ...]) -> None:
        self.path, self.columns = path, columns
        self._kept: list[dict[str, str]] = []

    def rows(self) -> list[dict[str, str]]:
        """The complete rows; a torn last line is left out."""
        if self.path is None:
            return list(self._kept)
        if not self.path.exists():
            return []
        lines = self.path.read_text().splitlines(keepends=True)
        whole = "".join(line for line in lines if line.endswith("\n"))
        return [row for row in csv.DictReader(io.StringIO(whole)) if None not in row.values() and None not in row]

    def append(self, **values: Any) -> None:
        """Add a row, seen to the file at once."""
        row = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in values.items()}
        if self.path is None:
            self._kept.append(row)
            return
        with self.path.open("a", newline="") as file:
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
