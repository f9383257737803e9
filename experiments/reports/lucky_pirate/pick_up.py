"""What does a pile of Lucky Pirate cost whoever picks it up?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import Lockstep, Move
from experiments.reports.lucky_pirate.table import GREEDY, LAST_TURN, dots, drawn, listed, of_mover
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.lucky_pirate.state import PICK_UP
from pirate_envs.search.tree import TO_MATCH_END
from pirate_envs.search.worlds import apply_all

PILES = {"1 card": 1, "2 or 3 cards": 2, "4 to 6 cards": 4, "7 to 10 cards": 7, "11 cards or more": 11}
HANDS = {"on the ups": 0, "hand of 1 to 3": 1, "hand of 4 or more": 4}
SAME = "4 to 6 cards"  # the pile of which the page that tells how to win says what it costs with each hand
TESTS = tuple(f"{pile}, {hand}" for pile in PILES for hand in HANDS)


def group_of(records: np.ndarray) -> np.ndarray:
    """Which of TESTS a seat that has to pick up belongs to, int64, (n,)."""
    pile = np.searchsorted(list(PILES.values()), records["pile_size"], side="right") - 1
    hand = np.searchsorted(list(HANDS.values()), of_mover(records, "hand_sizes"), side="right") - 1
    return pile * len(HANDS) + hand


def picked_up(records: np.ndarray) -> np.ndarray:
    """The records after the pile that none of the cards fit has been picked up."""
    after, count = records.copy(), len(records)
    no_stages, goes_on = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    apply_all(after, np.arange(count), np.full(count, PICK_UP), no_stages, TO_MATCH_END, goes_on)
    return after


def swept_away(records: np.ndarray, after: np.ndarray) -> np.ndarray:
    """As if the pile had left the game instead: all else, the turn too, as in `after`, where it was picked up."""
    swept, every, seats = after.copy(), np.arange(len(records)), records["to_move"]
    for heap in ("hands", "known"):
        swept[heap][every, seats] -= records["pile"]
    swept["hand_sizes"][every, seats] -= records["pile_size"]
    swept["cleared"] += records["pile"]
    return swept


class PickUp(Report):
    """The same match with the pile in the hand, and with the pile out of the game."""

    game = "lucky_pirate"
    name = "pick_up"
    question = Registered(
        title="What does a pile cost?",
        asked="How much of the win does it cost to pick up the pile, by its size and one's own cards? (Who can play must; "
        "what can be chosen is what to be stuck with.)",
        population=f"All pick-ups of seats of which no card fits, in the first {LAST_TURN} turns of a match; flips that fail "
        "are left out.",
        estimate="Points of a hundred of the win: had the pile left the game instead, less with the pile in hand; all else the "
        "same, the turn too. Above 0: it costs.",
        smallest=1.0,
        deals={EXPLORE: 10_000, CONFIRM: 36_000},
        tests=TESTS,
        among=(POLICY, RULES, GREEDY),
    )

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        def wanted(records: np.ndarray, move: Move) -> np.ndarray:
            last = records["turn"] + 1 >= game.options.max_turns  # type: ignore[attr-defined]
            forced = move.action_masks[:, PICK_UP] & (records["pile_size"] > 0) & ~last
            return forced[:, None] & (group_of(records)[:, None] == np.arange(len(TESTS)))

        found = drawn(game, player, deals, (1.0,) * len(TESTS), wanted)
        after = picked_up(found.records)
        won = [_won(game, player, each, found.records) for each in (swept_away(found.records, after), after)]
        size = found.records["pile_size"].astype(np.int64)
        return {"deal": found.deal, "group": found.group, "size": size, "cost": 100 * (won[0] - won[1])}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        parts = (where(rows, rows["group"] == at) for at in range(len(TESTS)))
        return {test: mean(part["cost"], part["deal"]) for test, part in zip(TESTS, parts, strict=True)}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["cost"], chance)

    def statement(self, found: Findings) -> str:
        most = found.strongest(TESTS)[:1]
        if not most:
            return "No pile was found that costs or helps."
        (verdict,) = most
        does = "costs" if verdict.estimate.mean > 0 else "helps"
        return f"To pick up a pile {does} most with {verdict.test}: {verdict.written()} points of the win."

    def more(self, found: Findings) -> str:
        costs, helps = (found.strongest(TESTS, sign) for sign in (1, -1))
        return (
            f"Picking up costs most, in points of the win: {listed(costs, 4) or 'nothing was found'}. "
            f"A pile that helps: {listed(helps) or 'none was found'}. A pile of 2 or 3 cards costs "
            f"{found.verdicts['2 or 3 cards, hand of 4 or more'].written()} points with 4 cards or more in hand, and "
            f"{found.verdicts['2 or 3 cards, on the ups'].written()} on the ups."
        )

    def advice(self, found: Findings) -> str:
        if not found.strongest(TESTS, 1):
            return ""
        few, *_, many = PILES
        on_ups = [found.verdicts[f"{pile}, on the ups"].written() for pile in (few, many)]
        by_hand = [f"{found.verdicts[f'{SAME}, {hand}'].written()} with a {hand}" for hand in list(HANDS)[:0:-1]]
        return (
            f"If you must be stuck with a pile, be so while you hold cards: {SAME} cost {', '.join(by_hand)}, and "
            f"{found.verdicts[f'{SAME}, on the ups'].written()} points of the win once you play from the ups; and while it is "
            f"small: on the ups {few} costs {on_ups[0]}, {many} {on_ups[1]}."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots()
        dots(axes, found, {pile: [f"{pile}, {hand}" for hand in HANDS] for pile in PILES}, list(HANDS))
        axes.set_xlabel("points of the win that picking up the pile costs (95 % intervals)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)


def _won(game: Game, player: Agent, records: np.ndarray, before: np.ndarray) -> np.ndarray:
    matches = Lockstep(game, player, records.copy())
    matches.play()
    return matches.wins()[np.arange(len(before)), before["to_move"]]  # type: ignore[no-any-return]
