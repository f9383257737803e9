"""Game options: frozen dataclasses whose fields say what they allow, checked with errors that say so."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from pirate_envs.core.errors import OptionError

REWARDS = ("win", "score", "margin")


def option(
    default: Any, meaning: str, *, low: int | None = None, high: int | None = None, choices: tuple[str, ...] = ()
) -> Any:
    """A dataclass field for an option: an integer in low..high, one of `choices`, or a bool (by its default)."""
    return dataclasses.field(default=default, metadata={"meaning": meaning, "low": low, "high": high, "choices": choices})


def allowed(field: dataclasses.Field[Any]) -> str:
    """What values the option takes, in words."""
    choices = field.metadata.get("choices")
    if choices:
        return "one of " + ", ".join(repr(choice) for choice in choices)
    if isinstance(field.default, bool):
        return "True or False"
    if field.metadata.get("low") is not None:
        return f"an integer from {field.metadata['low']} to {field.metadata['high']}"
    return str(field.metadata.get("allowed", "see the rules"))


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every game; a game's own class adds its fields. Build with `Options.of`, which applies presets."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Values of the option `rules` -> the other options that it sets."""

    players: int
    reward: str = option(
        "win",
        "win: winners share +1, the others -1; score: points / scale; margin: own minus the mean of the others, / scale",
        choices=REWARDS,
    )
    pay_as_scored: bool = option(False, "with score and margin: pay points as they are scored instead of at the end")

    @classmethod
    def of(cls, **given: Any) -> Self:
        """Check and build. Explicit options win over those of the preset. Raises OptionError."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for name in given:
            if name not in fields:
                raise OptionError(f"unknown option {name!r}; there are: {', '.join(fields)}")
        if cls.PRESETS:
            preset = given.get("rules", fields["rules"].default)
            cls._check_field(fields["rules"], preset)
            given = {**cls.PRESETS[preset], **given}
        return cls(**given)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check_field(field, getattr(self, field.name))
        if self.pay_as_scored and self.reward == "win":
            raise OptionError("pay_as_scored=True needs reward='score' or 'margin', not 'win': a win is known at the end only")
        self.check()

    @staticmethod
    def _check_field(field: dataclasses.Field[Any], value: Any) -> None:
        meta = field.metadata
        if meta.get("choices"):
            good = isinstance(value, str) and value in meta["choices"]
        elif isinstance(field.default, bool):
            good = isinstance(value, bool)
        elif meta.get("low") is not None:
            good = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and meta["low"] <= value <= meta["high"]
        else:
            return  # the game checks it in `check`
        if not good:
            raise OptionError(f"option {field.name!r} is {value!r}; allowed: {allowed(field)}")

    def check(self) -> None:
        """Further checks of a game: options that must fit together. Raises OptionError."""

    def write(self, g: np.record) -> None:
        """Put the options into a record's fields of the same names; a choice as its index."""
        for field in dataclasses.fields(self):
            if field.name in (g.dtype.names or ()):
                value = getattr(self, field.name)
                choices = field.metadata.get("choices")
                g[field.name] = choices.index(value) if choices else value

    def changed(self) -> dict[str, Any]:
        """The options that `of` needs to build these: players, the preset, and what differs from it."""
        fields = {field.name: field.default for field in dataclasses.fields(self)}
        usual = {**fields, **self.PRESETS.get(getattr(self, "rules", ""), {})}
        values = {name: getattr(self, name) for name in fields}
        return {
            name: value
            for name, value in values.items()
            if name == "players" or value != (fields["rules"] if name == "rules" else usual[name])
        }

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """Rows (name, default, allowed, meaning) for documentation."""
        return [
            (field.name, repr(field.default), allowed(field), field.metadata.get("meaning", ""))
            for field in dataclasses.fields(cls)
        ]
