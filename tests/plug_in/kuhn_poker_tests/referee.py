"""Kuhn poker by its rules in plain Python; nothing of it is the engine's."""

from __future__ import annotations

from typing import Any

from tests.games.chance import Stream

JACK, QUEEN, KING = range(3)


class KuhnPoker:
    """One match: `legal`, `apply`, `over`, `scores`."""

    def __init__(self, seed: int) -> None:
        chance = Stream(seed, 0)
        self.first = chance.below(2)
        deck = [JACK, QUEEN, KING]
        self.cards = [deck.pop(chance.below(3)), deck.pop(chance.below(2))]
        self.words: list[str] = []  # what was said, in turn
        self.scores = [0, 0]
        self.over = False

    @property
    def mover(self) -> int:
        return self.first if len(self.words) % 2 == 0 else 1 - self.first

    def legal(self) -> list[int]:
        return [] if self.over else [0, 1]

    def apply(self, action: int) -> None:
        mover, other = self.mover, 1 - self.mover
        self.words.append("bet" if action else "pass")
        if self.words[-2:] == ["bet", "pass"]:
            self.pay(other, 1)
        elif self.words[-2:] == ["bet", "bet"]:
            self.pay(mover if self.cards[mover] > self.cards[other] else other, 2)
        elif self.words == ["pass", "pass"]:
            self.pay(mover if self.cards[mover] > self.cards[other] else other, 1)

    def pay(self, winner: int, chips: int) -> None:
        self.scores[winner], self.scores[1 - winner] = chips, -chips
        self.over = True

    def snapshot(self) -> dict[str, Any]:
        bets = [self.words[place::2].count("bet") for place in (0, 1)]
        in_pot = [1 + bets[0 if seat == self.first else 1] for seat in (0, 1)]
        return {"to_move": self.mover, "cards": self.cards, "first": self.first, "chips": in_pot, "scores": self.scores}
