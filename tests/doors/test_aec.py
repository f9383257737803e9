"""The PettingZoo door: its tests and conventions, observations, rewards, seeds, bad actions."""

import copy
import pickle
import sys

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import wrappers

import pirate_envs
from pirate_envs import (
    IllegalActionError,
    MatchOverError,
    OptionError,
    UnknownGameError,
    UnknownPlayerError,
)
from tests.doors.aec import GAMES, ONE, OTHER, classic, is_over, marked, play_on, play_partly, random_action
from tests.games.setups import seats_near

# -- PettingZoo's own tests ----------------------------------------------------------------------------------------------


@marked
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_passes_pettingzoos_api_test(name, wrapped, capsys):
    from pettingzoo.test import api_test

    make = classic(name).env if wrapped else classic(name).raw_env
    api_test(make(players=seats_near(name, 3)), num_cycles=400)
    assert "Passed API test" in capsys.readouterr().out


@marked
@pytest.mark.parametrize("options", [{"reward": "score", "pay_as_scored": True}, {"reward": "margin"}])
@pytest.mark.parametrize("name", GAMES)
def test_passes_the_api_test_when_paid_underway(name, options):
    from pettingzoo.test import api_test

    api_test(pirate_envs.make_aec(name, players=seats_near(name, 3), **options), num_cycles=400)


@marked
@pytest.mark.parametrize("name", GAMES)
def test_passes_pettingzoos_seed_test(name):
    from pettingzoo.test import seed_test

    seed_test(lambda: classic(name).env(players=seats_near(name, 3)), num_cycles=300)


@pytest.mark.parametrize("name", GAMES)
def test_is_registered_under_its_id(name):
    game = pirate_envs.load(name)
    env = pettingzoo.make("aec", f"pirates/{game.id}", players=seats_near(name, 3))
    assert isinstance(env, wrappers.OrderEnforcingWrapper)
    assert env.unwrapped.game.players == seats_near(name, 3)
    assert str(env) == env.metadata["name"] == f"{name}_v{game.version}"
    assert env.metadata["is_parallelizable"] is False
    assert classic(name) is getattr(pirate_envs, env.metadata["name"]) is sys.modules[f"pirate_envs.{env.metadata['name']}"]


def test_wrappers_stand_in_pettingzoos_order():
    kinds = []
    env = classic(ONE).env()
    while env is not env.unwrapped:
        kinds.append(type(env))
        env = env.env
    assert kinds == [wrappers.OrderEnforcingWrapper, wrappers.AssertOutOfBoundsWrapper, wrappers.TerminateIllegalWrapper]


# -- spaces, observations, masks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_observations_lie_in_their_spaces_for_every_agent(name):
    env = pirate_envs.make_aec(name, players=seats_near(name, 3))
    env.reset(seed=3)
    for _ in range(40):
        if is_over(env):
            break
        for agent in env.agents:
            observation = env.observe(agent)
            assert env.observation_space(agent) is env.observation_space(agent)
            assert env.observation_space(agent).contains(observation)
            mover = agent == env.agent_selection
            assert observation["action_mask"].any() == mover
            assert np.array_equal(observation["action_mask"], env.infos[agent]["action_mask"])
            seat = env.possible_agents.index(agent)
            assert np.array_equal(observation["observation"], env.game.observation(env.record, seat))
        assert np.array_equal(env.infos[env.agent_selection]["action_mask"], env.game.action_mask(env.record))
        assert env.state_space.contains(env.state())
        assert env.state().tobytes() == b"".join(env.observe(agent)["observation"].tobytes() for agent in env.agents)
        env.step(random_action(env, np.random.default_rng(0)))


@pytest.mark.parametrize("name", GAMES)
def test_what_was_handed_out_is_never_written_again(name):
    env = pirate_envs.make_aec(name)
    env.reset(seed=5)
    kept = []
    chance = np.random.default_rng(1)
    for _ in range(20):
        observation, *_, info = env.last()
        kept.append((observation, copy.deepcopy(observation), info, copy.deepcopy(info)))
        if is_over(env):
            env.reset()
        else:
            env.step(random_action(env, chance))
    env.reset(seed=6)
    for observation, then, info, info_then in kept:
        assert np.array_equal(observation["observation"], then["observation"])
        assert np.array_equal(observation["action_mask"], then["action_mask"])
        assert np.array_equal(info["action_mask"], info_then["action_mask"])


def test_writing_into_an_observation_does_not_touch_the_match():
    env = pirate_envs.make_aec(ONE)
    env.reset(seed=5)
    illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])
    before = env.last()[0]["observation"].copy()
    env.last()[0]["action_mask"][:] = 1
    env.last()[0]["observation"][:] = -1
    again, info = env.last()[0], env.last()[4]
    assert np.array_equal(again["observation"], before) and not again["action_mask"][illegal]
    assert not info["action_mask"][illegal]
    with pytest.raises(IllegalActionError):
        env.step(illegal)


# -- rewards and ends ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"reward": "score"}, {"reward": "margin", "pay_as_scored": True}])
@pytest.mark.parametrize("name", GAMES)
def test_last_pays_what_happened_since_the_agents_own_last_turn(name, options):
    env = pirate_envs.make_aec(name, players=seats_near(name, 3), **options)
    env.reset(seed=11)
    due = dict.fromkeys(env.agents, 0.0)
    total = dict.fromkeys(env.agents, 0.0)
    chance = np.random.default_rng(2)
    payments, changes, standing = 0, 0, (0,) * (env.game.players - 1)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        assert reward == due[agent]
        assert type(reward) is float
        due[agent] = 0.0
        env.step(None if termination or truncation else random_action(env, chance))
        payments += any(env.rewards.values())
        before, standing = standing, tuple(np.diff(env.game.payoffs(env.record)))
        changes += standing != before
        for other, paid in env.rewards.items():
            assert type(paid) is float
            due[other] += paid
            total[other] += paid
    assert np.allclose(list(total.values()), env.game.rewards(env.record), atol=1e-6)
    assert payments == (changes if options.get("pay_as_scored") else 1)


@pytest.mark.parametrize("name", GAMES)
def test_a_match_ends_for_all_and_dead_agents_step_none(name):
    env = pirate_envs.make_aec(name, players=seats_near(name, 3))
    env.reset(seed=1)
    chance = np.random.default_rng(0)
    while not is_over(env):
        env.step(random_action(env, chance))
    truncated = env.game.is_truncated(env.record)
    assert set(env.truncations.values()) == {truncated}
    assert set(env.terminations.values()) == {not truncated}
    for left in range(env.game.players, 0, -1):
        assert len(env.agents) == len(env.rewards) == len(env.infos) == left
        before = env.get_state()
        with pytest.raises(MatchOverError):
            env.step(0)
        assert pickle.dumps(env.get_state()) == pickle.dumps(before)
        assert not env.last()[4]["action_mask"].any()
        env.step(None)
    assert env.agents == []
    with pytest.raises(MatchOverError, match="reset"):
        env.step(0)
    env.reset()
    assert env.agents == env.possible_agents == [f"player_{seat}" for seat in range(env.game.players)]


def test_the_bound_on_length_is_a_truncation_and_not_a_termination():
    env = pirate_envs.make_aec("piraten_kapern", players=2, max_rounds=1)
    env.reset(seed=0)
    chance = np.random.default_rng(0)
    while not is_over(env):
        env.step(random_action(env, chance))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert env.game.is_truncated(env.record)
    env.step(None)
    env.step(None)
    assert env.agents == []


# -- seeds ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_plays_the_same_match_as_everywhere(name):
    env = pirate_envs.make_aec(name)
    env.reset(seed=21)
    assert env.record.tobytes() == env.game.new(21).tobytes()
    first = play_on(env)
    env.reset(seed=21)
    assert play_on(env) == first


def test_without_a_seed_the_chain_goes_on():
    env, other = pirate_envs.make_aec(OTHER), pirate_envs.make_aec(OTHER)
    seeds = []
    for match in range(5):
        for e in (env, other):
            e.reset(seed=4 if match == 0 else None)
        other.step(random_action(other, np.random.default_rng(match)))  # how far a match is played does not matter
        assert env.record["seed"].tolist() == other.record["seed"].tolist()
        seeds.append(tuple(env.record["seed"].tolist()))
    assert len(set(seeds)) == 5


def test_the_chain_is_the_batchs():
    name = OTHER
    batch = pirate_envs.Batch(pirate_envs.load(name), 1, seed=9)
    while not batch.step(batch.random_actions()):
        pass
    env = pirate_envs.make_aec(name)
    env.reset(seed=9)
    env.reset()
    assert env.record.tobytes() == batch.records[0].tobytes()


def test_without_any_seed_two_environments_play_different_matches():
    envs = [pirate_envs.make_aec(ONE) for _ in range(2)]
    for env in envs:
        env.reset()
    assert envs[0].record["seed"].tolist() != envs[1].record["seed"].tolist()


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_a_bad_seed_is_refused(seed):
    env = pirate_envs.make_aec(ONE)
    env.reset(seed=1)
    before = env.record.tobytes()
    with pytest.raises(OptionError, match="seed"):
        env.reset(seed=seed)
    assert env.record.tobytes() == before


# -- bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_illegal_actions_raise_and_change_nothing(name):
    env = pirate_envs.make_aec(name)
    env.reset(seed=2)
    play_partly(env, 5)
    illegal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[:1]
    for action in (*illegal.tolist(), *illegal, -1, env.game.actions, 2**70, -(2**70), True, np.True_, 1.0, "1", None, [1]):
        before = pickle.dumps(env.get_state())
        shown = env.last()[0]
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert pickle.dumps(env.get_state()) == before
        assert np.array_equal(env.last()[0]["observation"], shown["observation"])


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
def test_numpy_integers_are_actions(dtype):
    env = pirate_envs.make_aec("skull_king")
    env.reset(seed=2)
    env.step(dtype(1))
    assert env.record["decisions"] == 1


def test_wrapped_an_illegal_action_ends_the_match(caplog):
    env = classic(ONE).env(players=3)
    env.reset(seed=2)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    assert "Illegal move" in caplog.text
    assert env.rewards[agent] == -1
    other = pirate_envs.make_aec(ONE, players=3)
    for left in (2, 1, 0):
        observation, *_, info = env.last()
        assert not observation["action_mask"].any() and not info["action_mask"].any()
        other.set_state(env.unwrapped.get_state())
        assert other.agents == env.agents and other.agent_selection == env.agent_selection
        env.step(None)
        assert len(env.agents) == left
    other.set_state(env.unwrapped.get_state())
    assert other.agents == []
    env.reset(seed=3)
    assert len(play_on(env)) > 3


def test_before_reset_there_is_nothing_to_see_or_do():
    env = pirate_envs.make_aec(ONE, render_mode="ansi")
    for call in (lambda: env.step(0), env.last, lambda: env.observe("player_0"), env.state, env.render, env.get_state):
        with pytest.raises(MatchOverError, match="reset"):
            call()


def test_bad_names_and_options_are_refused():
    with pytest.raises(UnknownGameError, match="skull_king"):
        pirate_envs.make_aec("ludo")
    with pytest.raises(UnknownGameError, match="unknown game None"):
        pirate_envs.make_aec(None)
    with pytest.raises(OptionError, match="players"):
        pirate_envs.make_aec("skull_king", players=99)
    with pytest.raises(OptionError, match="render_mode"):
        pirate_envs.make_aec("skull_king", render_mode="pixels")
    env = pirate_envs.make_aec("skull_king")
    env.reset()
    with pytest.raises(UnknownPlayerError, match="player_9"):
        env.observe("player_9")


def test_a_game_that_is_given_keeps_its_options():
    game = pirate_envs.load("skull_king", players=3, rules="2021")
    env = pirate_envs.make_aec(game, reward="score")
    assert env.game.options.changed() == {"players": 3, "rules": "2021", "reward": "score"}


def test_importing_is_cheap():
    import subprocess

    code = "import sys, pirate_envs; print([m for m in ('torch', 'stable_baselines3', 'pygame') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("agent", [[], {}, None, 3, "player_9", ("player_0",)])
def test_who_is_no_agent_is_told(agent):
    env = pirate_envs.make_aec(ONE, players=2)
    env.reset(seed=1)
    with pytest.raises(UnknownPlayerError, match="player_0, player_1"):
        env.observe(agent)
