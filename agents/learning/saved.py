"""Saved arrays and numbers, held to what they are for before anything is made of them; what an optimiser remembers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from pirate_envs.core.errors import CheckpointError

MOST_DECISIONS = 1 << 53
ADAM = ("step", "exp_avg", "exp_avg_sq")


def demand(name: str, kept: bool | np.bool_, allowed: str) -> None:
    """Raise CheckpointError, which names what is wrong and what is allowed, unless it is kept."""
    if not kept:
        raise CheckpointError(f"{name} is out of range; allowed: {allowed}")


def whole(name: str, number: Any, most: int) -> int:
    """A whole number from 0 to `most`. Raises CheckpointError."""
    if type(number) is not int or not 0 <= number <= most:
        raise CheckpointError(f"{name} is {number!r}; allowed: a whole number from 0 to {most}")
    return number


def fitting(arrays: Mapping[str, np.ndarray], name: str, like: np.ndarray) -> np.ndarray:
    """The array of that name, of the shape and dtype of `like` and finite throughout. Raises CheckpointError."""
    if name not in arrays:
        raise CheckpointError(f"{name} is not there")
    array = arrays[name]
    if array.shape != like.shape or array.dtype != like.dtype:
        raise CheckpointError(f"{name} has shape {array.shape} of {array.dtype}; needed: {like.shape} of {like.dtype}")
    if array.dtype.kind == "f":
        demand(name, np.isfinite(array).all(), "finite numbers")
    if array.dtype.kind == "b":
        demand(name, (array.view(np.uint8) <= 1).all(), "False and True")
    return array


def restore_weights(network: nn.Module, arrays: Mapping[str, np.ndarray]) -> None:
    """Give the network the weights that were saved of it as "model.NAME". Raises CheckpointError."""
    own = {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
    weights = {name: fitting(arrays, f"model.{name}", array) for name, array in own.items()}
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})


# -- Adam --------------------------------------------------------------------------------------------------------------


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """What the optimiser remembers of each parameter."""
    states = optimizer.state_dict()["state"].items()
    return {f"adam.{number}.{name}": tensor.cpu().numpy() for number, entry in states for name, tensor in entry.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray]) -> None:
    """Give the optimiser back what `optimizer_arrays` took from it: of every parameter, or nothing yet. Raises CheckpointError.

    Fused Adam goes by its parameters' sizes alone: a shorter array would be read and written beyond its end.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    saved = {name for name in arrays if name.startswith("adam.")}
    state = {number: _remembered(arrays, number, parameter) for number, parameter in enumerate(parameters)} if saved else {}
    beyond = saved - {f"adam.{number}.{field}" for number in state for field in ADAM}
    demand(min(beyond, default="adam"), not beyond, f"{', '.join(ADAM)} of {len(parameters)} parameters")
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def _remembered(arrays: Mapping[str, np.ndarray], number: int, parameter: torch.Tensor) -> dict[str, torch.Tensor]:
    """What Adam remembers of one parameter: steps made, and means of its gradients and of their squares."""
    like = parameter.detach().cpu().numpy()
    step = arrays.get(f"adam.{number}.step")
    if step is not None and step.shape == (1,):  # as a file keeps a number
        arrays = {**arrays, f"adam.{number}.step": step.reshape(())}
    shapes = zip(ADAM, (np.zeros((), np.float32), like, like), strict=True)
    entry = {field: fitting(arrays, f"adam.{number}.{field}", shape) for field, shape in shapes}
    demand(f"adam.{number}.step", bool(entry["step"] >= 1), "1 and more")
    demand(f"adam.{number}.exp_avg_sq", bool((entry["exp_avg_sq"] >= 0).all()), "0 and more")
    return {field: torch.from_numpy(array.copy()) for field, array in entry.items()}
