"""Value heads: what a position is worth to a seat among copies of a policy, learned from how their matches ended.

The policy stays as it is. The head is fitted to matches of greedy copies at
tables of all sizes: at moments drawn by chance a seat drawn by chance, to move or not, notes what it sees, and later the share
of the win and the margin that it came to. A head says more than it knows of matches that it has learned by heart, so it is
calibrated on others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pirate_envs.agents.player import Decisions
from pirate_envs.agents.policy import Layers, Policy
from pirate_envs.core.bits import padded_bytes, words_for
from pirate_envs.core.game import Game
from pirate_envs.search.tree import TO_MATCH_END
from pirate_envs.search.worlds import apply_all, look_as, look_at, score_all

AT_ONCE = 2048  # matches
UNITS = 64  # of the head's hidden layer
EPOCHS, ROWS, RATE = 12, 4096, 2e-3
A_MATCH = 16.0  # positions noted, on average
NEWTON_STEPS, SURE = 20, 1e-7  # of the calibration; and the least chance that it tells from none


@dataclass(frozen=True)
class JudgedPositions:
    """JudgedPositions of n seats, and how their matches ended for them."""

    observations: np.ndarray
    """float32, (n, layout size)."""
    wins: np.ndarray
    """Share of the win, float32, (n,)."""
    margins: np.ndarray
    """Own points less the mean of the others', float32, (n,)."""
    matches: np.ndarray
    """The match's number, int64, (n,)."""

    def __len__(self) -> int:
        return len(self.wins)

    def taken(self, rows: np.ndarray | slice) -> JudgedPositions:
        """These of them."""
        return JudgedPositions(*(getattr(self, each.name)[rows] for each in fields(self)))


def positions(policy: Policy, game: Game, count: int, seed: int) -> JudgedPositions:
    """Of matches of the policy's greedy copies in this game, which may have other options than the policy's."""
    found: list[JudgedPositions] = []
    have, matches = 0, 0
    share = 0.02  # of the decisions at which one is noted
    while have < count:
        new, decisions = _played(policy, game, matches, share, seed)
        share = min(1.0, A_MATCH * AT_ONCE / decisions)
        found.append(new)
        have, matches = have + len(new), matches + AT_ONCE
    return _joined(found).taken(slice(count))


def positions_of_all_tables(policy: Policy, game: Game, count: int, seed: int) -> JudgedPositions:
    """Half of them at a table of the game's size, the others evenly at tables of all other sizes that the game is for."""
    return _joined([positions(policy, each, share, seed) for each, share in all_tables(game, count)])


def all_tables(game: Game, count: int) -> list[tuple[Game, int]]:
    """How many of `count` positions to take at the game's table, half of them, and how many at each other size of it."""
    others = [at_size(game, players) for players in game.sizes if players != game.players]
    share = count // 2 // max(1, len(others))
    return [*((each, share) for each in others), (game, count - share * len(others))]


def at_size(game: Game, players: int) -> Game:
    """The same game with so many seats."""
    return game.with_options(**{**asdict(game.options), "players": players})


def _joined(parts: Sequence[JudgedPositions]) -> JudgedPositions:
    arrays = [np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(JudgedPositions)]
    return JudgedPositions(*arrays)


def _played(policy: Policy, game: Game, first: int, share: float, seed: int) -> tuple[JudgedPositions, int]:
    """What AT_ONCE matches, numbered from `first` on, show at a share of their decisions; and how many decisions they had."""
    chance = np.random.default_rng((seed, first))
    records = np.array([game.new(int(number)) for number in chance.integers(0, 1 << 62, AT_ONCE)], game.state)
    rows, seen, noted, decisions = np.arange(AT_ONCE), [], [], 0
    for rows in going_on(policy.drawing(greedy=True), game, records):
        decisions += len(rows)
        chosen = rows[chance.random(len(rows)) < share]
        seats = chance.integers(0, game.players, len(chosen))
        observations = np.zeros((len(chosen), game.layout.size), np.float32)
        look_as(records, chosen, seats, observations)
        seen.append(observations)
        noted.append(np.stack([chosen, seats], axis=1))
    points, winners = np.zeros((AT_ONCE, game.players), np.int64), np.zeros(AT_ONCE, np.int64)
    score_all(records, points, winners)
    won = (winners[:, None] >> np.arange(game.players) & 1).astype(np.float32)
    won /= won.sum(axis=1, keepdims=True)
    margins = points - (points.sum(axis=1, keepdims=True) - points) / (game.players - 1)
    lanes, seats = np.concatenate(noted).T
    ends = won[lanes, seats], margins[lanes, seats].astype(np.float32)
    every = JudgedPositions(np.concatenate(seen), *ends, lanes + first)
    return every.taken(chance.permutation(len(every))), decisions  # in any order: the first of them are a fair sample


def going_on(
    policy: Policy, game: Game, records: np.ndarray, chance: np.random.Generator | None = None
) -> Iterator[np.ndarray]:
    """Play the matches on by this policy to their ends; before each round of decisions the rows (int64) that still go on.

    `chance`: of its draws, if it is not greedy.
    """
    size = len(records)
    words = np.zeros(words_for(game.actions), np.uint64)
    masks = np.zeros((size, padded_bytes(game.actions)), np.int8)
    observations = np.zeros((size, game.layout.size), np.float32)
    rows, goes_on, stages = np.flatnonzero(records["over"] == 0), np.zeros(size, np.bool_), np.zeros(size, np.int64)
    while len(rows):
        yield rows
        count = len(rows)
        look_at(records, rows, words, masks.view(np.uint64), observations)
        legal = masks[:count, : game.actions].view(np.bool_)
        chances = np.zeros(count) if chance is None else chance.random(count)
        actions = policy.act(Decisions(observations[:count], legal, chances, None))
        apply_all(records, rows, actions.astype(np.int64), stages, TO_MATCH_END, goes_on)
        rows = rows[goes_on[:count]]


def fit(policy: Policy, known: JudgedPositions, seed: int) -> Layers:
    """A value head (agents/policy.py) fitted to these positions: cross-entropy of the win, squared error of the margin."""
    torch.manual_seed(seed)
    inputs = torch.from_numpy(np.concatenate([policy.know(part) for part in np.array_split(known.observations, 64)]))
    spread = float(known.margins.std()) or 1.0
    wins, margins = torch.from_numpy(known.wins), torch.from_numpy(known.margins / spread)
    activation = nn.ReLU() if policy.activation == "relu" else nn.Tanh()
    first, last = nn.Linear(policy.known, UNITS), nn.Linear(UNITS, 2)
    head = nn.Sequential(first, activation, last)
    optimizer = torch.optim.Adam(head.parameters())
    steps = EPOCHS * -(-len(known) // ROWS)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(known)).split(ROWS):
            logits, ahead = head(inputs[part]).unbind(1)
            loss = functional.binary_cross_entropy_with_logits(logits, wins[part]) + functional.mse_loss(ahead, margins[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    scale = torch.tensor([1.0, spread])
    layers = (first.weight, first.bias), (last.weight * scale[:, None], last.bias * scale)
    return [(weights.detach().numpy(), bias.detach().numpy()) for weights, bias in layers]


def calibrated(policy: Policy, known: JudgedPositions) -> Layers:
    """The policy's value head with the win's logit stretched and shifted as fits these positions best (Platt 1999).

    `known`: positions that the head was not fitted to. What it says of the margin stays. Raises CheckpointError without a head.
    """
    shares = np.concatenate([policy.values(part)[:, 0] for part in np.array_split(known.observations, 64)]).astype(float)
    shares = shares.clip(SURE, 1 - SURE)
    stretch, shift = platt(np.log(shares / (1 - shares)), known.wins.astype(float))
    *before, (weights, bias) = policy.value
    by = np.array([stretch, 1.0], np.float32)
    return [*before, (weights * by[:, None], bias * by + np.array([shift, 0.0], np.float32))]


def platt(logits: np.ndarray, came: np.ndarray) -> tuple[float, float]:
    """What to multiply logits by and what to add, so that they foretell best what came, from 0 to 1; float64, (n,) each."""
    rows, found = np.stack([logits, np.ones_like(logits)], axis=1), np.zeros(2)
    for _ in range(NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-rows @ found))
        curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows
        found -= np.linalg.lstsq(curvature, rows.T @ (chances - came), rcond=None)[0]
    return float(found[0]), float(found[1])
