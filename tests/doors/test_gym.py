"""The Gymnasium door, one seat: its checks, masks, seats, credit, determinism, copies, bad input; all games under their ids."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import pirate_envs
from pirate_envs import IllegalActionError, MatchOverError, OptionError, SnapshotError, UnknownPlayerError
from pirate_envs.agents import Agent, Decisions
from pirate_envs.core.seeds import next_match
from pirate_envs.doors.gym import SeatEnv, make_seat
from pirate_envs.doors.registry import gymnasium_id
from tests.games.setups import seats_near

ROOT = Path(__file__).resolve().parents[2]
GAMES = pirate_envs.games()
SHORT = {"last_hand": 2}
ONE_ROUND = {"players": 5, "max_rounds": 1}  # of Piraten Kapern: some seats never decide, their dice were skulls


class First(Agent):
    """The lowest legal action."""

    name = "first"

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_masks.argmax(1)


FIRST: dict[str, Any] = {"opponents": "first", "policies": {"first": First()}}


def id_of(name: str) -> str:
    return gymnasium_id(name, pirate_envs.load(name).version)


def highest(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


def play(env: gymnasium.Env, info: dict[str, Any], steps: int, seed: int = 0) -> list[Any]:
    """All that so many uniform steps show, with resets where matches end."""
    chance, shown = np.random.default_rng(seed), []
    for _ in range(steps):
        *outcome, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        shown.append((outcome[0], *outcome[1:], info))
        if outcome[2] or outcome[3]:
            observation, info = env.reset()
            shown.append((observation, info))
    return shown


# -- Gymnasium's own checks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_passes_gymnasiums_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings are errors. It samples without action masks, so that illegal actions must be allowed for."""
    check_env(gymnasium.make(id_of(name), illegal_reward=-1.0, players=seats_near(name, 3)).unwrapped)
    assert capsys.readouterr().out  # it has rendered in mode 'human'


@pytest.mark.parametrize("name", GAMES)
def test_matches_in_gymnasiums_wrappers_without_a_warning(name: str) -> None:
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make(id_of(name), players=seats_near(name, 3)))
    observation, info = env.reset(seed=1)
    ends = 0
    for _ in range(400):
        assert observation in env.observation_space and info["action_mask"].any()
        assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"] == 1)
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            assert isinstance(reward, float) and info["episode"]["r"] == pytest.approx(reward)
            assert not info["action_mask"].any() and not env.unwrapped.action_masks().any()
            assert info["points"].tolist() == env.unwrapped.game.payoffs(env.unwrapped.record).tolist()
            ends += 1
            observation, info = env.reset()
    assert ends


def test_ids_are_found_by_a_process_that_names_the_module() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('pirate_envs:pirates/SkullKing-v0', players=3);"
        "print(env.reset(seed=1)[0].shape == env.observation_space.shape, env.unwrapped.game.players)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["True", "3"]


def test_importing_the_package_imports_no_door_but_pettingzoos() -> None:
    code = "import sys, pirate_envs; print([m for m in sys.modules if m in ('pirate_envs.doors.gym', 'pirate_envs.agents')])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT).strip() == "[]"


def test_a_spec_makes_the_same_environment_again() -> None:
    env = gymnasium.make(id_of("skull_king"), players=3, reward="score", opponents={"random": 1, "rules:simple": 2})
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert data_equivalence(env.reset(seed=5), again.reset(seed=5), exact=True)
    assert again.unwrapped.opponents == env.unwrapped.opponents and again.unwrapped.game.options.reward == "score"


# -- what a seat is shown and paid -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"reward": "win"}, {"reward": "margin", "pay_as_scored": True}])
@pytest.mark.parametrize("name", GAMES)
def test_a_match_is_that_of_pettingzoos_door_with_all_that_the_seat_is_paid(name: str, options: dict[str, Any]) -> None:
    """The same deal and the same actions there: what the seat sees, may do, and is paid in all."""
    players = seats_near(name, 3)
    env = make_seat(name, players=players, **options, **FIRST)
    aec = pirate_envs.make_aec(name, players=players, **options)
    _, info = env.reset(seed=11)
    for _ in range(6):
        low, high = (int(word) for word in env.record["seed"])
        aec.reset(seed=low | high << 32)
        me, earned, ended = f"player_{info['seat']}", 0.0, False
        observation, mask = env.lanes.observations[0], info["action_mask"]
        while not ended:
            while aec.agent_selection != me:
                aec.step(int(aec.infos[aec.agent_selection]["action_mask"].argmax()))
            assert np.array_equal(aec.observe(me)["observation"], observation)
            assert np.array_equal(aec.infos[me]["action_mask"], mask)
            action = highest(mask)
            aec.step(action)
            observation, paid, terminated, truncated, info = env.step(action)
            earned, ended, mask = earned + paid, terminated or truncated, info["action_mask"]
        while not any(aec.terminations.values()) and not any(aec.truncations.values()):
            aec.step(int(aec.infos[aec.agent_selection]["action_mask"].argmax()))
        assert np.array_equal(aec.observe(me)["observation"], observation)
        assert earned == pytest.approx(aec.game.rewards(aec.record)[int(me[-1])])
        _, info = env.reset()


def test_seats_and_opponents_are_drawn_evenly() -> None:
    env = make_seat("skull_king", opponents={"random": 3, "rules:strongest": 1}, **SHORT)
    _, info = env.reset(seed=3)
    seats, strong = np.zeros(4), []
    matches = 1500
    for _ in range(matches):
        seats[info["seat"]] += 1
        roles = env.lanes.ledger["roles"][0, :4]
        assert roles[info["seat"]] == -1 and (np.delete(roles, info["seat"]) >= 0).all()
        strong += (np.delete(roles, info["seat"]) > 0).tolist()
        ended = False
        while not ended:
            _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        _, info = env.reset()
    np.testing.assert_allclose(seats / matches, 0.25, atol=4 * np.sqrt(0.25 * 0.75 / matches))
    assert np.mean(strong) == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / len(strong)))


def test_matches_without_a_decision_are_passed_over_and_told() -> None:
    """Every match of the chain is either played or told as missed, and all that was paid in it is accounted for."""
    env = make_seat("piraten_kapern", **FIRST, **ONE_ROUND)
    _, info = env.reset(seed=2)
    deals = env.game.new(2)
    played = missed = 0
    total, told = 0.0, 0.0
    while played < 200:
        missed += info.get("missed_matches", 0)
        told += info.get("missed_reward", 0.0)
        played += 1
        ended = False
        while not ended:
            _, reward, *ends, info = env.step(int(info["action_mask"].argmax()))
            total, ended = total + reward, any(ends)
        _, info = env.reset()
    seeds = env.record["seed"].tolist()
    chain = 1
    while deals["seed"].tolist() != seeds:
        next_match(deals)
        chain += 1
    assert missed and chain == played + missed + info.get("missed_matches", 0) + 1
    assert -missed <= told < 0 and abs(total) <= played  # a turn without a decision scores nothing


def test_missed_matches_are_counted_at_the_seat_that_was_drawn() -> None:
    """Of two players, the one that never decides is paid the opposite of the other."""
    env = make_seat("piraten_kapern", players=2, max_rounds=1, reward="win")
    missed = paid = 0.0
    for seed in range(300):
        _, info = env.reset(seed=seed)
        missed += info.get("missed_matches", 0)
        paid += info.get("missed_reward", 0.0)
        assert ("missed_matches" in info) == ("missed_reward" in info)
        assert abs(info.get("missed_reward", 0.0)) <= info.get("missed_matches", 0)
    assert missed > 10 and paid < 0  # a turn without a decision scores nothing


# -- seeds, copies, snapshots ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_fixes_everything(name: str) -> None:
    runs = []
    for seed in (5, 5, 6):
        env = make_seat(name, players=seats_near(name, 3), opponents={"random": 1, "strange": 1}, policies={"strange": First()})
        first = env.reset(seed=seed)
        runs.append([first, *play(env, first[1], 60), env.reset()])
    assert data_equivalence(runs[0], runs[1], exact=True) and not data_equivalence(runs[0], runs[2], exact=True)


def test_the_first_seed_is_drawn_by_chance_and_np_random_follows_the_seed() -> None:
    shown = [make_seat("skull_king").reset()[0].tobytes() + make_seat("skull_king").reset()[0].tobytes() for _ in range(4)]
    assert len(set(shown)) > 1
    env = make_seat("skull_king")
    env.reset(seed=4)
    assert env.np_random_seed == 4
    env.reset(seed=np.int64(4))
    env.reset(seed=2**64 - 1)


def test_a_trained_policy_sits_by_its_name() -> None:
    env = gymnasium.make(id_of("skull_king"), opponents={"policy:pretrained": 1}, reward="win", players=4, **SHORT).unwrapped
    assert env.opponents == {"policy:pretrained": 1.0}
    _, info = env.reset(seed=1)
    won = [entry[1] for entry in play(env, info, 500) if len(entry) == 5 and entry[2]]
    assert np.mean(won) < -0.1  # uniform play loses to it
    env.set_opponents("random")
    assert env.opponents == {"random": 1.0}


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_by_themselves(way: Any) -> None:
    env = make_seat("skull_king", opponents={"policy:pretrained": 1, "random": 1}, **SHORT)
    _, info = env.reset(seed=1)
    play(env, info, 7)
    twin = way(env)
    info = {"action_mask": env.action_masks()}
    assert data_equivalence(play(twin, info, 30), play(env, info, 30), exact=True)


def test_a_snapshot_replays_the_same_future() -> None:
    env = make_seat("skull_king", **SHORT)
    with pytest.raises(MatchOverError, match=r"snapshot.*reset\(\)"):
        env.get_state()
    _, info = env.reset(seed=1)
    play(env, info, 6)
    state, info = env.get_state(), {"action_mask": env.action_masks()}
    future = play(env, info, 30)
    other = make_seat("skull_king", **SHORT)
    assert np.array_equal(other.set_state(state), other.game.observation(other.record, int(other.lanes.ledger["seat"][0])))
    assert data_equivalence(play(other, info, 30), future, exact=True)
    other_game = make_seat("skull_king", players=2)
    other_game.reset(seed=1)
    before = other.get_state()
    for bad in ({}, {**state, "records": state["records"][:0]}, other_game.get_state()):
        with pytest.raises(SnapshotError):
            other.set_state(bad)
    assert all(np.array_equal(before[name], array) for name, array in other.get_state().items())


# -- bad input -------------------------------------------------------------------------------------------------------------


def test_an_illegal_action_is_an_error_and_changes_nothing() -> None:
    env = make_seat("skull_king")
    with pytest.raises(MatchOverError, match=r"action 0.*call reset\(\)"):
        env.step(0)
    _, info = env.reset(seed=1)
    state = env.get_state()
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    for bad in (illegal, np.int64(illegal), -1, env.game.actions, 10**30, 0.0, "0", None, True, np.array([0]), [0]):
        with pytest.raises(IllegalActionError):
            env.step(bad)
    assert all(np.array_equal(array, env.get_state()[name]) for name, array in state.items())
    env.step(np.array(int(info["action_mask"].argmax())))  # as Stable-Baselines3 hands one over


def test_after_the_end_it_says_so() -> None:
    env = make_seat("skull_king", render_mode="ansi", **SHORT)
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
    assert env.game.is_over(env.record) and "over" in env.render()
    with pytest.raises(MatchOverError, match=r"action 3, but no match is running; call reset\(\)"):
        env.step(3)


def test_an_illegal_action_ends_the_match_where_that_is_asked_for() -> None:
    env = make_seat("skull_king", illegal_reward=-2)
    observation, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    seen, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-2.0, True, False)
    assert np.array_equal(seen, observation) and info["illegal_action"] == illegal and not info["action_mask"].any()
    with pytest.raises(MatchOverError):
        env.step(illegal)
    _, info = env.reset()
    assert info["action_mask"].any()
    for bad in (-1, env.game.actions, 1.5):
        with pytest.raises(IllegalActionError):
            env.step(bad)


@pytest.mark.parametrize(
    ("settings", "error", "why"),
    [
        ({"opponents": "rules:nobody"}, UnknownPlayerError, "rules:nobody.*rules:simple"),
        ({"opponents": {"exact:turn": 1}}, UnknownPlayerError, "exact:turn"),
        ({"opponents": {"random": -1}}, OptionError, "-1; allowed: a number from 0"),
        ({"opponents": 3}, OptionError, "opponents is 3"),
        ({"opponents": {3: 1}}, UnknownPlayerError, "3.*random"),
        ({"policies": 3}, OptionError, "policies is 3"),
        ({"policies": {"x": 3}}, OptionError, "policy 'x' is 3; allowed: a player"),
        ({"player": 3}, OptionError, "unknown option 'player'; there are: players"),
        ({"game": "lucky_pirate"}, OptionError, "unknown option 'game'"),
        ({"players": 9}, OptionError, "'players' is 9; allowed"),
        ({"reward": "wins"}, OptionError, "'reward' is 'wins'; allowed"),
        ({"illegal_reward": float("nan")}, OptionError, "illegal_reward is nan; allowed"),
        ({"illegal_reward": True}, OptionError, "illegal_reward is True"),
    ],
)
def test_bad_settings_are_told(settings: dict[str, Any], error: type[Exception], why: str) -> None:
    with pytest.raises(error, match=why):
        gymnasium.make(id_of("skull_king"), **settings)


@pytest.mark.parametrize("mode", ["movie", 3])
def test_a_bad_render_mode_is_told(mode: Any) -> None:
    with pytest.raises(OptionError, match=f"render_mode is {mode!r}; allowed: None or one of 'human', 'ansi', 'rgb_array'"):
        make_seat("skull_king", render_mode=mode)


def test_gymnasium_collects_frames() -> None:
    env = gymnasium.make(id_of("piraten_kapern"), render_mode="ansi_list")
    _, info = env.reset(seed=3)
    env.step(int(info["action_mask"].argmax()))
    frames = env.render()
    assert isinstance(frames, list) and len(frames) == 2 and all(isinstance(frame, str) for frame in frames)


def test_an_opponent_of_another_game_and_a_wrong_id_are_told() -> None:
    with pytest.raises(UnknownPlayerError, match="no policy:pretrained comes with kuhn_poker; there are: easy"):
        gymnasium.make("pirates/KuhnPoker-v0", opponents="policy:pretrained")
    with pytest.raises(UnknownPlayerError, match="unknown player 'rules:strongest'; there are: easy, "):
        gymnasium.make("pirates/KuhnPoker-v0", opponents="rules:strongest")
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `SkullKing`"):
        gymnasium.make("pirates/SkulKing-v0")


def test_bad_resets_are_told_and_change_nothing() -> None:
    env = make_seat("skull_king")
    env.reset(seed=1)
    state = env.get_state()
    for seed in (-1, 2**64, 1.5, "1", True):
        with pytest.raises(OptionError, match="seed"):
            env.reset(seed=seed)
    with pytest.raises(OptionError, match=r"reset options are \{'players': 3\}; allowed: none"):
        env.reset(options={"players": 3})
    env.set_state(state)
    assert data_equivalence(env.get_state(), state, exact=True)


# -- rendering -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_renders_what_the_seat_sees(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = make_seat(name, players=seats_near(name, 3), render_mode="ansi")
    with pytest.raises(MatchOverError, match="nothing to show"):
        env.render()
    _, info = env.reset(seed=1)
    assert env.render() == env.game.render(env.record, info["seat"]) != env.game.render(env.record) or name == "piraten_kapern"
    human = make_seat(name, players=seats_near(name, 3), render_mode="human")
    human.reset(seed=1)
    assert human.render() is None and capsys.readouterr().out.strip() == env.render().strip()


def test_without_a_render_mode_it_says_so() -> None:
    env = SeatEnv(pirate_envs.load("skull_king"))
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
