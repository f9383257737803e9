"""Tests that are run in a process of their own and counted as they end, and rows that are kept one by one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pirate_envs.agents.report import Results
from tests.release import ROOT

Row = dict[str, Any]


@dataclass(frozen=True)
class Ended:
    """How tests ended."""

    tests: int
    skipped: int
    failed: int

    def __str__(self) -> str:
        passed = self.tests - self.skipped - self.failed
        return f"{passed} of {self.tests} tests pass" + (f", {self.skipped} not run here" if self.skipped else "")


def ended(*arguments: str) -> Ended:
    """How these tests end. An AssertionError if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ended.xml"
        line = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", f"--junitxml={file}", *arguments]
        subprocess.run(line, cwd=ROOT, check=False)
        found = told_in(file)
    assert found.tests, arguments
    return found


def told_in(file: Path) -> Ended:
    """What pytest's `--junitxml` says."""
    told = next(ElementTree.parse(file).iter("testsuite")).attrib
    return Ended(int(told["tests"]), int(told["skipped"]), int(told["failures"]) + int(told["errors"]))


def kept(rows: Iterable[Row], results: Results | None, name: str, key: str, page: Callable[[list[Row]], str]) -> list[Row]:
    """The rows; each is printed when it is there, and kept in the results of that name beside those of other `key`s.

    `results`: None: nowhere.
    """
    done = []
    for row in rows:
        done.append(row)
        print(f"{row[key]}: {row['figure']}", flush=True)
        if results is not None:
            results.merge(name, [row], page, key=key)
    return done
