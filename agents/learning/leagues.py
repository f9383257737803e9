"""Leagues' folders: beginning a new one, and going on with one that is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pirate_envs.agents import agent
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.league import KIND, PLAYERS, USUAL_ROUNDS, League, plain_league
from pirate_envs.agents.learning.league_state import MAIN
from pirate_envs.agents.learning.network import like
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import LeagueSettings
from pirate_envs.agents.learning.training import games_of, settings_from, usual_scale
from pirate_envs.agents.names import identity
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, OptionError, shown
from pirate_envs.core.files import check_writable_folder
from pirate_envs.core.game import Game
from pirate_envs.engine.seating import compiled_names

FOUND_OUT = frozenset({"regulars", "learner.precision", "learner.reward_scale"})
"""Settings whose usual value leaves it to the league."""


def begin_league(settings: LeagueSettings, command: str = "") -> League:
    """A new league in a new folder; `command` is noted there.

    Raises OptionError, UnknownGameError, UnknownPlayerError, CheckpointError for a player that cannot be loaded, or OSError if
    nothing can be written there.
    """
    settings.check()
    check_writable_folder(settings.out)
    learner = dataclasses.replace(settings.learner, game=settings.game, players=settings.players, options=settings.options)
    game, paying = games_of(learner)
    start = None if settings.start is None else agent(game, settings.start)
    learner = learner if start is None else like(learner, start)
    learner = dataclasses.replace(learner, reward_scale=learner.reward_scale or usual_scale(paying))
    regulars = settings.regulars or tuple(name for name in compiled_names(game) if name != "random") or ("random",)
    _check_each_once(game, (*regulars, *settings.search))
    first = PPO(games_of(learner)[1], dataclasses.replace(learner, seed=settings.seed))
    learner = dataclasses.replace(learner, precision=first.precision, out=None)  # type: ignore[arg-type]  # found by timing
    settings = dataclasses.replace(settings, learner=learner, regulars=regulars, rounds=settings.rounds or USUAL_ROUNDS)
    folder = runs.new_folder(settings.out, f"league-{settings.game}")
    league = League(folder, settings)
    policy = first.policy(greedy=True) if start is None else start
    assert isinstance(policy, Policy)
    runs.write_settings(folder, plain_league(settings), command, KIND)
    league.lock = runs.enter(folder)
    Policy(game, policy.layers, policy.activation, name=f"{MAIN}-0").save(folder / PLAYERS / f"{MAIN}-0")
    return league


def _check_each_once(game: Game, names: Iterable[str]) -> None:
    """Raises OptionError for two names of one player, UnknownPlayerError or CheckpointError for none."""
    found: dict[Hashable, str] = {}
    for name in names:
        who = identity(game, name)
        if who in found:
            raise OptionError(f"{shown(found[who])} and {shown(name)} are one player; needed: each of regulars and search once")
        found[who] = name


def resumed_league(folder: str | Path, told: LeagueSettings | None = None, given: Collection[str] = ()) -> League:
    """The league of a folder where its last save stands. `told`: of what it says, `rounds` counts from now on, and all else
    that is not as usual, or that `given` names (`learner.width` for one of the learner), must be the league's own.

    Raises CheckpointError, BusyError if another process works there, OptionError for a bad number of rounds, or OSError if
    nothing can be written.
    """
    folder = Path(folder)
    lock = runs.enter(folder)
    values, _ = runs.read_settings(folder, KIND)
    try:
        settings = _league_settings(folder, values)
        settings.check()
        if told is not None:
            runs.check_own(folder, "league", plain_league(told), plain_league(settings), _said(told, given))
        league = League(folder, settings)
    except CheckpointError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise CheckpointError(f"{folder}: settings.json cannot be used: {error}") from None
    limit = {} if told is None or told.rounds is None else {"rounds": told.rounds}
    league.settings = dataclasses.replace(settings, **limit)  # type: ignore[arg-type]
    league.settings.check()
    league.lock = lock
    league.load()
    runs.change_settings(folder, limit)
    return league


def _league_settings(folder: Path, values: Mapping[str, Any]) -> LeagueSettings:
    """The settings that `plain_league` wrote. Raises CheckpointError or TypeError."""
    if set(values) != {field.name for field in dataclasses.fields(LeagueSettings)}:
        raise CheckpointError(f"{folder}: settings.json holds other settings than this version's")
    return LeagueSettings(**{**values, "learner": settings_from(folder, values["learner"])})


def _said(told: LeagueSettings, given: Collection[str]) -> set[str]:
    """What is told that must be the league's own: what is not as usual, and what was given outright.

    The usual value of what a league finds out for itself says nothing.
    """
    said, usual = _flat(plain_league(told)), _flat(plain_league(LeagueSettings()))
    unusual = {name for name, value in said.items() if value != usual[name]} - {"out"}
    return (unusual | (set(given) & set(said) - FOUND_OUT)) - {"rounds"}


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the learner beside the league's, as `learner.width`."""
    own = {name: value for name, value in settings.items() if name != "learner"}
    return {**own, **{f"learner.{name}": value for name, value in settings["learner"].items()}}
