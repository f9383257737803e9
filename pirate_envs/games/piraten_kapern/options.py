"""Piraten Kapern: its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pirate_envs.core.options import Options, as_share, counts_option, is_choice, option
from pirate_envs.games.piraten_kapern.state import CARDS, DECK, MAX_PLAYERS, PROMO_DECK

LOWEST_TARGET, HIGHEST_TARGET = 100, 100_000
MOST_ROUNDS, MOST_CARDS = 10_000, 255
TARGET_SCALE = 6000.0


@dataclass(frozen=True, kw_only=True)
class PiratenKapernOptions(Options):
    """What may be varied in a match of Piraten Kapern. Those of R31 to R35 are not part of an observation."""

    players: int = option(
        4, "seats at the table", low=2, high=MAX_PLAYERS, cells=as_share(MAX_PLAYERS, "players / 5"), recorded=False
    )
    target: int = option(
        6000,
        "points that call the final round",
        low=LOWEST_TARGET,
        high=HIGHEST_TARGET,
        cells=as_share(TARGET_SCALE, "points that call the final round / 6000"),
    )
    promo: bool = option(False, "adds the cards after the storm and peace, one of each", recorded=False)
    deck: Mapping[str, int] | None = counts_option(
        "a deck of one's own, in place of the usual one", CARDS, total=(1, MOST_CARDS)
    )
    nine_identical: str = option(
        "eight",
        "eight dice and the card alike: a set of eight, or the match",
        choices=("eight", "win"),
        cells=is_choice("win", "1 if nine identical objects win at once"),
    )
    max_rounds: int = option(60, "turns for each player before the match is cut short", low=1, high=MOST_ROUNDS, recorded=False)
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

    def write(self, g: np.record) -> None:
        super().write(g)
        g.max_turns = self.max_rounds * self.players
        g.cards[:] = self.counts
