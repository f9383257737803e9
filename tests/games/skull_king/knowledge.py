"""What all know of the hands and bids of Skull King, in plain Python from what all have seen, by the referee's rules.

Of cards in hands nothing is known but their number, which cards are gone, and that who has laid a card would have had to follow
suit with any that follows: of those the hand has none. Sealed bids are told when the last one is in.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.games.skull_king.referee import (
    ESCAPE,
    KING,
    MARY,
    MARY_AS_ESCAPE,
    MERMAID,
    PIRATE,
    full_deck,
    led_suit,
    number,
    playable,
)

View = Mapping[str, Any]
SUITS = ("yellow", "blue", "red", "black")
NUMBERS = {f"{name}_{value}": number(suit, value) for suit, name in enumerate(SUITS) for value in range(1, 15)}
KINDS = {
    **NUMBERS, "escape": ESCAPE, "pirate": PIRATE, "mermaid": MERMAID, "skull_king": KING, "scary_mary": MARY,
    "scary_mary:pirate": MARY, "scary_mary:escape": MARY_AS_ESCAPE,
}  # fmt: skip


class Watcher:
    """Is told the actions of one hand after the other, of which it hears what everybody does."""

    def __init__(self, game: Any) -> None:
        self.players, self.options = game.players, game.options
        self.deck = Counter(full_deck(game.options.highest))
        self.deal(game.options.first_hand)

    def deal(self, hand_number: int) -> None:
        self.hand_number = hand_number
        self.bids: dict[int, int] = {}
        self.trick: list[int] = []
        self.gone: Counter[int] = Counter()
        self.laid = [0] * self.players
        self.ruled_out: list[set[int]] = [set() for _ in range(self.players)]

    def watch(self, seat: int, action: str) -> None:
        verb, what = action.split()
        if verb == "bid":
            self.bids[seat] = int(what)
            return
        kind = KINDS[what]
        card = min(kind, MARY)
        led = led_suit(self.trick, self.options.character_lead_frees_trick)
        self.ruled_out[seat] |= {other for other in self.deck if card not in playable([card, other], led)}
        self.trick.append(kind)
        self.gone[card] += 1
        self.laid[seat] += 1
        if len(self.trick) == self.players:
            self.trick.clear()
        if min(self.laid) == self.hand_number:
            self.deal(self.hand_number + 1)

    def tells(self, hands: Sequence[Sequence[str]]) -> bool:
        """Is anything ruled out of a hand that still has cards, and is it not gone?"""
        left = set((self.deck - self.gone).elements())
        return any(hand and out & left for out, hand in zip(self.ruled_out, hands, strict=True))

    def contradicted_by(self, shown: View) -> bool:
        """Can nobody who has watched believe these hands and bids?"""
        hands = [[KINDS[card] for card in hand] for hand in shown["hands"]]
        sizes = [self.hand_number - laid for laid in self.laid]
        return (
            any(out & set(hand) for out, hand in zip(self.ruled_out, hands, strict=True))
            or [len(hand) for hand in hands] != sizes
            or not Counter(itertools.chain(*hands)) <= self.deck - self.gone
            or any(not self.may_have_bid(seat, bid) for seat, bid in enumerate(shown["bids"]))
        )

    def may_have_bid(self, seat: int, bid: int | None) -> bool:
        if seat not in self.bids or bid is None:
            return (seat not in self.bids) == (bid is None)
        told = len(self.bids) == self.players or self.options.bidding == "open"
        return bid == self.bids[seat] if told else 0 <= bid <= self.hand_number


def watched(game: Any, seed: int, choose: Any) -> Iterator[tuple[Any, Watcher]]:
    """A match with the seat to move choosing an action by `choose(game, g)`: each position, and a watcher."""
    g, watcher = game.new(seed), Watcher(game)
    while not game.is_over(g):
        yield g, watcher
        seat, action = game.seat_to_move(g), choose(game, g)
        watcher.watch(seat, game.action_name(g, action))
        game.apply(g, action)
