"""Saved policies from strangers: whatever is in the folder, it loads as it was saved or ends in a CheckpointError."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import random
import shutil
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.sealed import LARGEST_FILE, pack, sealed
from pirate_envs.core.errors import CheckpointError

GAME = pirate_envs.load("piraten_kapern")
WEIGHTS, MANIFEST = "weights.safetensors", "manifest.json"
Json = dict[str, Any]
EACH = 17  # of 12 attacks: 204 policies


def some_policy() -> Policy:
    generator = np.random.default_rng(0)
    sizes = [GAME.layout.size, 8, GAME.actions]
    layers = [(generator.normal(size=(b, a)), generator.normal(size=b)) for a, b in pairwise(sizes)]
    return Policy(GAME, layers, "relu", settings={"width": 8})


class Bomb:
    """Leaves a file behind if it is ever unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


# -- what a stranger may do to the folder --------------------------------------------------------------------------------


def seal_again(folder: Path, **changes: Any) -> None:
    """Write a manifest that vouches for the files as they are, with these changes."""
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["sha256"] = {WEIGHTS: hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()}
    (folder / MANIFEST).write_bytes(sealed({key: value for key, value in {**manifest, **changes}.items() if key != "seal"}))


def truncate(folder: Path, rng: random.Random) -> None:
    file = folder / rng.choice([WEIGHTS, MANIFEST])
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)])


def truncate_and_vouch(folder: Path, rng: random.Random) -> None:
    file = folder / WEIGHTS
    file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)])
    seal_again(folder)


def flip(folder: Path, rng: random.Random) -> None:
    file = folder / rng.choice([WEIGHTS, MANIFEST])
    data = bytearray(file.read_bytes())
    for _ in range(rng.choice([1, 1, 8, 100])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def flip_the_header_and_vouch(folder: Path, rng: random.Random) -> None:
    data = bytearray((folder / WEIGHTS).read_bytes())
    header = 8 + int.from_bytes(data[:8], "little")
    data[rng.randrange(header)] ^= 1 << rng.randrange(8)
    (folder / WEIGHTS).write_bytes(data)
    seal_again(folder)


def tensors_of_the_policy() -> dict[str, np.ndarray]:
    parts = ("weight", "bias")
    layers = enumerate(some_policy().layers)
    return {f"{number}.{part}": array for number, layer in layers for part, array in zip(parts, layer, strict=True)}


def other_shapes(folder: Path, rng: random.Random) -> None:
    tensors = tensors_of_the_policy()
    name = rng.choice(sorted(tensors))
    array = tensors[name]
    how = rng.choice(["more", "fewer", "flat", "empty", "scalar", "deep", "gone", "extra", "renamed"])
    changed: dict[str, np.ndarray] = {
        "more": np.concatenate([array, array]), "fewer": array[:-1], "flat": np.append(array.ravel(), np.float32(0)),
        "empty": array[:0], "scalar": np.zeros((), np.float32), "deep": array[None],
    }  # fmt: skip
    if how in changed:
        tensors[name] = np.ascontiguousarray(changed[how])
    elif how == "extra":
        tensors[f"{rng.randrange(9, 99)}.weight"] = array
    else:
        taken = tensors.pop(name)
        if how == "renamed":
            tensors[rng.choice(["../weights", "__class__", "", "0.weight\0", "9.bias"])] = taken
    (folder / WEIGHTS).write_bytes(pack(tensors))
    seal_again(folder)


def other_numbers(folder: Path, rng: random.Random) -> None:
    tensors = tensors_of_the_policy()
    name = rng.choice(sorted(tensors))
    if rng.random() < 0.5:
        tensors[name].flat[rng.randrange(tensors[name].size)] = rng.choice([np.nan, np.inf, -np.inf])
    else:
        tensors[name] = tensors[name].astype(rng.choice([np.float64, np.float16, np.int32, np.uint8, np.bool_]))
    (folder / WEIGHTS).write_bytes(pack(tensors))
    seal_again(folder)


def a_pickle(folder: Path, rng: random.Random) -> None:
    data = pickle.dumps(Bomb(folder / "exploded"))
    if rng.random() < 0.5:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(rng.choice(["archive/data.pkl", "../../escaped", "data.pkl"]), data)
        data = archive.getvalue()
    (folder / WEIGHTS).write_bytes(data)
    seal_again(folder)


def a_lying_header(folder: Path, rng: random.Random) -> None:
    data = (folder / WEIGHTS).read_bytes()
    length = rng.choice([0, 1, 7, len(data), 2**31, 2**62, 2**64 - 1])
    huge = b'{"0.weight":{"dtype":"F32","shape":[4294967295,4294967295],"data_offsets":[0,8]}}'
    header = rng.choice([b"{}", huge, b"[" * 5000])
    (folder / WEIGHTS).write_bytes(length.to_bytes(8, "little") + header + data[8:])
    seal_again(folder)


def oversize(folder: Path, rng: random.Random) -> None:
    file = folder / rng.choice([WEIGHTS, MANIFEST])
    with file.open("r+b") as opened:
        opened.truncate(LARGEST_FILE + 1)  # a hole, not that many bytes


def a_path(folder: Path, rng: random.Random) -> None:
    outside = folder.parent / "outside"
    shutil.copytree(folder, outside, dirs_exist_ok=True)
    how = rng.choice(["symlink", "folder", "names", "dangling"])
    if how == "names":
        named = dict.fromkeys(("../outside/weights.safetensors", "/etc/passwd", f"../{folder.name}/{MANIFEST}"), "0" * 64)
        seal_again(folder)
        manifest = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_bytes(sealed({**{k: v for k, v in manifest.items() if k != "seal"}, "sha256": named}))
        return
    (folder / WEIGHTS).unlink()
    if how == "folder":
        (folder / WEIGHTS).mkdir()
    else:
        (folder / WEIGHTS).symlink_to(outside / (WEIGHTS if how == "symlink" else "nothing"))


STRANGE: list[Any] = [
    None, True, -1, 0, 2**70, 1.5, "", "x" * 10_000, [], {}, [[[]]], {"a": {"b": []}}, float("nan"), "../..", "\0", [None] * 40,
]  # fmt: skip


def other_words(folder: Path, rng: random.Random) -> None:
    """A field of the manifest that says something else, the seal right."""
    manifest = json.loads((folder / MANIFEST).read_text())
    checked = ["kind", "schema", "game", "layout", "actions", "network", "activation", "sha256"]
    seal_again(folder, **{rng.choice(checked): rng.choice(STRANGE)})
    if rng.random() < 0.3:
        sizes = [rng.choice([1, 8, 2**16, 2**40, -3, 0, "8", None, True]) for _ in range(rng.randrange(20))]
        seal_again(folder, network=[manifest["network"][0], *sizes, manifest["network"][-1]])


def other_json(folder: Path, rng: random.Random) -> None:
    texts = ["", "null", "[]", "{", "[" * 100_000, '{"a":' * 50_000, "NaN", "1" * 5000, '{"kind": "policy", "kind": 1}']
    (folder / MANIFEST).write_bytes(rng.choice(texts).encode() + rng.choice([b"", b"\xff\xfe", b"\0"]))


ATTACKS = (
    truncate, truncate_and_vouch, flip, flip_the_header_and_vouch, other_shapes, other_numbers, a_pickle, a_lying_header,
    oversize, a_path, other_words, other_json,
)  # fmt: skip


# -- what must come of it ------------------------------------------------------------------------------------------------


def attacked(attack: Callable[[Path, random.Random], None], seed: int, folder: Path) -> bool:
    """Attack a saved policy and load it: True if it was refused. Whatever loads must be what was saved, to the bit."""
    policy = some_policy()
    policy.save(folder / "p")
    attack(folder / "p", random.Random(seed))
    try:
        loaded = agent(GAME, f"policy:{folder / 'p'}")
    except CheckpointError:
        loaded = None
    if loaded is not None:
        assert isinstance(loaded, Policy) and loaded.activation == policy.activation and loaded.settings == policy.settings
        for (w, b), (v, c) in zip(policy.layers, loaded.layers, strict=True):
            np.testing.assert_array_equal(w, v)
            np.testing.assert_array_equal(b, c)
    assert not (folder / "p" / "exploded").exists(), "code ran"
    assert {path.name for path in folder.iterdir()} <= {"p", "outside"}, "something was written outside"
    return loaded is None


@pytest.fixture(autouse=True)
def nothing_is_unpickled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    for name in ("system", "popen"):
        monkeypatch.setattr(os, name, refuse)


def rounds(attack: Callable[[Path, random.Random], None], seeds: range, tmp_path: Path) -> int:
    refused = 0
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        refused += attacked(attack, seed, folder)
        shutil.rmtree(folder)
    return refused


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_a_hostile_policy_is_refused(attack: Callable[[Path, random.Random], None], tmp_path: Path) -> None:
    assert rounds(attack, range(EACH), tmp_path) >= (10 if attack in (flip, other_words, flip_the_header_and_vouch) else EACH)


@pytest.mark.long
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_two_thousand_hostile_policies_are_refused(attack: Callable[[Path, random.Random], None], tmp_path: Path) -> None:
    each = -(-2000 // len(ATTACKS))
    refused = rounds(attack, range(1000, 1000 + each), tmp_path)
    print(f"{attack.__name__}: {refused} of {each} refused, the others loaded as they were saved")
    assert refused > each // 2


def test_the_bomb_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpickled, it would leave its mark: the attack is a real one."""
    monkeypatch.undo()
    pickle.loads(pickle.dumps(Bomb(tmp_path / "exploded")))
    assert (tmp_path / "exploded").exists()
