"""Piratenpoker on a page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pirate_envs.agents.player import Decisions
from pirate_envs.agents.sheets import CheatSheet
from pirate_envs.games.piratenpoker.state import (
    BACKS,
    BELOW_ACTION,
    BELOW_DECK,
    BID,
    COLOURS,
    FRONTS,
    GIVE,
    HAND,
    KINDS,
    MAX_PLAYERS,
    NUMBERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    SHARK,
    SIDES,
)

KEPT, ENOUGH_SHARKS = 2, 3  # cards kept for later when the others are staked for a first shark; a set
DEARER = 3  # how much more a card of one's own colour counts when the lowest is looked for
STRONG, FEW = 35, 5  # a hand worth saving for the loot; cards of all others in hand that are soon beaten
NEVER = 10**6


class SeenTable(NamedTuple):
    """What the rules look at: arrays of one row for each decision."""

    numbers: np.ndarray
    """Of the own cards by slot, 0 without one, int64, (n, 6)."""
    colours: np.ndarray
    """Of the own cards by slot, int64, (n, 6)."""
    by_colour: np.ndarray
    """What the own cards of each colour add up to, int64, (n, 3)."""
    fronts: np.ndarray
    """Value of the loot on offer by colour, 0 without any, int64, (n, 3)."""
    sharks: np.ndarray
    """Colours with a shark on offer, bool, (n, 3)."""
    own: np.ndarray
    """Own loot by side, int64, (n, 8)."""
    others_sharks: np.ndarray
    """Whether another owns a shark, bool, (n,)."""
    others_cards: np.ndarray
    """Cards of all others that are still in, int64, (n,)."""
    leader: np.ndarray
    """Seats from the mover on to the other one with the most points, int64, (n,)."""


def table(records: np.ndarray, players: int) -> SeenTable:
    """Look at the (redacted) records."""
    every = np.arange(len(records))
    seat = records["to_move"].astype(np.int64)
    others = (seat[:, None] + np.arange(1, players)) % players
    kinds = records["hands"][every, seat][:, None] >> 8 * np.arange(HAND) & 255
    numbers, colours = np.where(kinds < KINDS, kinds % NUMBERS + 1, 0), kinds // NUMBERS
    offer = records["offer"].astype(np.int64)
    sides = records["displays"].sum(axis=2)[:, :, None] >> 8 * np.arange(SIDES) & 255
    beside, rows = sides[every[:, None], others], every[:, None]
    stays_in = (records["passed"][rows, others] == 0) | (records["pass_effect"] == 1)[:, None]
    return SeenTable(
        numbers=numbers,
        colours=colours,
        by_colour=np.stack([np.where(colours == colour, numbers, 0).sum(axis=1) for colour in range(COLOURS)], axis=1),
        fronts=np.where(offer >= 0, np.array(FRONTS)[offer], 0),
        sharks=offer == SHARK,
        own=sides[every, seat],
        others_sharks=beside[:, :, len(FRONTS)].any(axis=1),
        others_cards=np.where(stays_in, records["sizes"][rows, others], 0).sum(axis=1),
        leader=1 + records["scores"][rows, others].argmax(axis=1),
    )


class PiratenpokerSheet(CheatSheet):
    """Save your colour for the loot, stake nearly all for sharks, and pass only without cards."""

    text = """\
**Your colour**: of the loot on offer, the colour in which your cards add up to most.
**Your low card**: your lowest, but a card of your colour counts 3 more.

**Round 1**
- A shark is on offer and you own one or two: stake everything.
- A shark is on offer, nobody owns one, and you have no negative card: stake all but your two lowest cards
  (of equal ones the green goes first, then the red); with no more than two, your low card.
- Else stake your low card.

**Round 2**
- You own a negative card, the others who are in hold more than 5 cards together,
  and your hand, your colour counted twice, comes to 35 or less: stake everything.
- Else stake your low card.

**Round 3**: stake everything.

**Pass** only without cards.

**Overboard**
- A shark: take it yourself. If you may not, treat it as any other.
- Else throw the loot in whose colour you have least to the leader among the others.

**Below deck** goes the loot in whose colour you have least.

In both: if equal, the lower loot; if you have no cards left, the higher one.

**Gift**: your worst negative card, to the leader among the others.

Equal leaders: the first after you. Equal cards or colours: green before red before yellow.
"""

    def act(self, decisions: Decisions) -> np.ndarray:
        records = self.records_of(decisions)
        seen = table(records, self.game.players)
        legal = decisions.action_masks.astype(bool)
        phase = records["phase"]
        return np.select(
            [phase == BID, phase == OVERBOARD, phase == BELOW_DECK],
            [bids(seen, records["round_number"]), overboard(seen, legal), BELOW_ACTION + unwanted(seen)],
            gifts(seen, records),
        ).astype(np.int64)


def favourite(seen: SeenTable) -> np.ndarray:
    """One's colour, int64, (n,)."""
    return np.where(seen.fronts > 0, seen.by_colour, -1).argmax(axis=1)


def bids(seen: SeenTable, number: np.ndarray) -> np.ndarray:
    """The stake in round `number` (n,): bits of the hand's slots."""
    everything = (1 << (seen.numbers > 0).sum(axis=1)) - 1
    low = low_card(seen)
    more, first = fights_for_shark(seen)
    first = np.where(more, everything, np.where(first, all_but_lowest(seen, low), low))
    second = np.where(wants_gift(seen), everything, low)
    return np.select([number == 1, number == 2], [first, second], everything)


def low_card(seen: SeenTable) -> np.ndarray:
    """The lowest card, if possible not of one's colour; nothing without cards."""
    dearer = DEARER * (seen.colours == favourite(seen)[:, None])
    counted = np.where(seen.numbers > 0, seen.numbers + dearer, NEVER)
    return np.where(seen.numbers.any(axis=1), 1 << counted.argmin(axis=1), 0)


def all_but_lowest(seen: SeenTable, low: np.ndarray) -> np.ndarray:
    """All cards but the lowest two, of equal ones the last slots; one's low card if there are no more."""
    slots = np.arange(HAND)
    rank = np.where(seen.numbers > 0, seen.numbers * HAND - slots, NEVER).argsort(axis=1)
    places = np.arange(HAND) < (seen.numbers > 0).sum(axis=1)[:, None]
    staked = np.where(places & (slots >= KEPT), 1 << rank, 0).sum(axis=1)
    return np.where(staked > 0, staked, low)


def fights_for_shark(seen: SeenTable) -> tuple[np.ndarray, np.ndarray]:
    """Is a shark on offer that one wants for a set begun, and one that would be the first at the table? bool, (n,) each."""
    offered, owned, backs = seen.sharks.any(axis=1), seen.own[:, len(FRONTS)], seen.own[:, len(FRONTS) + 1 :].any(axis=1)
    return offered & (owned > 0) & (owned < ENOUGH_SHARKS), offered & (owned == 0) & ~seen.others_sharks & ~backs


def wants_gift(seen: SeenTable) -> np.ndarray:
    """Has one a negative card to be rid of, and a hand that is better spent on it than on the loot?"""
    every = np.arange(len(seen.own))
    worth = seen.numbers.sum(axis=1) + seen.by_colour[every, favourite(seen)]
    return seen.own[:, len(FRONTS) + 1 :].any(axis=1) & (worth <= STRONG) & (seen.others_cards > FEW)


def unwanted(seen: SeenTable) -> np.ndarray:
    """The colour on offer in which one has least, then the lower loot; without cards the higher loot."""
    dear = np.where(seen.numbers.any(axis=1, keepdims=True), seen.by_colour * 100 + seen.fronts, -seen.fronts)
    return np.where(seen.fronts > 0, dear, NEVER).argmin(axis=1)


def overboard(seen: SeenTable, legal: np.ndarray) -> np.ndarray:
    """A shark for oneself, or what is unwanted for the leader, as far as the rules let one."""
    every, shark = np.arange(len(seen.own)), OVERBOARD_ACTION + MAX_PLAYERS * seen.sharks.argmax(axis=1)
    thrown = OVERBOARD_ACTION + MAX_PLAYERS * unwanted(seen) + seen.leader
    return np.where(seen.sharks.any(axis=1) & legal[every, shark], shark, thrown)


def gifts(seen: SeenTable, records: np.ndarray) -> np.ndarray:
    """The worst back to the leader, or to whom the gifts of this round go."""
    worst = len(BACKS) - 2 - (seen.own[:, : len(FRONTS) : -1] > 0).argmax(axis=1)
    players, given = records["players"].astype(np.int64), records["gift_to"].astype(np.int64)
    steps = np.where(given >= 0, (given - records["to_move"]) % players, seen.leader)
    return GIVE + (MAX_PLAYERS - 1) * worst + steps - 1
