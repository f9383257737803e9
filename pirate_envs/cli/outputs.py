"""The files that a command writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import check_writable_file, followed


def check_outputs(places: Mapping[str, Path], match: Path | None = None) -> None:
    """See that what is to be written can be, before long work: flag -> a file of its own, and not the match that is read.

    Raises OptionError or OSError.
    """
    taken = {} if match is None else {followed(match): "the match itself"}
    for flag, place in places.items():
        at = followed(place)
        if at in taken:
            raise OptionError(f"--{flag} {place}: that is {taken[at]}")
        check_writable_file(place)
        taken[at] = f"the file of --{flag}"
