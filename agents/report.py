"""What a result is shown in: tables, pictures, folders of results, and the command beside each number."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.extras import import_extra
from pirate_envs.core.files import parse_json, read_file, write_file, write_text

Cells = Sequence[object]


# -- tables ------------------------------------------------------------------------------------------------------------


def markdown_table(head: Sequence[str], rows: Sequence[Cells], align: str = "") -> str:
    """A Markdown table. `align`: 'l' or 'r' for each column; columns without a letter are as the last letter, else 'l'."""
    letters = (align + (align[-1:] or "l") * len(head))[: len(head)]
    rule = ["---:" if letter == "r" else "---" for letter in letters]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in (head, rule, *rows)) + "\n"


def text_table(rows: Sequence[Cells]) -> str:
    """Rows with their columns aligned, the first row a heading."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in texts)
    return "\n".join(line.rstrip() for line in lines)


# -- pictures ----------------------------------------------------------------------------------------------------------


def new_figure(width: float, height: float) -> Any:
    """An empty Matplotlib figure of so many inches, for a file: no window opens and pyplot is left as it is.

    Raises MissingExtraError.
    """
    return import_extra("matplotlib.figure", "a picture").Figure(figsize=(width, height), layout="constrained")


def save_figure(path: Path, figure: Any, dpi: int = 110) -> None:
    """Write a figure as a PNG, whole or not at all."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=dpi)
    write_file(path, picture.getvalue())


# -- where it was measured ---------------------------------------------------------------------------------------------


def command(module: str, arguments: Sequence[str] | None = None) -> str:
    """A command as it would be typed, to stand beside what it measured; `module` as after `python -m`.

    `arguments`: those of this process if none are given.
    """
    return shlex.join(["python", "-m", module, *(sys.argv[1:] if arguments is None else arguments)])


def machine() -> str:
    """Processor and versions."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    versions = f"Python {platform.python_version()}, NumPy {version('numpy')}, Numba {version('numba')}"
    return f"{processor}, {os.cpu_count()} cores, {versions}"


# -- folders of results ------------------------------------------------------------------------------------------------


def merged(new: Sequence[Mapping[str, Any]], old: Sequence[Mapping[str, Any]], key: str = "game") -> list[Any]:
    """New rows and those old ones whose game has no new one, sorted by game."""
    measured = {row[key] for row in new}
    return sorted([*new, *(row for row in old if row[key] not in measured)], key=lambda row: str(row[key]))


class Results:
    """A folder with a JSON file and a Markdown page for each result; files are written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, default: Any = None) -> Any:
        """What NAME.json holds; `default` if there is none. Raises CheckpointError if it is no JSON."""
        file = self.folder / f"{name}.json"
        if not file.exists():
            return default
        try:
            return parse_json(read_file(file, links=True))
        except ValueError as error:
            raise CheckpointError(f"{file} is not readable JSON: {error}") from None

    def write(self, name: str, content: Any, page: str) -> None:
        """NAME.json and NAME.md."""
        self.write_json(name, content)
        self.write_page(name, page)

    def write_json(self, name: str, content: Any) -> None:
        """NAME.json alone."""
        self._write(f"{name}.json", json.dumps(content, indent=1) + "\n")

    def write_page(self, name: str, page: str) -> None:
        """NAME.md alone."""
        self._write(f"{name}.md", page)

    def _write(self, name: str, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / name, text)

    def merge(self, name: str, rows: Sequence[Mapping[str, Any]], page: Callable[[list[Any]], str], key: str = "game") -> None:
        """Keep these rows in NAME.json beside those of other games that lie there; NAME.md is `page` of all."""
        every = merged(rows, self.read(name, []), key)
        self.write(name, every, page(every))

    def all(self, pattern: str) -> list[Any]:
        """The contents of all JSON files of a name like `pretrained_*`, by name."""
        return [self.read(file.stem) for file in sorted(self.folder.glob(f"{pattern}.json"))]
