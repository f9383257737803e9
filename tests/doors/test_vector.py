"""Gymnasium's vector door: what single seats and the SB3 door show, lane by lane; autoreset, wrappers, bad input."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

import pirate_envs
from pirate_envs import BatchError, IllegalActionError, OptionError, UnknownPlayerError
from pirate_envs.doors.sb3 import make_sb3
from pirate_envs.doors.vector import PirateVectorEnv, make_vector
from tests.doors.test_gym import FIRST, GAMES, ONE_ROUND, SHORT, First, id_of
from tests.games.setups import seats_near

PAID = {"players": 5, "max_rounds": 2, "reward": "margin", "pay_as_scored": True}  # before a learner's first decision, too
SAME_STEP = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}}


def uniform(infos: dict[str, Any], chance: np.random.Generator) -> np.ndarray:
    masks = infos["action_mask"]
    return (chance.random(masks.shape) * masks).argmax(1)


# -- equal to others -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {"players": seats_near(name, 3)}) for name in GAMES), ("piraten_kapern", ONE_ROUND), ("piraten_kapern", PAID)],
)
def test_every_lane_is_a_seat_alone(name: str, options: dict[str, Any]) -> None:
    """Gymnasium's own SyncVectorEnv of as many seats gives the same spaces, and the same data to the byte."""
    mix = {"opponents": {"random": 1, "first": 1}, "policies": {"first": First()}}
    native = gymnasium.make_vec(id_of(name), num_envs=5, **mix, **options)
    sync = gymnasium.make_vec(id_of(name), num_envs=5, **SAME_STEP, **mix, **options)
    assert isinstance(native, PirateVectorEnv) and native.num_envs == sync.num_envs == 5
    for space in ("observation_space", "single_observation_space", "action_space", "single_action_space"):
        assert getattr(native, space) == getattr(sync, space)
    assert native.metadata == sync.metadata
    chance, ends, missed = np.random.default_rng(0), 0, False
    for seed in (3, None):
        shown, expected = native.reset(seed=seed), sync.reset(seed=seed)
        assert data_equivalence(shown, expected, exact=True)
        for _ in range(120):
            actions = uniform(shown[-1], chance)
            shown, expected = native.step(actions), sync.step(actions)
            assert data_equivalence(shown, expected, exact=True)
            assert shown[0] in native.observation_space
            ends += int(shown[2].sum() + shown[3].sum())
            missed |= "missed_matches" in shown[-1]
            for row in np.flatnonzero(shown[2] | shown[3]):
                assert shown[-1]["final_obs"][row] in native.single_observation_space
    assert ends and missed == (options in (ONE_ROUND, PAID))


@pytest.mark.parametrize(("name", "options"), [("skull_king", SHORT), ("piraten_kapern", ONE_ROUND), ("piraten_kapern", PAID)])
def test_lanes_are_those_of_the_sb3_door(name: str, options: dict[str, Any]) -> None:
    native, sb3 = make_vector(name, 32, **FIRST, **options), make_sb3(name, 32, seed=9, **FIRST, **options)
    observations, infos = native.reset(seed=9)
    assert np.array_equal(observations, sb3.reset())
    chance, ends, paid_in_all = np.random.default_rng(0), 0, np.zeros(32)
    for _ in range(40):
        assert np.array_equal(native.action_masks(), sb3.action_masks())
        assert np.array_equal(native.action_masks(), infos["action_mask"] == 1)
        actions = uniform(infos, chance)
        observations, rewards, terminations, truncations, infos = native.step(actions)
        theirs, paid, dones, told = sb3.step(actions)
        paid_in_all += rewards
        assert np.array_equal(observations, theirs) and np.array_equal(rewards.astype(np.float32), paid)
        assert np.array_equal(terminations | truncations, dones)
        for lane in np.flatnonzero(dones):
            ends += 1
            assert np.array_equal(infos["final_obs"][lane], told[lane]["terminal_observation"])
            assert infos["final_info"]["points"][lane].tolist() == told[lane]["points"]
            assert paid_in_all[lane] == pytest.approx(told[lane]["episode"]["r"], abs=1e-9)
            paid_in_all[lane] = 0
            missed = infos["missed_matches"][lane] if "missed_matches" in infos else 0
            assert missed == told[lane].get("missed_matches", 0)
    assert ends > 50
    native.set_state(sb3.get_state())
    assert np.array_equal(native.lanes.observations, sb3.lanes.observations)


# -- as Gymnasium wants it -------------------------------------------------------------------------------------------------


def test_what_has_ended_is_told_in_the_same_step() -> None:
    envs = make_vector("skull_king", 6, reward="score", **SHORT)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    _, infos = envs.reset(seed=1)
    assert set(infos) == {"action_mask", "_action_mask", "seat", "_seat"}
    assert infos["action_mask"].dtype == np.int8 and infos["action_mask"].shape == (6, envs.game.actions)
    for step in range(1, 11):
        seats = infos["seat"]
        observations, rewards, terminations, truncations, infos = envs.step(infos["action_mask"].argmax(1))
        assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == np.bool_
        assert infos["_action_mask"].all() and infos["action_mask"].any(1).all() and not truncations.any()
        assert terminations.all() == ("final_obs" in infos) == (step % 5 == 0)  # 2 bids and 1 + 2 cards a match
        if step % 5 == 0:
            final = infos["final_info"]
            assert final["_points"].all() and infos["_final_obs"].all() and np.array_equal(final["seat"], seats)
            own = final["points"][np.arange(6), seats]
            np.testing.assert_allclose(rewards, own / envs.game.scale)
            assert all(not np.array_equal(row, now) for row, now in zip(infos["final_obs"], observations, strict=True))


def test_arrays_belong_to_the_caller() -> None:
    envs = make_vector("skull_king", 4, **SHORT)
    calls = [envs.reset(seed=1)]
    for _ in range(12):
        calls.append(envs.step(calls[-1][-1]["action_mask"].argmax(1)))
    kept = copy.deepcopy(calls)
    for _ in range(12):
        envs.step(envs.action_masks().argmax(1))
    envs.reset()
    assert data_equivalence(tuple(calls), tuple(kept), exact=True)


def test_masks_are_what_the_action_space_samples_by() -> None:
    envs = make_vector("skull_king", 4)
    _, infos = envs.reset(seed=1)
    envs.action_space.seed(1)
    for _ in range(20):
        *_, infos = envs.step(envs.action_space.sample(mask=tuple(infos["action_mask"])))


def test_gymnasiums_vector_wrappers_take_it() -> None:
    made = gymnasium.make_vec(id_of("skull_king"), num_envs=8, **SHORT)
    envs = wrappers.DictInfoToList(wrappers.RecordEpisodeStatistics(made))
    _, infos = envs.reset(seed=1)
    for _ in range(10):
        _, rewards, terminations, _, infos = envs.step(np.array([info["action_mask"].argmax() for info in infos]))
        for lane in np.flatnonzero(terminations):
            assert infos[lane]["episode"]["r"] == pytest.approx(rewards[lane]) and infos[lane]["episode"]["l"] == 5
            assert infos[lane]["final_info"]["points"].shape == (4,)
    assert "PirateVectorEnv(pirates/SkullKing-v0, num_envs=8)" in str(envs)
    envs.close()
    envs.close()


def test_a_seed_fixes_everything_and_without_one_other_matches_follow() -> None:
    envs, twin = make_vector("skull_king", 4), make_vector("skull_king", 4)
    assert data_equivalence(envs.reset(seed=8), twin.reset(seed=8), exact=True) and envs.np_random_seed == 8
    again, twins = envs.reset(), twin.reset()
    assert data_equivalence(again, twins, exact=True) and not np.array_equal(again[0], envs.reset(seed=8)[0])
    first = [make_vector("skull_king", 4).reset()[0].tobytes() for _ in range(3)]
    assert len(set(first)) == 3


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_by_themselves(way: Any) -> None:
    envs = make_vector("skull_king", 3, opponents={"rules:simple": 1, "random": 1}, **SHORT)
    _, infos = envs.reset(seed=1)
    *_, infos = envs.step(infos["action_mask"].argmax(1))
    twin = way(envs)
    for _ in range(12):
        shown, other = (each.step(each.action_masks().argmax(1)) for each in (envs, twin))
        assert data_equivalence(shown, other, exact=True)


# -- bad input, rendering --------------------------------------------------------------------------------------------------


def test_bad_input_is_told_and_changes_nothing() -> None:
    for number in (0, -3, True, 2.5, "4", 10**9):
        with pytest.raises(BatchError, match="num_envs is .*; allowed: an integer from 1 to"):
            gymnasium.make_vec(id_of("skull_king"), num_envs=number)
    for settings, error in (
        ({"opponents": "exact:turn"}, UnknownPlayerError),
        ({"illegal_reward": -1}, OptionError),
        ({"render_mode": "movie"}, OptionError),
        ({"players": 1}, OptionError),
    ):
        with pytest.raises(error):
            gymnasium.make_vec(id_of("skull_king"), num_envs=2, **settings)
    envs = make_vector("skull_king", 3, render_mode="ansi")
    for early in (lambda: envs.step(np.zeros(3, int)), envs.render):
        with pytest.raises(BatchError, match="before reset"):
            early()
    _, infos = envs.reset(seed=1)
    state, good = envs.get_state(), infos["action_mask"].argmax(1)
    illegal = good.copy()
    illegal[1] = envs.game.actions - 1
    for bad, error in ((illegal, IllegalActionError), (good[:2], BatchError), (good.astype(float), BatchError)):
        with pytest.raises(error):
            envs.step(bad)
    for reset in ({"seed": -1}, {"seed": [1, 2, 3]}, {"options": {"reset_mask": np.ones(3, bool)}}):
        with pytest.raises(OptionError):
            envs.reset(**reset)
    assert data_equivalence(envs.get_state(), state, exact=True)


def test_renders_a_text_a_lane(capsys: pytest.CaptureFixture[str]) -> None:
    envs = make_vector("skull_king", 2, render_mode="ansi")
    _, infos = envs.reset(seed=1)
    texts = envs.render()
    rows = zip(envs.lanes.records, infos["seat"].tolist(), strict=True)
    assert texts == tuple(envs.game.render(g, seat) for g, seat in rows)
    human = PirateVectorEnv(pirate_envs.load("skull_king"), 2, render_mode="human")
    human.reset(seed=1)
    assert human.render() is None and capsys.readouterr().out.strip() == "\n".join(texts).strip()
