"""Faults put into the rules: each is one change, and the command tells which the tests notice."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from experiments.studies import mutants
from pirate_envs.core.errors import CheckpointError

SOURCE = '''
TABLE = [x & 1 for x in range(2)]


def f(x):
    """A docstring of 1 word."""
    if x < 3 and not x:
        note(x)
        x += 1
    return x << 2
'''


def faults() -> list[str]:
    """What stands in the line of each fault of SOURCE, with the fault."""
    count = len(mutants.sites(ast.parse(SOURCE)))
    changed = []
    for number in range(count):
        tree = ast.parse(SOURCE)
        _, old, new = mutants.sites(tree)[number]
        mutants._Replace(old, new).visit(tree)
        text = ast.unparse(ast.fix_missing_locations(tree))
        compile(text, "fault", "exec")
        before = ast.unparse(ast.parse(SOURCE)).splitlines()
        [(line, now)] = [pair for pair in zip(before, text.splitlines(), strict=True) if pair[0] != pair[1]]
        changed.append(f"{line.strip()} -> {now.strip()}")
    return changed


def test_each_fault_is_one_change() -> None:
    expected = {
        "TABLE = [x & 1 for x in range(2)]": {"x | 1 for", "x & 2 for", "range(3)"},
        "if x < 3 and (not x):": {"x <= 3 and", "x < 4 and", "x < 3 or", "not (x < 3 and (not x))"},
        "note(x)": {"pass"},
        "x += 1": {"x -= 1", "x += 2", "pass"},
        "return x << 2": {"x >> 2", "x << 3"},
    }
    found = faults()
    assert len(found) == len(set(found)) == sum(map(len, expected.values()))
    for line, changes in expected.items():
        for change in changes:
            assert [fault for fault in found if fault.startswith(f"{line} -> ") and change in fault.split(" -> ")[1]], change


def test_every_file_has_faults_in_it_and_tests_for_them() -> None:
    root = mutants.ROOT
    for file in mutants.files():
        count = len(mutants.sites(ast.parse(file.read_text(encoding="utf-8"))))
        for number in range(0, count, 97):
            fault = mutants.mutant(file, number)
            assert ast.unparse(ast.parse(file.read_text(encoding="utf-8"))) != fault.source
            assert all((root / path).exists() for path in mutants.tests_for(fault.file) if path != mutants.MORE_MATCHES)
            timed = [path for part in mutants.timed_for(fault.file) if not part.compiled for path in part.tests]
            assert set(timed) | set(mutants.first_tests(Path(fault.file).name)) == set(mutants.tests_for(fault.file))


def test_a_file_of_core_is_tried_by_its_own_tests_first() -> None:
    own = {file.name: mutants.first_tests(file.name) for file in mutants.files() if file.parent.name == "core"}
    assert own["files.py"] == ["tests/core/test_files.py"] and own["record.py"] == ["tests/core/test_records.py"]
    assert own["bits.py"] == [] and mutants.tests_for("pirate_envs/core/files.py")[0] == "tests/core/test_files.py"
    parts = [mutants.timed_for(f"pirate_envs/core/{name}") for name in ("files.py", "rng.py", "events.py")]
    assert parts[0] == parts[1] == parts[2][:1] and len(parts[2]) == 2
    assert [part.tests for part in mutants.timed_for("pirate_envs/core/cells.py") if part.compiled] == [
        ("tests/core/test_jit.py",)
    ]


def test_tests_that_fail_without_a_fault_tell_nothing(tmp_path: Path) -> None:
    """Compiled ones too."""
    (tmp_path / "test_part.py").write_text(
        "import os\n\n\ndef test() -> None:\n    assert os.environ['NUMBA_DISABLE_JIT'] == '0'\n"
    )
    assert mutants.time_without_fault(mutants.TimedTests(mutants.PACKAGE, ("test_part.py",), compiled=True), tmp_path) > 0
    with pytest.raises(CheckpointError, match=r"fail without any fault: test_part\.py"):
        mutants.time_without_fault(mutants.TimedTests(mutants.PACKAGE, ("test_part.py",)), tmp_path)


@pytest.mark.parametrize(
    ("code", "seconds", "found"),
    [("assert f(1) == 2", 60, "killed"), ("f(1)", 60, "survived"), ("while True: f(1)", 2, "endless")],
)
def test_what_the_tests_say(code: str, seconds: float, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a tree of its own with one file and one test."""
    (tmp_path / "part.py").write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    (tmp_path / "test_part.py").write_text(f"from part import f\n\n\ndef test() -> None:\n    {code}\n", encoding="utf-8")
    monkeypatch.setattr(mutants, "tests_for", lambda file: ["test_part.py"])
    monkeypatch.setattr(mutants, "selection", lambda file: "test")
    fault = mutants.Mutant("part.py", 2, "x + 1 -> x - 1", "def f(x):\n    return x - 1\n")
    assert mutants.outcome(fault, tmp_path, seconds) == found
    assert "x + 1" in (tmp_path / "part.py").read_text(encoding="utf-8")


def test_what_was_tried_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for what survived, when the tests are others."""
    tried: list[int] = []

    def noted(fault: mutants.Mutant, folder: Path, seconds: float) -> str:
        tried.append(fault.line)
        return "killed" if fault.line == 1 else "survived"

    monkeypatch.setattr(mutants, "outcome", noted)
    monkeypatch.setattr(mutants, "copy_tree", lambda folder: folder.mkdir())
    faults = [mutants.Mutant("part.py", line, "x -> y", "") for line in (1, 2)]
    (tmp_path / "room").mkdir()
    for survived, expected in (("old", [1, 2]), ("old", [1, 2]), ("new", [1, 2, 2])):
        (tmp_path / survived).mkdir(exist_ok=True)
        trials = mutants.Trials(tmp_path / "room", tmp_path, tmp_path / survived)
        assert [trials((fault, 1.0))["outcome"] for fault in faults] == ["killed", "survived"]
        assert tried == expected
