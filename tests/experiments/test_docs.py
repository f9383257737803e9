"""The README's code runs, its commands exist; its tables and the results' page are what the code and the results say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import docs

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SHELL = re.findall(r"```bash\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [line.split("#")[0].strip() for block in SHELL for line in block.splitlines()]


@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_python_blocks_run(code, capsys):
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("python -m")])
def test_commands_exist(command):
    module = shlex.split(command)[2]
    done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, check=False, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for flag in re.findall(r"--[a-z-]+", command):
        if module.startswith("experiments"):
            assert flag in done.stdout


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in COMMANDS:
        if command.startswith("make "):
            assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", docs.PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_tables_are_up_to_date(page):
    text = page.read_text(encoding="utf-8")
    assert docs.filled(text) == text, "run python -m experiments.docs"


@pytest.mark.parametrize("page", docs.PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pictures_and_pages_are_there(page):
    for link in re.findall(r"\]\((?!http)(.*?)\)", page.read_text(encoding="utf-8"), re.DOTALL):
        path, _, heading = link.partition("#")
        there = page.parent / path if path else page
        assert there.is_file(), link
        headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE) if heading else [""]
        assert heading in [words.lower().replace(",", "").replace(" ", "-") for words in headings], link
