"""Skull King: the names of cards and actions, and positions in these names."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from pirate_envs.core.errors import IllegalActionError
from pirate_envs.core.record import plain
from pirate_envs.core.seats import NO_ONE
from pirate_envs.games.skull_king.observation import hand_size
from pirate_envs.games.skull_king.state import (
    BIDDING,
    ESCAPE,
    KINDS,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    MERMAID,
    NO_BID,
    PLAY,
    copies,
)

SUIT_NAMES = ("yellow", "blue", "red", "black")
MARY = "scary_mary"
PLAYED_NAMES = [f"{suit}_{number}" for suit in SUIT_NAMES for number in range(1, MAX_NUMBER + 1)]
PLAYED_NAMES += ["escape", "pirate", "mermaid", "skull_king", f"{MARY}:pirate", f"{MARY}:escape"]
PLAYED_KINDS = {name: kind for kind, name in enumerate(PLAYED_NAMES)}
HELD_KINDS = {name: kind for name, kind in PLAYED_KINDS.items() if not name.startswith(MARY)} | {MARY: MARY_PIRATE}
HELD_NAMES = {kind: name for name, kind in HELD_KINDS.items()}
ACTION_NAMES = [f"bid {tricks}" for tricks in range(PLAY)] + [f"play {name}" for name in PLAYED_NAMES]
ACTIONS = {name: action for action, name in enumerate(ACTION_NAMES)}


# -- actions -----------------------------------------------------------------------------------------------------------


def action_name(_: np.record, action: int) -> str:
    """'bid 3', 'play yellow_5', 'play scary_mary:pirate'."""
    return ACTION_NAMES[action]


def action(_: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if there is none."""
    if name not in ACTIONS:
        raise IllegalActionError(
            f"{name!r} names no action; names are like 'bid 3', 'play yellow_5', 'play escape', 'play scary_mary:pirate'"
        )
    return ACTIONS[name]


# -- a record in words -------------------------------------------------------------------------------------------------


def _listed(cards: int, counts: int) -> list[int]:
    """The kinds of a set of cards, one entry a card, ascending; Scary Mary in a hand once, as MARY_PIRATE."""
    kinds = []
    for kind in range(KINDS):
        if cards >> kind & 1:
            kinds += [kind] * (copies(counts, kind) if ESCAPE <= kind <= MERMAID else 1)
    return kinds


def _hand_names(g: Any, seat: int) -> list[str]:
    kinds = _listed(g.hands[seat], g.counts[seat])
    return [HELD_NAMES[kind] for kind in kinds if kind != MARY_ESCAPE]


def _earlier_names(g: Any) -> list[str]:
    """Cards played in this hand's earlier tricks."""
    cards = Counter(_listed(g.gone, g.gone_counts))
    cards.subtract(g.trick[: g.laid])
    return [PLAYED_NAMES[kind] for kind in sorted(cards.elements())]


def _last_trick(g: Any) -> dict[str, Any] | None:
    if g.last_leader == NO_ONE:
        return None
    return {
        "leader": g.last_leader,
        "cards": [PLAYED_NAMES[kind] for kind in g.last_trick[: g.players]],
        "winner": g.last_winner,
        "bonus": g.last_bonus,
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`); `g` is redacted already when it is one seat's."""
    record, g = g, plain(g)
    seats = range(g.players)
    return {
        "phase": "bid" if g.phase == BIDDING else "play",
        "hand_number": g.hand_number,
        "first_leader": g.first_leader,
        "leader": g.leader,
        "bids": [None if g.bids[s] == NO_BID else g.bids[s] for s in seats],
        "tricks_won": [g.tricks_won[s] for s in seats],
        "bonus": [g.bonus[s] for s in seats],
        "hands": [_hand_names(g, s) if seat in (None, s) else int(hand_size(record, s)) for s in seats],
        "voids": [[name for suit, name in enumerate(SUIT_NAMES) if g.voids[s] >> suit & 1] for s in seats],
        "trick": [PLAYED_NAMES[kind] for kind in g.trick[: g.laid]],
        "played": _earlier_names(g),
        "last_trick": _last_trick(g),
    }
