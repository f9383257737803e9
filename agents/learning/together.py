"""Learners that learn together on a Ray cluster: synchronous data-parallel PPO. Needs the extra `ray`.

Each learner is a process with lanes of its own. All begin with the same weights, and at every minibatch all step by the mean
of their gradients (gloo's all-reduce), so that their weights stay the same to the bit: n learners are one with n times the
lanes and n times the minibatch. What they draw and are dealt depends on the seed and on their number alone. Opponents travel
through the object store, each policy once. When one dies, all are given up: `Training` goes back to its last checkpoint.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
import socket
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import distributed, nn

from pirate_envs.agents.arena.ray_cluster import connect, first_sentence
from pirate_envs.agents.learning.learner import LearnerLostError
from pirate_envs.agents.learning.ppo import PPO, Peers
from pirate_envs.agents.learning.saved import MOST_DECISIONS, whole
from pirate_envs.agents.learning.settings import PPOSettings
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, ClusterError
from pirate_envs.core.game import Game
from pirate_envs.engine.player import OutsidePlayer

OWN = ("lanes.", "rollout.", "random.")  # arrays that each learner has for itself
START = 600.0  # seconds in which all learners must have a core and be made
SILENCE = 1800.0  # seconds after which a learner that waits for another gives up
Sent = Mapping[str, tuple[str, list[Any]]]
"""Opponents by name: the hash of their weights, and where they lie in the object store."""


class Group(Peers):
    """The learners of a run, by torch's process group."""

    def __init__(self, rank: int, size: int, address: str) -> None:
        self.rank, self._size = rank, size
        patience = datetime.timedelta(seconds=SILENCE)
        distributed.init_process_group("gloo", f"tcp://{address}", patience, size, rank)

    def fewest(self, count: int) -> int:
        fewest = torch.tensor(count)
        distributed.all_reduce(fewest, distributed.ReduceOp.MIN)
        return int(fewest)

    def average(self, network: nn.Module) -> None:
        gradients = [each.grad for each in network.parameters() if each.grad is not None]
        joined = torch.cat([gradient.reshape(-1) for gradient in gradients]).cpu()
        distributed.all_reduce(joined)
        joined /= self._size
        for gradient, mean in zip(gradients, joined.split([each.numel() for each in gradients]), strict=True):
            gradient.copy_(mean.view_as(gradient))


class Member:
    """One learner, in a process of its own."""

    def __init__(self, rank: int, size: int, game: Game, scale: float) -> None:
        """`scale` of the rewards, which a game that is sent does not keep."""
        self._rank, self._size, self._game = rank, size, dataclasses.replace(game, scale=scale)
        self._policies: dict[str, Policy] = {}

    def meeting_point(self) -> str:
        """Where the others find this one: HOST:PORT."""
        host = connect().util.get_node_ip_address()
        with socket.socket() as free:
            free.bind(("", 0))
            return f"{host}:{free.getsockname()[1]}"

    def begin(self, settings: PPOSettings, address: str) -> tuple[str, int, tuple[str, ...]]:
        """Make the learner; returns its precision, number of parameters and metrics."""
        peers = Group(self._rank, self._size, address) if self._size > 1 else Peers()
        self._ppo = PPO(self._game, settings, peers)
        return self._ppo.precision, self._ppo.parameters, self._ppo.metrics

    def precision_of(self, settings: PPOSettings) -> str:
        """What is faster on this machine, or what the settings say."""
        return PPO(self._game, settings).precision if settings.precision == "auto" else settings.precision

    def ready(self) -> int:
        """The process's number: it lives."""
        return os.getpid()

    def meet(self, mix: Mapping[str, float], sent: Sent) -> None:
        """Play against these from now on; a policy that is here already is not fetched."""
        kept = {key: self._policies[key] if key in self._policies else connect().get(place[0]) for key, place in sent.values()}
        self._policies = kept
        self._ppo.meet(mix, {name: kept[key] for name, (key, _) in sent.items()})

    def iterate(self, learning_rate: float) -> dict[str, float]:
        return self._ppo.iterate(learning_rate)

    def policy(self, greedy: bool) -> Policy:
        return self._ppo.policy(greedy=greedy)

    def arrays(self, own: bool) -> dict[str, np.ndarray]:
        """Its state; `own`: only what the others have otherwise."""
        return {name: array for name, array in self._ppo.arrays().items() if not own or name.startswith(OWN)}

    def restore(self, common: Mapping[str, np.ndarray], own: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        self._ppo.restore({**common, **own}, numbers)


class Together:
    """Learners on a Ray cluster as one (learning/learner.py, `Learner`)."""

    def __init__(self, game: Game, settings: PPOSettings) -> None:
        """Raises MissingExtraError, OptionError, or ClusterError if the cluster cannot be had or is too small."""
        self._ray = ray = connect(settings.address)
        size = settings.learners
        cores = int(ray.cluster_resources().get("CPU", 0))
        if size > cores:
            raise ClusterError(f"learners is {size}; this Ray cluster has {cores} cores, and each learner needs one")
        kind = ray.remote(num_cpus=1, max_restarts=0)(Member)
        self._members = [kind.remote(rank, size, game, game.scale) for rank in range(size)]
        self._settings, self.decisions = settings, 0
        self._sent: dict[str, list[Any]] = {}
        self._get([member.ready.remote() for member in self._members], START)
        first = self._members[0]
        # Which precision is faster is found by timing: once, so that all compute alike.
        precision, address = self._get([first.precision_of.remote(settings), first.meeting_point.remote()])
        alike = dataclasses.replace(settings, precision=precision)
        begun = self._get([member.begin.remote(alike, address) for member in self._members])
        self.precision, self.parameters, self.metrics = begun[0]

    def _get(self, wanted: list[Any], patience: float | None = None) -> list[Any]:
        """What the members answer. Raises LearnerLostError, ClusterError if there is no room for them, or what they raise."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(wanted, timeout=patience)  # type: ignore[no-any-return]
        except errors.GetTimeoutError:
            self._give_up()
            raise ClusterError(f"{len(self._members)} learners have found no free cores in {patience:.0f} s") from None
        except errors.RayTaskError as error:
            if all(self._lives(member) for member in self._members):
                self._give_up()
                raise error.cause from None
            raise self._lost(error) from None
        except errors.RayError as error:
            raise self._lost(error) from None

    def _lost(self, error: BaseException) -> LearnerLostError:
        self._give_up()
        return LearnerLostError(f"a learner's process has died ({first_sentence(error)[:100]})")

    def _lives(self, member: Any) -> bool:
        try:
            return bool(self._ray.get(member.ready.remote(), timeout=30))
        except self._ray.exceptions.RayError:
            return False

    def _give_up(self) -> None:
        for member in self._members:
            self._ray.kill(member)

    def __del__(self) -> None:
        if getattr(self, "_ray", None) is not None and self._ray.is_initialized():
            self._give_up()

    # -- a learner -----------------------------------------------------------------------------------------------------

    def iterate(self, learning_rate: float) -> dict[str, float]:
        """One rollout and its update, of each; means of what is to be known, but of the matches their number."""
        seen = self._get([member.iterate.remote(learning_rate) for member in self._members])
        self.decisions += len(self._members) * self._settings.lanes * self._settings.steps
        means = {name: float(np.mean([each[name] for each in seen])) for name in seen[0]}
        return {**means, "matches": sum(each["matches"] for each in seen)}

    def meet(self, mix: Mapping[str, float], policies: Mapping[str, OutsidePlayer]) -> None:
        """Play against these shares of players from now on, the game's own or those of `policies`."""
        keys = {name: policy.learned for name, policy in policies.items()}  # type: ignore[attr-defined]
        self._sent = {
            key: self._sent[key] if key in self._sent else [self._ray.put(policies[name])] for name, key in keys.items()
        }
        sent = {name: (key, self._sent[key]) for name, key in keys.items()}
        self._get([member.meet.remote(mix, sent) for member in self._members])

    def policy(self, *, greedy: bool) -> Policy:
        """A copy of the policy that plays without torch."""
        return self._get([self._members[0].policy.remote(greedy)])[0]  # type: ignore[no-any-return]

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays that learning on needs: those of one learner, and what the others have of their own."""
        first, *others = self._get([member.arrays.remote(rank > 0) for rank, member in enumerate(self._members)])
        peers = {f"peer{rank}.{name}": array for rank, own in enumerate(others, 1) for name, array in own.items()}
        return {**{name: np.array(array) for name, array in first.items()}, **peers}

    def numbers(self) -> dict[str, Any]:
        """The rest of the state, ready for JSON."""
        return {"decisions": self.decisions, "precision": self.precision}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Go back to a saved state, the opponents already set. Raises CheckpointError."""
        self.decisions = whole("decisions", numbers["decisions"], MOST_DECISIONS)
        common = self._ray.put({name: array for name, array in arrays.items() if not name.startswith("peer")})
        peers = range(len(self._members))
        own = [_beginning(arrays, f"peer{rank}.") for rank in peers]
        if not all(own[1:]) or any(name.startswith(f"peer{len(own)}.") for name in arrays):
            raise CheckpointError(f"the saved state is not that of {len(own)} learners")
        self._get([each.restore.remote(common, mine, numbers) for each, mine in zip(self._members, own, strict=True)])
        self.precision = numbers["precision"]


def _beginning(arrays: Mapping[str, np.ndarray], start: str) -> dict[str, np.ndarray]:
    """Those whose names begin so, without that."""
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
