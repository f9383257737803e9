"""RLlib's environment, its masked network and the example. `make test-doors DOOR=rllib` runs this."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed; make test-doors DOOR=rllib")

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

from pirate_envs.core.errors import IllegalActionError, OptionError, UnknownGameError
from pirate_envs.doors.rllib import SHARED, MatchEnv, make_rllib, masked_ppo
from pirate_envs.engine.match import Match
from pirate_envs.games import shipped
from tests.outside.shown import run_example, run_page

SHORT = {"last_hand": 2, "reward": "margin", "pay_as_scored": True}


@pytest.mark.parametrize("game", shipped())
@pytest.mark.parametrize("paid", [{}, {"reward": "margin", "pay_as_scored": True}])
def test_one_match_is_the_engines(game, paid):
    env = make_rllib(game, players=3, **paid)
    match = Match(env.game, 5)
    draw = np.random.default_rng(0)
    seen, _ = env.reset(seed=5)
    sums, earned = dict.fromkeys(env.possible_agents, 0.0), np.zeros(3)
    while not match.over:
        (agent,) = seen
        assert agent == f"player_{match.seat}" and env.get_observation_space(agent).contains(seen[agent])
        assert np.array_equal(seen[agent]["observations"], match.observation)
        assert np.array_equal(seen[agent]["action_mask"], match.action_mask)
        action = int(draw.choice(np.flatnonzero(match.action_mask)))
        match.step(action)
        earned += match.rewards
        seen, rewards, terminated, truncated, _ = env.step({agent: action})
        assert agent in rewards and (terminated["__all__"], truncated["__all__"]) == (match.over == 1, match.over == 2)
        for name, reward in rewards.items():
            sums[name] += reward
    assert list(sums.values()) == earned.tolist() and any(earned)
    assert list(seen) == env.possible_agents and all(not each["action_mask"].any() for each in seen.values())
    with pytest.raises(IllegalActionError):
        env.step({agent: 0})
    assert env._match.seed == 5
    env.reset()
    assert env._match.seed != 5


def test_bad_input_is_told_and_changes_nothing():
    env = MatchEnv({"game": "skull_king", "players": 2})
    with pytest.raises(IllegalActionError, match=r"call reset\(\) first"):
        env.step({"player_0": 0})
    seen, _ = env.reset(seed=1)
    (mover,) = seen
    other = next(agent for agent in env.possible_agents if agent != mover)
    for actions in ({}, {other: 0}, {mover: 0, other: 0}):
        with pytest.raises(IllegalActionError, match=f"needed: one for {mover}"):
            env.step(actions)
    with pytest.raises(IllegalActionError, match="72"):
        env.step({mover: 72})
    assert np.array_equal(env._match.observation, seen[mover]["observations"])
    with pytest.raises(OptionError, match="needed: 'game'"):
        MatchEnv({})
    with pytest.raises(UnknownGameError):
        make_rllib("no_game")
    with pytest.raises(OptionError, match="colour"):
        masked_ppo("skull_king", colour="red")


def sampled(monkeypatch, *, one_policy: bool, **options):
    """Episodes of a runner, and what the environment paid each agent in the matches that ended."""
    paid, running = [], {}
    step = MatchEnv.step

    def noted(self, action_dict):
        result = step(self, action_dict)
        sums = running.setdefault(id(self), dict.fromkeys(self.possible_agents, 0.0))
        for agent, reward in result[1].items():
            sums[agent] += reward
        if result[2]["__all__"] or result[3]["__all__"]:
            paid.append(running.pop(id(self)))
        return result

    monkeypatch.setattr(MatchEnv, "step", noted)
    config = masked_ppo("skull_king", one_policy=one_policy, hidden=(16,), **options)
    runner = MultiAgentEnvRunner(config=config.env_runners(num_env_runners=0, num_envs_per_env_runner=3).debugging(seed=0))
    return runner.sample(num_episodes=6, random_actions=False), paid


@pytest.mark.parametrize("one_policy", [True, False])
@pytest.mark.parametrize("options", [{"last_hand": 2}, SHORT])
def test_every_seat_gets_its_rewards_in_rllibs_episodes(monkeypatch, one_policy, options):
    episodes, paid = sampled(monkeypatch, one_policy=one_policy, **options)
    assert len(episodes) == 6 <= len(paid)
    for episode in episodes:
        returns = {agent: each.get_return() for agent, each in episode.agent_episodes.items()}
        assert len(returns) == 4 and sum(map(abs, returns.values())) > 0
        assert any(all(abs(match[agent] - returns[agent]) < 1e-6 for agent in returns) for match in paid)
        for agent, each in episode.agent_episodes.items():
            assert each.is_terminated and each.module_id == (SHARED if one_policy else agent)
            for k in range(len(each)):
                assert each.get_observations(k)["action_mask"][each.get_actions(k)] == 1


def test_an_illegal_action_has_no_probability():
    config = masked_ppo("skull_king", hidden=(8,))
    module = config.rl_module_spec.rl_module_specs[SHARED].build()
    env = make_rllib("skull_king")
    (seen,) = env.reset(seed=0)[0].values()
    batch = {Columns.OBS: {name: torch.from_numpy(array)[None] for name, array in seen.items()}}
    for forward in (module.forward_inference, module.forward_exploration, module.forward_train):
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS]
        assert torch.equal(logits.softmax(1)[0] > 0, batch[Columns.OBS]["action_mask"][0] > 0)
    embeddings = module.forward_train(batch)[Columns.EMBEDDINGS]
    assert torch.equal(module.compute_values(batch), module.compute_values(batch, embeddings))


def test_the_example_trains():
    assert "of matches won" in run_example("rllib_ppo.py", "skull_king", 0.01, runners=0, decisions=512, deals=8)


def test_the_page_trains_one_policy_for_each_seat():
    run_page("rllib.md")
