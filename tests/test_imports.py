"""The house's arrows: every room imports itself and the rooms before it, by whatever spelling; and there is no circle.

core < games < engine < search < players (agents) < doors < arena < coach < learning < table < face < experiments. The face is
the package itself, with its commands. Training is measured in the arena, which knows nothing of training. The folder agents/ is
the package `pirate_envs.agents`, under that one name.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from pirate_envs.games import shipped

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("core", "games", "engine", "search", "players", "doors", "arena", "coach", "learning", "table", "face", "experiments")
ROOMS_OF_AGENTS = ("arena", "coach", "learning", "table")  # what else lies in agents/ is about players


def modules() -> dict[str, Path]:
    """Dotted name -> file, of everything that is shipped and of the experiments."""
    found = {}
    for folder, package in (("pirate_envs", "pirate_envs"), ("agents", "pirate_envs.agents"), ("experiments", "experiments")):
        for path in (ROOT / folder).rglob("*.py"):
            if folder == "pirate_envs" and "agents" in path.relative_to(ROOT / folder).parts:
                continue  # a link to the other folder, where a checkout has one
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([package, *(part for part in parts if part != "__init__")])] = path
    return dict(sorted(found.items()))


MODULES = modules()


def room(module: str) -> int | None:
    """Which room a dotted name lies in; None: not ours."""
    parts = module.split(".")
    if parts[0] == "experiments":
        return ROOMS.index("experiments")
    if parts[0] != "pirate_envs":
        return None
    if parts[1:2] == ["agents"]:
        return ROOMS.index(parts[2] if len(parts) > 2 and parts[2] in ROOMS_OF_AGENTS else "players")
    return ROOMS.index(parts[1] if len(parts) > 1 and parts[1] in ROOMS else "face")


def base_of(node: ast.ImportFrom, module: str, path: Path) -> str:
    """The package or module that a `from ... import` names, with its dots resolved."""
    if node.level == 0:
        return node.module or ""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """The import statements of a file; those for type checkers alone make no arrow."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(statement)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in ast.walk(node)
    }
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in typing_only]


def imported(module: str, path: Path) -> set[str]:
    """The modules that a file imports, as far as they are ours; `from a import b` is a.b where that is a module, else a."""
    found = set()
    for node in imports(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            base = base_of(node, module, path)
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module):
    own = room(module)
    for other in imported(module, MODULES[module]):
        there = room(other)
        assert there is None or there <= own, f"{module} ({ROOMS[own]}) may not import {other} ({ROOMS[there]})"


@pytest.mark.parametrize(
    ("module", "line", "found"),
    [
        ("pirate_envs.core.game", "from .bits import allows", "pirate_envs.core.bits"),
        ("pirate_envs.core.game", "from . import bits", "pirate_envs.core.bits"),
        ("pirate_envs.core.game", "from ..engine.batch import Batch", "pirate_envs.engine.batch"),
        ("pirate_envs.core.game", "from .. import cli", "pirate_envs.cli"),
        ("pirate_envs.agents", "from .learning import runs", "pirate_envs.agents.learning.runs"),
        ("pirate_envs.core.game", "from pirate_envs.games import load", "pirate_envs.games"),
    ],
)
def test_every_spelling_of_an_import_is_read(module, line, found, tmp_path):
    path = tmp_path / MODULES[module].name
    path.write_text(line, encoding="utf-8")
    assert imported(module, path) == {found}


def test_every_room_is_lived_in():
    assert {ROOMS[room(module)] for module in MODULES} == set(ROOMS)


def test_no_import_circle():
    sorter = TopologicalSorter({module: imported(module, path) & set(MODULES) - {module} for module, path in MODULES.items()})
    sorter.prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("module", MODULES)
def test_games_do_not_know_each_other_and_the_core_knows_none(module):
    games = {other.split(".")[2] for other in imported(module, MODULES[module]) if other.startswith("pirate_envs.games.")}
    if module.startswith("pirate_envs.games."):
        assert games <= {module.split(".")[2]}
    elif room(module) < ROOMS.index("players"):
        assert games & set(shipped()) == set()


def test_nothing_imports_the_players_by_another_name():
    """`agents` alone would be a second copy of every class in it."""
    files = [path for path in ROOT.rglob("*.py") if not {".venv", "build"} & set(path.relative_to(ROOT).parts)]
    assert len(files) > len(MODULES)
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not [alias.name for alias in node.names if alias.name.split(".")[0] == "agents"], path
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] != "agents", path


def test_the_players_modules_are_named_as_they_are_shipped():
    code = "import sys, pirate_envs.agents.names; print(sorted(m for m in sys.modules if m.split('.')[0] == 'agents'))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_playing_needs_no_training_library():
    code = "import sys, pirate_envs; pirate_envs.load('skull_king').new(1); print(sorted({'torch', 'tqdm'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_importing_one_game_registers_the_others_without_their_tables():
    code = """
import sys, pettingzoo, pirate_envs
pirate_envs.load("skull_king").new(1)
print(sorted(name for name in sys.modules if name.startswith("pirate_envs.games.piraten_kapern")))
from pirate_envs import piraten_kapern_v0
registered, classic = pettingzoo.make("aec", "pirates/piraten_kapern-v0", players=2), piraten_kapern_v0.raw_env()
print(registered.metadata["name"], classic.metadata["name"])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()
    assert out == ["['pirate_envs.games.piraten_kapern']", "piraten_kapern_v0 piraten_kapern_v0"]


def test_the_games_package_can_be_called_and_imported_from():
    code = """
import pirate_envs.games.skull_king as king
import pirate_envs
from pirate_envs import games
from pirate_envs.games import games as listed
print(king.__name__, pirate_envs.games.skull_king is king, games() == pirate_envs.games() == listed() and len(games()) > 3)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.split() == ["pirate_envs.games.skull_king", "True", "True"]
