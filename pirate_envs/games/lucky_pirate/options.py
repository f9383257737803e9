"""Lucky Pirate: its options."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pirate_envs.core.errors import OptionError
from pirate_envs.core.options import Options, option
from pirate_envs.games.lucky_pirate.rules import (
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
_DECK = f"None, or counts by card, 0 to {MOST_COPIES} each; cards: {', '.join(KIND_NAMES)}"


@dataclass(frozen=True, kw_only=True)
class LuckyPirateOptions(Options):
    """What may be varied in a match of Lucky Pirate."""

    players: int = option(4, "seats at the table", low=2, high=MAX_PLAYERS)
    deck: Mapping[str, int] | None = dataclasses.field(  # no part of the hash: a mapping has none
        default=None, hash=False, metadata={"meaning": "a deck of one's own, in place of the usual one", "allowed": _DECK}
    )
    early_downs: bool = option(False, "with an empty hand a down whose own up is gone may be flipped before the other ups")
    parrot_again: bool = option(False, "who plays a parrot may at once play another card on it, or stop")
    captain_on_captain: bool = option(True, "a captain may be played on a captain")
    clear_again: bool = option(True, "who clears the pile plays again")
    first_mate: str = option(
        "captain", "captain: only on a captain or an open pile; anywhere: on every card", choices=("captain", "anywhere")
    )
    reverse_skip: str = option(
        "anywhere",
        "anywhere: reverse and skip go on all but a captain; open: only on an open pile",
        choices=("anywhere", "open"),
    )
    several_reverses: str = option(
        "pairs",
        "pairs: of reverses played together two cancel each other, three turn the direction; all: two or three leave it",
        choices=("pairs", "all"),
    )
    wins_needed: int = option(1, "games to win for the match: 1, or a tournament", low=1, high=MOST_WINS)
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
        if self.deck is not None:
            self._check_deck()
        needed = int(PLACES[self.players] * (2 * TABLE_CARDS[self.players] + 1))
        if sum(self.counts) < needed:
            raise OptionError(
                f"option 'deck' has {sum(self.counts)} cards; {self.players} players need at least {needed}, "
                "one for each hand besides those on the table"
            )

    def _check_deck(self) -> None:
        if not isinstance(self.deck, Mapping):
            raise OptionError(f"option 'deck' is {self.deck!r}; allowed: {_DECK}")
        for card, count in self.deck.items():
            if card not in KIND_NAMES:
                raise OptionError(f"option 'deck' names {card!r}; allowed: {_DECK}")
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 0 <= count <= MOST_COPIES:
                raise OptionError(f"option 'deck' has {count!r} of {card}; allowed: {_DECK}")
        object.__setattr__(self, "deck", {card: int(count) for card, count in self.deck.items()})

    def write(self, g: np.record) -> None:
        super().write(g)
        g.whole_deck = heap_of(self.counts)
        g.most_games = self.most_games
        anywhere, only_open = self.first_mate == "anywhere", self.reverse_skip == "open"
        g.table = self.captain_on_captain + 2 * anywhere + 4 * only_open
        players = [self.players == seats for seats in range(2, MAX_PLAYERS + 1)]
        switches = [self.early_downs, self.parrot_again, self.captain_on_captain, self.clear_again, anywhere, only_open]
        g.option_cells[:] = [*players, *switches, self.wins_needed / MOST_WINS, 1 / self.wins_needed]
