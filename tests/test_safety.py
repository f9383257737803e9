"""Nothing that is shipped runs what it reads: no pickles, no evaluated text, no shell, no archive unpacked unseen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_imports import MODULES

MODULES_THAT_RUN = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "code", "runpy"}
CALLS_THAT_RUN = {
    *("eval", "exec", "compile", "__import__"),
    *("os.system", "os.popen", "torch.load", "torch.hub.load", "np.fromregex", "pandas.read_pickle", "yaml.load"),
}
METHODS_THAT_RUN = {"extractall", "unpack_archive", "read_pickle", "load_module", "exec_module"}
ARGUMENTS_THAT_RUN = {("shell", True), ("allow_pickle", True), ("weights_only", False)}
ERRORS_OF_PICKLE = {"UnpicklingError", "PickleError"}  # caught where Numba's cache is read


def dangers(tree: ast.AST) -> Iterator[str]:
    """Each place of a syntax tree that could run foreign code, as text."""
    harmless = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ERRORS_OF_PICKLE}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (ast.unparse(node) for alias in node.names if alias.asname and alias.name in MODULES_THAT_RUN)
            yield from (alias.name for alias in node.names if alias.name in MODULES_THAT_RUN - {"pickle"})
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES_THAT_RUN:
            yield ast.unparse(node)
        elif isinstance(node, ast.Name) and node.id == "pickle" and id(node) not in harmless:
            yield "pickle"
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in CALLS_THAT_RUN or called.rpartition(".")[2] in METHODS_THAT_RUN:
                yield ast.unparse(node)
            for keyword in node.keywords:
                if isinstance(keyword.value, ast.Constant) and (keyword.arg, keyword.value.value) in ARGUMENTS_THAT_RUN:
                    yield ast.unparse(node)


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
    ],
)  # fmt: skip
def test_each_of_them_would_be_found(line: str) -> None:
    assert list(dangers(ast.parse(line)))


def test_what_is_harmless_is_not() -> None:
    lines = "import pickle, re\nre.compile('x')\nmodel.eval()\ntry:\n    pass\nexcept pickle.UnpicklingError:\n    pass"
    assert list(dangers(ast.parse(lines))) == []
