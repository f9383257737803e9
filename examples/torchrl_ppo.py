"""PPO by self-play with TorchRL's collector and loss: ``python examples/torchrl_ppo.py [GAME] [MINUTES]``.

One network sits on every seat of every lane and learns from all their decisions. `seat_advantages` gives each decision what
its own seat is paid up to that seat's next decision; TorchRL's GAE would take the next seat's decision for its future.
"""

import sys
import time

import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import ActorValueOperator, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

import pirate_envs
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import versus
from pirate_envs.core.game import Game
from pirate_envs.doors.torchrl import seat_advantages

STEPS, MINIBATCH, EPOCHS, WIDTH, LEARNING_RATE = 64, 4096, 2, 256, 2e-3


def networks(game: Game) -> ActorValueOperator:
    """A trunk, from which the actor writes "action" (legal ones only) and the critic "state_value"."""
    trunk = nn.Sequential(nn.Linear(game.layout.size, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU())
    logits = nn.Linear(WIDTH, game.actions)
    nn.init.zeros_(logits.weight)
    actor = ProbabilisticActor(
        TensorDictModule(logits, ["hidden"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        distribution_kwargs={"neg_inf": -1e9},
        return_log_prob=True,
    )
    critic = ValueOperator(nn.Linear(WIDTH, 1), in_keys=["hidden"])
    return ActorValueOperator(TensorDictModule(trunk, ["observation"], ["hidden"]), actor, critic)


class Learned(Agent):
    """The actor's most probable action, as a player that `arena` knows."""

    name = "learned"

    def __init__(self, operator: ActorValueOperator) -> None:
        self.operator = operator

    def act(self, decisions: Decisions) -> np.ndarray:
        trunk, actor = self.operator.module[0], self.operator.module[1]
        with torch.no_grad():
            logits = actor[0].module(trunk.module(torch.from_numpy(decisions.observations)))
        return logits.masked_fill(torch.from_numpy(decisions.action_masks) == 0, -1e9).argmax(1).numpy()


def main(name: str = "skull_king", minutes: float = 3.0, lanes: int = 1024, deals: int = 1000) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    env = pirate_envs.make_torchrl(name, lanes, reward="margin", pay_as_scored=True)
    operator = networks(env.game)
    actor, critic = operator.get_policy_operator(), operator.get_value_operator()
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5, loss_critic_type="l2", normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), LEARNING_RATE, eps=1e-5)
    start, decisions = time.monotonic(), 0
    frames = {"frames_per_batch": lanes * STEPS, "total_frames": -1}
    for rollout in Collector(env, actor, auto_register_policy_transforms=False, **frames):
        seat_advantages(rollout, critic)
        known = rollout[rollout["known"]].exclude("next", "hidden", "logits")
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(known)).split(MINIBATCH):
                losses = loss(known[rows])
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        decisions += rollout.numel()
        if time.monotonic() - start > 60 * minutes:
            break
    won = versus(env.game, Learned(operator), agent(env.game, "random"), deals).first()["win_share"]
    print(f"{decisions:,} decisions; against random players {won.mean:.1%} [{won.low:.1%}, {won.high:.1%}] of matches won")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
