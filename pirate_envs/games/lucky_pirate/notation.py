"""Lucky Pirate: positions and actions as plain names."""

from __future__ import annotations

from typing import Any

import numpy as np

from pirate_envs.core.errors import IllegalActionError
from pirate_envs.core.record import TRUNCATED, plain
from pirate_envs.games.lucky_pirate.state import HIDDEN, KIND_NAMES, LOCKED, NO_CARD, SLOTS, TABLE_CARDS

UNKNOWN = "?"
ACTION_NAMES = [f"play {' '.join([name] * copies)}" for name in KIND_NAMES for copies in (1, 2, 3)]
ACTION_NAMES += [*(f"flip {slot}" for slot in range(SLOTS)), "pick up", "stop"]
ACTION_IDS = {name: action for action, name in enumerate(ACTION_NAMES)}
NEED_NAMES: list[Any] = ["open", *range(1, LOCKED), "captain"]
RESULTS = ("", "played", "cleared", "picked up", "stopped")
ZONES = ("hand", "ups", "downs")


# -- actions -----------------------------------------------------------------------------------------------------------


def action_name(_: np.record, action: int) -> str:
    """'play 5 5', 'flip 2', 'pick up', 'stop'."""
    return ACTION_NAMES[action]


def action(_: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if there is none."""
    if name not in ACTION_IDS:
        raise IllegalActionError(
            f"{name!r} names no action; names are like 'play 5 5', 'play captain', 'flip 0', 'pick up', 'stop'"
        )
    return ACTION_IDS[name]


# -- a record in words -------------------------------------------------------------------------------------------------


def names_of(heap: int) -> list[str]:
    return [name for kind, name in enumerate(KIND_NAMES) for _ in range(heap >> 4 * kind & 7)]


def _slot_names(cards: list[int]) -> list[str | None]:
    return [None if card == NO_CARD else UNKNOWN if card == HIDDEN else KIND_NAMES[card] for card in cards]


def zone_name(g: np.record, seat: int) -> str:
    return ZONES[0 if g.hand_sizes[seat] else 1 if g.ups_left[seat] else 2]


def run_shown(g: np.record) -> list[int] | None:
    """Value and length of the equal numbers on top of the pile."""
    return [int(g.run_value), int(g.run_length)] if g.run_value else None


def _last_play(g: Any, seat: int) -> dict[str, Any] | None:
    if g.last_action[seat] < 0:
        return None
    flipped = g.last_flip[seat]
    return {
        "action": ACTION_NAMES[g.last_action[seat]],
        "flipped": None if flipped == NO_CARD else KIND_NAMES[flipped],
        "result": RESULTS[g.last_result[seat]],
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`); `g` is redacted already when it is one seat's."""
    g = plain(g)
    seats = range(g.players)
    slots = int(TABLE_CARDS[g.players])
    return {
        "phase": zone_name(g, g.to_move),
        "pile": [KIND_NAMES[kind] for kind in g.pile_cards[: g.pile_size]],
        "need": NEED_NAMES[g.need],
        "run": run_shown(g),
        "direction": g.direction,
        "after_parrot": bool(g.after_parrot),
        "hands": [names_of(g.hands[s]) if seat in (None, s) else g.hand_sizes[s] for s in seats],
        "known": [names_of(g.known[s]) for s in seats],
        "cannot_hold": [names_of(g.cannot_hold[s]) for s in seats],
        "ups": [_slot_names(g.up_cards[s][:slots]) for s in seats],
        "downs": [_slot_names(g.down_cards[s][:slots]) for s in seats],
        "aside": names_of(g.aside) if seat is None else g.aside_size,
        "cleared": names_of(g.cleared),
        "turn": g.turn,
        "game_number": g.game_number,
        "dealer": g.dealer,
        "wins": [g.wins[s] for s in seats],
        "last_plays": [_last_play(g, s) for s in seats],
        "truncated": g.over == TRUNCATED,
        "decisions": g.decisions,
    }
