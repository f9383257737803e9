"""The skeleton of a game: installed as it was written it keeps every law; a bad name or folder writes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pirate_envs.cli import main
from pirate_envs.core.errors import OptionError
from pirate_envs.new_game import write_skeleton

ROOT = Path(__file__).resolve().parents[2]
CHECK = """
import pirate_envs
from pirate_envs.testing import check_game
game = pirate_envs.load("high_card")
check_game(game, 500)
print(game.id, game.title, game.players)
"""


def test_as_written_it_is_found_and_passes_check_game_and_its_own_tests(tmp_path, capsys):
    assert main(["new", "high_card", "--folder", str(tmp_path)]) == 0
    folder = tmp_path / "high_card"
    assert str(folder) in capsys.readouterr().out
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, folder], check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(*command):
        return subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    done = run("-c", CHECK)
    assert (done.returncode, done.stdout) == (0, "high_card-v0 High card 2\n"), done.stderr
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder / "high_card_tests"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 passed" in done.stdout
    done = run("-m", "pirate_envs", "describe", "high_card")
    assert "keep your card, or draw another" in done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("High", "small letters"),
        ("2high", "small letters"),
        ("high-card", "small letters"),
        ("", "small letters"),
        ("../up", "small letters"),
        ("lambda", "no Python word"),
        ("skull_king", "there is a game 'skull_king' already"),
        ("kuhn_poker", "there is a game 'kuhn_poker' already"),
        ("json", "Python module"),
    ],
)
def test_a_bad_name_is_told_and_nothing_is_written(name, message, tmp_path):
    with pytest.raises(OptionError, match=message):
        write_skeleton(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_way_stays_as_it_is(tmp_path, capsys):
    (tmp_path / "high_card").mkdir()
    (tmp_path / "high_card" / "mine.txt").write_text("mine")
    assert main(["new", "high_card", "--folder", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["high_card", "mine.txt"]


def test_a_folder_of_another_kind_with_the_games_name_is_in_nobodys_way(tmp_path, monkeypatch):
    (tmp_path / "high_card").mkdir()
    (tmp_path / "games").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert write_skeleton("high_card", "games").name == "high_card"
    assert (tmp_path / "games/high_card/pyproject.toml").is_file()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OptionError, match="no folder"):
        write_skeleton("high_card", tmp_path / "none")


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fail(self, target):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="disk full"):
        write_skeleton("high_card", tmp_path)
    assert list(tmp_path.iterdir()) == []
