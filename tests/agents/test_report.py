"""Tables, pictures, folders of results and the command beside a number."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pirate_envs.agents import report
from pirate_envs.agents.report import Results, markdown_table, merged, text_table
from pirate_envs.core.errors import CheckpointError, MissingExtraError

ROWS = [("a", 1, 0.5), ("b", 20, "-")]


@pytest.mark.parametrize(
    ("align", "rule"),
    [
        ("", "| --- | --- | --- |"),
        ("lr", "| --- | ---: | ---: |"),
        ("r", "| ---: | ---: | ---: |"),
        ("lrl", "| --- | ---: | --- |"),
    ],
)
def test_a_markdown_table(align: str, rule: str) -> None:
    assert (
        markdown_table(["name", "n", "share"], ROWS, align)
        == f"| name | n | share |\n{rule}\n| a | 1 | 0.5 |\n| b | 20 | - |\n"
    )


def test_a_table_without_rows_is_its_head() -> None:
    assert markdown_table(["one"], []) == "| one |\n| --- |\n" and text_table([("one", "two")]) == "one  two"


def test_a_text_table_is_aligned_and_ends_where_the_text_does() -> None:
    assert (
        text_table([("name", "n"), *(row[:2] for row in ROWS), ("longest", "")])
        == "name     n\na        1\nb        20\nlongest"
    )


def test_a_command_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "skull_king", "--option", 'loot="x y"', "$HOME"])
    text = report.command("experiments.train")
    assert shlex.split(text) == ["python", "-m", "experiments.train", *sys.argv[1:]] and text.startswith(
        "python -m experiments.train "
    )
    assert report.command("x", []) == "python -m x" and report.command("x", ["a b"]) == "python -m x 'a b'"


def test_the_machine_is_told_with_its_versions() -> None:
    text = report.machine()
    assert " cores, Python " in text and "NumPy " in text and "Numba " in text


def test_results_are_written_read_and_merged(tmp_path: Path) -> None:
    results = Results(tmp_path / "new" / "folder")
    assert results.read("speed") is None and results.read("speed", []) == [] and results.all("*") == []

    def page(rows: list[Any]) -> str:
        return markdown_table(["game", "n"], [(row["game"], row["n"]) for row in rows])

    results.merge("speed", [{"game": "b", "n": 1}, {"game": "c", "n": 2}], page)
    results.merge("speed", [{"game": "a", "n": 3}, {"game": "c", "n": 4}, {"game": "c", "n": 5}], page)
    wanted = [{"game": game, "n": n} for game, n in (("a", 3), ("b", 1), ("c", 4), ("c", 5))]
    assert results.read("speed") == wanted and (results.folder / "speed.md").read_text() == page(wanted)
    assert (results.folder / "speed.json").read_text() == json.dumps(wanted, indent=1) + "\n"
    results.write_json("speed_b", 1)
    results.write_json("speed_a", 2)
    results.write_page("speed_b", "page")
    assert results.all("speed_*") == [2, 1] and (results.folder / "speed_b.md").read_text() == "page"
    assert sorted(path.name for path in results.folder.iterdir()) == [
        "speed.json", "speed.md", "speed_a.json", "speed_b.json", "speed_b.md",
    ]  # fmt: skip


def test_rows_are_merged_by_any_key() -> None:
    old = [{"what": "x", "n": 1}, {"what": "y", "n": 1}]
    assert merged([{"what": "y", "n": 2}], old, "what") == [{"what": "x", "n": 1}, {"what": "y", "n": 2}]


def test_results_that_are_no_json_are_named(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_text('{"a":')
    with pytest.raises(CheckpointError, match=r"torn\.json is not readable JSON"):
        Results(tmp_path).read("torn", [])


def test_a_picture_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = report.new_figure(2, 1)
    figure.subplots().plot([0, 1])
    path = tmp_path / "line.png"
    report.save_figure(path, figure, dpi=50)
    assert path.read_bytes().startswith(b"\x89PNG")
    before = path.read_bytes()

    def torn(*_: Any, **__: Any) -> None:
        raise OSError("full")

    monkeypatch.setattr(figure, "savefig", torn)
    with pytest.raises(OSError, match="full"):
        report.save_figure(path, figure)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["line.png"]


def test_a_picture_leaves_pyplot_alone() -> None:
    """A notebook's own backend stays what it is."""
    drawn = "from pirate_envs.agents.report import new_figure; new_figure(1, 1)"
    code = f"import sys; {drawn}; sys.exit('matplotlib.pyplot' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[2])


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(MissingExtraError, match=r"a picture needs matplotlib: pip install 'pirate-envs\[train\]'"):
        report.new_figure(1, 1)


class Absent:
    """An importer that knows no matplotlib."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
