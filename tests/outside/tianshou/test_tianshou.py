"""Tianshou: the example, the page and PettingZoo's environments. `make test-doors DOOR=tianshou` runs this."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

pytest.importorskip("tianshou", reason="Tianshou is not installed; make test-doors DOOR=tianshou")

import torch
from tianshou.data import VectorReplayBuffer

import pirate_envs
from pirate_envs.doors.transitions import SeatTransitions
from tests.outside.shown import ROOT, run_example, run_page


def test_the_example_trains():
    assert "of matches won" in run_example("tianshou_dqn.py", "skull_king", 0.05, 8)


def test_a_decision_is_followed_by_the_same_seats_next_one():
    example = runpy.run_path(str(ROOT / "examples" / "tianshou_dqn.py"))
    game = pirate_envs.load("skull_king", last_hand=2)
    played, buffer = SeatTransitions(pirate_envs.Batch(game, 4, seed=0)), VectorReplayBuffer(1600, 16)
    for _ in range(100):
        made = played.step(played.batch.random_actions().copy())
        if len(made.actions):
            example["keep"](buffer, made, game.players)
    every = buffer.sample_indices(0)
    assert len(every) > 300
    following = buffer.next(every)
    went_on = (following != every) & ~buffer.terminated[every]
    assert went_on.sum() > 100
    assert np.array_equal(buffer.obs.obs[following[went_on]], buffer.obs_next.obs[every[went_on]])
    assert np.array_equal(buffer.obs.mask[following[went_on]], buffer.obs_next.mask[every[went_on]])
    assert np.take_along_axis(buffer.obs.mask[every], buffer.act[every][:, None], axis=1).all()


def test_values_and_noise_keep_to_the_masks():
    example = runpy.run_path(str(ROOT / "examples" / "tianshou_dqn.py"))
    game = pirate_envs.load("skull_king")
    policy, batch = example["dqn"](game).policy, pirate_envs.Batch(game, 64, seed=0)
    policy.set_eps_inference(0.5)
    for _ in range(100):
        shown = example["seen"](batch.observations, batch.action_masks)
        with torch.no_grad():
            actions = policy.add_exploration_noise(policy(shown).act, shown)
        batch.step(actions)  # raises IllegalActionError


def test_the_page():
    run_page("more_libraries.md", "tianshou")
