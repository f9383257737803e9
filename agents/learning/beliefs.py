"""Belief heads: how much likelier is a world than a uniformly drawn one, learned by telling true worlds from imagined ones.

At decisions of matches among greedy copies of the policy, at tables of every size, the head is shown what the mover sees
together with the others' private cells: once as they are, once as one imagined world has them. A classifier of the two, fitted
by cross-entropy, gives as its logit the logarithm of the density ratio (Sugiyama, Suzuki and Kanamori 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pirate_envs.agents.beliefs import others_cells
from pirate_envs.agents.learning.values import A_MATCH, AT_ONCE, all_tables, going_on
from pirate_envs.agents.policy import Layers, Policy
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game
from pirate_envs.engine import probes
from pirate_envs.search.worlds import Worlds, look_as

UNITS = (128, 32)  # of the head's hidden layers
EPOCHS, ROWS, RATE = 4, 1024, 2e-3


@dataclass(frozen=True)
class WorldPairs:
    """Decisions of n movers, each with the true world and an imagined one."""

    roots: np.ndarray
    """Redacted records, (n,)."""
    observations: np.ndarray
    """Of the movers, float32, (n, layout size)."""
    true: np.ndarray
    """The others' private cells, float16, (n, Policy.guessed)."""
    imagined: np.ndarray
    """The same of one imagined world, float16."""
    records: np.ndarray
    """The true positions, (n,)."""
    matches: np.ndarray
    """The match's number, int64, (n,)."""

    def __len__(self) -> int:
        return len(self.matches)

    def taken(self, rows: np.ndarray | slice) -> WorldPairs:
        """These of them."""
        return WorldPairs(*(getattr(self, each.name)[rows] for each in fields(self)))


def joined(parts: Sequence[WorldPairs]) -> WorldPairs:
    """All of them, one after the other."""
    return WorldPairs(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(WorldPairs)))


def world_pairs(policy: Policy, game: Game, count: int, seed: int) -> WorldPairs:
    """Of matches of the policy's greedy copies. Raises OptionError for a game in which nothing is hidden in hands."""
    if not len(game.layout.private):
        raise OptionError(f"{game.id} has no private cells: there is nothing to believe")
    found: list[WorldPairs] = []
    have, matches = 0, 0
    share = 0.02  # of the decisions at which one is noted
    while have < count:
        new, decisions = _played(policy, game, matches, share, seed)
        share = min(1.0, A_MATCH * AT_ONCE / decisions)
        found.append(new)
        have, matches = have + len(new), matches + AT_ONCE
    return joined(found).taken(slice(count))


def world_pairs_of_all_tables(policy: Policy, game: Game, count: int, seed: int) -> WorldPairs:
    """Half of them at a table of the game's size, the others evenly at tables of all other sizes that the game is for.

    Raises OptionError for a game in which nothing is hidden in hands.
    """
    return joined([world_pairs(policy, each, share, seed) for each, share in all_tables(game, count)])


def _played(policy: Policy, game: Game, first: int, share: float, seed: int) -> tuple[WorldPairs, int]:
    chance = np.random.default_rng((seed, first))
    records = np.array([game.new(int(number)) for number in chance.integers(0, 1 << 62, AT_ONCE)], game.state)
    found, decisions = [], 0
    for rows in going_on(policy.drawing(greedy=True), game, records):
        decisions += len(rows)
        chosen = rows[chance.random(len(rows)) < share]
        if len(chosen):
            found.append(_pair(policy, game, records[chosen], chosen + first, chance))
    every = joined(found)
    return every.taken(chance.permutation(len(every))), decisions  # in any order: the first of them are a fair sample


def _pair(policy: Policy, game: Game, records: np.ndarray, matches: np.ndarray, chance: np.random.Generator) -> WorldPairs:
    seats = records["to_move"].astype(np.int64)
    observations = np.zeros((len(records), game.layout.size), np.float32)
    look_as(records, np.arange(len(records)), seats, observations)
    roots = records.copy()
    probes.redact_rows(roots, seats)
    worlds = Worlds(game, roots, np.ones(len(roots), np.int64))
    worlds.draw(chance.integers(0, 1 << 32, len(roots)), np.zeros(len(roots), np.int64))
    opened = records.copy()
    for g in opened:  # sealed choices are made anew in imagined worlds, so they tell nothing in the true one either
        game.verbs["reopen"](g)
    true, imagined = (others_cells(game, each, seats, policy.guessed).astype(np.float16) for each in (opened, worlds.records))
    return WorldPairs(roots, observations, true, imagined, records, matches)


def fit(policy: Policy, known: WorldPairs, seed: int) -> Layers:
    """A belief head (agents/policy.py) fitted to these pairs."""
    torch.manual_seed(seed)
    seen, true, imagined = (torch.from_numpy(array) for array in (known.observations, known.true, known.imagined))
    activation = nn.ReLU if policy.activation == "relu" else nn.Tanh
    sizes = [policy.game.layout.size + policy.guessed, *UNITS]
    linear = [nn.Linear(size, units) for size, units in zip(sizes, [*UNITS, 1], strict=True)]
    head = nn.Sequential(linear[0], activation(), linear[1], activation(), linear[2])
    optimizer = torch.optim.Adam(head.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, EPOCHS * -(-len(known) // ROWS))
    for _ in range(EPOCHS):
        for part in torch.randperm(len(known)).split(ROWS):
            both = [torch.cat([seen[part], cells[part].float()], dim=1) for cells in (true, imagined)]
            logits = head(torch.cat(both))[:, 0]
            labels = torch.cat([torch.ones(len(part)), torch.zeros(len(part))])
            loss = functional.binary_cross_entropy_with_logits(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in linear]
