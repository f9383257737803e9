"""Piratenpoker: how the tests tell small stories.

`g5` is a green 5, `y+10` the front of a yellow loot card, `r-4` its back, `gs` a green shark.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import pirate_envs

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"players": 4, "rules": "french"},
    {"players": 5, "pass_effect": "spent", "gift_limit": "any", "loot_counts": {"5": 3, "6": 2, "10": 2}},
    {"players": 4, "all_pass": "remove", "refill_to": 2, "max_cycles": 5},
    {"all_pass": "remove_last", "match_end": "at_once", "bonus_sides": "all", "pass_effect": "spent", "refill_to": 3},
]
COLOURS = {"g": "green", "r": "red", "y": "yellow"}
DECK = Counter({f"{colour}_{value}": n for colour in COLOURS.values() for value, n in enumerate((1, 2, 4, 7, 7, 4, 2, 1), 1)})


def load(**options: Any) -> Any:
    return pirate_envs.load("piratenpoker", **{"players": 3, **options})


def names(short: str) -> list[str]:
    """'g5 y+10 rs' as ['green_5', 'yellow_+10', 'red_shark']; '-' is no card."""
    return [f"{COLOURS[card[0]]}_{'shark' if card[1:] == 's' else card[1:]}" for card in short.split() if card != "-"]


def table(*hands: str | int, offer: str = "g+8 r+6 y+10", options: dict[str, Any] | None = None, **more: Any) -> Any:
    """A game and a position of it: the first seat is to bid on this loot, in round 1, 2 or 3 as it says."""
    loot = names(offer)
    game = load(players=len(hands), **(options or {}))
    held = [names(hand) if isinstance(hand, str) else hand for hand in hands]
    if "displays" in more:
        more["displays"] = [names(display) for display in more["displays"]]
    return game, game.from_view({"round": 4 - len(loot), "offer": loot, "hands": held, **more})


def play(game: Any, g: np.record, *actions: str) -> None:
    for name in actions:
        game.apply(g, game.action(g, name))


def bid(game: Any, g: np.record, *bids: str) -> None:
    """What the seats that are asked put down, in turn; '-' is the Pass."""
    play(game, g, *("pass" if cards == "-" else " ".join(["bid", *names(cards)]) for cards in bids))


def legal(game: Any, g: np.record) -> set[str]:
    return set(game.view(g)["legal"])


def winner(*bids: str, offer: str = "g+8 r+6 y+10", **options: Any) -> int | None:
    """Who wins a round in which the seats bid this, all they hold."""
    game, g = table(*bids, offer=offer, options=options)
    bid(game, g, *bids)
    return game.view(g)["last_reveal"]["winner"]


def after_round_one(*bids: str | None, **more: Any) -> dict[str, Any]:
    """A view of round 2: in the round before the seats bid this ('-' the Pass, None: took no part)."""
    told = [bid if bid is None else "pass" if bid == "-" else names(bid) for bid in bids]
    return {"round": 2, "offer": names("r+6 y+10"), "last_reveal": {"round": 1, "bids": told}, **more}
