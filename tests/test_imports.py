"""The house's arrows: experiments -> agents -> pirate_envs (public face) -> adapters -> engine -> games -> core."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pirate_envs

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("core", "games", "engine", "adapters", "face", "agents", "experiments")  # each may import itself and those before it
SOURCES = sorted(path for folder in ("pirate_envs", "agents", "experiments") for path in (ROOT / folder).rglob("*.py"))


def room(module: str) -> int | None:
    """Which room a dotted module name lies in; None: not ours."""
    parts = module.split(".")
    if parts[0] in ("agents", "experiments"):
        return ROOMS.index(parts[0])
    if parts[0] != "pirate_envs":
        return None
    return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else ROOMS.index("face")


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path):
    own = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for module in imports(path):
        other = room(module)
        assert other is None or other <= own, f"{ROOMS[own]} may not import {module}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_games_do_not_know_each_other_and_the_core_knows_none(path):
    relative = path.relative_to(ROOT).as_posix()
    if not relative.startswith("pirate_envs/"):
        return
    for name in pirate_envs.games():
        if not relative.startswith(f"pirate_envs/games/{name}/"):
            assert not [module for module in imports(path) if f"games.{name}" in module], f"{relative} imports {name}"


def test_playing_needs_no_training_library():
    code = "import sys, pirate_envs; pirate_envs.load('skull_king').new(1); print(sorted({'torch', 'tqdm'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"
