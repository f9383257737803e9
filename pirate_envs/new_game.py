"""The skeleton of a game: a package that plays, with its tests, to change into another game (docs/add_a_game.md)."""

from __future__ import annotations

import importlib.util
import keyword
import re
import shutil
import tempfile
from pathlib import Path

from pirate_envs.core.errors import OptionError
from pirate_envs.games import games

SKELETON = Path(__file__).parent / "skeleton"
SUFFIX = ".txt"  # of the skeleton's files, so that nothing takes them for code of this package
A_NAME = re.compile(r"[a-z][a-z0-9_]*")


def write_skeleton(name: str, folder: str | Path = ".") -> Path:
    """Write a game of that name and its tests into `folder`/`name`, whole or not at all; returns that folder.

    Raises OptionError for a name that no new game can have, for a folder that is not there, and for one that is in the way.
    """
    check_name(name)
    folder = Path(folder)
    if not folder.is_dir():
        raise OptionError(f"{folder} is no folder; a game's folder is made in one that exists")
    target = folder / name
    if target.exists():
        raise OptionError(f"{target} exists already; choose another name or folder")
    part = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=folder))
    try:
        part.chmod(0o755)
        words = {"name": name, "title": name.replace("_", " ").capitalize(), "options": _class_name(name)}
        for source in sorted(SKELETON.rglob(f"*{SUFFIX}")):
            path = part / str(source.relative_to(SKELETON)).replace("NAME", name).removesuffix(SUFFIX)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_filled(source.read_text(encoding="utf-8"), words), encoding="utf-8")
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return target


def check_name(name: str) -> None:
    """Raises OptionError unless a new game can be called this."""
    if not A_NAME.fullmatch(name) or keyword.iskeyword(name):
        allowed = "small letters, digits and _, a letter first, and no Python word"
        raise OptionError(f"a game cannot be called {name!r}; allowed: {allowed}")
    if name in games():
        raise OptionError(f"there is a game {name!r} already; there are: {', '.join(games())}")
    module = importlib.util.find_spec(name)
    if module is not None and module.origin is not None:  # a folder without __init__.py, such as `docs`, is in nobody's way
        raise OptionError(f"a game cannot be called {name!r}: there is a Python module of that name")


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Options"


def _filled(text: str, words: dict[str, str]) -> str:
    """The text with every {{word}} replaced."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], text)
