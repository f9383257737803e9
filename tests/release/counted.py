"""Tests that are run in a process of their own, and counted as they end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.release import ROOT


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
