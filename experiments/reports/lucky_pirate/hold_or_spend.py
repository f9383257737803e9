"""Hold a special card of Lucky Pirate, or spend it, when a low number would do?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import Move
from experiments.reports.lucky_pirate.table import (
    GREEDY,
    LAST_TURN,
    LOW,
    NAMES,
    dots,
    drawn,
    gain,
    left_to_next,
    listed,
    masks,
    of_mover,
    sentence,
)  # fmt: skip
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.lucky_pirate.state import (
    CAPTAIN,
    FIRST_MATE,
    KRAKEN,
    MERMAID,
    PARROT,
    PLANK,
    PORTHOLE,
    REVERSE,
    SKIP,
)  # fmt: skip

SPECIALS = (MERMAID, CAPTAIN, KRAKEN, FIRST_MATE, PORTHOLE, PARROT, PLANK, REVERSE, SKIP)
NEARLY_OUT = 2  # cards left in all
STAGES = ("the next has 3 cards or more", "the next has 1 or 2", "from the ups")
DRAWN = (0.1, 1.0, 1.0)
"""By stage: the first one's decisions are many."""
TESTS = tuple(f"{NAMES[kind]}, {stage}" for kind in SPECIALS for stage in STAGES)


def stage_of(records: np.ndarray) -> np.ndarray:
    """Which of STAGES, int64, (n,)."""
    return np.where(of_mover(records, "hand_sizes") == 0, 2, left_to_next(records) <= NEARLY_OUT)


def lowest_number(action_masks: np.ndarray) -> np.ndarray:
    """The action that plays one card of the lowest of 1 to 6 and 8 that fits, int64; -1 where none does."""
    singles = action_masks[:, [3 * kind for kind in LOW]]
    return np.where(singles.any(axis=1), 3 * np.array(LOW)[singles.argmax(axis=1)], -1)


def both_fit(records: np.ndarray, move: Move) -> np.ndarray:
    """By TESTS, whether the special fits and a low number too, bool, (k, tests)."""
    fits = move.action_masks[:, [3 * kind for kind in SPECIALS]] & (lowest_number(move.action_masks) >= 0)[:, None]
    stages = stage_of(records)[:, None] == np.arange(len(STAGES))
    return (fits[:, :, None] & stages[:, None]).reshape(len(records), -1)


class HoldOrSpend(Report):
    """The special and the lowest number, each played in the same position."""

    game = "lucky_pirate"
    name = "hold_or_spend"
    question = Registered(
        title="Hold the specials, or spend them?",
        asked="When a low number fits and a special card does too: which is to be played?",
        population="Decisions at which a special card fits and one of 1 to 6 or 8 too, by kind and stage: from the hand, by "
        "how many cards the next player has left in all, or from the ups. Each is drawn with a chance that goes by the stage "
        f"alone, in the first {LAST_TURN} turns of a match.",
        estimate="Points of a hundred of the win: one of the special, less one of the lowest number that fits, with the "
        "same cards and the same players from there on. Above 0: spend it.",
        smallest=1.0,
        deals={EXPLORE: 5_000, CONFIRM: 16_000},
        tests=TESTS,
        among=(POLICY, RULES, GREEDY),
    )
    size = (9.0, 6.0)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = drawn(game, player, deals, DRAWN * len(SPECIALS), both_fit)
        special = 3 * np.array(SPECIALS)[found.group // len(STAGES)]
        low = lowest_number(masks(game, found.records))
        return {"deal": found.deal, "group": found.group, "gain": gain(game, player, found.records, special, low)}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        parts = (where(rows, rows["group"] == at) for at in range(len(TESTS)))
        return {test: mean(part["gain"], part["deal"]) for test, part in zip(TESTS, parts, strict=True)}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["gain"], chance)

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        """The cheat sheet, which plays 1 to 6 before any special, but in three cases."""
        one = agent(game, "sheet")
        return {f"the cheat sheet, against 3 x {field}": {"one": one, "field": agent(game, field)} for field in (POLICY, RULES)}

    def statement(self, found: Findings) -> str:
        told = found.strongest(TESTS)[:1]
        said = [f"{'hold' if each.estimate.mean < 0 else 'spend'} the {_said(each.test)}: {each.written()}" for each in told]
        brings = f"{said[0]} points of the win if it is played instead" if said else "nothing was found that matters"
        return f"While a low number fits, above all {brings}."

    def more(self, found: Findings) -> str:
        hold, spend = (found.strongest(TESTS, sign) for sign in (-1, 1))
        shares = {name.removeprefix("the cheat sheet, "): each["win_share"] for name, each in found.matches.items()}
        won = ", ".join(f"{share.written('.1%')} {field}" for field, share in shares.items())
        return (
            "Points of the win that a special card brings when it is played in place of the lowest number that fits. Hold: "
            f"{listed(hold, 4) or 'none was found'}. Spend: {listed(spend, 4) or 'none was found'}. "
            f"Cases that say hold: {len(hold)} of {len(TESTS)}; spend: {len(spend)}. The cheat sheet, which but in three cases "
            f"plays 1 to 6 first, wins of matches of four {won}; an even share is 25.0%."
        )

    def advice(self, found: Findings) -> str:
        hold, spend = (found.strongest(TESTS, sign) for sign in (-1, 1))
        parts = []
        if hold:
            cards = [f"the {_said(each.test)} ({each.estimate.written()})" for each in hold[:3]]
            every = " and ".join(filter(None, (", ".join(cards[:-1]), cards[-1])))
            brings = "so many points of the win does it bring to play them instead"
            parts.append(f"while a low number fits, hold above all {every}: {brings}")
        if spend:
            parts.append(f"{'but ' * bool(hold)}spend, though a low number fits: {listed(spend, 2)}")
        return sentence(parts)

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots()
        rows = {NAMES[kind]: [f"{NAMES[kind]}, {stage}" for stage in STAGES] for kind in SPECIALS}
        dots(axes, found, rows, list(STAGES))
        axes.set_xlabel("points of the win, played in place of the lowest number that fits (95 % intervals)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)


def _said(test: str) -> str:
    card, stage = test.split(", ")
    return f"{card} {'among your ups' if stage == STAGES[-1] else f'while {stage}'}"
