"""What is a card of Skull King worth in hands of few cards, and of many?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, regression, where
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from experiments.reports.skull_king.hands import SPECIALS, hands
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.state import BLACK, MAX_NUMBER, NUMBERS

STAGES = {"1-3": (1, 3), "4-7": (4, 7), "8-10": (8, 10)}
HEIGHTS = {"6-10": (6, 10), "11-13": (11, 13)}
PLAIN = range(BLACK)
KINDS = {
    **{name: [NUMBERS + at] for at, name in enumerate(SPECIALS)},
    "black 1-5": [BLACK * MAX_NUMBER + number - 1 for number in range(1, 6)],
    **{
        f"black {name}": [BLACK * MAX_NUMBER + number - 1 for number in range(low, high + 1)]
        for name, (low, high) in HEIGHTS.items()
    },
    **{
        f"plain {name}": [suit * MAX_NUMBER + number - 1 for suit in PLAIN for number in range(low, high + 1)]
        for name, (low, high) in HEIGHTS.items()
    },
}


class CardValues(Report):
    """Regression of a hand's points on what was dealt: the deal is the experiment."""

    game = "skull_king"
    name = "card_values"
    question = Registered(
        title="What is a card worth?",
        asked="How many points is each kind of card worth in one's hand, in hands of 1 to 3, 4 to 7 and 8 to 10 cards?",
        population="All hands of matches of four equal players.",
        estimate="Points of the hand less the mean of the others', against a plain 1 to 5 in the card's place: least "
        "squares on how many of each kind were dealt, with place and number of cards.",
        smallest=1.0,
        deals={EXPLORE: 8_000, CONFIRM: 24_000},
        tests=tuple(f"{kind}, hands {stage}" for stage in STAGES for kind in KINDS),
        among=(POLICY, "policy:pretrained-v1", RULES),
    )
    size = (9.0, 6.0)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        rows = hands(game, player, deals)
        held = np.stack([rows["cards"][:, cells].sum(axis=1) for cells in KINDS.values()], axis=1).astype(np.int8)
        return {**{name: rows[name] for name in ("deal", "hand", "place", "gained")}, "held": held}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}
        for stage, (low, high) in STAGES.items():
            part = where(rows, (rows["hand"] >= low) & (rows["hand"] <= high))
            columns = {f"{kind}, hands {stage}": part["held"][:, at] for at, kind in enumerate(KINDS)}
            beside = {f"place {place}": part["place"] == place for place in range(1, int(rows["place"].max()) + 1)}
            sizes = {f"cards {cards}": part["hand"] == cards for cards in range(low + 1, high + 1)}
            every = regression({**columns, **beside, **sizes}, part["gained"], part["deal"])
            told.update({test: every[test] for test in columns})
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """The points of each number of cards dealt out anew among its hands."""
        gained = rows["gained"].copy()
        for cards in np.unique(rows["hand"]):
            at = np.flatnonzero(rows["hand"] == cards)
            gained[at] = chance.permutation(gained[at])
        return {**rows, "gained": gained}

    def statement(self, found: Findings) -> str:
        mary, king = (found.verdicts[f"{kind}, hands 4-7"].written() for kind in ("Scary Mary", "king"))
        return (
            f"In hands of 4 to 7 cards Scary Mary is worth {mary} points and the king {king}, each against a low plain card in "
            "its place."
        )

    def more(self, found: Findings) -> str:
        best, worst = (pick(found.verdicts.values(), key=lambda verdict: verdict.estimate.mean) for pick in (max, min))
        return (
            f"The best to be dealt anywhere is {_said(best.test)} ({best.written()} points), the worst {_said(worst.test)} "
            f"({worst.written()})."
        )

    def advice(self, found: Findings) -> str:
        told = sorted((verdict for verdict in found.verdicts.values() if verdict.matters), key=lambda each: each.estimate.mean)
        if not told or told[0].estimate.mean >= 0 or told[-1].estimate.mean <= 0:
            return ""
        worst, best = told[0], told[-1]
        return (
            f"Be glad of {_said(best.test)} ({best.estimate.written()} points against a low plain card in its place), and fear "
            f"{_said(worst.test)} ({worst.estimate.written()})."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots()
        places = np.arange(len(KINDS))
        for step, stage in enumerate(STAGES):
            told = [found[f"{kind}, hands {stage}"] for kind in KINDS]
            means = [each.mean for each in told]
            reach = [1.96 * each.error for each in told]
            axes.barh(
                places + 0.27 * (step - 1), means, 0.25, xerr=reach, label=f"hands of {stage} cards", error_kw={"lw": 0.8}
            )
        axes.set_yticks(places, list(KINDS))
        axes.invert_yaxis()
        axes.axvline(0, color="0.3", lw=0.8)
        axes.set_xlabel("points against a plain 1 to 5 (95 % intervals)")
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)


def _said(test: str) -> str:
    return f"{test.replace(', hands ', ' in hands of ')} cards"
