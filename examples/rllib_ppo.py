"""PPO by self-play in RLlib's new API stack: ``python examples/rllib_ppo.py [GAME] [MINUTES]``.

One policy plays all seats; two processes play 16 matches each. Then the policy's most probable actions are measured against
random players on duplicate deals.
"""

import sys
import time

import numpy as np
import ray
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import RLModule

import pirate_envs
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import versus
from pirate_envs.doors.rllib import SHARED, masked_ppo


class Learned(Agent):
    """An RLlib module's most probable action, as a player that `arena` knows."""

    name = "learned"

    def __init__(self, module: RLModule) -> None:
        self.module = module

    def act(self, decisions: Decisions) -> np.ndarray:
        seen = {"observations": decisions.observations, "action_mask": decisions.action_masks.astype(np.float32)}
        tensors = {name: torch.from_numpy(array) for name, array in seen.items()}
        with torch.no_grad():
            return self.module.forward_inference({Columns.OBS: tensors})[Columns.ACTION_DIST_INPUTS].argmax(1).numpy()


def main(name: str = "skull_king", minutes: float = 10.0, runners: int = 2, decisions: int = 16384, deals: int = 1000) -> None:
    """`runners` processes beside this one (0: this one plays too) play `decisions` before each update."""
    torch.set_num_threads(1)
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    config = (
        masked_ppo(name, reward="margin", pay_as_scored=True)
        .env_runners(num_env_runners=runners, num_envs_per_env_runner=16)
        .training(
            train_batch_size=decisions, minibatch_size=min(2048, decisions), num_epochs=3, lr=1e-3, gamma=1.0, lambda_=0.95
        )
        .training(clip_param=0.2, use_kl_loss=False, entropy_coeff=0.01, vf_loss_coeff=0.5, vf_clip_param=100.0, grad_clip=0.5)
        .debugging(seed=0, log_level="ERROR")
    )
    algorithm = config.build_algo()
    start, played = time.monotonic(), 0
    while time.monotonic() - start < 60 * minutes:
        played = int(algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"])
    game = pirate_envs.load(name)
    won = versus(game, Learned(algorithm.get_module(SHARED)), agent(game, "random"), deals).first()["win_share"]
    took, share = (time.monotonic() - start) / 60, f"{won.mean:.1%} [{won.low:.1%}, {won.high:.1%}]"
    print(f"{played:,} decisions in {took:.1f} minutes; against random players {share} of matches won")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
