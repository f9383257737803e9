"""Pictures as SVG text: colours in two themes, and the pieces that every game draws with (cards, dice, discs, chips, text).

No style sheets and no scripts, only attributes, so that a picture may stand in a page whose security policy allows neither. An
element's `data-key` names what it shows (`card:yellow_5`, `die:3`, `seat:2`), a second one of the same kind ends in `#2`; an
element that is a legal action has its name in `data-action`, one that stands for several equal things has `data-count`.

A picture is wide or tall (for a phone), and drawn by the same code: only the places differ, each with a scale of its own.
"""

from __future__ import annotations

import functools
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.glyphs import GLYPHS

WIDTH, HEIGHT = 960, 720  # of every wide picture, in its own units; it is meant to be read at a width of 390 pixels too
TALL = (390, 720)  # width and height of every tall one: a phone's pixels
EDGE = 8  # what a tall picture leaves free at its sides
TOUCH = 46  # at least, for what is to be touched, at a scale of 1 in a tall picture
CARD = (88, 124)
MINI = (44, 60)
DIE = 88
FONT = "'DejaVu Sans',Verdana,'Segoe UI',sans-serif"

INK, PAPER = "#1d1a22", "#f6efdf"
SUITS = {"yellow": "#f8cf52", "blue": "#6ea8e0", "red": "#e2543c", "black": "#1f1d26", "green": "#07442f", "paper": PAPER}
"""Colours of cards, the same in both themes; under every colour vision they are told apart by lightness too."""
INKS = {"black": "#ffffff", "green": "#ffffff"}
"""What is printed on a suit, where it is not INK."""
MARK = "#ffd34d"  # around what may be chosen, in every theme
THEMES = {
    "light": {
        "ground": "#ece2ca", "panel": "#f8f2e4", "line": "#a08a5f", "ink": "#2a2420", "soft": "#5f5340", "turn": "#9c3210",
        "felt": "#1f5a5e", "rim": "#b99a62", "on_felt": "#f6efdf", "mark": MARK, "good": "#1c6238", "bad": "#9b1c1c",
    },
    "dark": {
        "ground": "#10181f", "panel": "#1d2933", "line": "#4d6170", "ink": "#f2e8d3", "soft": "#b4bfc4", "turn": "#ffbe55",
        "felt": "#143a40", "rim": "#7c6842", "on_felt": "#f2e8d3", "mark": MARK, "good": "#8fdba5", "bad": "#ff9d8f",
    },
}  # fmt: skip
"""Name -> colours of the table. Text on ground and panel is ink, soft, turn, good or bad; on felt it is on_felt or mark."""

_ADVANCES = {
    0.35: " 'ijlîï,./IJ|·:;", 0.45: "-f!()[]t_r–", 0.6: '"*?zcsçL', 0.65: "vxy«»", 0.775: "BAKRVXÄÀ",
    0.825: "UÜDGHN#+<=>OQ^~Ö×→&", 0.925: "w", 1.05: "m%@M…W", 1.15: "œŒ",
}  # fmt: skip
_ADVANCE = {letter: advance for advance, letters in _ADVANCES.items() for letter in letters}
"""How wide a letter is set, in parts of its size; others, figures too, are 0.7."""


class Picture(str):
    """An SVG document as text, which a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def theme_of(name: str) -> dict[str, str]:
    """The colours of a theme. Raises OptionError."""
    if not isinstance(name, str) or name not in THEMES:
        raise OptionError(f"theme is {shown(name)}; allowed: {', '.join(map(repr, THEMES))}")
    return THEMES[name]


# -- pieces ------------------------------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _scale(value: float) -> str:
    return f"{value:.3g}".removeprefix("0") or "0"


_kept = functools.lru_cache(1 << 13, typed=True)
"""For pieces that are drawn alike again and again. (Typed: 1 and True are not written alike.)"""
_escaped = functools.lru_cache(1 << 12)(escape)


@_kept
def at(x: float, y: float, scale: float = 1) -> str:
    """The attribute that places a group; none where it lies already."""
    moved = f"translate({_number(x)} {_number(y)})" if x or y else ""
    sized = "" if scale == 1 else f"scale({_scale(scale)})"
    return f'transform="{moved}{sized}"' if moved or sized else ""


def _look(x: float, y: float, size: float, ink: str, light: str) -> str:
    """The attributes of a drawing of GLYPHS, or of several."""
    colour = "" if ink == INK else f' color="{ink}"'
    return f'{colour} fill="{light}" {at(x, y, size / 100)}'


@_kept
def text(x: float, y: float, words: object, size: float, colour: str, anchor: str = "start") -> str:
    """Words on one line, their baseline at y."""
    left = f'x="{_number(x)}" ' if x else ""
    return f'<text {left}y="{_number(y)}"{_lettering(size, colour, anchor)}>{escape(str(words))}</text>'


def texts(row: Sequence[tuple[float, str]], y: float, size: float, colour: str, anchor: str = "start") -> str:
    """Words at several x on one line; single letters are one element, each with an x of its own."""
    if len(row) < 2:
        return "".join(text(x, y, words, size, colour, anchor) for x, words in row)
    if all(len(words) == 1 for _, words in row):
        places, letters = " ".join(_number(x) for x, _ in row), "".join(words for _, words in row)
        return f'<text x="{places}" y="{_number(y)}"{_lettering(size, colour, anchor)}>{escape(letters)}</text>'
    parts = "".join(f'<text x="{_number(x)}" y="{_number(y)}">{escape(words)}</text>' for x, words in row)
    return f"<g{_lettering(size, colour, anchor)}>{parts}</g>"


def _lettering(size: float, colour: str, anchor: str) -> str:
    look = "" if colour == INK else f' fill="{colour}"'
    aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f' font-size="{_number(size)}"{look}{aligned}'


@_kept
def wide(words: object, size: float) -> float:
    """How wide words are set, about."""
    return size * sum(_ADVANCE.get(letter, 0.7) for letter in str(words))


def fitted(words: object, size: float, width: float) -> float:
    """The size at which the words are no wider than `width`, at most `size`."""
    return min(size, width / max(0.72, wide(words, 0.72 / 0.7)))


@_kept
def box(
    x: float, y: float, width: float, height: float, fill: str, line: str = "", thick: float = 2, round_: float = 12
) -> str:
    """A rectangle with round corners."""
    edge = f' stroke="{line}" stroke-width="{_number(thick)}"' if line else ""
    place = f'x="{_number(x)}" y="{_number(y)}" ' if x or y else ""
    return f'<rect {place}width="{_number(width)}" height="{_number(height)}" rx="{_number(round_)}" fill="{fill}"{edge}/>'


@_kept
def disc(x: float, y: float, radius: float, fill: str, line: str = "", thick: float = 3) -> str:
    edge = f' stroke="{line}" stroke-width="{_number(thick)}"' if line else ""
    middle = f'cx="{_number(x)}" cy="{_number(y)}" ' if x or y else ""
    return f'<circle {middle}r="{_number(radius)}" fill="{fill}"{edge}/>'


def _inner(width: float, height: float, inset: float, round_: float) -> str:
    """What is coloured of a card."""
    size = f'width="{width - 2 * inset:g}" height="{height - 2 * inset:g}"'
    return f'<rect x="{inset:g}" y="{inset:g}" {size} rx="{round_:g}"/>'


def ink_on(suit: str) -> str:
    """The colour of what is printed on a card of the suit."""
    return INKS.get(suit, INK)


def spread(count: int, width: float, each: float, gap: float) -> tuple[float, float]:
    """Where the first of `count` things in a row begins, and the step to the next: they overlap rather than not fit."""
    step = each + gap if count < 2 else min(each + gap, (width - each) / (count - 1))
    return (width - each - step * (count - 1)) / 2, step


@dataclass(frozen=True)
class _Shape:
    """A shape that elements of a picture share: its name, its element, and the shapes that it is made of."""

    name: str
    element: str
    parts: tuple[_Shape, ...]


_shapes: dict[tuple[object, ...], _Shape] = {}
"""Shapes by name and measures, made once for all pictures."""
MOST_SHAPES = 4096


@dataclass(frozen=True)
class Spot:
    """Where a piece of a picture lies: its upper left corner, its size in units of its own, and how long one of those is."""

    x: float
    y: float
    width: float
    height: float
    scale: float = 1

    @property
    def bottom(self) -> float:
        return self.y + self.height * self.scale

    def put(self, content: str) -> str:
        return f"<g {at(self.x, self.y, self.scale)}>{content}</g>"


# -- a drawing in the making -------------------------------------------------------------------------------------------


class Canvas:
    """One picture: its elements in order, and the shapes that they share."""

    def __init__(self, theme: str, title: str, told: Iterable[str], tall: bool = False) -> None:
        """`told`: sentences that tell the picture to who cannot see it. Raises OptionError for an unknown theme."""
        self.colours = theme_of(theme)
        self.tall = tall
        self.width, self.height = TALL if tall else (WIDTH, HEIGHT)
        self.title = title
        self.told = " ".join(told)
        self._parts: list[str] = [box(0, 0, self.width, self.height, self.colours["ground"], round_=0)]
        self._shared: dict[str, str] = {}
        self._used: list[_Shape] = []
        self._keys: Counter[str] = Counter()

    def add(self, *parts: str) -> None:
        self._parts += parts

    def done(self) -> Picture:
        shapes = "".join(self._shared.values())
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" font-family="{FONT}" '
            f'font-weight="700" fill="{INK}" color="{INK}"><title>{escape(self.title)}</title>'
            f"<desc>{escape(self.told)}</desc><defs>{shapes}</defs>{''.join(self._parts)}</svg>"
        )

    def header(self) -> None:
        """The title above the table: the game and what goes on, or only that where there is little room."""
        name, _, doing = self.title.partition(", ")
        ink = self.colours["ink"]
        if self.tall:
            self.add(text(self.width / 2, 22, doing, fitted(doing, 17, self.width - 2 * EDGE), ink, "middle"))
        else:
            self.add(text(20, 35, name, 28, ink), text(self.width - 20, 35, doing, 28, ink, "end"))

    def key(self, name: str) -> str:
        """The name as a key that no other element of this picture has."""
        self._keys[name] += 1
        return name if self._keys[name] == 1 else f"{name}#{self._keys[name]}"

    def group(
        self, key: str, content: str, place: str = "", action: str | None = None, told: str = "", stands_for: int = 1
    ) -> str:
        """A keyed element.

        `action`: the name of the legal action that it is; `told`: its name for a pointer or a reader; `stands_for`: how many
        equal things it shows as one.
        """
        acts = f' data-action="{_escaped(action)}"' if action else ""
        count = f' data-count="{stands_for}"' if stands_for > 1 else ""
        named = f"<title>{_escaped(told)}</title>" if told else ""
        return f'<g data-key="{_escaped(self.key(key))}"{acts}{count}{" " + place if place else ""}>{named}{content}</g>'

    def _use(self, name: str, make: Callable[[], str], attributes: str = "", measures: tuple[object, ...] = ()) -> str:
        """The shared shape of that name, made when it is used first: `make` looks at the name and the measures alone.

        In all pictures of a game a name stands for the same shape.
        """
        shape = _shapes.get((name, measures)) or self._made(name, make, measures)
        if name not in self._shared:
            self._share(shape)
        self._used.append(shape)
        return f'<use href="#{name}"{attributes}/>'

    def _made(self, name: str, make: Callable[[], str], measures: tuple[object, ...]) -> _Shape:
        outer, self._used = self._used, []
        element = f'<g id="{name}">{make()}</g>'
        shape = _Shape(name, element, tuple(self._used))
        self._used = outer
        if len(_shapes) >= MOST_SHAPES:
            _shapes.clear()
        _shapes[name, measures] = shape
        return shape

    def _share(self, shape: _Shape) -> None:
        for part in shape.parts:
            if part.name not in self._shared:
                self._share(part)
        self._shared[shape.name] = shape.element

    def glyph(self, name: str, x: float, y: float, size: float, ink: str, light: str) -> str:
        """A drawing of GLYPHS with its upper left corner at (x, y)."""
        return self._glyph(name, _look(x, y, size, ink, light))

    def glyphs(self, row: Sequence[tuple[str, float]], x: float, y: float, size: float, ink: str, light: str) -> str:
        """Drawings of one size and colour in a row that begins at (x, y), each so many sizes to the right of there."""
        if len(row) < 2:
            return "".join(self.glyph(name, x + step * size, y, size, ink, light) for name, step in row)
        drawn = "".join(self._glyph(name, f' x="{_number(100 * step)}"' if step else "") for name, step in row)
        return f"<g{_look(x, y, size, ink, light)}>{drawn}</g>"

    def _glyph(self, name: str, attributes: str) -> str:
        return self._use(f"g-{name}", lambda: GLYPHS[name], attributes)

    # -- cards

    def _blank(self, suit: str, width: int, height: int) -> str:
        """An unprinted card of the suit."""
        scale = width / CARD[0]

        paper = self._use(
            f"blank{width}", lambda: box(0, 0, width, height, PAPER, "#6b6252", 1.5, 10 * scale), measures=(height,)
        )
        if suit == "paper":
            return paper
        colour = f' fill="{SUITS[suit]}"'
        return paper + self._use(f"in{width}", lambda: _inner(width, height, 5 * scale, 7 * scale), colour, measures=(height,))

    def printed(self, suit: str, size: tuple[int, int], letter: str, *glyphs: tuple[str, float, float, float]) -> str:
        """A card of the suit with drawings (name, left, top, size) and a letter in its lower left corner, but no mark."""
        ink, colour = ink_on(suit), SUITS[suit]

        def make() -> str:
            drawn = "".join(self.glyph(*glyph, ink, colour) for glyph in glyphs)
            return self._blank(suit, *size) + drawn + (text(11, size[1] - 12, letter, 22, ink) if letter else "")

        drawings = "-".join(dict.fromkeys(name for name, *_ in glyphs))
        sizes = "-".join(f"{across:g}" for *_, across in glyphs)
        return self._use(f"c{size[0]}-{suit}{letter}-{drawings}{sizes}", make, measures=(size, glyphs))

    def card(self, suit: str, mark: str, glyph: str, letter: str = "") -> str:
        """The face of a card of size CARD: its mark (a number, mostly) in a corner, or a small drawing; a large one below."""
        if not mark:
            return self.printed(suit, CARD, letter, (glyph, 8, 9, 28), (glyph, 9, 45, 70))
        large = (glyph, 16, 58, 56) if not letter else (glyph, 30, 60, 52) if len(letter) == 1 else (glyph, 39, 62, 44)
        return self.printed(suit, CARD, letter, large) + text(10, 46, mark, fitted(mark, 44, 58), ink_on(suit))

    def mini(self, suit: str, mark: str, glyph: str) -> str:
        """A small card of size MINI: the mark above the drawing, or the drawing alone."""
        if not mark:
            return self.printed(suit, MINI, "", (glyph, 5, 13, 34))
        face = self.printed(suit, MINI, "", (glyph, 11, 34, 22))
        look = "" if ink_on(suit) == INK else f' fill="{ink_on(suit)}"'
        return face + self._use(f"n-{mark}", lambda: text(MINI[0] / 2, 30, mark, fitted(mark, 28, 38), INK, "middle"), look)

    def back(self, size: tuple[int, int] = CARD, place: str = "") -> str:
        """A card face down, where that attribute puts it."""
        width, height = size
        across = width * 0.72
        return self._use(
            f"b-{width}",
            lambda: (
                box(0, 0, width, height, PAPER, "#6b6252", 1.5, width / 9)
                + box(width / 15, width / 15, width - width / 7.5, height - width / 7.5, "#27405c", round_=width / 12)
                + self.glyph("back", (width - across) / 2, (height - across) / 2, across, "#c9a961", "#27405c")
            ),
            f" {place}" if place else "",
            measures=size,
        )

    def vacant(self, size: tuple[int, int], place: str = "") -> str:
        """Where a card has been."""
        width, height = size
        line = self.colours["line"]
        edge = f'rx="{width / 8:.0f}" fill="none" stroke="{line}" stroke-dasharray="4 6"'
        return self._use(
            f"v{width}-{line[1:]}",
            lambda: f'<rect width="{width}" height="{height}" {edge}/>',
            f" {place}" if place else "",
            measures=size,
        )

    def badge(self, count: int) -> str:
        """On a card of size CARD that stands for several: how many."""
        words = f"×{count}"
        across = wide(words, 26) + 12
        return self._use(
            f"x{count}",
            lambda: box(4, 86, across, 34, PAPER, INK, 2, 12) + text(4 + across / 2, 113, words, 26, INK, "middle"),
        )

    def frame(self, size: tuple[int, int] = CARD, thick: float = 5) -> str:
        """A line around a card: it may be chosen, or it wins."""
        off = thick / 2 + 1
        return self._use(
            f"f{size[0]}-{thick:g}",
            lambda: box(-off, -off, size[0] + 2 * off, size[1] + 2 * off, "none", MARK, thick, size[0] / 8 + off),
            measures=(size, thick),
        )

    # -- dice, discs, chips

    def die(self, glyph: str, size: float = DIE, suit: str = "paper") -> str:
        """One face of a die."""
        return self._use(
            f"d-{glyph}-{suit}-{size:g}",
            lambda: (
                box(1, 1, size - 2, size - 2, SUITS[suit], "#6b6252", max(1.5, size / 40), size / 6)
                + self.glyph(glyph, size * 0.15, size * 0.15, size * 0.7, ink_on(suit), SUITS[suit])
            ),
            measures=(size,),
        )

    def seat(self, seat: int, radius: float, turn: bool, own: bool = False) -> str:
        """The disc of a seat, its centre at (0, 0); filled if it is its turn, with a second ring if it is who looks."""
        c = self.colours
        fill, ink = (c["turn"], c["panel"]) if turn else (c["panel"], c["ink"])
        ring = disc(0, 0, radius + 5, "none", c["line"], 2.5) if own else ""
        line = c["turn"] if turn else c["line"]
        plate = self._use(f"d{radius:g}-{fill[1:]}", lambda: disc(0, 0, radius, fill, line), measures=(line,))
        return ring + plate + text(0, radius * 0.42, seat, radius * 1.2, ink, "middle")

    def chip(self, words: str, x: float, y: float, width: float, height: float, action: str | None, key: str) -> str:
        """A button-like piece with words; framed if it is a legal action."""
        c = self.colours
        line, thick = (c["turn"], 4) if action else (c["line"], 2)
        size = round(fitted(words, height * (0.42 if self.tall else 0.55), width - 16))
        label = text(width / 2, round(height / 2 + size * 0.36), words, size, c["ink"], "middle")
        shape = self._use(
            f"p{width:g}-{height:g}-{line[1:]}",
            lambda: box(0, 0, width, height, c["panel"], line, thick, height / 3),
            measures=(width, height, c["panel"], thick),
        )
        return self.group(key, shape + label, at(x, y), action)

    def felt(self, x: float, y: float, width: float, height: float, round_: float = 60) -> str:
        """The cloth in the middle of the table, with a rope around it."""
        c = self.colours
        rope = (
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{round_}" fill="none" stroke="{c["ground"]}" '
            'stroke-width="3" stroke-dasharray="3 11" stroke-linecap="round"/>'
        )
        return box(x, y, width, height, c["felt"], c["rim"], 9, round_) + rope

    def ended(self, words: str, room: Spot) -> None:
        """The end of a match in the middle of a tall table."""
        x, y, across = room.x + room.width / 2, room.y + room.height / 2, min(96.0, room.height - 44)
        c = self.colours
        self.add(self.glyph("crown", x - across / 2, y - across / 2 - 18, across, c["mark"], c["felt"]))
        self.add(text(x, y + across / 2 + 16, words, fitted(words, 22, room.width - 24), c["on_felt"], "middle"))

    def panel(self, seat: int, place: Spot, turn: bool, content: str) -> None:
        """A seat's place at the table."""
        c = self.colours
        line, thick = (c["turn"], 5) if turn else (c["line"], 2)
        frame = self._use(
            f"s{place.width:g}-{place.height:g}-{line[1:]}",
            lambda: box(0, 0, place.width, place.height, c["panel"], line, thick, 16),
            measures=(c["panel"], thick),
        )
        self.add(self.group(f"seat:{seat}", frame + content, at(place.x, place.y, place.scale)))


# -- the table ---------------------------------------------------------------------------------------------------------


def around(players: int, seat: int | None) -> list[int]:
    """The seats in order of play, from the one that sits below (seat 0 if nobody looks)."""
    return [((seat or 0) + place) % players for place in range(players)]


def columns(count: int, top: float, height: float) -> list[Spot]:
    """`count` places side by side in a wide picture, at most 300 wide."""
    gap, margin = 12, 16
    width = min(300.0, (WIDTH - 2 * margin - gap * (count - 1)) / count)
    room = (WIDTH - 2 * margin) / count
    return [Spot(margin + room * place + (room - width) / 2, top, width, height) for place in range(count)]


def rows(count: int, top: float, height: float, scale: float, across: int = 3) -> list[Spot]:
    """`count` places in a tall picture, in even rows of at most `across` side by side."""
    gap, lines, room = 6, -(-count // across), TALL[0] - 2 * EDGE
    places = []
    for line in range(lines):
        here = count // lines + (line < count % lines)
        step = (room + gap) / here
        width = min((room - gap) / 2, step - gap)
        left, y = EDGE + (step - gap - width) / 2, top + line * (height * scale + gap)
        places += [Spot(left + step * place, y, width / scale, height, scale) for place in range(here)]
    return places


def packed(count: int, room: Spot, size: tuple[int, int], gap: float, a_row: int, largest: float) -> list[Spot]:
    """Places of things of a size, as large as they fit into a room: in one row, or in two if they are more than `a_row`."""
    if not count:
        return []
    lines = 1 if count <= a_row else 2
    here = -(-count // lines)
    scale = min(largest, (room.width - gap * (here - 1)) / here / size[0], (room.height - gap * (lines - 1)) / lines / size[1])
    across, down = size[0] * scale + gap, size[1] * scale + gap
    top = room.y + (room.height - down * lines + gap) / 2
    left = room.x + (room.width - across * here + gap) / 2
    return [Spot(left + across * (place % here), top + down * (place // here), *size, scale) for place in range(count)]


def of_text(words: str, title: str, theme: str, tall: bool = False) -> Picture:
    """A page of plain text as a picture, for a game that draws none. Raises OptionError for an unknown theme."""
    lines, margin, most = words.splitlines(), 24, 22.0
    if tall:
        wrapped = [textwrap.wrap(line, 46, subsequent_indent="  ", drop_whitespace=False) or [""] for line in lines]
        lines, margin, most = [part for line in wrapped for part in line], EDGE, 13.0
    canvas = Canvas(theme, title, lines, tall)
    size = min(
        most,
        (canvas.width - 2 * margin) / (0.61 * max(map(len, lines), default=1)),
        (canvas.height - 60) / (1.4 * max(1, len(lines))),
    )
    page = "".join(text(margin, 40 + 1.4 * size * row, line, size, canvas.colours["ink"]) for row, line in enumerate(lines))
    canvas.add(f'<g font-family="\'DejaVu Sans Mono\',monospace" font-weight="400" xml:space="preserve">{page}</g>')
    return canvas.done()
