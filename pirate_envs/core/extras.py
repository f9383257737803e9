"""Parts of the package that need more than it installs: what is missing is told in one sentence that names the extra."""

from __future__ import annotations

import importlib
from types import ModuleType

from pirate_envs.core.errors import MissingExtraError


def import_extra(module: str, purpose: str, extra: str = "train") -> ModuleType:
    """Import `module`, which `purpose` needs. Raises MissingExtraError if a library that the extra brings is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in ("", "pirate_envs"):
            raise
        raise MissingExtraError(f"{purpose} needs {library}: pip install 'pirate-envs[{extra}]'") from None
