"""The network of the project's PPO, and which precision its processor computes it in faster."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional

from pirate_envs.agents.learning.settings import PPOSettings
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, UnknownPlayerError
from pirate_envs.core.game import Game

FORBIDDEN = -1e6  # added to the logit of an illegal action: its exponential is nothing; that of -1e8 takes twice as long
TRIAL_SECONDS, TRIALS = 0.3, 20  # of both precisions: updates in each, as many as there is time for, but two at least
TRIAL_ROWS = 2048  # of a larger minibatch; more of them cost as much more in either precision


class Network(nn.Module):
    """A trunk with a logit for each action, and a value from the same trunk or from a second one, the critic.

    The critic may see the other seats' private cards too (`hidden` cells). A row of what is seen holds the observation and
    then those cells, each padded with zeros: rows that straddle cache lines cost half as much again.
    """

    def __init__(self, game: Game, settings: PPOSettings) -> None:
        super().__init__()
        self.hidden = len(game.layout.private) * (game.players - 1) if settings.critic == "all_hands" else 0
        self.own = padded(game.layout.size)
        self.seen = self.own + padded(self.hidden)
        self.trunk = layers(self.own, settings)
        self.logits = nn.Linear(settings.width, game.actions)
        separate = settings.critic == "separate" or self.hidden > 0
        self.critic = layers(self.seen, settings) if separate else None
        self.value = nn.Linear(settings.width, 1)
        self.halved = False
        """Whether the hidden layers compute with bfloat16."""
        self._width = settings.width
        self._padding = self.own - game.layout.size, self.seen - self.own - self.hidden
        for linear in (module for module in self.modules() if isinstance(module, nn.Linear)):
            nn.init.orthogonal_(linear.weight, 0.01 if linear is self.logits else 2**0.5)
            nn.init.zeros_(linear.bias)

    def forward(self, seen: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log probabilities of all actions, (n, actions), and values, (n,)."""
        with torch.autocast(seen.device.type, torch.bfloat16, enabled=self.halved):
            latent = self.trunk(seen[:, : self.own]).float()
            judged = latent if self.critic is None else self.critic(seen).float()
        logits = torch.add(self.logits(latent), (~masks).float(), alpha=FORBIDDEN)  # masked_fill takes three times as long
        return functional.log_softmax(logits, dim=1), self.value(judged).squeeze(1)

    def learned(self) -> int:
        """Parameters but for the weights of the padding, which is always zero: nothing ever moves them."""
        own, hidden = self._padding
        idle = self._width * (own + (0 if self.critic is None else own + hidden))
        return sum(parameter.numel() for parameter in self.parameters()) - idle

    def compute_in(self, precision: str) -> None:
        """Compute the hidden layers in `precision`, and the last ones (in the whole process) as goes with it."""
        self.halved = precision == "bfloat16"
        torch.set_float32_matmul_precision("medium" if self.halved else "highest")


def like(settings: PPOSettings, target: Agent) -> PPOSettings:
    """The same learner with a network such as the target's. Raises UnknownPlayerError if it has none."""
    if not isinstance(target, Policy):
        raise UnknownPlayerError(f"{target.name!r} has no weights to start from; needed: policy:pretrained or policy:FOLDER")
    width, depth = len(target.layers[0][1]), len(target.layers) - 1
    return replace(settings, width=width, layers=depth, activation=target.activation)  # type: ignore[arg-type]


def take_over(network: Network, policy: Policy) -> None:
    """Put a policy's weights into the trunk and the logits; a wider network acts as the policy does until it learns.

    Units that the policy lacks keep their random weights; nothing of them reaches its own units or the logits yet (as in
    Net2Net, Chen et al. 2016, but for what they begin with). Raises CheckpointError if the layers do not fit.
    """
    linear = [module for module in [*network.trunk, network.logits] if isinstance(module, nn.Linear)]
    *widths, out = [module.out_features for module in linear]
    *hidden, actions = [len(bias) for _, bias in policy.layers]
    if len(widths) != len(hidden) or out != actions or any(map(int.__lt__, widths, hidden)):
        raise CheckpointError(f"{policy.name} has layers of {[*hidden, actions]}; needed: at most {[*widths, out]}, as many")
    with torch.no_grad():
        for module, (weights, bias) in zip(linear, policy.layers, strict=True):
            rows, columns = weights.shape
            module.weight[:rows] = 0
            module.weight[:rows, :columns] = torch.from_numpy(weights)
            module.bias[:rows] = torch.from_numpy(bias)


def padded(cells: int) -> int:
    """Cells up to the end of a cache line of float32."""
    return -(-cells // 16) * 16


def layers(inputs: int, settings: PPOSettings) -> nn.Sequential:
    """Hidden layers with their activations."""
    sizes = [inputs, *[settings.width] * settings.layers]
    activation = {"tanh": nn.Tanh, "relu": nn.ReLU}[settings.activation]
    return nn.Sequential(*(module for pair in pairwise(sizes) for module in (nn.Linear(*pair), activation())))


def faster_precision(network: Network, batch: int) -> str:
    """'float32' or 'bfloat16', whichever this processor takes less time for; that it has instructions for one says little."""
    seconds = seconds_of_update(network, batch)
    return min(seconds, key=lambda precision: seconds[precision])


def seconds_of_update(network: Network, batch: int) -> dict[str, float]:
    """Precision -> seconds forward and back through a minibatch, the fastest of some by turns; nothing is learned or drawn."""
    rows = min(batch, TRIAL_ROWS)
    device = network.value.weight.device
    seen = torch.linspace(0, 1, network.seen, device=device).repeat(rows, 1)
    masks = torch.ones((rows, network.logits.out_features), dtype=torch.bool, device=device)
    seconds: dict[str, list[float]] = {"float32": [], "bfloat16": []}
    end = time.perf_counter() + TRIAL_SECONDS
    while (tried := len(seconds["float32"])) < 2 or (tried < TRIALS and time.perf_counter() < end):
        for precision, found in seconds.items():
            network.compute_in(precision)
            start = time.perf_counter()
            chances, values = network(seen, masks)
            (chances.mean() + values.mean()).backward()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            found.append(time.perf_counter() - start)
    network.zero_grad()
    return {precision: min(found) for precision, found in seconds.items()}
