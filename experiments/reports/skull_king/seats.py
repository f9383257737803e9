"""What are the seat and the first lead of a hand of Skull King worth?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, mean, where
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from experiments.reports.skull_king.card_values import STAGES
from experiments.reports.skull_king.hands import hands
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game

PLACES = ("leads", "second", "third", "last")
COLOURS = ("#e69f00", "#009e73", "#0072b2")


class Seats(Report):
    """Every hand is one draw: the lead goes round, the cards are dealt at random."""

    game = "skull_king"
    name = "seats"
    question = Registered(
        title="What are the seat and the lead worth?",
        asked="How many points does a seat's place in the first trick bring, in hands of 1 to 3, 4 to 7 and 8 to 10 cards?",
        population="All hands of matches of four equal players.",
        estimate="Points of the hand less the mean of the others', by the seat's place in the first trick, which is its place "
        "in bidding too.",
        smallest=1.0,
        deals={EXPLORE: 6_000, CONFIRM: 24_000},
        tests=tuple(f"{place}, hands {stage}" for stage in STAGES for place in PLACES),
        among=(POLICY, "policy:pretrained-v1", RULES),
    )
    size = (10.0, 4.6)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        rows = hands(game, player, deals)
        return {name: rows[name] for name in ("deal", "hand", "place", "gained")}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}
        for stage, (low, high) in STAGES.items():
            for at, place in enumerate(PLACES):
                part = where(rows, (rows["hand"] >= low) & (rows["hand"] <= high) & (rows["place"] == at))
                told[f"{place}, hands {stage}"] = mean(part["gained"], part["deal"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Every hand's places dealt out anew among its seats."""
        order = np.lexsort((chance.random(len(rows["deal"])), rows["hand"], rows["deal"]))
        into = np.lexsort((rows["hand"], rows["deal"]))
        place = np.empty_like(rows["place"])
        place[into] = rows["place"][order]
        return {**rows, "place": place}

    def describe(self, rows: Rows) -> list[list[float]]:
        """Points above the others' mean by number of cards (rows) and place."""
        sizes, places = np.unique(rows["hand"]), range(len(PLACES))
        return [
            [float(rows["gained"][(rows["hand"] == cards) & (rows["place"] == at)].mean()) for at in places] for cards in sizes
        ]

    def statement(self, found: Findings) -> str:
        extremes = [*found.strongest(self.question.tests, 1)[:1], *found.strongest(self.question.tests, -1)[:1]]
        told = " and ".join(f"{_said(verdict.test)} brings {verdict.written()}" for verdict in extremes)
        return f"Of a hand's points above the others' mean {told or 'no place was found to bring any that matter'}."

    def more(self, found: Findings) -> str:
        told = []
        for stage in STAGES:
            clear = [(place, found.verdicts[f"{place}, hands {stage}"]) for place in PLACES]
            words = [f"{_who(place)} {verdict.estimate.written()}" for place, verdict in clear if verdict.matters]
            told.append(f"in hands of {stage} cards {', '.join(words) or 'none was found that matters'}")
        return f"Points above the others' mean that the place in the first trick brings: {'; '.join(told)}."

    def advice(self, found: Findings) -> str:
        clear = [verdict for verdict in found.verdicts.values() if verdict.matters]
        if not clear:
            return ""
        worst = min(clear, key=lambda verdict: verdict.estimate.mean)
        best = max(clear, key=lambda verdict: verdict.estimate.mean)
        if worst.estimate.mean >= 0 or best.estimate.mean <= 0:
            return ""
        return (
            f"Know your seat: {_said(best.test)} is worth {best.estimate.written()} points a hand, {_said(worst.test)} "
            f"{worst.estimate.written()}."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        lines, heat = figure.subplots(1, 2, width_ratios=(1.25, 1))
        places = np.arange(len(PLACES))
        for step, (stage, colour) in enumerate(zip(STAGES, COLOURS, strict=True)):
            told = [found[f"{place}, hands {stage}"] for place in PLACES]
            lines.errorbar(
                places + 0.08 * (step - 1), [each.mean for each in told], [1.96 * each.error for each in told],
                marker="o", capsize=3, color=colour, label=f"hands of {stage} cards",
            )  # fmt: skip
        lines.axhline(0, color="0.3", lw=0.8)
        lines.set_xticks(places, PLACES)
        lines.set_ylabel("points above the others' mean, 95 % intervals")
        lines.legend(frameon=False)
        lines.spines[["top", "right"]].set_visible(False)
        cells = np.array(found.extra)
        reach = max(1.0, float(abs(cells).max()))
        heat.imshow(cells, cmap="RdBu", vmin=-reach, vmax=reach, aspect="auto")
        for (row, at), value in np.ndenumerate(cells):
            heat.text(at, row, f"{value:+.1f}", ha="center", va="center", color="w" if abs(value) > 0.6 * reach else "k")
        heat.set_xticks(places, PLACES)
        heat.set_yticks(range(len(cells)), [str(cards) for cards in range(1, len(cells) + 1)])
        heat.set_ylabel("cards in hand")
        heat.tick_params(length=0)
        heat.spines[:].set_visible(False)


def _who(place: str) -> str:
    return "who leads" if place == "leads" else f"the {place} seat"


def _said(test: str) -> str:
    place, stage = test.split(", hands ")
    return f"{'leading' if place == 'leads' else f'sitting {place}'} in hands of {stage} cards"
