"""Piraten Kapern's cheat sheet: two dice at a time, from the smallest of the groups that lie.

What a turn by it brings is known exactly, as but for the final round it looks at nothing but the card and the dice
(experiments/reports/piraten_kapern/five_sentences.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from pirate_envs.agents.player import Decisions
from pirate_envs.agents.sheets import CheatSheet
from pirate_envs.core.game import Game
from pirate_envs.games.piraten_kapern.solved.turn import (
    BATTLES,
    CARD_SKULLS,
    CARDS,
    COIN,
    DIAMOND,
    MONKEY,
    NUMBER,
    PARROT,
    SABRE,
    SKULL,
    THROWS,
    actions_of,
    at_stop,
    engine_throws,
    full_chest,
    objects,
)
from pirate_envs.games.piraten_kapern.state import STOP

MONKEYS, SORCERESS, STORM, PEACE = "monkey_business", "sorceress", "after_the_storm", "peace"
NEVER = 10**6  # points
NO_POINTS = 10**9  # below all that a match can bring
ISLAND = 2  # of a turn's states
SIX, SEVEN = 6, 7  # dice alike, from which to stop with one skull and with none
BESIDE = 2  # that coins and diamonds count more
OTHERS_AT_ONCE, MONKEYS_KEPT = 4, 4
TWO_SKULLS = {card: 0 if card in BATTLES else 400 for card in CARDS} | {
    "sorceress": 300, "captain": 600, "skulls_2": 600, "after_the_storm": 600, "treasure_island": 800,
}  # fmt: skip
ONE_SKULL = {**dict.fromkeys(CARDS, NEVER), "sea_battle_2": 900, "sea_battle_3": 1000, "sea_battle_4": 1500}
"""By card, the points from which to stop with one skull."""


@dataclass(frozen=True)
class SheetRules:
    """The sheet's sentences; each may be left out, to see what it is worth."""

    two_skulls: tuple[int, ...] = tuple(TWO_SKULLS.values())
    """By card, the points from which to stop with two skulls."""
    two_at_a_time: bool = True
    """Else: all dice that score nothing, and if there are not two of them the turn stops."""
    treasure_counts_more: bool = True
    """Else: coins and diamonds count as the other faces."""
    plays_on: bool = True
    """With fewer than two skulls: until six or seven are alike. Else: one stops as with two skulls."""
    minds_cards: bool = True
    """Else: sorceress (asked at the third skull only), monkey business and sea battles are played as any other card."""
    stops: bool = True
    """Else: it plays on as long as it can."""
    alone: bool = True
    """The table lets the sorceress roll a skull alone (R34)."""


USUAL_RULES = SheetRules()
Lying = list[int]  # counts by face


class PiratenKapernSheet(CheatSheet):
    """Plays every turn by the card and the dice, and in the final round by who is ahead."""

    text = """
# Piraten Kapern: two dice at a time

**Which dice.** Count how many lie of each face, the card's own coin or diamond too. Coins and diamonds count 2 more.
Roll *two* dice again, just two: from the face that counts least, then from the next. In a tie the first of these goes: three
alike or fewer (sabres, parrots, monkeys), diamonds, coins, four alike or more; what the card shows stays.

**When to stop**, skulls on the card counted:

- no skull: with seven dice alike, and never else;
- one skull: with six dice alike;
- two skulls: with 400 points or more (captain and two skulls 600, treasure island 800 or five dice alike, sorceress 300).

**Cards**

- *One skull*: with one skull stop with seven dice alike, or when all eight dice score.
- *Sorceress*: once a skull lies ask her at once, for that skull alone; if just one monkey, parrot or sabre is in no set, roll
  it with the skull. (Where a skull may not be rolled alone, add the die that counts least.)
- *Monkey business*: monkeys and parrots are one face, and count 2 more too. With four of them or more, no other face having
  more, and no more than four other dice, roll all those others. With seven alike and no skull stop only if all eight score.
- *Sea battle*: sabres stay, and never stop without those that it needs. With them: stop at two skulls; at one skull also with
  900, 1,000, 1,500 points (for 2, 3, 4 sabres); at none also when all eight dice score.
- *After the storm*: roll all but coins and diamonds (one die or none: stop); stop at two skulls with 600 points.
- *Peace*: roll all sabres (a single one with the die that counts least), and do not stop while one lies.

**Island of Skulls.** Roll all that is no skull, as long as you may. (Peace: sabres as above, and stop when none lies.)

**Final round.** Do not stop while somebody would stay ahead and two dice may go. The last stops as soon as nobody would.
"""

    def __init__(self, game: Game, rules: SheetRules | None = None) -> None:
        super().__init__(game)
        options: Any = game.options
        rules = rules or SheetRules(alone=options.sorceress_alone)
        self._throw = engine_throws(game, self.name)
        self._actions, self._playing_on = (actions_of(lying_table(each)) for each in (rules, replace(rules, stops=False)))
        self._points = np.array([at_stop(card) for card in CARDS])
        if not options.peace_rolls_sabres:  # R35: nothing else counts there
            self._actions[CARDS.index(PEACE), ISLAND] = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        g = self.records_of(decisions)
        state = np.where(g["island"] != 0, ISLAND, g["sorceress_used"] != 0)
        at = g["card"], state, self._throw[g["dice"]]
        action = self._actions[at].astype(np.int64)
        behind = self._behind(g, self._points[at[0], at[2]])
        last = (g["trigger"] >= 0) & (state != ISLAND)
        action[last & ~behind & (g["turns_left"] == 0)] = STOP
        return np.where(last & behind & (action == STOP), self._playing_on[at], action)

    def _behind(self, g: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Whether with these points more the mover would have less than somebody else."""
        seats, mover = np.arange(g["scores"].shape[1]), g["to_move"].astype(np.int64)[:, None]
        own = np.take_along_axis(g["scores"], mover, axis=1)[:, 0] + points
        others = np.where((seats != mover) & (seats < self.game.players), g["scores"], -NO_POINTS)
        return others.max(axis=1) > own  # type: ignore[no-any-return]


@cache
def lying_table(rules: SheetRules = USUAL_RULES) -> np.ndarray:
    """Dice to leave lying, rows of LAID, -1: stop, int64 (cards, 3, 1287): before and after she was asked, on the Island."""
    table = np.full((len(CARDS), 3, len(THROWS)), -1)
    for kind, card in enumerate(CARDS):
        things, points, full = objects(card, THROWS), at_stop(card), full_chest(card, THROWS)
        for throw, counts in enumerate(THROWS.tolist()):
            seen = _Seen(card, counts, things[throw].tolist(), int(points[throw]), bool(full[throw]))
            left = (seen.away(rules, False), seen.away(rules, True), seen.island())
            table[kind, :, throw] = [-1 if lying is None else NUMBER[tuple(lying)] for lying in left]
    table.flags.writeable = False
    return table


@dataclass(frozen=True)
class _Seen:
    """A throw under a card, as the sheet looks at it."""

    card: str
    counts: Lying
    things: Lying
    """By face with the card's own; monkeys and parrots as one with monkey business."""
    points: int
    """Of a stop."""
    full: bool
    """All eight dice score."""

    @property
    def skulls(self) -> int:
        return self.counts[SKULL] + CARD_SKULLS.get(self.card, 0)

    @property
    def alike(self) -> int:
        """Dice of the face of which there are most."""
        both = self.counts[MONKEY] + self.counts[PARROT] if self.card == MONKEYS else 0
        return max(both, *self.counts[:SKULL])

    def island(self) -> Lying | None:
        """What to leave lying there."""
        if self.card == PEACE:
            return self._without_sabres() if self.counts[SABRE] else None
        return self._all_but((SKULL,))

    def away(self, rules: SheetRules, asked: bool) -> Lying | None:
        """What to leave lying away from the Island."""
        waits = self.card == SORCERESS and not asked
        if self.skulls > 2:
            return self._asking(rules) if waits and self.skulls == 3 else None
        if waits and self.skulls and rules.minds_cards:
            return self._asking(rules)
        if self.card == PEACE and self.counts[SABRE]:
            return self._without_sabres()
        if self._stops(rules, waits):
            return None
        if self.card == STORM:
            return self._all_but((COIN, DIAMOND, SKULL))
        if not rules.two_at_a_time:
            return self._loose_ones()
        return (self._monkeys(rules) if self.card == MONKEYS else None) or self._fewer(self.counts, 2, rules)

    def _stops(self, rules: SheetRules, waits: bool) -> bool:
        if not rules.stops:
            return False
        if self.card in BATTLES and self.counts[SABRE] < BATTLES[self.card][0] and rules.minds_cards:
            return False
        few = self.card in CARD_SKULLS or self.card in BATTLES  # skulls that may still come, or points that are made already
        if self.skulls < 2 and not rules.plays_on and not waits:
            return self.points >= rules.two_skulls[CARDS.index(self.card)]
        if self.skulls == 0:
            return (self.alike >= SEVEN and (self.full or self.card != MONKEYS)) or (few and self.full)
        if self.skulls == 1:
            if self.card in CARD_SKULLS:
                return self.alike >= SEVEN or self.full
            return self.alike >= SIX or self.points >= ONE_SKULL[self.card]
        return self.points >= rules.two_skulls[CARDS.index(self.card)] or (
            self.card == "treasure_island" and self.alike >= SIX - 1
        )

    def _asking(self, rules: SheetRules) -> Lying:
        """A skull goes; and a die that lies loose, if it is the only one; and another where the table asks for one."""
        lying = list(self.counts)
        lying[SKULL] -= 1
        loose = [face for face in (MONKEY, PARROT, SABRE) if 0 < self.counts[face] < 3]
        if rules.minds_cards and sum(self.counts[face] for face in loose) == 1:
            lying[loose[0]] -= 1
        elif not rules.alone:
            return self._fewer(lying, 1, rules) or lying
        return lying

    def _fewer(self, counts: Lying, dice: int, rules: SheetRules) -> Lying | None:
        """So many dice fewer, of the faces that count least; None where there are not so many."""
        lying = list(counts)
        for face in sorted((SABRE, PARROT, MONKEY, DIAMOND, COIN), key=lambda face: self._worth(face, rules)):
            if not (face == SABRE and self.card in BATTLES and rules.minds_cards):
                gone = min(dice, lying[face])
                lying[face] -= gone
                dice -= gone
        return lying if dice == 0 else None

    def _worth(self, face: int, rules: SheetRules) -> float:
        """What a face counts, and a fraction more if it goes later in a tie: the card's own treasure, sets of four and more."""
        both = face in (MONKEY, PARROT) and self.card == MONKEYS
        count = self.things[MONKEY] if both else self.things[face]
        if face in (COIN, DIAMOND) and rules.treasure_counts_more:
            return count + BESIDE + 0.25 * (count > self.counts[face])
        return count + BESIDE * (both and rules.minds_cards) + 0.5 * (count > 3)

    def _monkeys(self, rules: SheetRules) -> Lying | None:
        """Monkeys and parrots stay alone, if they are many and the others few."""
        both, others = self.counts[MONKEY] + self.counts[PARROT], self._all_but((MONKEY, PARROT, SKULL))
        many = rules.minds_cards and both >= MONKEYS_KEPT and both == self.alike
        return others if others and many and sum(self.counts) - sum(others) <= OTHERS_AT_ONCE else None

    def _loose_ones(self) -> Lying | None:
        """All that is neither coin, diamond, skull nor in a set goes."""
        lying = list(self.counts)
        for face in (MONKEY, PARROT, SABRE):
            count = self.things[MONKEY] if self.card == MONKEYS and face == PARROT else self.things[face]
            if count < 3 and not (face == SABRE and self.card in BATTLES):
                lying[face] = 0
        return lying if sum(self.counts) - sum(lying) >= 2 else None

    def _all_but(self, kept: tuple[int, ...]) -> Lying | None:
        lying = [count if face in kept else 0 for face, count in enumerate(self.counts)]
        return lying if sum(self.counts) - sum(lying) >= 2 else None

    def _without_sabres(self) -> Lying | None:
        lying = list(self.counts)
        lying[SABRE] = 0
        return lying if self.counts[SABRE] > 1 else self._fewer(lying, 1, USUAL_RULES)
