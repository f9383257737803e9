"""Policy improvement: a policy's network trained on what guided search made of its decisions, and on how the matches ended.

The target of a decision is the policy's own distribution, tilted towards the candidates that did better in the search's worlds:

    target(a) ~ prior(a) * exp(lead(a) / temperature)

It is the best policy that stays near the prior (Grill et al. 2020). Each lead counts by how sure the search is of it: times the
share of its variance that is not noise. The loss is the divergence from the target to the network, Sum p log(p / target): in it
noise comes in linearly and averages out over positions, while a cross-entropy to targets would learn the exponential of the
noise, which favours whatever is unlikely. The value head goes on from the network's last hidden layer but does not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pirate_envs.agents.learning.searched import SearchedPositions
from pirate_envs.agents.learning.settings import Numbers
from pirate_envs.agents.learning.values import UNITS
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.options import whole_number

PSEUDO_WORLDS = 4  # of the usual spread, that each lead's own spread is mixed with: few worlds may agree by chance
ROWS, AT_ONCE = 2048, 8192  # of a minibatch; that are only looked at
FORBIDDEN = -1e6


# -- targets -----------------------------------------------------------------------------------------------------------


def errors_of(positions: SearchedPositions) -> np.ndarray:
    """Standard errors of the leads, float64, (n, k); 0 for the first candidate and where there was no search."""
    tried = positions.worlds > 0
    tried[:, 0] = False
    squares = positions.spreads.astype(float) ** 2
    usual = squares[tried].mean() if tried.any() else 0.0
    counts = np.maximum(positions.worlds, 1)
    mixed = (squares * counts + PSEUDO_WORLDS * usual) / (counts + PSEUDO_WORLDS)
    return np.where(tried, np.sqrt(mixed / counts), 0.0)


def shrunk(positions: SearchedPositions) -> np.ndarray:
    """The leads, each times the share of its variance that is not noise (empirical Bayes), float64, (n, k)."""
    errors, leads = errors_of(positions), positions.leads.astype(float)
    told = errors > 0
    true = max(float((leads[told] ** 2 - errors[told] ** 2).mean()), 0.0) if told.any() else 0.0
    return np.where(told, leads * true / np.maximum(true + errors**2, 1e-12), 0.0)


def sureness(positions: SearchedPositions) -> np.ndarray:
    """How sure each search was of its choice, float64, (n,), from 0.5 to 1; NaN where there was none.

    Where it chose another action than the policy: the probability that this is better than the policy's; else that the policy's
    is better than the best of the others; by the normal distribution.
    """
    errors, leads = errors_of(positions), positions.leads.astype(float)
    ratios = np.where(errors > 0, leads / np.maximum(errors, 1e-9), -np.inf)
    places = (positions.actions == positions.chosen[:, None]).argmax(axis=1)
    best = np.where(positions.differs, ratios[np.arange(len(positions)), places], -ratios.max(axis=1))
    sure = np.array([NormalDist().cdf(min(9.0, each)) for each in best])
    return np.where((errors > 0).any(axis=1), np.maximum(sure, 0.5), np.nan)


def log_targets(positions: SearchedPositions, log_priors: np.ndarray, temperature: float) -> np.ndarray:
    """Logarithms of the improved distributions, float32, (n, actions), FORBIDDEN where illegal; `log_priors`: the policy's."""
    tilted = np.maximum(log_priors.astype(np.float32), FORBIDDEN)
    rows, places = np.nonzero(positions.worlds > 0)
    tilted[rows, positions.actions[rows, places]] += (shrunk(positions)[rows, places] / temperature).astype(np.float32)
    tilted -= tilted.max(axis=1, keepdims=True)
    tilted -= np.log(np.exp(tilted).sum(axis=1, keepdims=True))
    return np.maximum(tilted, FORBIDDEN)


def gain_by_worlds(positions: SearchedPositions, log_chances: np.ndarray, log_priors: np.ndarray) -> np.ndarray:
    """What a policy's drawn actions bring above the first one's, by the worlds of searches, float64, (n,).

    `log_chances`: of the new policy, `log_priors`: of the old, float, (n, actions). Where the new one was not trained on
    these positions the mean says, without bias, how much better a decision of it is in units of the reward.
    """
    both = (np.exp(np.take_along_axis(logs, positions.actions, axis=1)) for logs in (log_chances, log_priors))
    new, old = both
    return ((new - old) * np.where(positions.worlds > 0, positions.leads, 0)).sum(axis=1)


# -- can it be foretold? -----------------------------------------------------------------------------------------------

FORETOLD_UNITS, FORETOLD_PASSES, FORETOLD_ROWS = 256, 8, 256


@dataclass(frozen=True)
class Predictability:
    """How much of the leads, weighted by how little noise is in them, what a seat sees says."""

    known: float
    """The share of their variance, of the positions that were learned from."""
    held_out: float
    """Of the others, after the pass that says most of them; below 0: less than their mean says."""
    at_most: float
    """The share that is not noise: whoever foretells more has learned the noise."""


def foretold(known: SearchedPositions, held_out: SearchedPositions, seed: int = 0) -> Predictability:
    """Teach a network with two hidden layers the leads themselves, so that no policy's habits stand in its way."""
    torch.manual_seed(seed)
    sees, actions = known.observations.shape[1], known.action_masks.shape[1]
    widths = [sees, FORETOLD_UNITS, FORETOLD_UNITS]
    hidden = [[nn.Linear(*pair), nn.ReLU(), nn.Dropout(0.3)] for pair in pairwise(widths)]
    network = nn.Sequential(*(module for block in hidden for module in block), nn.Linear(FORETOLD_UNITS, actions))
    learned, watched = LeadsByAction.of(known), LeadsByAction.of(held_out)
    optimizer = torch.optim.AdamW(network.parameters())
    told = []
    for _ in range(FORETOLD_PASSES):
        network.train()
        for rows in torch.randperm(len(known)).split(FORETOLD_ROWS):
            loss = learned.missed(network, rows).sum() / len(rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        network.eval()
        told.append((learned.explained(network), watched.explained(network)))
    best = max(told, key=lambda each: each[1])
    return Predictability(*best, at_most=watched.at_most)


@dataclass(frozen=True)
class LeadsByAction:
    """The leads of positions, by action, (n, actions), as tensors."""

    observations: torch.Tensor
    leads: torch.Tensor
    weights: torch.Tensor
    """Of each lead: 1 / (the true variance and its own noise's), as in `shrunk`, the mean 1; 0 where there is none."""
    at_most: float
    """The share of their weighted variance that is not noise."""

    @classmethod
    def of(cls, positions: SearchedPositions) -> LeadsByAction:
        noise, leads = errors_of(positions) ** 2, positions.leads.astype(float)
        told = noise > 0
        true = max(float((leads[told] ** 2 - noise[told]).mean()), 1e-12) if told.any() else 1.0
        weights = np.where(told, 1 / (true + noise), 0.0)
        weights /= max(weights[told].mean() if told.any() else 0.0, 1e-12)
        spread = np.zeros((2, *positions.action_masks.shape), np.float32)
        for values, where in ((leads, spread[0]), (weights, spread[1])):
            np.put_along_axis(where, positions.actions, np.where(told, values, 0).astype(np.float32), axis=1)
        variance = float((weights * (leads - _mean(leads, weights)) ** 2).sum())
        clean = 1 - float((weights * noise).sum()) / variance if variance > 0 else 0.0
        return cls(
            torch.from_numpy(positions.observations), torch.from_numpy(spread[0]), torch.from_numpy(spread[1]), max(clean, 0.0)
        )

    def missed(self, network: nn.Module, rows: torch.Tensor) -> torch.Tensor:
        """Squares of what the network misses, weighted, by row and action."""
        return self.weights[rows] * (network(self.observations[rows].float()) - self.leads[rows]).square()

    @torch.inference_mode()
    def explained(self, network: nn.Module) -> float:
        """The share of the leads' weighted variance that the network foretells."""
        parts = torch.arange(len(self.leads)).split(AT_ONCE)
        missed = sum(float(self.missed(network, rows).sum()) for rows in parts)
        leads, weights = self.leads.double().numpy(), self.weights.double().numpy()
        return 1 - missed / max(float((weights * (leads - _mean(leads, weights)) ** 2).sum()), 1e-12)


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    return float((weights * values).sum() / max(weights.sum(), 1e-12))


# -- training ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Improvement:
    """How a network is trained on targets."""

    temperature: float = 0.02
    """of the targets, in units of the reward: a lead of so much makes an action e times as likely"""
    learning_rate: float = 1e-3
    """at the start of a straight line to nothing"""
    epochs: int = 6
    """passes over the positions"""
    seed: int = 0
    """of the order of positions, and of a value head that is new"""

    def check(self) -> None:
        """Raises OptionError for values that make no sense."""
        whole_number("epochs", self.epochs, 1, 1000)
        for name in ("temperature", "learning_rate"):
            number, allowed = getattr(self, name), Numbers(0, 1000, above=True)
            if not allowed.take(number):
                raise OptionError(f"{name} is {shown(number)}; allowed: {allowed}")


class ImprovedNetwork(nn.Module):
    """A policy's layers and its value head, or a new one, as torch has them."""

    def __init__(self, policy: Policy, spread: float) -> None:
        """`spread`: of the margins."""
        super().__init__()
        self.layers = nn.ModuleList(_linear(layer) for layer in policy.layers)
        sizes = [policy.known, UNITS, 2]
        fresh = [nn.Linear(*pair) for pair in pairwise(sizes)]
        self.head = nn.ModuleList(_linear(layer) for layer in policy.value) if policy.value else nn.ModuleList(fresh)
        self.scale = torch.tensor([1.0, spread])
        self.unscaled = not policy.value
        self.activation = torch.relu if policy.activation == "relu" else torch.tanh

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log probabilities of the actions, (n, actions); the win's logit and the margin, by its spread, (n, 2)."""
        x = observations
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        logits = self.layers[-1](x).masked_fill(~masks, FORBIDDEN)
        value = torch.cat([x.detach(), observations], dim=1)
        for layer in self.head[:-1]:
            value = self.activation(layer(value))
        value = self.head[-1](value)
        return functional.log_softmax(logits, dim=1), value if self.unscaled else value / self.scale

    def improved(self, policy: Policy) -> Policy:
        """The policy with these layers and this value head; its belief head is as it was."""
        value = [_numbers(layer) for layer in self.head]
        if self.unscaled:
            scale = self.scale.numpy()
            value[-1] = (value[-1][0] * scale[:, None], value[-1][1] * scale)
        layers = [_numbers(layer) for layer in self.layers]
        return Policy(
            policy.game, layers, policy.activation, greedy=policy.greedy, name=policy.name, settings=policy.settings,
            value=value, belief=policy.belief,
        )  # fmt: skip


def _linear(layer: tuple[np.ndarray, np.ndarray]) -> nn.Linear:
    weights, bias = layer
    made = nn.Linear(weights.shape[1], weights.shape[0])
    with torch.no_grad():
        made.weight.copy_(torch.from_numpy(weights))
        made.bias.copy_(torch.from_numpy(bias))
    return made


def _numbers(layer: nn.Module) -> tuple[np.ndarray, np.ndarray]:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()  # type: ignore[union-attr, operator]


@dataclass(frozen=True)
class Losses:
    """What a network makes of held-out positions."""

    policy: float
    """Divergence from the targets to the network."""
    win: float
    """Of the win, by the value head: logarithmic."""
    gain: float
    """What its actions bring above the start's, by the searches' worlds, in units of the reward."""


class Batches:
    """Positions with their targets, as tensors."""

    def __init__(self, positions: SearchedPositions, wanted: np.ndarray, spread: float) -> None:
        """`wanted`: logarithms of targets; `spread`: of the margins."""
        self.observations, self.masks = torch.from_numpy(positions.observations), torch.from_numpy(positions.action_masks)
        self.wanted = torch.from_numpy(wanted)
        self.wins, self.margins = torch.from_numpy(positions.wins), torch.from_numpy(positions.margins / spread)

    def losses(self, network: ImprovedNetwork, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Divergence from the targets to the network, loss of the win and of the margin: of each row."""
        logs, value = network(self.observations[rows].float(), self.masks[rows])
        divergence = (logs.exp() * (logs - self.wanted[rows])).sum(dim=1)
        win = functional.binary_cross_entropy_with_logits(value[:, 0], self.wins[rows], reduction="none")
        return divergence, win, (value[:, 1] - self.margins[rows]).square()


def fit(
    policy: Policy,
    known: SearchedPositions,
    held_out: SearchedPositions,
    how: Improvement,
    told: Callable[[int, Losses], None] = lambda epoch, losses: None,
) -> Policy:
    """The policy trained on known positions, as it was after the pass with the smallest loss on the held-out ones.

    `told` hears of the start (0) and of each pass.
    """
    torch.manual_seed(how.seed)
    spread = float(known.margins.std()) or 1.0
    network = ImprovedNetwork(policy, spread)
    learned, watched = (_batches(policy, each, how, spread) for each in (known, held_out))
    optimizer = torch.optim.Adam(network.parameters())
    steps = how.epochs * -(-len(known) // ROWS)
    done, best = 0, _losses(network, watched, policy, held_out)
    told(0, best)
    improved = network.improved(policy)
    for epoch in range(1, how.epochs + 1):
        for rows in torch.randperm(len(known)).split(ROWS):
            for group in optimizer.param_groups:
                group["lr"] = how.learning_rate * (1 - done / steps)
            divergence, win, margin = learned.losses(network, rows)
            loss = (divergence + win + margin).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += 1
        now = _losses(network, watched, policy, held_out)
        told(epoch, now)
        if now.policy < best.policy:
            best, improved = now, network.improved(policy)
    return improved


def _batches(policy: Policy, positions: SearchedPositions, how: Improvement, spread: float) -> Batches:
    return Batches(positions, log_targets(positions, log_priors_of(policy, positions), how.temperature), spread)


def log_priors_of(policy: Policy, positions: SearchedPositions) -> np.ndarray:
    """Logarithm of each action's probability by a policy, float32, (n, actions); -inf where it is illegal."""
    seen, masks = positions.observations, positions.action_masks
    parts = np.array_split(np.arange(len(positions)), -(-len(positions) // AT_ONCE))
    return np.concatenate([policy.log_priors(seen[part].astype(np.float32), masks[part]) for part in parts])


@torch.inference_mode()
def _losses(network: ImprovedNetwork, watched: Batches, policy: Policy, positions: SearchedPositions) -> Losses:
    found = [watched.losses(network, rows) for rows in torch.arange(len(positions)).split(AT_ONCE)]
    divergence, win, _ = (torch.cat(parts) for parts in zip(*found, strict=True))
    new, old = (log_priors_of(each, positions) for each in (network.improved(policy), policy))
    gain = gain_by_worlds(positions, new, old).mean()
    return Losses(float(divergence.mean()), float(win.mean()), float(gain))
