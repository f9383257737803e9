"""Piraten Kapern: actions and a position's record as plain names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from pirate_envs.core.errors import IllegalActionError
from pirate_envs.core.record import TRUNCATED
from pirate_envs.games.piraten_kapern.state import CARD_SKULLS, CARDS, COUNTS, DICE, FACES, NO_CARD, SKULL, STOP

ISLAND, BUST, STOPPED = "island", "bust", "stop"  # how a turn ended


# -- actions -----------------------------------------------------------------------------------------------------------


def dice_names(throw: int) -> list[str]:
    """The eight faces of a throw in slot order."""
    return [FACES[face] for face in np.repeat(np.arange(len(FACES)), COUNTS[throw])]


def action_name(g: np.record, action: int) -> str:
    """'stop', 'reroll coin coin sabre'."""
    if action == STOP:
        return "stop"
    names = dice_names(int(g.dice))
    return "reroll " + " ".join(names[slot] for slot in range(DICE) if action >> slot & 1)


def action(g: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if the dice on the table have none."""
    if name == "stop":
        return STOP
    verb, *faces = name.split() if isinstance(name, str) and name else [""]
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


def _last_turn(g: np.record, seat: int) -> dict[str, Any] | None:
    card, throw = int(g.last_card[seat]), int(g.last_dice[seat])
    if card == NO_CARD:
        return None
    return {
        "card": CARDS[card],
        "dice": dice_names(throw),
        "ended_by": ended_by(card, throw, bool(g.last_island[seat])),
        "points": int(g.last_points[seat]),
        "opponents": -int(g.last_loss[seat]),
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`)."""
    return {
        "phase": "island" if g.island else "turn",
        "turn": int(g.turn),
        "round": int(g.turn) // int(g.players) + 1,
        "turn_of": int(g.to_move),
        "card": CARDS[g.card],
        "dice": dice_names(int(g.dice)),
        "rolls": int(g.rolls),
        "kept": face_names(int(g.kept)),
        "sorceress_used": bool(g.sorceress_used),
        "island": bool(g.island),
        "final_round": None if g.trigger < 0 else {"trigger": int(g.trigger), "turns_left": int(g.turns_left)},
        "undrawn": {name: int(count) for name, count in zip(CARDS, g.undrawn, strict=True) if count},
        "last_turns": [_last_turn(g, other) for other in range(int(g.players))],
        "winner": None if g.winner < 0 else int(g.winner),
        "truncated": int(g.over) == TRUNCATED,
        "decisions": int(g.decisions),
    }
