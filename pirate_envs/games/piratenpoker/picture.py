"""Piratenpoker: a view as a picture. Loot and stacks lie in the middle beside the last reveal, each seat shows its display."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    box,
    columns,
    fitted,
    packed,
    rows,
    spread,
    text,
    wide,
)  # fmt: skip
from pirate_envs.games.piratenpoker.notation import COLOUR_NAMES, LOOT_NAMES, PASS_NAME, POKER_NAMES

SUIT_GLYPHS = dict(zip(COLOUR_NAMES, ("leaf", "ruby", "star"), strict=True))


@dataclass(frozen=True)
class _Shape:
    """What differs between a wide and a tall picture: where things lie."""

    felt: Spot
    offer: Spot
    """The first colour's card on offer; what follows is told from its corner."""
    step: float
    """From colour to colour."""
    double: tuple[float, float, float]
    """Left edge, base line and size of the mark of loot that counts twice."""
    stack: tuple[float, float, float]
    """Left and upper edge and scale of the stack."""
    left: tuple[float, float, float]
    """Left edge, base line and size of how many cards are in it."""
    overboard: Spot
    """The first button, for one who gets the card."""
    per_row: int
    between: tuple[float, float]
    """From button to button, from row to row."""
    reveal: Spot
    """The last reveal: its first base line."""
    gifts: Spot
    """The first gift's button."""
    own: Spot
    hand: Spot
    loot: Spot
    """The own display."""
    pass_: Spot


PANELS, PANEL = 48, 224  # upper edge and height of the others' places
TALL_PANELS, TALL_SCALE, TALL_SMALL = 32, 0.62, 0.54  # the last: scale for four in a row
_WIDE = _Shape(
    felt=Spot(16, PANELS + PANEL - 40, WIDTH - 32, 280), offer=Spot(40, 284, *CARD), step=152, double=(96, 40, 32),
    stack=(0, 140, 1), left=(58, 180, 28), overboard=Spot(0, 136, 42, 40), per_row=3, between=(46, 46),
    reveal=Spot(500, 296, 416, 206), gifts=Spot(500, 282, 134, 44), own=Spot(16, 520, WIDTH - 32, 62),
    hand=Spot(20, 590, 560, CARD[1]), loot=Spot(596, 590, 348, 123), pass_=Spot(540, 528, 130, 46),
)  # fmt: skip
_TALL_OWN = Spot(EDGE, 486, (TALL[0] - 2 * EDGE) / 0.72, 72, 0.72)


def _tall(top: float) -> _Shape:
    """The tall shape, if the others' places end there."""
    offer, below = top + 12, top + 132
    room = _TALL_OWN.y - 18 - below
    return _Shape(
        felt=Spot(EDGE, top - 30, TALL[0] - 2 * EDGE, _TALL_OWN.y - top + 22), offer=Spot(17, offer, *CARD, 0.86), step=119,
        double=(84, 18, 18), stack=(86, 32, 0.62), left=(84, 92, 15), overboard=Spot(0, 122, 54, TOUCH), per_row=2,
        between=(58, TOUCH + 4), reveal=Spot(20, below + 10, 350 / 0.66, (room - 10) / 0.66, 0.66),
        gifts=Spot(18, below - 6, 354, TOUCH), own=_TALL_OWN, hand=Spot(EDGE, 544, TALL[0] - 2 * EDGE, 92),
        loot=Spot(EDGE, 641, (TALL[0] - 2 * EDGE) / 0.6, 123, 0.6), pass_=Spot(298, 489, 78, TOUCH),
    )  # fmt: skip


def picture(view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> Picture:
    """The table as that seat sees it (None: as the view shows it, seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme, labels, tall).drawn()


def _marked(hand: Sequence[str | None], bid: Any) -> list[bool]:
    """Which cards of a hand are staked."""
    left: Counter[str | None] = Counter(bid if isinstance(bid, list) else ())
    staked = []
    for name in hand:
        staked.append(left[name] > 0)
        left[name] -= 1
    return staked


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> None:
        self.view, self.seat, self.labels = view, seat, labels
        self.seats = around(len(view["scores"]), seat)
        self.legal = list(view["legal"] or ())
        self.own_legal = self.legal if view["to_move"] == self.seats[0] else []
        self.leaders = [s for s, points in enumerate(view["scores"]) if view["over"] and points == max(view["scores"])]
        self.places = self._places(tall)
        self.shape = _tall(self.places[-1].bottom) if tall else _WIDE
        self.canvas = Canvas(theme, f"Piratenpoker, {self._doing()}", self._told(), tall)
        self.colours = self.canvas.colours

    def _places(self, tall: bool) -> list[Spot]:
        """The others' places. In a tall picture four stand side by side, but for their hands to be read if they lie open."""
        others = len(self.seats) - 1
        if not tall:
            return columns(others, PANELS, PANEL)
        if others < 4:
            return rows(others, TALL_PANELS, PANEL, TALL_SCALE)
        is_open = any(isinstance(self.view["hands"][seat], list) for seat in self.seats[1:])
        return rows(4, TALL_PANELS, PANEL, TALL_SCALE, 2) if is_open else rows(4, TALL_PANELS, PANEL, TALL_SMALL, 4)

    def drawn(self) -> Picture:
        felt = self.shape.felt
        self.canvas.header()
        self.canvas.add(self.canvas.felt(felt.x, felt.y, felt.width, felt.height, 30 if self.canvas.tall else 60))
        hand = self._hand()  # first, so that a card keeps its key when it is played
        for seat, place in zip(self.seats[1:], self.places, strict=True):
            self._other(seat, place)
        self._own()
        for order, colour in enumerate(COLOUR_NAMES):
            self._loot(order, colour, self.shape.offer.x + self.shape.step * order)
        self._beside()
        self.canvas.add(hand)
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view, say = self.view, self.labels
        if view["over"]:
            return say("ahead", seats=", ".join(map(str, self.leaders)), n=len(self.leaders))
        return say("doing", cycle=view["cycle"], round=view["round"], phase=say(f"phase_{view['phase']}"))

    def _bid_told(self, bid: Any) -> str:
        return self.labels(bid) if isinstance(bid, str) else self.labels.listed(bid)

    def _told(self) -> Iterator[str]:
        view, last, say = self.view, self.view["last_reveal"], self.labels
        if view["to_move"] is not None:
            yield say("to_move", seat=view["to_move"])
        tops = ", ".join(say(stack[0] or "unknown") if stack else say("none") for stack in view["stacks"])
        yield say("loot", offer=say.listed(view["offer"]), tops=tops)
        for seat in self.seats:
            hand, bid = view["hands"][seat], view["bids"][seat]
            yield say(
                "seat", seat=seat, score=view["scores"][seat], display=say.listed(view["displays"][seat]),
                held=say("cards", n=hand) if isinstance(hand, int) else say.listed(hand, "no_cards"),
                passed="" if view["pass_in_hand"][seat] else say("has_passed"),
                sealed="" if bid is None else say("bids", bid=self._bid_told(bid)),
            )  # fmt: skip
        if last:
            bids = "; ".join(say("bid_of", seat=s, bid=self._bid_told(bid)) for s, bid in enumerate(last["bids"]) if bid)
            won = say("nobody_won") if last["winner"] is None else say("seat_won", seat=last["winner"])
            yield say("reveal", round=last["round"], bids=bids, won=won)

    # -- cards

    def _small(self, name: str) -> str:
        colour, _, mark = name.partition("_")
        if name in POKER_NAMES:
            return self.canvas.mini(colour, mark, SUIT_GLYPHS[colour])
        return self.canvas.mini(colour, "" if mark == "shark" else mark.lstrip("+"), self._loot_glyph(mark))

    @staticmethod
    def _loot_glyph(side: str) -> str:
        return "chest" if side.startswith("+") else "shark" if side == "shark" else "skull"

    def _large(self, name: str) -> str:
        colour, _, mark = name.partition("_")
        if name in POKER_NAMES:
            return self.canvas.card(colour, mark, SUIT_GLYPHS[colour], self.labels(f"{colour}_letter"))
        return self.canvas.card(
            colour, "" if mark == "shark" else mark, self._loot_glyph(mark), self.labels(f"{colour}_letter")
        )

    def _glyph(self, name: str, x: float, y: float, size: float, colour: str = "soft", ground: str = "panel") -> str:
        return self.canvas.glyph(name, x, y, size, self.colours[colour], self.colours[ground])

    def _row(self, kind: str, names: Sequence[str], width: float, framed: Sequence[bool] = ()) -> str:
        """Small cards side by side; they overlap rather than not fit."""
        _, step = spread(len(names), width, MINI[0], 3)
        return "".join(
            self.canvas.group(
                f"{kind}:{name}",
                self._small(name) + (self.canvas.frame(MINI, thick=4) if framed and framed[place] else ""),
                at(step * place, 0),
            )
            for place, name in enumerate(names)
        )

    def _display(self, seat: int, width: float) -> str:
        """A seat's loot, best first, in two rows of small cards."""
        names = sorted(self.view["displays"][seat], key=lambda name: (LOOT_NAMES.index(name) % 8, name))
        a_row = max(int((width + 3) / (MINI[0] + 3)), (len(names) + 1) // 2)
        lower = self._row("loot", names[a_row:], width)
        return self._row("loot", names[:a_row], width) + (f"<g {at(0, 63)}>{lower}</g>" if lower else "")

    # -- the seats

    def _marks(self, seat: int, x: float, y: float, word_at: tuple[float, float] | None = None) -> str:
        """The winner's crown; else the Pass, struck out when it is used, and a word, beside it or so that it ends there."""
        view, colours = self.view, self.colours
        if seat in self.leaders:
            return self._glyph("crown", x, y, 32, "turn")
        struck = f'<path d="M{x} {y + 34}l34-34" stroke="{colours["bad"]}" stroke-width="5"/>'
        flag = self._glyph("flag", x, y, 34) + ("" if view["pass_in_hand"][seat] else struck)
        word = self._word(seat)
        if word and word_at:
            return flag + text(*word_at, word, fitted(word, 24, 84), colours["bad"], "end")
        return flag + (
            text(x + 40, y + 27, word, fitted(word, 22, 60 if self.canvas.tall else 52), colours["bad"]) if word else ""
        )

    def _word(self, seat: int) -> str:
        """What is to be told of a seat that stakes no card."""
        if self.view["bids"][seat] == PASS_NAME:
            return self.labels(PASS_NAME)
        return "" if self.view["in_cycle"][seat] else self.labels("out")

    def _other(self, seat: int, place: Spot) -> None:
        view, hand, bid, width = self.view, self.view["hands"][seat], self.view["bids"][seat], place.width
        turn, score, tall = seat == view["to_move"], view["scores"][seat], self.canvas.tall
        taken = 170 if self._word(seat) and not tall else 116
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, turn)}</g>",
            self._marks(seat, 68, 18, (width - 12, 92) if tall else None),
            text(width - 14, 46, score, fitted(score, 36, width - taken), self.colours["ink"], "end"),
        ]  # fmt: skip
        if isinstance(hand, int):
            row += [f"<g {at(16, 64, 0.6)}>{self.canvas.back(MINI)}</g>", text(52, 94, hand, 30, self.colours["ink"])]
        else:
            scale = 0.8 if tall else 0.7
            room = width - 24 - (90 if tall and self._word(seat) else 0)
            row.append(f"<g {at(12, 62, scale)}>{self._row('card', hand, room / scale, _marked(hand, bid))}</g>")
        row.append(f"<g {at(12, 112, 0.85)}>{self._display(seat, (width - 24) / 0.85)}</g>")
        self.canvas.panel(seat, place, turn, "".join(row))

    def _own(self) -> None:
        view, seat, shape = self.view, self.seats[0], self.shape
        turn, middle = seat == view["to_move"], shape.own.height / 2
        parts = [
            f"<g {at(38, middle)}>{self.canvas.seat(seat, 22, turn, own=self.seat is not None)}</g>",
            self._marks(seat, 74 if self.canvas.tall else 80, middle - 16), *self._counts(),
        ]  # fmt: skip
        self.canvas.panel(seat, shape.own, turn, "".join(parts))
        if PASS_NAME in self.own_legal:
            place = shape.pass_
            words = self.labels(PASS_NAME)
            self.canvas.add(self.canvas.chip(words, place.x, place.y, place.width, place.height, PASS_NAME, "pass"))
        self.canvas.add(shape.loot.put(self._display(seat, shape.loot.width)))

    def _counts(self) -> list[str]:
        """Score, draw pile and discard, and whether a bid is made, in the own place."""
        view, c, say, seat = self.view, self.colours, self.labels, self.seats[0]
        score, words, discard = view["scores"][seat], say("score"), say("discard", count=len(view["discard"]))
        bid = say("has_bid") if isinstance(view["bids"][seat], list) else ""
        back = self.canvas.back(MINI)
        if self.canvas.tall:
            return [
                text(178, 26, words, fitted(words, 20, 100), c["soft"]), text(178, 62, score, 34, c["ink"]),
                f"<g {at(280, 8, 0.5)}>{back}</g>", text(310, 32, view["pile"], 24, c["ink"]),
                text(280, 62, discard, fitted(discard, 19, 119), c["soft"]),
                text(507, 45, bid, fitted(bid, 24, 100), c["good"], "end"),
            ]  # fmt: skip
        return [
            text(206, 41, words, 26, c["soft"]), text(round(206 + wide(words, 26) + 15), 44, score, 38, c["ink"]),
            f"<g {at(690, 10, 0.7)}>{back}</g>", text(728, 42, view["pile"], 28, c["ink"]),
            text(790, 41, discard, fitted(discard + "0" * (10 - len(discard)), 24, 132), c["soft"]),
            text(400, 42, bid, fitted(bid, 26, 130), c["good"]) if bid else "",
        ]  # fmt: skip

    def _hand(self) -> str:
        """The hand below, what is staked framed; a card that may be bid alone is an action."""
        hand, bid, room = self.view["hands"][self.seats[0]], self.view["bids"][self.seats[0]], self.shape.hand
        names = [None] * hand if isinstance(hand, int) else hand
        if self.canvas.tall:
            places = packed(len(names), room, CARD, 4, 6, 1)
        else:
            step = spread(len(names), room.width, CARD[0], 6)[1]
            places = [Spot(room.x + step * place, room.y, *CARD) for place in range(len(names))]
        cards = []
        for order, (name, staked, place) in enumerate(zip(names, _marked(names, bid), places, strict=True)):
            where = at(place.x, place.y, place.scale)
            if name is None:
                cards.append(self.canvas.group("back", self.canvas.back(), where))
                continue
            face = self._large(name) + (self.canvas.frame() if staked else "")
            action = f"bid {name}" if f"bid {name}" in self.own_legal and hand.index(name) == order else None
            cards.append(self.canvas.group(f"card:{name}", face, where, action, self.labels(name)))
        return "".join(cards)

    # -- the middle

    def _loot(self, place: int, colour: str, x: float) -> None:
        """What is on offer in a colour, and its stack, or where the card may go."""
        view, canvas, c, shape, offer = self.view, self.canvas, self.colours, self.shape, self.shape.offer
        front = next((name for name in view["offer"] if name.startswith(colour)), None)
        if front:
            below = f"below {colour}" if f"below {colour}" in self.legal else None
            face = self._large(front) + (canvas.frame() if below else "")
            canvas.add(canvas.group(f"offer:{colour}", face, at(x, offer.y, offer.scale), below, self.labels(front)))
            if view["round"] == 3 and view["phase"] == "bid":
                right, base, size = shape.double
                canvas.add(text(x + right, offer.y + base, "×2", size, c["mark"]))
        else:
            canvas.add(
                f'<rect {at(x, offer.y, offer.scale)} width="{CARD[0]}" height="{CARD[1]}" rx="10" fill="none" '
                f'stroke="{c["on_felt"]}" stroke-width="2" stroke-dasharray="6 8" opacity=".5"/>'
            )
        goes, first = [name for name in self.legal if name.startswith(f"overboard {colour} ")], shape.overboard
        for order, name in enumerate(goes):
            to = name.rpartition(" ")[2]
            left = x + first.x + shape.between[0] * (order % shape.per_row)
            top = offer.y + first.y + shape.between[1] * (order // shape.per_row)
            canvas.add(canvas.chip(to, left, top, first.width, first.height, name, f"overboard:{colour}:{to}"))
        if not goes or canvas.tall:
            self._stack(place, colour, x)

    def _stack(self, place: int, colour: str, x: float) -> None:
        stack, canvas, shape, top = self.view["stacks"][place], self.canvas, self.shape, self.shape.offer.y
        if stack:
            left, down, scale = shape.stack
            right, base, size = shape.left
            face = self._small(stack[0]) if stack[0] else canvas.back(MINI)
            rim = box(0, 0, *MINI, self.colours["rim"], round_=6)
            canvas.add(
                f"<g {at(x + left + 6 * scale, top + down + 4 * scale, scale)}>{rim}</g>",
                canvas.group(
                    f"stack:{colour}",
                    face,
                    at(x + left, top + down, scale),
                    told=self.labels("stack", colour=self.labels(colour)),
                ),
                text(x + right, top + base, f"×{len(stack)}", size, self.colours["on_felt"]),
            )

    def _beside(self) -> None:
        """The last reveal, or the gifts that may be made."""
        gifts, first = [name for name in self.legal if name.startswith("give ")], self.shape.gifts
        a_row, across, down = 3, 142.0, 48.0
        if self.canvas.tall:
            a_row = max(3, -(-len(gifts) // 3))
            across, down = first.width / a_row, TOUCH + 4
        for order, name in enumerate(gifts):
            what, _, to = name.removeprefix("give ").partition(" to ")
            words = f"{self.labels(what)} → {to}" if to else self.labels(what)
            x, y = first.x + across * (order % a_row), first.y + down * (order // a_row)
            self.canvas.add(
                self.canvas.chip(words, x, y, across - (4 if self.canvas.tall else 8), first.height, name, f"gift:{order}")
            )
        last = self.view["last_reveal"]
        thrown = any(name.startswith("overboard ") for name in self.legal)
        if self.canvas.tall and self.view["over"]:
            place = self.shape.reveal
            self.canvas.ended(self._doing(), Spot(place.x, place.y - 12, 350, place.height * place.scale))
        elif last and not gifts and not (self.canvas.tall and (thrown or self.shape.reveal.height < 140)):
            self.canvas.add(self.shape.reveal.put(self._reveal(last)))

    def _reveal(self, last: Mapping[str, Any]) -> str:
        c, seats, place = self.colours, [seat for seat in self.seats if last["bids"][seat]], self.shape.reveal
        doubled = self.labels("doubled", colour=self.labels(last["doubled"])) if last["doubled"] else ""
        words = self.labels("last_reveal", round=last["round"]) + doubled
        shown = [text(0, 0, words, fitted(words, 23, place.width), c["on_felt"])]
        height = min(62.0, (place.height - 14 * self.canvas.tall) / max(1, len(seats)))
        scale = (height - 4) / MINI[1]
        for order, seat in enumerate(seats):
            y, bid, won = 8 + height * order, last["bids"][seat], seat == last["winner"]
            colour = "mark" if won else "on_felt"
            shown.append(text(20, y + height / 2 + 8, seat, 27, c[colour], "middle"))
            if won:
                shown.append(self._glyph("crown", 38, y + height / 2 - 16, 30, "mark", "felt"))
            if isinstance(bid, list):
                shown.append(f"<g {at(76, y, scale)}>{self._row('last', bid, (place.width - 76) / scale)}</g>")
            else:
                shown.append(text(80, y + height / 2 + 8, self.labels(bid), 25, c["on_felt"]))
        return "".join(shown)
