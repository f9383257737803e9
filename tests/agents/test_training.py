"""Training runs: what they learn on, what they leave behind, and which settings are refused."""

from __future__ import annotations

import csv
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments import train
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.learning import maskable_ppo, runs
from pirate_envs.agents.learning import training as course
from pirate_envs.agents.learning.maskable_ppo import MaskablePPOLearner
from pirate_envs.agents.learning.settings import MaskablePPOSettings, TrainingSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.policy import Policy, newest_checkpoint
from pirate_envs.core.errors import OptionError, UnknownGameError
from pirate_envs.doors.sb3 import PirateVecEnv
from tests.agents.trainings import TINY, TINY_PPO, lanes

both_learners = pytest.mark.parametrize("tiny", [TINY, TINY_PPO], ids=["sb3", "ppo"])
pytestmark = pytest.mark.usefixtures("torch_settings")


@both_learners
def test_a_run_leaves_everything_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str], tiny: TrainingSettings) -> None:
    folder = train.main(replace(tiny, out=tmp_path))
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "settings.json", "metrics.csv", "evaluations.csv", "checkpoints", "best", "learning_curve.png", "results.md",
        "results.json", "tensorboard", "cross_play.csv", "cross_play.png",
    }  # fmt: skip
    settings = json.loads((folder / "settings.json").read_text())
    assert settings["settings"]["decisions"] == 3072 and settings["git"]
    assert settings["versions"]["torch"].partition("+")[0] == torch.__version__.partition("+")[0]  # not all wheels say more
    rows = list(csv.DictReader((folder / "metrics.csv").read_text().splitlines()))
    assert [int(row["decisions"]) for row in rows] == list(range(512, 3073, 512))
    assert all(float(row["entropy"]) > 0 for row in rows)
    evaluations = list(csv.DictReader((folder / "evaluations.csv").read_text().splitlines()))
    opponents = {row["opponent"] for row in evaluations}
    game = load("skull_king")
    assert opponents == {"random", *(f"rules:{name}" for name in game.rule_players)}
    counts = [int(row["decisions"]) for row in evaluations if row["opponent"] == "random"]
    assert counts == [*range(0, 3073, 512), 3072]  # the last one twice: in the course of the run and at its end
    assert all(float(row["minutes"]) == 0 for row in evaluations if row["decisions"] == "0")
    assert [path.name for path in sorted((folder / "checkpoints").iterdir())] == [f"{n:012d}" for n in (2048, 2560, 3072)]
    assert len(list((folder / "best").iterdir())) == 1
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    results = json.loads((folder / "results.json").read_text())
    assert set(results["evaluations"]) == opponents and results["learner"] == tiny.learner
    assert results["parameters"] > 1000 and results["precision"] == "float32"
    table = (folder / "results.md").read_text()
    printed = capsys.readouterr().out
    assert "python -m experiments.train" in table and table in printed and "computed in float32" in printed
    player = agent(load("skull_king", last_hand=2), f"policy:{folder}")
    assert versus(load("skull_king", last_hand=2), player, agent(game, "random"), 5).matches == 20


@both_learners
def test_runs_of_other_seeds_learn_on_other_deals(tiny: TrainingSettings) -> None:
    begun = []
    for seed in (0, 1):
        dealt = lanes(Training(None, replace(tiny, out=None, seed=seed)))
        if not dealt.started:
            dealt.reset()
        begun.append({tuple(words) for words in dealt.records["seed"].tolist()})
    assert len(begun[0]) == len(begun[1]) == tiny.lanes and not begun[0] & begun[1]


def test_the_frozen_policy_is_the_learners(tmp_path: Path) -> None:
    training = Training(tmp_path, TINY)
    training.iterate()
    assert isinstance(training.learner, MaskablePPOLearner)
    env, model = training.learner.env, training.learner.model
    expected, _ = model.predict(env.lanes.observations, deterministic=True, action_masks=env.action_masks())
    np.testing.assert_array_equal(training.policy().act(env.lanes.decisions(np.arange(TINY.lanes))), expected)


def test_the_policy_class_has_the_stock_probabilities() -> None:
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

    env = PirateVecEnv(load("skull_king"), 64)
    model = maskable_ppo.build(env, TINY, lambda: 1e-3)
    observations = torch.from_numpy(env.reset())
    masks = env.action_masks()
    actions, values, chosen = model.policy(observations, action_masks=masks)
    assert masks[np.arange(64), actions.numpy()].all()
    for ours, stock in zip(
        model.policy.evaluate_actions(observations, actions, torch.from_numpy(masks).float()),
        MaskableActorCriticPolicy.evaluate_actions(model.policy, observations, actions, torch.from_numpy(masks)),
        strict=True,
    ):
        torch.testing.assert_close(ours, stock)
    torch.testing.assert_close(chosen, model.policy.evaluate_actions(observations, actions, masks)[1])
    torch.testing.assert_close(values, model.policy.predict_values(observations))
    best, _, _ = model.policy(observations, deterministic=True, action_masks=masks)
    np.testing.assert_array_equal(best.numpy(), model.predict(observations.numpy(), deterministic=True, action_masks=masks)[0])
    draws = torch.stack([model.policy(observations, action_masks=masks)[0] for _ in range(400)])
    shares = torch.nn.functional.one_hot(draws, masks.shape[1]).float().mean(0)
    expected = model.policy.get_distribution(observations, masks).distribution.probs
    assert float((shares - expected.detach()).abs().max()) < 5 * 0.5 / 400**0.5


NUMBERS = (
    "checkpoint_minutes", "evaluate_minutes", "learning_rate", "entropy", "gamma", "gae_lambda", "clip", "value_coefficient",
    "max_gradient",
)  # fmt: skip


def test_bad_settings_of_ppo() -> None:
    for changes in (
        {"device": "abacus"},
        {"device": 3},
        {"device": "meta"},
        {"kl": float("nan")},
        {"self_play": 1.5},
        {"entropy_end": -1},
        {"vary": {"last_hand": list(range(1, 11)), "highest": [13] * 1000}},
        {"vary": {"last_hand": 3}},
        {"vary": {3: [3]}},
        {"entropy_floor": {"bids": 0.5}},
        {"entropy_floor": {"bid": 0}},
        {"entropy_floor": {"bid": "much"}},
        {"entropy_floor": {3: 0.5}},
    ):
        with pytest.raises(OptionError):
            course.begin(replace(TINY_PPO, out=None, **changes))  # type: ignore[arg-type]


def test_bad_settings() -> None:
    for changes, error in (
        ({"game": ""}, OptionError),
        ({"game": "no_such_game"}, UnknownGameError),
        ({"players": 40}, OptionError),
        ({"options": {"first_hand": 99}}, OptionError),
        ({"options": ("last_hand=2",)}, OptionError),
        ({"lanes": 0}, OptionError),
        ({"lanes": "many"}, OptionError),
        ({"lanes": 1.5}, OptionError),
        ({"lanes": True}, OptionError),
        ({"minutes": -1}, OptionError),
        ({"decisions": 0}, OptionError),
        ({"seed": -1}, OptionError),
        ({"activation": "swish"}, OptionError),
        ({"activation": ["tanh"]}, OptionError),
        ({"pool": {"everyone": 1.0}}, OptionError),
        ({"pool": {"random": "much"}}, OptionError),
        ({"pool": {"random": float("nan")}}, OptionError),
        ({"pool": {"random": 1e308, "latest": 1e308}}, OptionError),
        ({"pool": {"random": 10**400}}, OptionError),
        ({"pool": {3: 1.0}}, OptionError),
        ({"steps": 10**12}, OptionError),
        ({"batch": 1}, OptionError),
        ({"lanes": 13, "steps": 5, "batch": 16}, OptionError),
        ({"lanes": 1, "steps": 1}, OptionError),
        ({"lanes": 1 << 20, "steps": 1 << 20}, OptionError),
        ({"width": 10**9}, OptionError),
        ({"layers": 16}, OptionError),
        ({"decisions": 0.5}, OptionError),
        ({"decisions": 10**400}, OptionError),
        ({"older": -1}, OptionError),
        ({"keep": 0}, OptionError),
        ({"final_deals": 1 << 24}, OptionError),
        ({"seed": 1 << 31}, OptionError),
        ({"seed": 0.0}, OptionError),
        ({"minutes": 1e308}, OptionError),
        *(
            ({name: number}, OptionError)
            for name in NUMBERS
            for number in (float("nan"), float("inf"), -1.0, 10**400, "1", None)
        ),
        ({"options": {"players": 3}}, OptionError),
        ({"options": {"reward": "win"}}, OptionError),
        ({"options": {"name": 1}}, OptionError),
        ({"options": {3: 1}}, OptionError),
        ({"options": None}, OptionError),
        ({"out": 3}, OptionError),
        ({"game": 3}, OptionError),
    ):
        with pytest.raises(error):
            course.begin(replace(TINY, **{"out": None, **changes}))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="PPOSettings, MaskablePPOSettings"):
        course.begin(TrainingSettings("skull_king", out=None))


def test_a_minibatch_of_one_decision_is_for_ppo_alone() -> None:
    """MaskablePPO divides by a minibatch's spread, which leaves no weight a number."""
    replace(TINY_PPO, lanes=13, steps=5, batch=16).check()
    replace(TINY, lanes=13, steps=5, batch=17).check()
    with pytest.raises(OptionError, match="batch is 16 of lanes x steps = 13 x 5 decisions; allowed"):
        replace(TINY, lanes=13, steps=5, batch=16).check()


def test_a_checkpoint_that_is_saved_is_there(tmp_path: Path) -> None:
    training = course.begin(replace(TINY, out=None))
    arrays, numbers = training.learner.arrays(), training.learner.numbers()
    for decisions in (3, 1, 2, 2, 1):
        path = runs.save_checkpoint(tmp_path, training.policy(), arrays, {**numbers, "decisions": decisions}, keep=1)
        assert list(tmp_path.iterdir()) == [path] == [tmp_path / f"{decisions:012d}"]


def test_curves_are_written_as_tensorboard_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_LOGS", itertools.count(9))  # a tenth log of the same second comes after the ninth
    first = runs.Board(tmp_path)
    for step in (1, 2, 3):
        first.add_scalar("loss", step / 4, step)
    second = runs.Board(tmp_path)
    second.purge_step = 3
    second.add_scalar("loss", 9.0, 3)
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator").EventAccumulator(str(tmp_path))
    events.Reload()
    assert [(point.step, point.value) for point in events.Scalars("loss")] == [(1, 0.25), (2, 0.5), (3, 9.0)]


def test_equal_states_are_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        training = course.begin(replace(TINY, out=tmp_path / name))
        training.iterate()
        training.save()
    one, other = (newest_checkpoint(next((tmp_path / name).iterdir())) for name in ("a", "b"))
    assert one is not None and other is not None
    assert (one / "resume.safetensors").read_bytes() == (other / "resume.safetensors").read_bytes()


@pytest.mark.long
def test_learning_beats_random_play(tmp_path: Path) -> None:
    """Two million decisions win most matches against random play."""
    folder = train.main(MaskablePPOSettings("skull_king", decisions=2_000_000, out=tmp_path, final_deals=1000))
    game = load("skull_king")
    share = versus(game, Policy.load(game, folder), agent(game, "random"), 1000).first()["win_share"]
    assert share.low > 0.85


def test_settings_survive_the_folder(tmp_path: Path) -> None:
    runs.write_settings(tmp_path / "run", course.plain(TINY), "command")
    values, command = runs.read_settings(tmp_path / "run")
    assert command == "command" and values == json.loads(json.dumps(course.plain(TINY)))
    assert os.listdir(tmp_path / "run") == ["settings.json"]
