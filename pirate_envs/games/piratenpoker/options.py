"""Piratenpoker: its options and presets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pirate_envs.core.errors import OptionError
from pirate_envs.core.options import Options, option
from pirate_envs.games.piratenpoker.table import (
    FRONTS,
    HAND,
    LOOT_SCALE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    STACK,
)

USUAL_LOOT = (2, 2, 2, 1)  # cards of each front in a stack
MOST_CYCLES = 1000
_LOOT = f"None, or counts by front ({', '.join(str(front) for front in FRONTS)}) that make {STACK} cards"


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

    players: int = option(4, "seats at the table", low=MIN_PLAYERS, high=MAX_PLAYERS)
    rules: str = option(
        "english", "preset: the rulebook of that language; each value can be set alone too", choices=("english", "french")
    )
    overboard_to: str = option(
        "any", "who may be given the overboard card: any player, or others only", choices=("any", "others")
    )
    overboard_shark: str = option(
        "give", "an overboard card with a shark is given like any other, or the winner keeps it", choices=("give", "keep")
    )
    gift_limit: str = option("one", "negative cards that may be given away in a gift", choices=("one", "any"))
    pass_effect: str = option(
        "out", "after a Pass one is out of the cycle, or the Pass is spent and cards must be staked", choices=("out", "spent")
    )
    refill_to: int = option(HAND, "poker cards that a hand is filled up to after a cycle", low=1, high=HAND)
    all_pass: str = option(
        "return",
        "when nobody stakes a card the loot on offer returns to its stacks, or is removed, or only a third round's is",
        choices=("return", "remove", "remove_last"),
    )
    match_end: str = option(
        "after_cycle",
        "the match ends when a stack is empty after a cycle, or at once when its last card would be turned up",
        choices=("after_cycle", "at_once"),
    )
    bonus_repeat: bool = option(False, "every full set of three pays its bonus, not one of each kind only")
    bonus_sides: str = option(
        "fronts", "sets of equal loot cards that pay a bonus: of fronts, or of all sides", choices=("fronts", "all")
    )
    tie_depth: str = option("all", "cards that are compared to break a tie", choices=("all", "two"))
    final_tie: str = option(
        "shared", "a tie at the end that no card breaks is shared, or lets the next best win", choices=("shared", "runner_up")
    )
    r3_tie_value: str = option(
        "worth", "what is compared in a tie of the third round: doubled worths or printed numbers", choices=("worth", "printed")
    )
    loot_counts: Mapping[str, int] | None = dataclasses.field(  # no part of the hash: a mapping has none
        default=None, hash=False, metadata={"meaning": "loot cards of each front in a stack", "allowed": _LOOT}
    )
    max_cycles: int = option(30, "cycles before the match is cut short", low=1, high=MOST_CYCLES)

    @property
    def counts(self) -> tuple[int, ...]:
        """Cards of each front in a stack, in the order of FRONTS."""
        if self.loot_counts is None:
            return USUAL_LOOT
        return tuple(self.loot_counts.get(str(front), 0) for front in FRONTS)

    def check(self) -> None:
        if self.loot_counts is None:
            return
        if not isinstance(self.loot_counts, Mapping):
            raise OptionError(f"option 'loot_counts' is {self.loot_counts!r}; allowed: {_LOOT}")
        counts: dict[str, int] = {}
        for front, count in self.loot_counts.items():
            if isinstance(front, bool) or str(front) not in map(str, FRONTS) or str(front) in counts:
                raise OptionError(f"option 'loot_counts' names {front!r}; allowed: {_LOOT}")
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
                raise OptionError(f"option 'loot_counts' has {count!r} of {front}; allowed: {_LOOT}")
            counts[str(front)] = int(count)
        if sum(counts.values()) != STACK:
            raise OptionError(f"option 'loot_counts' has {sum(counts.values())} cards; allowed: {_LOOT}")
        object.__setattr__(self, "loot_counts", counts)  # names as JSON keeps them

    def write(self, g: np.record) -> None:
        super().write(g)
        fronts = np.repeat(np.arange(len(FRONTS)), self.counts)
        g.full_stack = sum(1 << (4 * place + int(front)) for place, front in enumerate(fronts))
        g.full_counts = sum(count << 8 * front for front, count in enumerate(self.counts))
        g.option_cells[:] = [
            *(float(self.players == seats) for seats in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
            self.overboard_to == "others",
            self.overboard_shark == "keep",
            self.gift_limit == "any",
            self.pass_effect == "spent",
            self.refill_to / HAND,
            self.all_pass != "return",
            self.bonus_repeat,
            self.tie_depth == "two",
            self.final_tie == "runner_up",
            self.r3_tie_value == "printed",
            *(count / LOOT_SCALE for count in self.counts),
        ]
