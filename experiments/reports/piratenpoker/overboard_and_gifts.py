"""Whom to hurt in Piratenpoker: who gets the loot thrown overboard, and the gifts."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, joined, mean, where
from experiments.reports.lockstep import DrawnPositions, each_drawn
from experiments.reports.piratenpoker.branches import LATE, Ends, ends, left, margin
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets.piratenpoker import gifts, table, unwanted
from pirate_envs.core.game import Game
from pirate_envs.games.piratenpoker.state import (
    GIFT,
    GIVE_NOTHING,
    MAX_PLAYERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    SHARK,
)

WHOM = ("the leader", "the weakest", "the next seat")
WHAT = ("a back overboard", "a gift")
STAGES = ("early", "late")
PLAYERS = 4
DRAWN = 1 / 12  # of the decisions: about one a match
STEPS = np.arange(1, PLAYERS)  # to the other seats
SHARK_SELF, GIVEN = "a shark for oneself, not a back for the leader", "a gift to the leader, not none"


class OverboardAndGifts(Report):
    """The same card to each of the other seats, and the shark or the gift left alone."""

    game = "piratenpoker"
    name = "overboard_and_gifts"
    question = Registered(
        title="Who gets the bad loot?",
        asked="Is it the leader, the weakest or the next seat that a card thrown overboard or given away should go to, and "
        "what do a shark for oneself and a gift bring?",
        population=f"Decisions on overboard loot and on gifts of matches of four equal players: {DRAWN:.2%} of them, drawn one "
        "by one.",
        estimate="At the end of the match, the same decision otherwise: the mover's share of the win in per cent, a receiver "
        "less the mean of the two others; and a shark for oneself less the unwanted back for the leader, a gift to the leader "
        "less none, in points less the mean of the others' and in per cent of the win. Leader and weakest are the other seats "
        "with most and fewest points. Early: 3 cards and more are in the smallest stack.",
        smallest=1.0,
        deals={EXPLORE: 10_000, CONFIRM: 40_000},
        tests=(
            *(f"{what} to {whom}, {stage}: % of the win" for what in WHAT for whom in WHOM for stage in STAGES),
            *(f"{what}: {unit}" for what in (SHARK_SELF, GIVEN) for unit in ("points", "% of the win")),
        ),
        among=(POLICY, RULES, "rules:plain"),
    )
    size = (9.5, 4.4)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_drawn(game, player, deals, lambda records, move: _throws(records) | (records["phase"] == GIFT), DRAWN)
        thrown = found.records["phase"] == OVERBOARD
        parts = [DrawnPositions(*(column[chosen] for column in found)) for chosen in (thrown, ~thrown)]
        tried = zip(parts, (_overboard, _gift), strict=True)
        return joined([_compared(game, player, part, *actions(part.records)) for part, actions in tried])

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}
        for at, what in enumerate(WHAT):
            for late, stage in enumerate(STAGES):
                part = where(rows, (rows["what"] == at) & (rows["late"] == late))
                for column, whom in enumerate(WHOM):
                    told[f"{what} to {whom}, {stage}: % of the win"] = mean(part["to"][:, column], part["deal"])
        for at, what in enumerate((SHARK_SELF, GIVEN)):
            part = where(rows, (rows["what"] == at) & ~np.isnan(rows["points"]))
            told[f"{what}: points"] = mean(part["points"], part["deal"])
            told[f"{what}: % of the win"] = mean(part["wins"], part["deal"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Receivers are told wrongly, and what is compared the wrong way round, in half of the deals."""
        signs = flipped({"deal": rows["deal"], "sign": np.ones(len(rows["deal"]))}, ["sign"], chance)["sign"]
        return {**rows, **{name: (rows[name].T * signs).T for name in ("to", "points", "wins")}}

    def statement(self, found: Findings) -> str:
        shark, given = (found.verdicts[f"{what}: % of the win"].written(unit=" %") for what in (SHARK_SELF, GIVEN))
        return (
            f"A shark kept instead of a back thrown at the leader brings {shark} of the win, and a gift to the leader instead "
            f"of none {given}."
        )

    def more(self, found: Findings) -> str:
        told = []
        for what in WHAT:
            each = [f"{whom} {found.verdicts[f'{what} to {whom}, late: % of the win'].written()}" for whom in WHOM]
            told.append(f"{what} to {', '.join(each)}")
        return (
            f"Late in a match, in per cent of the win against the other receivers, {'; '.join(told)}. In points the "
            f"shark brings {found.verdicts[f'{SHARK_SELF}: points'].written()}, the gift "
            f"{found.verdicts[f'{GIVEN}: points'].written()}."
        )

    def advice(self, found: Findings) -> str:
        late = {whom: found.verdicts[f"{WHAT[0]} to {whom}, late: % of the win"] for whom in WHOM}
        shark = found.verdicts[f"{SHARK_SELF}: % of the win"]
        whom = max(late, key=lambda each: late[each].estimate.mean)
        said = []
        if shark.matters and shark.estimate.mean > 0:
            said.append(f"take a shark yourself ({shark.estimate.written()} % of the win against a back for the leader)")
        if late[whom].matters and late[whom].estimate.mean > 0:
            said.append(f"late in the match throw backs to {whom} ({late[whom].estimate.written()} % against another seat)")
        return f"Overboard: {'; '.join(said)}." if said else ""

    def draw(self, found: Findings, figure: Any) -> None:
        whom, what = figure.subplots(1, 2, width_ratios=(3, 2))
        rows = [(each, stage) for each in WHAT for stage in STAGES]
        for column, receiver in enumerate(WHOM):
            told = [found[f"{each} to {receiver}, {stage}: % of the win"] for each, stage in rows]
            _points(whom, told, np.arange(len(rows)) + 0.2 * (column - 1), f"C{column}", receiver)
        whom.set_yticks(range(len(rows)), [f"{each},\n{stage}" for each, stage in rows])
        whom.set_xlabel("share of the win, per cent, against the other receivers")
        for column, unit in enumerate(("points", "% of the win")):
            told = [found[f"{each}: {unit}"] for each in (SHARK_SELF, GIVEN)]
            label = "points" if unit == "points" else "per cent of the win"
            _points(what, told, np.arange(2) + 0.2 * (column - 0.5), f"C{column + 3}", label)
        what.set_yticks(range(2), [each.replace(", not ", ",\nnot ") for each in (SHARK_SELF, GIVEN)])
        what.set_xlabel("what it brings (95 % intervals)")
        for axes in (whom, what):
            axes.axvline(0, color="0.3", lw=0.8)
            axes.margins(y=0.15)
            axes.invert_yaxis()
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside lower center", ncols=5, frameon=False)


def receivers(records: np.ndarray, players: int) -> np.ndarray:
    """Steps to each of WHOM, int64, (n, 3); of equal ones the first after the mover."""
    seats = (records["to_move"].astype(np.int64)[:, None] + np.arange(1, players)) % players
    points = records["scores"][np.arange(len(records))[:, None], seats]
    return np.stack([1 + points.argmax(axis=1), 1 + points.argmin(axis=1), np.ones(len(records), np.int64)], axis=1)


def _throws(records: np.ndarray) -> np.ndarray:
    """Is a card to go overboard, and can it be another one than a shark? bool, (n,)."""
    return (records["phase"] == OVERBOARD) & (records["offer"] > SHARK).any(axis=1)  # type: ignore[no-any-return]


def _overboard(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The throws of the back that one wants least, by receiver (n, 3), and of a shark to oneself, -1 without one (n,)."""
    seen = table(records, PLAYERS)
    backs = OVERBOARD_ACTION + MAX_PLAYERS * unwanted(seen._replace(fronts=np.where(seen.sharks, 0, seen.fronts)))
    shark = OVERBOARD_ACTION + MAX_PLAYERS * seen.sharks.argmax(axis=1)
    return backs[:, None] + STEPS, np.where(seen.sharks.any(axis=1), shark, -1)


def _gift(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gifts of the worst back, by receiver (n, 3), and none (n,)."""
    seen = table(records, PLAYERS)
    return gifts(seen, records)[:, None] - seen.leader[:, None] + STEPS, np.full(len(records), GIVE_NOTHING)


def _compared(game: Game, player: Agent, found: DrawnPositions, actions: np.ndarray, instead: np.ndarray) -> Rows:
    """Every receiver tried; and what is done instead (where it is an action), or for a gift what the leader's brings more."""
    records, every = found.records, np.arange(len(found.deal))
    seats = records["to_move"].astype(np.int64)
    ended = [ends(game, player, records, column) for column in actions.T]
    wins, points = (np.stack(told, axis=1) for told in zip(*(_own(each, seats) for each in ended), strict=True))
    whom = receivers(records, PLAYERS) - 1
    others = (wins.sum(axis=1, keepdims=True) - wins) / (wins.shape[1] - 1)
    may, more = instead >= 0, np.full((2, len(every)), np.nan)
    other = _own(ends(game, player, records[may], instead[may]), seats[may])
    gift = records["phase"] == GIFT
    for row, (tried, told) in enumerate(zip(other, (wins, points), strict=True)):
        more[row, may] = (tried - told[every, whom[:, 0]][may]) * np.where(gift[may], -1, 1)
    return {
        "deal": found.deal, "what": gift.astype(np.int64), "late": (left(records) < LATE).astype(np.int64),
        "to": np.take_along_axis(wins - others, whom, axis=1), "wins": more[0], "points": more[1],
    }  # fmt: skip


def _own(ended: Ends, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of the win and margin of these seats."""
    return ended.wins[np.arange(len(seats)), seats], margin(ended.points, seats)


def _points(axes: Any, told: list[Estimate], at: np.ndarray, color: str, label: str) -> None:
    reach = [1.96 * each.error for each in told]
    axes.errorbar([each.mean for each in told], at, xerr=reach, fmt="o", ms=6, lw=1.8, color=color, label=label)
