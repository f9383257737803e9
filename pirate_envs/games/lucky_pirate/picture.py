"""Lucky Pirate: a view as a picture. The pile lies in the middle, each seat shows its cards on the table and what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from pirate_envs.core.svg import CARD, MINI, WIDTH, Canvas, Picture, around, at, columns, fitted, listed, spread, text
from pirate_envs.games.lucky_pirate.notation import UNKNOWN

LOOKS = {  # colour, mark and drawing; numbers look alike
    "mermaid": ("blue", "7", "mermaid"), "captain": ("yellow", "9", "captain"), "kraken": ("black", "10", "kraken"),
    "first_mate": ("yellow", "", "wheel"), "porthole": ("blue", "", "porthole"), "parrot": ("green", "", "parrot"),
    "plank": ("red", "", "plank"), "reverse": ("red", "", "reverse"), "skip": ("red", "", "skip"),
}  # fmt: skip
PANELS, PANEL, OWN, HAND = (
    48,
    232,
    520,
    590,
)  # upper edge and height of the others' places, upper edges of the own one and the hand
PLAYED, PILE = 290, 336  # upper edges of what each seat played last, and of the pile
SHOWN = 6  # cards of the pile, from the top
HAND_WIDTH, SLOTS = 690, 722  # of the own hand; left edge of the own cards on the table


def picture(view: Mapping[str, Any], seat: int | None = None, theme: str = "light") -> Picture:
    """The table as that seat sees it (None: as the view shows it, seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme).drawn()


def _look(name: str) -> tuple[str, str, str]:
    return LOOKS.get(name, ("paper", name, "coin"))


def _places(hand: Sequence[str]) -> list[float]:
    """Left edges of a sorted hand's cards: side by side if they fit, else equal ones closer together than different ones."""
    room = HAND_WIDTH - CARD[0]
    same = [one == other for one, other in pairwise(hand)]
    equal, different = sum(same), len(same) - sum(same)
    if (CARD[0] + 6) * len(same) <= room:
        return [(CARD[0] + 6) * place for place in range(len(hand))]
    within = min(40.0, max(8.0, (room - 46 * different) / max(1, equal)))
    between = min(CARD[0] + 6, (room - within * equal) / max(1, different))
    return list(accumulate((within if alike else between for alike in same), initial=0.0))


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str) -> None:
        self.view, self.seat = view, seat
        self.seats = around(len(view["wins"]), seat)
        self.legal = set(view["legal"] or ())
        best = max(view["wins"])
        self.winners = [s for s, wins in enumerate(view["wins"]) if view["over"] and best and wins == best]
        self.several = view["options"].get("wins_needed", 1) > 1
        self.canvas = Canvas(theme, f"Lucky Pirate, {self._doing()}", self._told())
        self.colours = self.canvas.colours

    def drawn(self) -> Picture:
        name, _, doing = self.canvas.title.partition(", ")
        ink = self.colours["ink"]
        self.canvas.add(text(20, 35, name, 28, ink), text(WIDTH - 20, 35, doing, 28, ink, "end"))
        self.canvas.add(self.canvas.felt(16, PANELS + PANEL - 40, WIDTH - 32, OWN - PANELS - PANEL + 32))
        hand = self._hand()  # first, so that a card keeps its key when it is played
        for seat, (x, width) in zip(self.seats[1:], columns(len(self.seats) - 1), strict=True):
            self._other(seat, x, width)
            self.canvas.add(self._last_play(seat, x + 4, PLAYED, width - 8))
        self._own()
        self._pile()
        self._choices()
        self.canvas.add(hand, self._slots(self.seats[0], SLOTS, HAND, 1.0, 0.85))
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view = self.view
        if view["over"]:
            return (
                "cut short"
                if view["truncated"] and not self.winners
                else f"over: won by {listed(list(map(str, self.winners)))}"
            )
        return f"game {view['game_number']}, turn {view['turn'] + 1}" if self.several else f"turn {view['turn'] + 1}"

    def _needs(self) -> str:
        need = self.view["need"]
        return {"open": "anything", "captain": "an answer to the captain"}.get(need, f"{need} or more")

    def _told(self) -> list[str]:
        view = self.view
        told = [] if view["to_move"] is None else [f"Seat {view['to_move']} is to move."]
        way = "the left" if view["direction"] == 1 else "the right"
        top = listed(list(reversed(view["pile"][-SHOWN:])))
        told.append(f"The pile of {len(view['pile'])} asks for {self._needs()}; from the top: {top}. Turns pass to {way}.")
        for seat in self.seats:
            hand, play = view["hands"][seat], view["last_plays"][seat]
            held = f"{hand} cards" if isinstance(hand, int) else listed(hand, "no cards")
            known = f", known to hold {listed(view['known'][seat])}" if view["known"][seat] else ""
            barred = f", else no {listed(view['cannot_hold'][seat])}" if view["cannot_hold"][seat] else ""
            flipped = f" ({play['flipped']})" if play and play["flipped"] else ""
            last = f"; last: {listed([play['action']])}{flipped}, {play['result']}" if play else ""
            ups, downs = ([name or "none" for name in view[key][seat]] for key in ("ups", "downs"))
            told.append(
                f"Seat {seat}: {view['wins'][seat]} won, hand: {held}{known}{barred}; up: {listed(ups)}; "
                f"down: {listed(['unknown' if name == UNKNOWN else name for name in downs])}{last}."
            )
        return told

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
        counts = Counter(names)
        size *= min(1.0, width / (sum(1.2 + 0.9 * (count > 1) for count in counts.values()) * size + 1))
        shown = []
        for name, count in counts.items():
            if name in LOOKS:
                shown.append(self._glyph(LOOKS[name][2], x, y, size, ink, ground))
            else:
                shown.append(text(x + size / 2, y + 0.88 * size, name, size, self.colours[ink], "middle"))
            if count > 1:
                shown.append(text(x + 1.02 * size, y + 0.88 * size, f"×{count}", 0.65 * size, self.colours[ink]))
            x += size * (2.1 if count > 1 else 1.2)
        return "".join(shown)

    def _lines(self, names: Sequence[str], x: float, middle: float, width: float, size: float) -> str:
        """Tokens in two lines if they are too many for one, around a height."""
        kinds = list(dict.fromkeys(names))
        half = len(kinds) if len(kinds) * 1.6 * size <= width else (len(kinds) + 1) // 2
        parts = [[name for name in names if name in part] for part in (kinds[:half], kinds[half:])]
        y = middle - (size / 2 if half == len(kinds) else size + 2)
        return "".join(self._tokens(part, x, y + line * (size + 4), width, size) for line, part in enumerate(parts) if part)

    def _slots(self, seat: int, x: float, y: float, scale: float, down_scale: float) -> str:
        """The cards on the table, ups above their downs; where one is gone its place is marked."""
        view, own = self.view, seat == self.view["to_move"]
        line = self.colours["line"]
        empty = f'<rect width="{MINI[0]}" height="{MINI[1]}" rx="6" fill="none" stroke="{line}" stroke-dasharray="4 6"/>'
        shown = []
        for slot, (up, down) in enumerate(zip(view["ups"][seat], view["downs"][seat], strict=True)):
            left, below = 54 * slot, MINI[1] + 4
            play = f"play {up}" if own and view["phase"] == "ups" and f"play {up}" in self.legal else None
            flip = f"flip {slot}" if own and f"flip {slot}" in self.legal else None
            if up:
                face = self._small(up) + (self.canvas.frame(MINI, thick=4) if play else "")
                shown.append(self.canvas.group(f"card:{up}", face, at(left, 0), play, listed([up])))
            else:
                shown.append(f"<g {at(left, 0)}>{empty}</g>")
            if down:
                face = self._small(down) + (self.canvas.frame(MINI, thick=4) if flip else "")
                inset = MINI[0] * (1 - down_scale) / 2
                shown.append(self.canvas.group(f"down:{seat}:{slot}", face, at(left + inset, below, down_scale), flip))
        return f"<g {at(x, y, scale)}>{''.join(shown)}</g>"

    # -- the seats

    def _wins(self, seat: int, x: float, y: float) -> str:
        """The winner's crown, and the games won where a match is several."""
        crown = self._glyph("crown", x - 34, y - 28, 32, "turn" if seat in self.winners else "soft")
        wins = text(x - 40, y, self.view["wins"][seat], 32, self.colours["ink"], "end") if self.several else ""
        return (crown if self.several or seat in self.winners else "") + wins

    def _other(self, seat: int, x: float, width: float) -> None:
        view, hand, c = self.view, self.view["hands"][seat], self.colours
        turn, slots = seat == view["to_move"], len(view["ups"][seat])
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, turn)}</g>", self._wins(seat, width - 12, 46),
            self._slots(seat, (width - 54 * slots + 10) / 2, 64, 1, 0.7),
        ]  # fmt: skip
        names = view["known"][seat] if isinstance(hand, int) else hand
        if isinstance(hand, int):
            row += [f"<g {at(68, 14, 0.62)}>{self.canvas.back(MINI)}</g>", text(102, 46, hand, 32, c["ink"])]
        barred = view["cannot_hold"][seat]
        if barred:
            reach = min(27.6 * len(barred), width - 22)
            row += [self._tokens(names, 12, 172, width - 20, 26), self._tokens(barred, 12, 204, width - 20, 23)]
            row.append(f'<path d="M10 216h{reach:.0f}" stroke="{c["bad"]}" stroke-width="3"/>')
        else:
            row.append(self._lines(names, 12, 200, width - 20, 26))
        self.canvas.add(self.canvas.panel(seat, x, PANELS, width, PANEL, turn, "".join(row)))

    def _last_play(self, seat: int, x: float, y: float, width: float) -> str:
        """The cards that a seat played last, and what came of it."""
        play = self.view["last_plays"][seat]
        if not play:
            return ""
        verb, *cards = play["action"].split()
        cards = [play["flipped"]] if play["flipped"] else cards if verb == "play" else []
        words = {"cleared": "clears", "picked up": "takes all", "stopped": "stops"}.get(play["result"], "")
        left = x + (0 if not cards else 38 if len(cards) == 1 else 66)
        told = text(left, y + 26, words, fitted(words, 24, x + width - left), self.colours["mark"]) if words else ""
        return self._tokens(cards, x, y, width, 30, "felt") + told

    def _own(self) -> None:
        view, colours, seat = self.view, self.colours, self.seats[0]
        turn, hand = seat == view["to_move"], view["hands"][seat]
        count = hand if isinstance(hand, int) else len(hand)
        parts = [
            f"<g {at(38, 31)}>{self.canvas.seat(seat, 22, turn, own=self.seat is not None)}</g>",
            f"<g {at(80, 12, 0.62)}>{self.canvas.back(MINI)}</g>", text(116, 42, count, 32, colours["ink"]),
            self._wins(seat, 290, 42),
        ]  # fmt: skip
        if view["known"][seat] or view["cannot_hold"][seat]:
            parts.append(text(310, 41, "they know", 23, colours["soft"]))
            parts.append(self._lines(view["known"][seat], 454, 31, 280, 24))
        parts.append(text(WIDTH - 52, 41, f"cleared {len(view['cleared'])}", 24, colours["soft"], "end"))
        if view["aside"]:
            aside = view["aside"] if isinstance(view["aside"], int) else len(view["aside"])
            parts.append(text(290, 41, f"aside {aside}", 24, colours["soft"], "end"))
        self.canvas.add(self.canvas.panel(seat, 16, OWN, WIDTH - 32, 62, turn, "".join(parts)))

    def _hand(self) -> str:
        """The hand below; what may be played alone stands out."""
        hand = self.view["hands"][self.seats[0]]
        if isinstance(hand, int):
            x, step = spread(hand, HAND_WIDTH, CARD[0], 6)
            return "".join(
                self.canvas.group("back", self.canvas.back(), at(16 + x + step * place, HAND)) for place in range(hand)
            )
        cards = []
        for name, left in zip(hand, _places(hand), strict=True):
            play = f"play {name}" if f"play {name}" in self.legal and self.view["to_move"] == self.seats[0] else None
            face = self._large(name) + (self.canvas.frame() if play else "")
            cards.append(self.canvas.group(f"card:{name}", face, at(16 + left, HAND), play, listed([name])))
        return "".join(cards)

    # -- the middle

    def _pile(self) -> None:
        """The top of the pile from the left, the highest card last; what it asks for beside it."""
        view, c, shown = self.view, self.colours, self.view["pile"][-SHOWN:]
        for place, name in enumerate(shown):
            self.canvas.add(
                self.canvas.group(f"card:{name}", self._large(name), at(270 + 66 * place, PILE), told=listed([name]))
            )
        if shown:
            self.canvas.add(text(270, PILE + 158, f"pile {len(view['pile'])}", 26, c["on_felt"]))
        if view["run"] and view["run"][1] > 1:
            self.canvas.add(text(400, PILE + 158, f"run of {view['run'][1]}", 26, c["mark"]))
        self.canvas.add(text(46, PILE + 34, "needs", 24, c["on_felt"]))
        if view["need"] == "captain":
            self.canvas.add(
                *(
                    self._glyph(name, 46 + 56 * place, PILE + 48, 52, "mark", "felt")
                    for place, name in enumerate(("wheel", "porthole", "captain"))
                )
            )
        else:
            words = "anything" if view["need"] == "open" else f"{view['need']} +"
            self.canvas.add(text(46, PILE + 92, words, fitted(words, 50, 190), c["mark"]))
        if view["after_parrot"]:
            self.canvas.add(self._glyph("parrot", 150, PILE + 4, 40, "mark", "felt"))
        turned = "" if view["direction"] == 1 else 'transform="rotate(180 76 473)"'
        arrow = f'<path d="M48 473h54M90 459l16 14-16 14" fill="none" stroke="{c["on_felt"]}" stroke-width="6" {turned}/>'
        self.canvas.add(f"<g><title>turns pass to the {'left' if view['direction'] == 1 else 'right'}</title>{arrow}</g>")

    def _choices(self) -> None:
        """What may be done without a card."""
        for place, name in enumerate(name for name in ("pick up", "stop") if name in self.legal):
            self.canvas.add(self.canvas.chip(name, 690, PILE + 8 + 72 * place, 220, 60, name, name.replace(" ", "_")))
