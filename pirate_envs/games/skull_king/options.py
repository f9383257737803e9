"""Skull King: its options and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pirate_envs.core.errors import OptionError
from pirate_envs.core.options import Options, option
from pirate_envs.games.skull_king.rules import BONUS_SCALE, MAX_HAND, MAX_NUMBER, MAX_PLAYERS, OTHER_CARDS, SUITS


@dataclass(frozen=True, kw_only=True)
class SkullKingOptions(Options):
    """What may be varied in a match of Skull King."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "schmidt": {},
        "2021": {
            "highest": 14,
            "mermaid_takes_king": 40,
            "king_takes_pirate": 30,
            "pirate_takes_mermaid": 20,
            "fourteen": 10,
            "black_fourteen": 20,
            "character_lead_frees_trick": True,
            "mary_as_escape_counts": False,
        },
    }

    players: int = option(4, "seats at the table", low=2, high=MAX_PLAYERS)
    rules: str = option(
        "schmidt",
        "preset: the 66-card edition, or the one of 2021 (14s, other bonuses); each value can be set alone too",
        choices=("schmidt", "2021"),
    )
    first_hand: int = option(1, "cards each in the first hand", low=1, high=MAX_HAND)
    last_hand: int = option(MAX_HAND, "cards each in the last hand", low=1, high=MAX_HAND)
    bidding: str = option(
        "sealed", "sealed: bids are revealed together; open: each bid is seen at once", choices=("sealed", "open")
    )
    highest: int = option(13, "highest number of each suit", low=5, high=MAX_NUMBER)
    mermaid_takes_king: int = option(50, "bonus for a mermaid's trick with the king", low=0, high=100)
    king_takes_pirate: int = option(30, "bonus for each pirate in the king's trick", low=0, high=100)
    pirate_takes_mermaid: int = option(0, "bonus for each mermaid in a pirate's trick", low=0, high=100)
    fourteen: int = option(0, "bonus for each yellow, blue or red 14 in a trick", low=0, high=100)
    black_fourteen: int = option(0, "bonus for the black 14 in a trick", low=0, high=100)
    character_lead_frees_trick: bool = option(
        False, "a trick led by pirate, mermaid, king or Scary Mary as pirate has no suit to follow"
    )
    mary_as_escape_counts: bool = option(True, "the king is paid for Scary Mary even when she was played as an escape")

    def write(self, g: np.record) -> None:
        super().write(g)
        players = [float(self.players == seats) for seats in range(2, MAX_PLAYERS + 1)]
        switches = [
            self.bidding == "open",
            self.highest / MAX_NUMBER,
            self.character_lead_frees_trick,
            self.mary_as_escape_counts,
        ]
        bonuses = [
            self.mermaid_takes_king,
            self.king_takes_pirate,
            self.pirate_takes_mermaid,
            self.fourteen,
            self.black_fourteen,
        ]
        g.option_cells[:] = [self.last_hand / 10, *players, *switches, *(bonus / BONUS_SCALE for bonus in bonuses)]

    def check(self) -> None:
        if self.first_hand > self.last_hand:
            raise OptionError(f"first_hand={self.first_hand} is after last_hand={self.last_hand}")
        cards = SUITS * self.highest + OTHER_CARDS
        if self.players * self.last_hand > cards:
            raise OptionError(
                f"players={self.players} with last_hand={self.last_hand} need {self.players * self.last_hand} cards; "
                f"highest={self.highest} makes {cards}"
            )
