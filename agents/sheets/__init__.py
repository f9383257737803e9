"""Cheat sheets: a page of rules for a person, and the player that follows them to the letter.

A game's sheet is the module of its name here, with one subclass of `CheatSheet`. What is on the sheet comes from the strategy
reports (experiments/reports), and the player says what following it is worth.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import ClassVar

from pirate_envs.agents.player import Agent
from pirate_envs.core.errors import UnknownPlayerError
from pirate_envs.core.game import Game

NAME = "sheet"
USAGE = ((NAME, "the game's cheat sheet, followed to the letter"),)


class CheatSheet(Agent):
    """A player by rules that fit on a page and need no counting beyond what a person does at a table."""

    text: ClassVar[str]
    """The rules, as Markdown, for a person: everything that `act` does."""
    game: Game
    name = NAME
    wants_records = True

    def __init__(self, game: Game) -> None:
        self.game = game


def has_sheet(game: Game) -> bool:
    """Whether the game has a cheat sheet."""
    return importlib.util.find_spec(f"{__name__}.{game.name}") is not None


def sheet(game: Game) -> CheatSheet:
    """The player by the game's cheat sheet. Raises UnknownPlayerError for a game without one."""
    if not has_sheet(game):
        raise UnknownPlayerError(f"{game.name} has no cheat sheet")
    module = importlib.import_module(f"{__name__}.{game.name}")
    (kind,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, CheatSheet) and each is not CheatSheet
    )
    made: CheatSheet = kind(game)
    return made
