"""What comes with the coach as data, measured on other matches: how luck is weighed, how well the shipped players decide, and
by how much worlds overrate who looks at them.

Three files a game, written by `python -m experiments.studies.coach --ship`: `luck_GAME.json`, `ladder_GAME.json` and
`levels_GAME.json`. They belong to one version of the game and, by the digest of its weights, to one policy; with another one
luck is weighed by the plain weights (which is right on average too), and there is no ladder and no level. Ladder and levels
belong to the options that they were measured with, too: to the number of seats and to the rules of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.sealed import read_json
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game

FOLDER = Path(__file__).resolve().parent
ESTIMATES = 2  # of a worth: what the seat sees less what the others see, what the cards bring
UNITS = (POINTS, WIN)
KINDS = ("cards", "choice")
EVERY = "every"  # decision, of whatever kind
LARGEST = 1e6
Made = TypeVar("Made")


@dataclass(frozen=True)
class LuckWeights:
    """How much of each estimate is luck."""

    weights: Mapping[str, np.ndarray]
    """Kind of moment -> float64, (2, ESTIMATES): of the points, then of the win."""

    def of(self, kind: str) -> np.ndarray:
        """Of a kind of moment."""
        return self.weights[kind]


PLAIN = LuckWeights({kind: np.array([[0.5, 0], [0.5, 0]]) for kind in KINDS})
"""Half of what the seat sees more than the others."""


@dataclass(frozen=True)
class Rung:
    """A player of the ladder."""

    player: str
    rates: Mapping[str, Mapping[str, Interval]]
    """Unit -> kind of decision, or EVERY -> its error rate: what it loses a decision with a choice."""


@dataclass(frozen=True)
class Ladder:
    """The shipped players."""

    rungs: tuple[Rung, ...]
    players: int
    """Seats at the table where they were measured, against policies."""

    def order(self, unit: str, kind: str) -> list[tuple[str, Interval]]:
        """Players and their rates, the worst first, as measured in that unit on that kind of decision (EVERY: on all)."""
        rates = [(rung.player, rung.rates[unit][kind]) for rung in self.rungs if kind in rung.rates.get(unit, {})]
        return sorted(rates, key=lambda rate: -rate[1].mean)


@dataclass(frozen=True)
class Levels:
    """By how much what comes true differs from what worlds say: for each kind of decision a line in its stage and in that.

    Of the win its log odds are moved so, to first order: what is all but won or lost is hardly moved.
    """

    lines: Mapping[str, Mapping[str, np.ndarray]]
    """Unit -> kind of decision -> float64, (3,): of the `terms` of what the worlds say of the best action."""

    def correction(self, unit: str, kind: str, stage: int, said: float) -> float | None:
        """To add to what the worlds say of any action, `said` of the best; None for a kind that was too rare to tell."""
        line = self.lines.get(unit, {}).get(kind)
        return None if line is None else float(terms(unit, np.array([stage]), np.array([said]))[0] @ line)


def terms(unit: str, stages: np.ndarray, said: np.ndarray) -> np.ndarray:
    """Constant, stage and what was said; of the win times the odds' slope, p (1 - p). float64, (n, 3)."""
    line = np.column_stack([np.ones(len(said)), stages, said])
    return line * (said * (1 - said))[:, None] if unit == WIN else line


def luck_file(game: Game) -> Path:
    """Where a game's weights of luck lie."""
    return FOLDER / f"luck_{game.name}.json"


def ladder_file(game: Game) -> Path:
    """Where a game's ladder lies."""
    return FOLDER / f"ladder_{game.name}.json"


def levels_file(game: Game) -> Path:
    """Where a game's corrections of levels lie."""
    return FOLDER / f"levels_{game.name}.json"


def luck_weights(game: Game, policy: Policy) -> LuckWeights:
    """Those that come with the game, else PLAIN. Raises CheckpointError for a file that is damaged."""
    return _read(luck_file(game), _luck, game, policy) or PLAIN


def ladder_of(game: Game, policy: Policy | None) -> Ladder | None:
    """The one that comes with the game, if measured with this policy and these options.

    Raises CheckpointError for a file that is damaged.
    """
    return _read(ladder_file(game), _with_options(game, _ladder), game, policy)


def levels_of(game: Game, policy: Policy | None) -> Levels | None:
    """Those that come with the game, if measured with this policy and these options.

    Raises CheckpointError for a file that is damaged.
    """
    return _read(levels_file(game), _with_options(game, _levels), game, policy)


def _with_options(game: Game, make: Callable[[Any], Made]) -> Callable[[Any], Made | None]:
    """What is made of content that was measured with the game's options, else None."""
    return lambda content: make(content) if content["options"] == game.options.changed() else None


def _read(path: Path, make: Callable[[Any], Made | None], game: Game, policy: Policy | None) -> Made | None:
    if not path.is_file():
        return None
    content = read_json(path)
    try:
        if content["game"] != game.id or content["policy"] != (policy and policy.learned):
            return None
        return make(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{path} is damaged: {type(error).__name__} {error}") from None


def _luck(content: Any) -> LuckWeights:
    weights = {kind: np.array([content["weights"][kind][unit] for unit in UNITS], np.float64) for kind in KINDS}
    for kind, rows in weights.items():
        if rows.shape != (len(UNITS), ESTIMATES) or not (np.abs(rows) < LARGEST).all():
            raise ValueError(f"weights of {kind}")
    return LuckWeights(weights)


def _levels(content: Any) -> Levels:
    lines = {
        unit: {str(kind): np.array([_number(each) for each in line]) for kind, line in content["lines"][unit].items()}
        for unit in content["lines"]
    }
    of_all = [line for by_kind in lines.values() for line in by_kind.values()]
    if not of_all or not set(lines) <= set(UNITS) or any(line.shape != (3,) for line in of_all):
        raise ValueError("no lines, or one that is not of three numbers")
    return Levels(lines)


def _ladder(content: Any) -> Ladder:
    rungs = tuple(
        Rung(str(rung["player"]), {unit: _rates(rung["rates"][unit]) for unit in rung["rates"]}) for rung in content["rungs"]
    )
    if not rungs or any(EVERY not in rates for rung in rungs for rates in rung.rates.values()):
        raise ValueError("no rungs, or one without a rate")
    return Ladder(rungs, int(content["players"]))


def _rates(given: Mapping[str, Mapping[str, Any]]) -> dict[str, Interval]:
    return {str(kind): Interval(*(_number(rate[end]) for end in ("mean", "low", "high"))) for kind, rate in given.items()}


def _number(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given) or abs(given) > LARGEST:
        raise ValueError(f"{given!r} is no number")
    return float(given)
