"""Piraten Kapern: its options."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pirate_envs.core.errors import OptionError
from pirate_envs.core.options import Options, option
from pirate_envs.games.piraten_kapern.rules import CARDS, DECK, MAX_PLAYERS, PROMO_DECK

LOWEST_TARGET, MOST_ROUNDS, MOST_CARDS = 100, 10_000, 255
TARGET_SCALE = 6000.0
_DECK = f"None, or counts by card, 1 to {MOST_CARDS} cards in all; cards: {', '.join(CARDS)}"


@dataclass(frozen=True, kw_only=True)
class PiratenKapernOptions(Options):
    """What may be varied in a match of Piraten Kapern."""

    players: int = option(4, "seats at the table", low=2, high=MAX_PLAYERS)
    target: int = option(6000, "points that call the final round", low=LOWEST_TARGET, high=100_000)
    promo: bool = option(False, "adds the cards after the storm and peace, one of each")
    deck: Mapping[str, int] | None = dataclasses.field(  # no part of the hash: a mapping has none
        default=None, hash=False, metadata={"meaning": "a deck of one's own, in place of the usual one", "allowed": _DECK}
    )
    nine_identical: str = option(
        "eight", "eight dice and the card alike: a set of eight, or the match", choices=("eight", "win")
    )
    max_rounds: int = option(60, "turns for each player before the match is cut short", low=1, high=MOST_ROUNDS)
    battle_island: bool = option(False, "four skulls or more on the first roll of a sea battle lead to the Island")
    battle_bust: str = option("lost", "a bust in a sea battle: the battle lost, or nothing", choices=("lost", "nothing"))
    sorceress_rescues: bool = option(True, "the sorceress helps at the third skull too")
    sorceress_alone: bool = option(True, "the skull that the sorceress rolls again may be rolled alone")
    peace_rolls_sabres: bool = option(True, "with the peace card sabres may be rolled again on the Island")

    @property
    def counts(self) -> tuple[int, ...]:
        """Cards of each kind in the full deck, in the order of CARDS."""
        if self.deck is None:
            return PROMO_DECK if self.promo else DECK
        return tuple(self.deck.get(card, 0) for card in CARDS)

    def check(self) -> None:
        if self.deck is None:
            return
        if not isinstance(self.deck, Mapping):
            raise OptionError(f"option 'deck' is {self.deck!r}; allowed: {_DECK}")
        for card, count in self.deck.items():
            if card not in CARDS:
                raise OptionError(f"option 'deck' names {card!r}; allowed: {_DECK}")
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
                raise OptionError(f"option 'deck' has {count!r} of {card}; allowed: {_DECK}")
        if not 1 <= sum(self.deck.values()) <= MOST_CARDS:
            raise OptionError(f"option 'deck' has {sum(self.deck.values())} cards; allowed: {_DECK}")
        object.__setattr__(self, "deck", {card: int(count) for card, count in self.deck.items()})

    def write(self, g: np.record) -> None:
        super().write(g)
        g.max_turns = self.max_rounds * self.players
        g.cards[:] = self.counts
        g.option_cells[:] = self.players / MAX_PLAYERS, self.target / TARGET_SCALE, g.nine_identical
