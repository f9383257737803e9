"""The tests by other interpreters, each in a new environment, and whether games play the same bytes there.

python -m tests.release.interpreter python3.12 python3.13 --write
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments.command import run_command
from pirate_envs.agents.report import Results, machine, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.games import shipped
from tests.release import ROOT
from tests.release.counted import kept, told_in

RESULTS = Results(ROOT / "experiments" / "results")
PLAYED = (
    "import platform, sys; from tests.release.scoreboard import LANES, STEPS, played; "
    "print(platform.python_version(), *(played(name, LANES, STEPS) for name in sys.argv[1:]))"
)


@dataclass
class InterpreterSettings:
    """Run the tests by each of these."""

    interpreters: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="PYTHON ...")]
    """as for `make test PYTHON=...`"""
    write: bool = False
    """keep what came of it in experiments/results"""


def played_by(python: Path | str) -> tuple[str, list[str]]:
    """The interpreter's version, and the SHA-256 of matches of each game."""
    printed = subprocess.run([str(python), "-c", PLAYED, *shipped()], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
    version, *hashes = printed.stdout.split()[-1 - len(shipped()) :]
    return version, hashes


def row(interpreter: str) -> dict[str, Any]:
    """`make test` in a new environment. Raises OptionError if the interpreter cannot be run."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        venv, file = Path(folder) / "venv", Path(folder) / "ended.xml"
        environment = {**os.environ, "PYTEST_ADDOPTS": f"--junitxml={file}"}
        line = ["make", "test", f"PYTHON={interpreter}", f"VENV={venv}"]
        code = subprocess.run(line, cwd=ROOT, env=environment, check=False).returncode
        if not file.exists():
            raise OptionError(f"`make test PYTHON={interpreter}` ended with {code} before there were tests")
        found = told_in(file)
        version, hashes = played_by(venv / "bin" / "python")
    same = hashes == played_by(sys.executable)[1]
    return {
        "python": version, "figure": str(found), "failed": found.failed, "same bytes": same, "by": sys.version.split()[0],
        "minutes": (time.monotonic() - start) / 60, "date": time.strftime("%Y-%m-%d"), "machine": machine(),
    }  # fmt: skip


def page(rows: list[dict[str, Any]]) -> str:
    """As Markdown."""
    cells = []
    for each in rows:
        same = f"{'yes' if each['same bytes'] else 'no'} ({each['by']})"
        minutes = "-" if each["minutes"] is None else f"{each['minutes']:.0f}"
        cells.append([each["python"], each["figure"], same, minutes, each["date"]])
    head = ["Python", "`make test`", "the same bytes as by", "minutes", "on"]
    machines = "; ".join(dict.fromkeys(each["machine"] for each in rows))
    table = markdown_table(head, cells, "lllrl")
    return f"{table}\nCommand: `python -m tests.release.interpreter PYTHON --write`. {machines}.\n"


def main(settings: InterpreterSettings) -> list[dict[str, Any]]:
    """Run, print and perhaps write: at the end, since tests see whether pages say what results say."""
    rows = [row(each) for each in settings.interpreters]
    return kept(rows, RESULTS if settings.write else None, "interpreter", "python", page)


if __name__ == "__main__":
    run_command(main, InterpreterSettings, __doc__)
