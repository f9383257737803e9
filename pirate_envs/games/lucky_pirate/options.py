"""Lucky Pirate: its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pirate_envs.core.errors import OptionError
from pirate_envs.core.options import Cells, Options, as_share, counts_option, is_choice, one_hot, option
from pirate_envs.games.lucky_pirate.state import (
    DECK,
    KIND_NAMES,
    MAX_PLAYERS,
    MOST_COPIES,
    PLACES,
    SPARE_GAMES,
    TABLE_CARDS,
    heap_of,
)

MOST_WINS, MOST_TURNS = 10, 100_000
PLAYERS_SHOWN = one_hot(2, MAX_PLAYERS, f"2 to {MAX_PLAYERS} players, one-hot")
WINS_SHOWN = Cells(f"wins_needed / {MOST_WINS}, 1 / wins_needed", lambda wins: [wins / MOST_WINS, 1 / wins], 2)


@dataclass(frozen=True, kw_only=True)
class LuckyPirateOptions(Options):
    """What may be varied in a match of Lucky Pirate."""

    players: int = option(  # in every record's header
        4, "seats at the table", low=2, high=MAX_PLAYERS, cells=PLAYERS_SHOWN, recorded=False
    )
    deck: Mapping[str, int] | None = counts_option(
        "a deck of one's own, in place of the usual one", KIND_NAMES, each=MOST_COPIES
    )
    early_downs: bool = option(
        False,
        "with an empty hand a down whose own up is gone may be flipped before the other ups",
        cells=as_share(1, "early_downs"),
    )
    parrot_again: bool = option(
        False, "who plays a parrot may at once play another card on it, or stop", cells=as_share(1, "parrot_again")
    )
    captain_on_captain: bool = option(
        True, "a captain may be played on a captain", cells=as_share(1, "captain_on_captain"), recorded=False
    )
    clear_again: bool = option(True, "who clears the pile plays again", cells=as_share(1, "clear_again"))
    first_mate: str = option(
        "captain",
        "captain: only on a captain or an open pile; anywhere: on every card",
        choices=("captain", "anywhere"),
        cells=is_choice("anywhere", "first mate anywhere"),
        recorded=False,
    )
    reverse_skip: str = option(
        "anywhere",
        "anywhere: reverse and skip go on all but a captain; open: only on an open pile",
        choices=("anywhere", "open"),
        cells=is_choice("open", "reverse and skip on open only"),
        recorded=False,
    )
    several_reverses: str = option(
        "pairs",
        "pairs: of reverses played together two cancel each other, three turn the direction; all: two or three leave it",
        choices=("pairs", "all"),
    )
    wins_needed: int = option(1, "games to win for the match: 1, or a tournament", low=1, high=MOST_WINS, cells=WINS_SHOWN)
    max_turns: int = option(1000, "turns of a game before it is cut short", low=1, high=MOST_TURNS)

    @property
    def counts(self) -> tuple[int, ...]:
        """Cards of each kind, in the order of KIND_NAMES."""
        return DECK if self.deck is None else tuple(self.deck.get(card, 0) for card in KIND_NAMES)

    @property
    def most_games(self) -> int:
        """Games dealt in one match at most."""
        return 1 if self.wins_needed == 1 else self.players * (self.wins_needed - 1) + 1 + SPARE_GAMES

    def check(self) -> None:
        needed = int(PLACES[self.players] * (2 * TABLE_CARDS[self.players] + 1))
        if sum(self.counts) < needed:
            raise OptionError(
                f"option 'deck' has {sum(self.counts)} cards; {self.players} players need at least {needed}, "
                "one for each hand besides those on the table"
            )

    def write(self, g: np.record) -> None:
        super().write(g)
        g.whole_deck = heap_of(self.counts)
        g.most_games = self.most_games
        anywhere, only_open = self.first_mate == "anywhere", self.reverse_skip == "open"
        g.table = self.captain_on_captain + 2 * anywhere + 4 * only_open
