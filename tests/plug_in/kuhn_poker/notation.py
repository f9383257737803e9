"""Kuhn poker: names of cards and actions, and views."""

from typing import Any

import numpy as np

from kuhn_poker.rules import BET, PASS, faces_bet
from pirate_envs.core.errors import IllegalActionError

CARD_NAMES = ("jack", "queen", "king")
UNASKED, ANSWERS = ("check", "bet"), ("fold", "call")  # by action


def action_name(g: np.record, action: int) -> str:
    """The action in words: they depend on whether there is a bet to answer."""
    return (ANSWERS if faces_bet(g) else UNASKED)[action]


def action(g: np.record, name: str) -> int:
    """The id of the action of that name. Raises IllegalActionError."""
    for number in (PASS, BET):
        if name == action_name(g, number):
            return number
    raise IllegalActionError(f"no action {name!r} here; there are: {action_name(g, PASS)}, {action_name(g, BET)}")


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view."""
    return {
        "phase": "over" if g.over else "bet",
        "cards": [None if card < 0 else CARD_NAMES[card] for card in g.cards.tolist()],
        "chips": g.chips.tolist(),
        "first": int(g.first),
    }
