"""docs/add_a_game.md says what the code says: its verbs, optional parts, files, and the code that it shows."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from pirate_envs.core import verbs
from pirate_envs.core.game import Game
from pirate_envs.core.options import Options, as_share, option
from pirate_envs.new_game import SKELETON

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "add_a_game.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("|")]


def test_every_verb_is_told_with_its_parameters():
    told = [row[0] for row in ROWS if re.fullmatch(r"`\w+\(g.*\)`", row[0])]
    assert [word.strip("`").partition("(")[0] for word in told] == list(verbs.REQUIRED)
    for word in told:
        verb = getattr(verbs, word.strip("`").partition("(")[0])
        names = verb.__wrapped__.__code__.co_varnames[: verb.__wrapped__.__code__.co_argcount]
        assert word == f"`{verb.__name__}({', '.join(names)})`"


def test_every_part_that_may_be_left_out_is_told():
    start = next(i for i, row in enumerate(ROWS) if row[0] == "in `Game`")
    told = " ".join(row[0] for row in ROWS[start + 2 :])
    missing = dataclasses.MISSING
    optional = {
        field.name for field in dataclasses.fields(Game) if (field.default, field.default_factory) != (missing, missing)
    }
    for name in {*optional, *verbs.OPTIONAL}:
        assert f"`{name}`" in told, name


def test_the_files_are_those_of_the_skeleton():
    files = {path.name.removesuffix(".txt") for path in (SKELETON / "NAME").glob("*.txt")}
    assert files == {row[0].strip("`") for row in ROWS if re.fullmatch(r"`\w+\.py`", row[0])}


def test_the_option_that_is_shown_can_be_made():
    line = next(line for line in TEXT.splitlines() if line.startswith("highest: int ="))
    assert line in (SKELETON / "NAME" / "options.py.txt").read_text(encoding="utf-8").replace("HIGHEST", "30")
    space = {"option": option, "as_share": as_share}
    exec(line.replace("highest: int", "made"), space)
    made = dataclasses.make_dataclass("Made", [("highest", int, space["made"])], bases=(Options,), frozen=True, kw_only=True)
    assert made(players=2).cells() == [12 / 30]


def test_what_it_names_is_there():
    for path in re.findall(r"`((?:tests|pirate_envs)/[\w/]+(?:\.\w+)?)`", TEXT) + re.findall(r"\]\(\.\./([^)]*)\)", TEXT):
        assert "NAME" in path or (ROOT / path).exists(), path
