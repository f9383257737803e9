"""Nothing that is shipped runs what it reads: no pickles, no evaluated text, no shell, no archive unpacked unseen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_imports import MODULES

MODULES_THAT_RUN = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "code", "runpy"}
CALLS_THAT_RUN = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "pty.spawn"),
    *(f"os.{kind}{how}" for kind in ("exec", "spawn") for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *("subprocess.getoutput", "subprocess.getstatusoutput"),
    *("torch.load", "torch.hub.load", "numpy.fromregex", "pandas.read_pickle", "yaml.load"),
}
METHODS_THAT_RUN = {"extractall", "unpack_archive", "read_pickle", "load_module", "exec_module"}
HARMLESS_ARGUMENTS = {"shell": False, "allow_pickle": False, "weights_only": True}
ERRORS_OF_PICKLE = {"UnpicklingError", "PickleError"}  # caught where Numba's cache is read


def dangers(tree: ast.AST) -> Iterator[str]:
    """Each place of a syntax tree that could run foreign code, as text: whoever is called by another name is found too."""
    harmless = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ERRORS_OF_PICKLE}
    names = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (ast.unparse(node) for alias in node.names if alias.asname and alias.name in MODULES_THAT_RUN)
            yield from (alias.name for alias in node.names if alias.name in MODULES_THAT_RUN - {"pickle"})
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES_THAT_RUN:
            yield ast.unparse(node)
        elif isinstance(node, ast.Name | ast.Attribute):
            called = spelled(node, names)
            unpickles = called == "pickle" and id(node) not in harmless
            if unpickles or called in CALLS_THAT_RUN or called.rpartition(".")[2] in METHODS_THAT_RUN:
                yield called
        elif isinstance(node, ast.keyword) and not is_harmless(node):
            yield ast.unparse(node)


def is_harmless(argument: ast.keyword) -> bool:
    """Whether it is none of the arguments that matter, or says outright what it should."""
    value = argument.value
    return argument.arg not in HARMLESS_ARGUMENTS or (
        isinstance(value, ast.Constant) and value.value is HARMLESS_ARGUMENTS[argument.arg]
    )


def imported(tree: ast.AST) -> dict[str, str]:
    """What the names of a module stand for that it imports."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update({alias.asname: alias.name for alias in node.names if alias.asname})
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return names


def spelled(node: ast.expr, names: dict[str, str]) -> str:
    """A name or attribute as it would be written without `import ... as` and `from ... import`."""
    first, dot, rest = ast.unparse(node).partition(".")
    return f"{names.get(first, first)}{dot}{rest}".removeprefix("builtins.")


@pytest.mark.parametrize("module", MODULES)
def test_nothing_runs_what_it_reads(module: str) -> None:
    assert list(dangers(parsed(MODULES[module]))) == []


def parsed(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        "import pickle; pickle.load(f)", "import pickle; load = pickle.loads", "import pickle as p", "from pickle import load",
        "import cloudpickle", "import marshal", "from shelve import open", "eval(text)", "exec(text)", "__import__(name)",
        "tar.extractall(folder)", "shutil.unpack_archive(file)", "torch.load(path)", "torch.load(path, weights_only=False)",
        "np.load(path, allow_pickle=True)", "subprocess.run(text, shell=True)", "os.system(text)", "os.popen(text)",
        "from torch import load; load(path)", "import torch as t; t.load(path)", "from os import system as s; s(text)",
        "import subprocess as s; s.getoutput(text)", "import builtins; builtins.eval(text)", "run = eval", "map(exec, texts)",
        "np.load(path, allow_pickle=flag)", "subprocess.run(text, shell=flag)", "import os as o; o.execvp(name, words)",
        "from shutil import unpack_archive as u; u(file)",
    ],
)  # fmt: skip
def test_each_of_them_would_be_found(line: str) -> None:
    assert list(dangers(ast.parse(line)))


def test_what_is_harmless_is_not() -> None:
    lines = "import pickle, re\nre.compile('x')\nmodel.eval()\ntry:\n    pass\nexcept pickle.UnpicklingError:\n    pass"
    assert list(dangers(ast.parse(lines))) == []
