"""Skull King: what each number of `expected_points` means; its values lie in weights.json, which tells how they were found.

The vector holds a row of ODDS odds for each class of cards, then the numbers that are the same for all.
"""

from __future__ import annotations

from pirate_envs.core.weights import constant_names

PLAIN, TRUMP, MERMAIDS, PIRATES, KINGS, CLASSES = range(6)  # card classes: rows of odds
CLASS_NAMES = ("plain", "black", "mermaid", "pirate", "king")

# A card's chance is 1 / (1 + odds against it). A row: the odds against the card in a trick to come when it is wanted (base,
# for each character in others' hands that beats it, each higher card, each black card that may trump it), the same when it
# is not wanted; then how much more the odds are in the last trick when another leads, and how much less when the seat leads,
# wanted and not wanted (a share 1/n of that with n tricks left); last, how much less for each trick that is left, wanted and
# not wanted.
WANT, WANT_BY_CHARACTER, WANT_BY_HIGHER, WANT_BY_BLACK = range(4)
AVOID, AVOID_BY_CHARACTER, AVOID_BY_HIGHER, AVOID_BY_BLACK = range(4, 8)
WANT_LAST, WANT_LAST_LEADING, AVOID_LAST, AVOID_LAST_LEADING, WANT_LATER, AVOID_LATER = range(8, 14)
ODDS_NAMES = constant_names(globals(), "WANT", "AVOID_LATER")
ODDS = len(ODDS_NAMES)

(
    EAGER,  # how likely a later player beats a card: anyone, more if it needs a trick, more by the share it needs
    EAGER_NEEDS,
    EAGER_SHARE,
    FORCED,  # how likely anyone does who must follow suit
    BY_CHARACTER,  # with a character, a higher card of the suit, a black card
    BY_HIGHER,
    BY_BLACK,
    DEMAND_WANT,  # the odds against grow with the others' demand for tricks
    DEMAND_AVOID,
    DEMAND_BID,  # what a hidden bid is taken to demand, in shares of the hand's tricks; and more in tricks
    DEMAND_SHORT,
    KING_BONUS,  # worth of the bonus that a card may still earn, in shares of it
    MERMAID_BONUS,
    PIRATE_BONUS,
    SPOIL,  # points for taking a trick that its owner needs, or leaving it one that it does not
    FEED,  # share of the bonus that a pirate under the king gives away
) = range(CLASSES * ODDS, CLASSES * ODDS + 16)

NAMES = [
    *(f"{card}_{odds}" for card in CLASS_NAMES for odds in ODDS_NAMES),
    *constant_names(globals(), "EAGER", "FEED"),
]
