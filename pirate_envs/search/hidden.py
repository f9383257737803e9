"""Is a decision hidden from a seat, as a sealed bid is? It is tried in imagined worlds, which tell nothing of the real one."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.game import Game

WORLDS = 8
ACTIONS = 8  # tried in each world, spread over the legal ones


def is_hidden(game: Game, g: np.record, seat: int) -> bool:
    """Whether the seat will not know what the mover decides now.

    So it is if in every world that the seat can imagine, and in which there is a choice, it knows the same afterwards
    whatever the mover does. A single world says little: dice can fall so that all choices come to the same.
    """
    choices = 0
    for number in range(WORLDS):
        world = game.determinized(g, seat, number)
        legal = game.legal_actions(world)
        if len(legal) > 1:
            choices += 1
            if not _all_alike(game, world, legal, seat):
                return False
    return choices > 0


def _all_alike(game: Game, world: np.record, legal: list[int], seat: int) -> bool:
    """Whether the seat knows the same after each of these actions."""
    tried = sorted({legal[at * (len(legal) - 1) // (ACTIONS - 1)] for at in range(ACTIONS)})
    first, *others = tried
    known = _known_after(game, world, first, seat)
    return all(_known_after(game, world, action, seat) == known for action in others)


def _known_after(game: Game, world: np.record, action: int, seat: int) -> bytes:
    """All that the seat can know once the action is played."""
    after = world.copy()
    game.apply(after, action)
    return game.redacted(after, seat).tobytes()
