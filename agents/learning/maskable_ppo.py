"""The learner `sb3`: MaskablePPO with a policy class that masks once, its frozen copy, and its state as plain arrays."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from torch import nn

from pirate_envs.agents.learning.saved import (
    MOST_DECISIONS,
    demand,
    fitting,
    optimizer_arrays,
    restore_optimizer,
    restore_weights,
    whole,
)
from pirate_envs.agents.learning.settings import MaskablePPOSettings
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game
from pirate_envs.doors.sb3 import PirateVecEnv
from pirate_envs.engine.player import OutsidePlayer

FORBIDDEN = -1e8  # logit of an illegal action, as in sb3_contrib


class MaskedPolicy(MaskableActorCriticPolicy):
    """The stock policy with the same probabilities, but masked before the softmax instead of after a first one."""

    def _masked_logits(self, latent: torch.Tensor, action_masks: Any) -> torch.Tensor:
        logits: torch.Tensor = self.action_net(latent)
        if action_masks is None:
            return logits
        return logits.masked_fill(torch.as_tensor(action_masks).reshape(logits.shape) == 0, FORBIDDEN)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions, values and log probabilities."""
        latent_policy, latent_value = self.mlp_extractor(self.extract_features(obs))
        logits = self._masked_logits(latent_policy, action_masks)
        if deterministic:
            actions = logits.argmax(dim=1)
        else:  # the first to ring of exponential clocks with these rates
            actions = (torch.softmax(logits, dim=1) / torch.empty_like(logits).exponential_()).argmax(dim=1)
        chosen = torch.log_softmax(logits, dim=1).gather(1, actions[:, None])[:, 0]
        return actions, self.value_net(latent_value), chosen

    def evaluate_actions(  # type: ignore[override]
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values, log probabilities and entropies."""
        latent_policy, latent_value = self.mlp_extractor(self.extract_features(obs))
        logits = self._masked_logits(latent_policy, action_masks)
        log_probabilities = torch.log_softmax(logits, dim=1)
        entropies = -(torch.softmax(logits, dim=1) * log_probabilities).sum(dim=1)  # (exp of -1e8 is slow)
        chosen = log_probabilities.gather(1, actions.long()[:, None])[:, 0]
        return self.value_net(latent_value), chosen, entropies


def build(env: PirateVecEnv, settings: MaskablePPOSettings, rate: Callable[[], float]) -> MaskablePPO:
    """The learner; `rate` is called for the learning rate of each update."""
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    model = MaskablePPO(
        MaskedPolicy,
        env,
        learning_rate=lambda _: rate(),
        n_steps=settings.steps,
        batch_size=settings.batch,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_coefficient,
        max_grad_norm=settings.max_gradient,
        policy_kwargs={
            "net_arch": [settings.width] * settings.layers,
            "activation_fn": {"tanh": nn.Tanh, "relu": nn.ReLU}[settings.activation],
        },
        seed=settings.seed,
        device="cpu",
    )
    model.set_logger(Logger(None, []))
    env.seed(settings.first_match)  # the model has set it to its own seed, of which the next one is but a lane away
    model._last_obs = env.reset()  # type: ignore[assignment]  # or `learn` would, on top of a restored state too
    model._last_episode_starts = np.ones(env.num_envs, bool)
    return model


class MaskablePPOLearner:
    """Stable-Baselines3's MaskablePPO on one seat of every lane, the others played by the pool."""

    precision = "float32"

    metrics = (
        "decisions", "minutes", "decisions_per_second", "match_reward", "entropy", "explained_variance", "approx_kl",
        "clip_fraction", "value_loss", "learning_rate",
    )  # fmt: skip

    def __init__(self, game: Game, settings: MaskablePPOSettings) -> None:
        """`game` pays as the learner is to be paid. Raises OptionError."""
        self.settings = settings
        self.env = PirateVecEnv(game, settings.lanes)
        self._learning_rate = settings.learning_rate
        self.model = build(self.env, settings, lambda: self._learning_rate)

    @property
    def decisions(self) -> int:
        """Decisions made so far."""
        return int(self.model.num_timesteps)

    @property
    def parameters(self) -> int:
        """Numbers that are learned, those of the critic included."""
        return sum(parameter.numel() for parameter in self.model.policy.parameters())

    def iterate(self, learning_rate: float) -> dict[str, float]:
        """One rollout and its update; returns what is to be known of it."""
        self._learning_rate = learning_rate
        steps = self.settings.lanes * self.settings.steps
        self.model.learn(steps, reset_num_timesteps=False, log_interval=None)  # type: ignore[arg-type]
        log = self.model.logger.name_to_value
        matches = [info["r"] for info in self.model.ep_info_buffer or ()]
        return {
            "match_reward": float(np.mean(matches)) if matches else float("nan"),
            "entropy": -float(log["train/entropy_loss"]),
            "explained_variance": float(log["train/explained_variance"]),
            "approx_kl": float(log["train/approx_kl"]),
            "clip_fraction": float(log["train/clip_fraction"]),
            "value_loss": float(log["train/value_loss"]),
            "learning_rate": learning_rate,
        }

    def meet(self, mix: Mapping[str, float], policies: Mapping[str, OutsidePlayer]) -> None:
        """Play against these shares of players from now on, the game's own or those of `policies`."""
        self.env.set_opponents(mix, policies)

    def policy(self, *, greedy: bool) -> Policy:
        """A copy of the policy that plays without torch."""
        policy = self.model.policy
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
        linear = [module for module in modules if isinstance(module, nn.Linear)]
        layers = [(module.weight.detach().numpy().copy(), module.bias.detach().numpy().copy()) for module in linear]
        return Policy(self.env.game, layers, self.settings.activation, greedy=greedy)

    # -- state -------------------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, np.ndarray]:
        """All that learning on needs between two iterations: weights, optimizer, environment, generators."""
        arrays = {f"model.{name}": tensor.numpy() for name, tensor in self.model.policy.state_dict().items()}
        arrays |= optimizer_arrays(self.model.policy.optimizer)
        arrays |= {f"env.{name}": array.view(np.uint8) for name, array in self.env.get_state().items()}
        arrays["episode_starts"] = np.asarray(self.model._last_episode_starts, np.uint8)
        arrays["random.torch"] = torch.get_rng_state().numpy()
        numpy_state: Any = np.random.get_state()  # noqa: NPY002 (SB3 shuffles with it)
        arrays["random.numpy"] = np.asarray(numpy_state[1], np.uint32)
        return arrays

    def numbers(self) -> dict[str, Any]:
        """The rest of the state, ready for JSON."""
        numpy_state: Any = np.random.get_state()  # noqa: NPY002
        position, has_gauss, gauss = numpy_state[2:]
        return {
            "decisions": self.decisions,
            "updates": self.model._n_updates,
            "matches": [[float(info["r"]), int(info["l"])] for info in self.model.ep_info_buffer or ()],
            "numpy_random": [int(position), int(has_gauss), float(gauss)],
            "python_random": random.getstate(),
        }

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Go back to a saved state, the opponents already set. Raises CheckpointError."""
        model = self.model
        try:
            restore_weights(model.policy, arrays)
            restore_optimizer(model.policy.optimizer, arrays)
            saved = {name: arrays[f"env.{name}"].view(array.dtype) for name, array in self.env.get_state().items()}
            model._last_obs = self.env.set_state(saved)  # type: ignore[assignment]
            starts = fitting(arrays, "episode_starts", np.zeros(self.env.num_envs, np.uint8))
            demand("episode_starts", (starts <= 1).all(), "0 or 1")
            model._last_episode_starts = starts.astype(bool)
            matches = ({"r": float(reward), "l": int(length)} for reward, length in numbers["matches"])
            model.ep_info_buffer = deque(matches, maxlen=model._stats_window_size)
            model.ep_success_buffer = deque(maxlen=model._stats_window_size)
            model.num_timesteps = whole("decisions", numbers["decisions"], MOST_DECISIONS)
            model._n_updates = whole("updates", numbers["updates"], MOST_DECISIONS)
            torch.set_rng_state(torch.from_numpy(arrays["random.torch"].copy()))
            np.random.set_state(numpy_random(arrays, numbers["numpy_random"]))  # noqa: NPY002
            version, words, gauss = numbers["python_random"]
            random.setstate((version, tuple(words), gauss))
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError) as error:
            raise CheckpointError(f"the saved state does not fit: {error}") from None


def numpy_random(arrays: Mapping[str, np.ndarray], rest: Any) -> tuple[str, np.ndarray, int, int, float]:
    """A state for NumPy's own generator, which takes a position beyond its words as it comes. Raises CheckpointError."""
    position, has_gauss, gauss = rest
    words = fitting(arrays, "random.numpy", np.zeros(624, np.uint32))
    demand("numpy_random", isinstance(gauss, float) and bool(np.isfinite(gauss)), "a finite number")
    return "MT19937", words, whole("numpy_random", position, len(words)), whole("numpy_random", has_gauss, 1), gauss
