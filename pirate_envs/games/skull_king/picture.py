"""Skull King: a view as a picture. The others sit above with their cards of the trick before them, who looks sits below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pirate_envs.core.seats import after
from pirate_envs.core.sentences import Labels
from pirate_envs.core.svg import (
    CARD,
    EDGE,
    MINI,
    TALL,
    WIDTH,
    Canvas,
    Picture,
    Spot,
    around,
    at,
    box,
    columns,
    fitted,
    packed,
    rows,
    spread,
    text,
    wide,
)  # fmt: skip
from pirate_envs.games.skull_king.notation import MARY, SUIT_NAMES
from pirate_envs.games.skull_king.state import MAX_HAND
from pirate_envs.games.skull_king.text import winning

SUIT_GLYPHS = dict(zip(SUIT_NAMES, ("star", "anchor", "ruby", "bones"), strict=True))
SPECIAL_GLYPHS = {"escape": "flag", "pirate": "pirate", "mermaid": "mermaid", "skull_king": "king", MARY: "mary"}
PANELS, CLOSED, OPEN = 48, 182, 212  # upper edge of the others' places, their height with hands closed and open
LAID_ABOVE, LAID_BELOW = 262, 390  # upper edges of the cards of the trick in a wide picture
TALL_PANELS, TALL_SCALE = 32, 0.6
LOW = 170  # how low the cloth of a tall picture may be for the last trick still to find its place there


@dataclass(frozen=True)
class _Shape:
    """What differs between a wide and a tall picture."""

    own: Spot
    hand: Spot
    cards: float
    """How large the hand's cards are, at most."""
    items: tuple[int, int, int]
    """Left edges of the own tricks, bid and bonus."""
    bids: tuple[float, float]
    """Left and upper edge of the bids that may be made, six in a row."""
    modes: tuple[tuple[float, float, float, float], ...]
    """Left and upper edge, width and height of what chooses Scary Mary's side, on her card."""


_WIDE = _Shape(
    Spot(16, 520, WIDTH - 32, 62), Spot(12, 590, WIDTH - 24, CARD[1]), 1, (116, 296, 480), (556, 398),
    ((3, 84, 40, 38), (45, 84, 40, 38)),
)  # fmt: skip
_TALL = _Shape(
    Spot(EDGE, 450, (TALL[0] - 2 * EDGE) / 0.72, 72, 0.72), Spot(EDGE, 510, TALL[0] - 2 * EDGE, 204), 1.3,
    (98, 200, 302), (9, 0), ((3, 3, 82, 58), (3, 63, 82, 58)),
)  # fmt: skip


def picture(view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> Picture:
    """The table as that seat sees it (None: as the view shows it, seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme, labels, tall).drawn()


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> None:
        self.view, self.seat, self.labels = view, seat, labels
        self.seats = around(len(view["scores"]), seat)
        self.shape = _TALL if tall else _WIDE
        closed = any(isinstance(view["hands"][other], int) for other in self.seats[1:])
        height, others = CLOSED if closed else OPEN, len(self.seats) - 1
        places = rows(others, TALL_PANELS, height, TALL_SCALE) if tall else columns(others, PANELS, height)
        self.places = dict(zip(self.seats[1:], places, strict=True))
        low = self.shape.own.y - max(place.bottom for place in places)
        self.shows_last = bool(view["last_trick"]) and (not tall or low > LOW)
        self.winning = winning(view) if view["trick"] else None
        self.legal = set(view["legal"] or ()) if view["to_move"] == self.seats[0] else set()
        self.winners = [s for s, points in enumerate(view["scores"]) if view["over"] and points == max(view["scores"])]
        self.canvas = Canvas(theme, f"Skull King, {self._doing()}", self._told(), tall)
        self.colours = self.canvas.colours

    def drawn(self) -> Picture:
        self.canvas.header()
        self.canvas.add(self._felt())
        hand = self._hand()  # first, so that a card keeps its key when it is played
        for other in self.seats[1:]:
            self._other(other)
        self._own()
        self._trick()
        self._last_trick()
        self._bids()
        self.canvas.add(hand)
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view = self.view
        if view["over"]:
            return self.labels("won_by", seats=", ".join(map(str, self.winners)), n=len(self.winners))
        last = view["options"].get("last_hand", MAX_HAND)
        return self.labels("doing", hand=view["hand_number"], last=last, phase=self.labels(f"phase_{view['phase']}"))

    def _told(self) -> Iterator[str]:
        view, say = self.view, self.labels
        if view["to_move"] is not None:
            yield say("to_move", seat=view["to_move"])
        for seat in self.seats:
            bid, hand = view["bids"][seat], view["hands"][seat]
            yield say(
                "seat", seat=seat, score=view["scores"][seat], bid=say("unknown") if bid is None else bid,
                won=view["tricks_won"][seat], bonus=view["bonus"][seat],
                held=say("cards", n=hand) if isinstance(hand, int) else say.listed(hand, "no_cards"),
                lacks=say("lacks", suits=say.listed(view["voids"][seat])) if view["voids"][seat] else "",
            )  # fmt: skip
        if view["trick"]:
            yield say("trick", leader=view["leader"], cards=say.listed(view["trick"]), seat=self.winning)
        if view["last_trick"]:
            last = view["last_trick"]
            yield say("trick_before", leader=last["leader"], cards=say.listed(last["cards"]), seat=last["winner"])

    # -- cards

    def _face(self, name: str) -> str:
        held, _, mode = name.partition(":")
        suit, _, number = held.partition("_")
        if suit in SUIT_GLYPHS:
            return self.canvas.card(suit, number, SUIT_GLYPHS[suit], self.labels(f"{suit}_letter"))
        face = self.canvas.card("paper", "", SPECIAL_GLYPHS[held])
        return face + (self._glyph(SPECIAL_GLYPHS[mode], 52, 9, 28, "paper") if mode else "")

    def _small(self, name: str) -> str:
        suit, _, number = name.partition(":")[0].partition("_")
        if suit in SUIT_GLYPHS:
            return self.canvas.mini(suit, number, SUIT_GLYPHS[suit])
        return self.canvas.mini("paper", "", SPECIAL_GLYPHS[name.partition(":")[0]])

    def _glyph(self, name: str, x: float, y: float, size: float, ground: str = "") -> str:
        colours = self.colours
        ink = "#1d1a22" if ground else colours["soft"]
        return self.canvas.glyph(name, x, y, size, ink, "#f6efdf" if ground else colours["panel"])

    # -- the table

    def _felt(self) -> str:
        """The cloth: from below the others' places to the own one."""
        shape, bottom = self.shape, max(place.bottom for place in self.places.values())
        if self.canvas.tall:
            return self.canvas.felt(EDGE, bottom - 30, TALL[0] - 2 * EDGE, shape.own.y - bottom + 22, 30)
        return self.canvas.felt(16, PANELS + CLOSED - 30, WIDTH - 32, shape.own.y - PANELS - CLOSED + 24)

    def _other(self, seat: int) -> None:
        view, colours, place = self.view, self.colours, self.places[seat]
        width = place.width
        turn, bid = seat == view["to_move"], view["bids"][seat]
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, turn)}</g>",
            self._mark(seat, 66),
            text(
                width - 14,
                46,
                view["scores"][seat],
                fitted(view["scores"][seat], 34, width - (94 if self._mark(seat, 66) else 72)),
                colours["ink"],
                "end",
            ),
            self._glyph("crown", 14, 66, 30),
            text(50, 94, view["tricks_won"][seat], 34, self._bid_colour(seat)),
            self._glyph("flag", width / 2 + 2, 66, 30),
            text(width / 2 + 37, 94, "?" if bid is None else bid, 33, colours["ink"]),
            self._held(seat, width),
        ]
        self.canvas.panel(seat, place, turn, "".join(row))

    def _mark(self, seat: int, x: float) -> str:
        """The winner's crown, or who leads the trick."""
        if seat in self.winners:
            return self.canvas.glyph("crown", x - 2, 18, 30, self.colours["turn"], self.colours["panel"])
        return self._glyph("lead", x, 24, 20) if seat == self.view["leader"] and not self.view["over"] else ""

    def _bid_colour(self, seat: int) -> str:
        """Tricks won so far: as foretold, too many already, or neither."""
        bid, won = self.view["bids"][seat], self.view["tricks_won"][seat]
        if bid is None or won < bid:
            return self.colours["ink"]
        return self.colours["good" if won == bid else "bad"]

    def _held(self, seat: int, width: float) -> str:
        """Another's hand: open cards, or their number with the suits that it has shown not to hold, and its bonus."""
        view, hand, bonus = self.view, self.view["hands"][seat], self.view["bonus"][seat]
        extra = text(width - 14, 134, f"{bonus:+d}", 28, self.colours["good"], "end") if bonus else ""
        if not isinstance(hand, int):
            scale = min(0.85, (width - 16) / 5 / 46)
            cards = "".join(
                self.canvas.group(f"card:{name}", self._small(name), at(46 * (place % 5), 62 * (place // 5)))
                for place, name in enumerate(hand)
            )
            return f"<g {at((width - 5 * 46 * scale) / 2, 106, scale)}>{cards}</g>"
        backs = f"<g {at(16, 108, 0.55)}>{self.canvas.back(MINI)}</g>" + text(50, 136, hand, 30, self.colours["ink"])
        voids = "".join(
            self._glyph(SUIT_GLYPHS[suit], 16 + 38 * place, 148, 26)
            + f'<path d="M{14 + 38 * place} 176l30-30" stroke="{self.colours["bad"]}" stroke-width="4"/>'
            for place, suit in enumerate(view["voids"][seat])
        )
        return backs + extra + voids

    def _own(self) -> None:
        view, seat, own = self.view, self.seats[0], self.shape.own
        bid, bonus = view["bids"][seat], view["bonus"][seat]
        won, asked, more = self.shape.items
        middle = own.height / 2
        parts = [f"<g {at(38, middle)}>{self.canvas.seat(seat, 22, seat == view['to_move'], own=self.seat is not None)}</g>"]
        parts.append(self._mark(seat, 66 if self.canvas.tall else 74))
        parts.append(self._item("crown", "won", view["tricks_won"][seat], won, self._bid_colour(seat)))
        parts.append(self._item("flag", "bid", "?" if bid is None else bid, asked, self.colours["ink"]))
        if bonus:
            parts.append(self._item("", "bonus", f"{bonus:+d}", more, self.colours["good"]))
        parts.append(self._score(view["scores"][seat]))
        self.canvas.panel(seat, own, seat == view["to_move"], "".join(parts))

    def _item(self, glyph: str, name: str, value: object, x: float, colour: str) -> str:
        """A number of the own place, its name before it; in a tall picture, above it."""
        words, soft = self.labels(name), self.colours["soft"]
        if self.canvas.tall:
            drawn = self._glyph(glyph, x, 35, 28) if glyph else ""
            return drawn + text(x, 26, words, fitted(words, 20, 100), soft) + text(x + 36, 62, value, 32, colour)
        if not glyph:
            return text(x, 41, f"{words} {value}", 28, colour)
        end = x + 42 + wide(words, 26)
        return self._glyph(glyph, x, 15, 32) + text(x + 42, 41, words, 26, soft) + text(round(end + 12), 42, value, 34, colour)

    def _score(self, score: int) -> str:
        words, c, width = self.labels("score"), self.colours, self.shape.own.width
        if self.canvas.tall:
            return text(width - 20, 26, words, fitted(words, 20, 110), c["soft"], "end") + text(
                width - 20, 62, score, 34, c["ink"], "end"
            )
        return text(width - 20, 44, score, 38, c["ink"], "end") + text(width - 128, 41, words, 26, c["soft"], "end")

    def _hand(self) -> str:
        """The hand below; what may be played stands out."""
        hand, room = self.view["hands"][self.seats[0]], self.shape.hand
        cards = [None] * hand if isinstance(hand, int) else hand
        if self.canvas.tall:
            places = packed(len(cards), room, CARD, 4, 5, self.shape.cards)
            return "".join(
                self._in_hand(name, place.x, place.y, place.scale) for name, place in zip(cards, places, strict=True)
            )
        x, step = spread(len(cards), room.width, CARD[0], 6)
        return "".join(self._in_hand(name, room.x + x + step * place, room.y) for place, name in enumerate(cards))

    def _in_hand(self, name: str | None, x: float, y: float, scale: float = 1) -> str:
        if name is None:
            return self.canvas.group("back", self.canvas.back(), at(x, y, scale))
        modes = [mode for mode in ("pirate", "escape") if f"play {MARY}:{mode}" in self.legal] if name == MARY else []
        play = f"play {name}" if f"play {name}" in self.legal else None
        face = self._mary(modes) if modes else self._face(name)
        face += self.canvas.frame() if play else ""
        told = "" if "_" in name and name != MARY else self.labels(name)
        return self.canvas.group(f"card:{name}", face, at(x, y, scale), play, told)

    def _mary(self, modes: list[str]) -> str:
        """Scary Mary, to be played as a pirate or as an escape."""
        face = self.canvas.printed("paper", CARD, "", ("mary", 11, 12, 66)) + self.canvas.frame()
        for mode, (x, y, width, height) in zip(modes, self.shape.modes, strict=True):
            tab = box(x, y, width, height, "#f6efdf", "#1d1a22", 2, 8)
            if self.canvas.tall:
                tab += self._glyph("mary", x + 5, y + 14, 30, "paper")
            size = min(42, height - 8)
            tab += self._glyph(SPECIAL_GLYPHS[mode], x + width - size - 5, y + (height - size) / 2, size, "paper")
            told = self.labels("play_as", mode=self.labels(mode))
            face += self.canvas.group(f"as:{mode}", tab, action=f"play {MARY}:{mode}", told=told)
        return face

    # -- tricks

    def _trick(self) -> None:
        view, count = self.view, len(self.seats)
        order = [after(view["leader"], place, count) for place in range(count)]
        places = self._in_order() if self.canvas.tall else [self._before(seat) for seat in order]
        for place, name in zip(places, view["trick"], strict=False):
            self.canvas.add(
                self.canvas.group(
                    f"card:{name.partition(':')[0]}",
                    self._face(name),
                    at(place.x, place.y, place.scale),
                    told=self.labels(name),
                )
            )
        if view["trick"]:
            place = places[order.index(self.winning)]
            crown = self.canvas.glyph("crown", 60, -20, 40, self.colours["mark"], "#1d1a22")
            self.canvas.add(place.put(self.canvas.frame(thick=7)), place.put(crown))
        if self.canvas.tall and view["over"]:
            self.canvas.ended(self._doing(), self._room())
        elif self.canvas.tall and view["phase"] == "play":
            self._order(order, places)

    def _before(self, seat: int) -> Spot:
        """Where a seat's card of the trick lies in a wide picture: before it."""
        if seat == self.seats[0]:
            return Spot((WIDTH - CARD[0]) / 2, LAID_BELOW, *CARD)
        place = self.places[seat]
        return Spot(place.x + (place.width - CARD[0]) / 2, LAID_ABOVE, *CARD)

    def _in_order(self) -> list[Spot]:
        """Where the cards of the trick lie in a tall picture: side by side, from the leader's."""
        room = self._room()
        return packed(len(self.seats), Spot(room.x, room.y + 8, room.width, room.height - 38), CARD, 8, 6, 0.95)

    def _order(self, order: list[int], places: list[Spot]) -> None:
        """Who plays which card of the trick, below their places."""
        for place, seat in zip(places, order, strict=True):
            if order.index(seat) >= len(self.view["trick"]):
                empty = f'<rect width="{CARD[0]}" height="{CARD[1]}" rx="10" fill="none" stroke="{self.colours["on_felt"]}" '
                self.canvas.add(place.put(empty + 'stroke-width="2" stroke-dasharray="6 8" opacity=".5"/>'))
            x = place.x + place.width * place.scale / 2
            self.canvas.add(
                f"<g {at(x, place.bottom + 18, 0.6)}>{self.canvas.seat(seat, 20, seat == self.view['to_move'])}</g>"
            )

    def _room(self) -> Spot:
        """What a tall picture has for the trick, or for the bids: the cloth without the last trick."""
        top = max(place.bottom for place in self.places.values())
        return Spot(16, top, TALL[0] - 32, self._last_top() - top)

    def _last_top(self) -> float:
        return self.shape.own.y - (76 if self.shows_last else 10)

    def _last_trick(self) -> None:
        last, colour = self.view["last_trick"], self.colours["on_felt"]
        if not self.shows_last:
            return
        words, bonus = self.labels("last_trick"), f"{last['bonus']:+d}" if last["bonus"] else ""
        cards = Spot(46, 420, 0, 0)
        if self.canvas.tall:
            cards = Spot(120, self._last_top(), 0, 0, 0.7)
            self.canvas.add(
                text(22, cards.y + 26, words, fitted(words, 15, 92), colour), text(22, cards.y + 50, bonus, 16, colour)
            )
        else:
            self.canvas.add(text(46, 410, f"{words} {bonus}".strip(), 24, colour))
        drawn = []
        for place, name in enumerate(last["cards"]):
            seat, x = after(last["leader"], place, len(self.seats)), 58 * place
            frame = self.canvas.frame(MINI, thick=5) if seat == last["winner"] else ""
            drawn.append(self.canvas.group(f"last:{name}", self._small(name) + frame, at(x, 0)))
            drawn.append(text(x + 22, 86, seat, 24, self.colours["mark"] if frame else colour, "middle"))
        self.canvas.add(cards.put("".join(drawn)))

    def _bids(self) -> None:
        bids = sorted(int(name.split()[1]) for name in self.legal if name.startswith("bid "))
        left, top = self.shape.bids
        if self.canvas.tall:
            room = self._room()
            left = (TALL[0] - 62 * min(6, len(bids)) + 6) / 2
            top = room.y + (room.height - 108) / 2
        for place, bid in enumerate(bids):
            x, y = left + 62 * (place % 6), top + 58 * (place // 6)
            self.canvas.add(self.canvas.chip(str(bid), x, y, 56, 50, f"bid {bid}", f"bid:{bid}"))
