"""Would the tests notice a wrong rule? Small faults are put into the rules and the core, one at a time, and the tests are run.

    python -m experiments.studies.mutants --sample 150           a sample of all faults (minutes each on one core at worst)
    python -m experiments.studies.mutants --sample 150 --write   and keep it in experiments/results/mutants.{json,md}

A mutant is the package with one comparison, operator, constant, condition or statement of games/*/rules.py or core/*.py
changed. It is killed if a test of its part fails, uncompiled, in a copy of the tree, or if they take three times as long as
without the fault. What survives is listed: each is either no change of what the code does, or a test that is missing.
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.command import RESULTS, run_command
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.errors import CheckpointError

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "pirate_envs"
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
EVERY_GAMES_TESTS = ("tests/games/test_trees.py", "tests/games/test_transcripts.py", "tests/engine/test_deal_anew.py")
TESTS_OF_CORE = (*EVERY_GAMES_TESTS, "tests/core", "tests/engine/test_batch.py")
TESTS_OF_RULES = (*EVERY_GAMES_TESTS, "tests/games/test_referees.py")
LEFT_OUT = "not test_jit and not players and not solved"  # by name: of the compiler, and of what is no rule
LONGER = 3  # times as long as without a fault is as good as for ever


@dataclass
class MutantsSettings:
    """Put faults into the rules and the core and see whether the tests notice."""

    sample: int = 150
    """how many of all faults"""
    seed: int = 1
    """of the sample"""
    only: str = ""
    """files whose path holds this text alone"""
    write: bool = False
    """keep the list in experiments/results"""


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is, and the source with it."""

    file: str
    line: int
    change: str
    source: str


# -- faults ------------------------------------------------------------------------------------------------------------


def changed(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What a node may be replaced by, in its parent's place: pairs of old and new."""
    if isinstance(node, ast.Compare | ast.BinOp | ast.BoolOp | ast.AugAssign):
        operator = node.ops[0] if isinstance(node, ast.Compare) else node.op
        if type(operator) in SWAPS:
            yield operator, SWAPS[type(operator)]()
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield node, ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield node, ast.Constant(not node.value)
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)
    if isinstance(node, ast.Assign | ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield node, ast.Pass()


class _Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def sites(tree: ast.Module) -> list[tuple[ast.AST, ast.AST, ast.AST]]:
    """Every place for a fault inside a function or a module's table: the node, and what in it is replaced by what."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    nodes = [node for function in functions for statement in function.body for node in ast.walk(statement)]
    nodes += [node for statement in tree.body if isinstance(statement, ast.Assign) for node in ast.walk(statement.value)]
    return [(node, old, new) for node in dict.fromkeys(nodes) for old, new in changed(node)]


def mutant(file: Path, number: int) -> Mutant:
    """The fault of that number in a file, as `sites` counts them."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    node, old, new = sites(tree)[number]
    shown = (old, new) if isinstance(old, ast.expr | ast.stmt) else (node, node)  # an operator alone says little
    before, line = ast.unparse(shown[0]), int(getattr(node, "lineno", 0))
    _Replace(old, new).visit(tree)
    ast.fix_missing_locations(tree)
    return Mutant(str(file.relative_to(ROOT)), line, f"{before} -> {ast.unparse(shown[1])}", ast.unparse(tree))


def files() -> list[Path]:
    """What faults are put into."""
    return sorted([*(ROOT / PACKAGE / "games").glob("*/rules.py"), *(ROOT / PACKAGE / "core").glob("*.py")])


# -- tests -------------------------------------------------------------------------------------------------------------


def tests_for(file: str) -> list[str]:
    """The tests of a file's part."""
    parts = Path(file).parts
    return [f"tests/games/{parts[2]}", *TESTS_OF_RULES] if parts[1] == "games" else list(TESTS_OF_CORE)


def selection(file: str) -> str:
    """Which of them, by name: of those that serve every game only this one's."""
    parts = Path(file).parts
    if parts[1] != "games":
        return LEFT_OUT
    others = [path.parent.name for path in files() if path.parent.parent.name == "games" and path.parent.name != parts[2]]
    return " and ".join([LEFT_OUT, *(f"not {name}" for name in (*others, "kuhn"))])


def copy_tree(folder: Path) -> None:
    """The tree in that folder, as far as the tests need it."""
    ignored = shutil.ignore_patterns("__pycache__", ".git", ".venv", "build", "runs", "results")
    shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True)


def all_pass(file: str, folder: Path, seconds: float | None = None) -> bool:
    """Do the tests of the file's part pass in a copy of the tree? Raises TimeoutExpired after so many seconds."""
    run = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", selection(file), *tests_for(file)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(run, cwd=folder, env=environment, capture_output=True, check=False, timeout=seconds).returncode == 0


def time_without_fault(file: str, folder: Path) -> float:
    """Seconds that the tests of the file's part take. Raises CheckpointError if they fail: then they tell nothing."""
    start = time.perf_counter()
    if not all_pass(file, folder):
        raise CheckpointError(f"the tests of {file} fail without any fault: {' '.join(tests_for(file))}")
    return time.perf_counter() - start


def outcome(mutant: Mutant, folder: Path, seconds: float) -> str:
    """'survived', 'killed' or 'endless', in a copy of the tree, which is left as it was."""
    path = folder / mutant.file
    original = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    try:
        return "survived" if all_pass(mutant.file, folder, seconds) else "killed"
    except subprocess.TimeoutExpired:
        return "endless"
    finally:
        path.write_text(original, encoding="utf-8")


def main(settings: MutantsSettings) -> None:
    places = [path for path in files() if settings.only in str(path)]
    every = [(path, number) for path in places for number in range(len(sites(ast.parse(path.read_text(encoding="utf-8")))))]
    chosen = random.Random(settings.seed).sample(every, min(settings.sample, len(every)))
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "tree"
        copy_tree(folder)
        seconds: dict[str, float] = {}  # by part
        for fault in (mutant(*place) for place in chosen):
            part = " ".join(tests_for(fault.file))
            if part not in seconds:
                seconds[part] = time_without_fault(fault.file, folder)
            found = outcome(fault, folder, LONGER * seconds[part])
            rows.append({name: value for name, value in asdict(fault).items() if name != "source"} | {"outcome": found})
            print(f"{len(rows)}/{len(chosen)} {found}: {fault.file}:{fault.line} {fault.change}", flush=True)
    page = report(rows, len(every))
    print(page)
    if settings.write:
        Results(RESULTS).write("mutants", {"command": command("experiments.studies.mutants"), "mutants": rows}, page)


def report(rows: list[dict[str, object]], every: int) -> str:
    """How many were killed, by part, and which survived."""
    table = []
    for part in ("games", "core"):
        mine = [row for row in rows if Path(str(row["file"])).parts[1] == part]
        killed, endless = (sum(row["outcome"] == name for row in mine) for name in ("killed", "endless"))
        share = f"{(killed + endless) / len(mine):.1%}" if mine else "-"
        table.append([part, len(mine), killed, endless, len(mine) - killed - endless, share])
    survivors = [[f"{row['file']}:{row['line']}", f"`{row['change']}`"] for row in rows if row["outcome"] == "survived"]
    head = ("part", "mutants", "killed", "endless", "survived", "noticed")
    listed = markdown_table(("survivor", "change"), survivors) if survivors else "No mutant survived.\n"
    measured = f"{len(rows)} of {every} possible faults. Command: `{command('experiments.studies.mutants')}`."
    return f"{markdown_table(head, table, 'lr')}\n{measured}\n\n{listed}"


if __name__ == "__main__":
    run_command(main, MutantsSettings, __doc__)
