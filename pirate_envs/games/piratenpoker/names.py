"""Piratenpoker: names of cards and actions."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.errors import IllegalActionError
from pirate_envs.games.piratenpoker.table import (
    ACTIONS,
    BACKS,
    BELOW_ACTION,
    EMPTY,
    FRONTS,
    GIVE,
    GIVE_NOTHING,
    HAND,
    MAX_PLAYERS,
    NUMBERS,
    OVERBOARD_ACTION,
    PASS,
    SIDES,
)

COLOUR_NAMES = ("green", "red", "yellow")
POKER_NAMES = [f"{colour}_{number}" for colour in COLOUR_NAMES for number in range(1, NUMBERS + 1)]
SIDE_NAMES = [*(f"+{front}" for front in FRONTS), "shark", *(str(back) for back in BACKS[1:])]
LOOT_NAMES = [f"{colour}_{side}" for colour in COLOUR_NAMES for side in SIDE_NAMES]  # colour * 8 + side
PHASES = ("bid", "overboard", "below", "gift")
PASS_NAME = "pass"


def front_name(colour: int, front: int) -> str:
    """The front of a loot card."""
    return LOOT_NAMES[colour * SIDES + front]


# -- actions -----------------------------------------------------------------------------------------------------------


def hand_kinds(g: np.record, seat: int) -> list[int]:
    """Kinds of a hand's cards in slot order."""
    kinds = [int(g.hands[seat]) >> 8 * slot & 255 for slot in range(HAND)]
    return [kind for kind in kinds if kind != EMPTY]


def _seat_on(g: np.record, steps: int) -> int:
    return (int(g.to_move) + steps) % int(g.players)


def action_name(g: np.record, action: int) -> str:
    """'pass', 'bid green_5 red_4', 'overboard green to 2', 'below green', 'give -4 to 1', 'give nothing'."""
    if action == PASS:
        return "pass"
    if action < OVERBOARD_ACTION:
        return "bid " + " ".join(
            POKER_NAMES[kind] for slot, kind in enumerate(hand_kinds(g, int(g.to_move))) if action >> slot & 1
        )
    if action < BELOW_ACTION:
        colour, steps = divmod(action - OVERBOARD_ACTION, MAX_PLAYERS)
        return f"overboard {COLOUR_NAMES[colour]} to {_seat_on(g, steps)}"
    if action < GIVE_NOTHING:
        return f"below {COLOUR_NAMES[action - BELOW_ACTION]}"
    if action == GIVE_NOTHING:
        return "give nothing"
    back, steps = divmod(action - GIVE, MAX_PLAYERS - 1)
    return f"give {BACKS[back + 1]} to {_seat_on(g, steps + 1)}"


def bid_named(g: np.record, names: list[str]) -> int | None:
    """The bid of these cards, the lowest slots of each kind; None if the hand does not hold them."""
    held = [POKER_NAMES[kind] for kind in hand_kinds(g, int(g.to_move))]
    slots = 0
    for name in names:
        free = [slot for slot, card in enumerate(held) if card == name and not slots >> slot & 1]
        if not free:
            return None
        slots |= 1 << free[0]
    return slots or None


def _choice_named(g: np.record, words: list[str]) -> int | None:
    """The action of these words but for bids, or None."""
    names = {action_name(g, action): action for action in reversed(range(OVERBOARD_ACTION, ACTIONS))}  # the nearest seat counts
    return names.get(" ".join(words))


def action(g: np.record, name: str) -> int:
    """The id of the action of that name. Raises IllegalActionError if there is none."""
    words = name.split() if isinstance(name, str) else []
    found = PASS if words == ["pass"] else bid_named(g, words[1:]) if words[:1] == ["bid"] else _choice_named(g, words)
    if found is None:
        raise IllegalActionError(
            f"{name!r} names no action here; names are like 'pass', 'bid green_5 red_4' with cards held, 'overboard green "
            "to 2', 'below green', 'give -4 to 1', 'give nothing'"
        )
    return found
