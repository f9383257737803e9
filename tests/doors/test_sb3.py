"""Stable-Baselines3's VecEnv over the engine."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecMonitor

from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.core.errors import (
    BatchError,
    IllegalActionError,
    OptionError,
    SnapshotError,
    UnknownGameError,
    UnknownPlayerError,
)
from pirate_envs.doors.sb3 import PirateVecEnv, make_sb3
from pirate_envs.engine.seating import LEARNER
from pirate_envs.games import load

SHORT = {"last_hand": 3}


class First(Agent):
    """The lowest legal action."""

    name = "first"

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_masks.argmax(1)


def highest(masks: np.ndarray) -> np.ndarray:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def uniform(env: PirateVecEnv, generator: np.random.Generator) -> np.ndarray:
    masks = env.action_masks()
    return (generator.random(masks.shape) * masks).argmax(1)


def digest(env: PirateVecEnv, steps: int, seed: int = 0) -> str:
    """A hash of all that `steps` uniform moves show."""
    generator = np.random.default_rng(seed)
    known = hashlib.sha256()
    for _ in range(steps):
        observations, rewards, dones, _ = env.step(uniform(env, generator))
        known.update(observations.tobytes() + rewards.tobytes() + dones.tobytes() + env.action_masks().tobytes())
    return known.hexdigest()


class Referee:
    """One match played through the checked verbs, with First on all seats but the learner's."""

    def __init__(self, env: PirateVecEnv, lane: int) -> None:
        self.game, self.env, self.lane = env.game, env, lane
        self.begin()

    def begin(self) -> None:
        """Start the match that the lane has begun, before the learner's first move."""
        words = self.env.lanes.records["seed"][self.lane]
        self.g = self.game.new(int(words[0]) | int(words[1]) << 32)
        self.seat = int(self.env.lanes.ledger["seat"][self.lane])
        self.worth = 0.0
        self.others()

    def others(self) -> None:
        while not self.g.over and self.g.to_move != self.seat:
            self.game.apply(self.g, self.game.legal_actions(self.g)[0])

    def move(self, action: int) -> float:
        """The learner's move and what it brought up to its next one."""
        self.game.apply(self.g, action)
        self.others()
        points = self.game.payoffs(self.g)
        now = (points[self.seat] - np.delete(points, self.seat).mean()) / self.game.scale
        paid, self.worth = now - self.worth, now
        return float(paid)


@pytest.mark.parametrize("players", [2, 5])
def test_observations_rewards_and_ends_are_those_of_matches_played_alone(players: int) -> None:
    lanes = 6
    options = {**SHORT, "players": players, "reward": "margin", "pay_as_scored": True}
    env = make_sb3("skull_king", lanes, {"first": 1}, seed=3, policies={"first": First()}, **options)
    observations = env.reset()
    referees = [Referee(env, lane) for lane in range(lanes)]
    ends = 0
    for _ in range(60):
        for lane, referee in enumerate(referees):
            np.testing.assert_array_equal(observations[lane], env.game.observation(referee.g, referee.seat))
            np.testing.assert_array_equal(env.action_masks()[lane], env.game.action_mask(referee.g))
        actions = highest(env.action_masks())
        expected = [referee.move(int(action)) for referee, action in zip(referees, actions, strict=True)]
        observations, rewards, dones, infos = env.step(actions)
        np.testing.assert_allclose(rewards, expected, atol=1e-6)
        for lane, referee in enumerate(referees):
            assert dones[lane] == bool(referee.g.over)
            if dones[lane]:
                ends += 1
                last = env.game.observation(referee.g, referee.seat)
                np.testing.assert_array_equal(infos[lane]["terminal_observation"], last)
                assert infos[lane]["TimeLimit.truncated"] is False
                assert infos[lane]["points"] == env.game.payoffs(referee.g).tolist()
                assert infos[lane]["episode"]["r"] == pytest.approx(referee.worth)
                referee.begin()
            else:
                assert infos[lane] == {}
    assert ends == lanes * (60 // 9)  # 3 bids and 1 + 2 + 3 cards a match


def test_reward_at_the_end_is_the_games_own() -> None:
    env = make_sb3("skull_king", 32, **SHORT)  # reward="win", paid once
    env.reset()
    generator = np.random.default_rng(0)
    seen = set()
    for step in range(1, 28):
        _, rewards, dones, infos = env.step(uniform(env, generator))
        assert dones.all() == (step % 9 == 0)
        assert (rewards[~dones] == 0).all()
        for lane in np.flatnonzero(dones):
            assert rewards[lane] == pytest.approx(infos[lane]["episode"]["r"])
            best = max(infos[lane]["points"])
            shared = infos[lane]["points"].count(best)
            assert any(rewards[lane] == pytest.approx(worth) for worth in (1 / shared, 0 if shared == 4 else -1 / (4 - shared)))
            seen.add(rewards[lane] > 0)
    assert seen == {True, False}


def test_a_seed_fixes_everything_and_a_lane_does_not_depend_on_the_others() -> None:
    runs = [make_sb3("skull_king", 8, {"random": 1, "rules:strongest": 1}, seed=seed, **SHORT) for seed in (5, 5, 6)]
    for env in runs:
        env.reset()
    hashes = [digest(env, 30) for env in runs]
    assert hashes[0] == hashes[1] != hashes[2]

    wide = make_sb3("skull_king", 8, seed=40, **SHORT)
    alone = make_sb3("skull_king", 1, seed=43, **SHORT)
    first, only = wide.reset(), alone.reset()
    for _ in range(30):
        np.testing.assert_array_equal(first[3], only[0])
        first, *_ = wide.step(highest(wide.action_masks()))
        only, *_ = alone.step(highest(alone.action_masks()))


def test_reset_deals_new_matches_and_seed_goes_back() -> None:
    env = make_sb3("skull_king", 4, seed=1)
    first, second = env.reset(), env.reset()
    assert not np.array_equal(first, second)
    env.seed(1)
    np.testing.assert_array_equal(env.reset(), first)


def test_seats_and_opponents_are_drawn_as_the_mix_says() -> None:
    lanes = 6000
    env = make_sb3("skull_king", lanes, {"random": 3, "rules:strongest": 1, "rules:simple": 0}, seed=2, **SHORT)
    env.reset()
    roles = env.lanes.ledger["roles"][:, :4]
    assert ((roles == LEARNER).sum(1) == 1).all()
    np.testing.assert_allclose((roles == LEARNER).mean(0), 0.25, atol=4 * np.sqrt(0.25 * 0.75 / lanes))
    others = roles[roles != LEARNER]
    strongest = 1 + env.game.rule_players.index(env.game.rule_players[-1])
    assert set(np.unique(others)) == {0, strongest}
    assert (others == 0).mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.25 * 0.75 / len(others)))
    assert env.opponents == {"random": pytest.approx(0.75), f"rules:{env.game.rule_players[-1]}": pytest.approx(0.25)}
    before = env.lanes.ledger["seat"].copy()
    generator = np.random.default_rng(0)
    for _ in range(9):
        env.step(uniform(env, generator))
    assert (env.lanes.ledger["seat"] != before).mean() == pytest.approx(0.75, abs=0.05)


def test_opponents_can_be_swapped_in_the_middle_of_a_match() -> None:
    env = make_sb3("skull_king", 64, {"a": 1, "b": 1}, policies={"a": First(), "b": First()}, **SHORT)
    env.reset()
    generator = np.random.default_rng(0)
    env.step(uniform(env, generator))
    first = env.lanes.compiled_roles
    was = env.lanes.ledger["roles"][:, :4].copy()
    env.env_method("set_opponents", {"random": 1, "b": 1}, {"b": First()})
    now = env.lanes.ledger["roles"][:, :4]
    np.testing.assert_array_equal(now[was == first + 1], first)  # b stays, under its new number
    replaced = now[was == first]
    assert set(np.unique(replaced)) == {0, first}  # a is replaced by a draw
    digest(env, 20)
    with pytest.raises(UnknownPlayerError, match="nobody.*random"):
        env.set_opponents({"nobody": 1})
    assert env.opponents == {"random": 0.5, "b": 0.5}


def test_a_snapshot_replays_the_same_future() -> None:
    env = make_sb3("skull_king", 16, {"random": 1, "first": 1}, policies={"first": First()}, **SHORT)
    env.reset()
    digest(env, 5)
    state = env.get_state()
    future = digest(env, 20, seed=9)
    other = make_sb3("skull_king", 16, {"random": 1, "first": 1}, seed=77, policies={"first": First()}, **SHORT)
    other.set_state(state)
    assert digest(other, 20, seed=9) == future
    env.set_state(state)
    other.set_state(state)
    np.testing.assert_array_equal(env.reset(), other.reset())
    with pytest.raises(SnapshotError, match="records"):
        make_sb3("skull_king", 15, **SHORT).set_state(state)
    with pytest.raises(SnapshotError, match="opponent number"):
        make_sb3("skull_king", 16, **SHORT).set_state(state)


def test_bad_actions_are_refused_and_change_nothing() -> None:
    env = make_sb3("skull_king", 3, **SHORT)
    with pytest.raises(BatchError, match="before reset"):
        env.step(np.zeros(3, int))
    env.reset()
    state = env.get_state()
    good = highest(env.action_masks())
    for bad, error in (
        (np.array([good[0], good[1], env.game.actions]), IllegalActionError),
        (np.array([good[0], -1, good[2]]), IllegalActionError),
        (good[:2], BatchError),
        (good.astype(float), BatchError),
    ):
        with pytest.raises(error):
            env.step(bad)
    illegal = good.copy()
    illegal[1] = np.flatnonzero(~env.action_masks()[1])[0]
    with pytest.raises(IllegalActionError, match="lane 1"):
        env.step(illegal)
    after = env.get_state()
    assert all(np.array_equal(state[name], after[name]) for name in state)


def test_bad_arguments() -> None:
    with pytest.raises(UnknownGameError):
        make_sb3("no_such_game")
    with pytest.raises(OptionError):
        make_sb3("skull_king", players=9)
    for lanes in (0, True, 2.5):
        with pytest.raises(BatchError, match="lanes"):
            make_sb3("skull_king", lanes)  # type: ignore[arg-type]
    with pytest.raises(UnknownPlayerError, match="rules:simple"):
        make_sb3("skull_king", 2, "rules:nobody")
    for mix in ({"random": -1}, {"random": 0}, {"random": float("nan")}, {}, 3, {"random": True}, {"random": "1"}):
        with pytest.raises(OptionError):
            make_sb3("skull_king", 2, mix)  # type: ignore[arg-type]
    names = ("random", "rules:simple", "rules:expected_points")
    for heavy in (dict.fromkeys(names, 1e308), {"random": 10**400}, {"random": 10**5000}, {"random": float("inf")}):
        with pytest.raises(OptionError, match="weight of opponent 'random' is .*; allowed: a number from 0 to 1e"):
            make_sb3("skull_king", 2, heavy)
    with pytest.raises(OptionError, match="policies is 3"):
        make_sb3("skull_king", 2, policies=3)  # type: ignore[arg-type]
    for name in ("name", "self", "cls", "game"):
        with pytest.raises(OptionError, match=f"unknown option '{name}'"):
            make_sb3("skull_king", 2, **{name: 1})
    with pytest.raises(UnknownPlayerError, match="random"):
        make_sb3("skull_king", 2, "random", policies={"random": First()})
    with pytest.raises(OptionError, match="'policy:pretrained' was made for skull_king-v0 with players=4; needed: .*players=3"):
        make_sb3("skull_king", 2, "old", policies={"old": agent(load("skull_king"), "policy:pretrained")}, players=3)

    class NoFlag:
        act = First.act

    with pytest.raises(OptionError, match="flag `wants_records`"):
        make_sb3("skull_king", 2, "mine", policies={"mine": NoFlag()})  # type: ignore[dict-item]


def test_an_outside_player_that_cheats_is_refused() -> None:
    class Cheat(First):
        def act(self, decisions: Decisions) -> np.ndarray:
            return (~decisions.action_masks).argmax(1)

    with pytest.raises(IllegalActionError):
        make_sb3("skull_king", 4, {"cheat": 1}, policies={"cheat": Cheat()}, **SHORT).reset()


def test_outside_players_see_redacted_records_only() -> None:
    seen = []

    class Curious(First):
        wants_records = True

        def act(self, decisions: Decisions) -> np.ndarray:
            seen.append(decisions.redacted.copy())
            return super().act(decisions)

    env = make_sb3("skull_king", 8, {"curious": 1}, policies={"curious": Curious()}, **SHORT)
    env.reset()
    digest(env, 10)
    records = np.concatenate(seen)
    assert len(records) > 100
    assert not records["gen"].any() and not records["seed"].any()
    held = (records["hands"][:, :4] != 0).sum(1)
    assert (held <= 1).all()


def test_the_rest_of_the_vec_env_contract() -> None:
    env = make_sb3("skull_king", 5)
    observations = env.reset()
    assert observations.shape == (5, env.game.layout.size) and env.observation_space.contains(observations[0])
    assert env.has_attr("action_masks") and not env.has_attr("no_such_attribute")
    assert env.get_attr("render_mode") == [None] * 5 and env.get_attr("game", [0, 3]) == [env.game] * 2
    rows = env.env_method("action_masks")
    assert len(rows) == 5 and all(row.dtype == bool and row.shape == (env.game.actions,) and row.any() for row in rows)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2])[0], rows[2])
    assert env.env_is_wrapped(VecMonitor) == [False] * 5
    env.set_attr("note", 1)
    assert env.get_attr("note", 4) == env.get_attr("note", -1) == [1]
    for some in (0, [0] * 5):
        with pytest.raises(AttributeError, match="all lanes"):
            env.set_attr("note", 2, indices=some)
    with pytest.raises(IndexError, match="lane 9; allowed: 0 to 4"):
        env.get_attr("note", 9)
    env.set_options([{}] * 5)
    with pytest.raises(OptionError, match="reset options are {'players': 3}"):
        env.set_options({"players": 3})
    observations[:] = -9  # the caller's own
    later, *_ = env.step(highest(env.action_masks()))
    assert (later > -9).all()
    *_, infos = env.step(highest(env.action_masks()))
    infos[0]["mine"] = 1
    *_, later_infos = env.step(highest(env.action_masks()))
    assert "mine" not in later_infos[0]
    env.close()


def test_maskable_ppo_learns_evaluates_saves_and_loads(tmp_path: Path) -> None:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    env = VecMonitor(make_sb3("skull_king", 16, **SHORT))
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(512)
    assert any(not (a == b).all() for a, b in zip(before, model.policy.parameters(), strict=True))
    assert len(model.ep_info_buffer) > 0
    mean, _ = evaluate_policy(model, VecMonitor(make_sb3("skull_king", 16, seed=9, **SHORT)), n_eval_episodes=32)
    assert -1 <= mean <= 1
    model.save(tmp_path / "model")
    again = MaskablePPO.load(tmp_path / "model", env, device="cpu")
    observations, masks = env.reset(), np.stack(env.env_method("action_masks"))
    ours, _ = model.predict(observations, deterministic=True, action_masks=masks)
    theirs, _ = again.predict(observations, deterministic=True, action_masks=masks)
    np.testing.assert_array_equal(ours, theirs)
    again.learn(256, reset_num_timesteps=False)


@pytest.mark.long
def test_uncompiled_plays_the_same() -> None:
    script = (
        "from tests.doors.test_sb3 import *; mix = {'random': 1, 'rules:strongest': 1};"
        "env = make_sb3('skull_king', 3, mix, seed=8, **SHORT); env.reset(); print(digest(env, 12))"
    )
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", script]
    environments = [{**os.environ, "NUMBA_DISABLE_JIT": flag} for flag in ("0", "1")]
    hashes = [subprocess.check_output(command, cwd=root, env=env, text=True) for env in environments]
    assert len(hashes[0]) > 64 and hashes[0] == hashes[1]
