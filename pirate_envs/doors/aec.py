"""The PettingZoo door: every game as an `AECEnv`, raw and wrapped, copy-safe, and registered under its id.

>>> import pirate_envs
>>> env = pirate_envs.make_aec("skull_king", players=3)
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     action = None if termination or truncation else int(info["action_mask"].argmax())
...     env.step(action)
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pettingzoo
from gymnasium import spaces
from pettingzoo.utils import wrappers

from pirate_envs.core.errors import (
    IllegalActionError,
    MatchOverError,
    ReplayError,
    SnapshotError,
    UnknownPlayerError,
    shown,
)
from pirate_envs.core.game import Game
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.doors.rendering import RENDER_MODES, checked_render_mode, rendered
from pirate_envs.engine.match import Match
from pirate_envs.engine.replay import Replay
from pirate_envs.games import as_game

_BOOKS = (  # what is kept beside the match, by PettingZoo and for replays
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "_skip_agent_selection",
    "_actions",
)


ENDS = ("terminations", "truncations")
BROKEN_OFF = -1  # in place of a record's `over`: ended by a wrapper


class GameAEC(pettingzoo.AECEnv):
    """One match of a game for the agents player_0, player_1, ..., seat by seat.

    Observation: {"observation": float32 (layout.size,), "action_mask": int8 (actions,)}; the mask, which is all zero for
    an agent that is not to move, is in `infos[agent]["action_mask"]` too. Rewards come by the game's option `reward`. Arrays
    handed out are never written again. Copies (deepcopy, pickle, clone) and snapshots keep the match that is running.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        """Raises OptionError for an unknown render mode."""
        self.game = game
        self.render_mode = checked_render_mode(render_mode)
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._match: Match | None = None
        self._actions: list[int] = []
        self._no_action = np.zeros(game.actions, np.int8)
        low, high = game.layout.low, game.layout.high
        self.state_space = spaces.Box(np.tile(low, game.players), np.tile(high, game.players), dtype=np.float32)
        self.observation_spaces = {agent: _observation_space(game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of that agent's observations, the same object at every call. Raises UnknownPlayerError."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of that agent's actions, the same object at every call. Raises UnknownPlayerError."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    def _seat(self, agent: Any) -> int:
        try:
            return self._seat_of[agent]
        except (KeyError, TypeError):
            raise UnknownPlayerError(f"no agent {shown(agent)}; there are: {', '.join(self.possible_agents)}") from None

    # -- playing -----------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the match of `seed`; without one, the match that follows the last (at first: one by chance).

        The rules are fixed when the environment is made: `options` is ignored. Raises OptionError for a bad seed.
        """
        if self._match is None:
            self._match = Match(self.game, seed)
        elif seed is None:
            self._match.deal_next()
        else:
            self._match.deal(seed)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[self._match.seat]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._actions = []
        self._set_ended(0)

    def step(self, action: int | None) -> None:
        """Play one decision of `agent_selection`; None for an agent whose match has ended.

        Raises IllegalActionError or MatchOverError and then leaves everything as it was.
        """
        agent = self.agent_selection if self.agents else ""
        if not agent or self.terminations[agent] or self.truncations[agent]:
            self._leave(action)
            return
        match = self._match or self._running()
        paid_before = match.paid
        match.step(action)
        self._actions.append(int(action or 0))
        self._cumulative_rewards[agent] = 0.0
        if match.paid or paid_before:
            self.rewards = dict(zip(self.agents, match.rewards.tolist(), strict=True))
            self._accumulate_rewards()
        if match.over:
            self.agent_selection = self.agents[0]
            self._set_ended(match.over)
            return
        mover = self.possible_agents[match.seat]
        if mover != agent:
            self.agent_selection = mover
            self.infos[agent] = self._idle[agent]
        self.infos[mover] = {"action_mask": match.action_mask}

    def _leave(self, action: int | None) -> None:
        if not self.agents:
            raise MatchOverError(f"action {shown(action)}, but no match is running; call reset() first")
        if action is not None:
            raise MatchOverError(f"action {shown(action)} after the end of the match; allowed: None")
        self._was_dead_step(None)

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.rewards, 0.0)

    def _set_ended(self, over: int) -> None:
        self.terminations = dict.fromkeys(self.agents, over == FINISHED)
        self.truncations = dict.fromkeys(self.agents, over == TRUNCATED)
        self._skip_agent_selection = None
        self._write_infos()

    def _write_infos(self) -> None:
        self._idle = {agent: {"action_mask": self._no_action.copy()} for agent in self.agents}
        self.infos = dict(self._idle)
        if self.agents and not self.terminations[self.agent_selection]:
            self.infos[self.agent_selection] = {"action_mask": self._running().action_mask}

    def _deads_step_first(self) -> str:
        """PettingZoo's wrapper calls it too, when it has ended a match by an illegal action: nobody may act any more."""
        self._write_infos()
        return super()._deads_step_first()  # type: ignore[no-any-return]

    def _running(self) -> Match:
        if self._match is None:
            raise MatchOverError("no match has been dealt yet; call reset() first")
        return self._match

    # -- seeing ------------------------------------------------------------------------------------------------------

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What that agent sees, and its legal actions: none unless it is to move. Raises UnknownPlayerError."""
        match = self._match or self._running()
        seat = self._seat(agent)
        if seat == match.seat:
            mask = self._no_action if self.terminations.get(agent) else match.action_mask
            return {"observation": match.observation.copy(), "action_mask": mask.copy()}
        return {"observation": match.observe(seat), "action_mask": self._no_action.copy()}

    def state(self) -> np.ndarray:
        """All that is known to anyone: every agent's observation in order, float32, shape (players * layout.size,)."""
        match = self._running()
        return np.concatenate([match.observe(seat) for seat in range(self.game.players)])

    def render(self) -> str | np.ndarray | None:
        """The whole position: text in mode 'ansi', printed in mode 'human'; in mode 'rgb_array' a picture, uint8 (720, 960, 3).

        Raises MissingExtraError in mode 'rgb_array' without the extra `pictures`.
        """
        return rendered(self.game, self._running().records[0], None, self.render_mode)

    def _repr_svg_(self) -> str | None:
        """The whole position as a notebook shows it; nothing before the first reset."""
        return None if self._match is None else self.game.picture(self.record)

    def close(self) -> None:
        """Nothing is held open."""

    # -- snapshots ---------------------------------------------------------------------------------------------------

    @property
    def record(self) -> np.record:
        """The match itself (dtype game.state): a view, so copy it to keep it."""
        return self._running().records[0]

    def replay(self) -> Replay:
        """The match so far, from its deal on, to save or to show; wrappers hide it: `env.unwrapped.replay()`.

        Raises ReplayError for a match that did not come from its deal by the actions played here: one that a snapshot set up.
        """
        match = self._running()
        g, names = self.game.new(match.seed), []
        try:
            for action in self._actions:
                names.append(self.game.action_name(g, action))
                self.game.apply(g, action)
        except IllegalActionError as error:
            raise ReplayError(f"action {len(names) - 1} does not follow from the deal of seed {match.seed}: {error}") from None
        if g.tobytes() != self.record.tobytes():
            raise ReplayError(
                f"the match did not come from the deal of seed {match.seed} by the {len(names)} actions played here"
            )
        return Replay.of(self.game, match.seed, names)

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the running match to give to `set_state`."""
        return {"match": self._running().get_state(), **{name: copy.copy(getattr(self, name)) for name in _BOOKS}}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of an environment of the same game and options.

        Raises SnapshotError, of its kind RecordError for what the record holds; then nothing has changed.
        """
        self._check_books(state)
        match = self._match or Match(self.game, 0)
        match.set_state(state["match"])
        self._match = match
        for name in _BOOKS:
            setattr(self, name, copy.copy(state[name]))
        match.paid = int(any(self.rewards.values()))
        self._write_infos()

    def _check_books(self, state: Any) -> None:
        """Raise SnapshotError unless there is all, the match is one, and what is kept beside it fits it."""
        missing = [name for name in ("match", *_BOOKS) if not isinstance(state, Mapping) or name not in state]
        if missing:
            raise SnapshotError(f"the snapshot lacks {missing[0]!r}; needed for {self.game.id}: match, {', '.join(_BOOKS)}")
        match = Match(self.game, 0)
        match.set_state(state["match"])
        agents, g = state["agents"], match.records[0]
        if not isinstance(agents, list) or not all(isinstance(agent, str) for agent in agents):
            raise SnapshotError(f"the snapshot's agents are {shown(agents)}; allowed: of {self.possible_agents}, in order")
        over = BROKEN_OFF if not g.over and _broken_off(state) else int(g.over)
        for name, (fits, allowed) in {**self._names_allowed(state, g, over), **_values_allowed(state, over)}.items():
            if not fits:
                raise SnapshotError(f"the snapshot's {name} is {shown(state[name])}; allowed: {allowed}")

    def _names_allowed(self, state: Any, g: np.record, over: int) -> dict[str, tuple[bool, str]]:
        """For each book that names agents, whether it fits a match that is `over` so, and what is allowed."""
        agents, everybody = state["agents"], self.possible_agents
        in_order = agents == [name for name in everybody if name in agents]
        mover, skip = state["agent_selection"], state["_skip_agent_selection"]
        movers = (agents or everybody) if over else [everybody[int(g.to_move)]]
        return {
            "agents": (
                in_order and (bool(over) or agents == everybody),
                f"{everybody}; at the end those that are left",
            ),
            "agent_selection": (isinstance(mover, str) and mover in movers, f"one of {movers}"),
            "_skip_agent_selection": (skip is None or (isinstance(skip, str) and skip in everybody), "None or an agent"),
            "_actions": (self._are_actions(state["_actions"]), f"a list of actions, 0 to {self.game.actions - 1}"),
        }

    def _are_actions(self, actions: Any) -> bool:
        """Could have been played; that they led to this match is asked for by `replay` alone."""
        whole = isinstance(actions, list) and all(type(action) is int for action in actions)
        return whole and all(0 <= action < self.game.actions for action in actions)

    def clone(self) -> Self:
        """A copy that plays on by itself."""
        return copy.deepcopy(self)


def _observation_space(game: Game) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(game.layout.low, game.layout.high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (game.actions,), np.int8),
        }
    )


# -- ways to make one ------------------------------------------------------------------------------------------------------


def _broken_off(state: Mapping[str, Any]) -> bool:
    """Whether a wrapper of PettingZoo has ended the match, which is not over by the game's rules."""
    ends = [ended for name in ENDS if isinstance(state[name], dict) for ended in state[name].values()]
    return not state["agents"] or any(isinstance(ended, (bool, np.bool_)) and bool(ended) for ended in ends)


def _values_allowed(state: Any, over: int) -> dict[str, tuple[bool, str]]:
    """For each book with a value for every agent, whether it fits a match that is `over` so, and what is allowed."""
    agents, allowed = state["agents"], {}
    for name in ("rewards", "_cumulative_rewards"):
        values = state[name] if isinstance(state[name], dict) else {}
        finite = all(isinstance(paid, (int, float)) and -np.inf < paid < np.inf for paid in values.values())
        allowed[name] = list(values) == agents and finite, f"a finite number for each of {agents}"
    for name, ended in zip(ENDS, (over in (FINISHED, BROKEN_OFF), over in (TRUNCATED, BROKEN_OFF)), strict=True):
        values = state[name] if isinstance(state[name], dict) else {}
        flags = all(isinstance(value, (bool, np.bool_)) and bool(value) == ended for value in values.values())
        allowed[name] = list(values) == agents and flags, f"{ended} for each of {agents}"
    return allowed


def make_aec(game: str | Game, /, *, render_mode: str | None = None, **options: Any) -> GameAEC:
    """The raw environment of a game: by name, or made by `load`, which keeps what `options` do not change.

    Raises UnknownGameError or OptionError.

    It checks every action itself and raises this package's errors; `wrapped` adds PettingZoo's wrappers.
    """
    return GameAEC(as_game(game, **options), render_mode)


def wrapped(env: pettingzoo.AECEnv) -> pettingzoo.AECEnv:
    """PettingZoo's three usual wrappers: an illegal action ends the match at a reward of -1 instead of raising."""
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)
