"""How every script becomes a command."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import Any

import tyro

from pirate_envs.core.errors import PirateError


def command_line(script: str) -> str:
    """The command as it was typed, to stand beside what it measured."""
    return " ".join(["python -m", f"experiments.{script}", shlex.join(sys.argv[1:])]).strip()


def run_command(
    main: Callable[[Any], Any], settings: type, description: str | None = None, interrupted: str = "interrupted"
) -> None:
    """Call `main` with settings from the command line; bad input and Ctrl-C end it with one line."""
    try:
        main(tyro.cli(settings, description=description))
    except PirateError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(interrupted)
