"""Skull King: its options and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pirate_envs.core.errors import OptionError
from pirate_envs.core.options import Options, as_share, is_choice, one_hot, option
from pirate_envs.games.skull_king.state import BONUS_SCALE, DECK_SIZES, MAX_HAND, MAX_NUMBER, MAX_PLAYERS


def _bonus(default: int, paid_for: str) -> Any:
    """Points that the winner of a trick is paid if its bid is kept (R22)."""
    meaning = f"bonus for {paid_for}"
    return option(default, meaning, low=0, high=100, cells=as_share(BONUS_SCALE, f"{meaning} / {BONUS_SCALE}"))


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

    players: int = option(
        4,
        "seats at the table",
        low=2,
        high=MAX_PLAYERS,
        cells=one_hot(2, MAX_PLAYERS, f"2 to {MAX_PLAYERS} players, one-hot"),
        recorded=False,  # the header has it
    )
    rules: str = option(
        "schmidt",
        "preset: the 66-card edition, or the one of 2021 (14s, other bonuses); each value can be set alone too",
        choices=("schmidt", "2021"),
        recorded=False,
    )
    first_hand: int = option(1, "cards each in the first hand", low=1, high=MAX_HAND)
    last_hand: int = option(MAX_HAND, "cards each in the last hand", low=1, high=MAX_HAND)
    bidding: str = option(
        "sealed",
        "sealed: bids are revealed together; open: each bid is seen at once",
        choices=("sealed", "open"),
        cells=is_choice("open", "open bidding"),
    )
    highest: int = option(
        13, "highest number of each suit", low=5, high=MAX_NUMBER, cells=as_share(MAX_NUMBER, f"highest / {MAX_NUMBER}")
    )
    character_lead_frees_trick: bool = option(
        False,
        "a trick led by pirate, mermaid, king or Scary Mary as pirate has no suit to follow",
        cells=as_share(1, "character lead frees"),
    )
    mary_as_escape_counts: bool = option(
        True,
        "the king is paid for Scary Mary even when she was played as an escape",
        cells=as_share(1, "Mary as escape counts"),
    )
    mermaid_takes_king: int = _bonus(50, "a mermaid's trick with the king")
    king_takes_pirate: int = _bonus(30, "each pirate in the king's trick")
    pirate_takes_mermaid: int = _bonus(0, "each mermaid in a pirate's trick")
    fourteen: int = _bonus(0, "each yellow, blue or red 14 in a trick")
    black_fourteen: int = _bonus(0, "the black 14 in a trick")

    def check(self) -> None:
        if self.first_hand > self.last_hand:
            raise OptionError(f"first_hand={self.first_hand} is after last_hand={self.last_hand}")
        cards = int(DECK_SIZES[self.highest])
        if self.players * self.last_hand > cards:
            raise OptionError(
                f"players={self.players} with last_hand={self.last_hand} need {self.players * self.last_hand} cards; "
                f"highest={self.highest} makes {cards}"
            )
