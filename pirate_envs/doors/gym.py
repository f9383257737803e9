"""The Gymnasium door: one learner's seat as a `gymnasium.Env`, the other seats played by named opponents.

>>> import gymnasium, pirate_envs
>>> env = gymnasium.make("pirates/SkullKing-v0", opponents={"policy:pretrained": 1}, reward="win", players=4)
>>> observation, info = env.reset(seed=7)
>>> action = env.action_space.sample(info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)

Many at once: `gymnasium.make_vec` (vector.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from pirate_envs.core.errors import MatchOverError, OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rng import seed_words
from pirate_envs.doors.learners import LearnerLanes
from pirate_envs.doors.rendering import RENDER_MODES, checked_render_mode, rendered
from pirate_envs.engine.checks import Snapshot
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.match import action_number
from pirate_envs.engine.player import OutsidePlayer
from pirate_envs.engine.seating import Mix
from pirate_envs.games import load

MOST_PENALTY = 1e9
Outcome = tuple[np.ndarray, float, bool, bool, dict[str, Any]]
"""What `step` returns: observation, reward, terminated, truncated, info."""


def make_seat(
    game: str,
    /,
    *,
    opponents: Mix = "random",
    policies: Mapping[str, OutsidePlayer] | None = None,
    illegal_reward: float | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> SeatEnv:
    """What `gymnasium.make` makes: see `SeatEnv`. `options` are the game's.

    Raises UnknownGameError, OptionError, UnknownPlayerError or CheckpointError.
    """
    made = load(game, **options)
    return SeatEnv(made, opponents, policies=policies, illegal_reward=illegal_reward, render_mode=render_mode)


def seat_spaces(game: Game) -> tuple[spaces.Box, spaces.Discrete]:
    """The spaces of one seat's observations and actions."""
    return spaces.Box(game.layout.low, game.layout.high, dtype=np.float32), spaces.Discrete(game.actions)


def checked_reset(seed: Any, options: Any) -> int | None:
    """The seed as an int, or None. Raises OptionError for a bad one, and for options: the rules are fixed by then."""
    check_no_options(options)
    if seed is None:
        return None
    low, high = seed_words(seed)
    return low | high << 32


def check_no_options(options: Any) -> None:
    """Raise OptionError for reset options: the rules are fixed by then."""
    if options is not None and not (isinstance(options, Mapping) and not options):
        raise OptionError(f"reset options are {shown(options)}; allowed: none, as rules are fixed when an environment is made")


def _checked_penalty(reward: Any) -> float | None:
    number = isinstance(reward, (int, float, np.integer, np.floating)) and not isinstance(reward, bool)
    if reward is not None and not (number and abs(reward) <= MOST_PENALTY):
        raise OptionError(f"illegal_reward is {shown(reward)}; allowed: None or a number within +-{MOST_PENALTY:g}")
    return None if reward is None else float(reward)


class SeatEnv(LearnerLanes, gymnasium.Env[np.ndarray, np.int64]):
    """A learner's seat in one match after another; that seat and the other seats' players are drawn anew for each match.

    Observation: what the learner's seat sees, float32, shape (layout.size,). `info["action_mask"]`: its legal actions, int8,
    shape (actions,), all zero after the end, as `action_space.sample` takes it; `action_masks()` gives them as bool.
    `info["seat"]`: the learner's. After the end, `info["points"]`: every seat's, int64, shape (players,).

    A step plays until the learner is to decide again or the match is over; its reward is all that the learner's seat was paid
    since its last one, or since the deal. A match that ends before the learner's first decision is passed over by `reset`, as
    no step could be paid for it: `info["missed_matches"]` then tells how many there were, `info["missed_reward"]` what the
    seat was paid in them.

    A seed fixes deals, seats and opponents: they are those of a lane of `gymnasium.make_vec` that begins with the same seed.
    Without one, `reset` goes on from where it is; the first draws a seed by chance. Copies (deepcopy, pickle) and snapshots
    keep the match that is running.
    """

    def __init__(
        self,
        game: Game,
        opponents: Mix = "random",
        *,
        policies: Mapping[str, OutsidePlayer] | None = None,
        illegal_reward: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        """`opponents`: a name or {name: weight}, of names that `agents.agent` knows and keys of `policies`.

        An illegal action raises and changes nothing. With an `illegal_reward` it ends the match for the learner, which is paid
        that much: for learners that know no action masks, and for Gymnasium's `check_env`, which samples without them. Raises
        OptionError, UnknownPlayerError or CheckpointError.
        """
        self.render_mode = checked_render_mode(render_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}
        self._illegal_reward = _checked_penalty(illegal_reward)
        self._open(game, Lanes(game, 1), opponents, policies)
        self._running = False
        self.observation_space, self.action_space = seat_spaces(game)

    # -- playing -----------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a match: that of `seed`, else the one that follows. Raises OptionError for a bad seed or any options."""
        seed = checked_reset(seed, options)
        super().reset(seed=seed)
        if seed is None and self.lanes.records["over"][0]:
            self.lanes.deal_next()
        else:
            self.lanes.reset(seed if seed is not None or self.lanes.started else int(self.np_random.integers(1 << 63)))
        self._running = True
        lane = self.lanes.ledger[0]
        missed = {"missed_matches": int(lane.missed), "missed_reward": float(lane.missed_reward)} if lane.missed else {}
        return self.lanes.observations[0].copy(), {**self._info(), **missed}

    def step(self, action: Any) -> Outcome:
        """Play the learner's action. Raises IllegalActionError or MatchOverError and then leaves everything as it was."""
        self._check_running(f"action {shown(action)}, but")
        number = action if type(action) is int else action_number(action)
        legal = self.lanes.action_masks[0]
        if not 0 <= number < len(legal) or not legal[number]:
            return self._illegal(action, number)
        self.lanes.learners_act(np.array([number]), redeal=False)
        lane = self.lanes.ledger[0]
        reward = float(lane.reward)
        if not lane.ended:
            return self.lanes.observations[0].copy(), reward, False, False, self._info()
        self._running = False
        info = {**self._info(), "points": lane.points[: self.game.players].copy()}
        finished, truncated = bool(lane.ended == FINISHED), bool(lane.ended == TRUNCATED)
        return self.lanes.final_observations[0].copy(), reward, finished, truncated, info

    def _illegal(self, action: Any, number: int) -> Outcome:
        """The end of a match by an illegal action, where it is no error."""
        if self._illegal_reward is None or not 0 <= number < self.game.actions:
            self.game.check_action(self.lanes.records[0], action)  # raises
        self._running = False
        info = {**self._info(), "illegal_action": number}
        return self.lanes.observations[0].copy(), self._illegal_reward or 0.0, True, False, info

    def _info(self) -> dict[str, Any]:
        mask = self.lanes.action_masks[0].astype(np.int8) if self._running else np.zeros(self.game.actions, np.int8)
        return {"action_mask": mask, "seat": int(self.lanes.ledger["seat"][0])}

    def _check_running(self, what: str) -> None:
        if not self._running:
            raise MatchOverError(f"{what} no match is running; call reset() first")

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, bool, shape (actions,); none after the end."""
        return self._info()["action_mask"].astype(np.bool_)

    # -- seeing and keeping ------------------------------------------------------------------------------------------

    @property
    def record(self) -> np.record:
        """The match itself (dtype game.state): a view, so copy it to keep it."""
        return self.lanes.records[0]

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """The position as the learner's seat sees it: printed in mode 'human', a text in 'ansi', a picture in 'rgb_array'."""
        if not self.lanes.started:
            self._check_running("nothing to show:")
        return rendered(self.game, self.record, int(self.lanes.ledger["seat"][0]), self.render_mode)

    def get_state(self) -> Snapshot:
        """A snapshot of the running match for `set_state`, all arrays; the opponents' policies are not in it."""
        self._check_running("no snapshot:")
        return super().get_state()

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Go back to a snapshot, taken with the same game and names of opponents in the same order.

        Returns the observation. Raises SnapshotError if the snapshot is of another kind; then nothing has changed.
        """
        observations = super().set_state(state)
        self._running = self.lanes.started
        return observations[0]
