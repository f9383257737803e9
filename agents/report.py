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
from pirate_envs.core.files import write_file, write_text

Cells = Sequence[object]


# -- tables ------------------------------------------------------------------------------------------------------------


def markdown_table(head: Sequence[str], rows: Sequence[Cells], align: str = "") -> str:
    """A Markdown table. `align`: 'l' or 'r' for each column; columns without a letter are as the last letter, else 'l'."""
    letters = (align + (align[-1:] or "l") * len(head))[: len(head)]
    rule = ["---:" if letter == "r" else "---" for letter in letters]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in (head, rule, *rows)) + "\n"


def text_table(rows: Sequence[Cells], *, ruled: bool = False) -> str:
    """Rows with their columns aligned, the first row a heading; `ruled` underlines it."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    if ruled:
        texts.insert(1, ["-" * width for width in widths])
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in texts)
    return "\n".join(line.rstrip() for line in lines)


# -- pictures ----------------------------------------------------------------------------------------------------------


def pyplot() -> Any:
    """Matplotlib's pyplot, drawing into files only: imported with the first picture."""
    import matplotlib  # noqa: PLC0415

    matplotlib.use("Agg")
    from matplotlib import pyplot as plots  # noqa: PLC0415

    return plots


def save_figure(path: Path, figure: Any, dpi: int = 110) -> None:
    """Write a figure as a PNG, whole or not at all, and close it."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=dpi)
    write_file(path, picture.getvalue())
    pyplot().close(figure)


# -- where it was measured ---------------------------------------------------------------------------------------------


def command(module: str) -> str:
    """The command of this process, as it would be typed, to stand beside what it measured; `module` as after `python -m`."""
    return shlex.join(["python", "-m", module, *sys.argv[1:]])


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
            return json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CheckpointError(f"{file} is not readable JSON: {error}") from None

    def write(self, name: str, content: Any, page: str) -> None:
        """NAME.json and NAME.md."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / f"{name}.json", json.dumps(content, indent=1) + "\n")
        self.write_page(name, page)

    def write_page(self, name: str, page: str) -> None:
        """NAME.md alone."""
        write_text(self.folder / f"{name}.md", page)

    def merge(self, name: str, rows: Sequence[Mapping[str, Any]], page: Callable[[list[Any]], str], key: str = "game") -> None:
        """Keep these rows in NAME.json beside those of other games that lie there, sorted by game; NAME.md is `page` of all."""
        new = {row[key] for row in rows}
        every = [*rows, *(row for row in self.read(name, []) if row[key] not in new)]
        every.sort(key=lambda row: str(row[key]))
        self.write(name, every, page(every))

    def all(self, pattern: str) -> list[Any]:
        """The contents of all JSON files of a name like `pretrained_*`, by name."""
        return [self.read(file.stem) for file in sorted(self.folder.glob(f"{pattern}.json"))]
