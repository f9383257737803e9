"""Scenes: positions of random play that a golden picture shows, found by what their views say."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.core import bits, rng
from pirate_envs.core.game import Game
from pirate_envs.core.svg import Picture

LONGEST = 60  # matches that are looked through for a scene


@dataclass(frozen=True, eq=False)
class Scene:
    """The first position of random play whose mover's view fits, as that seat or with all cards open."""

    when: Callable[[Mapping[str, Any]], bool]
    options: Mapping[str, Any] = field(default_factory=dict)
    theme: str = "light"
    open: bool = False

    def picture(self, name: str, **look: Any) -> Picture:
        """Raises LookupError if no match comes to it."""
        game, g, seat = self._found(name)
        return game.picture(g, seat, self.theme, **look)

    @functools.cache  # noqa: B019  (there are few scenes, and they stay)
    def _found(self, name: str) -> tuple[Game, np.record, int | None]:
        game = pirate_envs.load(name, **self.options)
        gen = np.zeros(4, np.uint32)
        for seed in range(1, LONGEST):
            g = game.new(seed)
            rng.key(gen, seed, 0, 1)
            while True:
                mover = game.seat_to_move(g)
                if self.when(game.view(g, mover)):
                    return game, g, None if self.open else mover
                if game.is_over(g):
                    break
                game.apply(g, bits.draw(game.mask_words(g), gen))
        raise LookupError(f"{name}: no match of {LONGEST} comes to this scene")
