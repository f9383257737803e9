"""What is said of a puzzle before and after somebody has chosen, in a language: `words/`, one file each."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from pirate_envs.agents.coach.choice import WIN
from pirate_envs.agents.coach.puzzles.puzzle import PACKAGE, Puzzle, PuzzleBook
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.files import parse_json
from pirate_envs.core.sentences import USUAL, languages

MARKS: dict[str, dict[str, str | int | None]] = {"de": {",": ".", ".": ","}, "fr": {",": "\N{NARROW NO-BREAK SPACE}", ".": ","}}
"""Language -> what stands between digits where English has a comma or a dot."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
Words = Callable[..., str]


def words(language: str) -> Words:
    """`say(key, name=value, ...)`: a text of that language. Raises OptionError."""
    if language not in languages():
        raise OptionError(f"no language {shown(language)}; there are: {', '.join(languages())}")
    found = texts(language)

    def say(key: str, **values: object) -> str:
        return _PLACEHOLDER.sub(lambda name: str(values[name[1]]), found[key])

    return say


@functools.cache
def texts(language: str) -> dict[str, str]:
    """All texts of a language, by key."""
    found: dict[str, str] = parse_json((files(PACKAGE) / "words" / f"{language}.json").read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class ActionRow:
    """An action with what it is worth."""

    name: str
    value: str
    behind: str
    """How much less than the best; nothing of the best itself."""
    part: float
    """The same as a share of the most that any action loses, 0 to 1."""
    best: bool
    chosen: bool


@dataclass(frozen=True)
class PuzzleVerdict:
    """What is said when somebody has chosen."""

    right: bool
    verdict: str
    theme: str
    why: list[str]
    """Sentences, the lesson first."""
    rows: list[ActionRow]
    """Every action, the best first."""
    heads: list[str]
    """Of the table: action, value, behind."""
    note: str
    """How the numbers were found."""


def asked(book: PuzzleBook, number: int, language: str = USUAL) -> dict[str, str]:
    """What is said before: `number`, `ask`, and `rating`, how hard it is. Raises OptionError for an unknown language."""
    say, puzzle = words(language), book.number(number)
    return {
        "number": say("number", number=number, count=len(book.puzzles)),
        "ask": say(f"ask.{book.game.name}"),
        "rating": say("rating", share=in_print(percent(puzzle.rating), language)),
    }


def told(
    book: PuzzleBook, puzzle: Puzzle, chosen: str, language: str = USUAL, labels: Mapping[str, str] | None = None
) -> PuzzleVerdict:
    """What is said of a choice, a legal action's name. `labels`: what actions are called, if not by their names.

    Raises OptionError for an unknown language.
    """
    say, called = words(language), labels or {}
    most = max(puzzle.regret(name).mean for name in puzzle.values)

    def amount(number: float) -> str:
        return say(book.unit, n=in_print(figure(book, number, 0), language))

    def row(name: str) -> ActionRow:
        lost = puzzle.regret(name)
        behind = "" if name == puzzle.answer else in_print(figure(book, lost.mean, puzzle.values[name].behind), language)
        value = in_print(figure(book, puzzle.values[name].value, puzzle.values[name].reach), language)
        return ActionRow(called.get(name, name), value, behind, lost.mean / most, name == puzzle.answer, name == chosen)

    spoken = {"answer": puzzle.answer, "tempting": puzzle.tempting, "chosen": chosen}
    names = {key: say("quoted", name=called.get(name, name)) for key, name in spoken.items()}
    right = chosen == puzzle.answer
    lost = amount(puzzle.regret(chosen).mean)
    verdict = say("right", **names) if right else say("wrong", **names, lost=lost)
    if chosen == puzzle.tempting:
        tempting = say("tempting_too")
    else:
        tempting = say("tempting", **names, lost=amount(puzzle.regret(puzzle.tempting).mean))
    return PuzzleVerdict(
        right=right,
        verdict=verdict,
        theme=say(f"theme.{puzzle.theme}"),
        why=[say(f"why.{puzzle.theme}"), *happens(book, puzzle, language, names), tempting],
        rows=[row(name) for name in puzzle.values],
        heads=[say("action"), say(f"value.{book.unit}"), say("behind")],
        note=say("by_worlds", worlds=book.worlds) if book.worlds else say("exactly"),
    )


def happens(book: PuzzleBook, puzzle: Puzzle, language: str, names: Mapping[str, str]) -> list[str]:
    """The facts as sentences, the best beside the tempting action."""
    say, sentences = words(language), []
    known = texts(USUAL)
    for fact in ("wins", "points", "rises"):
        key = next((key for key in (f"fact.{fact}", f"fact.{fact}.{book.game.name}") if key in known), None)
        if fact not in puzzle.facts or key is None:
            continue
        write = (lambda number: f"{number:,.0f}") if fact == "points" else percent
        first, second = (in_print(write(puzzle.facts[name]), language) for name in (fact, f"{fact}_tempting"))
        if first != second:
            sentences.append(say(key, **names, first=first, second=second))
    return sentences


def percent(share: float, digits: int = 0) -> str:
    """A share in print."""
    return f"{share:.{digits}%}".replace("%", "\N{NO-BREAK SPACE}%")


def figure(book: PuzzleBook, number: float, reach: float) -> str:
    """A value with its interval, if it has one."""
    if book.unit == WIN:
        return percent(number, 1) + (f" ± {100 * reach:.1f}" if reach else "")
    return f"{number:.1f}" + (f" ± {reach:.1f}" if reach else "")


def in_print(number: str, language: str) -> str:
    """A number as it was written in English, with the marks of a language between its digits."""
    return number.translate(str.maketrans(MARKS.get(language, {})))
