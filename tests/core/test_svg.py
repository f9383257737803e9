"""The palette can be read and told apart by everybody; what is written into a picture cannot break it."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from pirate_envs.core.errors import OptionError
from pirate_envs.core.glyphs import GLYPHS
from pirate_envs.core.svg import INK, SUITS, THEMES, Canvas, box, columns, fitted, ink_on, of_text, spread, text
from tests.core.colours import COLOUR_VISION, contrast, distance, seen

READABLE = 4.5  # WCAG 2.2, 1.4.3
TOLD_APART = 20
DECKS = (("yellow", "blue", "red", "black"), ("green", "red", "yellow"))  # suits that lie in one deck


def test_the_distance_of_colours_is_that_of_its_authors():
    """Pairs of the test data of Sharma, Wu and Dalal (2005)."""
    for one, other, expected in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0000),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ):
        assert distance(np.array(one, float), np.array(other, float)) == pytest.approx(expected, abs=1e-4)


def test_the_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("vision", COLOUR_VISION)
def test_suits_are_told_apart(deck, vision):
    for one, other in itertools.combinations(deck, 2):
        assert distance(seen(SUITS[one], vision), seen(SUITS[other], vision)) >= TOLD_APART, (one, other)


@pytest.mark.parametrize("suit", SUITS)
def test_what_is_printed_on_a_card_can_be_read(suit):
    assert contrast(ink_on(suit), SUITS[suit]) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
def test_words_can_be_read(theme):
    c = THEMES[theme]
    for ground in ("ground", "panel"):
        for ink in ("ink", "soft", "turn"):
            assert contrast(c[ink], c[ground]) >= READABLE, (ink, ground)
    for ink, ground in (("good", "panel"), ("bad", "panel"), ("panel", "turn"), ("on_felt", "felt"), ("mark", "felt")):
        assert contrast(c[ink], c[ground]) >= READABLE, (ink, ground)
    assert contrast(c["turn"], c["panel"]) >= 3  # a line that tells whose turn it is (1.4.11)


def test_all_drawings_are_well_formed_and_small():
    for name, drawing in GLYPHS.items():
        ElementTree.fromstring(f"<g>{drawing}</g>")
        assert len(drawing) < 1000, name
        assert not re.search(r"(?<![\w-])(id|style|href)=", drawing), name


def test_words_are_escaped():
    canvas = Canvas("light", "<&>", ['"told" <b>'])
    canvas.add(canvas.group('card:"<&', text(1, 2, "</text><script>", 20, INK), action="play <", told="&"))
    picture = canvas.done()
    root = ElementTree.fromstring(picture)
    assert root[0].text == "<&>" and root[1].text == '"told" <b>'
    group = root.find(".//*[@data-key]")
    assert group.get("data-key") == 'card:"<&' and group.get("data-action") == "play <"
    assert group[1].text == "</text><script>" and "<script" not in picture


def test_a_second_of_a_kind_has_a_key_of_its_own():
    canvas = Canvas("dark", "keys", [])
    assert [canvas.key("card:pirate") for _ in range(3)] == ["card:pirate", "card:pirate#2", "card:pirate#3"]


def test_things_in_a_row_overlap_rather_than_not_fit():
    assert spread(3, 100, 20, 5) == (15, 25)
    first, step = spread(11, 100, 20, 5)
    assert first == 0 and first + 10 * step + 20 == pytest.approx(100)
    assert spread(1, 100, 20, 5)[0] == 40


def test_places_lie_side_by_side():
    for count in range(1, 6):
        places = columns(count)
        assert len(places) == count and places[0][0] >= 16 and places[-1][0] + places[-1][1] <= 960 - 15
        assert all(left + width < after for (left, width), (after, _) in itertools.pairwise(places))


def test_long_words_become_smaller():
    assert fitted("ab", 20, 1000) == 20
    assert fitted("a" * 50, 20, 100) == pytest.approx(100 / 36)


def test_a_game_without_a_picture_shows_its_text():
    words = "Chess: white to move\n  a  <b>\n" + "x" * 200
    picture = of_text(words, "Chess", "dark")
    root = ElementTree.fromstring(picture)
    assert [part.text for part in root.iter("{http://www.w3.org/2000/svg}text")] == words.splitlines()
    with pytest.raises(OptionError, match="theme"):
        of_text(words, "Chess", "")


def test_a_rectangle_is_one():
    assert box(0, 0, 5, 4, "#fff") == '<rect width="5" height="4" rx="12" fill="#fff"/>'
