"""A policy whose hidden layers are multiplied by torch, in bfloat16 where the processor has instructions for it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from pirate_envs.agents.policy import Policy

TRIAL_ROWS, TRIALS = 4096, 4
SMALLEST, BLOCK = 16, 256  # rows: matrices of ever new heights would each have their own code made


class TorchPolicy(Policy):
    """The same policy, for playouts by the million: `in_precision` says with what it multiplies.

    In bfloat16 its logits are rounded to three digits, so that nearly equal actions may change places.
    """

    precision = "float32"

    @classmethod
    def of(cls, policy: Policy, precision: str = "float32") -> TorchPolicy:
        """A copy of a policy. `precision`: float32 or bfloat16."""
        heads = {"value": policy.value, "belief": policy.belief}
        told: dict[str, Any] = {"greedy": policy.greedy, "name": policy.name, "settings": policy.settings, **heads}
        return cls(policy.game, policy.layers, policy.activation, **told).in_precision(precision)

    def in_precision(self, precision: str) -> TorchPolicy:
        """Multiply so from now on."""
        kind = torch.bfloat16 if precision == "bfloat16" else torch.float32
        self.precision = precision
        self._tensors = [tuple(torch.from_numpy(array).to(kind) for array in layer) for layer in self.layers]
        return self

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """As of a policy."""
        return self._after(len(self._tensors), observations)

    def hidden(self, observations: np.ndarray) -> np.ndarray:
        """As of a policy."""
        return self._after(len(self._tensors) - 1, observations)

    @torch.inference_mode()
    def _after(self, layers: int, observations: np.ndarray) -> np.ndarray:
        """What the last of so many layers gives, float32."""
        size = len(observations)
        x = torch.zeros((padded(size), observations.shape[1]), dtype=self._tensors[0][0].dtype)
        x[:size] = torch.from_numpy(np.ascontiguousarray(observations))
        for number, (weights, bias) in enumerate(self._tensors[:layers]):
            x = functional.linear(x, weights, bias)
            if number < len(self._tensors) - 1:
                x = torch.relu_(x) if self.activation == "relu" else torch.tanh_(x)
        return x[:size].float().numpy()

    def _with(self, **changed: Any) -> TorchPolicy:
        return super()._with(**changed).in_precision(self.precision)  # type: ignore[attr-defined, no-any-return]


def padded(rows: int) -> int:
    """So many rows or a few more: a power of two up to BLOCK, a multiple of BLOCK beyond."""
    return max(SMALLEST, 1 << (rows - 1).bit_length()) if rows <= BLOCK else -(-rows // BLOCK) * BLOCK


def faster_precision(policy: Policy) -> str:
    """'float32' or 'bfloat16', whichever takes this processor less time; float32 unless it saves a tenth."""
    rows = np.zeros((TRIAL_ROWS, policy.game.layout.size), np.float32)
    seconds: dict[str, float] = {}
    for precision in ("float32", "bfloat16"):
        fast = TorchPolicy.of(policy, precision)
        times = []
        for _ in range(TRIALS):
            start = time.perf_counter()
            fast.logits(rows)
            times.append(time.perf_counter() - start)
        seconds[precision] = min(times)
    return "bfloat16" if seconds["bfloat16"] < 0.9 * seconds["float32"] else "float32"
