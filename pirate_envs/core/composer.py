"""Choices: many actions asked for as one question, and answers put together from their words.

An action's name is a verb and a multiset of words: `reroll coin coin sabre`, `bid green_5 red_4`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

LISTED = 12  # legal actions that are listed one by one
KEEP = "keep"


@dataclass(frozen=True)
class Question:
    """Many actions of one verb, as one question: which of these words?"""

    verb: str
    what: str
    """How many of them: "one", "2 or more", "equal ones"."""
    words: list[str]
    """As many of each as any of the actions has."""


def grouped(names: Iterable[str]) -> tuple[list[str], list[Question]]:
    """Legal actions as those that are listed one by one, and the questions that ask for all others."""
    names = list(names)
    if len(names) <= LISTED:
        return names, []
    few: list[str] = []
    asked = []
    for verb, group in _by_verb(names).items():
        what = _question([_words(name) for name in group]) if len(group) > LISTED // 2 else ""
        if what:
            asked.append(Question(verb, what, list(_all_words(group).elements())))
        else:
            few += group
    return few, asked


def questions(names: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    """Legal actions (name -> id) as items to print in lines: few are listed, many of one verb make one question."""
    few, asked = grouped(names)
    if few:
        yield "", [f"[{names[name]}] {name}" for name in few]
    yield from ((f"{question.verb}: {question.what} of", question.words) for question in asked)


def _question(choices: list[list[str]]) -> str:
    """How many words make one of these choices; nothing if they are not a matter of which ones and how many."""
    least, most = min(map(len, choices)), max(map(len, choices))
    if most == 1:
        return "one"
    if least == most:
        return ""
    return f"{least} or more" if any(len(set(words)) > 1 for words in choices) else "equal ones"


def composed(names: Iterable[str], answer: str, *, short: bool = False) -> list[str]:
    """The names that consist of the answer's words, in any order and with or without the verb, or, after `keep`, of all others.

    With `short` a word may be the beginning of the only one that begins so.
    """
    given = answer.casefold().split()
    found = []
    for verb, group in _by_verb(names).items():
        rest = given[1:] if given[:1] == [verb.casefold()] else given
        keep = rest[:1] == [KEEP]
        there_are = _all_words(group)
        words = _meant(rest[1:] if keep else rest, there_are, short)
        if words is not None and (words or keep):
            wanted = there_are - words if keep else words
            found += [name for name in group if Counter(_words(name)) == wanted]
    return found


def _meant(given: Iterable[str], there_are: Iterable[str], short: bool) -> Counter[str] | None:
    """The words that are meant; None if one of them is none."""
    meant: Counter[str] = Counter()
    for part in given:
        found = [word for word in set(there_are) if word.casefold() == part]
        if short and not found:
            found = [word for word in set(there_are) if word.casefold().startswith(part)]
        if len(found) != 1:
            return None
        meant[found[0]] += 1
    return meant


def _words(name: str) -> list[str]:
    return name.split()[1:]


def _by_verb(names: Iterable[str]) -> dict[str, list[str]]:
    verbs: dict[str, list[str]] = {}
    for name in names:
        verbs.setdefault(name.split(" ")[0], []).append(name)
    return verbs


def _all_words(group: Iterable[str]) -> Counter[str]:
    """As many of each word as any of the names has, in the order of the longest ones."""
    words: Counter[str] = Counter()
    for each in sorted(map(_words, group), key=len, reverse=True):
        words |= Counter(each)
    return words
