"""Play equal cards of Lucky Pirate one by one, or all together?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import Move
from experiments.reports.lucky_pirate.table import GREEDY, LAST_TURN, dots, drawn, gain, listed, masks, of_mover
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.core.game import Game
from pirate_envs.games.lucky_pirate.state import CAPTAIN, KINDS, KRAKEN, MERMAID, NUMBERS

CARDS = {
    "1 to 3": (0, 1, 2), "4 to 6 and 8": (3, 4, 5, 7), "mermaids, captains, krakens": (MERMAID, CAPTAIN, KRAKEN),
    "other specials": tuple(range(NUMBERS, KINDS)),
}  # fmt: skip
CLEARING, RUN = "numbers that clear", 3  # equal numbers that clear the pile
SORTS = (*CARDS, CLEARING)
SIZES = ("hand of 2 to 4", "hand of 5 to 8", "hand of 9 or more")
UPS = "any equal cards, from the ups"
TESTS = (*(f"{sort}, {size}" for sort in SORTS for size in SIZES), UPS)
DRAWN = (1.0, 0.5, 0.5, 0.5, 0.25, 0.2, 0.25, 0.15, 0.2, 0.2, 0.1, 0.1, 1.0, 0.5, 0.3, 1.0)
"""By TESTS: some have many decisions."""
SORT_OF = np.array([next(at for at, kinds in enumerate(CARDS.values()) if kind in kinds) for kind in range(KINDS)])


def most_copies(action_masks: np.ndarray) -> np.ndarray:
    """How many of each kind may be played at once, int64, (n, 16)."""
    return action_masks[:, : 3 * KINDS].reshape(-1, KINDS, 3).sum(axis=2)  # type: ignore[no-any-return]


def sets(records: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """Of each of SORTS the lowest kind of which two or more may be played, int64, (n, sorts); -1 where there is none.

    Sets whose single would clear the pile already are none.
    """
    copies, kinds = most_copies(action_masks), np.arange(KINDS)
    run = np.where(records["run_value"][:, None] == kinds + 1, records["run_length"][:, None], 0)
    is_number = kinds < NUMBERS
    clears = is_number & (run + copies >= RUN)
    asked = (copies >= 2) & ~(is_number & (run + 1 >= RUN))
    told = np.full((len(records), len(SORTS)), -1)
    for at in range(len(SORTS)):
        of_sort = asked & (clears if at == len(CARDS) else ~clears & (at == SORT_OF))
        told[:, at] = np.where(of_sort.any(axis=1), of_sort.argmax(axis=1), -1)
    return told


def asked_of(records: np.ndarray, action_masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By TESTS whether the position is of it, bool, (n, tests), and the kind that it asks about, int64, (n, tests)."""
    kinds, hand = sets(records, action_masks), of_mover(records, "hand_sizes")
    sizes = (hand[:, None] > 0) & (np.searchsorted([4, 8], hand)[:, None] == np.arange(len(SIZES)))
    from_hand = ((kinds >= 0)[:, :, None] & sizes[:, None]).reshape(len(records), -1)
    from_ups = (kinds >= 0).any(axis=1) & (hand == 0)
    lowest = np.where(kinds >= 0, kinds, KINDS).min(axis=1)
    told = np.column_stack([np.repeat(kinds, len(SIZES), axis=1), lowest])
    return np.column_stack([from_hand, from_ups]), told


class Copies(Agent):
    """Plays the kinds that another does, always one card of them, or always all that it may."""

    def __init__(self, other: Agent, together: bool) -> None:
        self.other, self.together, self.wants_records = other, together, other.wants_records
        self.name = f"{other.name}, {'all together' if together else 'one by one'}"

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = self.other.act(decisions).astype(np.int64)
        plays = np.flatnonzero(actions < 3 * KINDS)
        kind = actions[plays] // 3
        copies = most_copies(decisions.action_masks[plays])[np.arange(len(plays)), kind] if self.together else 1
        actions[plays] = 3 * kind + copies - 1
        return actions


ALWAYS = ("all together", "one by one")
EVEN = 0.25  # what each of four equal players wins


def habits(found: Findings) -> tuple[Estimate, Estimate]:
    """What playing always so or so wins, by ALWAYS."""
    together, single = (each["win_share"] for each in found.matches.values())
    return together, single


class SinglesOrSets(Report):
    """All the copies and one of them, each played in the same position."""

    game = "lucky_pirate"
    name = "singles_or_sets"
    question = Registered(
        title="One by one, or all together?",
        asked="Of two or three equal cards that fit: all at once, or one?",
        population="Decisions at which two or three equal cards fit, by sort and size of hand; of several such kinds the "
        "lowest. Numbers that clear the pile, as one of them would not, are a sort of their own. Each is drawn with a chance "
        "that goes by sort and size alone, "
        f"in the first {LAST_TURN} turns of a match.",
        estimate="Points of a hundred of the win: all of them (three at most), less one of them, with the same cards and the "
        "same players from there on. Above 0: all together.",
        smallest=1.0,
        deals={EXPLORE: 6_000, CONFIRM: 20_000},
        tests=TESTS,
        among=(POLICY, RULES, GREEDY),
    )

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        def wanted(records: np.ndarray, move: Move) -> np.ndarray:
            return asked_of(records, move.action_masks)[0]

        found = drawn(game, player, deals, DRAWN, wanted)
        every, legal = np.arange(len(found.deal)), masks(game, found.records)
        kind = asked_of(found.records, legal)[1][every, found.group]
        together = 3 * kind + most_copies(legal)[every, kind] - 1
        return {"deal": found.deal, "group": found.group, "gain": gain(game, player, found.records, together, 3 * kind)}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        parts = (where(rows, rows["group"] == at) for at in range(len(TESTS)))
        return {test: mean(part["gain"], part["deal"]) for test, part in zip(TESTS, parts, strict=True)}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["gain"], chance)

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        policy = agent(game, POLICY)
        ones = (Copies(policy, together) for together in (True, False))
        return {f"{one.name}, against 3 x {POLICY}": {"one": one, "field": policy} for one in ones}

    def statement(self, found: Findings) -> str:
        most = found.strongest(TESTS)[:1]
        if not most:
            return "No equal cards were found that are better played one by one, or all together; none was found to matter."
        (verdict,) = most
        how, other = ALWAYS if verdict.estimate.mean > 0 else ALWAYS[::-1]
        return f"Play equal cards {how} and not {other} above all here: {verdict.test} ({verdict.written()} points of the win)."

    def more(self, found: Findings) -> str:
        together, single = (found.strongest(TESTS, sign) for sign in (1, -1))
        habit = " and ".join(f"{name} {won.written('.1%')}" for name, won in zip(ALWAYS, habits(found), strict=True))
        return (
            "Points of the win that a single decision for all equal cards together brings, against one of them. Better: "
            f"{listed(together, 4) or 'none was found'}. Worse: {listed(single, 4) or 'none was found'}. As a habit, of the "
            f"matches of four against three who choose freely, the policy wins {habit}; an even share is 25.0%."
        )

    def advice(self, found: Findings) -> str:
        habit = dict(zip(ALWAYS, habits(found), strict=True))
        better, worse = sorted(ALWAYS, key=lambda name: -habit[name].mean)
        if habit[better].interval()[0] <= habit[worse].interval()[1]:
            return ""
        won, lost = (habit[name].written(".1%") for name in (better, worse))
        free = habit[better].interval()[1] < EVEN
        told = ", less than the even 25 % of who chooses each time" if free else ""
        so = f"If you want a habit, play equal cards {better}: it wins {won} of matches of four{told}; {worse} wins {lost}."
        clearing = [
            f"Look for equal numbers that clear the pile together: all of them at once bring {verdict.written()} points of the "
            f"win against one of them ({verdict.test.removeprefix(f'{CLEARING}, ')})."
            for verdict in found.strongest((f"{CLEARING}, {size}" for size in SIZES), 1)[:1]
        ]
        return "\n".join([so, *clearing])

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots()
        rows = {sort: [*(f"{sort}, {size}" for size in SIZES), None] for sort in SORTS}
        dots(axes, found, {**rows, "any equal cards": [None, None, None, UPS]}, [*SIZES, "from the ups"])
        axes.set_xlabel("points of the win, all together less one (95 % intervals)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
