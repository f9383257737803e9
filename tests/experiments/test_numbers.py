"""Every command tells a number that cannot be, and a folder that cannot be written, before it does anything."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import pkgutil
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import experiments
from experiments import beliefs, studies, values
from pirate_envs.core.errors import CheckpointError, PirateError

NEVER = (math.nan, math.inf, -math.inf, -1, 10**400)
PAIR = ("random", "rules:simple")
TOLD = {"game": "skull_king", "kind": "bid", "line_up": PAIR, "players": PAIR, "runs": (Path("no"),), "data": Path("no")}


def commands() -> Iterator[tuple[str, Any]]:
    """Modules with a main of settings, and these."""
    for package in (experiments, studies):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            main = None if module.ispkg else getattr(importlib.import_module(module.name), "main", None)
            for kind in typing.get_type_hints(main).values() if main and inspect.signature(main).parameters else ():
                if dataclasses.is_dataclass(kind):
                    yield module.name, kind


def wrong_numbers(settings: Any) -> Iterator[tuple[str, Any]]:
    for each in dataclasses.fields(settings):
        if each.init and type(each.default) in (int, float):
            yield from ((each.name, value) for value in (NEVER if type(each.default) is float else (*NEVER, 0.5)))


@pytest.mark.parametrize(("module", "settings"), list(commands()))
def test_numbers_that_cannot_be(module: str, settings: Any) -> None:
    fields = dataclasses.fields(settings)
    needed = {each.name for each in fields if each.name == "game" or each.default is each.default_factory}  # both missing
    for name, value in wrong_numbers(settings):
        with pytest.raises(PirateError, match="allowed"):
            importlib.import_module(module).main(settings(**{each: TOLD[each] for each in needed}, **{name: value}))


@pytest.mark.parametrize(
    ("module", "main", "settings"),
    [(values, values.main, values.ValueSettings), (beliefs, beliefs.main, beliefs.BeliefSettings)],
)
def test_no_head_is_fitted_that_cannot_be_saved(
    module: Any, main: Callable[[Any], Any], settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fitted(*_: Any, **__: Any) -> None:
        raise AssertionError("fitted before it was known that it can be saved")

    monkeypatch.setattr(module, "fit", fitted)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CheckpointError, match="exists already"):
        main(settings("skull_king", out=tmp_path))
    with pytest.raises(OSError, match="file"):
        main(settings("skull_king", out=tmp_path / "file" / "x"))
