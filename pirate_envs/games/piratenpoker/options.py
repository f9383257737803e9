"""Piratenpoker: its options and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pirate_envs.core.options import Cells, Options, as_share, counts_option, is_choice, one_hot, option
from pirate_envs.games.piratenpoker.state import FRONTS, HAND, LOOT_SCALE, MAX_PLAYERS, MIN_PLAYERS, STACK

USUAL_LOOT = (2, 2, 2, 1)  # cards of each front in a stack
MOST_CYCLES = 1000


@dataclass(frozen=True, kw_only=True)
class PiratenpokerOptions(Options):
    """What may be varied in a match of Piratenpoker."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "english": {},
        "french": {
            "overboard_to": "others",
            "overboard_shark": "keep",
            "gift_limit": "any",
            "pass_effect": "spent",
            "refill_to": 5,
            "all_pass": "remove_last",
            "match_end": "at_once",
            "bonus_repeat": True,
            "bonus_sides": "all",
            "tie_depth": "two",
            "final_tie": "runner_up",
        },
    }

    players: int = option(
        4,
        "seats at the table",
        low=MIN_PLAYERS,
        high=MAX_PLAYERS,
        cells=one_hot(MIN_PLAYERS, MAX_PLAYERS, "3, 4, 5 players one-hot"),
        recorded=False,
    )
    rules: str = option(
        "english",
        "preset: the rulebook of that language; each value can be set alone too",
        choices=("english", "french"),
        recorded=False,
    )
    overboard_to: str = option(
        "any",
        "who may be given the overboard card: any player, or others only",
        choices=("any", "others"),
        cells=is_choice("others", "overboard to others only"),
    )
    overboard_shark: str = option(
        "give",
        "an overboard card with a shark is given like any other, or the winner keeps it",
        choices=("give", "keep"),
        cells=is_choice("keep", "overboard shark kept"),
    )
    gift_limit: str = option(
        "one",
        "negative cards that may be given away in a gift",
        choices=("one", "any"),
        cells=is_choice("any", "any number of gifts"),
    )
    pass_effect: str = option(
        "out",
        "after a Pass one is out of the cycle, or the Pass is spent and cards must be staked",
        choices=("out", "spent"),
        cells=is_choice("spent", "Pass is spent only"),
    )
    refill_to: int = option(
        HAND,
        "poker cards that a hand is filled up to after a cycle",
        low=1,
        high=HAND,
        cells=as_share(HAND, f"refill / {HAND}"),
    )
    all_pass: str = option(
        "return",
        "when nobody stakes a card the loot on offer returns to its stacks, or is removed, or only a third round's is",
        choices=("return", "remove", "remove_last"),
        cells=Cells("all pass removes", lambda value: [float(value != "return")]),
    )
    match_end: str = option(
        "after_cycle",
        "the match ends when a stack is empty after a cycle, or at once when its last card would be turned up",
        choices=("after_cycle", "at_once"),
    )
    bonus_repeat: bool = option(
        False, "every full set of three pays its bonus, not one of each kind only", cells=as_share(1, "bonus repeats")
    )
    bonus_sides: str = option(
        "fronts", "sets of equal loot cards that pay a bonus: of fronts, or of all sides", choices=("fronts", "all")
    )
    tie_depth: str = option(
        "all", "cards that are compared to break a tie", choices=("all", "two"), cells=is_choice("two", "ties two cards deep")
    )
    final_tie: str = option(
        "shared",
        "a tie at the end that no card breaks is shared, or lets the next best win",
        choices=("shared", "runner_up"),
        cells=is_choice("runner_up", "runner-up wins a final tie"),
    )
    r3_tie_value: str = option(
        "worth",
        "what is compared in a tie of the third round: doubled worths or printed numbers",
        choices=("worth", "printed"),
        cells=is_choice("printed", "printed numbers in ties"),
    )
    loot_counts: Mapping[str, int] | None = counts_option(
        "loot cards of each front in a stack",
        FRONTS,
        total=(STACK, STACK),
        cells=Cells(
            f"loot cards of each front in a stack / {LOOT_SCALE:g}",
            lambda counts: [count / LOOT_SCALE for count in counts],
            len(FRONTS),
        ),
    )
    max_cycles: int = option(30, "cycles before the match is cut short", low=1, high=MOST_CYCLES)

    @property
    def counts(self) -> tuple[int, ...]:
        """Cards of each front in a stack, in the order of FRONTS."""
        if self.loot_counts is None:
            return USUAL_LOOT
        return tuple(self.loot_counts.get(str(front), 0) for front in FRONTS)

    def shown_value(self, name: str) -> Any:
        return self.counts if name == "loot_counts" else super().shown_value(name)

    def write(self, g: np.record) -> None:
        super().write(g)
        fronts = np.repeat(np.arange(len(FRONTS)), self.counts)
        g.full_stack = sum(1 << (4 * place + int(front)) for place, front in enumerate(fronts))
        g.full_counts = sum(count << 8 * front for front, count in enumerate(self.counts))
