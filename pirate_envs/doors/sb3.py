"""Stable-Baselines3's VecEnv over the engine: one learner's seat a lane, the other seats played by named opponents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvObs, VecEnvStepReturn

from pirate_envs.core.game import Game
from pirate_envs.core.record import TRUNCATED
from pirate_envs.doors.gym import check_no_options
from pirate_envs.doors.learners import LearnerLanes
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.player import OutsidePlayer
from pirate_envs.engine.seating import Mix
from pirate_envs.games import load


def make_sb3(
    game: str,
    /,
    lanes: int = 1024,
    opponents: Mix = "random",
    seed: int = 0,
    policies: Mapping[str, OutsidePlayer] | None = None,
    *,
    threads: int = 1,
    **options: Any,
) -> PirateVecEnv:
    """A VecEnv of `lanes` matches of the named game.

    `opponents` is a name or {name: weight}: any name that `agents.agent` knows, as 'random' or 'policy:pretrained', or a key
    of `policies`. Each lane draws its learner's seat and the other seats' players anew for every match. `threads`: cores
    that share the lanes; the bytes are the same. Raises UnknownGameError, OptionError, UnknownPlayerError, CheckpointError
    or BatchError.
    """
    return PirateVecEnv(load(game, **options), lanes, opponents, seed, policies, threads=threads)


class PirateVecEnv(LearnerLanes, VecEnv):
    """`num_envs` matches in lockstep, waiting for their learners.

    Observations are float32 (num_envs, layout size) and belong to the caller. A reward is all that the learner's seat was
    paid up to its next move or the end of the match, since its last one or the deal. A lane whose match ends shows the next
    match at once; its info then holds `terminal_observation`, `TimeLimit.truncated`, `episode` (r, l), `points`, and
    `missed_matches` and `missed_reward` if matches were passed over because they ended before the learner's first decision.
    """

    render_mode = None

    def __init__(
        self,
        game: Game,
        lanes: int = 1024,
        opponents: Mix = "random",
        seed: int = 0,
        policies: Mapping[str, OutsidePlayer] | None = None,
        *,
        threads: int = 1,
    ) -> None:
        self._open(game, Lanes(game, lanes, seed=seed, threads=threads), opponents, policies)
        self._pending: np.ndarray | None = None
        low, high = game.layout.low, game.layout.high
        super().__init__(lanes, spaces.Box(low, high, dtype=np.float32), spaces.Discrete(game.actions))

    # -- playing -------------------------------------------------------------------------------------------------------

    def reset(self) -> VecEnvObs:
        """Deal every lane anew: lane i from match seed `seed + i` (the constructor's seed, or `VecEnv.seed`'s).

        Each further reset deals from other seeds.
        """
        self.lanes.reset(self._seeds[0])
        self._reset_seeds()
        return self.lanes.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._pending = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Raises IllegalActionError or BatchError for bad actions; then nothing has moved."""
        self.lanes.learners_act(self._pending)
        ledger = self.lanes.ledger
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = ledger["ended"] != 0
        for i in np.flatnonzero(ended).tolist():
            infos[i] = self._final_info(i)
        return self.lanes.observations.copy(), ledger["reward"].astype(np.float32), ended, infos

    def _final_info(self, i: int) -> dict[str, Any]:
        lane = self.lanes.ledger[i]
        missed = {"missed_matches": int(lane.missed), "missed_reward": float(lane.missed_reward)} if lane.missed else {}
        return {
            "terminal_observation": self.lanes.final_observations[i].copy(),
            "TimeLimit.truncated": bool(lane.ended == TRUNCATED),
            "episode": {"r": float(lane.match_reward), "l": int(lane.match_moves)},
            "points": lane.points[: self.game.players].tolist(),
            **missed,
        }

    def action_masks(self) -> np.ndarray:
        """Legal actions of every lane's learner, bool, shape (num_envs, actions); a copy."""
        return self.lanes.action_masks.copy()

    # -- the rest of VecEnv's contract -----------------------------------------------------------------------------------

    def close(self) -> None:
        """Nothing to free."""

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Rules are fixed when the environment is made. Raises OptionError for any options."""
        for each in options if isinstance(options, list) else [options]:
            check_no_options(each)

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of the whole environment, once for each lane asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._lanes(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set it for the whole environment. Raises AttributeError if only some lanes are meant."""
        if len(set(self._lanes(indices))) != self.num_envs:
            raise AttributeError(f"{attr_name!r} belongs to all lanes together and cannot be set for some")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any) -> list[Any]:
        """Call the method once. `action_masks` gives each lane its row, any other method the same answer."""
        answer = getattr(self, method_name)(*method_args, **method_kwargs)
        if method_name == "action_masks":
            return [answer[i] for i in self._lanes(indices)]
        return [answer for _ in self._lanes(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        return [False for _ in self._lanes(indices)]

    def _lanes(self, indices: VecEnvIndices) -> list[int]:
        """Numbers of the lanes meant. Raises IndexError for one that is not there."""
        lanes = list(self._get_indices(indices))
        for lane in lanes:
            if not -self.num_envs <= lane < self.num_envs:
                raise IndexError(f"lane {lane}; allowed: 0 to {self.num_envs - 1}")
        return [lane % self.num_envs for lane in lanes]
