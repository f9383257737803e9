"""One word for one thing: no class name twice, and nothing goes by a name that the glossary has retired."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
FOLDERS = ("pirate_envs", "agents", "experiments")

RETIRED = {
    "inside_names": "compiled_names",
    "inside": "compiled_roles",
    "bot": "player",
    "episode": "match",
    "SEATED": "AS_SEATED",
    "NOBODY": "NO_ONE",
    "WHOLE": "UNIT32",
    "HABITS": "WEIGHTS",
    "CHANCES": "WEIGHTS",
    "TUNED": "WEIGHTS",
    "variants": "option_sets",
    "last_observation": "final_observations",
    "last_observations": "final_observations",
    "masked": "redacted",
    "payout": "rewards",
    "statistic": "figure",
    "clip_share": "clip_fraction",
    "command_line": "command",
}
"""What is called otherwise now: neither defined nor read."""
OWN_WORDS = {"inside": "games"}
"""Retired names that a game may use for something of its own, in that folder."""
PARAMETERS = {"together": "self_play", "again": "redeal", "payoff": "points", "masks": "action_masks"}
"""Retired as parameters of what serves every game."""
SHARED = ("pirate_envs/core/", "pirate_envs/engine/", "pirate_envs/doors/")


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """All that the project's modules say, each with its module's path."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    named = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return [
        (name, node)
        for name, path in named.items()
        if not name.startswith("pirate_envs/agents/")  # agents/, where a checkout links it
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]


def names_in(node: ast.AST) -> Iterator[str]:
    """The names that a node defines or reads."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.arg(arg=name) | ast.keyword(arg=str(name)):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name


@cache
def uses() -> dict[str, list[str]]:
    """Each name, with the places where it is defined or read."""
    found = defaultdict(list)
    for path, node in nodes():
        for name in names_in(node):
            found[name].append(f"{path}:{getattr(node, 'lineno', '')}")
    return found


def classes() -> dict[str, list[str]]:
    """Each class, with the modules that define one of that name."""
    found = defaultdict(list)
    for path, node in nodes():
        if isinstance(node, ast.ClassDef):
            found[node.name].append(path)
    return found


def test_every_class_name_is_defined_once() -> None:
    """Names with an underscore are private to their modules."""
    assert len(classes()) > 100
    assert {name: paths for name, paths in classes().items() if len(paths) > 1 and not name.startswith("_")} == {}


@pytest.mark.parametrize("name", RETIRED)
def test_a_retired_name_is_gone(name: str) -> None:
    own = f"pirate_envs/{OWN_WORDS.get(name, '-')}/"
    used = [place for place in uses().get(name, []) if not place.startswith(own)]
    assert used == [], f"say {RETIRED[name]}"


@pytest.mark.parametrize("name", PARAMETERS)
def test_no_parameter_has_a_retired_name(name: str) -> None:
    used = [
        f"{path}:{node.lineno}"
        for path, node in nodes()
        if isinstance(node, ast.arg) and node.arg == name and path.startswith(SHARED)
    ]
    assert used == [], f"say {PARAMETERS[name]}"


def test_payoff_is_no_verb() -> None:
    """What scores is `score`; `payoffs` and the payoff matrix are things."""
    assert [path for path, node in nodes() if isinstance(node, ast.FunctionDef) and node.name == "payoff"] == []


def glossary_rows() -> list[list[str]]:
    """The cells of the page's table: the word, what it means, what is not said."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in GLOSSARY.splitlines() if line.startswith("| ")]
    return [row for row in rows if len(row) == 3][2:]


def test_no_class_is_named_as_the_glossary_says_not_to() -> None:
    """The capitalised names of its last column."""
    losers = {name for row in glossary_rows() for name in re.findall(r"\b[A-Z][a-z]+\b", row[2])}
    assert {"Record", "Figure"} <= losers
    assert losers & set(classes()) == set()


def test_the_glossary_explains_each_word_once() -> None:
    words = [word.strip() for row in glossary_rows() for word in row[0].split(",")]
    assert len(words) > 20 and len(words) == len(set(words))
    assert all(row[1] for row in glossary_rows())
