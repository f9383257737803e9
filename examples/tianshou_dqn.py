"""DQN by self-play with Tianshou's buffer and algorithm: ``python examples/tianshou_dqn.py [GAME] [MINUTES]``.

One network decides for every seat of every lane. Each seat of each lane has a part of the buffer of its own, so that what
follows a decision there is that seat's next decision. Tianshou's DQN keeps to masks, in playing as in its targets, wherever
an observation brings one.
"""

import sys
import time

import numpy as np
import torch
from gymnasium.spaces import Discrete
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, VectorReplayBuffer
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

import pirate_envs
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import versus
from pirate_envs.core.game import Game
from pirate_envs.doors.transitions import SeatTransitions, Transitions

LANES, KEPT, BATCH, UPDATES = 32, 100_000, 256, 2
EXPLORE_FROM, EXPLORE_TO, REWARD_SCALE = 0.5, 0.05, 10.0


def dqn(game: Game) -> DQN:
    """Double DQN with a target network; without discount and longer returns its values run away upwards."""
    net = Net(
        state_shape=(game.layout.size,), action_shape=game.actions, hidden_sizes=(256, 256), norm_layer=torch.nn.LayerNorm
    )
    policy = DiscreteQLearningPolicy(model=net, action_space=Discrete(game.actions))
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=5e-4), gamma=0.95, n_step_return_horizon=3, target_update_freq=100)


class Learned(Agent):
    """The legal action of the highest value, as a player that `arena` knows."""

    name = "learned"

    def __init__(self, algorithm: DQN) -> None:
        self.policy = algorithm.policy

    def act(self, decisions: Decisions) -> np.ndarray:
        with torch.no_grad():
            return self.policy(seen(decisions.observations, decisions.action_masks)).act


def seen(observations: np.ndarray, action_masks: np.ndarray) -> Batch:
    """As a policy of Tianshou takes it."""
    return Batch(obs=Batch(obs=observations, mask=action_masks.astype(bool)), info=Batch())


def keep(buffer: VectorReplayBuffer, made: Transitions, players: int) -> None:
    """Put transitions where their seats' are."""
    batch = Batch(
        obs=Batch(obs=made.observations, mask=made.action_masks.astype(bool)),
        act=made.actions,
        rew=REWARD_SCALE * made.rewards,
        terminated=made.ended,
        truncated=np.zeros(len(made.ended), bool),
        obs_next=Batch(obs=made.next_observations, mask=made.next_action_masks.astype(bool)),
        info=Batch(),
    )
    buffer.add(batch, buffer_ids=made.lanes * players + made.seats)


def main(name: str = "skull_king", minutes: float = 3.0, deals: int = 1000) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (Tianshou draws from it)
    game = pirate_envs.load(name, reward="margin", pay_as_scored=True)
    played, algorithm = SeatTransitions(pirate_envs.Batch(game, LANES, seed=0)), dqn(game)
    policy, batch, buffer = algorithm.policy, played.batch, VectorReplayBuffer(KEPT, LANES * game.players)
    start, decisions = time.monotonic(), 0
    while (gone := (time.monotonic() - start) / (60 * minutes)) < 1:
        policy.set_eps_training(EXPLORE_FROM + (EXPLORE_TO - EXPLORE_FROM) * min(1, 2 * gone))
        with policy_within_training_step(policy):
            shown = seen(batch.observations, batch.action_masks)
            with torch.no_grad():
                actions = policy.add_exploration_noise(policy(shown).act, shown)
            if len((made := played.step(actions)).actions):
                keep(buffer, made, game.players)
            decisions += LANES
            for _ in range(UPDATES if len(buffer) > 4 * BATCH else 0):
                algorithm.update(buffer, BATCH)
    won = versus(game, Learned(algorithm), agent(game, "random"), deals).first()["win_share"]
    print(f"{decisions:,} decisions; against random players {won.mean:.1%} [{won.low:.1%}, {won.high:.1%}] of matches won")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
