"""Environments of the PettingZoo door: random play, and the warnings that its own tests give of any game."""

import importlib

import numpy as np
import pytest

import pirate_envs

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
