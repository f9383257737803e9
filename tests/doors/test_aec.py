"""The PettingZoo door: its tests and conventions, copies and snapshots in mid-match, seeds, bad actions, rendering."""

import copy
import importlib
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import wrappers

import pirate_envs
from pirate_envs import (
    IllegalActionError,
    MatchOverError,
    OptionError,
    ReplayError,
    SnapshotError,
    UnknownGameError,
    UnknownPlayerError,
)
from pirate_envs.core.errors import MissingExtraError
from pirate_envs.core.svg import of_text
from pirate_envs.doors import pixels as pixels_module
from pirate_envs.doors.pixels import pixels
from tests.games.setups import seats_near

GAMES = pirate_envs.games()
ONE, OTHER = "lucky_pirate", "skull_king"  # for tests that need no more than some game

# api_test knows PettingZoo's own masked games by name and warns for every other one. The third: an agent whose match is
# over has no legal action.
KNOWN_WARNINGS = [
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
]
known_warnings = [pytest.mark.filterwarnings(warning) for warning in KNOWN_WARNINGS]


def marked(function):
    for mark in known_warnings:
        function = mark(function)
    return pytest.mark.filterwarnings("ignore::DeprecationWarning")(function)  # pettingzoo.test imports pygame


def classic(name):
    game = pirate_envs.load(name)
    return importlib.import_module(f"pirate_envs.{game.name}_v{game.version}")


def random_action(env, chance):
    mask = env.infos[env.agent_selection]["action_mask"]
    return int(chance.choice(np.flatnonzero(mask)))


def is_over(env):
    return env.terminations[env.agent_selection] or env.truncations[env.agent_selection]


def play_partly(env, most):
    """Play random legal actions for half of the match or so, `most` decisions at most."""
    trace = play_on(env.unwrapped.clone())
    play_on(env, min(most, (len(trace) - len(env.possible_agents)) // 2))


def play_on(env, decisions=10**9, seed=0):
    """Play random legal actions; returns what happened, step by step."""
    chance = np.random.default_rng(seed)
    trace = []
    for agent in env.agent_iter(decisions):
        observation, reward, termination, truncation, info = env.last()
        shown = observation["observation"].tobytes(), info["action_mask"].tobytes()
        trace.append((agent, *shown, reward, termination, truncation))
        env.step(None if termination or truncation else random_action(env, chance))
    return trace


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


# -- copies and snapshots ------------------------------------------------------------------------------------------------

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


# -- rendering -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_renders_as_text(name, capsys):
    env = pirate_envs.make_aec(name, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert pirate_envs.load(name).title in text
    assert capsys.readouterr().out == ""
    env = pirate_envs.make_aec(name, render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert capsys.readouterr().out == text + "\n"
    env.close()


@pytest.mark.parametrize("name", GAMES)
def test_renders_as_pixels(name):
    env = pirate_envs.make_aec(name, render_mode="rgb_array")
    env.reset(seed=1)
    image = env.render()
    assert image.shape == (720, 960, 3) and image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 20


def test_pixels_hold_the_words():
    """A renderer that finds no font leaves all words out and says nothing."""
    picture = pirate_envs.load(ONE).picture(pirate_envs.load(ONE).new(1))
    words = re.sub(r"<text[^>]*>[^<]*</text>", "", picture)
    changed = (pixels(picture) != pixels(words)).any(axis=2)
    assert changed[:45, 15:200].mean() > 0.05  # the game's name
    mono = of_text("#" * 40, "a page of text", "light")
    assert (pixels(mono) != pixels(re.sub(r"<text[^>]*>[^<]*</text>", "", mono))).any(axis=2).sum() > 500
    assert pixels(picture, 480).shape == (360, 480, 3)
    assert pixels(pirate_envs.load(ONE).picture(pirate_envs.load(ONE).new(1), tall=True)).shape == (720, 390, 3)


def test_pixels_may_be_drawn_in_any_thread():
    picture = pirate_envs.load(ONE).picture(pirate_envs.load(ONE).new(1))
    with ThreadPoolExecutor(1) as other:
        assert (other.submit(pixels, picture).result() == pixels(picture)).all()


@pytest.mark.parametrize("picture", ["", "<svg>", "<svg/>", "no picture", '<svg viewBox="0 0 x 1"/>'])
def test_what_is_no_picture_has_no_pixels(picture):
    with pytest.raises(OptionError, match="the picture"):
        pixels(picture)


@pytest.mark.parametrize("width", [0, 5000, 1.5, True, "960"])
def test_pixels_of_no_width_are_refused(width):
    with pytest.raises(OptionError, match="width"):
        pixels("<svg/>", width)


def test_without_the_extra_pixels_say_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg", None)
    env = pirate_envs.make_aec(ONE, render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(MissingExtraError, match=r"resvg: pip install 'pirate-envs\[pictures\]'"):
        env.render()


def test_without_its_fonts_no_picture_is_drawn(monkeypatch, tmp_path):
    monkeypatch.setattr(pixels_module.resources, "files", lambda package: tmp_path)
    pixels_module.font_files.cache_clear()
    with pytest.raises(MissingExtraError, match="the font DejaVuSans-Bold.ttf is missing"):
        pixels("<svg/>")
    pixels_module.font_files.cache_clear()


def test_a_notebook_shows_the_table():
    env = pirate_envs.make_aec(ONE)
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert env._repr_svg_() == env.game.picture(env.record)


@marked
@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_render_test(name, capsys):
    from pettingzoo.test.render_test import render_test

    render_test(lambda **options: pirate_envs.make_aec(name, **options))
    assert pirate_envs.load(name).title in capsys.readouterr().out


def test_without_a_render_mode_it_says_so():
    env = pirate_envs.make_aec(ONE)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


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
