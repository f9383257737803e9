"""AgileRL: the example, and what is amiss upstream. `make test-doors DOOR=agilerl` runs this."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

pytest.importorskip("agilerl", reason="AgileRL is not installed; make test-doors DOOR=agilerl")

import torch
from agilerl.algorithms import DQN, IPPO
from tensordict import TensorDict

import pirate_envs
from tests.outside.shown import ROOT, run_example


def test_the_example_trains():
    assert "of matches won" in run_example("agilerl_dqn.py", "skull_king", 0.05, 8)


def learned(next_mask: torch.Tensor | None) -> tuple[float, float]:
    """The loss of a few transitions and how far the weights move; without a mask: by AgileRL's own update."""
    example = runpy.run_path(str(ROOT / "examples" / "agilerl_dqn.py"))
    game = pirate_envs.load("skull_king")
    torch.manual_seed(0)
    learner = example["dqn"](game)
    batch = pirate_envs.Batch(game, 8, seed=0)
    entries = {
        "obs": torch.from_numpy(batch.observations.copy()),
        "action": torch.zeros(8, 1, dtype=torch.int64),
        "reward": torch.zeros(8, 1),
        "next_obs": torch.from_numpy(batch.observations.copy()),
        "done": torch.zeros(8, 1),
    }
    before = [weights.clone() for weights in learner.actor.parameters()]
    if next_mask is None:
        loss = DQN.learn(learner, TensorDict(entries, [8]))
    else:
        loss = learner.learn(TensorDict({**entries, "next_action_mask": next_mask.expand(8, -1)}, [8]))
    return loss, max(float((a - b).abs().max()) for a, b in zip(before, learner.actor.parameters(), strict=True))


def test_targets_keep_to_the_mask():
    """With every action legal the update is AgileRL's own; with one legal it is another."""
    every, one = torch.ones(73), torch.zeros(73).index_fill(0, torch.tensor([5]), 1)
    assert learned(every) == pytest.approx(learned(None), rel=1e-4)
    assert learned(one)[0] != pytest.approx(learned(every)[0], rel=1e-3)


def test_actions_keep_to_the_mask():
    game = pirate_envs.load("skull_king")
    learner = runpy.run_path(str(ROOT / "examples" / "agilerl_dqn.py"))["dqn"](game)
    batch = pirate_envs.Batch(game, 64, seed=0)
    for _ in range(100):  # raises IllegalActionError
        batch.step(learner.get_action(batch.observations, epsilon=0.5, action_mask=batch.action_masks))


def test_ippo_refuses_the_masks_of_several_agents():
    """A fault of AgileRL 2.58.0, told in docs/more_libraries.md: once this fails, the page is to be changed."""
    env = pirate_envs.make_aec("skull_king")
    env.reset(seed=0)
    spaces = {agent: env.observation_space(agent)["observation"] for agent in env.agents}
    actions = {agent: env.action_space(agent) for agent in env.agents}
    learner = IPPO(spaces, actions, agent_ids=env.agents)
    seen = {agent: env.observe(agent)["observation"][None] for agent in env.agents}
    infos = {agent: {"action_mask": np.ones((1, 73), np.int8)} for agent in env.agents}
    with pytest.raises(ValueError, match="truth value"):
        learner.get_action(seen, infos=infos)
