"""Under which conditions a result was measured: by which options of the table, and by which weights of the players.

What is as usual (four seats, the game's own options) is not said, and results that say nothing count as measured so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from pirate_envs.agents import Agent, agent
from pirate_envs.core.errors import PirateError
from pirate_envs.core.game import Game

SEATS = 4
LONGEST = 100  # letters of options in the name of a result


def unusual(options: Mapping[str, Any]) -> dict[str, Any]:
    """Of a table's options, as `game.options.changed()` tells them, those that are not as usual."""
    return {name: value for name, value in options.items() if (name, value) != ("players", SEATS)}


def is_usual(result: Mapping[str, Any]) -> bool:
    """Whether a result, or a row of one, is of a usual table."""
    seats = result.get("seats", result.get("players", SEATS))
    return seats == SEATS and not unusual(result.get("options", {}))


def entry(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a result is to say of its table's options, as read back from JSON: nothing if they are as usual."""
    told = json.loads(json.dumps(unusual(options)))
    return {"options": told} if told else {}


def named(name: str, result: Mapping[str, Any]) -> str:
    """The name under which a result is kept: with its options, so that it takes no other table's place."""
    options = sorted(result.get("options", {}).items())
    told = "_".join(f"{option}={quote(json.dumps(value, sort_keys=True), safe='')}" for option, value in options)
    if len(told) > LONGEST:
        told = hashlib.sha256(told.encode()).hexdigest()
    return f"{name}_{told}" if told else name


def title(result: Mapping[str, Any]) -> str:
    """A result's game with the options that are not as usual; the seats are told beside it."""
    told = ", ".join(f"{name}={value!r}" for name, value in result.get("options", {}).items() if name != "players")
    return f"{result['game']} ({told})" if told else str(result["game"])


def weights_of(players: Mapping[str, Agent]) -> dict[str, str]:
    """Name -> digest of the weights that the player acts by, of those that act by any."""
    return {name: player.acts_by for name, player in players.items() if player.acts_by is not None}


def changed(game: Game, weights: Mapping[str, str]) -> set[str]:
    """Those of the players that act by other weights now than `weights_of` told; one that is gone cannot be asked."""
    found = set()
    for name, digest in weights.items():
        with suppress(PirateError):
            if agent(game, name).acts_by != digest:
                found.add(name)
    return found
