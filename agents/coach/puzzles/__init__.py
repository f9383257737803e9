"""Puzzles: what would you do here? See `puzzle` for what one is, `mining` for how they are found."""

from pirate_envs.agents.coach.puzzles.puzzle import Puzzle, PuzzleBook, PuzzleError, Worth, load_puzzles, names_with_puzzles
from pirate_envs.agents.coach.puzzles.telling import PuzzleVerdict, asked, told

__all__ = [
    "Puzzle", "PuzzleBook", "PuzzleError", "PuzzleVerdict", "Worth", "asked", "load_puzzles", "names_with_puzzles", "told",
]  # fmt: skip
