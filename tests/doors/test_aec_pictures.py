"""The PettingZoo door: what is rendered, as text and as pixels, and what is told where that cannot be."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pirate_envs
from pirate_envs import OptionError
from pirate_envs.core.errors import MissingExtraError
from pirate_envs.core.svg import of_text
from pirate_envs.doors import pixels as pixels_module
from pirate_envs.doors.pixels import pixels
from tests.doors.aec import GAMES, ONE, marked


@pytest.mark.parametrize("name", GAMES)
def test_renders_as_text(name, capsys):
    env = pirate_envs.make_aec(name, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert pirate_envs.load(name).title in text
    assert capsys.readouterr().out == ""
    env = pirate_envs.make_aec(name, render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert capsys.readouterr().out == text + "\n"
    env.close()


@pytest.mark.parametrize("name", GAMES)
def test_renders_as_pixels(name):
    env = pirate_envs.make_aec(name, render_mode="rgb_array")
    env.reset(seed=1)
    image = env.render()
    assert image.shape == (720, 960, 3) and image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 20


def test_pixels_hold_the_words():
    """A renderer that finds no font leaves all words out and says nothing."""
    picture = pirate_envs.load(ONE).picture(pirate_envs.load(ONE).new(1))
    words = re.sub(r"<text[^>]*>[^<]*</text>", "", picture)
    changed = (pixels(picture) != pixels(words)).any(axis=2)
    assert changed[:45, 15:200].mean() > 0.05  # the game's name
    mono = of_text("#" * 40, "a page of text", "light")
    assert (pixels(mono) != pixels(re.sub(r"<text[^>]*>[^<]*</text>", "", mono))).any(axis=2).sum() > 500
    assert pixels(picture, 480).shape == (360, 480, 3)
    assert pixels(pirate_envs.load(ONE).picture(pirate_envs.load(ONE).new(1), tall=True)).shape == (720, 390, 3)


def test_pixels_may_be_drawn_in_any_thread():
    picture = pirate_envs.load(ONE).picture(pirate_envs.load(ONE).new(1))
    with ThreadPoolExecutor(1) as other:
        assert (other.submit(pixels, picture).result() == pixels(picture)).all()


@pytest.mark.parametrize("picture", ["", "<svg>", "<svg/>", "no picture", '<svg viewBox="0 0 x 1"/>'])
def test_what_is_no_picture_has_no_pixels(picture):
    with pytest.raises(OptionError, match="the picture"):
        pixels(picture)


@pytest.mark.parametrize("width", [0, 5000, 1.5, True, "960"])
def test_pixels_of_no_width_are_refused(width):
    with pytest.raises(OptionError, match="width"):
        pixels("<svg/>", width)


def test_without_the_extra_pixels_say_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg", None)
    env = pirate_envs.make_aec(ONE, render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(MissingExtraError, match=r"resvg: pip install 'pirate-envs\[pictures\]'"):
        env.render()


def test_without_its_fonts_no_picture_is_drawn(monkeypatch, tmp_path):
    monkeypatch.setattr(pixels_module.resources, "files", lambda package: tmp_path)
    pixels_module.font_files.cache_clear()
    with pytest.raises(MissingExtraError, match="the font DejaVuSans-Bold.ttf is missing"):
        pixels("<svg/>")
    pixels_module.font_files.cache_clear()


def test_a_notebook_shows_the_table():
    env = pirate_envs.make_aec(ONE)
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert env._repr_svg_() == env.game.picture(env.record)


@marked
@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_render_test(name, capsys):
    from pettingzoo.test.render_test import render_test

    render_test(lambda **options: pirate_envs.make_aec(name, **options))
    assert pirate_envs.load(name).title in capsys.readouterr().out


def test_without_a_render_mode_it_says_so():
    env = pirate_envs.make_aec(ONE)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
