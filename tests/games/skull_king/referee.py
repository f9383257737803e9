"""A slow referee of Skull King that reads like the rules; rule numbers are those of the game's manual.

A card is known by its kind only, because equal cards are the same card:

=========  ==========================================================
kind       card
=========  ==========================================================
0 to 55    numbers, ``14 * suit + value - 1``; yellow, blue, red, black
56         escape
57         pirate
58         mermaid
59         Skull King
60         Scary Mary; on the table: played as a pirate
61         only on the table: Scary Mary played as an escape
=========  ==========================================================

An action is a bid (0 to 10) or 11 + the kind as it is played.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.games.chance import Stream

BLACK = 3
ESCAPE, PIRATE, MERMAID, KING, MARY, MARY_AS_ESCAPE = 56, 57, 58, 59, 60, 61
PIRATES = (PIRATE, MARY)
CHARACTERS = (PIRATE, MERMAID, KING, MARY)
FIRST_CARD_ACTION = 11

RULES_2021: dict[str, Any] = {
    "highest": 14,
    "mermaid_takes_king": 40,
    "king_takes_pirate": 30,
    "pirate_takes_mermaid": 20,
    "character_lead_frees_trick": True,
    "mary_as_escape_counts": False,
    "fourteen": 10,
    "black_fourteen": 20,
}


@dataclass(frozen=True)
class Options:
    """The rule options, and the bonuses for fourteens of the later edition."""

    first_hand: int = 1
    last_hand: int = 10
    bidding: str = "sealed"
    highest: int = 13
    mermaid_takes_king: int = 50
    king_takes_pirate: int = 30
    pirate_takes_mermaid: int = 0
    character_lead_frees_trick: bool = False
    mary_as_escape_counts: bool = True
    fourteen: int = 0
    black_fourteen: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.first_hand <= self.last_hand <= 10:
            raise ValueError(f"hands {self.first_hand} to {self.last_hand} are not within 1 to 10")
        if self.bidding not in ("sealed", "open"):
            raise ValueError(f"bidding is sealed or open, not {self.bidding!r}")
        if not 5 <= self.highest <= 14:
            raise ValueError(f"highest is 5 to 14, not {self.highest}")


def number(suit: int, value: int) -> int:
    """Return the kind of a numbered card."""
    return 14 * suit + value - 1


def is_number(kind: int) -> bool:
    """Tell a numbered card from a special one."""
    return kind < ESCAPE


def suit_of(kind: int) -> int:
    """Return the suit of a numbered card."""
    return kind // 14


def full_deck(highest: int) -> list[int]:
    """Return all cards, kinds ascending (R1)."""
    numbers = [number(suit, value) for suit in range(4) for value in range(1, highest + 1)]
    return numbers + [ESCAPE] * 5 + [PIRATE] * 5 + [MERMAID] * 2 + [KING] + [MARY]


def led_suit(trick: Sequence[int], character_lead_frees: bool = False) -> int | None:
    """Return the suit to follow, or None while there is none (R8)."""
    if character_lead_frees and trick and trick[0] in CHARACTERS:
        return None
    for kind in trick:
        if is_number(kind):
            return suit_of(kind)
    return None


def playable(hand: Sequence[int], suit: int | None) -> list[int]:
    """Return the cards of a hand that may be played when ``suit`` is to be followed (R9-R11)."""
    follows = [kind for kind in hand if is_number(kind) and suit_of(kind) == suit]
    if not follows:
        return list(hand)
    return follows + [kind for kind in hand if not is_number(kind)]


def winning_card(trick: Sequence[int]) -> int:
    """Return the place in the trick of the card that wins it (R16-R21)."""
    if KING in trick and MERMAID in trick:
        return trick.index(MERMAID)
    if KING in trick:
        return trick.index(KING)
    for place, kind in enumerate(trick):
        if kind in PIRATES:
            return place
    if MERMAID in trick:
        return trick.index(MERMAID)
    return highest_number(trick)


def highest_number(trick: Sequence[int]) -> int:
    """Return the place of the winner among numbers and escapes (R20, R21)."""
    for suit in (BLACK, led_suit(trick)):
        of_suit = [kind for kind in trick if is_number(kind) and suit_of(kind) == suit]
        if of_suit:
            return trick.index(max(of_suit))
    return 0


def trick_bonus(trick: Sequence[int], options: Options) -> int:
    """Return the bonus points that lie in a trick for its winner (R22)."""
    return character_bonus(trick, options) + fourteen_bonus(trick, options)


def character_bonus(trick: Sequence[int], options: Options) -> int:
    """Return the bonus for the character that was taken by a stronger one (R22)."""
    pirates = sum(kind in PIRATES for kind in trick)
    if KING in trick and MERMAID in trick:
        return options.mermaid_takes_king
    if KING in trick:
        if options.mary_as_escape_counts:
            pirates += trick.count(MARY_AS_ESCAPE)
        return options.king_takes_pirate * pirates
    if pirates:
        return options.pirate_takes_mermaid * trick.count(MERMAID)
    return 0


def fourteen_bonus(trick: Sequence[int], options: Options) -> int:
    """Return the bonus for the fourteens of a trick, whoever wins it."""
    plain = sum(number(suit, 14) in trick for suit in range(BLACK))
    return options.fourteen * plain + options.black_fourteen * (number(BLACK, 14) in trick)


def hand_score(hand_number: int, bid: int, won: int, bonus: int) -> int:
    """Return what a hand is worth to one player (R23-R25)."""
    if bid == 0:
        return 10 * hand_number if won == 0 else -10 * hand_number
    if bid == won:
        return 20 * bid + bonus
    return -10 * abs(bid - won)


class SkullKing:
    """One match, played through :meth:`legal` and :meth:`apply`."""

    def __init__(self, seed: int, players: int = 4, **options: Any) -> None:
        self.options = Options(**options)
        self.seed = seed
        self.players = players
        if not 2 <= players <= 6:
            raise ValueError(f"players is 2 to 6, not {players}")
        if players * self.options.last_hand > len(full_deck(self.options.highest)):
            raise ValueError(f"the deck is too small for {players} players")
        self.scores = [0] * players
        self.over = False
        self.deal(self.options.first_hand)

    def deal(self, hand_number: int) -> None:
        """Begin a hand: shuffle, hand out the cards, ask for bids (R2, R4)."""
        self.hand_number = hand_number
        self.leader = (hand_number - self.options.first_hand) % self.players
        self.to_move = self.leader
        self.phase = "bid"
        self.bids = [-1] * self.players
        self.tricks_won = [0] * self.players
        self.bonus = [0] * self.players
        self.trick: list[int] = []
        self.hands: list[list[int]] = [[] for _ in range(self.players)]
        for i, kind in enumerate(self.shuffled()):
            self.hands[(self.leader + i // hand_number) % self.players].append(kind)
        for hand in self.hands:
            hand.sort()

    def shuffled(self) -> list[int]:
        """Return the cards that are dealt in this hand, in the order of dealing."""
        chance = Stream(self.seed, self.hand_number)
        deck = full_deck(self.options.highest)
        dealt = self.hand_number * self.players
        for i in range(dealt):
            j = i + chance.below(len(deck) - i)
            deck[i], deck[j] = deck[j], deck[i]
        return deck[:dealt]

    def legal(self) -> list[int]:
        """Return the actions of the player to move, ascending; none after the end."""
        if self.over:
            return []
        if self.phase == "bid":
            return list(range(self.hand_number + 1))
        suit = led_suit(self.trick, self.options.character_lead_frees_trick)
        kinds = set(playable(self.hands[self.to_move], suit))
        if MARY in kinds:
            kinds.add(MARY_AS_ESCAPE)
        return sorted(FIRST_CARD_ACTION + kind for kind in kinds)

    def apply(self, action: int) -> None:
        """Take an action of the player to move and settle all that follows from it."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal")
        if self.phase == "bid":
            self.bid(action)
        else:
            self.play(action - FIRST_CARD_ACTION)

    def bid(self, tricks: int) -> None:
        """Write down a bid; after the last one the leader plays (R4)."""
        self.bids[self.to_move] = tricks
        self.to_move = self.next_seat(self.to_move)
        if self.to_move == self.leader:
            self.phase = "play"

    def play(self, kind: int) -> None:
        """Put a card on the table; the last one of a trick settles it."""
        self.hands[self.to_move].remove(MARY if kind == MARY_AS_ESCAPE else kind)
        self.trick.append(kind)
        self.to_move = self.next_seat(self.to_move)
        if self.to_move == self.leader:
            self.settle_trick()

    def settle_trick(self) -> None:
        """Give the trick to its winner, who leads the next one (R15, R22)."""
        winner = (self.leader + winning_card(self.trick)) % self.players
        self.tricks_won[winner] += 1
        self.bonus[winner] += trick_bonus(self.trick, self.options)
        self.trick = []
        self.leader = self.to_move = winner
        if not self.hands[winner]:
            self.settle_hand()

    def settle_hand(self) -> None:
        """Score the hand; deal the next one or end the match (R5-R7, R23-R25)."""
        for seat in range(self.players):
            self.scores[seat] += hand_score(self.hand_number, self.bids[seat], self.tricks_won[seat], self.bonus[seat])
        if self.hand_number == self.options.last_hand:
            self.over = True
            self.to_move = 0
        else:
            self.deal(self.hand_number + 1)

    def next_seat(self, seat: int) -> int:
        """Return the seat to the left."""
        return (seat + 1) % self.players

    def snapshot(self) -> dict[str, Any]:
        """Return a copy of everything that is known to the referee."""
        return {
            "hand_number": self.hand_number,
            "leader": self.leader,
            "to_move": self.to_move,
            "phase": self.phase,
            "bids": list(self.bids),
            "tricks_won": list(self.tricks_won),
            "bonus": list(self.bonus),
            "scores": list(self.scores),
            "hands": [list(hand) for hand in self.hands],
            "trick": list(self.trick),
            "over": self.over,
        }
