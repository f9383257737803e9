"""Players: baselines, frozen policies, names, the pool."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

import pirate_envs
from pirate_envs.agents import Decisions, agent, agent_names, names
from pirate_envs.agents.baselines import Rules, Uniform
from pirate_envs.agents.learning.pool import Pool
from pirate_envs.agents.names import LEVELS
from pirate_envs.agents.policy import Policy, newest_checkpoint, replace_policy
from pirate_envs.agents.sealed import check_new, copies_of, pack, sealed, settle, write_sealed
from pirate_envs.core.errors import CheckpointError, OptionError, UnknownPlayerError
from pirate_envs.core.game import Game

GAME = pirate_envs.load("skull_king")


def some_policy(game: Game = GAME, seed: int = 0, activation: str = "tanh", greedy: bool = True) -> Policy:
    generator = np.random.default_rng(seed)
    sizes = [game.layout.size, 16, 8, game.actions]
    layers = [
        (generator.normal(size=(n, m)).astype(np.float32), generator.normal(size=n).astype(np.float32))
        for m, n in pairwise(sizes)
    ]
    return Policy(game, layers, activation, greedy=greedy)


def some_decisions(count: int = 200, seed: int = 0) -> Decisions:
    """Positions reached by uniform play."""
    batch = pirate_envs.Batch(GAME, count, seed)
    for _ in range(25):
        batch.step(batch.random_actions())
    chances = np.random.default_rng(seed).random(count)
    records = np.array([GAME.redacted(g, int(g.to_move)) for g in batch.records], batch.records.dtype)
    return Decisions(batch.observations.copy(), batch.action_masks.astype(bool), chances, records)


def test_uniform_takes_every_legal_action_equally_often_and_no_other() -> None:
    masks = np.zeros((6000, GAME.actions), bool)
    masks[:, [2, 5, 70]] = True
    chances = np.random.default_rng(1).random(6000)
    actions = Uniform().act(Decisions(np.zeros((6000, 1)), masks, chances, None))
    counts = np.bincount(actions, minlength=71)
    assert counts[[2, 5, 70]].sum() == 6000
    np.testing.assert_allclose(counts[[2, 5, 70]] / 6000, 1 / 3, atol=4 * np.sqrt(2 / 9 / 6000))


def test_uniform_stays_legal_at_the_ends_of_chance() -> None:
    masks = np.zeros((2, GAME.actions), bool)
    masks[:, [0, 40]] = True
    assert Uniform().act(Decisions(np.zeros((2, 1)), masks, np.array([0.0, 1 - 2**-32]), None)).tolist() == [0, 40]


def test_rule_players_act_as_the_game_says() -> None:
    decisions = some_decisions(50)
    for name in GAME.rule_players:
        player = agent(GAME, f"rules:{name}")
        expected = [GAME.rule_action(g, name) for g in decisions.records]
        assert player.wants_records
        assert player.act(decisions).tolist() == expected
    assert agent(GAME, "rules:strongest").name == f"rules:{GAME.rule_players[-1]}"


def test_names_are_resolved_and_unknown_ones_say_what_there_is(tmp_path: Path) -> None:
    assert isinstance(agent(GAME, "random"), Uniform) and isinstance(agent(GAME, "rules:strongest"), Rules)
    some_policy().save(tmp_path / "p")
    assert agent(GAME, f"policy:{tmp_path / 'p'}").role is None
    for name in ("nobody", "rules:", "rules:nobody", "policy:", ""):
        with pytest.raises(UnknownPlayerError) as error:
            agent(GAME, name)
        assert all(known in str(error.value) for known in agent_names(GAME)[len(LEVELS) : len(LEVELS) + 3])


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_a_policy_plays_as_the_same_network_in_torch(activation: str) -> None:
    policy = some_policy(activation=activation)
    modules: list[torch.nn.Module] = []
    for weights, bias in policy.layers:
        linear = torch.nn.Linear(weights.shape[1], weights.shape[0])
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(weights))
            linear.bias.copy_(torch.from_numpy(bias))
        modules += [linear, torch.nn.Tanh() if activation == "tanh" else torch.nn.ReLU()]
    network = torch.nn.Sequential(*modules[:-1])
    decisions = some_decisions(500)
    with torch.no_grad():
        logits = network(torch.from_numpy(decisions.observations))
        logits[torch.from_numpy(~decisions.action_masks)] = -1e8
    np.testing.assert_array_equal(policy.act(decisions), logits.argmax(1).numpy())


def test_a_policy_that_is_not_greedy_draws_from_its_softmax() -> None:
    policy = some_policy(greedy=False)
    weights, bias = policy.layers[-1]
    policy.layers[-1] = (weights * np.float32(0.2), bias * np.float32(0.2))  # no near-certainties
    one = some_decisions(40)
    which = int(one.action_masks.sum(1).argmax())
    count = 20000
    many = Decisions(
        np.repeat(one.observations[[which]], count, 0), np.repeat(one.action_masks[[which]], count, 0),
        np.random.default_rng(3).random(count), None,
    )  # fmt: skip
    logits = policy.logits(many.observations[:1])[0].astype(float)
    weights = np.where(many.action_masks[0], np.exp(logits - logits.max()), 0)
    shares = np.bincount(policy.act(many), minlength=GAME.actions) / count
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.015)
    assert (shares > 0.02).sum() > 1


def test_a_saved_policy_comes_back_the_same(tmp_path: Path) -> None:
    policy = some_policy()
    policy.settings = {"width": 16}
    policy.save(tmp_path / "saved")
    again = Policy.load(GAME, tmp_path / "saved")
    for (w, b), (v, c) in zip(policy.layers, again.layers, strict=True):
        np.testing.assert_array_equal(w, v)
        np.testing.assert_array_equal(b, c)
    assert again.settings == {"width": 16} and again.activation == "tanh"
    Policy.load(pirate_envs.load("skull_king", players=3), tmp_path / "saved")  # other options, the same layout
    with pytest.raises(CheckpointError, match="exists already"):
        policy.save(tmp_path / "saved")
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def edited(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_bytes(sealed({**manifest, **changes}))


def reweighted(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    """Replace the weights, with a manifest that vouches for them."""
    manifest = json.loads((folder / "manifest.json").read_text())
    shutil.rmtree(folder)
    write_sealed(
        folder, {"weights.safetensors": pack(tensors)}, {k: v for k, v in manifest.items() if k not in ("sha256", "seal")}
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "recipe"}, "recipe"),
        ({"schema": 99}, "schema 99"),
        ({"game": "skull_king-v9"}, "skull_king-v9"),
        ({"layout": "0" * 64}, "layout"),
        ({"actions": 5}, "number of actions of 5"),
        ({"network": [GAME.layout.size, GAME.actions]}, "holds"),
        ({"network": [1] * 99}, "layer sizes"),
        ({"network": "wide"}, "layer sizes"),
        ({"network": [GAME.layout.size, -1, GAME.actions]}, "sizes from 1"),
        ({"activation": "swish"}, "swish"),
        ({"sha256": {}}, "no SHA-256"),
        ({"sha256": {"weights.safetensors": "0" * 64}}, "corrupt"),
    ],
)
def test_a_foreign_policy_is_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    some_policy().save(tmp_path / "p")
    edited(tmp_path / "p", **changes)
    with pytest.raises(CheckpointError, match=message):
        Policy.load(GAME, tmp_path / "p")


def test_a_broken_policy_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    with pytest.raises(CheckpointError, match="no manifest"):
        Policy.load(GAME, folder)
    policy = some_policy()
    policy.save(folder)
    weights = folder / "weights.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    with pytest.raises(CheckpointError, match="corrupt"):
        Policy.load(GAME, folder)
    weights.write_bytes(data[:100])
    with pytest.raises(CheckpointError, match="corrupt"):
        Policy.load(GAME, folder)
    weights.unlink()
    with pytest.raises(CheckpointError, match="missing"):
        Policy.load(GAME, folder)
    for text in ("{", "[]", "[" * 100_000, '"\ud800"'):
        (folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(CheckpointError, match="JSON"):
            Policy.load(GAME, folder)


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    policy = some_policy()
    policy.save(folder)
    good = {f"{i}.{n}": a for i, layer in enumerate(policy.layers) for n, a in zip(("weight", "bias"), layer, strict=True)}
    reweighted(folder, good)
    Policy.load(GAME, folder)
    for change, message in (
        ({"0.weight": good["0.weight"][:, :-1]}, "holds"),
        ({"0.weight": good["0.weight"].astype(np.float64)}, "float32"),
        ({"0.bias": np.full_like(good["0.bias"], np.nan)}, "not finite"),
        ({"more": good["0.bias"]}, "more"),
    ):
        reweighted(folder, {**good, **change})
        with pytest.raises(CheckpointError, match=message):
            Policy.load(GAME, folder)


def test_an_interrupted_save_leaves_no_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("pirate_envs.agents.sealed.sync_folder", full)
    with pytest.raises(OSError, match="no space"):
        some_policy().save(tmp_path / "p")
    assert list(tmp_path.iterdir()) == []


class KilledError(BaseException):
    """Stands for SIGKILL: nothing that the process does afterwards has any effect."""


def killed_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is killed before the `step`-th time that it renames or deletes something."""
    left = [step]

    def counted(do):
        def call(*arguments, **named):
            left[0] -= 1
            if left[0] < 0:
                raise KilledError
            return do(*arguments, **named)

        return call

    for where, name in ((Path, "rename"), (Path, "unlink"), (shutil, "rmtree")):
        monkeypatch.setattr(where, name, counted(getattr(where, name)))


def replaced(folder: Path, policies: list[Policy], step: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """The second policy in place of the first one, killed at a step; whether it came to its end before."""
    shutil.rmtree(folder.parent, ignore_errors=True)
    policies[0].save(folder)
    with monkeypatch.context() as patch, suppress(KilledError):
        killed_at(step, patch)
        replace_policy(policies[1], folder)
        return True
    return False


def test_a_replacement_that_is_killed_loses_no_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, policies = tmp_path / "place" / "skull_king", [some_policy(seed=seed) for seed in range(3)]
    learned = [policy.learned for policy in policies]
    step, missing = 0, 0
    while not replaced(folder, policies, step, monkeypatch):
        if not folder.exists():
            missing += 1
            with pytest.raises(CheckpointError, match="is missing; a whole one lies in ") as error:
                agent(GAME, f"policy:{folder}")
            copy = next(copy for copy in copies_of(folder) if f" {copy}, " in str(error.value))
            assert Policy.load(GAME, copy).learned in learned[:2]
        for act in (settle, lambda folder: replace_policy(policies[2], folder)):
            replaced(folder, policies, step, monkeypatch)
            act(folder)
            left = [path for path in folder.parent.iterdir() if not path.name.endswith(".part")]
            assert left == [folder]
            assert Policy.load(GAME, folder).learned in (learned[:2] if act is settle else learned[2:])
        step += 1
    assert missing and Policy.load(GAME, folder).learned == learned[1]


def test_what_comes_with_a_game_is_told_where_its_replacement_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "PRETRAINED", tmp_path)
    new, _ = copies_of(tmp_path / GAME.name)
    some_policy().save(new)
    with pytest.raises(CheckpointError, match=f"is missing; a whole one lies in {new}, where a write was cut off"):
        agent(GAME, "policy:pretrained")
    replace_policy(some_policy(seed=1), tmp_path / GAME.name)
    assert agent(GAME, "policy:pretrained").learned == some_policy(seed=1).learned


def test_a_policy_of_a_long_name_is_saved(tmp_path: Path) -> None:
    check_new(tmp_path / ("p" * 255))
    some_policy().save(tmp_path / ("p" * 255))
    assert os.listdir(tmp_path) == ["p" * 255]
    with pytest.raises(OSError, match="File name too long"):
        check_new(tmp_path / ("p" * 256))


def test_the_newest_complete_checkpoint_is_used(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path) is None
    for number in (5, 20):
        some_policy(seed=number).save(tmp_path / "checkpoints" / f"{number:012d}")
    (tmp_path / "checkpoints" / "000000000030").mkdir()
    (tmp_path / "checkpoints" / ".000000000040.part").mkdir()
    assert newest_checkpoint(tmp_path) == tmp_path / "checkpoints" / "000000000020"
    np.testing.assert_array_equal(Policy.load(GAME, tmp_path).layers[0][0], some_policy(seed=20).layers[0][0])


def test_the_pool_mixes_its_groups() -> None:
    pool = Pool(GAME, {"latest": 0.5, "older": 0.2, "rules": 0.2, "random": 0.1}, some_policy(), keep=3)
    rules = {f"rules:{name}": pytest.approx(0.2 / len(GAME.rule_players)) for name in GAME.rule_players}
    assert pool.mix() == {"latest": 0.5, "random": 0.1, **rules}
    for time in range(100, 1100, 100):
        pool.keep_snapshot(time)
    assert len(pool.older) == 3 and max(pool.older) == 1000 and min(pool.older) <= 500
    older = {f"older:{time}": pytest.approx(0.2 / 3) for time in pool.older}
    assert pool.mix() == {"latest": 0.5, "random": 0.1, **rules, **older}
    assert list(pool.policies()) == ["latest", *older]


def test_a_pool_that_makes_no_sense_is_refused() -> None:
    for shares in ({"everyone": 1.0}, {"latest": -1.0}, {"older": 1.0}, {}, {"latest": float("nan")}):
        with pytest.raises(OptionError):
            Pool(GAME, shares, some_policy())
