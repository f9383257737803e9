"""PPO by self-play in plain PyTorch, on `pirate_envs.Batch`: ``python examples/ppo_on_batch.py [GAME] [MINUTES]``.

One network sits on every seat of every lane and learns from all their decisions. Two things are particular to a game of
several players and many lanes: illegal actions get no probability (in playing and in learning), and a decision's reward is
what its *own seat* is paid from then until that seat decides again, whoever moves in between.
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

import pirate_envs
from pirate_envs.agents import Agent, Decisions, agent
from pirate_envs.agents.arena import versus

LANES, STEPS, MINIBATCH, EPOCHS, WIDTH = 1024, 64, 4096, 2, 256
LEARNING_RATE, CLIP, GAE_LAMBDA, ENTROPY, VALUE_WEIGHT = 2.5e-3, 0.2, 0.95, 0.01, 0.5
REWARD_SCALE, DEALS = 3.0, 1000


class Network(nn.Module):
    """Observation to action logits and the value of the seat to move."""

    def __init__(self, cells: int, actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(cells, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU())
        self.actor, self.critic = nn.Linear(WIDTH, actions), nn.Linear(WIDTH, 1)
        nn.init.zeros_(self.actor.weight)

    def forward(self, seen: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities of all actions, (n, actions), an illegal one's hopelessly low; values, (n,)."""
        hidden = self.trunk(seen)
        return self.actor(hidden).masked_fill(~masks, -1e9).log_softmax(1), self.critic(hidden)[:, 0]


def play(batch: pirate_envs.Batch, network: Network) -> dict[str, np.ndarray]:
    """STEPS decisions in every lane, row by row; one row more of seats and values, for what comes after."""
    game, n = batch.game, batch.size
    rollout = {
        "seen": np.zeros((STEPS, n, game.layout.size), np.float32),
        "masks": np.zeros((STEPS, n, game.actions), bool),
        "actions": np.zeros((STEPS, n), np.int64),
        "log_probs": np.zeros((STEPS, n), np.float32),
        "rewards": np.zeros((STEPS, n, game.players), np.float32),
        "ended": np.zeros((STEPS, n), bool),
        "seats": np.zeros((STEPS + 1, n), np.int64),
        "values": np.zeros((STEPS + 1, n), np.float32),
    }
    for step in range(STEPS + 1):
        seen, masks = torch.from_numpy(batch.observations), torch.from_numpy(batch.action_masks).bool()
        with torch.no_grad():
            log_probs, values = network(seen, masks)
        rollout["seats"][step], rollout["values"][step] = batch.seats, values.numpy()
        if step == STEPS:
            return rollout
        actions = torch.multinomial(log_probs.exp(), 1)
        rollout["seen"][step], rollout["masks"][step] = batch.observations, masks.numpy()
        rollout["actions"][step] = actions[:, 0].numpy()
        rollout["log_probs"][step] = log_probs.gather(1, actions)[:, 0].numpy()
        batch.step(rollout["actions"][step])
        rollout["rewards"][step], rollout["ended"][step] = batch.rewards * REWARD_SCALE, batch.ended > 0
    return rollout


def advantages(rollout: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantages, (STEPS, lanes), each along its own seat's decisions, and which of them are known.

    Backwards in time, by lane and seat: `paid` since its next decision, that decision's value and advantage. At the end of a
    match nothing follows. A seat's last decision of the rollout has no known outcome, unless the seat is to move after it.
    """
    seats, values, lanes = rollout["seats"], rollout["values"], np.arange(rollout["seats"].shape[1])
    paid, next_value, next_advantage = np.zeros((3, len(lanes), rollout["rewards"].shape[2]), np.float32)
    known = np.zeros(paid.shape, bool)
    known[lanes, seats[STEPS]], next_value[lanes, seats[STEPS]] = True, values[STEPS]
    result, usable = np.zeros((STEPS, len(lanes)), np.float32), np.zeros((STEPS, len(lanes)), bool)
    for step in reversed(range(STEPS)):
        ended = rollout["ended"][step]
        for later in (paid, next_value, next_advantage):
            later[ended] = 0
        known[ended] = True
        paid += rollout["rewards"][step]
        own = lanes, seats[step]
        result[step] = paid[own] + next_value[own] - values[step] + GAE_LAMBDA * next_advantage[own]
        usable[step] = known[own]
        paid[own], next_value[own], next_advantage[own], known[own] = 0, values[step], result[step], True
    return result, usable


def minibatches(rollout: dict[str, np.ndarray]) -> Iterator[tuple[torch.Tensor, ...]]:
    """Shuffled decisions with a known outcome: observations, masks, actions, log-probabilities, advantages, returns."""
    advantage, usable = advantages(rollout)
    parts = [rollout[name] for name in ("seen", "masks", "actions", "log_probs")]
    flat = [torch.from_numpy(part[usable]) for part in (*parts, advantage, advantage + rollout["values"][:STEPS])]
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(flat[0])).split(MINIBATCH):
            yield tuple(part[rows] for part in flat)


def learn(network: Network, optimizer: torch.optim.Optimizer, rollout: dict[str, np.ndarray]) -> None:
    """PPO's clipped update (Schulman et al. 2017)."""
    for seen, masks, actions, old, advantage, returns in minibatches(rollout):
        log_probs, values = network(seen, masks)
        ratio = (log_probs.gather(1, actions[:, None])[:, 0] - old).exp()
        gain = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        surrogate = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        loss = -surrogate - ENTROPY * entropy + VALUE_WEIGHT * (values - returns).square().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()


class Learned(Agent):
    """The network's most probable action, as a player that `arena` knows."""

    name = "learned"

    def __init__(self, network: Network) -> None:
        self.network = network

    def act(self, decisions: Decisions) -> np.ndarray:
        with torch.no_grad():
            seen, masks = torch.from_numpy(decisions.observations), torch.from_numpy(decisions.action_masks)
            return self.network(seen, masks.bool())[0].argmax(1).numpy()


def main(name: str = "skull_king", minutes: float = 3.0) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    batch = pirate_envs.Batch(pirate_envs.load(name, reward="margin", pay_as_scored=True), LANES, seed=0)
    network = Network(batch.game.layout.size, batch.game.actions)
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE, eps=1e-5, fused=True)
    start, decisions = time.monotonic(), 0
    while (gone := (time.monotonic() - start) / (60 * minutes)) < 1:
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - gone)
        learn(network, optimizer, play(batch, network))
        decisions += LANES * STEPS
    won = versus(batch.game, Learned(network), agent(batch.game, "random"), DEALS).first()["win_share"]
    print(f"{decisions:,} decisions; against random players {won.mean:.1%} [{won.low:.1%}, {won.high:.1%}] of matches won")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
