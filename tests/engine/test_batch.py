"""Batch: matches in lockstep, arrays in and out."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import pirate_envs
from pirate_envs import BatchError, IllegalActionError, OptionError, SnapshotError
from pirate_envs.engine.match import Match

GAMES = pirate_envs.games()


def play(batch, steps):
    for _ in range(steps):
        batch.step(batch.random_actions())


@pytest.mark.parametrize("name", GAMES)
def test_a_row_is_the_game_alone_whatever_the_size(name):
    game = pirate_envs.load(name)
    many, few = pirate_envs.Batch(game, 150, seed=40), pirate_envs.Batch(game, 3, seed=100)
    for _ in range(400):
        many.step(many.random_actions())
        few.step(few.random_actions())
        for part in ("records", "observations", "action_masks", "rewards", "ended", "points", "seats"):
            assert (getattr(many, part)[60:63] == getattr(few, part)).all(), part


@pytest.mark.parametrize("name", GAMES)
def test_what_is_shown_is_what_the_verbs_say(name):
    game = pirate_envs.load(name)
    batch = pirate_envs.Batch(game, 5, seed=2)
    for _ in range(50):
        for lane in range(batch.size):
            g = batch.records[lane]
            assert batch.seats[lane] == game.seat_to_move(g)
            assert (batch.observations[lane] == game.observation(g, game.seat_to_move(g))).all()
            assert (batch.action_masks[lane] == game.action_mask(g)).all()
        play(batch, 7)


@pytest.mark.parametrize("name", GAMES)
def test_every_column_that_is_counted_belongs_to_a_figure(name):
    game = pirate_envs.load(name)
    counted = {column for columns in game.figures.values() for column in columns}
    assert counted == set(range(game.tallies)) and len(counted) == game.tallies


@pytest.mark.parametrize("reward", ["score", "margin"])
def test_points_stay_those_of_the_match_that_ended_last(reward):
    game = pirate_envs.load("skull_king", players=3, last_hand=2, reward=reward, pay_as_scored=True)
    batch = pirate_envs.Batch(game, 20, seed=1)
    paid, ended_points = np.zeros((20, 3)), np.zeros((20, 3), np.int64)
    for _ in range(100):
        scores = batch.records["scores"][:, :3].copy()
        batch.step(batch.random_actions())
        paid += batch.rewards
        over = batch.ended > 0
        ended_points[over] = batch.points[over]
        assert (batch.points == ended_points).all()
        for lane in np.flatnonzero(over):
            points = batch.points[lane]
            assert (points != scores[lane]).any()  # the last hand's points are in them
            others = (points.sum() - points) / 2 if reward == "margin" else 0
            assert paid[lane] == pytest.approx((points - others) / game.scale, abs=1e-6)
            paid[lane] = 0
    assert ended_points.any()


def test_win_rewards_share_one():
    game = pirate_envs.load("skull_king", players=4, last_hand=1)
    batch = pirate_envs.Batch(game, 500, seed=1, observations=False)
    play(batch, 8)
    assert batch.ended.all()
    for points, rewards in zip(batch.points, batch.rewards, strict=True):
        won = points == points.max()
        expected = np.where(won, 1 / won.sum(), -1 / max(1, (~won).sum())) if not won.all() else np.zeros(4)
        assert rewards == pytest.approx(expected)


def test_snapshot_and_restore_replay_to_the_byte():
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), 30, seed=5)
    play(batch, 33)
    state, seen = batch.get_state(), batch.observations.copy()
    play(batch, 300)
    after = batch.records.copy()
    batch.set_state(state)
    assert (batch.observations == seen).all()
    play(batch, 300)
    assert batch.records.tobytes() == after.tobytes()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copy_plays_on_by_itself(way):
    batch = pirate_envs.Batch(pirate_envs.load("piraten_kapern", max_rounds=1), 64, seed=3, threads=2)
    while not batch.play(1):
        pass
    other = way(batch)
    assert other.threads == 2
    for name in ("records", "seats", "action_masks", "observations", "rewards", "ended", "points"):
        mine, theirs = getattr(batch, name), getattr(other, name)
        assert mine.tobytes() == theirs.tobytes() and mine is not theirs
    before = batch.records.tobytes()
    other.play(3)
    assert batch.records.tobytes() == before != other.records.tobytes()
    batch.play(3)
    assert batch.records.tobytes() == other.records.tobytes()


def test_a_copy_of_a_match_plays_on_by_itself():
    match = Match(pirate_envs.load("skull_king"), 3)
    other = copy.copy(match)
    other.step(int(other.action_mask.argmax()))
    assert match.records["decisions"] == 0 and other.records["decisions"] == 1


@pytest.mark.parametrize("size", [0, -1, 1.5, "many", True, 1 << 25])
def test_bad_sizes(size):
    with pytest.raises(BatchError, match=r"size is"):
        pirate_envs.Batch(pirate_envs.load("skull_king"), size)


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, None, True])
def test_bad_seeds(seed):
    with pytest.raises(OptionError, match="seed is"):
        pirate_envs.Batch(pirate_envs.load("skull_king"), 2, seed=seed)


def test_an_action_beyond_int64_is_told_as_it_was_given():
    with pytest.raises(IllegalActionError, match=f"action {2**63} is not legal in lane 1"):
        pirate_envs.Batch(pirate_envs.load("skull_king"), 2, seed=1).step(np.array([0, 2**63], np.uint64))


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        (np.zeros(4, np.int64), BatchError),
        (np.zeros((3, 1), np.int64), BatchError),
        (np.zeros(3), BatchError),
        (np.zeros(3, bool), BatchError),
        ([0, 0, 50], IllegalActionError),
        ([0, -1, 0], IllegalActionError),
        ([73, 0, 0], IllegalActionError),
        ([0, 0, 2**40], IllegalActionError),
        (np.array([0, 0, 2**63], np.uint64), IllegalActionError),
        (np.ma.masked_array([0, 0, 0], [True, False, False]), BatchError),
        (None, BatchError),
        ([[1], 2, 3], BatchError),
        ([10**400, 0, 0], BatchError),
    ],
)
def test_bad_actions_change_nothing(actions, error):
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), 3, seed=1)
    before = batch.records.tobytes()
    with pytest.raises(error):
        batch.step(actions)
    assert batch.records.tobytes() == before


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"size": 4}, "shape"),
        ({"players": 3}, "players=3"),
        ({"name": "lucky_pirate"}, "another type"),
        ({"lacks": "records"}, "lacks"),
    ],
)
def test_a_foreign_snapshot_is_refused_and_changes_nothing(other, why):
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), 3, seed=1)
    game = pirate_envs.load(other.get("name", "skull_king"), players=other.get("players", 4))
    state = pirate_envs.Batch(game, other.get("size", 3)).get_state()
    state.pop(other.get("lacks", ""), None)
    before = batch.records.tobytes()
    with pytest.raises(SnapshotError, match=why):
        batch.set_state(state)
    assert batch.records.tobytes() == before


def test_fresh_arrays_leave_the_old_ones_alone():
    game = pirate_envs.load("skull_king", last_hand=2)
    usual, fresh = pirate_envs.Batch(game, 70, seed=4), pirate_envs.Batch(game, 70, seed=4)
    kept = []
    for step in range(60):
        if step % 20 == 10:
            usual.reset(step)
            fresh.reset(step, fresh=True)
        for part in ("observations", "action_masks", "seats", "rewards", "ended"):
            assert (getattr(usual, part) == getattr(fresh, part)).all(), part
        kept.append((fresh.observations, fresh.action_masks, usual.observations.copy(), usual.action_masks.copy()))
        usual.step(usual.random_actions())
        with pytest.raises(IllegalActionError):
            fresh.step(fresh.action_masks.argmin(axis=1), fresh=True)
        fresh.step(fresh.random_actions(), fresh=True)
    for observations, masks, observations_then, masks_then in kept:
        assert (observations == observations_then).all() and (masks == masks_then).all()
        assert observations.ctypes.data % 64 == 0 and masks.ctypes.data % 64 == 0
