"""How every script becomes a command."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

import tyro

from pirate_envs.agents.arena.workers import Workers
from pirate_envs.core.errors import OptionError, PirateError, shown, told
from pirate_envs.core.files import check_writable_folder
from pirate_envs.core.options import parse_options, whole_number
from pirate_envs.core.signals import Terminated, terminating

RESULTS = Path(__file__).parent / "results"
"""Where what was measured is kept."""

GameName = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
Assignments = Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="NAME=VALUE")]
"""A flag that may be repeated, each time with a NAME=VALUE (the value as JSON); `parse_options` reads it."""
GameOptions = Annotated[Assignments, tyro.conf.arg(name="option")]
"""Options of a game: --option NAME=VALUE."""

WorkerFlags = Annotated[Workers, tyro.conf.arg(name="")]
"""Who does the work: --workers, --on and --address."""


def run_command(
    main: Callable[[Any], Any], settings: type, description: str | None = None, interrupted: str = "interrupted"
) -> None:
    """Call `main` with settings from the command line.

    Bad input, files that cannot be read or written and Ctrl-C end it with one line and exit status 1, SIGTERM and SIGHUP with
    one line and 143 and 129.
    """
    try:
        with terminating():
            given: Any = tyro.cli(settings, prog=program(), description=description)
            if getattr(given, "write", False):  # before long work
                check_writable_folder(RESULTS)
            main(given)
    except PirateError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {told(error)}")
    except MemoryError as error:
        sys.exit(f"error: out of memory: {error}")
    except Terminated as end:
        print(interrupted, file=sys.stderr)
        sys.exit(end.status)
    except KeyboardInterrupt:
        sys.exit(interrupted)


def check_numbers(settings: Any, **bounds: tuple[float, float]) -> None:
    """See that the settings of these names lie within bounds, whole numbers where the bounds are; of a tuple all of them do.

    Raises OptionError.
    """
    for name, (least, most) in bounds.items():
        flag, given = f"--{name.replace('_', '-')}", getattr(settings, name)
        for value in given if isinstance(given, tuple) else (given,):
            if isinstance(least, int):
                whole_number(flag, value, least, int(most))
            elif isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
                raise OptionError(f"{flag} is {shown(value)}; allowed: a number from {least:g} to {most:g}")


def check_written_of(settings: Any, *names: str) -> None:
    """See that --write, which keeps one result a game, is given with the usual values of the settings of these names alone.

    Raises OptionError.
    """
    usual = {each.name: each.default for each in dataclasses.fields(settings)}
    for name in names if settings.write else ():
        if getattr(settings, name) != usual[name]:
            flag = f"--{name.replace('_', '-')}"
            given = shown(getattr(settings, name))
            raise OptionError(f"--write keeps what is found by {flag} {usual[name]}, not by {given}; leave one of both out")


def program() -> str:
    """The command without its flags: python -m and the module that is run."""
    module = sys.modules["__main__"].__spec__
    return sys.argv[0] if module is None else f"python -m {module.name.removesuffix('.__main__')}"


def given_flags(words: Sequence[str] | None = None) -> frozenset[str]:
    """The settings that the command line names by a flag, be it with their usual values: `learner.gae_lambda` for one."""
    flags = [word[2:].partition("=")[0] for word in (sys.argv[1:] if words is None else words) if word.startswith("--")]
    names = {flag.replace("-", "_") for flag in flags}
    return frozenset("options" if name == "option" else name for name in names)


def unflagged(settings: type[Any], flags: Any) -> Any:
    """What was told by flags_of(settings), as settings again: of a class that other processes know, to be sent."""
    return settings(**{each.name: getattr(flags, each.name) for each in dataclasses.fields(settings)})


def flags_of(settings: type, fields: Mapping[str, tuple[Any, Any]], hidden: Sequence[str] = ()) -> type[Any]:
    """The settings as flags: some fields take other types and defaults (type, default) or are added, and some have no flag.

    What is parsed has mappings in place of Assignments. Raises OptionError for one that is none.
    """
    texts = [name for name, (kind, _) in fields.items() if kind in (Assignments, GameOptions)]

    def read_assignments(self: Any) -> None:
        for name in texts:
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                setattr(self, name, parse_options(given))
        settings.__post_init__(self)  # type: ignore[attr-defined]

    told = [(name, kind, field(default=default)) for name, (kind, default) in fields.items()]
    untold = [
        (each.name, Annotated[Any, tyro.conf.Suppress], field(default=each.default, default_factory=each.default_factory))
        for each in dataclasses.fields(settings)
        if each.name in hidden
    ]
    namespace = {"__post_init__": read_assignments, "__doc__": inspect.getdoc(settings)}
    return dataclasses.make_dataclass(settings.__name__, [*told, *untold], bases=(settings,), namespace=namespace)
