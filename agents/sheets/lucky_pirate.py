"""Lucky Pirate: the cheat sheet."""

from __future__ import annotations

import numpy as np

from pirate_envs.agents.player import Decisions
from pirate_envs.agents.sheets import CheatSheet
from pirate_envs.games.lucky_pirate.rules import FITS
from pirate_envs.games.lucky_pirate.state import CAPTAIN, FLIP, KIND_NAMES, KINDS, NUMBERS, PLANK

ORDER = (
    *("1", "2", "3", "4", "5", "6", "first_mate", "8", "reverse", "kraken", "mermaid"),
    *("skip", "parrot", "captain", "porthole", "plank"),
)
CLEARING, FEW = 3, 3  # equal numbers that clear the pile; cards left when a plank goes first
KIND, COPIES = np.repeat(np.arange(KINDS), CLEARING), np.tile(np.arange(1, CLEARING + 1), KINDS)  # of the actions that play
PLACE = np.array([len(ORDER) - ORDER.index(KIND_NAMES[kind]) for kind in KIND])
ASKS = np.flatnonzero((KIND < NUMBERS) & (KIND != CAPTAIN))  # plays after which the pile asks for their value
FIRST = 1000  # before all that the order says


class LuckyPirateSheet(CheatSheet):
    """An order of cards to be rid of, and three cases that come before it."""

    text = """\
# Lucky Pirate on a page

**Play the first card of this list that fits, and all you have of it (three at most):**

1, 2, 3, 4, 5, 6, first mate, 8, reverse, kraken, mermaid, skip, parrot, captain, porthole, plank

The same list from the hand and from the ups. In three cases look further; the first counts that applies and
for which you have a card:

1. **You have three cards or fewer left, downs and all:** a plank goes first, for you play again.
2. **The next player has one card left:** a captain goes first, it lets hardly anything past.
3. **The next player has no hand, and you see the ups:** of 1 to 8, mermaid and kraken play the first of the list that none of
   those ups can answer.

The next player is who would come next as the turn goes round now. In case 3 play
no more of a card than leaves the pile lying, and not one that clears it.

**No choice, or none that matters:** pick up when nothing fits; flip the downs from left to right. Where the house rules let you
stop after a parrot, do not; where they let you flip early, do it only when no up fits.
"""

    def act(self, decisions: Decisions) -> np.ndarray:
        records, legal = self.records_of(decisions), decisions.action_masks
        plays = legal[:, :FLIP]
        best = np.where(plays, worths(records), -1).argmax(axis=1)
        return np.where(plays.any(axis=1), best, FLIP + legal[:, FLIP:].argmax(axis=1))


def worths(records: np.ndarray) -> np.ndarray:
    """What the sheet says of each play, int64, (n, 48): the highest that is legal is played."""
    every, seats = np.arange(len(records)), records["to_move"].astype(np.int64)
    following = (seats + records["direction"]) % records["players"]
    slots = np.bitwise_count(records["ups_left"]) + np.bitwise_count(records["downs_left"])
    left = records["hand_sizes"].astype(np.int64) + slots
    told = np.broadcast_to(CLEARING * PLACE + COPIES, (len(records), FLIP)).copy()
    told += FIRST**2 * ((left[every, seats] <= FEW)[:, None] & (KIND == PLANK))
    told += FIRST * CLEARING * ((left[every, following] == 1)[:, None] & (KIND == CAPTAIN))
    told[:, ASKS] += FIRST * unanswered(records, following)
    return told


def unanswered(records: np.ndarray, following: np.ndarray) -> np.ndarray:
    """By ASKS: does the next player (int64, (n,)) play from the ups, and none of them answers the play? Bool, (n, plays)."""
    every, kinds = np.arange(len(records)), KIND[ASKS]
    fits = FITS[records["table"].astype(np.int64)[:, None] & 7, kinds + 1]
    ups = records["ups"][every, following]
    stuck = ((records["hand_sizes"][every, following] == 0) & (ups != 0))[:, None] & (ups[:, None] & fits == 0)
    run = np.where(records["run_value"][:, None] == kinds + 1, records["run_length"][:, None], 0) + COPIES[ASKS]
    return stuck & (run < CLEARING)  # type: ignore[no-any-return]
