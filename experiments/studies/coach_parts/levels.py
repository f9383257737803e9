"""By how much what worlds say is off: a hand looks better than it is. Fitted to decisions that were played out.

Kept apart from how they are played (`calibration`), so that another fit asks for no new ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from experiments.studies.coach_parts.matches import by_deal
from pirate_envs.agents.coach.choice import POINTS
from pirate_envs.agents.coach.yardsticks import UNITS, Levels, terms

THIRDS = ("early", "middle", "late")
FEWEST = 30  # decisions of a phase that is told
ENOUGH = 500  # decisions of a kind to fit a line to


Lines = dict[str, dict[str, list[float]]]


def key(name: str, unit: str) -> str:
    """The column of what was said, or came, in a unit."""
    return name if unit == POINTS else f"{name}, {unit}"


def lines(found: Mapping[str, np.ndarray]) -> Lines:
    """What `yardsticks.Levels` holds, fitted to these columns: of all units that are there, and of all kinds of decisions that
    have ENOUGH of them.
    """
    kinds, sizes = np.unique(found["kind"], return_counts=True)
    units = [unit for unit in UNITS if key("said", unit) in found]
    enough = kinds[sizes >= ENOUGH]
    return {unit: {str(kind): _line(found, unit, found["kind"] == kind) for kind in enough} for unit in units if len(enough)}


def _line(found: Mapping[str, np.ndarray], unit: str, rows: np.ndarray) -> list[float]:
    """What was said the first time and the second are instruments of each other."""
    stage, (said, again, real) = found["stage"][rows], (found[key(name, unit)][rows] for name in ("said", "again", "real"))
    first, second = terms(unit, stage, said), terms(unit, stage, again)
    seen, instruments = np.concatenate([first, second]), np.concatenate([second, first])
    off = np.concatenate([real - said, real - again])
    fitted = np.linalg.lstsq(instruments.T @ seen, instruments.T @ off, rcond=None)[0]
    return [round(float(number), 6) for number in fitted]


def corrections(found: Mapping[str, np.ndarray], levels: Levels, unit: str) -> np.ndarray:
    """Of what is said of each decision's own action, float64, (n,); NaN for a kind that the levels do not know."""
    decided = zip(found["kind"], found["stage"], found[key("said", unit)], strict=True)
    told = [levels.correction(unit, str(kind), int(stage), float(said)) for kind, stage, said in decided]
    return np.array([np.nan if off is None else off for off in told])


def cross_corrections(found: Mapping[str, np.ndarray], unit: str) -> np.ndarray:
    """The same by lines that were fitted to the other half of the decisions."""
    halves = [{name: column[part::2] for name, column in found.items()} for part in (0, 1)]
    off = np.zeros(len(found["kind"]))
    for part, half in enumerate(halves):
        fitted = {
            unit: {kind: np.array(line) for kind, line in by_kind.items()} for unit, by_kind in lines(halves[1 - part]).items()
        }
        off[part::2] = corrections(half, Levels(fitted), unit)
    return off


def left(found: Mapping[str, np.ndarray], unit: str) -> dict[str, dict[str, float]]:
    """Real less judged levels of a unit, as `level` and, by lines of the other half, as `corrected`: of all and by phase."""
    levels = found[key("real", unit)] - found[key("said", unit)]
    corrected = levels - cross_corrections(found, unit)
    known, everywhere = np.isfinite(corrected), np.ones(len(levels), np.bool_)
    by_phase = phases(found["kind"], found["stage"])
    told = {}
    for of, rows in {"": everywhere, **{f", {phase}": rows for phase, rows in by_phase.items()}}.items():
        told[f"level{of}"] = _mean(levels[rows])
        if (rows & known).sum() >= FEWEST:
            told[f"corrected{of}"] = _mean(corrected[rows & known])
    return told


def _mean(off: np.ndarray) -> dict[str, float]:
    return {**by_deal(off), "decisions": len(off)}


def phases(kinds: np.ndarray, stages: np.ndarray) -> dict[str, np.ndarray]:
    """Kind of decision and third of the stages -> which of the decisions, bool, (n,)."""
    thirds = np.searchsorted(np.quantile(stages, [1 / 3, 2 / 3]), stages)
    rows = {
        f"{kind}, {name}": (kinds == kind) & (thirds == third) for kind in np.unique(kinds) for third, name in enumerate(THIRDS)
    }
    return {phase: which for phase, which in rows.items() if which.sum() >= FEWEST}
