"""Piratenpoker: a view as a picture. Loot and stacks lie in the middle beside the last reveal, each seat shows its display."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pirate_envs.core.svg import CARD, MINI, WIDTH, Canvas, Picture, around, at, box, columns, fitted, listed, spread, text
from pirate_envs.games.piratenpoker.notation import COLOUR_NAMES, LOOT_NAMES, PASS_NAME, POKER_NAMES

SUIT_GLYPHS = dict(zip(COLOUR_NAMES, ("leaf", "ruby", "star"), strict=True))
LETTERS = dict(zip(COLOUR_NAMES, "GRY", strict=True))
PHASE_WORDS = {"bid": "bidding", "overboard": "overboard", "below": "below deck", "gift": "gift"}
PANELS, PANEL, OWN, HAND = (
    48,
    224,
    520,
    590,
)  # upper edge and height of the others' places, upper edges of the own one and the hand
OFFERS, STACKS = 284, 424  # upper edges
REVEAL = 500  # left edge


def picture(view: Mapping[str, Any], seat: int | None = None, theme: str = "light") -> Picture:
    """The table as that seat sees it (None: as the view shows it, seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme).drawn()


def _marked(hand: Sequence[str], bid: Any) -> list[bool]:
    """Which cards of a hand are staked."""
    left = Counter(bid if isinstance(bid, list) else ())
    staked = []
    for name in hand:
        staked.append(left[name] > 0)
        left[name] -= 1
    return staked


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str) -> None:
        self.view, self.seat = view, seat
        self.seats = around(len(view["scores"]), seat)
        self.legal = list(view["legal"] or ())
        self.own_legal = self.legal if view["to_move"] == self.seats[0] else []
        self.leaders = [s for s, points in enumerate(view["scores"]) if view["over"] and points == max(view["scores"])]
        self.canvas = Canvas(theme, f"Piratenpoker, {self._doing()}", self._told())
        self.colours = self.canvas.colours

    def drawn(self) -> Picture:
        name, _, doing = self.canvas.title.partition(", ")
        ink = self.colours["ink"]
        self.canvas.add(text(20, 35, name, 28, ink), text(WIDTH - 20, 35, doing, 28, ink, "end"))
        self.canvas.add(self.canvas.felt(16, PANELS + PANEL - 40, WIDTH - 32, OWN - PANELS - PANEL + 32))
        hand = self._hand()  # first, so that a card keeps its key when it is played
        for seat, (x, width) in zip(self.seats[1:], columns(len(self.seats) - 1), strict=True):
            self._other(seat, x, width)
        self._own()
        for place, colour in enumerate(COLOUR_NAMES):
            self._loot(place, colour, 40 + 152 * place)
        self._right()
        self.canvas.add(hand)
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view = self.view
        if view["over"]:
            return f"over: {listed([str(seat) for seat in self.leaders])} ahead"
        return f"cycle {view['cycle']}, round {view['round']} of 3, {PHASE_WORDS[view['phase']]}"

    def _told(self) -> list[str]:
        view, last = self.view, self.view["last_reveal"]
        told = [] if view["to_move"] is None else [f"Seat {view['to_move']} is to move."]
        tops = [listed([stack[0] or "unknown"]) if stack else "none" for stack in view["stacks"]]
        told.append(f"On offer: {listed(view['offer'])}. Tops of the stacks: {listed(tops)}.")
        for seat in self.seats:
            hand, bid = view["hands"][seat], view["bids"][seat]
            held = f"{hand} cards" if isinstance(hand, int) else listed(hand, "no cards")
            sealed = "" if bid is None else f", bids {bid if isinstance(bid, str) else listed(bid)}"
            told.append(
                f"Seat {seat}: score {view['scores'][seat]}, shows {listed(view['displays'][seat])}, holds {held}"
                f"{'' if view['pass_in_hand'][seat] else ', has passed'}{sealed}."
            )
        if last:
            bids = [f"seat {s} {bid if isinstance(bid, str) else listed(bid)}" for s, bid in enumerate(last["bids"]) if bid]
            won = "nobody won" if last["winner"] is None else f"won by seat {last['winner']}"
            told.append(f"Last reveal, round {last['round']}: {'; '.join(bids)}; {won}.")
        return told

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
            return self.canvas.card(colour, mark, SUIT_GLYPHS[colour], LETTERS[colour])
        return self.canvas.card(colour, "" if mark == "shark" else mark, self._loot_glyph(mark), LETTERS[colour])

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

    def _marks(self, seat: int, x: float, y: float) -> str:
        """The winner's crown; else the Pass, struck out when it is used; 'out' for who takes no further part."""
        view, colours = self.view, self.colours
        if seat in self.leaders:
            return self._glyph("crown", x, y, 32, "turn")
        struck = f'<path d="M{x} {y + 34}l34-34" stroke="{colours["bad"]}" stroke-width="5"/>'
        flag = self._glyph("flag", x, y, 34) + ("" if view["pass_in_hand"][seat] else struck)
        word = self._word(seat)
        return flag + (text(x + 40, y + 27, word, fitted(word, 22, 52), colours["bad"]) if word else "")

    def _word(self, seat: int) -> str:
        """What is to be told of a seat that stakes no card."""
        return "pass" if self.view["bids"][seat] == PASS_NAME else "" if self.view["in_cycle"][seat] else "out"

    def _other(self, seat: int, x: float, width: float) -> None:
        view, hand, bid = self.view, self.view["hands"][seat], self.view["bids"][seat]
        turn, score, taken = seat == view["to_move"], view["scores"][seat], 170 if self._word(seat) else 116
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, turn)}</g>", self._marks(seat, 68, 18),
            text(width - 14, 46, score, fitted(score, 36, width - taken), self.colours["ink"], "end"),
        ]  # fmt: skip
        if isinstance(hand, int):
            row += [f"<g {at(16, 64, 0.6)}>{self.canvas.back(MINI)}</g>", text(52, 94, hand, 30, self.colours["ink"])]
        else:
            row.append(f"<g {at(12, 62, 0.7)}>{self._row('card', hand, (width - 24) / 0.7, _marked(hand, bid))}</g>")
        row.append(f"<g {at(12, 112, 0.85)}>{self._display(seat, (width - 24) / 0.85)}</g>")
        self.canvas.add(self.canvas.panel(seat, x, PANELS, width, PANEL, turn, "".join(row)))

    def _own(self) -> None:
        view, colours, seat = self.view, self.colours, self.seats[0]
        turn, bid = seat == view["to_move"], view["bids"][seat]
        parts = [
            f"<g {at(38, 31)}>{self.canvas.seat(seat, 22, turn, own=self.seat is not None)}</g>", self._marks(seat, 80, 15),
            text(206, 41, "score", 26, colours["soft"]), text(300, 44, view["scores"][seat], 38, colours["ink"]),
            f"<g {at(690, 10, 0.7)}>{self.canvas.back(MINI)}</g>", text(728, 42, view["pile"], 28, colours["ink"]),
            text(790, 41, f"discard {len(view['discard'])}", fitted("discard 00", 24, 132), colours["soft"]),
        ]  # fmt: skip
        if isinstance(bid, list):
            parts.append(text(400, 42, "has bid", 26, colours["good"]))
        self.canvas.add(self.canvas.panel(seat, 16, OWN, WIDTH - 32, 62, turn, "".join(parts)))
        if PASS_NAME in self.own_legal:
            self.canvas.add(self.canvas.chip("pass", 540, OWN + 8, 130, 46, PASS_NAME, "pass"))
        self.canvas.add(f"<g {at(596, HAND)}>{self._display(seat, 348)}</g>")

    def _hand(self) -> str:
        """The hand below, what is staked framed; a card that may be bid alone is an action."""
        hand, bid = self.view["hands"][self.seats[0]], self.view["bids"][self.seats[0]]
        if isinstance(hand, int):
            return "".join(self.canvas.group("back", self.canvas.back(), at(20 + 94 * place, HAND)) for place in range(hand))
        cards, step = [], spread(len(hand), 560, CARD[0], 6)[1]
        for place, (name, staked) in enumerate(zip(hand, _marked(hand, bid), strict=True)):
            face = self._large(name) + (self.canvas.frame() if staked else "")
            action = f"bid {name}" if f"bid {name}" in self.own_legal and hand.index(name) == place else None
            cards.append(self.canvas.group(f"card:{name}", face, at(20 + step * place, HAND), action, listed([name])))
        return "".join(cards)

    # -- the middle

    def _loot(self, place: int, colour: str, x: float) -> None:
        """What is on offer in a colour, and its stack, or where the card may go."""
        view, canvas, c = self.view, self.canvas, self.colours
        front = next((name for name in view["offer"] if name.startswith(colour)), None)
        if front:
            below = f"below {colour}" if f"below {colour}" in self.legal else None
            face = self._large(front) + (canvas.frame() if below else "")
            canvas.add(canvas.group(f"offer:{colour}", face, at(x, OFFERS), below, listed([front])))
            if view["round"] == 3 and view["phase"] == "bid":
                canvas.add(text(x + 96, OFFERS + 40, "×2", 32, c["mark"]))
        else:
            canvas.add(
                f'<rect {at(x, OFFERS)} width="{CARD[0]}" height="{CARD[1]}" rx="10" fill="none" stroke="{c["on_felt"]}" '
                'stroke-width="2" stroke-dasharray="6 8" opacity=".5"/>'
            )
        goes = [name for name in self.legal if name.startswith(f"overboard {colour} ")]
        for order, name in enumerate(goes):
            to = name.rpartition(" ")[2]
            chip = canvas.chip(
                to, x + 46 * (order % 3), STACKS - 4 + 46 * (order // 3), 42, 40, name, f"overboard:{colour}:{to}"
            )
            canvas.add(chip)
        stack = view["stacks"][place]
        if stack and not goes:
            top = self._small(stack[0]) if stack[0] else canvas.back(MINI)
            canvas.add(
                f"<g {at(x + 6, STACKS + 4)}>{box(0, 0, *MINI, c['rim'], round_=6)}</g>",
                canvas.group(f"stack:{colour}", top, at(x, STACKS), told=f"{colour} stack"),
                text(x + 58, STACKS + 40, f"×{len(stack)}", 28, c["on_felt"]),
            )

    def _right(self) -> None:
        """The last reveal, or the gifts that may be made."""
        gifts = [name for name in self.legal if name.startswith("give ")]
        for place, name in enumerate(gifts):
            words = name.removeprefix("give ").replace(" to ", " → ")
            x, y = REVEAL + 142 * (place % 3), 282 + 48 * (place // 3)
            self.canvas.add(self.canvas.chip(words, x, y, 134, 44, name, f"gift:{place}"))
        last = self.view["last_reveal"]
        if last and not gifts:
            self._reveal(last)

    def _reveal(self, last: Mapping[str, Any]) -> None:
        c, seats = self.colours, [seat for seat in self.seats if last["bids"][seat]]
        doubled = f", {last['doubled']} ×2" if last["doubled"] else ""
        self.canvas.add(text(REVEAL, 296, f"last reveal, round {last['round']}{doubled}", 23, c["on_felt"]))
        height = min(62.0, 206 / max(1, len(seats)))
        scale = (height - 4) / MINI[1]
        for place, seat in enumerate(seats):
            y, bid, won = 304 + height * place, last["bids"][seat], seat == last["winner"]
            colour = "mark" if won else "on_felt"
            self.canvas.add(text(REVEAL + 20, y + height / 2 + 8, seat, 27, c[colour], "middle"))
            if won:
                self.canvas.add(self._glyph("crown", REVEAL + 38, y + height / 2 - 16, 30, "mark", "felt"))
            if isinstance(bid, list):
                self.canvas.add(f"<g {at(REVEAL + 76, y, scale)}>{self._row('last', bid, 340 / scale)}</g>")
            else:
                self.canvas.add(text(REVEAL + 80, y + height / 2 + 8, bid, 25, c["on_felt"]))
