"""Replays: a match as a small JSON file of names, which is played again by the rules and refused if it does not fit."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pirate_envs.core.errors import IllegalActionError, PirateError, ReplayError, shown
from pirate_envs.core.files import parse_json, read_file, write_text
from pirate_envs.core.game import Game
from pirate_envs.core.rng import seed_words
from pirate_envs.engine.checks import checked_game
from pirate_envs.games import load

FORMAT = "pirate_envs replay 1"
LARGEST_FILE = 16 << 20
_TYPES = {"format": str, "game": str, "options": dict, "seed": int, "actions": list}
_FIELDS = {"game": str, "options": Mapping, "seed": int, "actions": tuple}


@dataclass(frozen=True)
class Replay:
    """A match from its deal on: the game's id (name and version), all options, the match seed, the actions' names.

    >>> import pirate_envs
    >>> game = pirate_envs.load("skull_king", players=2, last_hand=1)
    >>> replay = Replay.of(game, seed=7, actions=["bid 1", "bid 0"])
    >>> int(replay.play().decisions)
    2
    """

    game: str
    options: Mapping[str, Any]
    seed: int
    actions: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raises ReplayError for a field of another type; whether they make a match, `play` tells."""
        if isinstance(self.actions, list):
            object.__setattr__(self, "actions", tuple(self.actions))
        if isinstance(self.seed, np.integer):
            object.__setattr__(self, "seed", int(self.seed))
        for name, kind in _FIELDS.items():
            value = getattr(self, name)
            if not isinstance(value, kind) or isinstance(value, bool):
                raise ReplayError(f"{name} is {shown(value)}; needed: {kind.__name__}")
        for name in self.options:
            if not isinstance(name, str):
                raise ReplayError(f"option {shown(name)} is no name")
        for number, action in enumerate(self.actions):
            if not isinstance(action, str):
                raise ReplayError(f"action {number} is {shown(action)}; needed: a name")

    @classmethod
    def of(cls, game: Game, seed: int, actions: Iterable[str]) -> Self:
        """The replay of a match of this game. That the actions are legal is not checked here, but by `play`.

        Raises OptionError for what is no game or seed, ReplayError for what are no names of actions.
        """
        checked_game(game)
        seed_words(seed)
        names: Any = actions
        if not isinstance(actions, str):
            with contextlib.suppress(TypeError):  # what cannot be gone through is told below
                names = tuple(actions)
        return cls(game.id, dataclasses.asdict(game.options), int(seed), names)

    # -- playing -----------------------------------------------------------------------------------------------------

    def load_game(self) -> Game:
        """The game with its options. Raises ReplayError for an unknown game, another version, or options it refuses."""
        name, _, version = self.game.rpartition("-v")
        try:
            game = load(name, **self.options)
        except PirateError as error:
            raise ReplayError(f"game {self.game!r}: {error}") from error
        if game.id != self.game:
            raise ReplayError(f"game {self.game!r} has version {version}; the rules here are {game.id}")
        return game

    def positions(self) -> Iterator[np.record]:
        """The match as dealt, then after each action: each a record of its own. Raises ReplayError, as `play` does."""
        game = self.load_game()
        try:
            g = game.new(self.seed)
        except PirateError as error:
            raise ReplayError(f"seed: {error}") from error
        yield g.copy()
        for number, name in enumerate(self.actions):
            if game.is_over(g):
                raise ReplayError(f"action {number}, {name!r}: the match has ended before it")
            try:
                game.apply(g, game.action(g, name))
            except IllegalActionError as error:
                raise ReplayError(f"action {number}, {name!r}: {error}") from error
            yield g.copy()

    def play(self) -> np.record:
        """Play all actions by the rules and return the record they lead to. Raises ReplayError."""
        for g in self.positions():
            last = g
        return last

    # -- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the replay as JSON, whole or not at all. Raises OSError or OptionError, as `write_file`."""
        write_text(path, json.dumps(self.content(), indent=1) + "\n")

    def content(self) -> dict[str, Any]:
        """What a file holds of it, for JSON."""
        return {
            "format": FORMAT,
            "game": self.game,
            "options": dict(self.options),
            "seed": self.seed,
            "actions": list(self.actions),
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a replay and play it once, so that what is returned is legal.

        Raises ReplayError, OSError for what is no plain file or a link to one, or OptionError for what is no path.
        """
        replay = cls.parse(_read(path))
        replay.play()
        return replay

    @classmethod
    def parse(cls, text: str) -> Self:
        """A replay from its JSON text; the form is checked, the match is not. Raises ReplayError."""
        try:
            content = parse_json(text)
        except (TypeError, ValueError) as error:
            raise ReplayError(f"not JSON: {error}") from error
        _check_form(content)
        return cls(content["game"], content["options"], content["seed"], tuple(content["actions"]))


def _read(path: str | os.PathLike[str]) -> str:
    try:
        return read_file(path, LARGEST_FILE, links=True).decode()
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ReplayError(f"{path} is larger than {LARGEST_FILE} bytes: not a replay") from None
        raise
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path} is not text: {error}") from error


def _check_form(content: Any) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ReplayError(f"not a replay: needed is a JSON object with the format {FORMAT!r}")
    if content.keys() != _TYPES.keys():
        raise ReplayError(f"a replay has the keys {', '.join(_TYPES)}, not {', '.join(content)}")
    for name, kind in _TYPES.items():
        if type(content[name]) is not kind:
            raise ReplayError(f"{name} is {content[name]!r:.100}; needed: {kind.__name__}")
