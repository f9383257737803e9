"""Threads: the same bytes from any number of them, no thread that outlives its batch, and a process that may be forked."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import pirate_envs
from pirate_envs import BatchError, IllegalActionError
from pirate_envs.engine import batch as batches
from pirate_envs.engine import lanes as lane_module
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.threads import MOST_THREADS, Threads, ranges

GAMES = pirate_envs.games()
ROOT = Path(__file__).resolve().parents[2]
SIZE = 330  # six blocks of lanes, the last one short
PARTS = ("records", "observations", "action_masks", "rewards", "ended", "points", "seats", "_generators", "_actions")


@pytest.fixture
def small_shares(monkeypatch):
    """Hand over even what does not pay, so that small batches use all threads."""
    monkeypatch.setattr(batches, "A_SHARE", 1)
    monkeypatch.setattr(batches, "DRAWS", 1)
    monkeypatch.setattr(lane_module, "A_SHARE", 1)


def told(batch):
    return {name: getattr(batch, name).tobytes() for name in PARTS}


def looped(batch, steps):
    return sum(batch.step(batch.random_actions()) for _ in range(steps))


@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize("name", GAMES)
def test_any_number_of_threads_plays_the_same_bytes(name):
    game, steps = pirate_envs.load(name), 100
    state = begun(game)
    one = at(game, state, 1)
    matches, expected = looped(one, steps), told(one)
    assert matches > 0
    later = one.get_state()
    for threads in (1, 2, 3, 7):
        stepped, played = (at(game, state, threads) for _ in range(2))
        assert stepped.threads == threads
        assert looped(stepped, steps) == matches and told(stepped) == expected
        assert played.play(steps - 1) + played.play(1) == matches and told(played) == expected
        stepped.play(3)
        stepped.set_state(later)
        played.set_state(later)
        assert looped(stepped, 5) == played.play(5)
        assert stepped.get_state()["records"].tobytes() == played.get_state()["records"].tobytes()


def begun(game):
    """A snapshot in the midst of matches, so that some end soon."""
    batch = pirate_envs.Batch(game, SIZE, seed=9)
    batch.play(700)
    return batch.get_state()


def at(game, state, threads):
    batch = pirate_envs.Batch(game, SIZE, threads=threads)
    batch.set_state(state)
    return batch


@pytest.mark.usefixtures("small_shares")
def test_an_illegal_action_anywhere_changes_nothing():
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), SIZE, seed=1, threads=3)
    batch.play(10)
    for lane in (0, 150, SIZE - 1):
        actions = batch.random_actions().copy()
        before = told(batch)
        actions[lane] = -1
        with pytest.raises(IllegalActionError, match=f"lane {lane}"):
            batch.step(actions)
        assert told(batch) == before
    assert batch.step(batch.random_actions()) >= 0


def test_without_rows_to_show_there_is_nothing_to_share():
    game = pirate_envs.load("lucky_pirate")
    one, two = (pirate_envs.Batch(game, SIZE, 5, observations=False, action_masks=False, threads=threads) for threads in (1, 2))
    assert one.play(90) == two.play(90) > 0
    assert one.records.tobytes() == two.records.tobytes()


@pytest.mark.parametrize("threads", [0, -1, 1.0, "2", None, True, MOST_THREADS + 1])
def test_bad_numbers_of_threads(threads):
    game = pirate_envs.load("skull_king")
    for make in (pirate_envs.Batch, Lanes):
        with pytest.raises(BatchError, match=r"threads is .*; allowed: an integer from 1 to 256"):
            make(game, 4, threads=threads)


@pytest.mark.parametrize("steps", [0, -1, 2.0, "2", None, True, 1 << 25])
def test_bad_numbers_of_steps_play_nothing(steps):
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), 4, seed=2)
    before = told(batch)
    with pytest.raises(BatchError, match="steps is"):
        batch.play(steps)
    assert told(batch) == before


@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_lanes_advance_to_the_same_bytes(threads):
    game = pirate_envs.load("skull_king", reward="margin", pay_as_scored=True)
    few, many = (Lanes(game, 100, seed=5, self_play=0.3, counts=True, threads=number) for number in (1, threads))
    for each in (few, many):
        each.meet({"random": 1, "rules:strongest": 1})
        each.reset()
        for _ in range(30):
            each.learners_act(each.action_masks.argmax(axis=1))
    for part in ("records", "ledger", "observations", "final_observations", "action_masks", "counts"):
        assert getattr(few, part).tobytes() == getattr(many, part).tobytes(), part


@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize("door", ["sb3", "gymnasium"])
def test_learners_doors_show_the_same_bytes(door):
    def played(threads):
        mix = {"random": 1, "rules:strongest": 1}
        if door == "sb3":
            env = pirate_envs.make_sb3("skull_king", 100, mix, 5, threads=threads)
            return [env.reset(), *(array for _ in range(20) for array in env.step(env.action_masks().argmax(1))[:3])]
        env = gymnasium.make_vec("pirates/SkullKing-v0", 100, opponents=mix, threads=threads)
        seen, infos = env.reset(seed=5)
        arrays = [seen]
        for _ in range(20):
            *seen, infos = env.step(infos["action_mask"].argmax(1))
            arrays += seen
        return arrays

    assert [array.tobytes() for array in played(1)] == [array.tobytes() for array in played(3)]
    with pytest.raises(BatchError, match="threads is 0"):
        played(0)


# -- the threads themselves ------------------------------------------------------------------------------------------------


def begun_after(earlier):
    """The threads of batches that live now and were not among those that lived earlier: other tests' may still be ending."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("pirate_envs")} - earlier


@pytest.mark.usefixtures("small_shares")
def test_threads_begin_when_needed_and_end_with_their_batch():
    earlier = begun_after(set())
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), SIZE, threads=3)
    assert not begun_after(earlier)
    batch.play(1)
    begun = begun_after(earlier)
    assert 1 <= len(begun) <= 2  # an idle one takes a further share before another is begun
    del batch
    for thread in begun:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in begun)


@pytest.mark.usefixtures("small_shares")
def test_a_copy_is_a_batch_of_its_own():
    batch = pirate_envs.Batch(pirate_envs.load("skull_king"), SIZE, seed=3, threads=2)
    batch.play(20)
    other = copy.deepcopy(batch)
    before = told(batch)
    shown = set(PARTS) - {"_actions"}
    assert all(told(other)[name] == before[name] for name in shown) and other.threads == 2
    assert other.play(30) == looped(copy.deepcopy(batch), 30)
    assert told(batch) == before != told(other)
    batch.play(30)
    assert told(batch) == told(other)


def test_threads_do_what_the_parts_say_and_pass_errors_on():
    threads = Threads(3)
    assert threads.map(pow, [(2, 3)]) == [8]
    assert threads.map(pow, [(2, 3), (3, 2), (5, 1)]) == [8, 9, 5]
    done = []

    def slow(number):
        time.sleep(0.05 * number)
        done.append(number)
        if number != 2:
            raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        threads.map(slow, [(0,), (1,), (2,)])
    assert sorted(done) == [0, 1, 2]  # none goes on behind the caller's back
    assert pickle.loads(pickle.dumps(threads)).map(pow, [(2, 3), (3, 2)]) == [8, 9]
    assert [threads.enough_for(shares) for shares in (0, 1, 2, 9)] == [1, 1, 2, 3]


def test_ranges_cover_every_row_once():
    for size in (1, 63, 64, 65, 330, 1000):
        for parts in (1, 2, 3, 7, 256):
            for multiple in (1, 64):
                found = ranges(size, parts, multiple)
                assert len(found) <= parts and np.concatenate([np.arange(size)[each] for each in found]).tolist() == [
                    *range(size)
                ]
                assert all(each.start % multiple == 0 and each.stop > each.start for each in found)


FORKED = """
import hashlib, os, pirate_envs
batch = pirate_envs.Batch(pirate_envs.load("skull_king"), 256, seed=4, threads=2)
batch.play(100)
told = lambda: hashlib.sha256(batch.records.tobytes()).hexdigest()
if os.fork() == 0:
    batch.play(100)
    print(told(), flush=True)
    os._exit(0)
os.wait()
batch.play(100)
print(told())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_starts_threads_of_its_own():
    out = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, cwd=ROOT, timeout=300)
    child, parent = out.stdout.split()
    assert child == parent
