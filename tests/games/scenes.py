"""Scenes: positions of random play that a golden picture shows, found by what their views say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.core import bits, rng
from pirate_envs.core.svg import Picture

LONGEST = 60  # matches that are looked through for a scene


@dataclass(frozen=True)
class Scene:
    """The first position of random play whose mover's view fits, as that seat or with all cards open."""

    when: Callable[[Mapping[str, Any]], bool]
    options: Mapping[str, Any] = field(default_factory=dict)
    theme: str = "light"
    open: bool = False

    def picture(self, name: str) -> Picture:
        """Raises LookupError if no match comes to it."""
        game = pirate_envs.load(name, **self.options)
        gen = np.zeros(4, np.uint32)
        for seed in range(1, LONGEST):
            g = game.new(seed)
            rng.key(gen, seed, 0, 1)
            while True:
                mover = game.seat_to_move(g)
                if self.when(game.view(g, mover)):
                    return game.picture(g, None if self.open else mover, self.theme)
                if game.is_over(g):
                    break
                game.apply(g, bits.draw(game.mask_words(g), gen))
        raise LookupError(f"{name}: no match of {LONGEST} comes to this scene")
