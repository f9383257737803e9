"""python -m agents play GAME: the commands of pirate_envs, with every player there is on the other seats."""

from __future__ import annotations

import sys

import numpy as np

from agents import Decisions, agent, agent_names
from pirate_envs.__main__ import Player, main
from pirate_envs.core.game import Game

STRONGEST = "policy:pretrained"


def opponent(game: Game, name: str | None) -> Player:
    """The player of that name; if none is given, the shipped policy, or the strongest rule player where there is none."""
    known = STRONGEST if STRONGEST in agent_names(game) else "rules:strongest"
    player = agent(game, name or known)
    chance = np.random.default_rng(0)

    def act(g: np.record) -> int:
        seat = game.seat_to_move(g)
        records = np.array([game.redacted(g, seat)], game.state)
        masks = game.action_mask(g).astype(bool)[None]
        return int(player.act(Decisions(game.observation(g, seat)[None], masks, chance.random(1), records))[0])

    return player.name, act


if __name__ == "__main__":
    sys.exit(main(program="agents", opponent=opponent, opponents="any player: policy:pretrained, search:ismcts:1000, ..."))
