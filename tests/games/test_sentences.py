"""Sentences: no word is missing in any language, all that is said comes from the event, and how short matches read.

The transcripts (`told_en.txt` and the like beside a game's setup) are there to be read.
Write them anew with ``pytest tests/games/test_sentences.py --write-golden``.
"""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core import sentences as speech
from pirate_envs.core.errors import OptionError
from pirate_envs.core.events import WATCHER, Event
from pirate_envs.core.game import Game
from pirate_envs.core.sentences import action_labels, languages, option_meaning, seat_names, sentences, word_labels, words_of
from pirate_envs.games import shipped
from tests.games.setups import golden_of, setup_of, table_of
from tests.games.words import bracketed

WRITE = "pytest tests/games/test_sentences.py --write-golden"
SHORT: dict[str, dict[str, Any]] = {
    "lucky_pirate": {"players": 3},
    "piraten_kapern": {"players": 2, "max_rounds": 3},
    "piratenpoker": {"players": 3, "max_cycles": 2},
    "skull_king": {"players": 2, "last_hand": 3},
}
MATCHES, MANY = 2, 200
PLACEHOLDER = re.compile(r"\{(\w+)(?::(\w+))?\}")
PSEUDO = "pseudo"


def matches(name: str, seeds: range, share: float, *, all_open: bool = False) -> Iterator[tuple[Game, Any, list[Event]]]:
    """Random play under random options: every viewer's events of a share of the decisions, or only what is told all open."""
    chance = random.Random(seeds.start)
    for seed in seeds:
        try:
            game = pirate_envs.load(name, **setup_of(name).random_options(chance))
        except OptionError:  # they do not fit together
            continue
        g, draws = game.new(seed), np.random.default_rng(seed)
        while not game.is_over(g):
            before, action = g.copy(), int(draws.choice(game.legal_actions(g)))
            game.apply(g, action)
            if chance.random() < share or game.is_over(g):
                for viewer in (None, *([] if all_open else (WATCHER, *range(game.players)))):
                    yield game, viewer, game.events(before, action, g, viewer)


def cases(line: Any) -> list[dict[str, Any]]:
    return line["cases"] if isinstance(line, dict) else line


def patterns(line: Any) -> list[str]:
    more = [line["as"]] if isinstance(line, dict) and "as" in line else []
    return more + [case[key] for case in cases(line) for key in ("you", "other", "many", "say") if key in case]


# -- the files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_every_language_has_the_same_names_and_every_event_its_words(name: str) -> None:
    game = pirate_envs.load(name)
    every = {language: words_of(game, language) for language in languages()}
    assert {"en", "fr", "de"} <= set(every)
    english = every["en"]
    for language, words in every.items():
        assert (files(type(game.options).__module__.rpartition(".")[0]) / "words" / f"{language}.json").is_file()
        assert words.names.keys() == english.names.keys()
        assert words.labels.keys() == english.labels.keys()
        for name_, forms in words.labels.items():
            same = {field for form in english.labels[name_] for field in PLACEHOLDER.findall(form)}
            assert {field for form in forms for field in PLACEHOLDER.findall(form)} <= same | {("n", "")}, (language, name_)
        assert words.events.keys() == english.events.keys() == {*game.telling.FOLDS, "match_over", "decided", speech.UNKNOWN}
        assert words.seats.keys() == english.seats.keys()
        assert len(words.numbers) == len(english.numbers)


@pytest.mark.parametrize("name", shipped())
def test_every_option_is_told_in_every_language(name: str) -> None:
    game = pirate_envs.load(name)
    declared = {option: meaning for option, _, _, meaning in type(game.options).table()}
    assert {option: option_meaning(game, option) for option in declared} == declared
    for language in set(languages()) - {speech.USUAL}:
        words = words_of(game, language).options
        assert words.keys() == declared.keys()
        assert not any(words[option] == declared[option] for option in declared)
    with pytest.raises(OptionError, match="unknown option 'no'"):
        option_meaning(game, "no")


@pytest.mark.parametrize("name", shipped())
def test_languages_differ_in_what_is_said_and_not_in_when(name: str) -> None:
    game = pirate_envs.load(name)
    english = words_of(game, "en").events
    for language in languages():
        for event, lines in words_of(game, language).events.items():
            for line, same in zip(lines, english[event], strict=True):
                for case, other in zip(cases(line), cases(same), strict=True):
                    for key in ("when", "of"):
                        assert case.get(key) == other.get(key), (language, event)
                    assert case.keys() == other.keys()


@pytest.mark.parametrize("name", shipped())
def test_nothing_is_said_but_what_the_event_holds_and_nothing_named_is_without_a_word(name: str) -> None:
    game = pirate_envs.load(name)
    known: dict[str, set[str]] = {"decided": {"seat", "action"}, speech.UNKNOWN: {"seat", "event"}}
    for _, _, events in matches(name, range(3), 0.3, all_open=True):
        for event in events:
            known.setdefault(event["event"], set(event))
    assert set(known) > {"match_over"}
    for language in languages():
        words = words_of(game, language)
        for event, fields in known.items():
            for line in words.events[event]:
                local = fields | ({"seat", "each"} if isinstance(line, dict) else set())
                for field, how in (found for pattern in patterns(line) for found in PLACEHOLDER.findall(pattern)):
                    assert field in local, (language, event, field)
                    assert not how or how == speech.SIGNED or how in words.seats or how in words.names, (language, event, how)
                for case in cases(line):
                    assert {*case.get("when", {}), case.get("of", "seat" if "you" in case else "event")} <= local, (event, case)


# -- what is said ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_no_word_gets_out_that_is_in_no_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = speech.words_of

    def pseudo(game: Game, language: str) -> speech.Words:
        words = original(game, "en")
        return speech.Words(**{part.name: bracketed(getattr(words, part.name)) for part in dataclasses.fields(words)})

    monkeypatch.setattr(speech, "words_of", pseudo)
    said = 0
    for game, viewer, events in matches(name, range(MATCHES), 0.05):
        for sentence in sentences(game, events, viewer):
            assert not re.search(r"[^\W\d_]", sentence.replace("¤", "")), sentence
            said += "¤" in sentence
    assert said


@pytest.mark.parametrize("name", shipped())
def test_everything_can_be_said_to_everybody(name: str) -> None:
    for game, viewer, events in matches(name, range(10, 10 + MATCHES), 0.05):
        check_said(game, viewer, events)


@pytest.mark.long
@pytest.mark.parametrize("name", shipped())
def test_everything_can_be_said_to_everybody_in_many_matches(name: str) -> None:
    for game, viewer, events in matches(name, range(1000, 1000 + MANY), 1.0):
        check_said(game, viewer, events)


def check_said(game: Game, viewer: Any, events: list[Event]) -> None:
    for language in languages():
        told = sentences(game, events, viewer, language)
        assert told
        for sentence in told:
            assert sentence[0] == sentence[0].upper() and sentence[-1] in ".?", sentence
            assert not set("{}_") & set(sentence), sentence


# -- stories -----------------------------------------------------------------------------------------------------------


def test_verbs_agree_and_numbers_are_words() -> None:
    game = pirate_envs.load("skull_king", players=3)
    bid = {"event": "bid", "seat": 1, "tricks": 1}
    assert sentences(game, [bid], 1) == ["You bid one trick."]
    assert sentences(game, [bid], 0) == ["Player 1 bids one trick."]
    assert sentences(game, [{**bid, "tricks": 2}], 0, "de") == ["Spieler 1 sagt zwei Stiche an."]
    assert sentences(game, [{**bid, "tricks": 0}], 1, "fr") == ["Vous annoncez zéro pli."]
    assert sentences(game, [{**bid, "tricks": None}], 0, "fr", ["Anne", "Bob", "Carl"]) == ["Bob annonce en secret."]


@pytest.mark.parametrize("viewer", [3, -1, "x", 1.5, True])
def test_a_viewer_that_is_not_there_is_told(viewer: Any) -> None:
    game = pirate_envs.load("skull_king", players=3)
    with pytest.raises(OptionError, match=f"seat is {viewer!r}; allowed"):
        sentences(game, [], viewer)
    assert sentences(game, [], "watcher") == []


def test_equal_cards_are_counted() -> None:
    game = pirate_envs.load("piratenpoker", players=3)
    drew = {"event": "drew", "seat": 2, "cards": ["green_5", "green_5", "red_4"], "since_reuse": None}
    assert sentences(game, [drew], 2) == ["You draw two green 5s and a red 4."]
    assert sentences(game, [drew], 2, "de") == ["Du ziehst zwei grüne 5er und eine rote 4."]
    assert sentences(game, [{**drew, "cards": 3}], 0, "fr") == ["Le joueur 2 pioche trois cartes."]


def test_a_shared_win_and_none() -> None:
    game = pirate_envs.load("skull_king", players=3)
    over = {"event": "match_over", "scores": [10, 10, -20], "winners": [0, 1]}
    assert sentences(game, [over], 1) == [
        "Player 0 and you share the win.",
        "Points: 10 for player 0, 10 for you and -20 for player 2.",
    ]
    assert sentences(game, [{**over, "winners": []}], 1, "de")[0] == "Niemand gewinnt die Partie."
    assert seat_names(game, 1, "de") == ["Spieler 0", "du", "Spieler 2"]


def test_turns_that_nobody_could_follow() -> None:
    game = pirate_envs.load("piraten_kapern", players=2)
    passed = {"event": "turns_passed", "turns": 3, "scores": [-200, 400], "winner": None}
    assert sentences(game, [passed], 0) == [
        "Three turns end, one after the other.",
        "Points now: -200 for you and 400 for player 1.",
    ]
    assert sentences(game, [passed], 0, "de")[0] == "Drei Züge enden nacheinander."


def test_a_game_without_words_says_its_events_and_actions() -> None:
    game = pirate_envs.load("kuhn_poker")
    g = game.new(1)
    before, mover, action = g.copy(), game.seat_to_move(g), game.legal_actions(g)[0]
    game.apply(g, action)
    name = game.action_name(before, action)
    assert sentences(game, game.events(before, action, g, mover), mover) == [f"You: {name}."]
    assert sentences(game, game.events(before, action, g, 1 - mover), 1 - mover, "de") == [
        f"Spieler {mover} entscheidet verdeckt."
    ]
    assert sentences(game, [{"event": "sneezed", "seat": 1}]) == ["Player 1: sneezed."]
    assert sentences(game, [{"event": "rained"}]) == ["Rained."]


def test_what_cannot_be_said_is_refused() -> None:
    game = table_of("skull_king", 2)
    with pytest.raises(OptionError, match="no language 'xx'; there are: de, en, fr"):
        sentences(game, [], language="xx")
    with pytest.raises(OptionError, match="names are given for 1 players"):
        sentences(game, [], names=["Anne"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('{"names": {}}', "needed is an object with events, names"),
        ('{"names": {"coin": 3}, "events": {}}', "the name 'coin'"),
        ('{"names": {"coin": []}, "events": {}}', "the name 'coin'"),
        ('{"names": {}, "events": {}, "labels": {"score": 3}}', "the label 'score'"),
        ('{"names": {}, "events": {}, "colours": {}}', "needed is an object with events, names, perhaps labels"),
        ('{"names": {}, "events": {"won": "You win"}}', "the event 'won'"),
        ('{"names": {}, "events": {"won": [[{"you": "You win"}]]}}', "the event 'won'"),
        ('{"names": {}, "events": {"won": [{"each": "x"}]}}', "the event 'won'"),
    ],
)
def test_a_file_that_is_made_otherwise_is_told(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "en.json"
    file.write_text(text)
    with pytest.raises(TypeError, match=message):
        speech._read(file, {"names", "events"})


# -- transcripts -------------------------------------------------------------------------------------------------------


def transcript(name: str, language: str, choices: list[str]) -> str:
    """A match as seat 0 is told it; after these choices the strongest rule player and chance decide in turn."""
    game = pirate_envs.load(name, **SHORT[name])
    g, chance, made = game.new(4), np.random.default_rng(4), iter(choices)
    lines = [f"# {game.id} {json.dumps(SHORT[name])} seed 4, told to seat 0"]
    while not game.is_over(g):
        choice = next(made, None)
        if choice is not None:
            action = game.action(g, choice)
        elif int(g.decisions) % 2:
            action = int(chance.choice(game.legal_actions(g)))
        else:
            action = game.rule_action(g)
        lines.append(f"{game.seat_to_move(g)}: {game.action_name(g, action)}")
        before = g.copy()
        game.apply(g, action)
        lines += [f"    {sentence}" for sentence in sentences(game, game.events(before, action, g, 0), 0, language)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", shipped())
def test_short_matches_read_as_they_did(name: str, language: str, request: pytest.FixtureRequest) -> None:
    path = golden_of(name).with_name(f"told_{language}.txt")
    if request.config.getoption("--write-golden"):
        path.write_text(transcript(name, language, []), encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: {WRITE}"
    told = path.read_text(encoding="utf-8")
    choices = [line.partition(": ")[2] for line in told.splitlines()[1:] if not line.startswith(" ")]
    assert transcript(name, language, choices) == told, WRITE


# -- what buttons say --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_every_action_has_a_button_of_its_own_in_every_language(name: str) -> None:
    game = pirate_envs.load(name)
    keys = {language: words_of(game, language).actions.keys() for language in languages()}
    assert all(own == keys["en"] for own in keys.values())
    g, chance = game.new(5), np.random.default_rng(5)
    met: set[str] = set()
    while not game.is_over(g) and len(met) < 300:
        legal = game.legal_actions(g)
        names = [game.action_name(g, action) for action in legal]
        for language in languages():
            labels = action_labels(game, names, game.seat_to_move(g), language)
            assert len(set(labels)) == len(names)
            assert not any("_" in label or "{" in label for label in labels)
            assert not set(labels) & set(names)
        met |= set(names)
        game.apply(g, int(chance.choice(legal)))


def test_a_button_speaks_to_who_looks() -> None:
    game = pirate_envs.load("piratenpoker")
    say = ["bid green_5 green_5 red_4", "overboard green to 2", "give -4 to 1", "pass", "sail away"]
    assert action_labels(game, say, 2) == [
        "Stake two green 5s and a red 4", "Green overboard, to you", "Give -4 to player 1", "Pass", "sail away",
    ]  # fmt: skip
    assert word_labels(game, ["green_5", "no word"], "de") == ["eine grüne 5", "no word"]
