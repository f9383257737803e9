"""How every script becomes a command."""

from __future__ import annotations

import dataclasses
import inspect
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated, Any

import tyro

from pirate_envs.core.errors import PirateError
from pirate_envs.core.options import parse_options

Assignments = Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="NAME=VALUE")]
"""A flag that may be repeated, each time with a NAME=VALUE (the value as JSON); `parse_options` reads it."""
GameOptions = Annotated[Assignments, tyro.conf.arg(name="option")]
"""Options of a game: --option NAME=VALUE."""
Hidden = tyro.conf.Suppress


def command_line(script: str) -> str:
    """The command as it was typed, to stand beside what it measured."""
    return " ".join(["python -m", f"experiments.{script}", shlex.join(sys.argv[1:])]).strip()


def run_command(
    main: Callable[[Any], Any], settings: type, description: str | None = None, interrupted: str = "interrupted"
) -> None:
    """Call `main` with settings from the command line; bad input and Ctrl-C end it with one line."""
    try:
        main(tyro.cli(settings, prog=program(), description=description))
    except PirateError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(interrupted)


def program() -> str:
    """The command without its flags: python -m and the module that is run."""
    module = sys.modules["__main__"].__spec__
    return sys.argv[0] if module is None else f"python -m {module.name}"


def flags_of(settings: type, fields: Mapping[str, tuple[Any, Any]], texts: tuple[str, ...] = ()) -> type[Any]:
    """The settings as flags: some fields take other types and defaults or are added; `texts` are NAME=VALUE ones among them.

    What is parsed has mappings in place of such texts.
    """

    def read_texts(self: Any) -> None:
        for name in texts:
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                setattr(self, name, parse_options(given))
        settings.__post_init__(self)  # type: ignore[attr-defined]

    return dataclasses.make_dataclass(
        settings.__name__,
        [(name, kind, field(default=default)) for name, (kind, default) in fields.items()],
        bases=(settings,),
        namespace={"__post_init__": read_texts, "__doc__": inspect.getdoc(settings)},
    )
