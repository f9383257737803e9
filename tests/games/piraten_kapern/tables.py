"""Positions of Piraten Kapern in a few letters, for its tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import pirate_envs
from tests.games.piraten_kapern import referee

NAMES = {"C": "coin", "D": "diamond", "M": "monkey", "P": "parrot", "S": "sabre", "X": "skull"}
ORDER = list(NAMES.values())
EVERY_CARD = dict.fromkeys(referee.CARDS, 2)


def faces(letters: str) -> list[str]:
    """'CCX' as ['coin', 'coin', 'skull']."""
    return [NAMES[letter] for letter in letters]


def table(card: str, dice: str, **more: Any) -> tuple[pirate_envs.Game, np.record]:
    """Three players; seat 0 has just rolled these dice under this card. `kept` are letters, options go by `options`."""
    options = {"players": 3, "deck": EVERY_CARD, **more.pop("options", {})}
    if "kept" in more:
        more["kept"] = faces(more["kept"])
    game = pirate_envs.load("piraten_kapern", **options)
    return game, game.from_view({"card": card, "dice": faces(dice), **more}, seed=3)


def goes_on(game: pirate_envs.Game, g: np.record) -> bool:
    """Is it still seat 0's first turn?"""
    return game.view(g)["turn"] == 0


def names(game: pirate_envs.Game, g: np.record) -> list[str]:
    return [game.action_name(g, action) for action in game.legal_actions(g)]
