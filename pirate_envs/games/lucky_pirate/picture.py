"""Lucky Pirate: a view as a picture. The pile lies in the middle, each seat shows its cards on the table and what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import Any

from pirate_envs.core.sentences import Labels
from pirate_envs.core.svg import (
    CARD,
    EDGE,
    MINI,
    TALL,
    TOUCH,
    WIDTH,
    Canvas,
    Picture,
    Spot,
    around,
    at,
    columns,
    fitted,
    packed,
    rows,
    spread,
    text,
    texts,
    wide,
)  # fmt: skip
from pirate_envs.games.lucky_pirate.notation import UNKNOWN

LOOKS = {  # colour, mark and drawing; numbers look alike
    "mermaid": ("blue", "7", "mermaid"), "captain": ("yellow", "9", "captain"), "kraken": ("black", "10", "kraken"),
    "first_mate": ("yellow", "", "wheel"), "porthole": ("blue", "", "porthole"), "parrot": ("green", "", "parrot"),
    "plank": ("red", "", "plank"), "reverse": ("red", "", "reverse"), "skip": ("red", "", "skip"),
}  # fmt: skip


@dataclass(frozen=True)
class _Shape:
    """What differs between a wide and a tall picture: where things lie."""

    felt: Spot
    plays: list[Spot]
    """What each of the others played last."""
    needs: Spot
    """What the pile asks for, and the way round."""
    pile: Spot
    shown: int
    """Cards of the pile, from the top."""
    choices: Spot
    """The first button; its height tells where the next one lies, too."""
    own: Spot
    hand: Spot
    slots: Spot
    """The own cards on the table."""
    known: Spot
    """What the others know of the own hand."""


PANELS, PANEL = 48, 232  # upper edge and height of the others' places
TALL_PANELS, TALL_PANEL, TALL_NARROW, TALL_SCALE = 32, 244, 284, 0.6  # narrow: of three others most is known, in least room
ROOMY = 160  # how high what lies on a tall picture's cloth may be for the buttons to lie below the pile
ONE_ROW = 5  # cards of a hand that lie in one row in a tall picture
APART = 14  # cards of a hand there, of which equal ones still lie side by side


def _wide(others: int) -> _Shape:
    plays = [Spot(place.x + 4, 290, place.width - 8, 30) for place in columns(others, PANELS, PANEL)]
    return _Shape(
        felt=Spot(16, PANELS + PANEL - 40, WIDTH - 32, 272), plays=plays, needs=Spot(46, 336, 190, 150),
        pile=Spot(270, 336, *CARD),
        shown=6, choices=Spot(706, 344, 220, 60), own=Spot(16, 520, WIDTH - 32, 62), hand=Spot(16, 590, 690, CARD[1]),
        slots=Spot(722, 590, 216, 115), known=Spot(454, 0, 280, 62),
    )  # fmt: skip


def _tall(others: int, slots: int, top: float) -> _Shape:
    """The tall shape: so many others, so many places for cards on the table, and where the others' places end."""
    beside = slots < 3  # the own downs lie beside the ups
    high = 76 if beside else 140
    own = Spot(EDGE, 562 - high, (TALL[0] - 2 * EDGE) / 0.72, high / 0.72, 0.72)
    plays = [Spot(place.x + 6, place.y, place.width - 8, 30, 0.6) for place in rows(others, top + 7, 34, 0.6)]
    below = plays[-1].y + 26
    room = own.y - 14 - below
    if room >= ROOMY:
        scale = min(0.86, (room - 86) / CARD[1])
        pile = Spot(118, below + (room - 78 - CARD[1] * scale) / 2, *CARD, scale)
        choices = Spot(118, pile.bottom + 26, 248, TOUCH)
    else:
        pile = Spot(116, below + 2, *CARD, min(0.62, (room - 24) / CARD[1]))
        choices = Spot(292, below + 8, 84, TOUCH)
    left = TALL[0] - EDGE + 2 - (54 * slots * (2 if beside else 1))
    return _Shape(
        felt=Spot(EDGE, top - 30, TALL[0] - 2 * EDGE, own.y - top + 22), plays=plays,
        needs=Spot(18, pile.y - 4, 190, 150, 0.5), pile=pile,
        shown=4, choices=choices, own=own, hand=Spot(EDGE, 566, TALL[0] - 2 * EDGE, 148),
        slots=Spot(left, own.y + 8, 0, 0), known=Spot(14, 58 if beside else 92, (left - 20) / 0.72, 46 if beside else 100),
    )  # fmt: skip


def picture(view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> Picture:
    """The table as that seat sees it (None: as the view shows it, seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme, labels, tall).drawn()


def _look(name: str) -> tuple[str, str, str]:
    return LOOKS.get(name, ("paper", name, "coin"))


def _lefts(hand: Sequence[str], width: float) -> list[float]:
    """Left edges of a sorted hand's cards: side by side if they fit, else equal ones closer together than different ones."""
    room = width - CARD[0]
    same = [one == other for one, other in pairwise(hand)]
    equal, different = sum(same), len(same) - sum(same)
    if (CARD[0] + 6) * len(same) <= room:
        return [(CARD[0] + 6) * place for place in range(len(hand))]
    within = min(40.0, max(8.0, (room - 46 * different) / max(1, equal)))
    between = min(CARD[0] + 6, (room - within * equal) / max(1, different))
    return list(accumulate((within if alike else between for alike in same), initial=0.0))


def _halves(hand: Sequence[str]) -> list[Sequence[str]]:
    """A sorted hand in two rows that take as much room, equal cards in the same one."""
    kinds = Counter(hand)
    before = list(accumulate(1 + 0.4 * (count - 1) for count in kinds.values()))
    upper = min(range(len(kinds)), key=lambda kind: abs(before[kind] - before[-1] / 2))
    cut = sum(list(kinds.values())[: upper + 1])
    return [hand[:cut], hand[cut:]]


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> None:
        self.view, self.seat, self.labels = view, seat, labels
        self.seats = around(len(view["wins"]), seat)
        self.legal = set(view["legal"] or ())
        best = max(view["wins"])
        self.winners = [s for s, wins in enumerate(view["wins"]) if view["over"] and best and wins == best]
        self.several = view["options"].get("wins_needed", 1) > 1
        others, slots = len(self.seats) - 1, len(view["ups"][0])
        self.places = (
            rows(others, TALL_PANELS, TALL_NARROW if others == 3 else TALL_PANEL, TALL_SCALE)
            if tall
            else columns(others, PANELS, PANEL)
        )
        self.shape = _tall(others, slots, self.places[-1].bottom) if tall else _wide(others)
        self.canvas = Canvas(theme, f"Lucky Pirate, {self._doing()}", self._told(), tall)
        self.colours = self.canvas.colours

    def drawn(self) -> Picture:
        felt, tall = self.shape.felt, self.canvas.tall
        self.canvas.header()
        self.canvas.add(self.canvas.felt(felt.x, felt.y, felt.width, felt.height, 30 if tall else 60))
        hand = self._hand()  # first, so that a card keeps its key when it is played
        for seat, place, play in zip(self.seats[1:], self.places, self.shape.plays, strict=True):
            self._other(seat, place)
            self.canvas.add(self._last_play(seat, play))
        self._own()
        self._pile()
        self._choices()
        slots = self.shape.slots
        beside = tall and len(self.view["ups"][0]) < 3
        own = self._slots(self.seats[0], slots.x, slots.y, slots.scale, 1 if tall else 0.85, beside)
        self.canvas.add(hand, own)
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view, say = self.view, self.labels
        if view["over"] and view["truncated"] and not self.winners:
            return say("cut_short")
        if view["over"]:
            return say("won_by", seats=", ".join(map(str, self.winners)), n=len(self.winners))
        return say("doing_several" if self.several else "doing", game=view["game_number"], turn=view["turn"] + 1)

    def _told(self) -> Iterator[str]:
        view, say = self.view, self.labels
        if view["to_move"] is not None:
            yield say("to_move", seat=view["to_move"])
        need = view["need"]
        asks = say(f"needs_{need}") if need in ("open", "captain") else say("needs_number", number=need)
        top = say.listed(list(reversed(view["pile"][-self.shape.shown :])))
        yield say("pile_told", size=len(view["pile"]), needs=asks, top=top, way=say(self._way()))
        for seat in self.seats:
            yield self._seat_told(seat)

    def _way(self) -> str:
        return "left" if self.view["direction"] == 1 else "right"

    def _seat_told(self, seat: int) -> str:
        view, say, hand, play = self.view, self.labels, self.view["hands"][seat], self.view["last_plays"][seat]
        last = ""
        if play:
            verb, *cards = play["action"].split()
            words = " ".join([say(f"do_{verb}"), *map(say, [] if verb == "pick" else cards)])
            flipped = f" ({say(play['flipped'])})" if play["flipped"] else ""
            last = say("last_told", action=words + flipped, result=say(f"result_{play['result'].replace(' ', '_')}"))
        ups, downs = (
            [say("unknown" if name == UNKNOWN else name or "none") for name in view[key][seat]] for key in ("ups", "downs")
        )
        return say(
            "seat", seat=seat, wins=view["wins"][seat],
            held=say("cards", n=hand) if isinstance(hand, int) else self._counted(hand) or say("no_cards"),
            known=say("known", cards=self._counted(view["known"][seat])) if view["known"][seat] else "",
            barred=say("barred", cards=say.listed(self._barred(seat))) if self._barred(seat) else "",
            ups=", ".join(ups), downs=", ".join(downs), last=last,
        )  # fmt: skip

    def _counted(self, names: Sequence[str]) -> str:
        """Cards in words, equal ones as one with their number."""
        return ", ".join(self._times(name, count) for name, count in Counter(names).items())

    def _times(self, name: str, count: int) -> str:
        return f"{self.labels(name)} ×{count}" if count > 1 else self.labels(name)

    # -- cards

    def _large(self, name: str) -> str:
        return self.canvas.card(*_look(name))

    def _small(self, name: str) -> str:
        return self.canvas.back(MINI) if name == UNKNOWN else self.canvas.mini(*_look(name))

    def _glyph(self, name: str, x: float, y: float, size: float, colour: str = "soft", ground: str = "panel") -> str:
        return self.canvas.glyph(name, x, y, size, self.colours[colour], self.colours[ground])

    def _tokens(self, names: Sequence[str], x: float, y: float, width: float, size: float, ground: str = "panel") -> str:
        """Cards as bare numbers and drawings in a row, no wider than `width`; several equal ones as one with their number."""
        ink = "on_felt" if ground == "felt" else "ink"
        size *= min(1.0, width / (sum(self._steps(names).values()) * size + 1))
        ink, ground, base = self.colours[ink], self.colours[ground], y + 0.88 * size
        drawn, named, counted, step = [], [], [], 0.0
        for name, count in Counter(names).items():
            left = x + step * size
            if name in LOOKS:
                drawn.append((LOOKS[name][2], step))
            else:
                named.append((left + size / 2, name))
            if count > 1:
                counted.append((left + 1.02 * size, f"×{count}"))
            step += self._step(count)
        counts = texts(counted, base, (1.0 if self.canvas.tall else 0.65) * size, ink)
        return self.canvas.glyphs(drawn, x, y, size, ink, ground) + texts(named, base, size, ink, "middle") + counts

    def _step(self, count: int) -> float:
        """How far the next token lies, in parts of their size."""
        return (1.12 if count == 1 else 2.9) if self.canvas.tall else 1.2 if count == 1 else 2.1

    def _steps(self, names: Sequence[str]) -> dict[str, float]:
        return {name: self._step(count) for name, count in Counter(names).items()}

    def _lines(self, names: Sequence[str], x: float, middle: float, width: float, size: float) -> str:
        """Tokens in two lines if they are too many for one, around a height."""
        kinds = list(dict.fromkeys(names))
        half = len(kinds) if len(kinds) * 1.6 * size <= width else (len(kinds) + 1) // 2
        parts = [[name for name in names if name in part] for part in (kinds[:half], kinds[half:])]
        y = middle - (size / 2 if half == len(kinds) else size + 2)
        return "".join(self._tokens(part, x, y + line * (size + 4), width, size) for line, part in enumerate(parts) if part)

    def _stacked(self, names: Sequence[str], barred: Sequence[str], room: Spot) -> str:
        """Tokens in as many lines as they need, then others struck out: as large as they fit into a room."""
        for size in (20, 18, 16, 14, 12):
            lines = [
                (part, struck)
                for some, struck in ((names, False), (barred, True))
                for part in self._broken(some, room.width / size)
            ]
            if len(lines) * (size + 1) <= room.height:
                break
        shown, bars = [], ""
        for line, (part, struck) in enumerate(lines):
            y = room.y + line * (size + 1)
            shown.append(self._tokens(part, room.x, y, room.width, size))
            if struck:
                reach = min(room.width, size * sum(self._steps(part).values()))
                bars += f"M{room.x - 2:g} {y + size / 2:g}h{reach:.0f}"
        return "".join(shown) + (self._struck(bars) if bars else "")

    def _struck(self, bars: str) -> str:
        """Bars across what a hand cannot hold."""
        return f'<path d="{bars}" stroke="{self.colours["bad"]}" stroke-width="3"/>'

    def _broken(self, names: Sequence[str], width: float) -> list[list[str]]:
        """Names in lines no wider than that many tokens' sizes."""
        lines: list[list[str]] = []
        left = 0.0
        for name, step in self._steps(names).items():
            if step > left:
                lines.append([])
                left = width
            left -= step
            lines[-1] += [name] * Counter(names)[name]
        return lines

    def _slots(self, seat: int, x: float, y: float, scale: float, down_scale: float, beside: bool = False) -> str:
        """The cards on the table, ups above their downs, or before them; where one is gone its place is marked."""
        view, own = self.view, seat == self.view["to_move"]
        shown = []
        for slot, (up, down) in enumerate(zip(view["ups"][seat], view["downs"][seat], strict=True)):
            left = 54 * slot
            across, below = (54 * (slot + len(view["ups"][seat])), 0) if beside else (left, MINI[1] + 4)
            play = f"play {up}" if own and view["phase"] == "ups" and f"play {up}" in self.legal else None
            flip = f"flip {slot}" if own and f"flip {slot}" in self.legal else None
            if up:
                face = self._small(up) + (self.canvas.frame(MINI, thick=4) if play else "")
                shown.append(self.canvas.group(f"card:{up}", face, at(left, 0), play, self.labels(up)))
            else:
                shown.append(self.canvas.vacant(MINI, at(left, 0)))
            if down:
                face = self._small(down) + (self.canvas.frame(MINI, thick=4) if flip else "")
                inset = MINI[0] * (1 - down_scale) / 2
                shown.append(self.canvas.group(f"down:{seat}:{slot}", face, at(across + inset, below, down_scale), flip))
        return f"<g {at(x, y, scale)}>{''.join(shown)}</g>"

    # -- the seats

    def _wins(self, seat: int, x: float, y: float) -> str:
        """The winner's crown, and the games won where a match is several."""
        size = 26 if self.canvas.tall else 32
        crown = self._glyph("crown", x - size - 2, y - 0.875 * size, size, "turn" if seat in self.winners else "soft")
        wins = text(x - size - 8, y, self.view["wins"][seat], size, self.colours["ink"], "end") if self.several else ""
        return (crown if self.several or seat in self.winners else "") + wins

    def _barred(self, seat: int) -> Sequence[str]:
        """Of which kinds a hidden hand has no other card; a hand that is seen tells it itself."""
        return self.view["cannot_hold"][seat] if isinstance(self.view["hands"][seat], int) else []

    def _other(self, seat: int, place: Spot) -> None:
        view, hand, c, width = self.view, self.view["hands"][seat], self.colours, place.width
        turn, slots, tall = seat == view["to_move"], len(view["ups"][seat]), self.canvas.tall
        scale = 0.78 if tall else 1
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, turn)}</g>", self._wins(seat, width - (6 if tall else 12), 46),
            self._slots(seat, (width - (54 * slots - 10) * scale) / 2, 52 if tall else 64, scale, 1 if tall else 0.7),
        ]  # fmt: skip
        names = view["known"][seat] if isinstance(hand, int) else hand
        if isinstance(hand, int):
            x, size = (64, 27) if tall else (68, 32)
            row += [self.canvas.back(MINI, at(x, 14, 0.62)), text(x + 34 - 4 * tall, 46, hand, size, c["ink"])]
        barred = self._barred(seat)
        if tall:
            row.append(self._stacked(names, barred, Spot(10, 151, width - 14, place.height - 149)))
        elif barred:
            reach = min(27.6 * len(barred), width - 22)
            row += [self._tokens(names, 12, 172, width - 20, 26), self._tokens(barred, 12, 204, width - 20, 23)]
            row.append(self._struck(f"M10 216h{reach:.0f}"))
        else:
            row.append(self._lines(names, 12, 200, width - 20, 26))
        self.canvas.panel(seat, place, turn, "".join(row))

    def _last_play(self, seat: int, place: Spot) -> str:
        """The cards that a seat played last, and what came of it."""
        play = self.view["last_plays"][seat]
        if not play:
            return ""
        verb, *cards = play["action"].split()
        cards = [play["flipped"]] if play["flipped"] else cards if verb == "play" else []
        result = play["result"].replace(" ", "_")
        words = self.labels(f"shown_{result}") if result in ("cleared", "picked_up", "stopped") else ""
        left = 0 if not cards else 38 if len(cards) == 1 else 66
        shown, x, width = "", 0, place.width
        if self.canvas.tall:
            shown = f"<g {at(17, 15, 0.86)}>{self.canvas.seat(seat, 20, seat == self.view['to_move'])}</g>"
            x, width = 38, width - 38
        told = text(x + left, 26, words, fitted(words, 24, width - left), self.colours["mark"]) if words else ""
        return place.put(shown + self._tokens(cards, x, 0, width, 30, "felt") + told)

    def _own(self) -> None:
        view, colours, seat, own = self.view, self.colours, self.seats[0], self.shape.own
        turn, hand, tall = seat == view["to_move"], view["hands"][seat], self.canvas.tall
        count = hand if isinstance(hand, int) else len(hand)
        known = self.shape.known
        parts = [
            f"<g {at(38, 31)}>{self.canvas.seat(seat, 22, turn, own=self.seat is not None)}</g>",
            self.canvas.back(MINI, at(80, 12, 0.62)), text(116, 42, count, 32, colours["ink"]),
            self._wins(seat, known.width if tall else 290, 42),
        ]  # fmt: skip
        if view["known"][seat] or view["cannot_hold"][seat]:
            parts.append(self._known(view["known"][seat]))
        parts += self._gone()
        self.canvas.panel(seat, own, turn, "".join(parts))

    def _gone(self) -> list[str]:
        """How many cards are out of the game: in the own place, or on a tall picture's cloth."""
        view, c, own, pile = self.view, self.colours, self.shape.own, self.shape.pile
        shown = [self.labels("cleared", count=len(view["cleared"]))]
        if view["aside"]:
            shown.append(self.labels("aside", count=view["aside"] if isinstance(view["aside"], int) else len(view["aside"])))
        if not self.canvas.tall:
            places = ((own.width - 20, 200), (290, 122))  # right edge and width
            return [
                text(x, 41, words, fitted(words, 24, width), c["soft"], "end")
                for words, (x, width) in zip(shown, places, strict=False)
            ]
        size = 14 * self._tightened(pile)
        self.canvas.add(text(TALL[0] - 18, pile.bottom + 18, shown[0], size, c["on_felt"], "end"))
        self.canvas.add(*(text(18, own.y - 20, words, 14, c["on_felt"]) for words in shown[1:]))
        return []

    def _tightened(self, pile: Spot) -> float:
        """How much smaller the words beside "pile" must be below a tall picture's pile for all to find their place."""
        view, run = self.view, self._run()
        room = TALL[0] - 26 - self._after_pile_words(pile, 15)
        taken = wide(run, 15) + wide(self.labels("cleared", count=len(view["cleared"])), 14)
        return min(1.0, room / taken) if self.canvas.tall and run else 1.0

    def _run(self) -> str:
        run = self.view["run"]
        return self.labels("run", length=run[1]) if run and run[1] > 1 else ""

    def _after_pile_words(self, place: Spot, size: float) -> float:
        words = self.labels("pile", count=len(self.view["pile"]))
        return place.x + max(5 * size, round(wide(words, size) + 1.2 * size))

    def _known(self, names: Sequence[str]) -> str:
        """What the others know of the own hand."""
        words, soft, room = self.labels("they_know"), self.colours["soft"], self.shape.known
        if not self.canvas.tall:
            told = text(310, 41, words, fitted(words, 23, 140), soft)
            return told + self._lines(names, room.x, room.y + room.height / 2, room.width, 24)
        told = text(room.x, 80, words, fitted(words, 21, room.width), soft) if room.y > 80 else ""
        return told + self._stacked(names, [], room)

    def _hand(self) -> str:
        """The hand below; what may be played alone stands out. Of many cards in a tall picture equal ones are shown as one."""
        hand = self.view["hands"][self.seats[0]]
        hidden = isinstance(hand, int)
        names, counts = [""] * hand if hidden else hand, Counter[str]()
        if self.canvas.tall and not hidden and len(hand) > APART:
            names, counts = list(dict.fromkeys(hand)), Counter(hand)
        shown = ""
        for (y, scale), row in groupby(zip(names, self._laid(names), strict=True), lambda each: each[1][1:]):
            cards = [self._in_hand(name, counts.get(name, 1), at(x / scale, 0)) for name, (x, _, _) in row]
            shown += f"<g {at(0, y, scale)}>{''.join(cards)}</g>"
        return shown

    def _in_hand(self, name: str, count: int, place: str) -> str:
        """A card of the hand, or one that stands for several equal ones; one face down without a name."""
        if not name:
            return self.canvas.group("back", self.canvas.back(), place)
        play = f"play {name}" if f"play {name}" in self.legal and self.view["to_move"] == self.seats[0] else None
        face = self._large(name) + (self.canvas.badge(count) if count > 1 else "") + (self.canvas.frame() if play else "")
        return self.canvas.group(f"card:{name}", face, place, play, self._times(name, count), count)

    def _laid(self, hand: Sequence[str]) -> list[tuple[float, float, float]]:
        """Left and upper edge and scale of the hand's cards."""
        room = self.shape.hand
        if not self.canvas.tall:
            lefts = [spread(len(hand), room.width, CARD[0], 6)[1] * place for place in range(len(hand))]
            lefts = _lefts(hand, room.width) if any(hand) else lefts
            return [(room.x + left, room.y, 1.0) for left in lefts]
        if len(hand) <= ONE_ROW or not any(hand):
            return [(place.x, place.y, place.scale) for place in packed(len(hand), room, CARD, 4, 7 if any(hand) else 5, 1.1)]
        scale = (room.height - 8) / 2 / CARD[1]
        laid = []
        for row, part in enumerate(_halves(hand)):
            lefts = _lefts(part, room.width / scale) if part else []
            start = room.x + (room.width - (lefts[-1] + CARD[0]) * scale) / 2 if part else 0
            laid += [(start + left * scale, room.y + row * (room.height + 8) / 2, scale) for left in lefts]
        return laid

    # -- the middle

    def _pile(self) -> None:
        """The top of the pile from the left, the highest card last; what it asks for beside it."""
        view, c, place, shown = self.view, self.colours, self.shape.pile, self.view["pile"][-self.shape.shown :]
        for order, name in enumerate(shown):
            where = at(place.x + 66 * place.scale * order, place.y, place.scale)
            self.canvas.add(self.canvas.group(f"card:{name}", self._large(name), where, told=self.labels(name)))
        size, base = (15, place.bottom + 18) if self.canvas.tall else (26, place.bottom + 34)
        words = self.labels("pile", count=len(view["pile"]))
        if shown:
            self.canvas.add(text(place.x, base, words, size, c["on_felt"]))
        if self._run():
            after = self._after_pile_words(place, size)
            self.canvas.add(text(after, base, self._run(), size * self._tightened(place), c["mark"]))
        self.canvas.add(self.shape.needs.put(self._needs()))

    def _needs(self) -> str:
        view, c, words = self.view, self.colours, self.labels("needs")
        shown = text(0, 34, words, fitted(words, 24, 100), c["on_felt"])
        if view["need"] == "captain":
            shown += "".join(
                self._glyph(name, 56 * place, 48, 52, "mark", "felt")
                for place, name in enumerate(("wheel", "porthole", "captain"))
            )
        else:
            words = self.labels("anything") if view["need"] == "open" else f"{view['need']} +"
            shown += text(0, 92, words, fitted(words, 50, 190), c["mark"])
        if view["after_parrot"]:
            shown += self._glyph("parrot", 104, 4, 40, "mark", "felt")
        turned = "" if view["direction"] == 1 else 'transform="rotate(180 30 137)"'
        arrow = f'<path d="M2 137h54M44 123l16 14-16 14" fill="none" stroke="{c["on_felt"]}" stroke-width="6" {turned}/>'
        return f"{shown}<g><title>{self.labels('passes_' + self._way())}</title>{arrow}</g>"

    def _choices(self) -> None:
        """What may be done without a card."""
        place = self.shape.choices
        if self.view["over"] and self.canvas.tall and place.x == self.shape.pile.x:
            self.canvas.add(
                text(place.x, place.y + 30, self._doing(), fitted(self._doing(), 22, place.width), self.colours["mark"])
            )
        for order, name in enumerate(name for name in ("pick up", "stop") if name in self.legal):
            key, y = name.replace(" ", "_"), place.y + (place.height + (4 if self.canvas.tall else 12)) * order
            self.canvas.add(
                self.canvas.chip(self.labels(f"do_{name.split()[0]}_button"), place.x, y, place.width, place.height, name, key)
            )
