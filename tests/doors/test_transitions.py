"""Transitions of every seat: what a replay buffer is given is what each seat saw, did and got."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError
from pirate_envs.doors.transitions import SeatTransitions

SHORT = {"last_hand": 2, "reward": "margin", "pay_as_scored": True}


def by_definition(game, seed: int, actions: list[int]) -> dict[int, list[tuple]]:
    """Each seat's decisions of one match, told by PettingZoo's door: action, seen, mask, paid, seen next, mask, ended."""
    env = pirate_envs.make_aec(game)
    env.reset(seed=seed)
    told, last = defaultdict(list), {}
    for action in actions:
        agent = env.agent_selection
        seat = int(agent.removeprefix("player_"))
        seen, paid, *_ = env.last()
        if seat in last:
            told[seat].append((*last[seat], paid, seen["observation"], seen["action_mask"], False))
        last[seat] = action, seen["observation"], seen["action_mask"]
        env.step(action)
    assert all(env.terminations.values())
    for agent in env.agents:
        seat = int(agent.removeprefix("player_"))
        told[seat].append((*last[seat], env._cumulative_rewards[agent], *last[seat][1:], True))
    return told


def test_each_seat_gets_what_followed_its_own_decision():
    game = pirate_envs.load("skull_king", **SHORT)
    batch = pirate_envs.Batch(game, 5, seed=11)
    played, actions, told = SeatTransitions(batch), [[] for _ in range(5)], [defaultdict(list) for _ in range(5)]
    running = [True] * 5
    while any(running):
        chosen = batch.random_actions().copy()
        made = played.step(chosen)
        for k, (lane, seat) in enumerate(zip(made.lanes, made.seats, strict=True)):
            if running[lane]:
                told[lane][int(seat)].append(tuple(part[k] for part in made[2:]))
        for lane in range(5):
            if running[lane]:
                actions[lane].append(int(chosen[lane]))
                running[lane] = not batch.ended[lane]
    for lane in range(5):
        expected = by_definition(game, 11 + lane, actions[lane])
        assert expected.keys() == told[lane].keys()
        for seat, decisions in expected.items():
            assert len(decisions) == len(told[lane][seat])
            for (action, seen, mask, paid, after, mask_after, ended), given in zip(decisions, told[lane][seat], strict=True):
                assert given[2] == action and given[6] == ended and given[3] == pytest.approx(paid, abs=1e-6)
                for array, other in ((seen, given[0]), (mask, given[1]), (after, given[4]), (mask_after, given[5])):
                    assert np.array_equal(array, other)


def test_an_illegal_action_leaves_no_trace():
    game = pirate_envs.load("skull_king", **SHORT)
    one, other = (SeatTransitions(pirate_envs.Batch(game, 3, seed=1)) for _ in range(2))
    for _ in range(20):
        actions = one.batch.random_actions().copy()
        illegal = other.batch.action_masks.argmin(axis=1)
        with pytest.raises(IllegalActionError):
            other.step(illegal)
        for part, same in zip(one.step(actions), other.step(actions), strict=True):
            assert np.array_equal(part, same)
