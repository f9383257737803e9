"""Whether what the coach says comes true: differences between actions, and the level of values.

At decisions of the policy's matches, each as likely as any other, the policy's action and another one, drawn at random, are
played in the worlds that the coach tells values from (to the number: a judgement of all actions says the same), and in the true
world. Both go on by the policy.

What is said is noisy, and an ordinary regression of what came on it is flattened by that noise (errors in variables). So the
two actions are played in as many worlds more, which share none with the first: what is said a second time errs on its own, and
each of both serves as the instrument of the other (Fuller 1987, Measurement Error Models, 1.4): cov(came, said) / cov(said,
said again).

Levels are off where the worlds are, and what ships with the coach corrects them (`levels`). What is measured of levels that are
corrected so is measured on each half of the decisions with the lines of the other half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from experiments.reports.lockstep import branched
from experiments.studies.coach_parts.levels import key, left, lines
from experiments.studies.coach_parts.matches import POLICY, by_deal, decisions, redacted
from experiments.studies.coach_parts.part import WORLDS, CoachPart, Columns, Row, Shipped, here
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights
from pirate_envs.agents.coach import Coach, yardsticks
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.judging import STAGE
from pirate_envs.agents.coach.ladder import kind_of

TOGETHER = 256


def work(coach: Coach, seeds: range) -> Columns:
    """A row a decision, in points: what was `said` of the policy's action, said `again`, and `real`; and how much that is more
    than of the other action: `ahead`, `ahead again`, `gained`. The same of the win, played to the end of the match.
    """
    game, policy, drawn = coach.game, agent(coach.game, POLICY), decisions(coach.game, seeds)
    chance = np.random.default_rng(seeds.start)
    legal = [np.array(game.legal_actions(g)) for g in drawn.records]
    others = np.array([chance.choice(its[its != own]) for its, own in zip(legal, drawn.actions, strict=True)])
    records, actions = np.concatenate([drawn.records] * 2), np.concatenate([drawn.actions, others])
    first, again = (said(coach, drawn.records, actions, number) for number in (0, 1))
    columns = compared(first[0], again[0], branched(game, policy, records, actions, STAGE).points)
    if coach.by_win:
        of_the_win = compared(first[1], again[1], branched(game, policy, records, actions).wins)
        columns |= {key(name, WIN): column for name, column in of_the_win.items()}
    return {
        **{name: column.tolist() for name, column in columns.items()},
        "kind": [kind_of(game, g) for g in drawn.records],
        "stage": [int(game.verbs["stage"](g)) for g in drawn.records],
    }


def compared(first: np.ndarray, again: np.ndarray, real: np.ndarray) -> dict[str, np.ndarray]:
    """The policy's actions, which come first, and what they are ahead of the others, float64, (n,) each."""
    (own, other), (own_again, other_again), (gained, lost) = (each.reshape(2, -1) for each in (first, again, real))
    ahead = {"ahead": own - other, "ahead again": own_again - other_again, "gained": gained - lost}
    return {"said": own, "again": own_again, "real": gained, **ahead}


def said(coach: Coach, records: np.ndarray, actions: np.ndarray, number: int) -> np.ndarray:
    """Points and shares of the win of these actions, (times, n) one after the other, of the n records; float64, (2, times * n).

    By the worlds that the coach tells values from (`number` 0), or by as many that come `number` times later. That holds for
    budgets that are spent at once (racing.FIRST).
    """
    roots, worlds = redacted(coach.game, records), coach.budget.worlds
    seeds = coach.seeds(roots)
    told = coach.numbers(roots, seeds, range(worlds * number, worlds * (number + 1)))[:, 1::2]
    times = len(actions) // len(roots)
    played = coach.play(np.tile(roots, times), actions, np.tile(seeds, times), np.tile(told, (times, 1)))
    return np.stack([each.mean(axis=1) for each in played])


def row(coach: Coach, columns: Columns) -> Row:
    """Real less judged: of differences, with the slopes of the real ones on the judged, and of values, by phase too."""
    found = {name: np.array(column) for name, column in columns.items()}
    return {
        "decisions": len(found["kind"]),
        "difference": by_deal(found["gained"] - found["ahead"]),
        "slope": slope(found["ahead"], found["ahead"], found["gained"]),
        "slope without noise": slope(found["ahead"], found["ahead again"], found["gained"]),
        **left(found, POINTS),
        **of_the_win(found),
    }


def of_the_win(found: Mapping[str, np.ndarray]) -> Row:
    """Real less judged shares of the win, where they are foretold; nothing else."""
    if key("said", WIN) not in found:
        return {}
    ahead, again, gained = (found[key(name, WIN)] for name in ("ahead", "ahead again", "gained"))
    return {
        "win difference": by_deal(gained - ahead),
        "win slope without noise": slope(ahead, again, gained),
        **{f"win {name}": told for name, told in left(found, WIN).items()},
    }


def ships(coach: Coach, columns: Columns, measured: Row) -> Shipped | None:
    """Lines fitted to all these decisions; None if there are too few of any kind."""
    fitted = lines({name: np.array(column) for name, column in columns.items()})
    if not fitted or coach.policy is None:
        return None
    told_of = {"game": coach.game.id, "policy": coach.policy.learned, "options": coach.game.options.changed()}
    return yardsticks.levels_file(coach.game), {**told_of, "decisions": measured["decisions"], "lines": fitted}


def slope(said: np.ndarray, again: np.ndarray, came: np.ndarray) -> dict[str, Any] | None:
    """Of what came on what was said twice, its interval by decision; None if all that was said is alike.

    Each is the instrument of the other; `again` the same as `said`: the ordinary regression.
    """
    weights, size = bootstrap_weights(len(said)), len(said)
    both = (said + again) / 2

    def slopes(sums: np.ndarray) -> np.ndarray:
        means = sums.T / size
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((means[4] - means[0] * means[3]) / (means[5] - means[1] * means[2]))

    terms = np.stack([both, said, again, came, both * came, said * again], axis=1)
    (mean,) = slopes(terms.sum(axis=0, keepdims=True))
    if not np.isfinite(mean):
        return None
    low, high = np.nanpercentile(slopes(weights @ terms), [2.5, 97.5])
    return asdict(Interval(float(mean), float(low), float(high)))


PART = CoachPart(work, row, TOGETHER, (*WORLDS, *here("calibration.py", "matches.py")), size="decisions", solved=False,
                 ships=ships)  # fmt: skip
