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
from pirate_envs.core.errors import OptionError
from pirate_envs.core.svg import THEMES, Picture
from pirate_envs.testing import GameLawError
from tests.games.setups import material, seats, setup_of

GAMES = pirate_envs.games()
DRAWN = [name for name in GAMES if pirate_envs.load(name).draw_view]
WRITE = "pytest tests/games/test_pictures.py --write-golden"
LARGEST = 25_000  # bytes
SVG = "{http://www.w3.org/2000/svg}"
SCENES = [pytest.param(name, scene, id=f"{name}-{scene}") for name in DRAWN for scene in material(name, "scenes").SCENES]


@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_golden_pictures(name, scene, request):
    scenes = material(name, "scenes")
    path = Path(scenes.__file__).with_name("pictures") / f"{scene}.svg"
    drawn = scenes.SCENES[scene].picture(name).replace("><", ">\n<") + "\n"
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


def check_form(picture):
    """What holds of every picture; returns its elements."""
    assert isinstance(picture, Picture) and picture._repr_svg_() == picture
    assert len(picture.encode()) <= LARGEST
    root, *rest = elements(picture)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img" and root.get("viewBox") == "0 0 960 720"
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
    """Every number of players by every preset, all seats and all cards open, both themes."""
    for preset in type(pirate_envs.load(name).options).PRESETS or [None]:
        for players in seats(name):
            game = pirate_envs.load(name, players=players, **({"rules": preset} if preset else {}))
            chance = random.Random(players)
            for g in positions(game, players, 0.15):
                seat = chance.choice([None, *range(players)])
                view = game.view(g, seat)
                picture = game.picture(g, seat, chance.choice(list(THEMES)))
                check_form(picture)
                assert {word for key in shown_names(picture) for word in re.findall(r"\w[\w+-]*", key)} <= names_in(view)


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
            check_form(game.picture(g, chance.choice([None, game.seat_to_move(g)])))


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
            pressed = {part.get("data-action") for part in elements(game.picture(g, mover))} - {None}
            assert {action for action in legal if single(action)} <= pressed <= legal


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
        seen = game.view(g, 0)
        for seat in range(1, game.players):
            seen = meet(seen, game.view(g, seat))
        check_form(game.picture_of(seen))


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_theme_or_seat_is_refused(name):
    game = pirate_envs.load(name)
    g = game.new(1)
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
