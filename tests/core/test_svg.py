"""The palette can be read and told apart by everybody; what is written into a picture cannot break it."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from pirate_envs.core.errors import OptionError
from pirate_envs.core.glyphs import GLYPHS
from pirate_envs.core.svg import (
    CARD,
    EDGE,
    INK,
    SUITS,
    TALL,
    THEMES,
    WIDTH,
    Canvas,
    Spot,
    box,
    columns,
    fitted,
    ink_on,
    of_text,
    packed,
    rows,
    spread,
    text,
    wide,
)  # fmt: skip
from pirate_envs.doors.pixels import font_files
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
        places = columns(count, 48, 200)
        assert len(places) == count and places[0].x >= 16 and places[-1].x + places[-1].width <= WIDTH - 15
        assert all(one.x + one.width < other.x and one.y == 48 for one, other in itertools.pairwise(places))


@pytest.mark.parametrize("count", range(1, 7))
def test_places_lie_in_even_rows_in_a_tall_picture(count):
    places = rows(count, 30, 100, 0.5)
    lines = [list(line) for _, line in itertools.groupby(places, lambda place: place.y)]
    assert len(places) == count and max(map(len, lines)) <= 3 and max(map(len, lines)) - min(map(len, lines)) <= 1
    for line in lines:
        assert line[0].x >= EDGE and line[-1].x + line[-1].width * 0.5 <= TALL[0] - EDGE + 1e-9
        assert all(one.x + one.width * 0.5 < other.x for one, other in itertools.pairwise(line))
    assert all(one[0].bottom < other[0].y for one, other in itertools.pairwise(lines))


@pytest.mark.parametrize("count", range(1, 12))
def test_things_are_packed_as_large_as_they_fit(count):
    room = Spot(8, 500, 374, 200)
    places = packed(count, room, CARD, 4, 5, 1.2)
    assert len({place.y for place in places}) == (1 if count <= 5 else 2)
    left, right = min(place.x for place in places), max(place.x + place.width * place.scale for place in places)
    assert left >= room.x and right <= room.x + room.width + 1e-9
    assert min(place.y for place in places) >= room.y and max(place.bottom for place in places) <= room.bottom + 1e-9
    assert places[0].scale == 1.2 or left == pytest.approx(room.x) or places[-1].bottom == pytest.approx(room.bottom)
    assert packed(0, room, CARD, 4, 5, 1.2) == []


def test_long_words_become_smaller():
    assert fitted("ab", 20, 1000) == 20
    assert fitted("8" * 50, 20, 100) == pytest.approx(100 / 36)
    assert fitted("i" * 50, 20, 100) == pytest.approx(2 * fitted("8" * 50, 20, 100))


def test_words_are_as_wide_as_in_the_font():
    bold = pytest.importorskip("PIL.ImageFont").truetype(font_files()[0], 1000)
    for words in ("last trick", "Piratenpoker", "dernières mises, tour 3", "über Bord", "+1000", "MWmw", "il faut"):
        assert wide(words, 1000) == pytest.approx(bold.getlength(words), rel=0.05), words


def test_a_game_without_a_picture_shows_its_text():
    words = "Chess: white to move\n  a  <b>\n" + "x" * 200
    picture = of_text(words, "Chess", "dark")
    root = ElementTree.fromstring(picture)
    assert [part.text for part in root.iter("{http://www.w3.org/2000/svg}text")] == words.splitlines()
    with pytest.raises(OptionError, match="theme"):
        of_text(words, "Chess", "")


def test_a_rectangle_is_one():
    assert box(0, 0, 5, 4, "#fff") == '<rect width="5" height="4" rx="12" fill="#fff"/>'
