"""Would the tests notice a wrong rule? Small faults are put into the rules and the core, one at a time, and the tests are run.

    python -m experiments.studies.mutants --sample 150           a sample of all faults (minutes each on one core at worst)
    python -m experiments.studies.mutants --sample 150 --write   and keep it in experiments/results/mutants.{json,md},
                                                                 beside the samples of other seeds

A mutant is the package with one comparison, operator, constant, condition or statement of games/*/rules.py or core/*.py
changed, without what only draws, speaks or compiles. It is killed if a test of its part fails, uncompiled (what only the
compiler runs: compiled), in a copy of the tree, or if they need three times as much of a processor as without the fault. What
survives is listed: each is either no change of what the code does, or a test that is missing. The same command goes on where it
was stopped: what was killed counts until the sources change, what survived is tried again when the tests do.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from experiments.command import RESULTS, WorkerFlags, check_numbers, run_command
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.files import write_text

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "pirate_envs"
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
NOT_PLAYED = ("composer.py", "glyphs.py", "jit.py", "sentences.py", "signals.py", "svg.py")  # of core: screens, the compiler
EVERY_GAMES_TESTS = ("tests/games/test_transcripts.py", "tests/games/test_reopen.py", "tests/engine/test_deal_anew.py")
TESTS_OF_RULES = ("tests/games/test_referees.py", "tests/games/test_trees.py")  # those that take long come last
MORE_MATCHES = "--option-sets=40"  # of the first, twice as many as in every run of the tests
TESTS_OF_CORE = ("tests/core", *EVERY_GAMES_TESTS, "tests/engine/test_batch.py")
FIRST = {"ranges.py": "records", "record.py": "records"}  # in tests/core; others in a file of their own name, if there is one
TESTS_BESIDE = {  # of single files of core
    "events.py": ("tests/games/test_events.py",),
    "game.py": tuple(f"tests/doors/test_aec{which}.py" for which in ("", "_copies", "_pictures")),
    "ranges.py": ("tests/engine/test_hostile_states.py",),
}
TESTS_COMPILED = {"cells.py": ("tests/core/test_jit.py",)}  # of files with code that only the compiler runs
LEFT_OUT = "not test_jit and not players and not solved and not a_hostile_state"  # by name: the compiler, no rules, too long
LONGER, SPARE = 3, 10  # times as many seconds of a processor as without a fault, and some: as good as for ever
PATIENCE = 7200.0  # seconds for what waits and uses no processor


Sample = dict[str, Any]
"""Of one seed: what was put in, and what came of each; ready for JSON."""


@dataclass
class MutantsSettings:
    """Put faults into the rules and the core and see whether the tests notice."""

    sample: int = 150
    """how many of all faults"""
    seed: int = 1
    """of the sample"""
    only: str = ""
    """files whose path holds this text alone"""
    out: Path = Path("runs/mutants")
    """folder of what has been tried, on these sources"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who tries"""
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
    core = (path for path in (ROOT / PACKAGE / "core").glob("*.py") if path.name not in NOT_PLAYED)
    return sorted([*(ROOT / PACKAGE / "games").glob("*/rules.py"), *core])


# -- tests -------------------------------------------------------------------------------------------------------------


def tests_for(file: str) -> list[str]:
    """The tests of a file's part, as pytest is told them."""
    parts = Path(file).parts
    if parts[1] == "games":
        return [*EVERY_GAMES_TESTS, f"tests/games/{parts[2]}", *TESTS_OF_RULES, MORE_MATCHES]
    return [*first_tests(parts[2]), *TESTS_BESIDE.get(parts[2], ()), *TESTS_OF_CORE]


def first_tests(name: str) -> list[str]:
    """The tests of this file of core in particular: what they notice is known soon."""
    path = f"tests/core/test_{FIRST.get(name, Path(name).stem)}.py"
    return [path] if (ROOT / path).exists() else []


@dataclass(frozen=True)
class TimedTests:
    """Tests that are timed together without a fault."""

    file: str
    """Whose selection of them it is."""
    tests: tuple[str, ...]
    compiled: bool = False


def timed_for(file: str) -> list[TimedTests]:
    """What `status` runs for a file, each test once: those of all core are timed once for all of its files."""
    parts = Path(file).parts
    if parts[1] == "games":
        return [TimedTests(file, tuple(tests_for(file)))]
    beside = [TimedTests(PACKAGE, (path,)) for path in TESTS_BESIDE.get(parts[2], ())]
    compiled = [TimedTests(PACKAGE, (path,), compiled=True) for path in TESTS_COMPILED.get(parts[2], ())]
    return [TimedTests(PACKAGE, TESTS_OF_CORE), *beside, *compiled]


def selection(file: str) -> str:
    """Which of them, by name: of those that serve every game only this one's."""
    parts = Path(file).parts
    if "games" not in parts[1:2]:
        return LEFT_OUT
    others = [path.parent.name for path in files() if path.parent.parent.name == "games" and path.parent.name != parts[2]]
    return " and ".join([LEFT_OUT, *(f"not {name}" for name in (*others, "kuhn"))])


def digest(*tops: str) -> str:
    """Of the engine and the games, or of their tests: of all that decides whether a fault is noticed."""
    found = hashlib.sha256()
    folders = [ROOT / top / part for top in tops for part in ("core", "engine", "games")]
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def copy_tree(folder: Path) -> None:
    """The tree in that folder, as far as the tests need it."""
    ignored = shutil.ignore_patterns("__pycache__", ".git", ".venv", "build", "runs", "results")
    shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True)


def status(file: str, folder: Path, seconds: int | None = None) -> int:
    """How the tests of the file's part end in a copy of the tree; after so many seconds of a processor by SIGXCPU."""
    ended = _run([*tests_for(file), "-k", selection(file)], folder, seconds, NUMBA_DISABLE_JIT="1")
    compiled = TESTS_COMPILED.get(Path(file).name, ())
    return _run([*compiled], folder, seconds, NUMBA_DISABLE_JIT="0") if ended == 0 and compiled else ended


def _run(tests: list[str], folder: Path, seconds: int | None, **environment: str) -> int:
    run = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", **environment}
    limited = None if seconds is None else functools.partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds + 5))
    try:
        return subprocess.run(
            run, cwd=folder, env=environment, capture_output=True, check=False, preexec_fn=limited, timeout=PATIENCE
        ).returncode
    except subprocess.TimeoutExpired:
        return -signal.SIGXCPU


def time_without_fault(part: TimedTests, folder: Path) -> float:
    """Seconds of a processor that these tests take. Raises CheckpointError if they fail: they tell nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    chosen = [] if part.compiled else ["-k", selection(part.file)]
    if _run([*part.tests, *chosen], folder, None, NUMBA_DISABLE_JIT="0" if part.compiled else "1") != 0:
        raise CheckpointError(f"these tests fail without any fault: {' '.join(part.tests)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def outcome(mutant: Mutant, folder: Path, seconds: float) -> str:
    """'survived', 'killed' or 'endless', in a copy of the tree, which is left as it was."""
    path = folder / mutant.file
    original = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    try:
        ended = status(mutant.file, folder, math.ceil(seconds))
    finally:
        path.write_text(original, encoding="utf-8")
    return "survived" if ended == 0 else "endless" if ended in (-signal.SIGXCPU, -signal.SIGKILL) else "killed"


@dataclass(frozen=True)
class Trials:
    """What a worker does with a fault, or with tests without one: it keeps a copy of the tree, and what it found."""

    room: Path
    """for copies"""
    killed: Path
    """for faults that were noticed: what is there is not tried again"""
    survived: Path
    """for those that these tests do not notice, and how long they take"""

    def __call__(self, asked: tuple[Mutant | TimedTests, float]) -> dict[str, Any]:
        """`asked`: a fault with its limit in seconds, or tests."""
        what, limit = asked
        told = f"{what.file} {' '.join(what.tests) if isinstance(what, TimedTests) else f'{what.line} {what.change}'}"
        kept = f"{hashlib.sha256(told.encode()).hexdigest()[:16]}.json"
        for store in (self.killed, self.survived):
            if (store / kept).exists():
                return dict(json.loads((store / kept).read_text(encoding="utf-8")))
        folder = self.room / str(os.getpid())
        if not folder.exists():
            copy_tree(folder)
        found: dict[str, Any]
        if isinstance(what, TimedTests):
            found = {"seconds": time_without_fault(what, folder)}
        else:
            found = {"file": what.file, "line": what.line, "change": what.change, "outcome": outcome(what, folder, limit)}
        noticed = found.get("outcome", "survived") != "survived"
        write_text((self.killed if noticed else self.survived) / kept, json.dumps(found))
        return found


def main(settings: MutantsSettings) -> None:
    """Try, print and perhaps write."""
    check_numbers(settings, sample=(1, 10**6), seed=(0, LARGEST_SEED))
    settings.workers.check()
    places = [path for path in files() if settings.only in str(path)]
    every = [(path, number) for path in places for number in range(len(sites(ast.parse(path.read_text(encoding="utf-8")))))]
    chosen = [mutant(*place) for place in random.Random(settings.seed).sample(every, min(settings.sample, len(every)))]
    killed = settings.out / digest(PACKAGE)
    survived = killed / digest("tests")
    survived.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room, settings.workers.doing(Trials(Path(room), killed, survived)) as do:
        parts = list(dict.fromkeys(part for fault in chosen for part in timed_for(fault.file)))
        found = do.in_order((part, 0.0) for part in parts)
        times = {part: each["seconds"] for part, each in zip(parts, found, strict=True)}
        asked = [(fault, LONGER * sum(times[part] for part in timed_for(fault.file)) + SPARE) for fault in chosen]
        with tqdm(total=len(asked), unit="mutants") as bar:
            rows = do.in_order(asked, lambda done: bar.update(done - bar.n) and None)
    sample = {
        "seed": settings.seed, "only": settings.only, "command": command("experiments.studies.mutants"), "of": len(every),
        "date": time.strftime("%Y-%m-%d"), "sources": digest(PACKAGE), "mutants": rows,
    }  # fmt: skip
    print(report([sample]))
    if settings.write:
        results = Results(RESULTS)
        samples = with_sample(results.read("mutants", []), sample)
        results.write("mutants", samples, report(samples))


def with_sample(samples: list[Sample], sample: Sample) -> list[Sample]:
    """These samples and that one, which takes the place of an earlier one of its seed."""
    others = [each for each in samples if (each["seed"], each["only"]) != (sample["seed"], sample["only"])]
    return sorted([*others, sample], key=lambda each: each["date"])


def report(samples: list[Sample]) -> str:
    """How many were killed, by sample and part, and which survived."""
    table, survivors = [], []
    for sample in samples:
        for part in ("games", "core"):
            mine = [row for row in sample["mutants"] if Path(str(row["file"])).parts[1] == part]
            killed, endless = (sum(row["outcome"] == name for row in mine) for name in ("killed", "endless"))
            if mine:
                share = f"{(killed + endless) / len(mine):.1%}"
                counts = [len(mine), killed, endless, len(mine) - killed - endless, share]
                table.append([sample["seed"], part, *counts, when(sample)])
        lost = [row for row in sample["mutants"] if row["outcome"] == "survived"]
        survivors += [[sample["seed"], f"{row['file']}:{row['line']}", f"`{row['change']}`"] for row in lost]
    head = ("sample", "part", "mutants", "killed", "endless", "survived", "noticed", "on")
    listed = markdown_table(("sample", "survivor", "change"), survivors) if survivors else "No mutant survived.\n"
    measured = "\n".join(f"- `{each['command']}`: {len(each['mutants'])} of {each['of']:,} possible faults" for each in samples)
    return f"{markdown_table(head, table, 'llr')}\n{measured}\n\n{listed}"


def when(sample: Sample) -> str:
    """The day, and whether rules, core or engine have changed since."""
    return f"{sample['date']}{'' if sample['sources'] == digest(PACKAGE) else ', earlier sources'}"


if __name__ == "__main__":
    run_command(main, MutantsSettings, __doc__)
