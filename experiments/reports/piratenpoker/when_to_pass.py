"""When to pass in Piratenpoker, and what it is worth that one still can."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import Lockstep, Move, each_drawn
from experiments.reports.piratenpoker.branches import ends, margin
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets.piratenpoker import low_card, table
from pirate_envs.core.game import Game
from pirate_envs.games.piratenpoker.state import BID, OVERBOARD_ACTION, PASS

ROUNDS = (1, 2, 3)
STRENGTHS = {"weak": (0.0, 4.25), "middling": (4.25, 4.75), "strong": (4.75, 9.0)}  # mean number of the hand's cards
DRAWN = 1 / 80  # of the bids: about one a match
OWN, LOW, KEPT = "the player's own bid", "one low card", "a Pass kept in hand"


class WhenToPass(Report):
    """The Pass forced, against a bid, and forbidden for the rest of the cycle."""

    game = "piratenpoker"
    name = "when_to_pass"
    question = Registered(
        title="When to pass, and what is a Pass in hand worth?",
        asked="What does it bring to pass although one has cards, in each round, with weak, middling and strong hands; and "
        "what would be lost if one could not pass for the rest of the cycle?",
        population="Bids with cards and the Pass in hand of matches of four equal players, English rules: "
        f"{DRAWN:.2%} of them, drawn one by one.",
        estimate="Points at the end less the mean of the others': passing less the player's own bid, or less one low card; and "
        "the player's own play less the same with one low card in place of every Pass, in this cycle. Weak: the cards are at "
        "most 4 1/4 in the mean; strong: above 4 3/4.",
        smallest=0.5,
        deals={EXPLORE: 12_000, CONFIRM: 48_000},
        tests=(
            *(f"round {number}, {strength}: not {OWN}" for number in ROUNDS for strength in STRENGTHS),
            *(f"round {number}: not {LOW}" for number in ROUNDS),
            *(f"round {number}: {KEPT}" for number in ROUNDS),
        ),
        among=(POLICY, RULES, "rules:plain"),
    )
    size = (10.0, 4.2)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_drawn(game, player, deals, _may_pass, DRAWN)
        records, seats = found.records, found.records["to_move"].astype(np.int64)
        seen = table(records, game.players)
        tried = (found.actions, np.full(len(seats), PASS), low_card(seen))
        own, passed, low = (margin(ends(game, player, records, actions).points, seats) for actions in tried)
        return {
            "deal": found.deal, "number": records["round_number"].astype(np.int64),
            "strength": seen.numbers.sum(axis=1) / (seen.numbers > 0).sum(axis=1), "willing": found.actions == PASS,
            "own": passed - own, "low": passed - low, "kept": own - margin(without_pass(game, player, records), seats),
        }  # fmt: skip

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told: dict[str, Estimate] = {}
        for number in ROUNDS:
            part = where(rows, rows["number"] == number)
            told[f"round {number}: not {LOW}"] = mean(part["low"], part["deal"])
            told[f"round {number}: {KEPT}"] = mean(part["kept"], part["deal"])
            unwilling = where(part, ~part["willing"])
            for strength, (low, high) in STRENGTHS.items():
                own = where(unwilling, (unwilling["strength"] > low) & (unwilling["strength"] <= high))
                told[f"round {number}, {strength}: not {OWN}"] = mean(own["own"], own["deal"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["own", "low", "kept"], chance)

    def statement(self, found: Findings) -> str:
        first, second, third = (found.verdicts[f"round {number}: not {LOW}"].written() for number in ROUNDS)
        return f"A Pass in place of one low card brings {first} points in round 1, {second} in round 2 and {third} in round 3."

    def more(self, found: Findings) -> str:
        told = []
        for number in ROUNDS:
            tests = {strength: f"round {number}, {strength}: not {OWN}" for strength in STRENGTHS}
            each = [f"{strength} {found.verdicts[test].written()}" for strength, test in tests.items()]
            told.append(f"in round {number} with hands that are {', '.join(each)}")
        kept = ", ".join(found.verdicts[f"round {number}: {KEPT}"].written("+.2f") for number in ROUNDS)
        return (
            f"A Pass in place of the player's own bid brings, in points, {'; '.join(told)}. That one still may "
            f"pass is worth {kept} points in rounds 1, 2 and 3."
        )

    def advice(self, found: Findings) -> str:
        told = [found.verdicts[f"round {number}: not {LOW}"] for number in ROUNDS[:2]]
        if not all(verdict.matters and verdict.estimate.mean < 0 for verdict in told):
            return ""
        first, second = (verdict.estimate.written() for verdict in told)
        return (
            f"Do not pass while you hold a card: against one low card the Pass brings {first} points in round 1 and {second} "
            "in round 2, for who passed is out of the cycle."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots()
        lines = [(f"not its own bid, {strength} hand", f", {strength}: not {OWN}") for strength in STRENGTHS]
        lines += [(f"not {LOW}", f": not {LOW}"), ("what being able to pass is worth", f": {KEPT}")]
        for at, (label, end) in enumerate(lines):
            told = [found[f"round {number}{end}"] for number in ROUNDS]
            means, reach = [each.mean for each in told], [1.96 * each.error for each in told]
            places = np.arange(len(ROUNDS)) + 0.15 * (at - 2)
            axes.vlines(places, 0, means, color=f"C{at}", lw=9, alpha=0.3)
            axes.errorbar(places, means, yerr=reach, fmt="o", ms=6, lw=1.8, color=f"C{at}", label=label)
        axes.axhline(0, color="0.3", lw=0.8)
        axes.set_ylabel("points of passing (95 % intervals)")
        axes.set_xticks(range(len(ROUNDS)), [f"round {number}" for number in ROUNDS])
        axes.tick_params(axis="x", length=0)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        figure.legend(loc="outside right center", frameon=False)


def _may_pass(records: np.ndarray, move: Move) -> np.ndarray:
    return (records["phase"] == BID) & _has_choice(move.action_masks)  # type: ignore[no-any-return]


def without_pass(game: Game, player: Agent, records: np.ndarray) -> np.ndarray:
    """Points of every seat (n, players) if in this cycle the mover stakes one low card wherever it would choose the Pass."""
    matches = Lockstep(game, player, records.copy())
    for move in matches.moves():
        now, then = matches.records[move.rows], records[move.rows]
        here = (move.seats == then["to_move"]) & (now["cycle"] == then["cycle"])
        forbidden = here & (move.actions == PASS) & _has_choice(move.action_masks)
        move.actions[forbidden] = low_card(table(now[forbidden], game.players))
    return matches.points()


def _has_choice(action_masks: np.ndarray) -> np.ndarray:
    """Where the bids are both the Pass and cards, bool, (n,)."""
    return action_masks[:, PASS] & action_masks[:, PASS + 1 : OVERBOARD_ACTION].any(axis=1)  # type: ignore[no-any-return]
