"""Pictures of every game: golden ones to look at, and laws on positions of random play.

Write the golden pictures anew with ``pytest tests/games/test_pictures.py --write-golden``, then look at every one that changed.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import pirate_envs
from pirate_envs import testing
from pirate_envs.core import sentences as speech
from pirate_envs.core.errors import OptionError
from pirate_envs.core.sentences import languages
from pirate_envs.core.svg import HEIGHT, TALL, THEMES, WIDTH, Picture
from pirate_envs.games.lucky_pirate.picture import APART
from pirate_envs.testing import GameLawError
from tests.games.seen import seen
from tests.games.setups import material, seats, setup_of
from tests.games.words import bracketed

GAMES = pirate_envs.games()
DRAWN = [name for name in GAMES if pirate_envs.load(name).draw_view]
WRITE = "pytest tests/games/test_pictures.py --write-golden"
LARGEST = 25_000  # bytes
SMALLEST, CROWDED = 11.9, 10.5  # of letters on a phone, in its pixels; the latter where very much is known of a hand
TOUCHED = 44  # pixels, at least, of what is to be touched there (WCAG 2.2, 2.5.5)
SVG = "{http://www.w3.org/2000/svg}"
SCENES = [pytest.param(name, scene, id=f"{name}-{scene}") for name in DRAWN for scene in material(name, "scenes").SCENES]


@pytest.mark.parametrize("tall", [False, True], ids=["wide", "tall"])
@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_golden_pictures(name, scene, tall, request):
    """The wide ones in English, the tall ones in one language after the other."""
    scenes = material(name, "scenes")
    language = languages()[list(scenes.SCENES).index(scene) % len(languages())] if tall else "en"
    path = Path(scenes.__file__).with_name("pictures") / f"{scene}{'_tall' * tall}.svg"
    drawn = scenes.SCENES[scene].picture(name, language=language, tall=tall).replace("><", ">\n<") + "\n"
    if request.config.getoption("--write-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert path.exists(), f"{name} has no picture {scene}; write it with: {WRITE}"
    assert path.read_text(encoding="utf-8") == drawn, f"{path} differs: look at the new one after {WRITE}"


def positions(game, seed, share=1.0):
    """Records of one random match, its end too."""
    chance = np.random.default_rng(seed)
    g = game.new(seed)
    while not game.is_over(g):
        if chance.random() < share:
            yield g
        game.apply(g, chance.choice(game.legal_actions(g)))
    yield g


def elements(picture):
    return list(ElementTree.fromstring(picture).iter())


def check_form(picture, tall=False):
    """What holds of every picture; returns its elements."""
    assert isinstance(picture, Picture) and picture._repr_svg_() == picture
    assert len(picture.encode()) <= LARGEST
    root, *rest = elements(picture)
    assert (
        root.tag == f"{SVG}svg"
        and root.get("role") == "img"
        and root.get("viewBox") == "0 0 {} {}".format(*(TALL if tall else (WIDTH, HEIGHT)))
    )
    assert [part.tag for part in root[:2]] == [f"{SVG}title", f"{SVG}desc"] and root[0].text and root[1].text
    assert {part.tag.removeprefix(SVG) for part in rest} <= {
        "title", "desc", "defs", "g", "use", "path", "rect", "circle", "text"
    }  # fmt: skip
    ids = {part.get("id") for part in rest if part.get("id")}
    assert {part.get("href") for part in rest if part.tag == f"{SVG}use"} <= {f"#{name}" for name in ids}
    keys = Counter(part.get("data-key") for part in rest if part.get("data-key"))
    assert not [key for key, count in keys.items() if count > 1]
    return [root, *rest]


def names_in(view):
    """Every name that a view tells, whole and in the words of lists."""
    told = set(re.findall(r"\w[\w+-]*", json.dumps({key: value for key, value in view.items() if key != "options"})))
    return {name.lower() for name in told}


def shown_names(picture):
    """Names of cards in keys and actions."""
    keys = re.findall(r'data-key="(?:card|last|loot):([^"#]+)', picture)
    return {key.lstrip("+-") for key in keys}


@pytest.mark.parametrize("name", GAMES)
def test_every_position_of_every_table_is_drawn(name):
    """Every number of players by every preset, all seats and all cards open, both themes and shapes, all languages."""
    for preset in type(pirate_envs.load(name).options).PRESETS or [None]:
        for players in seats(name):
            game = pirate_envs.load(name, players=players, **({"rules": preset} if preset else {}))
            chance = random.Random(players)
            for g in positions(game, players, 0.15):
                seat = chance.choice([None, *range(players)])
                view = game.view(g, seat)
                tall = chance.random() < 0.5
                picture = game.picture(g, seat, chance.choice(list(THEMES)), chance.choice(languages()), tall)
                check_form(picture, tall)
                assert {word for key in shown_names(picture) for word in re.findall(r"\w[\w+-]*", key)} <= names_in(view)


@pytest.mark.long
@pytest.mark.parametrize("name", DRAWN)
def test_no_picture_is_large(name):
    """Thousands of positions of the largest table, whose pictures are the largest."""
    players = max(seats(name))
    game = pirate_envs.load(name, players=players)
    chance = random.Random(1)
    most = drawn = 0
    while drawn < 20_000:
        for g in positions(game, chance.randrange(1 << 30), 0.25):
            seat = chance.choice([None, *range(players)])
            picture = game.picture(g, seat, chance.choice(list(THEMES)), chance.choice(languages()), chance.random() < 0.7)
            most, drawn = max(most, len(picture.encode())), drawn + 1
    assert most <= LARGEST, most


@pytest.mark.parametrize("name", GAMES)
def test_options_of_all_kinds_are_drawn(name):
    chance = random.Random(7)
    tried = 0
    while tried < 12:
        try:
            game = pirate_envs.load(name, **setup_of(name).random_options(chance))
        except OptionError:
            continue
        tried += 1
        for g in positions(game, tried, 0.03):
            for tall in (False, True):
                check_form(game.picture(g, chance.choice([None, game.seat_to_move(g)]), tall=tall), tall)


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_comes_from_what_its_seat_may_know(name):
    game = pirate_envs.load(name)
    for g in positions(game, 3, 0.1):
        for seat in range(game.players):
            picture = game.picture(g, seat)
            assert picture == game.picture_of(json.loads(json.dumps(game.view(g, seat))), seat)
            for seed in range(2):
                world = game.determinized(g, seat, seed)
                assert game.picture(world, seat) == picture
                assert seed or game.picture(world, seat, tall=True) == game.picture(g, seat, tall=True)


def single(name):
    """Actions of one card or none, which a picture can offer as one element to press."""
    return len(name.split()) <= 2 or name.startswith(("give", "overboard", "pick"))


@pytest.mark.parametrize("name", DRAWN)
def test_every_action_of_one_card_can_be_pressed(name):
    for seed, players in enumerate(seats(name)):
        game = pirate_envs.load(name, players=players)
        for g in positions(game, seed, 0.2):
            mover = game.seat_to_move(g)
            legal = set(game.view(g, mover)["legal"])
            for tall in (False, True):
                pressed = {part.get("data-action") for part in elements(game.picture(g, mover, tall=tall))} - {None}
                assert {action for action in legal if single(action)} <= pressed <= legal


@pytest.mark.parametrize("name", DRAWN)
def test_a_tall_picture_can_be_read_and_touched_on_a_phone(name):
    """Its units are a phone's pixels: no words too small or beyond the edge, no target too small for a finger."""
    drawn = crowded = 0
    for seed, players in enumerate(seats(name)):
        game = pirate_envs.load(name, players=players)
        for language, g in zip(itertools.cycle(languages()), positions(game, seed, 0.1), strict=False):
            found = seen(game.picture(g, game.seat_to_move(g), language=language, tall=True))
            drawn += 1
            crowded += any(words.size < SMALLEST for words in found.written)
            for words in found.written:
                assert words.size >= CROWDED and words.left >= 2, words
                assert words.right <= TALL[0] - 2 and words.base <= TALL[1], words
            for action, boxes in found.pressed.items():
                for side in zip(*boxes, strict=True):
                    assert max(side) >= TOUCHED - 0.1, (action, boxes)
    assert crowded <= drawn / 20


@pytest.mark.parametrize("name", DRAWN)
def test_no_word_in_a_picture_is_in_no_file(name, monkeypatch):
    """Drawn in a language without letters, a picture has none but its title's, names of actions and keys apart."""
    original = speech.words_of

    def pseudo(game, language):
        words = original(game, "en")
        return speech.Words(**{part.name: bracketed(getattr(words, part.name)) for part in dataclasses.fields(words)})

    monkeypatch.setattr(speech, "words_of", pseudo)
    chance = random.Random(3)
    for preset in type(pirate_envs.load(name).options).PRESETS or [None]:
        for players in seats(name):
            game = pirate_envs.load(name, players=players, **({"rules": preset} if preset else {}))
            for g in positions(game, players, 0.1):
                seat = chance.choice([None, game.seat_to_move(g)])
                for tall in (False, True):
                    for part in elements(game.picture(g, seat, tall=tall)):
                        assert not re.search(r"[^\W\d_¤]", (part.text or "").replace(game.title, "")), part.text


@pytest.mark.parametrize("name", DRAWN)
def test_a_watcher_who_sees_no_hand_has_a_picture_too(name):
    """What all seats see alike: a list against a number is the number, anything else that differs is nothing."""

    def meet(one, other):
        if one == other:
            return one
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            return {key: meet(one[key], other[key]) for key in one}
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            return [meet(*pair) for pair in zip(one, other, strict=True)]
        numbers = [side for side in (one, other) if isinstance(side, int)]
        return numbers[0] if len(numbers) == 1 and list in (type(one), type(other)) else None

    game = pirate_envs.load(name)
    for g in positions(game, 5, 0.1):
        view = game.view(g, 0)
        for seat in range(1, game.players):
            view = meet(view, game.view(g, seat))
        for tall in (False, True):
            check_form(game.picture_of(view, tall=tall), tall)


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_theme_language_or_seat_is_refused(name):
    game = pirate_envs.load(name)
    g = game.new(1)
    for language in ("xx", None, 3):
        with pytest.raises(OptionError, match=r"no language .*; there are: de, en, fr"):
            game.picture(g, language=language)
    with pytest.raises(OptionError, match="theme is 'sepia'"):
        game.picture(g, theme="sepia")
    for seat in (-1, game.players, 0.5, "0", True):
        with pytest.raises(OptionError, match="seat"):
            game.picture_of(game.view(g), seat)


def test_the_laws_of_pictures_can_be_broken():
    game = pirate_envs.load("piraten_kapern")
    counted = itertools.count()
    for draw, law in (
        (lambda view, seat, theme: Picture("<svg><g></svg>"), "a picture is XML"),
        (lambda view, seat, theme: Picture(f"<svg>{next(counted)}</svg>"), "the same in every world"),
    ):
        broken = dataclasses.replace(game, draw_view=draw)
        with pytest.raises(GameLawError, match=law):
            testing._check_picture(broken, broken.new(1), 0)
    testing._check_picture(game, game.new(1), 0)


def test_a_game_that_draws_only_wide_english_pictures_still_does():
    """`draw_view` without labels and shape."""
    game = pirate_envs.load("piraten_kapern")
    plain = dataclasses.replace(game, draw_view=lambda view, seat, theme: Picture(f"<svg>{seat}{theme}</svg>"))
    assert plain.picture(game.new(1), 1, "dark", "de", tall=True) == "<svg>1dark</svg>"


def test_a_game_without_pictures_has_its_text_in_both_shapes():
    game = dataclasses.replace(pirate_envs.load("piraten_kapern"), draw_view=None)
    g = game.new(1)
    for tall in (False, True):
        drawn = check_form(game.picture(g, tall=tall), tall)
        words = " ".join(part.text for part in drawn if part.tag == f"{SVG}text")
        assert words.split() == game.render(g).split()
        if tall:
            assert all(words.size >= 12 and words.right <= TALL[0] for words in seen(game.picture(g, tall=True)).written)


def large_hand(game, least):
    """A position of random play in which the hand of who is to move has so many cards."""
    chance = np.random.default_rng(1)
    for seed in range(60):
        g = game.new(seed)
        while not game.is_over(g):
            hand = game.view(g, game.seat_to_move(g))["hands"][game.seat_to_move(g)]
            if len(hand) >= least:
                return g
            game.apply(g, chance.choice(game.legal_actions(g)))
    raise LookupError(least)


@pytest.mark.parametrize("players", [2, 6])
def test_many_cards_are_told_apart_on_a_phone(players):
    """Of many cards equal ones are one element there, with their number; in a wide picture each is drawn."""
    game = pirate_envs.load("lucky_pirate", players=players)
    g = large_hand(game, APART + 2)
    seat = game.seat_to_move(g)
    hand = Counter(game.view(g, seat)["hands"][seat])
    tall, wide = (game.picture(g, seat, tall=tall) for tall in (True, False))
    for name, count in hand.items():
        word = name.replace("_", " ")
        assert (f'data-count="{count}"' in tall) or count == 1
        assert (f"<title>{word} ×{count}</title>" in tall) or count == 1
        assert f"×{count}</title>" not in wide
    assert "data-count" not in wide


def test_a_hand_that_is_seen_is_not_told_by_what_it_cannot_hold():
    game = pirate_envs.load("lucky_pirate", players=4)
    chance = np.random.default_rng(2)
    told = 0
    for seed in range(20):
        g = game.new(seed)
        while not game.is_over(g):
            seat = game.seat_to_move(g)
            barred = any(view for other, view in enumerate(game.view(g, seat)["cannot_hold"]) if other != seat)
            assert ("else no" in game.picture(g, seat)) == barred
            assert "else no" not in game.picture(g)
            told += barred
            game.apply(g, chance.choice(game.legal_actions(g)))
    assert told
