"""Piraten Kapern: actions and a position's record as plain names."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from pirate_envs.core.errors import IllegalActionError
from pirate_envs.core.record import TRUNCATED, plain
from pirate_envs.games.piraten_kapern.state import CARD_SKULLS, CARDS, COUNTS, FACES, NO_CARD, SKULL, STOP

ISLAND, BUST, STOPPED = "island", "bust", "stop"  # how a turn ended


# -- actions -----------------------------------------------------------------------------------------------------------


@functools.lru_cache
def _faces(throw: int) -> tuple[str, ...]:
    return tuple(name for name, count in zip(FACES, COUNTS[throw].tolist(), strict=True) for _ in range(count))


def dice_names(throw: int) -> list[str]:
    """The eight faces of a throw in slot order."""
    return [*_faces(throw)]


def action_name(g: np.record, action: int) -> str:
    """'stop', 'reroll coin coin sabre'."""
    if action == STOP:
        return "stop"
    return _reroll_name(int(g["dice"]), action)  # by key: three times as quick as an attribute, and a view names hundreds


@functools.lru_cache(1 << 14)
def _reroll_name(throw: int, slots: int) -> str:
    return "reroll " + " ".join(face for slot, face in enumerate(_faces(throw)) if slots >> slot & 1)


def action(g: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if the dice on the table have none."""
    if name == "stop":
        return STOP
    verb, *faces = (name.split() if isinstance(name, str) else []) or [""]
    on_table = dice_names(int(g.dice))
    if verb != "reroll" or not faces or Counter(faces) - Counter(on_table):
        raise IllegalActionError(f"{name!r} names no action: 'stop', or 'reroll' and some of {' '.join(on_table)}")
    return sum(1 << on_table.index(face) + i for face, count in Counter(faces).items() for i in range(count))


# -- a record in words -------------------------------------------------------------------------------------------------


def face_names(packed: int) -> list[str]:
    """Packed counts as faces."""
    return [name for face, name in enumerate(FACES) for _ in range(packed >> 8 * face & 15)]


def packed_counts(faces: Iterable[str]) -> int:
    """Faces as packed counts."""
    return sum(1 << 8 * FACES.index(face) for face in faces)


def ended_by(card: int, throw: int, island: bool) -> str:
    """How a turn under this card that showed this throw at its end was ended."""
    if island:
        return ISLAND
    return BUST if COUNTS[throw, SKULL] + CARD_SKULLS[card] >= 3 else STOPPED


def _last_turn(g: Any, seat: int) -> dict[str, Any] | None:
    card, throw = g.last_card[seat], g.last_dice[seat]
    if card == NO_CARD:
        return None
    return {
        "card": CARDS[card],
        "dice": dice_names(throw),
        "ended_by": ended_by(card, throw, bool(g.last_island[seat])),
        "points": g.last_points[seat],
        "opponents": -g.last_loss[seat],
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`)."""
    g = plain(g)
    return {
        "phase": "island" if g.island else "turn",
        "turn": g.turn,
        "round": g.turn // g.players + 1,
        "turn_of": g.to_move,
        "card": CARDS[g.card],
        "dice": dice_names(g.dice),
        "rolls": g.rolls,
        "kept": face_names(g.kept),
        "sorceress_used": bool(g.sorceress_used),
        "island": bool(g.island),
        "final_round": None if g.trigger < 0 else {"trigger": g.trigger, "turns_left": g.turns_left},
        "undrawn": {name: count for name, count in zip(CARDS, g.undrawn, strict=True) if count},
        "last_turns": [_last_turn(g, other) for other in range(g.players)],
        "winner": None if g.winner < 0 else g.winner,
        "truncated": g.over == TRUNCATED,
        "decisions": g.decisions,
    }
