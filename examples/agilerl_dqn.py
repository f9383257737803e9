"""DQN by self-play with AgileRL's agent and buffer: ``python examples/agilerl_dqn.py [GAME] [MINUTES]``.

One agent decides for every seat of every lane. AgileRL's `get_action` keeps to the masks it is given, but its targets (as of
2.58.0) take the best of all actions at the next decision, legal or not: so learned, it played worse than random. The update
below differs in that one mask.
"""

import sys
import time

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from gymnasium.spaces import Box, Discrete
from tensordict import TensorDict

import pirate_envs
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import versus
from pirate_envs.core.game import Game
from pirate_envs.doors.transitions import SeatTransitions, Transitions

LANES, KEPT, BATCH, UPDATES = 32, 100_000, 256, 2
EXPLORE_FROM, EXPLORE_TO = 0.5, 0.05


class MaskedDQN(DQN):
    """Double DQN whose targets keep to the action masks."""

    def learn(self, experiences: TensorDict) -> float:
        after, goes_on = experiences["next_obs"], 1 - experiences["done"]
        with torch.no_grad():
            best = self.actor(after).masked_fill(experiences["next_action_mask"] == 0, -torch.inf).argmax(1, keepdim=True)
            target = experiences["reward"] + self.gamma * goes_on * self.actor_target(after).gather(1, best)
        loss = self.criterion(self.actor(experiences["obs"]).gather(1, experiences["action"]), target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.soft_update()
        return loss.item()


def dqn(game: Game) -> MaskedDQN:
    """With a target network that follows slowly."""
    seen = Box(game.layout.low, game.layout.high, dtype=np.float32)
    network = {"latent_dim": 128, "encoder_config": {"hidden_size": [256]}, "head_config": {"hidden_size": [256]}}
    return MaskedDQN(
        seen, Discrete(game.actions), net_config=network, batch_size=BATCH, lr=5e-4, gamma=1.0, tau=5e-3, double=True
    )


class Learned(Agent):
    """The legal action of the highest value, as a player that `arena` knows."""

    name = "learned"

    def __init__(self, learner: DQN) -> None:
        self.learner = learner

    def act(self, decisions: Decisions) -> np.ndarray:
        return self.learner.get_action(decisions.observations, epsilon=0.0, action_mask=decisions.action_masks.astype(np.int8))


def keep(buffer: ReplayBuffer, made: Transitions) -> None:
    """Put transitions into the buffer, named as AgileRL names them."""
    entries = {
        "obs": made.observations,
        "action": made.actions,
        "reward": made.rewards,
        "next_obs": made.next_observations,
        "next_action_mask": made.next_action_masks,
        "done": made.ended.astype(np.float32),
    }
    tensors = {name: torch.from_numpy(array) for name, array in entries.items()}
    buffer.add(TensorDict(tensors, batch_size=[len(made.actions)]))


def main(name: str = "skull_king", minutes: float = 3.0, deals: int = 1000) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    game = pirate_envs.load(name, reward="margin", pay_as_scored=True)
    played, learner, buffer = SeatTransitions(pirate_envs.Batch(game, LANES, seed=0)), dqn(game), ReplayBuffer(KEPT)
    start, decisions = time.monotonic(), 0
    while (gone := (time.monotonic() - start) / (60 * minutes)) < 1:
        epsilon = EXPLORE_FROM + (EXPLORE_TO - EXPLORE_FROM) * min(1, 2 * gone)
        batch = played.batch
        made = played.step(learner.get_action(batch.observations, epsilon=epsilon, action_mask=batch.action_masks))
        if len(made.actions):
            keep(buffer, made)
        decisions += LANES
        for _ in range(UPDATES if len(buffer) > 4 * BATCH else 0):
            learner.learn(buffer.sample(BATCH))
    learner.set_training_mode(False)
    won = versus(game, Learned(learner), agent(game, "random"), deals).first()["win_share"]
    print(f"{decisions:,} decisions; against random players {won.mean:.1%} [{won.low:.1%}, {won.high:.1%}] of matches won")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
