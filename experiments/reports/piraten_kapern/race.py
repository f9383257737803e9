"""What to risk more, or less, by how the race to the target stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piraten_kapern.chances import bust_chance, chance_by, lost_chances, positions, race_turn, worthwhile
from experiments.reports.piraten_kapern.turns import IN_DECK, SHARE, DecidedTurns, decided
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets import NAME as SHEET
from pirate_envs.core.game import Game
from pirate_envs.games.piraten_kapern.solved.any_worth import TARGET, TurnRoom
from pirate_envs.games.piraten_kapern.solved.turn import CARDS, solve

RACE, TURN = "exact:race", "exact:turn"
CLOSE = TARGET - 10  # hundreds: one good turn from the target
WORTH_IT = 0.001  # of a chance of winning, in one choice
LAST = {
    "final round, up to 500 behind": (0, 5), "final round, 600 to 1,000 behind": (6, 10),
    "final round, 1,100 to 2,000 behind": (11, 20), "final round, more behind": (21, 10**6),
}  # fmt: skip
BEFORE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "the other close to the target, 2,000 behind or more": lambda mine, other: (other >= CLOSE) & (other - mine >= 20),
    "the other close to the target, less behind": lambda mine, other: (other >= CLOSE) & (other - mine < 20) & (mine < CLOSE),
    "both close to the target": lambda mine, other: (other >= CLOSE) & (mine >= CLOSE),
    "close to the target, the other not": lambda mine, other: (other < CLOSE) & (mine >= CLOSE),
    "neither close, 2,000 behind or more": lambda mine, other: (other < CLOSE) & (mine < CLOSE) & (other - mine >= 20),
    "neither close, ahead or less behind": lambda mine, other: (other < CLOSE) & (mine < CLOSE) & (other - mine < 20),
}
MINE, OTHERS = (
    np.array([0, 10, 20, 30, 35, 40, 45, 50, 55]),
    np.array([0, 15, 30, 40, 50, 55, 60, 63, 67, 71, 75, 80]),
)  # of the picture, hundreds


def situations(mine: np.ndarray, other: np.ndarray) -> dict[str, np.ndarray]:
    """Which of the situations each position is, bool, (n,) each."""
    last, behind = other >= TARGET, other - mine
    told = {name: last & (behind >= low) & (behind <= high) for name, (low, high) in LAST.items()}
    return told | {name: ~last & holds(mine, other) for name, holds in BEFORE.items()}


class TheRace(Report):
    """Chances of winning that choices give away, by how the race stands, in matches between two."""

    game = "piraten_kapern"
    name = "race"
    question = Registered(
        title="What to risk when behind",
        asked="How many wins does it cost to play for points in the race to the target, and when must one risk more?",
        population="Decisions away from the Island in matches between two equal players. 'Close': 5,000 points or more. "
        "'Behind': before the turn.",
        estimate="Percent of wins that the choices of a turn give away, one turn after the other, against the solved race for "
        "two (in which both play for the win from there on). The exact turn plays for points: what it loses is the race's.",
        smallest=0.5,
        deals={EXPLORE: 2_000, CONFIRM: 8_000},
        tests=(*LAST, *BEFORE),
        among=(TURN, POLICY, RULES),
        others=0.25,
        players=2,
    )
    size = (11.0, 5.2)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        matches, made = Lockstep(game, player, dealt(game, deals)), []
        for move in matches.moves():
            records = matches.records[move.rows]
            places = *positions(records, move.seats), move.rows, records["turn"].astype(np.int64)
            made.append((*decided(game, records, move.actions), *places))
        *choice, mine, other, match, turn = (np.concatenate(column) for column in zip(*made, strict=True))
        lost = 100 * lost_chances(DecidedTurns(*choice), mine, other)
        _, first, which = np.unique(match * (turn.max() + 1) + turn, return_index=True, return_inverse=True)
        return {
            "deal": deals.start + match[first], "mine": mine[first], "other": other[first],
            "lost": np.bincount(which, lost),
        }  # fmt: skip

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {name: where(rows, here) for name, here in situations(rows["mine"], rows["other"]).items()}
        return {name: mean(part["lost"], part["deal"]) for name, part in told.items()}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["lost"], chance)

    def describe(self, rows: Rows) -> dict[str, Any]:
        """Exactly, for the picture: busts and wins of the turn played for the win, less those of the turn played for points.

        Where a choice for points loses less than WORTH_IT it is taken, as nothing is to be risked or saved for.
        """
        points, room = np.array([[*turn.away_laid, turn.island_laid] for turn in map(solve, CARDS)]), TurnRoom.empty()
        usual = {kind: bust_chance(kind, points[kind]) for kind in IN_DECK}
        risk, wins = np.zeros((2, len(MINE), len(OTHERS)))
        for (row, mine), (column, other) in product(enumerate(MINE.tolist()), enumerate(OTHERS.tolist())):
            for kind in IN_DECK:
                turn = race_turn(mine, other, kind, room)
                played = worthwhile(turn, points[kind], WORTH_IT)
                risk[row, column] += 100 * SHARE[kind] * (bust_chance(kind, played) - usual[kind])
                wins[row, column] += 100 * SHARE[kind] * (turn.chance - chance_by(turn, kind, points[kind]))
        here = situations(*np.meshgrid(MINE, OTHERS, indexing="ij"))
        return {
            "risk": risk.tolist(),
            "wins": wins.tolist(),
            "by situation": {name: risk[at].mean() for name, at in here.items()},
        }

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        pairs = ((RACE, TURN), (RACE, POLICY), (SHEET, TURN))
        return {f"{one} against {other}": {"one": agent(game, one), "field": agent(game, other)} for one, other in pairs}

    def statement(self, found: Findings) -> str:
        told = found.strongest(self.question.tests, 1)[:1]
        if not told:
            return "Nowhere in the race was it found to matter whether one plays for the win or for points."
        return (
            f"Play for the win and not for points above all in this case: {told[0].test} (points cost "
            f"{told[0].written('.1f')} percent of the wins)."
        )

    def more(self, found: Findings) -> str:
        told = sorted(
            (name for name in self.question.tests if found.verdicts[name].matters), key=lambda name: -found[name].mean
        )
        gains = "; ".join(f"{name}, {found[name].written('+.2f')} percent of the wins ({_risk(found, name)})" for name in told)
        small = [name for name in self.question.tests if found.verdicts[name].found and name not in told]
        won = found.matches[f"{RACE} against {TURN}"]["win_share"]
        low, high = won.interval()
        return (
            f"Play a turn for the win and not for points when it stands so: {gains or 'nothing that was asked about matters'}. "
            f"{'Found, but too small to matter: ' + '; '.join(small) + '. ' if small else ''}"
            f"All of a match together, the race wins {won.mean:.1%} [{low:.1%}, {high:.1%}] against the exact turn."
        )

    def advice(self, found: Findings) -> str:
        told = [name for name in LAST if found.verdicts[name].matters and found[name].mean > 0]
        if not told:
            return ""
        worst = max(told, key=lambda name: found[name].mean)
        return (
            f"In the final round never stop while somebody would stay ahead: to play for points there costs "
            f"{found[worst].written('.1f')} percent of the wins ({worst.removeprefix('final round, ')})."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        risk = np.array(found.extra["risk"])
        reach = float(np.abs(risk).max())
        x, y = 100 * OTHERS, 100 * MINE
        filled = left.contourf(x, y, risk, levels=np.linspace(-reach, reach, 21), cmap="RdBu_r")
        lines = left.contour(x, y, found.extra["wins"], levels=[0.25, 0.5, 1, 2, 4, 8], colors="0.15", linewidths=0.8)
        left.clabel(lines, fmt="%g %%", fontsize=8)
        left.axvline(100 * TARGET, color="0.2", ls="--", lw=1)
        left.text(100 * TARGET + 80, 150, "final round", fontsize=9, rotation=90, va="bottom")
        left.set_xlabel("the other's points (lines: wins gained in the turn)")
        left.set_ylabel("own points")
        figure.colorbar(filled, ax=left, format="%+.0f", label="busts that winning takes beside, in a hundred turns (exact)")
        names = list(self.question.tests)
        told = [found[name] for name in names]
        right.barh(
            names, [each.mean for each in told], xerr=[1.96 * each.error for each in told], color="C3", error_kw={"lw": 1}
        )
        right.invert_yaxis()
        right.tick_params(axis="y", labelsize=8)
        right.set_xlabel("percent of wins given away (95 %)")
        right.spines[["top", "right"]].set_visible(False)


def _risk(found: Findings, name: str) -> str:
    """How many busts more a turn played for winning takes, on the average of the picture's positions."""
    risk = found.extra["by situation"][name]
    return f"{abs(risk):.0f} busts in a hundred turns {'more' if risk > 0 else 'fewer'}"
