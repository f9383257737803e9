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
from pirate_envs.agents.sealed import MANIFEST, copies_of, pack, read_file, read_manifest, settle, unpack, write_sealed
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game

KIND, SCHEMA, WEIGHTS = "policy", 1, "weights.safetensors"
LARGEST_LAYER, MOST_LAYERS = 1 << 16, 16
NEVER = np.float32(-1e8)
ACTIVATIONS = ("relu", "tanh")
VALUE, VALUES = "value.", 2  # how a value head's tensors begin, and how many numbers it gives
BELIEF = "belief."  # how a belief head's begin
LARGEST_LOGIT = 30.0


def layout_hash(game: Game) -> str:
    """SHA-256 of the observation pieces' names, shapes and order: policies fit a layout, not just its size."""
    return hashlib.sha256(json.dumps([[piece.name, list(piece.shape)] for piece in game.layout]).encode()).hexdigest()


Layers = list[tuple[np.ndarray, np.ndarray]]
"""Of a network: weights (out, in) and bias (out,), float32 each."""


class Policy(Agent):
    """Layers of (weights, bias) with an activation between them; the last one gives a logit for each action.

    Greedy: the legal action of the highest logit. Otherwise drawn from the softmax over the legal ones. With a value head,
    layers more that go on from the observation and the last hidden layer (what a policy need not know to act, such as the
    score, is lost there), it judges positions too; with a belief head, which is shown the observation and the others' private
    cells, it says how likely an imagined world is.
    """

    game: Game

    def __init__(
        self,
        game: Game,
        layers: Layers,
        activation: str,
        *,
        greedy: bool = True,
        name: str = "policy",
        settings: Mapping[str, Any] | None = None,
        value: Layers | None = None,
        belief: Layers | None = None,
    ) -> None:
        """`value`, `belief`: its heads. Raises CheckpointError for layers that do not fit the game or one another."""
        self.game, self.activation, self.greedy, self.name = game, activation, greedy, name
        self.settings = dict(settings or {})
        self.layers, self.value, self.belief = _as_layers(layers), _as_layers(value or []), _as_layers(belief or [])
        self._check()
        self.learned = _digest([*self.layers, *self.value, *self.belief])

    def _check(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise CheckpointError(f"activation is {self.activation!r}; allowed: {', '.join(ACTIVATIONS)}")
        given = _outputs(self.layers, self.game.layout.size, "layer")
        if given != self.game.actions:
            raise CheckpointError(f"the policy gives {given} actions; {self.game.id} has {self.game.actions}")
        if self.value and _outputs(self.value, self.known, "value head's layer") != VALUES:
            raise CheckpointError(f"the value head gives {len(self.value[-1][1])} numbers; needed: {VALUES}")
        if self.belief and _outputs(self.belief, self.game.layout.size + self.guessed, "belief head's layer") != 1:
            raise CheckpointError(f"the belief head gives {len(self.belief[-1][1])} numbers; needed: 1")

    @property
    def acts_by(self) -> str:
        """SHA-256 of the weights that its actions depend on: those of the heads do not count."""
        return _digest(self.layers)

    @property
    def guessed(self) -> int:
        """How many private cells of others a belief head is shown: those of each at the largest table."""
        return (max(self.game.sizes) - 1) * len(self.game.layout.private)

    @property
    def known(self) -> int:
        """How many numbers a value head goes on from."""
        return int(self.layers[-1][0].shape[1]) + self.game.layout.size

    def know(self, observations: np.ndarray) -> np.ndarray:
        """What a value head goes on from: the last hidden layer and the observation; float32, (n, known)."""
        return np.concatenate([self.hidden(observations), observations], axis=1)

    def hidden(self, observations: np.ndarray) -> np.ndarray:
        """What the last hidden layer gives, float32."""
        x = observations
        for layer in self.layers[:-1]:
            x = self._activated(x, layer)
        return x

    def _activated(self, x: np.ndarray, layer: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        weights, bias = layer
        x = x @ weights.T
        x += bias
        return np.maximum(x, 0, out=x) if self.activation == "relu" else np.tanh(x, out=x)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Logits of all actions, float32, shape (n, actions)."""
        weights, bias = self.layers[-1]
        return self.hidden(observations) @ weights.T + bias

    def check_value(self) -> None:
        """Raises CheckpointError if the policy has no value head."""
        if not self.value:
            raise CheckpointError(f"{self.name} has no value head; python -m experiments.values fits one to a policy")

    def values(self, observations: np.ndarray) -> np.ndarray:
        """What the match is worth to whose observation it is, to move or not, among copies of this policy; float32, (n, 2).

        That is the expected share of the win, from 0 to 1, and the expected margin at the end in points (own less the mean of
        the others'). Raises CheckpointError if the policy has no value head.
        """
        self.check_value()
        x = self.know(observations)
        for layer in self.value[:-1]:
            x = self._activated(x, layer)
        weights, bias = self.value[-1]
        x = x @ weights.T + bias
        x[:, 0] = 1 / (1 + np.exp(-x[:, 0].clip(-LARGEST_LOGIT, LARGEST_LOGIT)))
        return x

    def check_belief(self) -> None:
        """Raises CheckpointError if the policy has no belief head."""
        if not self.belief:
            raise CheckpointError(f"{self.name} has no belief head; python -m experiments.beliefs fits one to a policy")

    def likelier(self, observations: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """How much likelier worlds are than `determinize` makes them, for a seat among copies of this policy: logarithms.

        `observations`: the seat's, float32, (n, layout size); `cells`: the others' private cells in w worlds of each, in the
        order in which they sit after it, zeros for seats that a table lacks, float32, (n, w, guessed). Returns float32, (n, w).
        Raises CheckpointError if the policy has no belief head.
        """
        self.check_belief()
        weights, bias = self.belief[0]
        size = self.game.layout.size
        x = (observations @ weights[:, :size].T + bias)[:, None] + cells @ weights[:, size:].T
        x = np.maximum(x, 0, out=x) if self.activation == "relu" else np.tanh(x, out=x)
        for layer in self.belief[1:-1]:
            x = self._activated(x, layer)
        weights, bias = self.belief[-1]
        return (x @ weights.T + bias)[..., 0]  # type: ignore[no-any-return]

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
        return self._with(greedy=greedy)

    def judging(self, value: Layers) -> Policy:
        """The same policy with this value head. Raises CheckpointError."""
        return self._with(value=value)

    def believing(self, belief: Layers) -> Policy:
        """The same policy with this belief head. Raises CheckpointError."""
        return self._with(belief=belief)

    def _with(self, **changed: Any) -> Policy:
        heads = {"value": self.value, "belief": self.belief}
        told = {"greedy": self.greedy, "name": self.name, "settings": self.settings, **heads, **changed}
        return type(self)(self.game, self.layers, self.activation, **told)

    # -- saving --------------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, bytes]:
        """What is saved, by file name."""
        tensors = {}
        for start, layers in (("", self.layers), (VALUE, self.value), (BELIEF, self.belief)):
            for number, (weights, bias) in enumerate(layers):
                tensors[f"{start}{number}.weight"], tensors[f"{start}{number}.bias"] = weights, bias
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
            "network": _shape(self.layers),
            **({"value": _shape(self.value)} if self.value else {}),
            **({"belief": _shape(self.belief)} if self.belief else {}),
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
        networks = _networks(path, manifest, tensors)
        settings = manifest.get("settings")
        try:
            return cls(
                game, networks[""], str(manifest.get("activation")), greedy=greedy, name=name or f"policy:{folder}",
                settings=settings if isinstance(settings, dict) else {}, value=networks[VALUE], belief=networks[BELIEF],
            )  # fmt: skip
        except CheckpointError as error:
            raise CheckpointError(f"{path}: {error}") from None


def replace_policy(policy: Policy, folder: Path) -> None:
    """Save it in place of what the folder holds, if there is one. Raises CheckpointError or OSError.

    Whenever it is cut off, a whole policy lies in the folder, or beside it where `settle` and the next call find it.
    """
    settle(folder)
    new, _ = copies_of(folder)
    policy.save(new)
    settle(folder)


def check_game(path: Path, manifest: Mapping[str, Any], game: Game) -> None:
    """Raises CheckpointError unless the manifest is of this game, version, layout and number of actions."""
    for key, mine, what in (
        ("game", game.id, "made for game"),
        ("layout", layout_hash(game), "made for an observation layout with hash"),
        ("actions", game.actions, "made for a number of actions of"),
    ):
        if manifest.get(key) != mine:
            raise CheckpointError(f"{path} was {what} {manifest.get(key)!r}; needed: {mine!r}")


def _as_layers(layers: Layers) -> Layers:
    """Float32; weights column by column in memory, so that few rows times `weights.T` take less time."""
    return [(np.array(weights, np.float32, order="F"), np.array(bias, np.float32)) for weights, bias in layers]


def _shape(layers: Layers) -> list[int]:
    """Its inputs and the outputs of every layer."""
    return [int(layers[0][0].shape[1]), *(int(weights.shape[0]) for weights, _ in layers)]


def _digest(layers: Layers) -> str:
    """SHA-256 of their numbers."""
    return hashlib.sha256(b"".join(array.tobytes() for layer in layers for array in layer)).hexdigest()


def _outputs(layers: Layers, size: int, what: str) -> int:
    """How many numbers these layers give for `size` inputs. Raises CheckpointError if they do not fit."""
    for number, (weights, bias) in enumerate(layers):
        if weights.ndim != 2 or weights.shape[1] != size or bias.shape != weights.shape[:1]:
            raise CheckpointError(f"{what} {number} has weights {weights.shape} and bias {bias.shape} for {size} inputs")
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise CheckpointError(f"{what} {number} holds numbers that are not finite")
        size = weights.shape[0]
    return size


def _networks(path: Path, manifest: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> dict[str, Layers]:
    """How a network's tensors begin -> they in order, after checking that they are just those which the manifest announces."""
    sizes = {"": _sizes(path, manifest, "network")}
    for start in (VALUE, BELIEF):
        if start[:-1] in manifest:
            sizes[start] = _sizes(path, manifest, start[:-1])
    expected: dict[str, tuple[int, ...]] = {}
    for start, shape in sizes.items():
        for number, (inputs, outputs) in enumerate(pairwise(shape)):
            expected[f"{start}{number}.weight"], expected[f"{start}{number}.bias"] = (outputs, inputs), (outputs,)
    found = {name: array.shape for name, array in tensors.items()}
    if found != expected or any(array.dtype != np.float32 for array in tensors.values()):
        raise CheckpointError(f"{path / WEIGHTS} holds {found}; needed: float32 {expected}")
    return {
        start: [(tensors[f"{start}{n}.weight"], tensors[f"{start}{n}.bias"]) for n in range(len(sizes.get(start, [0])) - 1)]
        for start in ("", VALUE, BELIEF)
    }


def _sizes(path: Path, manifest: Mapping[str, Any], key: str) -> list[int]:
    """The layer sizes that a manifest announces."""
    shape = manifest.get(key)
    if not isinstance(shape, list) or not 2 <= len(shape) <= MOST_LAYERS + 1:
        raise CheckpointError(f"{path / MANIFEST}: {key} is {shape!r}; needed: a list of 2 to {MOST_LAYERS + 1} layer sizes")
    if not all(type(size) is int and 0 < size <= LARGEST_LAYER for size in shape):
        raise CheckpointError(f"{path / MANIFEST}: {key} is {shape!r}; needed: sizes from 1 to {LARGEST_LAYER}")
    return shape


def newest_checkpoint(run: Path) -> Path | None:
    """The newest complete checkpoint of a run folder; None if it has none."""
    folders = sorted((run / "checkpoints").glob("[0-9]*"), reverse=True)
    return next((folder for folder in folders if (folder / MANIFEST).is_file()), None)
