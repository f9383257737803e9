"""MaskablePPO of sb3-contrib on Gymnasium seats: ``python examples/maskable_ppo_on_gymnasium.py [DECISIONS]``.

Each environment is one learner's seat at a table of named opponents; the learner is given its legal actions by
`action_masks()`. Faster, with the same learner: `pirate_envs.make_sb3`, whose matches are played in lockstep.
"""

import sys

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import versus

ID = "pirate_envs:pirates/SkullKing-v0"
TABLE = {"players": 4, "opponents": {"random": 1}, "reward": "margin", "pay_as_scored": True}
SEATS, STEPS, DEALS = 16, 128, 500


class Learned(Agent):
    """The model's most probable action, as a player that `arena` knows."""

    name = "learned"

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def act(self, decisions: Decisions) -> np.ndarray:
        return self.model.predict(decisions.observations, action_masks=decisions.action_masks, deterministic=True)[0]


def main(decisions: int = 200_000) -> None:
    torch.set_num_threads(1)
    seats = make_vec_env(gymnasium.make, SEATS, seed=0, env_kwargs={"id": ID, **TABLE})
    model = MaskablePPO("MlpPolicy", seats, learning_rate=1e-3, n_steps=STEPS, batch_size=512, n_epochs=4, seed=0, device="cpu")
    model.learn(decisions)
    game = seats.get_attr("game")[0]
    won = versus(game, Learned(model), agent(game, "random"), DEALS).first()["win_share"]
    print(
        f"{decisions:,} decisions; against three random players {won.mean:.1%} [{won.low:.1%}, {won.high:.1%}] of matches won"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
