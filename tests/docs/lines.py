"""The shell lines of the pages, and the parsers of the programs that they call."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import tyro

from experiments import docs
from pirate_envs import cli

ROOT = docs.ROOT
FILLED = {"GAME": "skull_king", "PLAYER": "random", "RUN": "runs/x", "FILE": "match.json", "NAME": "high_card", "N": "2"}
"""What stands for the placeholders of a page."""
PROGRAMS = ("python", "pirates", "make", "pip", "pytest", "ray")
INLINE = re.compile(rf"(?<!`)`((?:{'|'.join(PROGRAMS)})\s[^`]*)`")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def lines() -> list[str]:
    """Every command of every page once: lines of shell blocks, and those that stand within a sentence."""
    found = set()
    for page in docs.pages():
        words = page.read_text(encoding="utf-8")
        for block in re.findall(r"```bash\n(.*?)```", words, re.DOTALL):
            found |= {line.split("#")[0].strip() for line in block.splitlines()}
        found |= {
            " ".join(command.split("#")[0].split())
            for command in INLINE.findall(re.sub(r"```.*?```", "", words, flags=re.DOTALL))
        }
    return sorted(found - {""})


class ParsedError(Exception):
    """Raised in place of what would follow once a line is parsed."""


@contextlib.contextmanager
def parsing_only(arguments: list[str]) -> Iterator[None]:
    """Whatever reads the command line in here reads these arguments, and then raises ParsedError."""

    def then_stop(real: Callable[..., Any]) -> Callable[..., NoReturn]:
        def parse(*given: Any, **named: Any) -> NoReturn:
            with contextlib.redirect_stderr(io.StringIO()) as complaint, contextlib.redirect_stdout(io.StringIO()):
                try:
                    real(*given, **named)
                except SystemExit as end:
                    if end.code:
                        raise AssertionError(complaint.getvalue()) from None
            raise ParsedError

        return parse

    kept = sys.argv, tyro.cli, argparse.ArgumentParser.parse_args
    sys.argv, tyro.cli, argparse.ArgumentParser.parse_args = arguments, then_stop(kept[1]), then_stop(kept[2])  # type: ignore[method-assign]
    try:
        yield
    finally:
        sys.argv, tyro.cli, argparse.ArgumentParser.parse_args = kept  # type: ignore[method-assign]


def parse_module(module: str, arguments: list[str]) -> None:
    """Run a module up to the point at which its command line is read."""
    file = ROOT / Path(*module.split(".")).with_suffix(".py")
    file = file if file.exists() else file.with_suffix("") / "__main__.py"
    text = file.read_text(encoding="utf-8")
    assert "run_command(" in text or "ArgumentParser(" in text or file.parent.name == "release", f"{module} reads no arguments"
    with contextlib.suppress(ParsedError), parsing_only([str(file), *(arguments or ["--help"])]):
        runpy.run_path(str(file), run_name="__main__")
        raise AssertionError(f"{module} did not read its arguments")


def parse_example(path: str, arguments: list[str]) -> None:
    """Examples take what their `main` takes, in order."""
    text = (ROOT / path).read_text(encoding="utf-8")
    takes = re.search(r"^def main\((.*?)\)", text, re.MULTILINE)
    assert takes, path
    kinds = re.findall(r"\w+: (\w+)", takes[1])
    for kind, argument in zip(kinds, arguments, strict=False):
        {"str": str, "int": int, "float": float}[kind](argument)
    assert len(arguments) <= len(kinds)


def parse_python(words: list[str], pytest_parser: Any) -> None:
    match words:
        case ["-m", "pytest", *arguments]:
            pytest_parser.parse(arguments)
        case ["-m", module, *arguments]:
            parse_module(module, arguments)
        case [path, *arguments]:
            parse_example(path, arguments)


def parse_pip(words: list[str]) -> None:
    from pip._internal.commands import create_command

    create_command(words[0]).parse_args(words[1:])
    for extras in re.findall(r"\[(.*?)\]", " ".join(words)):
        assert set(extras.split(",")) <= EXTRAS.keys(), extras


def parse_make(words: list[str]) -> None:
    done = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in (word.partition("=")[0] for word in words if "=" in word):
        assert re.search(rf"^{name} \?=", makefile, re.MULTILINE), name


def parse_pirates(words: list[str]) -> None:
    """A command's name alone is a word about it."""
    with contextlib.suppress(ParsedError), parsing_only([]):
        cli.parser("pirates").parse_args(words if len(words) > 1 else [*words, "--help"])


def parse(line: str, pytest_parser: Any) -> None:
    """Raise unless the program that the line calls would take it."""
    text = re.sub(r"\$\{?\w+\}?", "1", line).replace(" ...", "")
    words = [FILLED.get(word, word) for word in shlex.split(text)]
    while "=" in words[0] or words[0] == "srun":
        words = words[1:]
    program, *rest = words
    match program:
        case "python":
            parse_python(rest, pytest_parser)
        case "pirates":
            parse_pirates(rest)
        case "pip":
            parse_pip(rest)
        case "make":
            parse_make(rest)
        case "pytest":
            pytest_parser.parse(rest)
        case _:
            raise AssertionError(f"no parser for {program}")
