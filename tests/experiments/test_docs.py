"""The pages' code runs, their commands exist, their links lead somewhere; their tables say what code and results say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import docs

ROOT = Path(__file__).resolve().parents[2]
SHOWN = [
    ROOT / "README.md",
    ROOT / "docs" / "players.md",
    ROOT / "docs" / "python.md",
    ROOT / "docs" / "doors.md",
    ROOT / "docs" / "coach.md",
]
PYTHON = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in SHOWN
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]
WORDS = "\n".join(page.read_text(encoding="utf-8") for page in docs.pages())
SHELL = [
    line.split("#")[0].strip() for block in re.findall(r"```bash\n(.*?)```", WORDS, re.DOTALL) for line in block.splitlines()
]
TYPED = sorted({*SHELL, *re.findall(r"`((?:python -m experiments\.|pirates )[^`]*)`", WORDS)})
MODULES = sorted({shlex.split(command)[2] for command in TYPED if command.startswith("python -m experiments")})


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("code", PYTHON)
@pytest.mark.usefixtures("torch_settings")
def test_python_blocks_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "page", "exec"), {"__name__": "page"})


def help_of(module: str, *flags: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *flags, "--help"], capture_output=True, check=False, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", MODULES)
def test_commands_and_their_flags_exist(module):
    """Commands beside results too: what was measured can be measured again."""
    for command in (command for command in TYPED if command.split()[:3] == ["python", "-m", module]):
        words = shlex.split(command)
        learner = ["--learner", words[words.index("--learner") + 1]] if "--learner" in words else []
        shown = help_of(module, *learner)
        for flag in re.findall(r"(?<!\S)--[a-z.-]+", command):
            assert flag in shown, command


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in {command.split()[1] for command in SHELL if command.startswith("make ")}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_subcommands_exist():
    shown = help_of("pirate_envs")
    for command in TYPED:
        if command.startswith("pirates "):
            assert f"    {command.split()[1].rstrip(',')} " in shown, command


def test_pages_are_up_to_date():
    assert [named(page) for page in docs.printed()] == [], "run python -m experiments.docs"


@pytest.mark.parametrize("page", docs.pages(), ids=named)
def test_pictures_and_pages_are_there(page):
    for link in re.findall(r"\]\((?!http)(.*?)\)", page.read_text(encoding="utf-8"), re.DOTALL):
        path, _, heading = link.partition("#")
        there = page.parent / path if path else page
        assert there.is_file(), link
        headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE) if heading else [""]
        assert heading in [words.lower().replace(",", "").replace(" ", "-") for words in headings], link
