"""TorchRL's batched environment, PettingZoo's wrapper of TorchRL, and the example. `make test-doors DOOR=torchrl` runs this."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torchrl", reason="TorchRL is not installed; make test-doors DOOR=torchrl")

import torch
from tensordict import TensorDict
from torchrl.envs import PettingZooWrapper, RewardSum, TransformedEnv
from torchrl.envs.utils import check_env_specs

import pirate_envs
from pirate_envs.core.errors import BatchError, IllegalActionError, OptionError
from pirate_envs.doors.torchrl import BatchEnv, make_torchrl, seat_advantages
from pirate_envs.games import shipped
from tests.outside.shown import run_example, run_page

SHORT = {"last_hand": 2, "reward": "margin", "pay_as_scored": True}


def nothing(tensordict: TensorDict) -> TensorDict:
    """A critic that expects nothing."""
    return TensorDict({"state_value": torch.zeros(*tensordict.batch_size, 1)}, tensordict.batch_size)


def by_observation(tensordict: TensorDict) -> TensorDict:
    """A critic with an opinion."""
    return TensorDict({"state_value": tensordict["observation"][..., :7].sum(-1, keepdim=True)}, tensordict.batch_size)


@pytest.mark.parametrize("game", pirate_envs.games())
def test_specs_hold(game):
    env = make_torchrl(game, lanes=3)
    check_env_specs(env, break_when_any_done="both")
    check_env_specs(env, seed=5)


def test_it_plays_what_the_batch_plays():
    game = pirate_envs.load("skull_king", **SHORT)
    env, batch = BatchEnv(game, 16, seed=7), pirate_envs.Batch(game, 16, seed=7)
    rollout = env.rollout(80, break_when_any_done=False)
    assert rollout["next", "done"].sum() > 16
    for step in range(80):
        now = rollout[:, step]
        for name, array in (("observation", batch.observations), ("action_mask", batch.action_masks), ("seat", batch.seats)):
            assert np.array_equal(now[name].numpy(), array), (step, name)
        assert not now["done"].any()
        batch.step(now["action"].numpy())
        assert np.array_equal(now["next", "reward"].numpy(), batch.rewards.astype(np.float32))
        assert np.array_equal(now["next", "done"][:, 0].numpy(), batch.ended > 0)
        assert np.array_equal(now["next", "terminated"][:, 0].numpy(), batch.ended == 1)
        assert np.array_equal(now["next", "observation"].numpy(), batch.observations)


def test_a_match_cut_off_is_truncated():
    rollout = make_torchrl("lucky_pirate", lanes=4, max_turns=10).rollout(40, break_when_any_done=False)
    over = rollout["next"]
    assert over["truncated"].any() and torch.equal(over["done"], over["terminated"] | over["truncated"])
    assert not (over["terminated"] & over["truncated"]).any()


def test_resets_and_seeds():
    env = make_torchrl("skull_king", lanes=4, seed=3)
    first, second = env.reset(), env.reset()
    assert not torch.equal(first["observation"], second["observation"])
    env.set_seed(3)
    assert torch.equal(env.reset()["observation"], first["observation"])
    some = torch.tensor([True, False, False, False])[:, None]
    with pytest.raises(BatchError, match="lanes whose match has ended, or all"):
        env.reset(TensorDict({"_reset": some}, [4]))
    assert torch.equal(env.step(env.rand_action(first.clone()))["observation"], first["observation"])
    with pytest.raises(OptionError, match="seed"):
        env.set_seed(-1)


def test_transforms_sum_each_seats_rewards_match_by_match():
    env = TransformedEnv(make_torchrl("skull_king", lanes=4, **SHORT), RewardSum())
    rollout = env.rollout(60, break_when_any_done=False)
    sums, paid = rollout["next", "episode_reward"], torch.zeros(4, 4)
    for step in range(60):
        paid += rollout["next", "reward"][:, step]
        assert torch.allclose(sums[:, step], paid)
        paid[rollout["next", "done"][:, step, 0]] = 0


def test_an_illegal_action_changes_nothing():
    env = make_torchrl("skull_king", lanes=2)
    waiting = env.reset()
    waiting["action"] = torch.tensor([72, 72])
    with pytest.raises(IllegalActionError):
        env.step(waiting)
    assert torch.equal(torch.from_numpy(env.batch.observations), waiting["observation"])


@pytest.mark.parametrize("critic", [nothing, by_observation])
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 1.0), (0.9, 0.5)])
def test_advantages_follow_each_seat(critic, gamma, gae_lambda):
    """Against the definition, decision by decision."""
    rollout = seat_advantages(
        make_torchrl("skull_king", 6, **SHORT).rollout(50, break_when_any_done=False), critic, gamma, gae_lambda
    )
    values, after = critic(rollout)["state_value"][..., 0], critic(rollout["next"][:, -1])["state_value"][:, 0]
    for lane in range(6):
        ended, seats = rollout["next", "done"][lane, :, 0], rollout["seat"][lane].tolist()
        for step in range(50):
            seat, following = seats[step], range(step + 1, 50)
            end = next((s for s in range(step, 50) if ended[s]), 99)
            own = next((s for s in following if seats[s] == seat), 99)
            last = min(own - 1, end, 49)
            paid = float(rollout["next", "reward"][lane, step : last + 1, seat].sum())
            known = end < 99 or own < 99 or rollout["next", "seat"][lane, -1] == seat
            assert bool(rollout["known"][lane, step]) == known
            if not known:
                continue
            goes_on, later = end > last, own < 99 and end > last
            value = float(values[lane, own]) if later else float(after[lane]) if goes_on else 0.0
            next_advantage = float(rollout["advantage"][lane, own]) if later else 0.0
            expected = paid + gamma * value - float(values[lane, step]) + gamma * gae_lambda * next_advantage
            assert float(rollout["advantage"][lane, step]) == pytest.approx(expected, abs=1e-4)
            assert float(rollout["value_target"][lane, step]) == pytest.approx(expected + float(values[lane, step]), abs=1e-4)
    assert 0.5 < rollout["known"].float().mean() < 1


@pytest.mark.parametrize("game", shipped())
def test_the_wrapper_of_pettingzoo_environments(game):
    env = PettingZooWrapper(pirate_envs.make_aec(game), use_mask=True, group_map=None, return_state=False, seed=1)
    check_env_specs(env)
    assert env.rollout(30).batch_size[0] > 0


def test_the_page_and_the_example():
    run_page("torchrl.md")
    out = run_example("torchrl_ppo.py", "skull_king", 0.01, 32, 8)
    assert "of matches won" in out


def test_the_benchmark():
    from experiments.studies import torchrl_speed

    torchrl_speed.main(torchrl_speed.TorchRLSpeedSettings("skull_king", lanes=8, steps=2, turns=2))
