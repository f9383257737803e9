"""What an optimiser of torch remembers, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """What the optimiser remembers of each parameter."""
    states = optimizer.state_dict()["state"].items()
    return {f"adam.{number}.{name}": tensor.cpu().numpy() for number, entry in states for name, tensor in entry.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray]) -> None:
    """Give the optimiser back what `optimizer_arrays` took from it."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        if name.startswith("adam."):
            _, number, field = name.split(".", 2)
            state.setdefault(int(number), {})[field] = torch.from_numpy(array.copy())
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
