"""Lucky Pirate for tests that tell a story: positions in few words, played on by name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import pirate_envs

CARDS = (
    *("1", "2", "3", "4", "5", "6", "mermaid", "8", "captain", "kraken"),
    *("first_mate", "porthole", "parrot", "plank", "reverse", "skip"),
)
DECK = Counter(dict.fromkeys(CARDS[:12], 4) | dict.fromkeys(CARDS[12:], 3))
SLOTS = {2: 4, 3: 4, 4: 3, 5: 2, 6: 2}
OTHER = "2 / / 1"
"""A seat that keeps out of the story: a 2 in the hand, a 1 face down."""

Story = tuple[Any, np.record]


def load(**options: Any) -> Any:
    return pirate_envs.load("lucky_pirate", **options)


def slots(text: str, players: int, rest: str | None = None) -> list[str | None]:
    """'- 4' as [None, '4', None, ...]."""
    cards = [None if card == "-" else card for card in text.split()]
    return cards + [rest] * (SLOTS[players] - len(cards))


def position(*seats: str, pile: str = "", **more: Any) -> dict[str, Any]:
    """A view: of each seat 'hand / ups / downs'; '-' is an empty slot. What nobody has is out of the game.

    Slots left out are empty, but while a seat has ups its downs are all there, any cards.
    """
    parts = [[zone.strip() for zone in seat.split("/")] for seat in seats]
    return {
        "hands": [hand.split() for hand, _, _ in parts],
        "ups": [slots(ups, len(seats)) for _, ups, _ in parts],
        "downs": [slots(downs, len(seats), "?" if ups else None) for _, ups, downs in parts],
        "pile": pile.split(),
        "to_move": 0,
        **more,
    }


def table(*seats: str, pile: str = "", options: dict[str, Any] | None = None, **more: Any) -> Story:
    """Seat 0 is to play in this position."""
    game = load(players=len(seats), **(options or {}))
    return game, game.from_view(position(*seats, pile=pile, **more))


def play(story: Story, *names: str) -> dict[str, Any]:
    """Play these actions; returns the view after them."""
    game, g = story
    for name in names:
        game.apply(g, game.action(g, name))
    return dict(game.view(g))


def legal(story: Story) -> list[str]:
    game, g = story
    return [game.action_name(g, action) for action in game.legal_actions(g)]


def all_cards(shown: dict[str, Any]) -> Counter[str]:
    """Every card of a full view, wherever it lies."""
    zones = [*shown["hands"], *shown["ups"], *shown["downs"], shown["pile"], shown["cleared"], shown["aside"]]
    return Counter(card for zone in zones for card in zone if card is not None)


OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"players": 2},
    {"players": 3, "early_downs": True, "parrot_again": True, "wins_needed": 2, "max_turns": 60},
    {"players": 5, "captain_on_captain": False, "clear_again": False, "first_mate": "anywhere", "reverse_skip": "open"},
    {
        "players": 4,
        "several_reverses": "all",
        "clear_again": False,
        "parrot_again": True,
        "deck": dict.fromkeys(CARDS, 3) | {"reverse": 7},
    },
    {"players": 6, "deck": dict.fromkeys(CARDS, 3) | {"4": 7}},
]
