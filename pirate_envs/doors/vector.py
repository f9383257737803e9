"""Gymnasium's VectorEnv over the engine: a learner's seat a lane, no Python call a lane.

>>> import gymnasium, pirate_envs
>>> envs = gymnasium.make_vec("pirates/SkullKing-v0", num_envs=1024, opponents={"random": 1, "rules:strongest": 3})
>>> observations, infos = envs.reset(seed=7)
>>> actions = infos["action_mask"].argmax(axis=1)  # or yours
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pirate_envs.core.errors import BatchError
from pirate_envs.core.game import Game
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.doors.gym import checked_reset, seat_spaces
from pirate_envs.doors.learners import LearnerLanes
from pirate_envs.doors.rendering import RENDER_MODES, checked_render_mode, rendered
from pirate_envs.engine.checks import checked_size
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.memory import room_for
from pirate_envs.engine.player import OutsidePlayer
from pirate_envs.engine.seating import Mix
from pirate_envs.games import load

Infos = dict[str, Any]
"""For each name the values of all lanes, and by the name with a `_` before it which lanes have one, bool, (num_envs,)."""


def make_vector(
    game: str,
    /,
    num_envs: int = 1,
    *,
    opponents: Mix = "random",
    policies: Mapping[str, OutsidePlayer] | None = None,
    render_mode: str | None = None,
    threads: int = 1,
    **options: Any,
) -> PirateVectorEnv:
    """What `gymnasium.make_vec` makes: see `PirateVectorEnv`. `options` are the game's.

    Raises UnknownGameError, OptionError, UnknownPlayerError, CheckpointError or BatchError.
    """
    return PirateVectorEnv(
        load(game, **options), num_envs, opponents, policies=policies, render_mode=render_mode, threads=threads
    )


class PirateVectorEnv(LearnerLanes, VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` matches in lockstep, waiting for their learners: in each what `doors.gym.SeatEnv` is alone.

    Autoreset is SAME_STEP: a lane whose match ends shows the next match at once; `infos["final_obs"]` (an object array, None
    where no match ended) and `infos["final_info"]` hold what the learner saw and was told at the end. `infos["action_mask"]`:
    int8, shape (num_envs, actions); `infos["seat"]`: int64, shape (num_envs,). Arrays belong to the caller. There is no
    `illegal_reward` here: an illegal action raises, and nothing moves.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: Mix = "random",
        *,
        policies: Mapping[str, OutsidePlayer] | None = None,
        render_mode: str | None = None,
        threads: int = 1,
    ) -> None:
        """`opponents`: a name or {name: weight}, of names that `agents.agent` knows and keys of `policies`; `threads`: cores
        that share the lanes, with the same bytes.

        Raises BatchError, OptionError, UnknownPlayerError or CheckpointError.
        """
        self.render_mode = checked_render_mode(render_mode)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": list(RENDER_MODES), "render_fps": 1}
        self.num_envs = checked_size("num_envs", num_envs)
        self._open(game, Lanes(game, self.num_envs, threads=threads), opponents, policies)
        self.single_observation_space, self.single_action_space = seat_spaces(game)
        with room_for("num_envs", self.num_envs):  # for the bounds of what every lane sees
            self.observation_space = batch_space(self.single_observation_space, self.num_envs)
            self.action_space = batch_space(self.single_action_space, self.num_envs)

    # -- playing -----------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, Infos]:
        """Deal every lane anew: lane i from match seed `seed + i`; without a seed from others than before, at first by chance.

        Raises OptionError for a bad seed or any options.
        """
        seed = checked_reset(seed, options)
        super().reset(seed=seed)
        self.lanes.reset(seed if seed is not None or self.lanes.started else int(self.np_random.integers(1 << 63)))
        return self.lanes.observations.copy(), self._infos()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Play the learners' actions (integers, (num_envs,)).

        Returns observations, rewards (float64), terminations and truncations (bool), infos. Raises IllegalActionError or
        BatchError; then nothing has moved.
        """
        ledger = self.lanes.ledger
        seats = ledger["seat"].astype(np.int64)
        self.lanes.learners_act(actions)
        infos = self._infos()
        ended = ledger["ended"] != 0
        if ended.any():
            self._add_final(infos, ended, seats)
        terminations, truncations = ledger["ended"] == FINISHED, ledger["ended"] == TRUNCATED
        return self.lanes.observations.copy(), ledger["reward"].copy(), terminations, truncations, infos

    def _infos(self) -> Infos:
        ledger = self.lanes.ledger
        infos: Infos = {}
        everywhere = np.ones(self.num_envs, np.bool_)
        _add(infos, "action_mask", self.lanes.action_masks.astype(np.int8), everywhere)
        _add(infos, "seat", ledger["seat"].astype(np.int64), everywhere)
        missed = ledger["missed"] > 0
        if missed.any():
            _add(infos, "missed_matches", ledger["missed"].astype(np.int64), missed)
            _add(infos, "missed_reward", ledger["missed_reward"].copy(), missed)
        return infos

    def _add_final(self, infos: Infos, ended: np.ndarray, seats: np.ndarray) -> None:
        """Put in what the learners saw and were told in the lanes whose matches have ended; `seats`: theirs in them."""
        rows = np.flatnonzero(ended)
        final_obs = np.full(self.num_envs, None, object)
        final_obs[rows] = np.fromiter(self.lanes.final_observations[rows], object, len(rows))
        final_info: Infos = {}
        _add(final_info, "action_mask", np.zeros((self.num_envs, self.game.actions), np.int8), ended)
        _add(final_info, "seat", np.where(ended, seats, 0), ended)
        points = self.lanes.ledger["points"][:, : self.game.players]
        _add(final_info, "points", np.where(ended[:, None], points, 0), ended)
        _add(infos, "final_obs", final_obs, ended)
        _add(infos, "final_info", final_info, ended)

    def action_masks(self) -> np.ndarray:
        """Legal actions of every lane's learner, bool, shape (num_envs, actions); a copy."""
        return self.lanes.action_masks.copy()

    # -- seeing ------------------------------------------------------------------------------------------------------

    def render(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        """Each lane's position as `SeatEnv.render` gives it; None in mode 'human' or without one."""
        if not self.lanes.started:
            raise BatchError("nothing to show before reset: no match has been dealt")
        seats = self.lanes.ledger["seat"].tolist()
        shown = tuple(rendered(self.game, g, seat, self.render_mode) for g, seat in zip(self.lanes.records, seats, strict=True))
        return None if shown[0] is None else shown


def _add(infos: Infos, name: str, values: Any, present: np.ndarray) -> None:
    """Put in the values of all lanes, and which lanes (bool, (num_envs,)) have one."""
    infos[name], infos[f"_{name}"] = values, present.copy()
