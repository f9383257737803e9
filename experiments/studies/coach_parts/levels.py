"""By how much what worlds say is off: a hand looks better than it is. Fitted to decisions that were played out.

Kept apart from how they are played (`calibration`), so that another fit asks for no new ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pirate_envs.agents.coach.yardsticks import Levels

THIRDS = ("early", "middle", "late")
FEWEST = 30  # decisions of a phase that is told
ENOUGH = 500  # decisions of a kind to fit a line to


def lines(found: Mapping[str, np.ndarray]) -> dict[str, list[float]]:
    """What `yardsticks.Levels` holds, fitted to these columns; a kind of decision that has not ENOUGH of them is left out."""
    made = {}
    for kind in np.unique(found["kind"]):
        its = {key: column[found["kind"] == kind] for key, column in found.items()}
        if len(its["real"]) >= ENOUGH:
            rest = [np.ones(len(its["real"])), its["stage"]]
            said, again = (np.column_stack([*rest, its[key]]) for key in ("said", "again"))
            seen, instruments = np.concatenate([said, again]), np.concatenate([again, said])
            off = np.tile(its["real"], 2) - seen[:, -1]
            line = np.linalg.lstsq(instruments.T @ seen, instruments.T @ off, rcond=None)[0]
            made[str(kind)] = [round(float(number), 6) for number in line]
    return made


def corrections(found: Mapping[str, np.ndarray], levels: Levels) -> np.ndarray:
    """Of what is said of each decision's own action, float64, (n,); NaN for a kind that the levels do not know."""
    decided = zip(found["kind"], found["stage"], found["said"], strict=True)
    told = [levels.correction(str(kind), int(stage), float(said)) for kind, stage, said in decided]
    return np.array([np.nan if off is None else off for off in told])


def cross_corrections(found: Mapping[str, np.ndarray]) -> np.ndarray:
    """The same by lines that were fitted to the other half of the decisions."""
    halves = [{key: column[part::2] for key, column in found.items()} for part in (0, 1)]
    off = np.zeros(len(found["real"]))
    for part, half in enumerate(halves):
        fitted = {kind: np.array(line) for kind, line in lines(halves[1 - part]).items()}
        off[part::2] = corrections(half, Levels(fitted))
    return off


def phases(kinds: np.ndarray, stages: np.ndarray) -> dict[str, np.ndarray]:
    """Kind of decision and third of the stages -> which of the decisions, bool, (n,)."""
    thirds = np.searchsorted(np.quantile(stages, [1 / 3, 2 / 3]), stages)
    rows = {
        f"{kind}, {name}": (kinds == kind) & (thirds == third) for kind in np.unique(kinds) for third, name in enumerate(THIRDS)
    }
    return {phase: which for phase, which in rows.items() if which.sum() >= FEWEST}
