"""Value heads: saved and checked as the policy is, fitted to how matches end, and held against what comes true."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from experiments import values as command
from experiments.values import ValueSettings, groups
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents import names as named
from pirate_envs.agents.learning.values import JudgedPositions, calibrated, fit, positions, positions_of_all_tables
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.sealed import read_json, sealed
from pirate_envs.core.errors import CheckpointError, OptionError, UnknownPlayerError
from tests.agents.test_agents import some_policy

pytestmark = pytest.mark.usefixtures("torch_settings")
SHORT = {"last_hand": 2}


def some_head(policy: Policy, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    sizes = [policy.known, 5, 2]
    return [(rng.normal(0, 0.1, (b, a)), rng.normal(0, 0.1, b)) for a, b in itertools.pairwise(sizes)]


def test_a_head_is_saved_with_the_policy(tmp_path: Path) -> None:
    policy = some_policy()
    judging = policy.judging(some_head(policy))
    judging.save(tmp_path / "p")
    again = Policy.load(policy.game, tmp_path / "p")
    seen = np.random.default_rng(0).random((7, policy.game.layout.size), dtype=np.float32)
    said = judging.values(seen)
    assert said.shape == (7, 2) and said.dtype == np.float32 and ((said[:, 0] > 0) & (said[:, 0] < 1)).all()
    np.testing.assert_array_equal(said, again.values(seen))
    np.testing.assert_array_equal(said, again.drawing().values(seen))
    np.testing.assert_array_equal(policy.logits(seen), again.logits(seen))
    assert again.learned == judging.learned != policy.learned
    first, last = judging.value
    x = policy.know(seen) @ first[0].T + first[1]
    x = np.maximum(x, 0) if policy.activation == "relu" else np.tanh(x)
    margins = (x @ last[0].T + last[1])[:, 1]
    np.testing.assert_allclose(said[:, 1], margins, rtol=1e-5)


def test_a_policy_without_a_head_says_so() -> None:
    policy = some_policy()
    with pytest.raises(CheckpointError, match="has no value head"):
        policy.values(np.zeros((1, policy.game.layout.size), np.float32))


def test_heads_that_do_not_fit() -> None:
    policy = some_policy()
    first, last = some_head(policy)
    nan = np.full_like(last[1], np.nan)
    for head, wrong in (
        ([first], "gives 5 numbers; needed: 2"),
        ([last], "layer 0 has weights"),
        ([first, (last[0], last[1][:1])], "layer 1 has weights"),
        ([first, (last[0], nan)], "not finite"),
    ):
        with pytest.raises(CheckpointError, match=wrong):
            policy.judging(head)


def test_manifests_of_other_heads_are_refused(tmp_path: Path) -> None:
    policy = some_policy()
    policy.judging(some_head(policy)).save(tmp_path / "p")
    file = tmp_path / "p" / "manifest.json"
    manifest = read_json(file)
    for value in ([policy.known, 6, 2], [policy.known], "x", [policy.known, -1, 2], None, [1 << 20, 2]):
        file.write_bytes(sealed({**manifest, "value": value}))
        with pytest.raises(CheckpointError):
            Policy.load(policy.game, tmp_path / "p")
    file.write_bytes(sealed({name: entry for name, entry in manifest.items() if name != "value"}))
    with pytest.raises(CheckpointError, match="holds"):
        Policy.load(policy.game, tmp_path / "p")


def test_positions_tell_how_their_matches_ended() -> None:
    game = load("skull_king", players=3, **SHORT)
    policy = agent(game, "policy:pretrained")
    assert isinstance(policy, Policy)
    found = positions(policy, game, 5000, 3)
    again = positions(policy, game, 5000, 3)
    assert len(found) == 5000 and found.observations.shape == (5000, game.layout.size)
    np.testing.assert_array_equal(found.observations, again.observations)
    assert found.wins.min() == 0 and found.wins.max() == 1
    assert abs(found.wins.mean() - 1 / 3) < 0.05 and abs(found.margins.mean()) < 3
    assert found.margins[found.wins == 1].min() >= 0 >= found.margins[found.wins == 0].min()
    assert (positions(policy, game, 5000, 4).observations != found.observations).any()
    everywhere = positions_of_all_tables(policy, game, 4000, 0)
    assert len(everywhere) == 4000 and everywhere.observations.any(axis=1).all()


def test_a_fitted_head_knows_more_than_the_mean(tmp_path: Path) -> None:
    game = load("skull_king", **SHORT)
    policy = agent(game, "policy:pretrained")
    assert isinstance(policy, Policy)
    head = fit(policy, positions(policy, game, 30_000, 0), 0)
    found = command.measured(policy.judging(head), positions(policy, game, 10_000, 1))
    assert found["log_loss"] < found["log_loss_of_mean"] - 0.02 and found["r2_margin"] > 0.03
    gaps = [abs(row["said"] - row["came"]["mean"]) for row in found["win_share"]]
    assert max(gaps) < 0.12


def test_a_head_that_is_too_sure_is_calibrated() -> None:
    """Of positions that end as a head says, that head comes back from one that says thrice as much, within their noise."""
    policy, chance = some_policy(), np.random.default_rng(0)
    first, (weights, bias) = some_head(policy)
    weights, bias = weights * np.array([[8.0], [1.0]]), np.array([0.5, 2.0])
    truthful = policy.judging([first, (weights, bias)])
    too_sure = policy.judging([first, (weights * np.array([[3.0], [1.0]]), np.array([2.5, 2.0]))])
    seen = chance.random((40_000, policy.game.layout.size), dtype=np.float32)
    wins = (chance.random(len(seen)) < truthful.values(seen)[:, 0]).astype(np.float32)
    known = JudgedPositions(seen, wins, np.zeros_like(wins), np.arange(len(wins)))
    mended = policy.judging(calibrated(too_sure, known))
    curves = [groups(each.values(seen)[:, 0], wins, known.matches) for each in (too_sure, mended)]
    worst = [max(abs(group.gap) for group in curve) for curve in curves]
    assert worst[0] > 0.1 and worst[1] < 0.02
    np.testing.assert_allclose(mended.value[1][0][0], weights[0], rtol=0.1)
    assert mended.value[1][1][0] == pytest.approx(0.5, abs=0.15)
    np.testing.assert_array_equal(mended.values(seen)[:, 1], too_sure.values(seen)[:, 1])


def test_groups_are_of_equal_size_and_ordered() -> None:
    said = np.linspace(0, 1, 1000)
    came = (np.random.default_rng(0).random(1000) < said).astype(float)
    found = groups(said, came, np.arange(1000) // 4)
    assert [group.said for group in found] == sorted(group.said for group in found)
    assert all(group.came.low <= group.came.mean <= group.came.high for group in found)
    assert all(abs(group.gap) < 0.15 for group in found)


def test_the_command_fits_prints_and_puts_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    monkeypatch.setattr(command, "PRETRAINED", tmp_path / "pretrained")
    settings = ValueSettings("piraten_kapern", positions=3000, calibrating=2000, held_out=2000, out=tmp_path / "p", write=True)
    content = command.main(settings)
    assert content == json.loads((tmp_path / "values_piraten_kapern.json").read_text())
    assert list(content["sizes"]) == ["2", "3", "5"] and all(0 < row["said"] < 1 for row in content["sizes"].values())
    page = (tmp_path / "values_piraten_kapern.md").read_text()
    assert "Furthest off at other tables: with 2 seats" in page
    assert page in capsys.readouterr().out and page.count("\n| ") == 12
    assert (tmp_path / "values_piraten_kapern.png").read_bytes().startswith(b"\x89PNG")
    game = load("piraten_kapern")
    assert Policy.load(game, tmp_path / "p").learned == Policy.load(game, tmp_path / "pretrained" / "piraten_kapern").learned
    monkeypatch.setattr(named, "PRETRAINED", tmp_path / "pretrained")
    player = agent(game, "policy:pretrained")
    assert isinstance(player, Policy) and player.value
    again = command.main(ValueSettings("piraten_kapern", held_out=2000, measure=True, write=True))
    assert (again["measured"], again["sizes"]) == (content["measured"], content["sizes"])  # the head that was put in place
    kept = agent(game, "policy:pretrained")
    assert kept.learned == player.learned and "--measure" not in content["command"]


def test_bad_settings() -> None:
    for told, error in (
        ({"positions": 10}, OptionError),
        ({"held_out": 0}, OptionError),
        ({"calibrating": 10}, OptionError),
        ({"measure": True, "out": Path("runs/judging")}, OptionError),
        ({"measure": True, "policy": "policy:pretrained-v1"}, OptionError),
        ({"write": True, "policy": "policy:pretrained-v1"}, OptionError),  # would stand in the shipped one's place
        ({"write": True, "measure": True, "players": 2}, OptionError),
        ({"policy": "rules:strongest"}, UnknownPlayerError),
        ({"policy": "policy:nowhere"}, CheckpointError),
    ):
        with pytest.raises(error):
            command.main(ValueSettings("skull_king", **told))  # type: ignore[arg-type]
