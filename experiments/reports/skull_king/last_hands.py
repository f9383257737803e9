"""How far behind must one gamble in the last hands of Skull King?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import FEWEST, Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import Move, branched
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from experiments.reports.skull_king.hands import each_hand
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.state import BIDDING

FROM = 8  # the first hand that is asked about
MARGINS = {
    "leading": (0, 10_000), "1-50 behind": (-50, -1), "51-100 behind": (-100, -51), "101-200 behind": (-200, -101),
    "further behind": (-10_000, -201),
}  # fmt: skip
SHIFTS = {"one more": 1, "two more": 2, "one less": -1, "zero": 0}
COLOURS = {"one more": "#e69f00", "two more": "#d55e00", "one less": "#0072b2", "zero": "#009e73"}
SAID = 4  # changes of bid that the statement names


class LastHands(Report):
    """The player's own bid and others in the same hand, played to the end of the match."""

    game = "skull_king"
    name = "last_hands"
    question = Registered(
        title="How far behind must one gamble?",
        asked="In the last three hands, by the margin to the best of the others: does a bid other than usual win more matches?",
        population="One bid of each of hands 8, 9 and 10 of matches of four equal players. Ties for the lead are leading.",
        estimate="Share of the match won, in %, after the changed bid less after the player's own: one trick more, two more, "
        "one less (own bid 1 or more) or zero (own bid 2 or more); the same cards and players from there to the match's end.",
        smallest=1.0,
        deals={EXPLORE: 5_000, CONFIRM: 20_000},
        tests=tuple(f"{shift}, {margin}" for shift in SHIFTS for margin in MARGINS),
        among=(POLICY, "policy:pretrained-v1", RULES),
    )
    size = (10.0, 4.6)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_hand(game, player, deals, _asked)
        cards, own = found.records["hand_number"].astype(np.int64), found.actions
        usual = branched(game, player, found.records, own)
        told = {"deal": found.deal, "hand": cards, "margin": margins(found.records, game.players)}
        for shift, by in SHIFTS.items():
            bids = own + by if by else np.zeros_like(own)
            may = (bids >= 0) & (bids <= cards) & ((by != 0) | (own >= 2))
            told[shift] = np.full(len(own), np.nan)
            told[shift][may] = 100 * (branched(game, player, found.records[may], bids[may]).wins - usual.wins[may])
        return told

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        return {f"{shift}, {margin}": _mean(rows, shift, margin) for shift in SHIFTS for margin in MARGINS}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, list(SHIFTS), chance)

    def describe(self, rows: Rows) -> list[list[list[float] | None]]:
        """In the last hand alone, by bid (rows) and margin: mean and standard error; None where there are too few deals."""
        last = where(rows, rows["hand"] == rows["hand"].max())
        return [[_pair(_mean(last, shift, margin)) for margin in MARGINS] for shift in SHIFTS]

    def statement(self, found: Findings) -> str:
        if said := self.advice(found):
            return said
        return "In the last three hands no change of bid was found that matters one way alone."

    def more(self, found: Findings) -> str:
        told = [verdict for verdict in found.verdicts.values() if verdict.found]
        more, less = ([v for v in told if v.estimate.mean * sign > 0] for sign in (1, -1))
        dearest = sorted(less, key=lambda verdict: verdict.estimate.mean)[:SAID]
        gains = "; ".join(f"{v.test} {v.estimate.written()} %" for v in more)
        losses = "; ".join(f"{v.test} {v.estimate.written()} %" for v in dearest)
        count = f" ({len(less)} changes of bid; the dearest)" if len(less) > SAID else ""
        return (
            f"Bids other than the player's own that win more matches in hands 8 to 10: {gains or 'none was found'}. "
            f"That win fewer{count}: {losses or 'none was found'}."
        )

    def advice(self, found: Findings) -> str:
        told = [verdict for verdict in found.verdicts.values() if verdict.matters]
        gains = [verdict for verdict in told if verdict.estimate.mean > 0]
        if gains:
            best = max(gains, key=lambda verdict: verdict.estimate.mean)
            return f"In the last three hands change your bid for the score: {_said(best.test, best.estimate)}."
        if not told or any(verdict.found and verdict.estimate.mean > 0 for verdict in found.verdicts.values()):
            return ""
        worst = min(told, key=lambda verdict: verdict.estimate.mean)
        said = _said(worst.test, worst.estimate)
        return f"Bid your cards to the end: no change of bid was found to win more matches, and {said}."

    def draw(self, found: Findings, figure: Any) -> None:
        both = figure.subplots(1, 2, sharey=True)
        every = [[_pair(found[f"{shift}, {margin}"]) for margin in MARGINS] for shift in SHIFTS]
        places = np.arange(len(MARGINS))
        for axes, told, name in zip(both, (every, found.extra), ("hands 8 to 10", "hand 10"), strict=True):
            for at, (shift, line) in enumerate(zip(SHIFTS, told, strict=True)):
                pairs = np.array([pair or [np.nan, np.nan] for pair in line])
                axes.errorbar(
                    places + 0.09 * (at - 1.5), pairs[:, 0], 1.96 * pairs[:, 1], marker="o", capsize=3, color=COLOURS[shift],
                    label=shift,
                )  # fmt: skip
            axes.axhline(0, color="0.3", lw=0.8)
            axes.set_xticks(places, [margin.replace(" ", "\n") for margin in MARGINS])
            axes.set_title(name, fontsize="medium")
            axes.spines[["top", "right"]].set_visible(False)
        both[0].set_ylabel("matches won more than with the usual bid, %")
        both[0].legend(frameon=False, title="bid instead")


def _asked(records: np.ndarray, move: Move) -> np.ndarray:
    return (records["phase"] == BIDDING) & (records["hand_number"] >= FROM)  # type: ignore[no-any-return]


def margins(records: np.ndarray, players: int) -> np.ndarray:
    """Points of the seat to move less the most that another has, int64, (n,)."""
    scores = records["scores"][:, :players].astype(np.int64)
    own = np.arange(len(records)), records["to_move"].astype(np.int64)
    ahead = scores[own].copy()
    scores[own] = np.iinfo(np.int64).min // 2
    return ahead - scores.max(axis=1)  # type: ignore[no-any-return]


def _within(rows: Rows, margin: str) -> np.ndarray:
    low, high = MARGINS[margin]
    return (rows["margin"] >= low) & (rows["margin"] <= high)


def _mean(rows: Rows, column: str, margin: str) -> Estimate:
    part = where(rows, _within(rows, margin) & ~np.isnan(rows[column]))
    return mean(part[column], part["deal"])


def _pair(estimate: Estimate) -> list[float] | None:
    return [estimate.mean, estimate.error] if estimate.deals >= FEWEST else None


def _said(test: str, estimate: Estimate) -> str:
    shift, margin = test.split(", ")
    who = "leading" if margin == "leading" else f"{margin} the best" if margin.endswith("behind") else margin
    brings = "bidding zero with cards for two tricks or more" if shift == "zero" else f"bidding {shift} than usual"
    return f"{brings} when {who} brings {estimate.written()} % of wins"
