"""PPO on the batch engine: one network for every seat, every learner's decision learned from.

Top to bottom: the rollout, which strings each seat's decisions together; the update of the network (network.py). Proximal
policy optimisation (Schulman et al. 2017) with masked actions, generalised advantages (Schulman et al. 2016), an entropy
bonus and a divergence from the policy that played (magnetic mirror descent, Sokota et al. 2023, without its magnet).

A lane is a match. In a share of the matches learners sit on all seats; in the others one learner meets players of the pool.
What counts as next after a decision is the same seat's next decision: others have moved in between, and what the seat was
paid meanwhile is the decision's reward. The last decision of every seat in a rollout has no next one yet: its value closes
the trajectory for now, and it is learned from in the next rollout.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import torch
from torch import nn

from pirate_envs.agents.learning.network import Network, faster_precision, take_over
from pirate_envs.agents.learning.saved import (
    MOST_DECISIONS,
    demand,
    fitting,
    optimizer_arrays,
    restore_optimizer,
    restore_weights,
    whole,
)
from pirate_envs.agents.learning.settings import PPOSettings
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.options import checked_names
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.player import OutsidePlayer

NONE = -1
HOLD = 10.0  # weight of the entropy for each share of its floor that is missing, up to 1
MOST_SETS = 4096  # of options, of which each match draws one


# -- the rollout -------------------------------------------------------------------------------------------------------


class Rollout:
    """The decisions of `ticks` steps of every lane, strung together by seat.

    Rows are ticks; before them stand `players` rows for decisions of earlier rollouts that still wait for what follows.
    """

    def __init__(self, game: Game, lanes: int, ticks: int, seen: int, *, by_stage: bool) -> None:
        """`seen`: cells of a row of what is seen."""
        self.players, self.by_stage = game.players, by_stage
        self.rows = rows = game.players + ticks
        shape = rows, lanes
        self.seen = np.zeros((*shape, seen), np.float32)
        self.masks = np.zeros((*shape, game.actions), np.bool_)
        self.actions = np.zeros(shape, np.int64)
        self.chosen = np.zeros(shape, np.float32)  # log probability of the action when it was played
        self.values = np.zeros(shape, np.float32)
        self.stages = np.zeros(shape, np.int32)
        self.rewards = np.zeros(shape, np.float32)
        self.following = np.full(shape, NONE, np.int32)  # row of the same seat's next decision
        self.closed = np.zeros(shape, np.bool_)  # nothing later counts for this decision
        self.open = np.full((lanes, game.players), NONE, np.int32)  # row of each seat's decision that waits for what follows
        self._every = np.arange(lanes)

    KEPT = ("seen", "masks", "actions", "chosen", "values", "stages")

    def begin(self) -> None:
        """Move the decisions that still wait into the first rows and forget the rest."""
        for seat in range(self.players):
            lanes = np.flatnonzero(self.open[:, seat] != NONE)
            rows = self.open[lanes, seat]
            for array in (getattr(self, name) for name in self.KEPT):
                array[seat, lanes] = array[rows, lanes]
            self.open[lanes, seat] = seat
        self.following[:] = NONE
        self.closed[:] = False
        self.rewards[:] = 0

    def kept(self) -> dict[str, np.ndarray]:
        """What outlives the rollout: the decisions that still wait, where `begin` puts them."""
        self.begin()
        return {"open": self.open, **{name: getattr(self, name)[: self.players] for name in self.KEPT}}

    def take(self, saved: Mapping[str, np.ndarray]) -> None:
        """Go back to what was kept. Raises CheckpointError; then nothing has changed."""
        own = self.kept()
        kept = {name: fitting(saved, f"rollout.{name}", array) for name, array in own.items()}
        lanes, seats = np.nonzero(kept["open"] != NONE)
        demand("rollout.open", (kept["open"][lanes, seats] == seats).all(), "-1 or the seat, of each seat")
        actions = kept["actions"]
        demand("rollout.actions", ((actions >= 0) & (actions < self.masks.shape[2])).all(), "ids of actions")
        legal = kept["masks"][seats, lanes, actions[seats, lanes]]
        demand("rollout.masks", legal.all(), "masks that allow the action that was played")
        for name, array in own.items():
            array[...] = kept[name]

    def note_waiting(self, row: int, ledger: np.ndarray) -> None:
        """The lanes (dtype LEDGER) wait for decisions that will stand in `row`: note them and what went before."""
        self._close(np.flatnonzero(ledger["ended"]), ledger)
        seats = ledger["seat"].astype(np.int64)
        before = self.open[self._every, seats]
        had = np.flatnonzero(before != NONE)
        rows = before[had]
        self.stages[row] = ledger["stage"]
        self.rewards[rows, had] = ledger["reward"][had]
        self.following[rows, had] = row
        if self.by_stage:
            self.closed[rows, had] = self.stages[rows, had] != self.stages[row, had]
        self.open[self._every, seats] = row

    def _close(self, ended: np.ndarray, ledger: np.ndarray) -> None:
        for seat in range(self.players):
            rows = self.open[ended, seat]
            mine, rows = ended[rows != NONE], rows[rows != NONE]
            self.rewards[rows, mine] = ledger["final"][mine, seat]
            self.closed[rows, mine] = True
            self.open[mine, seat] = NONE

    def learnable(self) -> np.ndarray:
        """Which decisions have all that is needed, bool, shape (rows, lanes)."""
        return self.closed | (self.following != NONE)

    def advantages(self, gamma: float, gae_lambda: float) -> np.ndarray:
        """Generalised advantage estimates, float32, shape (rows, lanes); zero where not learnable."""
        out = np.zeros_like(self.values)
        for row in range(self.rows - 1, -1, -1):
            following = self.following[row]
            goes_on = (following != NONE) & ~self.closed[row]
            next_value = np.where(goes_on, self.values[following, self._every], 0)
            next_advantage = np.where(goes_on, out[following, self._every], 0)
            error = self.rewards[row] + gamma * next_value - self.values[row]
            out[row] = np.where(goes_on | self.closed[row], error + gamma * gae_lambda * next_advantage, 0)
        return out


def flat(array: np.ndarray) -> np.ndarray:
    """Rows and lanes as one axis."""
    return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])


# -- the learner -------------------------------------------------------------------------------------------------------


class Peers:
    """The learners that one learns together with (learning/together.py): here nobody."""

    rank = 0
    """Its number among them."""

    def fewest(self, count: int) -> int:
        """The smallest of everybody's counts."""
        return count

    def average(self, network: nn.Module) -> None:
        """Give everybody the mean of all gradients."""


class PPO:
    """Network, optimiser, lanes and rollout of one run."""

    def __init__(self, game: Game, settings: PPOSettings, peers: Peers | None = None) -> None:
        """`game` pays as the learner is to be paid. Raises OptionError."""
        self.peers = peers or Peers()
        torch.set_num_threads(settings.threads)
        keep_freed_memory()
        self.game, self.settings = game, settings
        self.device = device_of(settings.device)
        torch.manual_seed(settings.seed)
        self.network = Network(game, settings)
        if settings.start is not None:
            take_over(self.network, Policy.load(game, settings.start))
        self.network.to(self.device)
        auto = settings.precision == "auto"
        self._compute_in(faster_precision(self.network, settings.batch) if auto else settings.precision)
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)
        self.generator = torch.Generator(self.device).manual_seed(settings.seed + (self.peers.rank << 32))
        option_sets = option_sets_of(game, settings.vary)
        seed = settings.first_match + (self.peers.rank << 20)  # more than there are lanes
        self.lanes = Lanes(
            game, settings.lanes, seed=seed, self_play=settings.self_play, option_sets=option_sets, threads=settings.threads
        )
        by_stage = settings.credit == "stage" and settings.reward != "win"
        self.rollout = Rollout(game, settings.lanes, settings.steps, self.network.seen, by_stage=by_stage)
        self.decisions = 0
        self._kinds = list(game.action_kinds)
        self._kind_of = np.zeros(game.actions, np.int64)
        for number, ids in enumerate(game.action_kinds.values()):
            self._kind_of[list(ids)] = number
        self._floors = floors_of(game, settings.entropy_floor)
        self.metrics = (
            "decisions", "minutes", "decisions_per_second", "entropy", *(f"entropy_{kind}" for kind in self._kinds),
            "explained_variance", "approx_kl", "clip_fraction", "value_loss", "learning_rate", "matches",
            *(f"seat_{seat}" for seat in range(game.players)),
        )  # fmt: skip

    def meet(self, mix: Mapping[str, float], policies: Mapping[str, OutsidePlayer]) -> None:
        """Play against these shares of players from now on, the game's own or those of `policies`; see `Lanes.meet`."""
        self.lanes.meet(mix, policies)

    @property
    def parameters(self) -> int:
        """Numbers that are learned, those of the critic included."""
        return self.network.learned()

    def _compute_in(self, precision: str) -> None:
        self.precision = precision
        self.network.compute_in(precision)

    def iterate(self, learning_rate: float) -> dict[str, float]:
        """Play one rollout and learn from it; returns what is to be known of it."""
        torch.set_num_threads(self.settings.threads)  # of the whole process: another learner may have set its own
        if not self.lanes.started:
            self.lanes.reset()
        played = self._play()
        learned = self._learn(learning_rate)
        self.decisions += self.settings.lanes * self.settings.steps
        return {**learned, **played, "learning_rate": learning_rate}

    # -- playing -----------------------------------------------------------------------------------------------------

    @torch.inference_mode()
    def _play(self) -> dict[str, float]:
        """Fill the rollout; returns the number of matches that ended, and the share of them won from each seat."""
        rollout, lanes = self.rollout, self.lanes
        wins, matches = np.zeros(self.game.players), 0
        rollout.begin()
        for row in range(self.game.players, rollout.rows):
            rollout.note_waiting(row, lanes.ledger)
            self._look(row)
            self._decide(row)
            lanes.learners_act(rollout.actions[row])
            winners = lanes.ledger["winners"][lanes.ledger["ended"] != 0][:, None] >> np.arange(self.game.players) & 1
            wins += (winners / winners.sum(1, keepdims=True)).sum(0)
            matches += len(winners)
        return {"matches": matches, **{f"seat_{seat}": share for seat, share in enumerate((wins / max(matches, 1)).tolist())}}

    def _look(self, row: int) -> None:
        """Note what the lanes' learners see, and what only the critic may see."""
        self.rollout.seen[row, :, : self.game.layout.size] = self.lanes.observations
        self.rollout.masks[row] = self.lanes.action_masks
        if self.network.hidden:
            self.lanes.write_hidden(self.rollout.seen[row, :, self.network.own : self.network.own + self.network.hidden])

    def _decide(self, row: int) -> None:
        """Draw an action in every lane, and note its log probability and the value."""
        rollout = self.rollout
        masks = self._tensor(rollout.masks[row])
        chances, values = self.network(self._tensor(rollout.seen[row]), masks)
        ladder = chances.softmax(1).double().cumsum(1)  # their exponentials; exp itself is slow where they are nothing
        draws = torch.rand((len(ladder), 1), generator=self.generator, device=self.device, dtype=torch.double)
        actions = torch.searchsorted(ladder, draws * ladder[:, -1:], right=True)[:, 0]
        rollout.actions[row] = actions.cpu().numpy()
        rollout.chosen[row] = chances.gather(1, actions[:, None])[:, 0].cpu().numpy()
        rollout.values[row] = values.cpu().numpy()

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    # -- learning ----------------------------------------------------------------------------------------------------

    def _learn(self, learning_rate: float) -> dict[str, float]:
        """Update the network on every decision of the rollout whose consequences are known."""
        settings, rollout = self.settings, self.rollout
        advantages = rollout.advantages(settings.gamma, settings.gae_lambda)
        returns = rollout.values + advantages
        learnable = rollout.learnable()
        rows = self._tensor(np.flatnonzero(learnable))
        known = [getattr(rollout, name) for name in ("seen", "masks", "actions", "chosen")]
        columns = [self._tensor(flat(array)) for array in (*known, advantages, returns)]
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        bonus = self._entropy_weight(learning_rate)
        averages = Averages(self._kinds)
        parts = self.peers.fewest(max(1, round(len(rows) / settings.batch)) if len(rows) else 0)
        for _ in range(settings.epochs if parts else 0):
            order = rows[torch.randperm(len(rows), generator=self.generator, device=self.device)]
            for part in order.tensor_split(parts):
                self._step(*(column.index_select(0, part) for column in columns), bonus=bonus, averages=averages)
        spread = float(returns[learnable].var()) if len(rows) else 0.0
        explained = 1 - float(advantages[learnable].var()) / spread if spread > 0 else float("nan")
        return {"explained_variance": explained, **averages.means()}

    def _entropy_weight(self, learning_rate: float) -> float:
        """It falls as the learning rate does."""
        start, end = self.settings.entropy, self.settings.entropy_end
        return start if end is None else end + (start - end) * learning_rate / self.settings.learning_rate

    def _step(
        self, seen: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor, before: torch.Tensor, advantages: torch.Tensor,
        returns: torch.Tensor, *, bonus: float, averages: Averages,
    ) -> None:  # fmt: skip
        """One step of the optimiser on a minibatch; `bonus`: the weight of the entropy."""
        settings = self.settings
        chances, values = self.network(seen, masks)
        ratio = chances.gather(1, actions[:, None])[:, 0] - before
        change = ratio.exp()
        scaled = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
        gain = torch.min(change * scaled, change.clamp(1 - settings.clip, 1 + settings.clip) * scaled)
        entropy = -(chances.softmax(1) * chances).sum(1)
        divergence = change - 1 - ratio  # of the policy that played from this one; an estimate without bias (Schulman 2020)
        kinds = self._kind_of[actions.cpu().numpy()]
        bonuses = bonus if self._floors is None else bonus + self._tensor(held_up(self._floors, kinds, entropy))
        value_loss = (values - returns).square().mean()
        loss = (
            settings.value_coefficient * value_loss
            - (gain + bonuses * entropy - settings.kl * divergence).mean()
        )  # fmt: skip
        self.optimizer.zero_grad()
        loss.backward()
        self.peers.average(self.network)
        nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_gradient)
        self.optimizer.step()
        clipped = (change - 1).abs() > settings.clip
        entropy, divergence, clipped = (part.detach().float().cpu() for part in (entropy, divergence, clipped))
        averages.add(kinds, entropy.numpy(), divergence.sum().item(), clipped.sum().item(), value_loss.item())

    # -- state -------------------------------------------------------------------------------------------------------

    def policy(self, *, greedy: bool) -> Policy:
        """A copy of the policy that plays without torch."""
        linear = [module for module in [*self.network.trunk, self.network.logits] if isinstance(module, nn.Linear)]
        parameters = [(module.weight.detach().cpu().numpy(), module.bias.detach().cpu().numpy()) for module in linear]
        parameters[0] = parameters[0][0][:, : self.game.layout.size], parameters[0][1]  # without the padding
        return Policy(self.game, parameters, self.settings.activation, greedy=greedy)

    def arrays(self) -> dict[str, np.ndarray]:
        """All that learning on needs between two iterations: weights, optimiser, lanes, open decisions, generator."""
        arrays = {f"model.{name}": tensor.cpu().numpy() for name, tensor in self.network.state_dict().items()}
        arrays |= optimizer_arrays(self.optimizer)
        arrays |= {f"lanes.{name}": array.view(np.uint8) for name, array in self.lanes.get_state().items()}
        arrays |= {f"rollout.{name}": array for name, array in self.rollout.kept().items()}
        arrays["random.torch"] = self.generator.get_state().numpy()
        return arrays

    def numbers(self) -> dict[str, Any]:
        """The rest of the state, ready for JSON."""
        return {"decisions": self.decisions, "precision": self.precision}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Go back to a saved state, the opponents already set. Raises CheckpointError."""
        try:
            restore_weights(self.network, arrays)
            restore_optimizer(self.optimizer, arrays)
            state = self.lanes.get_state()
            self.lanes.set_state({name: arrays[f"lanes.{name}"].view(array.dtype) for name, array in state.items()})
            self.rollout.take(arrays)
            self.generator.set_state(torch.from_numpy(arrays["random.torch"].copy()))
            if numbers["precision"] not in ("float32", "bfloat16"):
                raise ValueError(f"precision is {shown(numbers['precision'])}; allowed: float32 or bfloat16")
            self._compute_in(numbers["precision"])
            self.decisions = whole("decisions", numbers["decisions"], MOST_DECISIONS)
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError) as error:
            raise CheckpointError(f"the saved state does not fit: {error}") from None


def device_of(name: str) -> torch.device:
    """Where the network is to live. Raises OptionError for a device that is not here, or that holds no numbers."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError) as error:
        said = str(error).splitlines()[0]
        raise OptionError(f"device is {shown(name)}: {said}; allowed: cpu, cuda, or another one that computes here") from None
    return device


def keep_freed_memory() -> None:
    """Keep up to a GiB of what is freed for what is asked for next, where the C library is glibc.

    Every minibatch's matrices would otherwise go back to the system, and page by page be had again: up to a third of the time.
    """
    trim_threshold, mmap_threshold = -1, -3  # of malloc.h
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(trim_threshold, 1 << 30)
        mallopt(mmap_threshold, 1 << 25)  # the largest allowed


def option_sets_of(game: Game, vary: Mapping[str, Sequence[Any]]) -> list[Game]:
    """The game with every combination of the options' values, none without any. Raises OptionError."""
    for name, values in checked_names(vary, ()).items():
        if not isinstance(values, list | tuple) or not values:
            raise OptionError(f"vary has {name}={shown(values)}; needed: a list of values, as [1, 2, 3]")
    if not vary:
        return []
    sets = prod(len(values) for values in vary.values())
    if sets > MOST_SETS:
        raise OptionError(f"vary has {sets} combinations of its values; allowed: up to {MOST_SETS}")
    own = game.options.changed()
    every = [dict(zip(vary, values, strict=True)) for values in product(*vary.values())]
    games = [game.with_options(**(own | changes)) for changes in every]
    if max(each.players for each in games) > game.players:
        raise OptionError(f"vary has up to {max(each.players for each in games)} players; players is {game.players}")
    return games


def floors_of(game: Game, named: Mapping[str, float]) -> np.ndarray | None:
    """The entropy that each kind of action is held to, 0 for none, float64, (kinds,); None if none is. Raises OptionError."""
    for kind in named:
        if kind not in game.action_kinds:
            kinds = ", ".join(repr(each) for each in game.action_kinds)
            raise OptionError(f"entropy_floor names {shown(kind)}; kinds of actions in {game.id}: {kinds}")
    return np.array([named.get(kind, 0.0) for kind in game.action_kinds]) if named else None


def held_up(floors: np.ndarray, kinds: np.ndarray, entropy: torch.Tensor) -> np.ndarray:
    """What is added to each decision's entropy bonus, float32, (n,): the more, the farther its kind's mean is below the floor.

    `kinds`: int64, (n,); `entropy`: of each decision, (n,).
    """
    count = np.bincount(kinds, minlength=len(floors))
    means = np.bincount(kinds, entropy.detach().float().cpu().numpy(), len(floors)) / np.maximum(count, 1)
    missing = np.where(floors > 0, 1 - means / np.maximum(floors, 1e-9), 0)
    return (HOLD * missing).clip(0, 1)[kinds].astype(np.float32)  # type: ignore[no-any-return]


class Averages:
    """What the minibatches of an update showed: means over its decisions, the entropy by kind of action too."""

    def __init__(self, kinds: list[str]) -> None:
        self._kinds = kinds
        self._entropy, self._count = np.zeros(len(kinds)), np.zeros(len(kinds))
        self._sums = np.zeros(3)  # divergence, clipped, value loss

    def add(self, kinds: np.ndarray, entropy: np.ndarray, divergence: float, clipped: float, value_loss: float) -> None:
        """A minibatch: arrays over its decisions, two sums over them, and the mean value loss."""
        self._entropy += np.bincount(kinds, entropy, len(self._kinds))
        self._count += np.bincount(kinds, minlength=len(self._kinds))
        self._sums += divergence, clipped, value_loss * len(kinds)

    def means(self) -> dict[str, float]:
        """By name; not a number where there was nothing to learn from."""
        total = self._count.sum()
        with np.errstate(invalid="ignore"):
            by_kind = self._entropy / self._count
            overall = np.array([self._entropy.sum(), *self._sums]) / total
        means = zip(("entropy", "approx_kl", "clip_fraction", "value_loss"), overall.tolist(), strict=True)
        return {
            **{f"entropy_{kind}": mean for kind, mean in zip(self._kinds, by_kind.tolist(), strict=True)},
            **dict(means),
        }
