"""The PettingZoo door: copies and snapshots in mid-match, and the match so far as a replay."""

import copy
import pickle

import numpy as np
import pytest

import pirate_envs
from pirate_envs import MatchOverError, ReplayError, SnapshotError
from tests.doors.aec import GAMES, ONE, OTHER, classic, is_over, play_on, play_partly, random_action
from tests.games.setups import seats_near

COPIES = {
    "clone": lambda env: env.unwrapped.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", GAMES)
def test_a_copy_plays_the_match_on_by_itself(name, how, wrapped):
    env = env_at(name, wrapped)
    before = env.unwrapped.record.tobytes()
    other = COPIES[how](env)
    assert play_on(other, 25, seed=1)
    assert env.unwrapped.record.tobytes() == before != other.unwrapped.record.tobytes()
    assert play_on(env, seed=1)[:25] == play_on(COPIES[how](env_at(name, wrapped)), seed=1)[:25]


def env_at(name, wrapped):
    make = classic(name).env if wrapped else classic(name).raw_env
    env = make(players=seats_near(name, 3), reward="margin", pay_as_scored=True)
    env.reset(seed=8)
    play_partly(env, 30)
    return env


@pytest.mark.parametrize("at", [0, 37])
@pytest.mark.parametrize("name", GAMES)
def test_a_snapshot_brings_back_match_and_books(name, at):
    env = pirate_envs.make_aec(name, players=seats_near(name, 3), reward="score", pay_as_scored=True)
    env.reset(seed=8)
    play_partly(env, at)
    state = pickle.loads(pickle.dumps(env.get_state()))
    first = play_on(env)
    assert env.agents == []
    env.set_state(state)
    assert play_on(env) == first
    fresh = pirate_envs.make_aec(name, players=seats_near(name, 3), reward="score", pay_as_scored=True)
    fresh.set_state(state)
    assert play_on(fresh) == first


def test_a_snapshot_among_dead_agents():
    env = pirate_envs.make_aec(ONE, players=2)
    env.reset(seed=8)
    while not is_over(env):
        env.step(random_action(env, np.random.default_rng(0)))
    env.step(None)
    other = pirate_envs.make_aec(ONE, players=2)
    other.set_state(env.get_state())
    assert other.agents == env.agents == ["player_1"]
    assert play_on(other) == play_on(env)


def test_foreign_snapshots_are_refused():
    env = pirate_envs.make_aec(ONE, players=3)
    env.reset(seed=1)
    state = env.get_state()
    for other in (pirate_envs.make_aec(ONE, players=2), pirate_envs.make_aec(OTHER, players=3)):
        other.reset(seed=2)
        before = other.record.tobytes()
        with pytest.raises(SnapshotError, match="snapshot|dealt with"):
            other.set_state(state)
        assert other.record.tobytes() == before
    with pytest.raises(SnapshotError, match="lacks"):
        env.set_state({})


PARTS = ("match", "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "_actions")
WRONG = [3, "x", None, [], {}, ["player_9"], {"player_0": "much"}, [[]]]


@pytest.mark.parametrize("part", [*PARTS, "_skip_agent_selection"])
def test_a_snapshot_with_a_wrong_part_changes_nothing(part):
    """What comes before the wrong part is of another match: had it been set, it would show."""
    env, other = pirate_envs.make_aec(ONE, players=3), pirate_envs.make_aec(ONE, players=3)
    env.reset(seed=1)
    other.reset(seed=2)
    state, before = other.get_state(), repr(env.get_state())
    allowed = {"_skip_agent_selection": None, "_actions": []}  # nothing has been played yet
    wrong = [each for each in WRONG if part not in allowed or each != allowed[part]]
    spoilt = [{**state, part: each} for each in wrong] + [{name: each for name, each in state.items() if name != part}]
    if isinstance(state[part], dict) and part != "match":
        spoilt += [{**state, part: {**state[part], name: float("nan")}} for name in ("player_0", "player_7")]
    for each in [*spoilt, None, 3, []]:
        with pytest.raises(SnapshotError):
            env.set_state(each)
        assert repr(env.get_state()) == before
    env.set_state(state)
    assert env.record.tobytes() == other.record.tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_the_match_so_far_can_be_saved(name, tmp_path):
    env = pirate_envs.make_aec(name)
    env.reset(seed=2)
    play_partly(env, 12)
    env.reset()  # the match that follows
    play_partly(env, 7)
    env.replay().save(tmp_path / "match.json")
    saved = pirate_envs.Replay.load(tmp_path / "match.json")
    assert saved.play().tobytes() == env.record.tobytes()
    copy = pickle.loads(pickle.dumps(env))
    play_partly(copy, 2)
    assert len(copy.replay().actions) == int(copy.record.decisions)
    other = pirate_envs.make_aec(name)
    other.set_state(env.get_state())
    assert other.replay() == saved


def test_a_match_that_did_not_come_from_its_deal_has_no_replay():
    env = pirate_envs.make_aec(ONE, players=3)
    with pytest.raises(MatchOverError):
        env.replay()
    env.reset(seed=1)
    play_partly(env, 3)
    state = env.get_state()
    for actions in ([], [0, 0], [env.game.actions - 1] * 3):
        env.set_state({**state, "_actions": actions})
        with pytest.raises(ReplayError, match="did not come from|does not follow"):
            env.replay()
    for actions in ([-1, 0, 0], [True, 0, 0], None, [0, 0, env.game.actions]):
        with pytest.raises(SnapshotError, match="_actions"):
            env.set_state({**state, "_actions": actions})
