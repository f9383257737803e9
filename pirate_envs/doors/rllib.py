"""RLlib's MultiAgentEnv over one match, and a network that keeps to the action masks (RLlib's new API stack).

>>> from pirate_envs.doors.rllib import masked_ppo
>>> algorithm = masked_ppo("skull_king", reward="margin").env_runners(num_envs_per_env_runner=8).build_algo()
>>> result = algorithm.train()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import nn

from pirate_envs.core.errors import IllegalActionError, MatchOverError, OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.engine.match import Match
from pirate_envs.games import as_game

Observations = dict[str, dict[str, np.ndarray]]
SHARED = "shared"


def make_rllib(game: str | Game, /, **options: Any) -> MatchEnv:
    """The environment of a game: by name, or made by `load`, which keeps what `options` do not change.

    Raises UnknownGameError or OptionError.
    """
    return MatchEnv({"game": game, **options})


class MatchEnv(MultiAgentEnv):
    """One match for the agents player_0, player_1, ...; only the agent to move gets an observation, and must act on it.

    Observation: {"observations": float32 (layout size,), "action_mask": float32 (actions,)}, named as RLlib's own masked
    module has them. A step's rewards are what it paid to every agent, whoever moved; RLlib adds them up until the agent's
    next observation. At the end every agent is shown the position, with a mask of zeros, so that each one's last decision
    gets what followed it. The rewards of an agent add up to what the match paid its seat.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """`config`: {"game": its name (or a Game)} and the game's options, as RLlib's `env_config` gives it.

        Raises UnknownGameError or OptionError.
        """
        super().__init__()
        self.game = game_of(config)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.players)]
        self.agents = self.possible_agents[:]
        self.observation_spaces = dict.fromkeys(self.possible_agents, _observation_space(self.game))
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(self.game.actions))
        self._match: Match | None = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Observations, dict[str, Any]]:
        """Deal the match of `seed`; without one, the match that follows the last (at first: one by chance).

        The rules are fixed when the environment is made: `options` is ignored. Raises OptionError for a bad seed.
        """
        if self._match is None:
            self._match = Match(self.game, seed)
        elif seed is None:
            self._match.deal_next()
        else:
            self._match.deal(seed)
        return self._to_move(self._match), {}

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play the one action of the agent to move: observations, rewards, terminateds, truncateds, infos.

        Raises IllegalActionError or MatchOverError; then nothing has changed.
        """
        match = self._match
        if match is None:
            raise MatchOverError(f"actions are {shown(dict(action_dict))}, but no match is running; call reset() first")
        mover = self.possible_agents[match.seat]
        if list(action_dict) != [mover]:
            raise IllegalActionError(f"actions are {shown(dict(action_dict))}; needed: one for {mover}")
        match.step(action_dict[mover])
        rewards = dict(zip(self.possible_agents, match.rewards.tolist(), strict=True)) if match.paid else {mover: 0.0}
        seen = self._at_end(match) if match.over else self._to_move(match)
        return seen, rewards, {"__all__": match.over == FINISHED}, {"__all__": match.over == TRUNCATED}, {}

    def _to_move(self, match: Match) -> Observations:
        mask = match.action_mask.astype(np.float32)
        return {self.possible_agents[match.seat]: {"observations": match.observation, "action_mask": mask}}

    def _at_end(self, match: Match) -> Observations:
        nothing = np.zeros(self.game.actions, np.float32)
        return {
            agent: {"observations": match.observe(seat), "action_mask": nothing}
            for seat, agent in enumerate(self.possible_agents)
        }


def game_of(config: Mapping[str, Any]) -> Game:
    """The game that an `env_config` describes. Raises UnknownGameError or OptionError."""
    if "game" not in config:
        raise OptionError(f"the env_config is {shown(dict(config))}; needed: 'game' and, if wanted, the game's options")
    return as_game(config["game"], **{name: value for name, value in config.items() if name != "game"})


def _observation_space(game: Game) -> spaces.Dict:
    return spaces.Dict(
        {
            "observations": spaces.Box(game.layout.low, game.layout.high, dtype=np.float32),
            "action_mask": spaces.Box(0.0, 1.0, (game.actions,), np.float32),
        }
    )


# -- learning ------------------------------------------------------------------------------------------------------------


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Layers of `model_config["hidden"]` units (default 256, 256) that action logits and the value share.

    An illegal action's logit is as low as it can be, in playing and in learning.
    """

    def setup(self) -> None:
        widths = [self.observation_space["observations"].shape[0], *self.model_config.get("hidden", (256, 256))]
        layers = [[nn.Linear(before, after), nn.ReLU()] for before, after in pairwise(widths)]
        self.trunk = nn.Sequential(*(each for pair in layers for each in pair))
        self.actor, self.critic = nn.Linear(widths[-1], int(self.action_space.n)), nn.Linear(widths[-1], 1)
        nn.init.zeros_(self.actor.weight)

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        seen = batch[Columns.OBS]
        embeddings = self.trunk(seen["observations"])
        logits = self.actor(embeddings)
        legal = logits.masked_fill(seen["action_mask"] == 0, torch.finfo(logits.dtype).min)
        return {Columns.ACTION_DIST_INPUTS: legal, Columns.EMBEDDINGS: embeddings}

    def _forward_inference(self, batch: Mapping[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self._forward(batch)[Columns.ACTION_DIST_INPUTS]}

    _forward_exploration = _forward_inference

    def compute_values(self, batch: Mapping[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """The value of each observation to the seat that has it, shape (n,)."""
        if embeddings is None:
            embeddings = self.trunk(batch[Columns.OBS]["observations"])
        return self.critic(embeddings)[..., 0]


def masked_ppo(game: str, /, *, one_policy: bool = True, hidden: Sequence[int] = (256, 256), **options: Any) -> PPOConfig:
    """A PPOConfig with environment, policies and masked networks set; what else is to be set is RLlib's.

    One policy for all seats, named "shared", or one each, named as the agents. Whole matches are sampled, so that every
    decision is learned from with all that it brought. Raises UnknownGameError or OptionError.
    """
    env = make_rllib(game, **options)
    names = [SHARED] if one_policy else env.possible_agents
    spec = RLModuleSpec(
        module_class=MaskedModule,
        observation_space=env.observation_spaces["player_0"],
        action_space=env.action_spaces["player_0"],
        model_config={"hidden": tuple(hidden)},
    )
    return (
        PPOConfig()
        .environment(MatchEnv, env_config={"game": game, **options}, disable_env_checking=True)  # it plays without masks
        .multi_agent(
            policies=set(names),
            policy_mapping_fn=(lambda agent, *_, **__: SHARED) if one_policy else (lambda agent, *_, **__: agent),
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(names, spec)))
        .env_runners(batch_mode="complete_episodes")
    )
