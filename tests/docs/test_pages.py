"""The pages' code runs, their commands are taken by the programs they name, their tables say what code and results say."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest

import pirate_envs
from experiments import docs
from experiments.reports.pages import anchor
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval
from tests.docs.lines import lines, parse

ROOT = docs.ROOT
OUTSIDE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "outside").rglob("test_*.py")))
ELSEWHERE = re.findall(r'run_page\("([\w.]+)"(?:, "(\w+)")?', OUTSIDE)
"""Pages, and words in their blocks, that are run in the environments of other libraries (`make test-doors`)."""
RAY = [line for line in lines() if line.startswith("ray ")]
"""Parsed by Ray, in tests/outside/ray."""


def blocks() -> list[tuple[Path, int, str]]:
    """Every Python block of every page."""
    return [
        (page, number, code)
        for page in docs.pages()
        for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    ]


def is_run_elsewhere(page: Path, code: str) -> bool:
    return any(page.name == name and about in code for name, about in ELSEWHERE)


HERE = [pytest.param(code, id=f"{page.stem}-{number}") for page, number, code in blocks() if not is_run_elsewhere(page, code)]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("code", HERE)
@pytest.mark.usefixtures("torch_settings")
def test_python_blocks_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "page", "exec"), {"__name__": "page"})


def test_what_is_run_elsewhere_is_there():
    """And it asks for a library that these tests do not install."""
    assert {name for name, _ in ELSEWHERE} <= {page.name for page in docs.pages()}
    for page, _, code in blocks():
        if is_run_elsewhere(page, code):
            assert re.search(r"import pyspiel|torchrl|tianshou|rllib|make_rllib", code), named(page)


@pytest.mark.parametrize("line", [line for line in lines() if line not in RAY])
def test_shell_lines_are_taken_by_their_programs(line, pytestconfig):
    parse(line, pytestconfig._parser)


@pytest.mark.parametrize(
    "line",
    [
        "python -m experiments.train skull_king --minuets 10",
        "python -m experiments.evaluate skull_king random --deals few",
        "python -m tests.release --rows nonsense",
        "python examples/ppo_on_batch.py skull_king three",
        "pirates sing skull_king",
        "make no_such_target",
        "pip install '.[nothing]'",
        "ls",
    ],
)
def test_a_line_that_is_not_taken_is_found(line, pytestconfig):
    with pytest.raises((AssertionError, ValueError)):
        parse(line, pytestconfig._parser)


def test_pages_are_up_to_date():
    assert [named(page) for page in docs.printed()] == [], "run python -m experiments.docs"


@pytest.mark.parametrize("page", docs.pages(), ids=named)
def test_pictures_and_pages_are_there(page):
    for link in re.findall(r"\]\((?!http)(.*?)\)", page.read_text(encoding="utf-8"), re.DOTALL):
        path, _, heading = link.partition("#")
        there = page.parent / path if path else page
        assert there.is_file(), link
        text = there.read_text(encoding="utf-8") if heading else ""
        headings = [anchor(words) for words in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
        assert heading in ["", *headings, *re.findall(r'<a id="([\w-]+)">', text)], link


@pytest.mark.parametrize(
    "page", [*(ROOT / "docs" / "games").glob("*.md"), *(ROOT / "docs" / "results").glob("*.md")], ids=named
)
def test_no_table_of_a_printed_page_is_typed_by_hand(page):
    typed = docs.BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert not re.search(r"^\|", typed, re.MULTILINE)


def test_a_table_of_another_page_leads_to_the_same_places():
    here = docs.rebased("[a](docs/doors.md#x) [b](#c) [d](https://e.f) ![g](h.svg)", ROOT, ROOT / "docs" / "games")
    assert here == "[a](../doors.md#x) [b](#c) [d](https://e.f) ![g](../../h.svg)"


def test_the_citation_is_of_this_version():
    told = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    keys = re.findall(r"^([a-z-]+):", told, re.MULTILINE)
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(keys) and len(keys) == len(set(keys))
    assert f"version: {pirate_envs.__version__}\n" in told
    assert f"  version = {{{pirate_envs.__version__}}}\n" in docs.citation() and "&" not in docs.citation()


def test_levels_are_told_with_the_ratings_of_their_present_weights(monkeypatch):
    rating = {"mean": 1612.4, "low": 1600.0, "high": 1624.9}
    weights = agent(pirate_envs.load("skull_king"), "policy:pretrained").learned
    found = {
        "leaderboard_skull_king/results": {"ratings": {"easy": rating, "strong": rating, "best": rating}},
        "leaderboard_skull_king/tournament": {"learned": {"strong": weights, "best": "others"}},
    }
    monkeypatch.setattr(docs, "results_json", found.get)
    kapern, king = (next(row for row in docs.levels_table().splitlines() if title in row) for title in ("Kapern", "Skull"))
    assert "| `exact:race` |" in kapern and "1612" not in kapern
    told = "1612 [1600, 1625]"
    assert f"| `rules:simple` {told} | `rules:strongest` | `policy:pretrained` {told} | `search:guided:" in king
    assert king.count(told) == 2


def test_neighbouring_levels_that_ratings_do_not_tell_apart_are_named(monkeypatch):
    lows = {"easy": 1400.0, "fair": 1500.0, "strong": 1519.0, "best": 1560.0}
    rated = {level: Interval(low + 10, low, low + 20) for level, low in lows.items()}
    assert docs.not_told_apart(rated) == [("fair", "strong")]
    assert docs.not_told_apart({**rated, "strong": Interval(1300.0, 1290.0, 1310.0)}) == [("fair", "strong")]
    assert docs.not_told_apart({level: rated[level] for level in ("easy", "fair", "best")}) == []
    game = pirate_envs.load("skull_king")
    weights = {level: agent(game, level).learned for level in rated}
    found = {
        "leaderboard_skull_king/results": {"ratings": {level: asdict(each) for level, each in rated.items()}},
        "leaderboard_skull_king/tournament": {"learned": weights},
    }
    monkeypatch.setattr(docs, "results_json", found.get)
    assert docs.levels_table().splitlines()[-1].endswith("which is stronger: Skull King's `fair` and `strong`.")
