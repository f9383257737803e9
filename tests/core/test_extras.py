"""Libraries that extras bring: one that is missing or does not fit is told in one sentence."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

import pytest

import pirate_envs
from pirate_envs import MissingExtraError, PartnerVersionError
from pirate_envs.core.extras import FITTING, import_extra

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def install(monkeypatch, **versions: str) -> None:
    """Pretend that these libraries, and no others, are installed."""

    def version(name: str) -> str:
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(importlib.metadata, "version", version)


@pytest.mark.parametrize("name", ["make_rllib", "make_torchrl"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, name):
    install(monkeypatch)
    extra = name.removeprefix("make_")
    with pytest.raises(MissingExtraError, match=rf"{name} needs \w+: pip install 'pirate-envs\[{extra}\]'"):
        getattr(pirate_envs, name)


@pytest.mark.parametrize("version", ["2.9.3", "2.59.1", "2.61.0", "3.0.0rc1"])
def test_a_version_that_does_not_fit_is_named_with_those_that_do(monkeypatch, version):
    install(monkeypatch, ray=version)
    with pytest.raises(PartnerVersionError) as error:
        pirate_envs.make_rllib  # noqa: B018
    said = f"make_rllib does not fit ray {version}; needed: 2.60 or later, before 2.61: pip install 'pirate-envs[rllib]'"
    assert str(error.value) == said


@pytest.mark.parametrize("version", ["2.60.0", "2.60", "2.60.3+cpu"])
def test_a_version_that_fits_is_no_matter(monkeypatch, version):
    install(monkeypatch, ray=version)
    assert import_extra("json", "a door", "rllib").__name__ == "json"


def test_the_extras_ask_for_what_fits():
    for extra, libraries in FITTING.items():
        asked = {each.partition(">=")[0].partition("[")[0]: each for each in PROJECT["optional-dependencies"][extra]}
        for library, (low, high) in libraries.items():
            assert asked[library].endswith(f">={low},<{high}")


def test_a_module_that_is_not_there_is_named_with_its_extra():
    with pytest.raises(MissingExtraError) as error:
        import_extra("no_such_library.part", "a door")
    assert str(error.value) == "a door needs no_such_library: pip install 'pirate-envs[train]'"


def test_a_missing_part_of_the_package_is_no_missing_library():
    with pytest.raises(ModuleNotFoundError) as error:
        import_extra("pirate_envs.no_such_part", "a door")
    assert error.type is ModuleNotFoundError
