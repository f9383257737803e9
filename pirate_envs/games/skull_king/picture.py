"""Skull King: a view as a picture. The others sit above with their cards of the trick before them, who looks sits below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pirate_envs.core.seats import after
from pirate_envs.core.svg import CARD, MINI, WIDTH, Canvas, Picture, around, at, box, columns, fitted, listed, spread, text
from pirate_envs.games.skull_king.notation import MARY, SUIT_NAMES
from pirate_envs.games.skull_king.state import MAX_HAND
from pirate_envs.games.skull_king.text import winning

SUIT_GLYPHS = dict(zip(SUIT_NAMES, ("star", "anchor", "ruby", "bones"), strict=True))
LETTERS = dict(zip(SUIT_NAMES, "YBRK", strict=True))
SPECIAL_GLYPHS = {"escape": "flag", "pirate": "pirate", "mermaid": "mermaid", "skull_king": "king", MARY: "mary"}
PANELS, CLOSED, OPEN = 48, 182, 212  # upper edge of the others' places, their height with hands closed and open
LAID_ABOVE, LAID_BELOW, OWN, HAND = 262, 390, 520, 590  # upper edges of the cards of the trick, the own place, the hand


def picture(view: Mapping[str, Any], seat: int | None = None, theme: str = "light") -> Picture:
    """The table as that seat sees it (None: as the view shows it, seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme).drawn()


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str) -> None:
        self.view, self.seat = view, seat
        self.seats = around(len(view["scores"]), seat)
        self.places = dict(zip(self.seats[1:], columns(len(self.seats) - 1), strict=True))
        self.winning = winning(view) if view["trick"] else None
        self.legal = set(view["legal"] or ()) if view["to_move"] == self.seats[0] else set()
        self.height = CLOSED if any(isinstance(view["hands"][other], int) for other in self.places) else OPEN
        self.winners = [s for s, points in enumerate(view["scores"]) if view["over"] and points == max(view["scores"])]
        self.canvas = Canvas(theme, f"Skull King, {self._doing()}", self._told())
        self.colours = self.canvas.colours

    def drawn(self) -> Picture:
        self._header()
        self.canvas.add(self.canvas.felt(16, PANELS + CLOSED - 30, WIDTH - 32, OWN - PANELS - CLOSED + 24))
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
            return f"over: won by {listed([str(seat) for seat in self.winners])}"
        last = view["options"].get("last_hand", MAX_HAND)
        return f"hand {view['hand_number']} of {last}, {'bidding' if view['phase'] == 'bid' else 'playing'}"

    def _told(self) -> list[str]:
        view = self.view
        told = [] if view["to_move"] is None else [f"Seat {view['to_move']} is to move."]
        for seat in self.seats:
            bid, hand = view["bids"][seat], view["hands"][seat]
            held = f"{hand} cards" if isinstance(hand, int) else listed(hand, "no cards")
            lacks = f", has no {listed(view['voids'][seat])}" if view["voids"][seat] else ""
            told.append(
                f"Seat {seat}: score {view['scores'][seat]}, bid {'unknown' if bid is None else bid}, won "
                f"{view['tricks_won'][seat]}, bonus {view['bonus'][seat]}, holds {held}{lacks}."
            )
        if view["trick"]:
            told.append(f"Trick led by seat {view['leader']}: {listed(view['trick'])}; seat {self.winning} is winning.")
        if view["last_trick"]:
            last = view["last_trick"]
            told.append(f"Last trick led by seat {last['leader']}: {listed(last['cards'])}; won by seat {last['winner']}.")
        return told

    # -- cards

    def _face(self, name: str) -> str:
        held, _, mode = name.partition(":")
        suit, _, number = held.partition("_")
        if suit in SUIT_GLYPHS:
            return self.canvas.card(suit, number, SUIT_GLYPHS[suit], LETTERS[suit])
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

    def _keyed(self, name: str, x: float, y: float) -> str:
        """A card on the table."""
        return self.canvas.group(f"card:{name.partition(':')[0]}", self._face(name), at(x, y), told=listed([name]))

    # -- the table

    def _header(self) -> None:
        name, _, doing = self.canvas.title.partition(", ")
        ink = self.colours["ink"]
        self.canvas.add(text(20, 35, name, 28, ink), text(WIDTH - 20, 35, doing, 28, ink, "end"))

    def _other(self, seat: int) -> None:
        view, colours, (x, width) = self.view, self.colours, self.places[seat]
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
        self.canvas.add(self.canvas.panel(seat, x, PANELS, width, self.height, turn, "".join(row)))

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
        view, colours, seat = self.view, self.colours, self.seats[0]
        turn, bid = seat == view["to_move"], view["bids"][seat]
        items = (
            ("crown", "won", view["tricks_won"][seat], self._bid_colour(seat)),
            ("flag", "bid", "?" if bid is None else bid, ""),
        )
        parts = [f"<g {at(38, 31)}>{self.canvas.seat(seat, 22, turn, own=self.seat is not None)}</g>"]
        parts.append(self._mark(seat, 74))
        for place, (glyph, word, value, colour) in enumerate(items):
            x = 116 + 180 * place
            parts += [
                self._glyph(glyph, x, 15, 32), text(x + 42, 41, word, 26, colours["soft"]),
                text(x + (114 if word == "won" else 100), 42, value, 34, colour or colours["ink"]),
            ]  # fmt: skip
        if view["bonus"][seat]:
            parts.append(text(480, 41, f"bonus {view['bonus'][seat]:+d}", 28, colours["good"]))
        parts.append(text(WIDTH - 52, 44, view["scores"][seat], 38, colours["ink"], "end"))
        parts.append(text(WIDTH - 160, 41, "score", 26, colours["soft"], "end"))
        self.canvas.add(self.canvas.panel(seat, 16, OWN, WIDTH - 32, 62, turn, "".join(parts)))

    def _hand(self) -> str:
        """The hand below; what may be played stands out."""
        hand = self.view["hands"][self.seats[0]]
        cards = [None] * hand if isinstance(hand, int) else hand
        x, step = spread(len(cards), WIDTH - 24, CARD[0], 6)
        return "".join(self._in_hand(name, 12 + x + step * place) for place, name in enumerate(cards))

    def _in_hand(self, name: str | None, x: float) -> str:
        if name is None:
            return self.canvas.group("back", self.canvas.back(), at(x, HAND))
        modes = [mode for mode in ("pirate", "escape") if f"play {MARY}:{mode}" in self.legal] if name == MARY else []
        play = f"play {name}" if f"play {name}" in self.legal else None
        face = self.canvas.printed("paper", CARD, "", ("mary", 11, 12, 66)) if modes else self._face(name)
        face += self.canvas.frame() if modes or play else ""
        for place, mode in enumerate(modes):
            tab = box(3 + 42 * place, 84, 40, 38, "#f6efdf", "#1d1a22", 2, 8)
            tab += self._glyph(SPECIAL_GLYPHS[mode], 8 + 42 * place, 88, 30, "paper")
            face += self.canvas.group(f"as:{mode}", tab, action=f"play {MARY}:{mode}", told=f"play as {mode}")
        return self.canvas.group(
            f"card:{name}", face, at(x, HAND), play, "" if "_" in name and name != MARY else listed([name])
        )

    def _trick(self) -> None:
        for place, name in enumerate(self.view["trick"]):
            seat = after(self.view["leader"], place, len(self.seats))
            x, y = self._before(seat)
            self.canvas.add(self._keyed(name, x, y))
            if seat == self.winning:
                self.canvas.add(
                    f"<g {at(x, y)}>{self.canvas.frame(thick=7)}</g>",
                    self.canvas.glyph("crown", x + 60, y - 20, 40, self.colours["mark"], "#1d1a22"),
                )

    def _before(self, seat: int) -> tuple[float, float]:
        """Where a seat's card of the trick lies."""
        if seat == self.seats[0]:
            return (WIDTH - CARD[0]) / 2, LAID_BELOW
        x, width = self.places[seat]
        return x + (width - CARD[0]) / 2, LAID_ABOVE

    def _last_trick(self) -> None:
        last = self.view["last_trick"]
        if not last:
            return
        colour = self.colours["on_felt"]
        words = "last trick" + (f" {last['bonus']:+d}" if last["bonus"] else "")
        self.canvas.add(text(46, 410, words, 24, colour))
        for place, name in enumerate(last["cards"]):
            seat, x = after(last["leader"], place, len(self.seats)), 46 + 58 * place
            frame = self.canvas.frame(MINI, thick=5) if seat == last["winner"] else ""
            self.canvas.add(self.canvas.group(f"last:{name}", self._small(name) + frame, at(x, 420)))
            self.canvas.add(text(x + 22, 506, seat, 24, self.colours["mark"] if frame else colour, "middle"))

    def _bids(self) -> None:
        bids = sorted(int(name.split()[1]) for name in self.legal if name.startswith("bid "))
        for place, bid in enumerate(bids):
            x, y = 556 + 62 * (place % 6), 398 + 58 * (place // 6)
            self.canvas.add(self.canvas.chip(str(bid), x, y, 56, 50, f"bid {bid}", f"bid:{bid}"))
