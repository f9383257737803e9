"""What to bid in Skull King, by a count that can be kept in one's head."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import branched
from experiments.reports.report import CONFIRM, EXPLORE, FIT, POLICY, RULES, Findings, Registered, Report
from experiments.reports.skull_king.hands import each_hand
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.sheets.skull_king import WORTHS, counted
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.observation import HAND_NUMBER, PLAYING
from pirate_envs.games.skull_king.state import BIDDING

BIDS = range(6)
COLOURS = ("#999999", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7")
ENOUGH = 50  # hands that a point of the picture is made of
SIZES = {"hands 1-3": (1, 3), "hands 4-6": (4, 6), "hands 7-10": (7, 10)}
ZERO = {"a count of 1/4": 0.25, "a count of 1/2": 0.5, "a count of 3/4": 0.75, "a count of 1": 1.0}


def size_of(cards: np.ndarray) -> np.ndarray:
    """Which of SIZES, int64."""
    return np.searchsorted([high for _, high in SIZES.values()], cards)


class Bids(Agent):
    """Bids by the count, up to the next of some thresholds, and plays as another does."""

    def __init__(self, other: Agent, thresholds: list[list[float]], name: str) -> None:
        """`thresholds`: by SIZES, the counts from which 1, 2, ... is bid."""
        self.other, self.name, self.wants_records = other, name, other.wants_records
        self._thresholds = thresholds

    def act(self, decisions: Decisions) -> np.ndarray:
        seen = decisions.observations
        actions = self.other.act(decisions).astype(np.int64)
        bids = np.flatnonzero(seen[:, PLAYING] == 0)
        counts = counted(seen[bids]) @ WORTHS
        cards = np.rint(seen[bids, HAND_NUMBER] * 10).astype(int)
        for at, thresholds in enumerate(self._thresholds):
            own = size_of(cards) == at
            actions[bids[own]] = np.minimum(np.searchsorted(thresholds, counts[own], side="right"), cards[own])
        return actions


class WhatToBid(Report):
    """Every bid tried in the same hand, then played on; the best one by count and number of cards."""

    game = "skull_king"
    name = "what_to_bid"
    question = Registered(
        title="What to bid, and when to bid zero",
        asked="By a count in one's head, from which count on is one trick more bid, and when is zero better than one?",
        population="One bid of each hand of matches of four equal players, any seat.",
        estimate="Points of the hand less the mean of the others', zero bid less one bid, the same cards and the same players "
        "from there on. The count: king, pirate, mermaid, black 9 to 13 1; black 4 to 8 and Scary Mary 1/2; black 1 to 3 "
        "and plain 11 to 13 1/4.",
        smallest=2.0,
        deals={EXPLORE: 4_000, FIT: 12_000, CONFIRM: 12_000},
        tests=tuple(f"zero, not one: {count}, {size}" for size in SIZES for count in ZERO),
        among=(POLICY, "policy:pretrained-v1", RULES),
    )
    size = (10.5, 5.2)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_hand(game, player, deals, lambda records, move: records["phase"] == BIDDING)
        cards = found.records["hand_number"].astype(np.int64)
        margins = np.full((len(cards), len(BIDS)), np.nan)
        for bid in BIDS:
            may = cards >= bid
            margins[may, bid] = branched(game, player, found.records[may], np.full(may.sum(), bid), horizon=1).points
        return {
            "deal": found.deal, "hand": cards, "count": counted(found.observations) @ WORTHS, "bid": found.actions,
            "margins": margins, "gap": margins[:, 0] - margins[:, 1],
        }  # fmt: skip

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        sizes, told = size_of(rows["hand"]), {}
        for at, size in enumerate(SIZES):
            for name, count in ZERO.items():
                part = where(rows, (sizes == at) & (rows["count"] == count))
                told[f"zero, not one: {name}, {size}"] = mean(part["gap"], part["deal"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["gap"], chance)

    def fit(self, rows: Rows) -> list[list[float]]:
        """By SIZES, the thresholds that lose least, each found with the others in turn, from a plain guess on."""
        return [_thresholds(where(rows, size_of(rows["hand"]) == at)) for at in range(len(SIZES))]

    def describe(self, rows: Rows) -> dict[str, Any]:
        """By SIZES and count, what each bid brings: mean and standard error, None where there are few deals."""
        told: dict[str, Any] = {}
        for at, size in enumerate(SIZES):
            part = where(rows, size_of(rows["hand"]) == at)
            counts = [float(count) for count in np.arange(0, 5.25, 0.25) if (part["count"] == count).sum() >= ENOUGH]
            told[size] = {"counts": counts, "margins": [_margins(where(part, part["count"] == count)) for count in counts]}
        return told

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        told = {}
        for field in (POLICY, RULES):
            policy, others = agent(game, POLICY), agent(game, field)
            counting = Bids(policy, fitted, "bids by the count")
            told[f"bids by the count, plays as {POLICY}, against 3 x {field}"] = {"one": counting, "field": others}
            told[f"bids and plays by the cheat sheet, against 3 x {field}"] = {"one": agent(game, "sheet"), "field": others}
        return told

    def statement(self, found: Findings) -> str:
        told = []
        for size in SIZES:
            verdicts = [found.verdicts[f"zero, not one: {count}, {size}"] for count in ZERO]
            better = [verdict for verdict in verdicts if verdict.matters and verdict.estimate.mean > 0]
            told += [
                f"{_said(verdict.test).removeprefix('a count of ')} ({verdict.written()} points)" for verdict in better[-1:]
            ]
        return (
            f"Bid zero and not one up to a count of {', '.join(told)}." if told else "Zero was nowhere found better than one."
        )

    def more(self, found: Findings) -> str:
        told = [
            f"{size}: {', '.join(f'{bid} from {_quarters(count)}' for bid, count in enumerate(thresholds, 1))}"
            for size, thresholds in zip(SIZES, found.fitted, strict=True)
        ]
        three, one = (found.verdicts[f"zero, not one: {count}, hands 4-6"] for count in ("a count of 3/4", "a count of 1"))
        lost = found.matches[f"bids by the count, plays as {POLICY}, against 3 x {POLICY}"]["margin"].written()
        return (
            f"Count your hand, then bid ({'; '.join(told)}). Zero instead of one in hands of 4 to 6 cards brings "
            f"{three.written()} points at a count of 3/4 and {one.written()} at 1. Bidding so, and playing as the policy "
            f"does, brings {lost} points a match against three policies."
        )

    def advice(self, found: Findings) -> str:
        told = [verdict for verdict in found.verdicts.values() if verdict.matters]
        if not told:
            return ""
        zero, one = (pick(told, key=lambda verdict: verdict.estimate.mean) for pick in (max, min))
        parts = []
        if zero.estimate.mean > 0:
            parts.append(f"zero is better than one at {_said(zero.test)} ({zero.estimate.written()} points)")
        if one.estimate.mean < 0:
            parts.append(f"one is better than zero at {_said(one.test)} (zero brings {one.estimate.written()})")
        count = (
            "Count 1 for king, pirate, mermaid and black 9 and up, 1/2 for black 4 to 8 and Scary Mary, 1/4 for black 1 to 3 "
            "and colours from 11 up"
        )
        return f"{count}: {', '.join(parts)}."

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots(1, len(SIZES), sharey=True)
        for each, (size, told), thresholds in zip(axes, found.extra.items(), found.fitted, strict=True):
            counts = np.array(told["counts"])
            for bid in BIDS:
                pairs = np.array([line[bid] or [np.nan, np.nan] for line in told["margins"]]).reshape(-1, 2)
                reach, colour = 1.96 * pairs[:, 1], COLOURS[bid]
                each.plot(counts, pairs[:, 0], marker=".", color=colour, label=f"bid {bid}")
                each.fill_between(counts, pairs[:, 0] - reach, pairs[:, 0] + reach, color=colour, alpha=0.18, lw=0)
            limit = (counts.max() if len(counts) else 1.0) + 0.125
            for bid, (low, high) in enumerate(pairwise([0.0, *thresholds, np.inf])):
                if low < limit:
                    each.axvspan(low - 0.125, min(high - 0.125, limit), ymin=0.96, color=COLOURS[bid], lw=0)
            each.set_xlim(-0.125, limit)
            each.set_ylim(-70, 40)
            each.set_title(size, fontsize="medium")
            each.set_xlabel("count")
            each.axhline(0, color="0.3", lw=0.8)
            each.spines[["top", "right"]].set_visible(False)
        axes[0].set_ylabel("points above the others' mean, 95 % intervals")
        lines = axes[-1].get_legend_handles_labels()
        figure.legend(*lines, loc="outside upper center", ncols=len(BIDS), frameon=False, title="strips: what the rule bids")


def _margins(rows: Rows) -> list[list[float] | None]:
    """Of each bid over the hands in which it may be made."""
    told: list[list[float] | None] = []
    for bid in BIDS:
        made = where(rows, ~np.isnan(rows["margins"][:, bid]))
        estimate = mean(made["margins"][:, bid], made["deal"])
        told.append([estimate.mean, estimate.error] if estimate.rows >= ENOUGH else None)
    return told


def _said(test: str) -> str:
    count, size = test.removeprefix("zero, not one: ").split(", ")
    return f"{count} in {size.replace('hands ', 'hands of ')} cards"


def _thresholds(rows: Rows) -> list[float]:
    bids = min(len(BIDS) - 1, int(rows["hand"].max()))
    margins = np.nan_to_num(rows["margins"], nan=-1e3)
    grid = np.arange(0.25, 6.25, 0.25)
    best = [0.75 + at for at in range(bids)]
    for _ in range(3):
        for at in range(bids):
            tries = [[*best[:at], value, *best[at + 1 :]] for value in grid]
            tries = [each for each in tries if each == sorted(each)]
            best = max(tries, key=lambda each: _worth(each, rows, margins))
    return [float(value) for value in best]


def _worth(thresholds: list[float], rows: Rows, margins: np.ndarray) -> float:
    bids = np.minimum(np.searchsorted(thresholds, rows["count"], side="right"), rows["hand"])
    return float(margins[np.arange(len(bids)), bids].mean())


def _quarters(count: float) -> str:
    whole, part = divmod(round(count * 4), 4)
    return f"{whole or ''} {('', '1/4', '1/2', '3/4')[part]}".strip()
