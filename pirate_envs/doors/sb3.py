"""Stable-Baselines3's VecEnv over the engine: one learner seat a lane, the other seats played inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvObs, VecEnvStepReturn

from pirate_envs.core.errors import BatchError, UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.core.record import TRUNCATED
from pirate_envs.core.rng import seed_words
from pirate_envs.engine.lanes import Lanes, OutsidePlayer, inside_names, mix_thresholds, reseat_all
from pirate_envs.games import load

Mix = Mapping[str, float] | str


def make_sb3(
    game: str,
    lanes: int = 1024,
    opponents: Mix = "random",
    seed: int = 0,
    policies: Mapping[str, OutsidePlayer] | None = None,
    **options: Any,
) -> PirateVecEnv:
    """A VecEnv of `lanes` matches of the named game.

    `opponents` is a name or {name: weight}: 'random', 'rules:NAME', 'rules:strongest', or a key of `policies`. Each
    lane draws its learner's seat and the other seats' players anew for every match. Raises UnknownGameError, OptionError,
    UnknownPlayerError or BatchError.
    """
    return PirateVecEnv(load(game, **options), lanes, opponents, seed, policies)


class PirateVecEnv(VecEnv):
    """`num_envs` matches in lockstep, waiting for their learners.

    Observations are float32 (num_envs, layout size) and belong to the caller. A reward is all that the learner's seat was
    paid from its move up to its next one or the end of the match. A lane whose match ends shows the next match at once;
    its info then holds `terminal_observation`, `TimeLimit.truncated`, `episode` (r, l) and `points`.
    """

    render_mode = None

    def __init__(
        self,
        game: Game,
        lanes: int = 1024,
        opponents: Mix = "random",
        seed: int = 0,
        policies: Mapping[str, OutsidePlayer] | None = None,
    ) -> None:
        seed_words(seed)
        self.game = game
        self.lanes = Lanes(game, lanes)
        self._names = inside_names(game)
        self._thresholds = mix_thresholds(self._names, {"random": 1})
        self._seed, self._resets, self._started = int(seed), 0, False
        self._pending: np.ndarray | None = None
        low, high = game.layout.low, game.layout.high
        super().__init__(lanes, spaces.Box(low, high, dtype=np.float32), spaces.Discrete(game.actions))
        self._no_infos: list[dict[str, Any]] = [{} for _ in range(lanes)]
        self.set_opponents(opponents, policies)

    # -- opponents -----------------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Mix, policies: Mapping[str, OutsidePlayer] | None = None) -> None:
        """Use this mix from now on. In a running match an opponent whose name is still there plays on (with its new
        policy, if that has changed); one whose name is gone is replaced by a draw from the mix.

        Raises UnknownPlayerError or OptionError; then nothing has changed.
        """
        policies = dict(policies or {})
        inside = inside_names(self.game)
        taken = [name for name in policies if name in inside]
        if taken:
            raise UnknownPlayerError(f"a policy cannot be called {taken[0]!r}: that is a player of the game itself")
        names = [*inside, *policies]
        thresholds = mix_thresholds(names, {opponents: 1.0} if isinstance(opponents, str) else opponents)
        renumbered = np.array([names.index(name) if name in names else -1 for name in self._names], np.int64)
        if self._started:
            reseat_all(self.lanes.records, self.lanes.lanes, renumbered, thresholds)
        self._names, self._thresholds = names, thresholds
        self.lanes.outside = list(policies.values())

    @property
    def opponents(self) -> dict[str, float]:
        """The mix in force: name -> share."""
        shares = np.diff(self._thresholds, prepend=0) / self._thresholds[-1]
        return {name: float(share) for name, share in zip(self._names, shares, strict=True) if share > 0}

    # -- playing -------------------------------------------------------------------------------------------------------

    def reset(self) -> VecEnvObs:
        """Deal every lane anew: lane i from match seed `seed + i` (the constructor's seed, or `VecEnv.seed`'s).

        Each further reset deals from other seeds.
        """
        if self._seeds[0] is not None:
            self._seed, self._resets = int(self._seeds[0]), 0
        self.lanes.start((self._seed + (self._resets << 40)) % 2**64, self._thresholds)
        self._resets += 1
        self._started = True
        self._reset_seeds()
        self._reset_options()
        self.lanes.settle(self._thresholds, again=True)
        return self.lanes.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._pending = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Raises IllegalActionError or BatchError for bad actions; then nothing has moved."""
        if not self._started:
            raise BatchError("step before reset")
        self.lanes.learners_act(self._pending, self._thresholds)
        lanes = self.lanes.lanes
        infos = self._no_infos.copy()
        ended = lanes["ended"] != 0
        for i in np.flatnonzero(ended).tolist():
            infos[i] = self._final_info(i)
        return self.lanes.observations.copy(), lanes["reward"].astype(np.float32), ended, infos

    def _final_info(self, i: int) -> dict[str, Any]:
        lane = self.lanes.lanes[i]
        return {
            "terminal_observation": self.lanes.last_observations[i].copy(),
            "TimeLimit.truncated": bool(lane.ended == TRUNCATED),
            "episode": {"r": float(lane.match_reward), "l": int(lane.match_moves)},
            "points": lane.points[: self.game.players].tolist(),
        }

    def action_masks(self) -> np.ndarray:
        """Legal actions of every lane's learner, bool, shape (num_envs, actions); a copy."""
        return self.lanes.action_masks.copy()

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, np.ndarray]:
        """A snapshot for `set_state`, all arrays; the opponents' policies are not in it."""
        return {
            "records": self.lanes.records.copy(),
            "lanes": self.lanes.lanes.copy(),
            "seed": np.array([*seed_words(self._seed), self._resets, self._started], np.int64),
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Go back to a snapshot, taken with the same game, lanes and names of opponents in the same order.

        Returns the observations. Raises BatchError if the snapshot is of another kind.
        """
        for name, mine in (("records", self.lanes.records), ("lanes", self.lanes.lanes)):
            theirs = state[name]
            if theirs.dtype != mine.dtype or theirs.shape != mine.shape:
                raise BatchError(f"the snapshot's {name} are {theirs.shape} or another game's; needed: {mine.shape}")
        roles = state["lanes"]["roles"][:, : self.game.players]
        if roles.max() >= len(self._names):
            raise BatchError(f"the snapshot seats opponent number {roles.max()}; there are: {', '.join(self._names)}")
        self.lanes.records[:] = state["records"]
        self.lanes.lanes[:] = state["lanes"]
        low, high, self._resets, started = (int(number) for number in state["seed"])
        self._seed, self._started = low | high << 32, bool(started)
        self.lanes.settle(self._thresholds, again=True)
        return self.lanes.observations.copy()

    # -- the rest of VecEnv's contract -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Nothing to free."""

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of the whole environment, once for each lane asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set it for the whole environment. Raises AttributeError if only some lanes are meant."""
        if indices is not None and len(list(self._get_indices(indices))) != self.num_envs:
            raise AttributeError(f"{attr_name!r} belongs to all lanes together and cannot be set for some")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any) -> list[Any]:
        """Call the method once. `action_masks` gives each lane its row, any other method the same answer."""
        answer = getattr(self, method_name)(*method_args, **method_kwargs)
        if method_name == "action_masks":
            return list(answer) if indices is None else [answer[i] for i in self._get_indices(indices)]
        return [answer for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]
