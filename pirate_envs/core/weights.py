"""The numbers by which a rule player weighs its choices: one flat vector, in the `weights.json` of its game's folder.

`python -m experiments.tune GAME` finds them and writes the file; the game reads it at import into the constants that compiled
code freezes. The file counts as a source of that code (core/jit.py): no kernel goes on playing by old numbers. Beside the
player and the values, which are all that is read here, it tells what they started from, the command, and how both did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.core.errors import WeightsError
from pirate_envs.core.files import parse_json

FILE = "weights.json"
LARGEST = 1e6  # far beyond what any rule player could use


@dataclass(frozen=True, eq=False)
class Weights:
    """A rule player's numbers, as its game's file holds them."""

    path: Path
    player: str
    """The rule player whose numbers they are: the strongest."""
    names: tuple[str, ...]
    values: np.ndarray
    """float64, shape (len(names),), read-only."""
    positive: bool
    """Whether every number must be above 0."""

    def checked(self, values: Any) -> np.ndarray:
        """A copy of other values for the same numbers, float64. Raises WeightsError."""
        try:
            array = np.array(values, np.float64)
        except (TypeError, ValueError):
            raise WeightsError(f"weights {values!r} are no numbers") from None
        if array.shape != self.values.shape:
            raise WeightsError(f"weights of shape {array.shape}; {self.player} takes {self.values.shape}")
        for name, value in zip(self.names, array.tolist(), strict=True):
            _check_number(name, value, self.positive)
        return array


def constant_names(scope: Mapping[str, Any], first: str, last: str) -> list[str]:
    """Names of a module's constants from `first` to `last`, in the order in which it defines them, in small letters."""
    names = list(scope)
    return [name.lower() for name in names[names.index(first) : names.index(last) + 1]]


def load_weights(folder: str | Path, player: str, names: Sequence[str], *, positive: bool) -> Weights:
    """The numbers of that rule player from a game's folder. Raises WeightsError, which names the file and what is wrong."""
    path = Path(folder) / FILE
    try:
        values = _values(path, player, names, positive)
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None
    values.flags.writeable = False
    return Weights(path, player, tuple(names), values, positive)


def _values(path: Path, player: str, names: Sequence[str], positive: bool) -> np.ndarray:
    try:
        content = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise WeightsError(f"no readable JSON ({error})") from None
    if not isinstance(content, dict) or content.get("player") != player or not isinstance(content.get("values"), dict):
        raise WeightsError(f"needs an object with the player {player!r} and the values by name")
    values = content["values"]
    if list(values) != list(names):
        missing, foreign = [name for name in names if name not in values], [name for name in values if name not in names]
        what = f"missing: {', '.join(missing) or 'none'}; unknown: {', '.join(foreign) or 'none'}"
        raise WeightsError(f"does not hold the {len(names)} values of {player} in their order ({what})")
    for name, value in values.items():
        _check_number(name, value, positive)
    return np.array(list(values.values()), np.float64)


def _check_number(name: str, value: Any, positive: bool) -> None:
    lowest = 0 if positive else -LARGEST
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not lowest < value < LARGEST:
        raise WeightsError(f"{name} is {value!r}; allowed: a number above {lowest:g} and below {LARGEST:g}")
