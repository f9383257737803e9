"""`puzzles`: one position after the other, what would you do, and what is that worth?"""

from __future__ import annotations

import argparse
from functools import partial

from pirate_envs.agents.coach.puzzles import PuzzleBook, PuzzleError, PuzzleVerdict, asked, load_puzzles, told
from pirate_envs.agents.coach.puzzles.telling import words
from pirate_envs.cli.play import LEAVE, prompted, show
from pirate_envs.cli.text import fitted, print_table
from pirate_envs.core.signals import Terminated
from pirate_envs.games import load

SKIP = "skip"
SHOWN = 12  # actions of a verdict, and the one that was chosen


def add_arguments(command: argparse.ArgumentParser) -> None:
    """What can be said after `pirates puzzles GAME`."""
    command.add_argument("--number", type=int, default=1, metavar="N", help="which puzzle comes first; 1 is the easiest")
    command.add_argument("--theme", metavar="NAME", help="only puzzles about this; which ones there are, --themes tells")
    command.add_argument("--themes", action="store_true", help="list what the puzzles are about, and leave")


def puzzles(given: argparse.Namespace) -> None:
    """Solve puzzles: positions with one best action, which few players find."""
    book = load_puzzles(load(given.game).name)
    say = words(given.language)
    wanted = numbers(book, given.number, given.theme)
    if given.themes:
        heads = tuple(say(f"themes.{head}") for head in ("name", "puzzles", "about"))
        print_table([heads, *themes(book, wanted, given.language)])
        return
    solved = tried = 0
    print(fitted(say("help")))
    for number in wanted:
        right = attempt(book, number, given.language)
        if right is None:
            break
        if right is not SKIP:
            tried, solved = tried + 1, solved + (right is True)
            print(fitted(say("count", right=solved, tried=tried)))
            if not next_wanted(say("next")):
                break
    else:
        print(fitted(say("end")))
    if tried:
        print(fitted(say("count", right=solved, tried=tried)))


def numbers(book: PuzzleBook, first: int, theme: str | None) -> list[int]:
    """The puzzles that are asked for, in order. Raises PuzzleError."""
    book.number(first)
    found = [at for at in range(first, len(book.puzzles) + 1) if theme in (None, book.number(at).theme)]
    if not found:
        there_are = ", ".join(dict.fromkeys(puzzle.theme for puzzle in book.puzzles[first - 1 :]))
        raise PuzzleError(f"no puzzle from number {first} on is about {theme!r}; there are: {there_are}")
    return found


def themes(book: PuzzleBook, numbers: list[int], language: str) -> list[tuple[str, str, str]]:
    """What these puzzles are about, the most frequent first: name, how many, in words."""
    about = [book.number(number).theme for number in numbers]
    say = words(language)
    return [(name, str(about.count(name)), say(f"theme.{name}")) for name in sorted(set(about), key=about.count, reverse=True)]


def attempt(book: PuzzleBook, number: int, language: str) -> bool | str | None:
    """Show a puzzle and judge what the person does: whether it was the best, SKIP, or None to leave."""
    puzzle, game, say = book.number(number), book.game, words(language)
    g = puzzle.position(game)
    before = asked(book, number, language)
    print(fitted(f"\n== {before['number']} == {before['rating']}\n{before['ask']}"))
    look = partial(show, game, g, game.seat_to_move(g))
    look()
    answer = prompted(game, g, {"?": look, "help": lambda: print(fitted(say("help")))}, (LEAVE, SKIP))
    if isinstance(answer, str):
        return SKIP if answer == SKIP else None
    verdict = told(book, puzzle, game.action_name(g, answer), language)
    tell(verdict)
    return verdict.right


def tell(verdict: PuzzleVerdict) -> None:
    """Print what is said of a choice."""
    print(fitted("\n".join(["", verdict.verdict, "", verdict.theme, *(f"  {sentence}" for sentence in verdict.why), ""])))
    rows = [
        (f"{'>' if row.chosen else ' '} {row.name}", row.value, row.behind)
        for place, row in enumerate(verdict.rows)
        if place < SHOWN or row.chosen
    ]
    print_table([(f"  {verdict.heads[0]}", *verdict.heads[1:]), *rows])
    left = len(verdict.rows) - len(rows)
    print(fitted(f"{f'  ... ({left})' if left else ''}\n{verdict.note}\n".lstrip("\n")))


def next_wanted(prompt: str) -> bool:
    """Wait for Enter; whether the next puzzle is wanted (not q, the end of input or Ctrl-C)."""
    try:
        return input(prompt).strip() != LEAVE
    except Terminated:
        raise
    except (EOFError, KeyboardInterrupt):
        print()
        return False
