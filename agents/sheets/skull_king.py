"""Skull King's cheat sheet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pirate_envs.agents.player import Decisions
from pirate_envs.agents.sheets import CheatSheet
from pirate_envs.games.skull_king.observation import HAND_NUMBERS, HAND_SPECIALS
from pirate_envs.games.skull_king.state import (
    BIDDING,
    BLACK,
    COPIES,
    ESCAPE,
    KINDS,
    KING,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    MERMAID,
    NUMBERS,
    PIRATE,
    PLAY,
    STRENGTH_BLACK,
    STRENGTH_ESCAPE,
    STRENGTH_KING,
    STRENGTH_MERMAID,
    STRENGTH_PIRATE,
    SUITS,
)

# -- the count ---------------------------------------------------------------------------------------------------------

HAND_CELLS = NUMBERS + len(COPIES)


def counted(observations: np.ndarray) -> np.ndarray:
    """How many of each card are in hand, int8, (n, 61): numbers by suit, escapes, pirates, mermaids, king, Scary Mary."""
    specials = observations[:, HAND_SPECIALS : HAND_SPECIALS + len(COPIES)] * list(COPIES.values())
    numbers = observations[:, HAND_NUMBERS : HAND_NUMBERS + NUMBERS]
    return np.rint(np.concatenate([numbers, specials], axis=1)).astype(np.int8)


def _worths() -> np.ndarray:
    quarters = np.zeros(HAND_CELLS)
    for suit in range(SUITS):
        for number in range(1, MAX_NUMBER + 1):
            black = 4 if number >= 9 else 2 if number >= 4 else 1
            quarters[suit * MAX_NUMBER + number - 1] = black if suit == BLACK else number >= 11
    quarters[[PIRATE, MERMAID, KING]] = 4
    quarters[MARY_PIRATE] = 2
    return quarters / 4


WORTHS = _worths()
"""What each card counts, in tricks, float64, (61,)."""

# -- the trick ---------------------------------------------------------------------------------------------------------

KIND = np.arange(KINDS)
NUMBER, OF_BLACK = KIND < NUMBERS, KIND // MAX_NUMBER == BLACK
CHARACTER = np.isin(KIND, [PIRATE, MERMAID, KING, MARY_PIRATE])
HEIGHT = np.where(NUMBER, KIND % MAX_NUMBER + 1, 0)
SPECIAL_STRENGTHS = {
    ESCAPE: STRENGTH_ESCAPE, PIRATE: STRENGTH_PIRATE, MERMAID: STRENGTH_MERMAID, KING: STRENGTH_KING,
    MARY_PIRATE: STRENGTH_PIRATE, MARY_ESCAPE: STRENGTH_ESCAPE,
}  # fmt: skip
STRONG = np.where(OF_BLACK, STRENGTH_BLACK + HEIGHT, HEIGHT).astype(float)
STRONG[list(SPECIAL_STRENGTHS)] = list(SPECIAL_STRENGTHS.values())
NO_SUIT_YET, FREE = SUITS, SUITS + 1
LED = np.where(NUMBER & ~OF_BLACK & (np.arange(SUITS + 2)[:, None] != KIND // MAX_NUMBER), 0, STRONG)
LED[NO_SUIT_YET] = STRONG  # row: the suit led; whoever plays the first number leads it


class Tricks(NamedTuple):
    """What a person sees before playing a card: flags are bool, (n,), cards bool, (n, kinds)."""

    legal: np.ndarray
    takes: np.ndarray
    """Legal cards that would win the trick as it lies."""
    leading: np.ndarray
    last: np.ndarray
    need: np.ndarray
    """Bid less tricks won."""
    spare: np.ndarray
    """Tricks left that are not needed."""
    covered: np.ndarray
    """There are as many characters in hand as tricks are needed, or more."""
    bonus: np.ndarray
    """Cards that would take a bonus with the trick as it lies."""


def tricks(records: np.ndarray, observations: np.ndarray, legal: np.ndarray) -> Tricks:
    """Of redacted records of a seat that is to play a card; `legal`: bool, (n, kinds)."""
    table, laid = records["on_table"][:, None] >> KIND & 1, records["laid"]
    led = np.where(records["led_suit"] >= 0, records["led_suit"], np.where(records["free"] == 1, FREE, NO_SUIT_YET))
    takes = LED[led] > records["strength"][:, None]
    mermaid, king = table[:, MERMAID] == 1, table[:, KING] == 1
    takes[:, KING] = ~mermaid
    takes[:, MERMAID] = np.where(king, ~mermaid, takes[:, MERMAID])
    takes &= legal
    own = np.arange(len(records)), records["to_move"].astype(np.int64)
    need = records["bids"][own].astype(np.int64) - records["tricks_won"][own]
    bonus = np.zeros_like(takes)
    bonus[:, KING] = takes[:, KING] & (table[:, [PIRATE, MARY_PIRATE]].any(axis=1))
    bonus[:, MERMAID] = takes[:, MERMAID] & king
    return Tricks(
        legal, takes, laid == 0, (laid == records["players"] - 1) & (laid > 0), need, records["tricks_left"] - need,
        counted(observations)[:, PIRATE:].sum(axis=1) >= need, bonus,
    )  # fmt: skip


# -- the sheet ---------------------------------------------------------------------------------------------------------

HIGHEST, LOWEST = STRONG, -STRONG - 1e3 * (KIND == MARY_ESCAPE)
AWAY = np.where(KIND == MARY_ESCAPE, -0.5, LOWEST)  # she goes after the escapes
NOT_THE_KING = np.where(KIND == KING, STRENGTH_BLACK - 1, STRONG)  # he waits until only colours are left beside him
QUIET = -np.where(OF_BLACK, HEIGHT + 2.0, STRONG)
MIDDLE = -np.where(OF_BLACK, HEIGHT + MAX_NUMBER, abs(HEIGHT - 8.0))
FROM_SIX, FROM_NINE = (np.where(KIND == ESCAPE, -above, QUIET) for above in (5.5, 8.5))
MARY_AWAY = np.where(KIND == MARY_ESCAPE, -5.7, FROM_SIX)
MARY_KEPT = np.where(KIND == MARY_ESCAPE, -1e3, FROM_NINE)


class SkullKingSheet(CheatSheet):
    """Counts to bid; plays by how many tricks are needed, and how many characters are there to take them."""

    text = """\
# Skull King on one page

**Bid.** Count 1 for king, pirate, mermaid, black 9 and up; ½ for black 4 to 8 and Scary Mary; ¼ for black 1 to 3 and colours
from 11 up. Add ¼ and round down. In hands of seven or more cards bid zero below a count of 1.

**Words.** *Characters*: king, pirates, mermaids, Scary Mary (a pirate if not said otherwise). To *take*: to win the trick as it
lies. *Spare* tricks: left, but not needed. Weakest first: escape, colours, black, mermaid, pirate, king; a number is lower or
higher so too, any black above all colours.

**When you follow**

1. Bid kept, or too many tricks? Throw your strongest character that does not take (never Mary), else your highest number
   that does not take, else an escape, or Mary as one. All your cards take it? The weakest; last of all, the strongest.
2. A trick needed? King over pirates, mermaid over the king: always.
3. Every trick needed? Take it with your highest number, else your weakest card that takes, else throw your weakest.
4. As many characters as you need tricks? Keep them: your highest number that does not take, else your weakest card, or last of
   all players your weakest character that takes. But with only one trick spare take with your weakest character.
5. Fewer? Take it with a number: last of all players the lowest, else your highest colour or lowest black. Last of all and no
   number takes it: your weakest character that does. Else throw your lowest number, without one your weakest card.

**When you lead**

6. Bid kept: your lowest number, black counting 2 more; an escape, or Mary as one, if that is 6 or more, or you have no number;
   else your weakest character.
7. Every trick needed: your strongest card, but the king only when you hold nothing but colours and escapes
   beside him.
8. As many characters as you need tricks: with only one trick spare your strongest character, else as 6, but an escape only
   from 9 on, and Mary never as one.
9. Fewer: the yellow, blue or red number nearest to 8, else your lowest black, else your weakest card.
"""

    def act(self, decisions: Decisions) -> np.ndarray:
        records = self.records_of(decisions)
        bids = records["phase"] == BIDDING
        actions = np.zeros(len(records), np.int64)
        actions[bids] = bid(counted(decisions.observations[bids]) @ WORTHS, records["hand_number"][bids])
        legal = decisions.action_masks[~bids, PLAY:]
        seen = tricks(records[~bids], decisions.observations[~bids], legal)
        actions[~bids] = PLAY + _first(seen.legal, [*_followed(seen), *_led(seen)])
        return actions


def bid(counts: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """By the count (float64, (n,)) and how many cards each is dealt."""
    bids = np.floor(counts + 0.25).astype(np.int64)
    return np.where((cards >= 7) & (counts < 1), 0, np.minimum(bids, cards))


Choice = tuple[np.ndarray, np.ndarray, np.ndarray]
"""When (bool, (n,)), among which cards (bool, (kinds,) or (n, kinds)), and which of them first (most, (kinds,))."""


def _followed(seen: Tricks) -> list[Choice]:
    takes, loses, last = seen.takes, seen.legal & ~seen.takes, seen.last
    kept, wanted, every = ~seen.leading & (seen.need <= 0), ~seen.leading & (seen.need > 0), seen.spare <= 0
    all_of_them, covered, short = wanted & every, wanted & ~every & seen.covered, wanted & ~every & ~seen.covered
    numbers, anything = loses & NUMBER, seen.legal
    return [
        (kept, loses & CHARACTER & (KIND != MARY_PIRATE), HIGHEST), (kept, numbers, HIGHEST), (kept, loses, AWAY),
        (kept & last, anything, HIGHEST), (kept, anything, LOWEST),
        (wanted, seen.bonus, HIGHEST),
        (all_of_them, takes & NUMBER, HIGHEST), (all_of_them, takes, LOWEST), (all_of_them, anything, LOWEST),
        (covered & (seen.spare == 1), takes & CHARACTER, LOWEST), (covered, numbers, HIGHEST),
        (covered & last, takes & CHARACTER, LOWEST), (covered, anything, LOWEST),
        (short & last, takes & NUMBER, LOWEST), (short & last, takes & CHARACTER, LOWEST),
        (short, takes & NUMBER & ~OF_BLACK, HIGHEST), (short, takes & OF_BLACK, LOWEST), (short, numbers, LOWEST),
        (short, anything, LOWEST),
    ]  # fmt: skip


def _led(seen: Tricks) -> list[Choice]:
    leading, legal, kept, every = seen.leading, seen.legal, seen.need <= 0, seen.spare <= 0
    return [
        (leading & kept, legal, MARY_AWAY),
        (leading & every, legal & (KIND != MARY_ESCAPE), NOT_THE_KING),
        (leading & seen.covered & (seen.spare == 1), legal & CHARACTER, HIGHEST), (leading & seen.covered, legal, MARY_KEPT),
        (leading, legal & NUMBER, MIDDLE), (leading, legal, LOWEST),
    ]  # fmt: skip


def _first(legal: np.ndarray, choices: list[Choice]) -> np.ndarray:
    """The card (kind, int64, (n,)) of the first choice that applies and has one."""
    cards = np.full(len(legal), -1)
    for when, among, order in choices:
        open_ = np.flatnonzero(when & (cards < 0))
        own = np.broadcast_to(among, legal.shape)[open_]
        best = np.where(own, order, -np.inf).argmax(axis=1)
        cards[open_] = np.where(own.any(axis=1), best, -1)
    return cards
