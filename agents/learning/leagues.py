"""Leagues' folders: beginning a new one, and going on with one that is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pirate_envs.agents import agent
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.league import KIND, MAIN, PLAYERS, USUAL_ROUNDS, League, plain_league
from pirate_envs.agents.learning.network import like
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import LeagueSettings
from pirate_envs.agents.learning.training import games_of, settings_from, usual_scale
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, shown
from pirate_envs.core.files import check_writable_folder
from pirate_envs.engine.seating import compiled_names


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
    first = PPO(games_of(learner)[1], dataclasses.replace(learner, seed=settings.seed))
    learner = dataclasses.replace(learner, precision=first.precision, out=None)  # type: ignore[arg-type]  # found by timing
    regulars = settings.regulars or tuple(name for name in compiled_names(game) if name != "random") or ("random",)
    settings = dataclasses.replace(settings, learner=learner, regulars=regulars, rounds=settings.rounds or USUAL_ROUNDS)
    folder = runs.new_folder(settings.out, f"league-{settings.game}")
    league = League(folder, settings)
    policy = first.policy(greedy=True) if start is None else start
    assert isinstance(policy, Policy)
    runs.write_settings(folder, plain_league(settings), command, KIND)
    league.lock = runs.enter(folder)
    Policy(game, policy.layers, policy.activation, name=f"{MAIN}-0").save(folder / PLAYERS / f"{MAIN}-0")
    return league


def resumed_league(folder: str | Path, told: LeagueSettings | None = None) -> League:
    """The league of a folder where its last save stands. `told`: of what it says, `rounds` counts from now on, and all else
    that is not as usual must be the league's own.

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
            _compare(folder, told, settings)
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


def _compare(folder: Path, told: LeagueSettings, own: LeagueSettings) -> None:
    """Raise CheckpointError if what is told is another league's."""
    given, usual, found = plain_league(told), plain_league(LeagueSettings()), plain_league(own)
    rows = [(name, given[name], usual[name], found[name]) for name in given if name not in ("learner", "rounds", "out")]
    learner = (each["learner"] for each in (given, usual, found))
    rows += [(f"learner.{name}", *values) for name, *values in _beside(*learner)]
    for name, value, default, is_ in rows:
        if value not in (default, is_):
            raise CheckpointError(f"{folder} holds another league: its {name} is {shown(is_)}, not {shown(value)}")


def _beside(*columns: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Name by name what each mapping has."""
    return ((name, *(column[name] for column in columns)) for name in columns[0])
