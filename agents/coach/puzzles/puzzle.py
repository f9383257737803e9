"""Puzzles: positions in which one action is clearly the best, and not the one that most would choose.

from pirate_envs.agents.coach.puzzles import load_puzzles

book = load_puzzles("skull_king")               # those that come with the game
puzzle = book.puzzles[0]
g = puzzle.position(book.game)                  # a record, in which all that the seat cannot know is unknown
judged = puzzle.values["play black_13"]         # after the person has chosen
"""

from __future__ import annotations

import functools
import gzip
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import numpy as np

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.puzzles.themes import THEMES
from pirate_envs.core.errors import PirateError, shown
from pirate_envs.core.files import parse_json, write_file
from pirate_envs.core.game import Game
from pirate_envs.core.notation import COMMON_KEYS
from pirate_envs.games import games, load

FORMAT = "pirate_envs puzzles 1"
SUFFIX = ".json.gz"
PACKAGE = "pirate_envs.agents.coach.puzzles"
GIVEN = ("game", "options", "over", "legal")  # keys of a view that the book or the rules tell
HEAD = {"format": str, "game": str, "options": dict, "unit": str, "worlds": int, "gap": float, "made": str, "puzzles": list}
KEYS = {"view": dict, "answer": str, "tempting": str, "values": dict, "theme": str, "facts": dict, "rating": float}


class PuzzleError(PirateError, ValueError):
    """Puzzles that are corrupt, foreign or of another version, or a puzzle that is not there."""


@dataclass(frozen=True)
class Worth:
    """What an action is worth in a puzzle, by worlds that all its actions share."""

    value: float
    """Points to the end of the stage above the others' mean, or share of the win."""
    reach: float
    """Half of its 95 % interval; 0: it is exact."""
    behind: float
    """Half of the 95 % interval of how much less it is worth than the best; 0 for the best itself."""


@dataclass(frozen=True)
class Puzzle:
    """One position and what is known of it."""

    view: Mapping[str, Any]
    """What the seat to move sees, as `Game.view` gives it; what is left out is as usual."""
    answer: str
    """The name of the best action."""
    tempting: str
    """The name of the action that the policy takes most often; where that is the best, of the next one."""
    values: Mapping[str, Worth]
    """Every legal action, the best first."""
    theme: str
    """What it is about: a key of `themes.THEMES`."""
    facts: Mapping[str, float]
    """What happens in the worlds, by name, for the words that explain it."""
    rating: float
    """Share of the ladder's players that solve it, 0 to 1."""

    def position(self, game: Game) -> np.record:
        """The position as a record; what its seat cannot know is drawn somehow. Raises PositionError."""
        return game.from_view(self.view)

    def regret(self, name: str) -> Interval:
        """How much less this action is worth than the best one."""
        worth = self.values[name]
        lost = self.values[self.answer].value - worth.value
        return Interval(lost, lost - worth.behind, lost + worth.behind)

    def content(self) -> dict[str, Any]:
        """Ready for JSON; a value is a list of three numbers."""
        values = {name: [worth.value, worth.reach, worth.behind] for name, worth in self.values.items()}
        return {**asdict(self), "view": dict(self.view), "values": values}


@dataclass(frozen=True)
class PuzzleBook:
    """The puzzles of a game, the easiest first."""

    game: Game
    """With the options that all of them are played by."""
    unit: str
    """What is asked for: "points" or "win"."""
    worlds: int
    """That every action was tried in; 0: values are exact."""
    gap: float
    """By how much at least the best is better than any other, in the unit."""
    made: str
    """The command that found them."""
    puzzles: tuple[Puzzle, ...]

    def number(self, number: int) -> Puzzle:
        """The puzzle of that number, from 1 up. Raises PuzzleError."""
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(self.puzzles):
            raise PuzzleError(f"puzzle {shown(number)} of {self.game.name}: there are 1 to {len(self.puzzles)}")
        return self.puzzles[number - 1]

    def save(self, folder: Path) -> Path:
        """Write it into a folder under its game's name, compressed and whole; returns the file. Raises OSError."""
        path = folder / f"{self.game.name}{SUFFIX}"
        write_file(path, gzip.compress(self.text().encode(), mtime=0))
        return path

    def text(self) -> str:
        """As a file holds it: JSON, a line a puzzle."""
        head = {
            "format": FORMAT, "game": self.game.id, "options": self.game.options.changed(), "unit": self.unit,
            "worlds": self.worlds, "gap": self.gap, "made": self.made,
        }  # fmt: skip
        lines = [json.dumps(puzzle.content(), separators=(",", ":")) for puzzle in self.puzzles]
        return f'{json.dumps(head)[:-1]}, "puzzles": [\n' + ",\n".join(lines) + "\n]}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """A book from its text; every position is set up and every action looked for. Raises PuzzleError."""
        try:
            content = parse_json(text)
        except ValueError as error:
            raise PuzzleError(f"puzzles are not JSON: {error}") from None
        _check_keys("puzzles", content, HEAD)
        if content["format"] != FORMAT:
            raise PuzzleError(f"format is {shown(content['format'])}; needed: {FORMAT!r}")
        if content["unit"] not in (POINTS, WIN):
            raise PuzzleError(f"unit is {shown(content['unit'])}; allowed: {POINTS}, {WIN}")
        game = _game(content["game"], content["options"])
        if not content["puzzles"]:
            raise PuzzleError("puzzles: there are none")
        found = [_puzzle(game, number, told) for number, told in enumerate(content["puzzles"], 1)]
        return cls(game, content["unit"], content["worlds"], content["gap"], content["made"], tuple(found))


def names_with_puzzles() -> list[str]:
    """The names of the games that come with puzzles."""
    return [name for name in games() if (files(PACKAGE) / f"{name}{SUFFIX}").is_file()]


@functools.cache
def load_puzzles(name: str) -> PuzzleBook:
    """The puzzles that come with a game. Raises PuzzleError."""
    if name not in names_with_puzzles():
        raise PuzzleError(f"no puzzles come with {shown(name)}; there are some for: {', '.join(names_with_puzzles())}")
    return PuzzleBook.parse(unpacked((files(PACKAGE) / f"{name}{SUFFIX}").read_bytes()))


def unpacked(data: bytes) -> str:
    """The text of a file. Raises PuzzleError."""
    try:
        return gzip.decompress(data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise PuzzleError(f"puzzles are not compressed text: {error}") from None


# -- reading -----------------------------------------------------------------------------------------------------------


def _game(identity: str, options: Mapping[str, Any]) -> Game:
    name, _, version = identity.rpartition("-v")
    try:
        game = load(name, **options)
    except PirateError as error:
        raise PuzzleError(f"game {shown(identity)}: {error}") from None
    if game.id != identity:
        raise PuzzleError(f"puzzles of {shown(identity)}, version {version}; the rules here are {game.id}")
    return game


def _check_keys(what: str, told: Any, kinds: Mapping[str, type]) -> None:
    if not isinstance(told, dict) or told.keys() != kinds.keys():
        raise PuzzleError(f"{what}: needed is an object with {', '.join(kinds)}")
    for key, kind in kinds.items():
        if type(told[key]) is not kind:
            raise PuzzleError(f"{what}: {key} is {shown(told[key])}; needed: {kind.__name__}")


def _puzzle(game: Game, number: int, told: Any) -> Puzzle:
    """A puzzle that can be played. Raises PuzzleError, which says which one and what is wrong."""
    what = f"puzzle {number}"
    _check_keys(what, told, KEYS)
    for name, numbers in told["values"].items():
        if not (isinstance(numbers, list) and len(numbers) == 3 and all(map(_is_number, numbers))):
            raise PuzzleError(f"{what}: the value of {shown(name)} is {shown(numbers)}; needed: three numbers")
    if not 0 <= told["rating"] <= 1:
        raise PuzzleError(f"{what}: rating is {told['rating']}; allowed: 0 to 1")
    if told["theme"] not in THEMES:
        raise PuzzleError(f"{what}: theme is {shown(told['theme'])}; allowed: {', '.join(THEMES)}")
    for name, fact in told["facts"].items():
        if not _is_number(fact):
            raise PuzzleError(f"{what}: the fact {shown(name)} is {shown(fact)}; needed: a number")
    values = {name: Worth(*numbers) for name, numbers in told["values"].items()}
    puzzle = Puzzle(**{**told, "values": values})
    try:
        g = puzzle.position(game)
    except PirateError as error:
        raise PuzzleError(f"{what}: {error}") from None
    legal = {game.action_name(g, action) for action in game.legal_actions(g)}
    if legal != values.keys():
        raise PuzzleError(f"{what}: values are told of {', '.join(values)}; legal are {', '.join(sorted(legal))}")
    if puzzle.answer not in values or any(puzzle.regret(name).low <= 0 for name in values if name != puzzle.answer):
        raise PuzzleError(f"{what}: the answer {shown(puzzle.answer)} is not clearly the best")
    if puzzle.tempting not in values or puzzle.tempting == puzzle.answer:
        raise PuzzleError(f"{what}: what tempts is {shown(puzzle.tempting)}; needed: an action beside the answer")
    return puzzle


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


# -- writing -----------------------------------------------------------------------------------------------------------


def brief(game: Game, g: np.record) -> dict[str, Any]:
    """The view of the seat to move without what comes back by itself: a view that leads to the same position."""
    seat = game.seat_to_move(g)
    wanted = game.redacted(g, seat).tobytes()
    view = {key: value for key, value in game.view(g, seat).items() if key not in GIVEN}
    for key in [key for key in view if key not in COMMON_KEYS] + ["scores"]:
        less = {name: value for name, value in view.items() if name != key}
        try:
            same = all(game.redacted(game.from_view(less, seed), seat).tobytes() == wanted for seed in (0, 1))
        except PirateError:
            continue
        if same:
            view = less
    return view
