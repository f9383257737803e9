"""Sentences: events in words that a person would say, and the labels of pictures, in several languages.

What is said lies in JSON files, one a language: `core/words/en.json` for what all games share, `words/en.json` in a game's
package for the rest. Such a file holds

- `names`: name -> its form alone, or a list: one of it, several, none. `yellow_*` stands for `yellow_1`, `yellow_2`, ...;
  `{value}` is then what the star stands for, `{n}` how many in digits, `{number}` in a word.
- `events`: event -> its lines. A line is a list of cases, of which the first that fits is said, or nothing; or an object,
  `each`: a field with one entry a seat, `cases`: said for every seat, and perhaps `as`: one sentence of all that, `{each}`.
- `actions`: an action's name, with `*` for its words -> what a button says: `{0}` stands for the words at the first star.
- A case fits if every field in `when` has that value, or lies `above` or `below` a number, or is a `number` at all. It says
  `you` to the seat that it is about and `other` to the others, `many` where it is about several seats, or `say` to everybody.
  It is about the seat in the field `of`, `seat` if none is named.
- `labels`: what is written into pictures, name -> its form, as in `names`; of several forms the fact `n` chooses, and the other
  placeholders are facts too. A game that draws no pictures may leave them out.
- `options`: an option -> what it means. May be left out, as in English, where that is how the option is declared.
- In what is said, `{field}` is a number or a name, or a list of names; `{field:who}` and the other kinds in `seats` of the
  shared words are players, `{field:signed}` is a number with its sign, `{field:card}` so many, or a list's number, of a name.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.events import WATCHER, Event, Viewer
from pirate_envs.core.files import parse_json

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

USUAL = "en"
SIGNED = "signed"
UNKNOWN = "unknown"
"""The event whose lines are said of events that have none."""
_SHARED = files("pirate_envs.core") / "words"
_PLACEHOLDER = re.compile(r"\{(\w+)(?::(\w+))?\}")
_CASE_KEYS = {"when", "of", "you", "other", "many", "say"}


@functools.cache
def languages() -> tuple[str, ...]:
    """The languages there are, as in `--language`: en, fr, ..."""
    return tuple(sorted(file.name.removesuffix(".json") for file in _SHARED.iterdir() if file.name.endswith(".json")))


def sentences(
    game: Game, events: Sequence[Event], viewer: Viewer = None, language: str = USUAL, names: Sequence[str] | None = None
) -> list[str]:
    """What happened, a sentence or several an event, said to the seat `viewer` (else to an onlooker, of whom nothing is said).

    `events`: as `Game.events` gives them for that viewer; nothing is told that is not in them. `names`: the players' names
    by seat, instead of "player 2". A game that brings no words in this language is told in English; without any words each
    event is its name, and a decision its action's name. Raises OptionError for an unknown language or viewer, or too few names.
    """
    speaker = _speaker(game, viewer, language, names)
    return [sentence for event in events for sentence in speaker.told(event)]


def action_labels(
    game: Game, names: Iterable[str], viewer: Viewer = None, language: str = USUAL, players: Sequence[str] | None = None
) -> list[str]:
    """What buttons for these actions say to the viewer; an action without words is its name. Raises OptionError."""
    speaker = _speaker(game, viewer, language, players)
    return [speaker.labelled(name) for name in names]


def word_labels(game: Game, words: Iterable[str], language: str = USUAL) -> list[str]:
    """What each word of an action's name is called, as in "a coin". Raises OptionError."""
    speaker = _speaker(game, None, language, None)
    return [speaker.named(word, 1) for word in words]


def option_meaning(game: Game, option: str, language: str = USUAL) -> str:
    """What an option means; in the words of its declaration where the language has none of its own. Raises OptionError."""
    words = words_of(game, _checked(language))
    declared = {field.name: field.metadata.get("meaning", "") for field in dataclasses.fields(game.options)}
    if option not in declared:
        raise OptionError(f"unknown option {shown(option)}; there are: {', '.join(declared)}")
    return words.options.get(option) or str(declared[option])


def seat_names(game: Game, viewer: Viewer = None, language: str = USUAL, names: Sequence[str] | None = None) -> list[str]:
    """What the players are called by seat when they are spoken of to `viewer`, as `sentences` does: you, player 1, ..."""
    return [_speaker(game, viewer, language, names).player(seat, "who") for seat in range(game.players)]


# -- words -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Words:
    """One language, for one game: its own words before those that all games share."""

    names: Mapping[str, list[str]]
    events: Mapping[str, list[Any]]
    seats: Mapping[str, Mapping[str, str]]
    """Kind of placeholder -> what is said of the viewer (`you`), another seat (`other`), one with a name (`named`)."""
    numbers: Sequence[str]
    """Zero, one, two, ... in words, as far as they are said so."""
    lists: Mapping[str, str]
    """`between` entries, and before the `last` one."""
    actions: Mapping[str, str]
    labels: Mapping[str, list[str]]
    options: Mapping[str, str]
    """Option -> what it means, where that is not said in the words of its declaration."""


def words_of(game: Game, language: str) -> Words:
    """The words for a game. Raises TypeError for a file that is not made as this module says."""
    return _words(type(game.options).__module__.rpartition(".")[0], language)


@functools.cache
def _words(package: str, language: str) -> Words:
    shared = _read(_SHARED / f"{language}.json", {"names", "events", "seats", "numbers", "lists"})
    folder = files(package) / "words"
    found = [file for name in (language, USUAL) if (file := folder / f"{name}.json").is_file()]
    own = (
        _read(found[0], {"names", "events"})
        if found
        else {"names": {}, "events": {}, "labels": {}, "actions": {}, "options": {}}
    )
    return Words(
        names=_forms({**shared["names"], **own["names"]}),
        events={**shared["events"], **own["events"]},
        seats=shared["seats"],
        numbers=shared["numbers"],
        lists=shared["lists"],
        actions=own["actions"],
        labels=_forms({**shared["labels"], **own["labels"]}),
        options={**shared["options"], **own["options"]},
    )


def _forms(named: Mapping[str, Any]) -> dict[str, list[str]]:
    return {name: [form] if isinstance(form, str) else form for name, form in named.items()}


def _read(file: Traversable, keys: set[str]) -> dict[str, Any]:
    """A file's words; `labels`, `actions` and `options` may be missing, and are empty then."""
    try:
        words = parse_json(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TypeError(f"{file}: not JSON: {error}") from None
    words = {"labels": {}, "actions": {}, "options": {}, **words} if isinstance(words, dict) else {}
    if words.keys() != keys | {"labels", "actions", "options"}:
        more = "labels for pictures, actions for buttons and options"
        raise TypeError(f"{file}: needed is an object with {', '.join(sorted(keys))}, perhaps {more}")
    for what in ("name", "label"):
        for name, forms in words[f"{what}s"].items():
            if not isinstance(forms, str) and not (isinstance(forms, list) and 1 <= len(forms) <= 3 and _all_text(forms)):
                raise TypeError(f"{file}: the {what} {name!r} is neither a text nor one to three of them")
    for name, lines in words["events"].items():
        if not isinstance(lines, list) or not all(map(_is_line, lines)):
            raise TypeError(f"{file}: the event {name!r} is not a list of lines of cases")
    if not _all_text([*words["actions"].values(), *words["options"].values()]):
        raise TypeError(f"{file}: what buttons say and options mean is text")
    return words


def _all_text(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_line(line: Any) -> bool:
    if isinstance(line, dict):
        return {"each", "cases"} <= line.keys() <= {"each", "cases", "as"} and _is_line(line["cases"])
    return isinstance(line, list) and all(
        isinstance(case, dict) and case.keys() <= _CASE_KEYS and ("say" in case or {"you", "other"} <= case.keys())
        for case in line
    )


# -- saying ------------------------------------------------------------------------------------------------------------


def _checked(language: str) -> str:
    if not isinstance(language, str) or language not in languages():
        raise OptionError(f"no language {shown(language)}; there are: {', '.join(languages())}")
    return language


def _speaker(game: Game, viewer: Viewer, language: str, names: Sequence[str] | None) -> _Speaker:
    _checked(language)
    if not (viewer is None or (isinstance(viewer, str) and viewer == WATCHER)):
        viewer = game.check_seat(viewer)
    if names is not None and len(names) != game.players:
        raise OptionError(f"names are given for {len(names)} players; {game.id} is set for players={game.players}")
    return _Speaker(words_of(game, language), viewer, names)


@dataclass(frozen=True)
class _Speaker:
    """Says events to one viewer."""

    words: Words
    viewer: Viewer
    players: Sequence[str] | None

    def told(self, event: Event) -> Iterator[str]:
        """The sentences of an event."""
        for line in self.words.events.get(event["event"]) or self.words.events[UNKNOWN]:
            for text in self._line(line, event):
                if text:
                    yield text[0].upper() + text[1:]

    def _line(self, line: Any, facts: Event) -> list[str]:
        if isinstance(line, list):
            return [self._case(line, facts)]
        count = len(facts[line["each"]])
        said = [self._case(line["cases"], _of_seat(facts, seat, count)) for seat in range(count)]
        said = [text for text in said if text]
        return [self._filled(line["as"], {"each": self._joined(said)})] if "as" in line and said else said

    def _case(self, cases: Sequence[Mapping[str, Any]], facts: Event) -> str:
        """What the first case that fits says; nothing if none does."""
        for case in cases:
            if all(_fits(facts.get(field), wanted) for field, wanted in case.get("when", {}).items()):
                return self._filled(self._pattern(case, facts), facts)
        return ""

    def _pattern(self, case: Mapping[str, Any], facts: Event) -> str:
        if "say" in case:
            return str(case["say"])
        about = facts[case.get("of", "seat")]
        if isinstance(about, list):
            if len(set(about)) > 1:
                return str(case["many"])
            about = about[0]
        return str(case["you"] if about == self.viewer else case["other"])

    def _filled(self, pattern: str, facts: Event) -> str:
        return _PLACEHOLDER.sub(lambda found: self._said(facts[found[1]], found[2]), pattern)

    def _said(self, value: Any, how: str | None) -> str:
        if how in self.words.seats:
            seats = dict.fromkeys(value if isinstance(value, list) else [value])
            return self._joined([self.player(seat, str(how)) for seat in seats])
        if how == SIGNED:
            return f"{value:+d}"
        if how:
            return self.named(how, len(value) if isinstance(value, list) else value)
        if isinstance(value, list):
            return self._joined([self.named(name, count) for name, count in Counter(value).items()])
        return str(value) if isinstance(value, int) else self.named(str(value), 1)

    def labelled(self, name: str) -> str:
        """What a button for the action says."""
        for form, pattern in self.words.actions.items():
            found = re.fullmatch(re.escape(form).replace(r"\*", "(.+)"), name)
            if found:
                facts = {str(place): self._meant(words.split()) for place, words in enumerate(found.groups())}
                text = self._filled(pattern, facts)
                return text[0].upper() + text[1:]
        return name

    @staticmethod
    def _meant(words: Sequence[str]) -> Any:
        """Words of an action as `_said` takes them: a seat, say, as a number."""
        return int(words[0]) if len(words) == 1 and words[0].isdecimal() else words

    def player(self, seat: int, how: str) -> str:
        """A player, in this kind of placeholder."""
        forms = self.words.seats[how]
        if seat == self.viewer:
            return forms["you"]
        if self.players is not None:
            return forms["named"].replace("{n}", self.players[seat])
        return forms["other"].replace("{n}", str(seat))

    def named(self, name: str, count: int) -> str:
        """So many of what is named; a name without a word is said as it is."""
        forms, value = _found(self.words.names, name)
        forms = forms or [name]
        form = _form(forms, count) if count == 1 or len(forms) > 1 else f"{{n}} {forms[0]}"
        numbers = self.words.numbers
        facts = {"n": str(count), "number": numbers[count] if count < len(numbers) else str(count), "value": value}
        return _PLACEHOLDER.sub(lambda found: facts[found[1]], form)

    def _joined(self, texts: Sequence[str]) -> str:
        if len(texts) < 2:
            return "".join(texts)
        return self.words.lists["between"].join(texts[:-1]) + self.words.lists["last"] + texts[-1]


def _found(named: Mapping[str, list[str]], name: str) -> tuple[list[str], str]:
    """The forms of a name, none if it has no word, and what the star in it stands for."""
    head, _, value = name.rpartition("_")
    return named.get(name) or named.get(f"{head}_*") or [], value


def _form(forms: Sequence[str], count: int) -> str:
    """The one for so many: one, several, none."""
    return forms[0] if count == 1 or len(forms) == 1 else forms[2] if count == 0 and len(forms) > 2 else forms[1]


def _of_seat(facts: Event, seat: int, count: int) -> Event:
    """The facts with only this seat's entry of every list that has one a seat."""
    own = {key: value[seat] for key, value in facts.items() if isinstance(value, list) and len(value) == count}
    return {**facts, **own, "seat": seat}


def _fits(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if "number" in wanted:
        return isinstance(value, int) == wanted["number"]
    return ("above" not in wanted or value > wanted["above"]) and ("below" not in wanted or value < wanted["below"])


# -- labels ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Labels:
    """What is written into pictures, in one language."""

    language: str
    words: Words

    def __call__(self, name: str, **facts: object) -> str:
        """The label of that name, with these facts; a name without a label is written as it is, but for its underscores."""
        if not facts:
            return _plain_label(self.words, name)
        forms, value = _found(self.words.labels, name)
        count = facts.get("n", 1)
        form = _form(forms, count if isinstance(count, int) else 1) if forms else name.replace("_", " ")
        return _filled_label(form, {"value": value, **facts})

    def listed(self, names: Sequence[str], empty: str = "none") -> str:
        """Several of them after each other, or the label `empty`."""
        return ", ".join(map(self, names)) or self(empty)


@functools.lru_cache(1 << 13)
def _plain_label(words: Words, name: str) -> str:
    """The label of that name, without facts."""
    forms, value = _found(words.labels, name)
    return _filled_label(_form(forms, 1), {"value": value}) if forms else name.replace("_", " ")


def _filled_label(form: str, facts: Mapping[str, object]) -> str:
    first, *filled = _pieces(form)
    return first + "".join([str(facts[field]) + between for field, between in filled])


@functools.lru_cache(1 << 12)
def _pieces(form: str) -> tuple[Any, ...]:
    """A form's text up to the first placeholder, then each placeholder's field with the text after it."""
    first, *rest = _PLACEHOLDER.split(form)
    return first, *zip(rest[::3], rest[2::3], strict=True)


def labels_of(game: Game, language: str = USUAL) -> Labels:
    """The labels for a game; in English if it brings no words in this language. Raises OptionError for an unknown one."""
    return Labels(language, words_of(game, _checked(language)))
