"""A frozen policy: a small network in NumPy, saved as weights.safetensors with a manifest, played without torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.sealed import MANIFEST, pack, read_file, read_manifest, unpack, write_sealed
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game

KIND, SCHEMA, WEIGHTS = "policy", 1, "weights.safetensors"
LARGEST_LAYER, MOST_LAYERS = 1 << 16, 16
NEVER = np.float32(-1e8)
ACTIVATIONS = ("relu", "tanh")


def layout_hash(game: Game) -> str:
    """SHA-256 of the observation pieces' names, shapes and order: policies fit a layout, not just its size."""
    return hashlib.sha256(json.dumps([[piece.name, list(piece.shape)] for piece in game.layout]).encode()).hexdigest()


class Policy(Agent):
    """Layers of (weights, bias) with an activation between them; the last one gives a logit for each action.

    Greedy: the legal action of the highest logit. Otherwise drawn from the softmax over the legal ones.
    """

    def __init__(
        self,
        game: Game,
        layers: list[tuple[np.ndarray, np.ndarray]],
        activation: str,
        *,
        greedy: bool = True,
        name: str = "policy",
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """`layers`: (weights (out, in), bias (out,)) float32 each. Raises CheckpointError if they do not fit the game."""
        self.game, self.activation, self.greedy, self.name = game, activation, greedy, name
        self.settings = dict(settings or {})
        self.layers = [(np.array(w, np.float32, order="C"), np.array(b, np.float32)) for w, b in layers]
        self._check()
        self.learned = hashlib.sha256(b"".join(array.tobytes() for layer in self.layers for array in layer)).hexdigest()

    def _check(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise CheckpointError(f"activation is {self.activation!r}; allowed: {', '.join(ACTIVATIONS)}")
        size = self.game.layout.size
        for number, (weights, bias) in enumerate(self.layers):
            if weights.ndim != 2 or weights.shape[1] != size or bias.shape != weights.shape[:1]:
                raise CheckpointError(f"layer {number} has weights {weights.shape} and bias {bias.shape} for {size} inputs")
            if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
                raise CheckpointError(f"layer {number} holds numbers that are not finite")
            size = weights.shape[0]
        if size != self.game.actions:
            raise CheckpointError(f"the policy gives {size} actions; {self.game.id} has {self.game.actions}")

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Logits of all actions, float32, shape (n, actions)."""
        x = observations
        for weights, bias in self.layers[:-1]:
            x = x @ weights.T
            x += bias
            x = np.maximum(x, 0, out=x) if self.activation == "relu" else np.tanh(x, out=x)
        weights, bias = self.layers[-1]
        return x @ weights.T + bias

    def act(self, decisions: Decisions) -> np.ndarray:
        logits = np.where(decisions.action_masks, self.logits(decisions.observations), NEVER)
        if self.greedy:
            return logits.argmax(1)
        logits -= logits.max(1, keepdims=True)
        ladder = np.cumsum(np.exp(logits, out=logits), axis=1)
        return (ladder > (decisions.chances * ladder[:, -1])[:, None]).argmax(1)

    def log_priors(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Logarithm of the probability of each action, float32, (n, actions); -inf where it is illegal."""
        logits = np.where(action_masks, self.logits(observations), -np.inf)
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def drawing(self, greedy: bool = False) -> Policy:
        """The same network with its actions drawn, or always the likeliest."""
        return Policy(self.game, self.layers, self.activation, greedy=greedy, name=self.name, settings=self.settings)

    # -- saving --------------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, bytes]:
        """What is saved, by file name."""
        tensors = {}
        for number, (weights, bias) in enumerate(self.layers):
            tensors[f"{number}.weight"], tensors[f"{number}.bias"] = weights, bias
        return {WEIGHTS: pack(tensors)}

    def manifest(self) -> dict[str, Any]:
        """What is said about it."""
        return {
            "kind": KIND,
            "schema": SCHEMA,
            "game": self.game.id,
            "options": self.game.options.changed(),
            "layout": layout_hash(self.game),
            "pieces": [[piece.name, list(piece.shape)] for piece in self.game.layout],
            "actions": self.game.actions,
            "network": [self.game.layout.size, *(weights.shape[0] for weights, _ in self.layers)],
            "activation": self.activation,
            "settings": self.settings,
        }

    def save(self, folder: str | Path) -> None:
        """Write it as a new folder, whole or not at all. Raises CheckpointError if the folder exists."""
        write_sealed(Path(folder), self.files(), self.manifest())

    @classmethod
    def load(cls, game: Game, folder: str | Path, *, greedy: bool = True, name: str | None = None) -> Policy:
        """The policy saved in `folder`, or in the newest checkpoint of a run folder.

        It must have been made for the same game, version and observation layout; options such as the number of players
        may differ. Raises CheckpointError that says what is wrong.
        """
        path = newest_checkpoint(Path(folder)) or Path(folder)
        manifest = read_manifest(path, KIND, SCHEMA)
        check_game(path, manifest, game)
        tensors = unpack(read_file(path, WEIGHTS, manifest), path / WEIGHTS)
        layers = _layers(path, manifest.get("network"), tensors)
        settings = manifest.get("settings")
        try:
            return cls(
                game, layers, str(manifest.get("activation")), greedy=greedy, name=name or f"policy:{folder}",
                settings=settings if isinstance(settings, dict) else {},
            )  # fmt: skip
        except CheckpointError as error:
            raise CheckpointError(f"{path}: {error}") from None


def check_game(path: Path, manifest: Mapping[str, Any], game: Game) -> None:
    """Raises CheckpointError unless the manifest is of this game, version, layout and number of actions."""
    for key, mine, what in (
        ("game", game.id, "made for game"),
        ("layout", layout_hash(game), "made for an observation layout with hash"),
        ("actions", game.actions, "made for a number of actions of"),
    ):
        if manifest.get(key) != mine:
            raise CheckpointError(f"{path} was {what} {manifest.get(key)!r}; needed: {mine!r}")


def _layers(path: Path, shape: Any, tensors: Mapping[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The tensors in order, after checking that they are just those which `shape` announces."""
    if not isinstance(shape, list) or not 2 <= len(shape) <= MOST_LAYERS + 1:
        raise CheckpointError(f"{path / MANIFEST}: network is {shape!r}; needed: a list of 2 to {MOST_LAYERS + 1} layer sizes")
    if not all(type(size) is int and 0 < size <= LARGEST_LAYER for size in shape):
        raise CheckpointError(f"{path / MANIFEST}: network is {shape!r}; needed: sizes from 1 to {LARGEST_LAYER}")
    expected: dict[str, tuple[int, ...]] = {}
    for number, (inputs, outputs) in enumerate(pairwise(shape)):
        expected[f"{number}.weight"], expected[f"{number}.bias"] = (outputs, inputs), (outputs,)
    found = {name: array.shape for name, array in tensors.items()}
    if found != expected or any(array.dtype != np.float32 for array in tensors.values()):
        raise CheckpointError(f"{path / WEIGHTS} holds {found}; needed: float32 {expected}")
    return [(tensors[f"{number}.weight"], tensors[f"{number}.bias"]) for number in range(len(shape) - 1)]


def newest_checkpoint(run: Path) -> Path | None:
    """The newest complete checkpoint of a run folder; None if it has none."""
    folders = sorted((run / "checkpoints").glob("[0-9]*"), reverse=True)
    return next((folder for folder in folders if (folder / MANIFEST).is_file()), None)
