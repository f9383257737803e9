"""TorchRL's EnvBase over the engine: all lanes of a batch in one tensordict, every seat's decisions in it.

>>> import pirate_envs
>>> env = pirate_envs.make_torchrl("skull_king", lanes=4)
>>> env.rollout(3)["next", "reward"].shape
torch.Size([4, 3, 4])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from pirate_envs.core.errors import BatchError
from pirate_envs.core.game import Game
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rng import seed_words
from pirate_envs.engine.batch import Batch
from pirate_envs.games import as_game

FLAGS = ("done", "terminated", "truncated")
RESETS_APART = 40  # bits between the match seeds of one reset and those of the next


def make_torchrl(game: str | Game, /, lanes: int = 1024, seed: int = 0, *, threads: int = 1, **options: Any) -> BatchEnv:
    """A batched TorchRL environment of a game: by name, or made by `load`, which keeps what `options` do not change.

    Raises UnknownGameError, OptionError or BatchError.
    """
    return BatchEnv(as_game(game, **options), lanes, seed, threads=threads)


class BatchEnv(EnvBase):
    """`lanes` matches in lockstep; a step is one decision in every lane, of whichever seat is to move there.

    Keys, each with the batch size (lanes,): "observation" float32 (lanes, layout size) and "action_mask" bool (lanes, actions)
    of the seat to move, "seat" int64 (lanes,), who that is; "action" int64 (lanes,). ("next", "reward") is float32
    (lanes, players): what the step paid to *every* seat of the lane, not to the mover alone; `seat_advantages` brings each
    decision what its own seat is paid up to that seat's next decision. Of "done", "terminated" and "truncated", bool
    (lanes, 1), the last means that a match was cut off by the bound on its length.

    A lane whose match ends deals its next one by itself, so that "next" then shows the first decision of that one: nothing
    may be carried over from it. A reset of such lanes gives the same; only all lanes together can be dealt anew before.
    Tensors handed out are never written again. `rand_action` draws among the legal actions by the lanes' own generators; the
    action's spec alone knows no mask.
    """

    def __init__(self, game: Game, lanes: int = 1024, seed: int = 0, *, threads: int = 1) -> None:
        """Lane i starts with match seed `seed + i`. Raises BatchError or OptionError."""
        batch = Batch(game, lanes, seed, threads=threads)
        super().__init__(device=torch.device("cpu"), batch_size=torch.Size([batch.size]))
        self.game, self.batch = game, batch
        self._first_seed, self._resets = int(seed), 0
        self._make_specs(batch.size)

    def _make_specs(self, lanes: int) -> None:
        layout, actions = self.game.layout, self.game.actions
        low, high = (torch.from_numpy(bound.copy()).expand(lanes, -1) for bound in (layout.low, layout.high))
        self.observation_spec = Composite(
            observation=Bounded(low, high, shape=(lanes, layout.size), dtype=torch.float32),
            action_mask=Binary(actions, shape=(lanes, actions), dtype=torch.bool),
            seat=Categorical(self.game.players, shape=(lanes,)),
            shape=(lanes,),
        )
        self.action_spec = Categorical(actions, shape=(lanes,))
        self.reward_spec = Unbounded(shape=(lanes, self.game.players), dtype=torch.float32)
        self.done_spec = Composite({name: Categorical(2, shape=(lanes, 1), dtype=torch.bool) for name in FLAGS}, shape=(lanes,))

    # -- playing -----------------------------------------------------------------------------------------------------

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Raises IllegalActionError or BatchError; then nothing has moved."""
        batch = self.batch
        batch.step(tensordict["action"].numpy(), fresh=True)
        reward = torch.from_numpy(batch.rewards.astype(np.float32))
        finished, truncated = (torch.from_numpy((batch.ended == how)[:, None]) for how in (FINISHED, TRUNCATED))
        return self._shown(reward=reward, done=finished | truncated, terminated=finished, truncated=truncated)

    def _shown(self, **entries: torch.Tensor) -> TensorDict:
        """These entries and what the seats to move see, as tensors over the batch's arrays."""
        entries["observation"] = torch.from_numpy(self.batch.observations)
        entries["action_mask"] = torch.from_numpy(self.batch.action_masks.view(np.bool_))
        entries["seat"] = torch.from_numpy(self.batch.seats.copy())
        return TensorDict(entries, batch_size=self.batch_size, device=self.device)

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDict:
        """Raises BatchError if some lanes are asked for whose matches run on."""
        asked = None if tensordict is None else tensordict.get("_reset", None)
        running = self.batch.ended == 0
        if asked is None or (running & asked[:, 0].numpy()).any():
            if asked is not None and not asked.all():
                raise BatchError("a reset of some lanes whose matches run on; allowed: lanes whose match has ended, or all")
            self.batch.reset((self._first_seed + (self._resets << RESETS_APART)) % 2**64, fresh=True)
            self._resets += 1
        return self._shown(**self._no_flags())

    def _no_flags(self) -> dict[str, torch.Tensor]:
        return {name: torch.zeros((self.batch.size, 1), dtype=torch.bool) for name in FLAGS}

    def maybe_reset(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Put the flags back, no more: lanes whose match has ended show their next one already."""
        return tensordict.update(self._no_flags())

    def _set_seed(self, seed: int | None) -> None:
        """The next reset deals lane i the match of `seed + i`; None: of 0 + i. Raises OptionError; then nothing has changed."""
        number = 0 if seed is None else seed
        seed_words(number)
        self._first_seed, self._resets = int(number), 0

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """A uniformly drawn legal action in every lane."""
        action = torch.from_numpy(self.batch.random_actions().copy())
        if tensordict is None:
            return TensorDict({"action": action}, batch_size=self.batch_size, device=self.device)
        return tensordict.set("action", action)


# -- whose reward --------------------------------------------------------------------------------------------------------


def seat_advantages(
    rollout: TensorDictBase, critic: Callable[[TensorDictBase], TensorDictBase], gamma: float = 1.0, gae_lambda: float = 0.95
) -> TensorDictBase:
    """Generalised advantages of a rollout of BatchEnv, batch size (lanes, steps), each along its own seat's decisions.

    A decision's reward is what its own seat is paid from then until that seat decides again or the match ends, whoever moves
    in between. `critic` writes "state_value" (lanes, steps, 1) for the seat to move. Adds "advantage" and "value_target"
    (lanes, steps, 1), where TorchRL's losses look for them, and "known" (lanes, steps), bool: a seat's last decision of the
    rollout has no known outcome, unless the seat is to move right after it. Schulman et al. 2016.
    """
    lanes, steps = rollout.batch_size
    with torch.no_grad():
        values = critic(rollout)["state_value"][..., 0]
        value_after = critic(rollout["next"][:, -1].clone(recurse=False))["state_value"][:, 0]
    seats, rewards, ended = rollout["seat"], rollout["next", "reward"], rollout["next", "done"]
    paid, next_value, next_advantage = (torch.zeros(lanes, rewards.shape[-1]) for _ in range(3))
    known = torch.zeros(paid.shape, dtype=torch.bool)
    advantage, usable = torch.zeros(lanes, steps), torch.zeros(lanes, steps, dtype=torch.bool)
    mover = torch.arange(lanes), rollout["next", "seat"][:, -1]
    known[mover], next_value[mover] = True, value_after
    for step in reversed(range(steps)):
        for later in (paid, next_value, next_advantage):
            later.masked_fill_(ended[:, step], 0)
        known |= ended[:, step]
        paid += rewards[:, step]
        mover = mover[0], seats[:, step]
        error = paid[mover] + gamma * next_value[mover] - values[:, step]
        advantage[:, step] = error + gamma * gae_lambda * next_advantage[mover]
        usable[:, step] = known[mover]
        paid[mover], next_value[mover], next_advantage[mover], known[mover] = 0, values[:, step], advantage[:, step], True
    added = {"advantage": advantage[..., None], "value_target": (advantage + values)[..., None], "known": usable}
    return rollout.update(added)
