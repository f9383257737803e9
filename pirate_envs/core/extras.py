"""Parts of the package that need more than it installs: what is missing or does not fit is told in one sentence."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Mapping
from types import ModuleType

from pirate_envs.core.errors import MissingExtraError, PartnerVersionError

FITTING: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "openspiel": {"open_spiel": ("2.0", "3")},
    "ray": {"ray": ("2.49", "3")},
    "rllib": {"ray": ("2.60", "2.61")},
    "torchrl": {"torchrl": ("0.14", "0.15"), "tensordict": ("0.14", "0.15")},
}
"""Extra -> library -> the first version that fits and the first that no longer does."""


def import_extra(module: str, purpose: str, extra: str = "train") -> ModuleType:
    """Import `module`, which `purpose` needs.

    Raises MissingExtraError if a library that the extra brings is not there, PartnerVersionError if it does not fit.
    """
    for library, bounds in FITTING.get(extra, {}).items():
        check_version(library, bounds, purpose, extra)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in ("", "pirate_envs"):
            raise
        raise MissingExtraError(_missing(library, purpose, extra)) from None


def check_version(library: str, bounds: tuple[str, str], purpose: str, extra: str) -> None:
    """Raise MissingExtraError or PartnerVersionError unless the library is installed in a version within the bounds."""
    try:
        version = importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtraError(_missing(library, purpose, extra)) from None
    low, high = bounds
    if not _numbers(low) <= _numbers(version) < _numbers(high):
        fits = f"needed: {low} or later, before {high}"
        raise PartnerVersionError(f"{purpose} does not fit {library} {version}; {fits}: pip install 'pirate-envs[{extra}]'")


def _missing(library: str, purpose: str, extra: str) -> str:
    return f"{purpose} needs {library}: pip install 'pirate-envs[{extra}]'"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0])[:2])
