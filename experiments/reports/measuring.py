"""The code that measures: a digest of what a report's numbers come of, and none of the words in which they are told."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from experiments.reports.report import Report

WORDS = ("statement", "more", "advice", "draw", "size")
"""Of a report, what tells of its findings and finds none."""
SHARED, TELLING = "experiments.reports.", "experiments.reports.report"
"""Modules that reports share, but for the one that says what a report is: it measures nothing."""


def measuring_code(kind: type[Report]) -> str:
    """SHA-256 of the code that measures: a report's class but for WORDS, and what that names in its module.

    Comments, docstrings and the layout of lines do not count; what other modules do does not either (`shared_code`).
    """
    found = sorted(_reached(kind))
    return _digest(ast.dump(_node(kind, module, name)) for module, name in found if module == kind.__module__)


def shared_code(kind: type[Report]) -> str:
    """SHA-256 of what the code that measures takes from other modules of the reports, and of what that takes in turn."""
    found = sorted(_reached(kind))
    return _digest(
        f"{module}.{name} {ast.dump(_node(kind, module, name))}" for module, name in found if module != kind.__module__
    )


class _Module(NamedTuple):
    named: Mapping[str, ast.stmt]
    """What it gives names to."""
    taken: Mapping[str, tuple[str, str]]
    """Name -> the shared module that it is taken from, and its name there."""


@cache
def _module(name: str) -> _Module:
    tree = _without_docstrings(ast.parse(inspect.getsource(importlib.import_module(name))))
    taken = {
        each.asname or each.name: (node.module, each.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(SHARED) and node.module != TELLING
        for each in node.names
    }
    return _Module({name: node for node in tree.body for name in _names(node)}, taken)


def _node(kind: type[Report], module: str, name: str) -> ast.stmt:
    """What the module gives that name to; of the report's own class without WORDS."""
    node = _module(module).named[name]
    if not isinstance(node, ast.ClassDef) or (module, name) != (kind.__module__, kind.__name__):
        return node
    body = [each for each in node.body if not set(_names(each)) & set(WORDS)]
    fields = {field: value for field, value in ast.iter_fields(node) if field != "body"}
    return ast.ClassDef(**fields, body=body)


def _reached(kind: type[Report]) -> set[tuple[str, str]]:
    """Module and name of the report and of all that is named by what is reached."""
    reached: set[tuple[str, str]] = set()
    left = [(kind.__module__, kind.__name__)]
    while left:
        module, name = left.pop()
        named, taken = _module(module)
        if name in taken:
            left.append(taken[name])
        elif name in named and (module, name) not in reached:
            reached.add((module, name))
            left += [(module, each.id) for each in ast.walk(_node(kind, module, name)) if isinstance(each, ast.Name)]
    return reached


def _digest(told: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [each for each in node.body if not _is_text(each)]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _names(node: ast.stmt) -> list[str]:
    """What a statement of a module or a class gives a name to."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
