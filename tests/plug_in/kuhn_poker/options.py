"""Kuhn poker: its options."""

from dataclasses import dataclass

from kuhn_poker.state import PLAYERS
from pirate_envs.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class KuhnPokerOptions(Options):
    """Nothing but what every game has."""

    players: int = option(PLAYERS, "seats at the table", low=PLAYERS, high=PLAYERS)
