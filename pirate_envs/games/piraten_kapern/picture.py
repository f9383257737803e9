"""Piraten Kapern: a view as a picture. Card and dice lie in the middle, each seat shows its score and its last turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pirate_envs.core.svg import CARD, INK, PAPER, WIDTH, Canvas, Picture, around, at, box, columns, fitted, listed, text
from pirate_envs.games.piraten_kapern.options import PiratenKapernOptions
from pirate_envs.games.piraten_kapern.state import CARDS
from pirate_envs.games.piraten_kapern.text import CARD_NOTES, doing, skulls_shown, stop_worth

FACE_GLYPHS = {"coin": "coin", "diamond": "ruby", "monkey": "monkey", "parrot": "parrot", "sabre": "sabre", "skull": "skull"}
FACE_SUITS = {"coin": "yellow", "diamond": "blue", "monkey": "paper", "parrot": "green", "sabre": "red", "skull": "black"}
CARD_LOOKS = {  # drawing and mark
    "treasure_island": ("chest", ""), "captain": ("captain", "×2"), "sorceress": ("ball", ""),
    "monkey_business": ("monkey", "="), "gold": ("coin", "+1"), "diamond": ("ruby", "+1"), "skulls_1": ("skull", "1"),
    "skulls_2": ("skull", "2"), "sea_battle_2": ("ship", "2"), "sea_battle_3": ("ship", "3"), "sea_battle_4": ("ship", "4"),
    "after_the_storm": ("storm", "×2"), "peace": ("peace", ""),
}  # fmt: skip
PANELS, PANEL, OWN = 48, 206, 590  # upper edge and height of the others' places, upper edge of the own one
FELT, DICE = 236, 318  # upper edges


def picture(view: Mapping[str, Any], seat: int | None = None, theme: str = "light") -> Picture:
    """The table as that seat sees it (None: seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme).drawn()


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str) -> None:
        self.view, self.seat = view, seat
        self.seats = around(len(view["scores"]), seat)
        self.target = view["options"].get("target", PiratenKapernOptions.target)
        self.legal = set(view["legal"] or ())
        best = max(view["scores"])
        won = [s for s, points in enumerate(view["scores"]) if points == best] if view["winner"] is None else [view["winner"]]
        self.winners = won if view["over"] else []
        self.canvas = Canvas(theme, f"Piraten Kapern, {self._doing()}", self._told())
        self.colours = self.canvas.colours

    def drawn(self) -> Picture:
        name, _, doing_ = self.canvas.title.partition(", ")
        ink = self.colours["ink"]
        self.canvas.add(text(20, 35, name, 28, ink), text(WIDTH - 20, 35, doing_, 28, ink, "end"))
        self.canvas.add(self.canvas.felt(16, FELT, WIDTH - 32, OWN - FELT - 8))
        for seat, (x, width) in zip(self.seats[1:], columns(len(self.seats) - 1), strict=True):
            self._other(seat, x, width)
        self._own()
        self._card()
        self._dice()
        self._worth()
        self._undrawn()
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view = self.view
        if view["over"]:
            return f"over: won by {listed([str(seat) for seat in self.winners])}"
        called = view["final_round"]
        return f"final round, {called['turns_left']} to follow" if called else doing(view)

    def _told(self) -> list[str]:
        view = self.view
        told = [] if view["over"] else [
            f"Seat {view['turn_of']} has the card {listed([view['card']])}, {CARD_NOTES[CARDS.index(view['card'])]}.",
            f"Dice after roll {view['rolls']}: {listed(view['dice'])}; kept: {listed(view['kept'])}.",
            f"Skulls: {skulls_shown(view)}.",
            f"Stopping brings {stop_worth(view)[0]} points, each opponent loses {stop_worth(view)[1]}.",
        ]  # fmt: skip
        for seat in self.seats:
            turn = view["last_turns"][seat]
            last = f"; last turn {turn['points']} points, {turn['ended_by']}, {listed([turn['card']])}" if turn else ""
            told.append(f"Seat {seat}: score {view['scores'][seat]} of {self.target}{last}.")
        return told

    # -- the middle

    def _on_felt(self, glyph: str, x: float, y: float, size: float) -> str:
        return self.canvas.glyph(glyph, x, y, size, self.colours["on_felt"], self.colours["felt"])

    def _card(self) -> None:
        """The fortune card, and what it says."""
        view, card = self.view, self.view["card"]
        glyph, mark = CARD_LOOKS[card]
        if card == "monkey_business":
            face = self.canvas.printed("paper", CARD, "", ("monkey", 8, 8, 48), ("parrot", 32, 66, 48))
            face += text(10, 92, "=", 34, INK)
        else:
            face = self.canvas.card("paper", mark, glyph)
        self.canvas.add(self.canvas.group(f"card:{card}", face, at(44, 310, 1.5), told=listed([card])))
        self.canvas.add(text(WIDTH / 2, 290, CARD_NOTES[CARDS.index(card)], 25, self.colours["on_felt"], "middle"))
        if view["sorceress_used"]:
            self.canvas.add(f'<path d="M50 316l120 174" stroke="{self.colours["bad"]}" stroke-width="7"/>')

    def _dice(self) -> None:
        """Eight dice in slot order; an anchor holds what was not rolled this time, a chest what a treasure island saves."""
        kept = Counter(self.view["kept"])
        island = self.view["card"] == "treasure_island"
        for slot, face in enumerate(self.view["dice"]):
            holds = kept[face] > 0
            kept[face] -= holds
            first = self.view["dice"].index(face) == slot
            reroll = f"reroll {face}" if first and f"reroll {face}" in self.legal else None
            die = self.canvas.die(FACE_GLYPHS[face], suit=FACE_SUITS[face])
            if holds:
                die += box(60, 60, 34, 34, self.colours["mark"], INK, 2, 10) + self.canvas.glyph(
                    "chest" if island and face != "skull" else "anchor", 65, 65, 24, INK, PAPER
                )
            x, y = 208 + 106 * (slot % 4), DICE + 4 + 100 * (slot // 4)
            self.canvas.add(self.canvas.group(f"die:{slot}", die, at(x, y), reroll, face))

    def _worth(self) -> None:
        """Skulls, the roll, and what a stop would bring."""
        view, colours, x = self.view, self.colours, 652
        skulls = skulls_shown(view)
        for place in range(max(3, skulls)):
            size = min(40.0, 270 / max(3, skulls) - 4)
            faint = "" if place < skulls else ' opacity=".3"'
            self.canvas.add(f"<g{faint}>{self._on_felt('skull', x + (size + 6) * place, 318, size)}</g>")
        self.canvas.add(text(x, 398, f"roll {view['rolls']}", 28, colours["on_felt"]))
        if view["island"]:
            self.canvas.add(self._on_felt("palm", x + 130, 368, 40), text(x + 176, 398, "island", 28, colours["on_felt"]))
        if view["over"]:
            return
        points, loss = stop_worth(view)
        self.canvas.add(
            self.canvas.chip(f"stop: {points:+d}", x, 418, 270, 62, "stop" if "stop" in self.legal else None, "stop")
        )
        if loss:
            self.canvas.add(text(x, 510, f"others: {-loss}", 28, colours["mark"]))

    def _undrawn(self) -> None:
        """The fortune cards that are still to come."""
        for place, (card, count) in enumerate(self.view["undrawn"].items()):
            glyph, mark = CARD_LOOKS[card]
            x, y = 40 + 69 * place, 520
            shown = mark if glyph in ("skull", "ship") else ""
            self.canvas.add(self._on_felt(glyph, x, y, 32), text(x + 36, y + 29, count, 26, self.colours["on_felt"]))
            if shown:
                self.canvas.add(text(x + 16, y + 52, shown, 23, self.colours["mark"], "middle"))

    # -- the seats

    def _mark(self, seat: int, x: float) -> str:
        """The winner's crown, or a flag for who called the final round."""
        colours, called = self.colours, self.view["final_round"]
        if seat in self.winners:
            return self.canvas.glyph("crown", x, 18, 32, colours["turn"], colours["panel"])
        if called and called["trigger"] == seat and not self.view["over"]:
            return self.canvas.glyph("flag", x, 18, 32, colours["turn"], colours["panel"])
        return ""

    def _progress(self, seat: int, x: float, y: float, width: float) -> str:
        """How far it is to the target."""
        share = min(1.0, max(0.0, self.view["scores"][seat] / self.target))
        filled = box(x, y, max(10.0, width * share), 10, self.colours["turn"], round_=5) if share else ""
        return box(x, y, width, 10, self.colours["ground"], self.colours["line"], 1.5, 5) + filled

    def _small_dice(self, faces: Sequence[str], x: float, y: float, a_row: int, size: float) -> str:
        return "".join(
            f"<g {at(x + (size + 2) * (place % a_row), y + (size + 2) * (place // a_row))}>"
            f"{self.canvas.die(FACE_GLYPHS[face], size, FACE_SUITS[face])}</g>"
            for place, face in enumerate(faces)
        )

    def _turn(self, turn: Mapping[str, Any], x: float, y: float) -> str:
        """A turn that is over: its card, and what it brought."""
        c = self.colours
        ended = {"bust": "skull", "island": "palm", "stop": ""}[turn["ended_by"]]
        glyph, mark = CARD_LOOKS[turn["card"]]
        points = text(x + 84, y + 29, f"{turn['points']:+d}", 30, c["bad" if turn["points"] < 0 else "ink"])
        if turn["opponents"]:
            points = text(x + 84, y + 29, f"{turn['opponents']}", 28, c["bad"])
            points += self.canvas.glyph(
                "waves", x + 84 + 17 * (len(str(turn["opponents"])) + 1), y + 6, 24, c["bad"], c["panel"]
            )
        small = text(x + 35, y + 31, mark, 20, c["soft"]) if glyph in ("skull", "ship") else ""
        how = self.canvas.glyph(ended, x + 52, y + 3, 28, c["bad"], c["panel"]) if ended else ""
        return self.canvas.glyph(glyph, x, y, 34, c["soft"], c["panel"]) + small + how + points

    def _other(self, seat: int, x: float, width: float) -> None:
        view, turn, score = self.view, self.view["last_turns"][seat], self.view["scores"][seat]
        active = seat == view["turn_of"] and not view["over"]
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, active)}</g>", self._mark(seat, 66),
            text(width - 14, 46, score, fitted(score, 36, width - 118), self.colours["ink"], "end"),
            self._progress(seat, 14, 62, width - 28),
        ]  # fmt: skip
        if turn:
            row += [self._turn(turn, 14, 76), self._small_dice(turn["dice"], (width - 180) / 2, 114, 4, 43)]
        self.canvas.add(self.canvas.panel(seat, x, PANELS, width, PANEL, active, "".join(row)))

    def _own(self) -> None:
        view, colours, seat = self.view, self.colours, self.seats[0]
        turn, active = view["last_turns"][seat], seat == view["turn_of"] and not view["over"]
        parts = [
            f"<g {at(40, 36)}>{self.canvas.seat(seat, 24, active, own=self.seat is not None)}</g>", self._mark(seat, 76),
            text(120, 46, "score", 26, colours["soft"]), text(214, 48, view["scores"][seat], 40, colours["ink"]),
            self._progress(seat, 18, 86, 220), text(250, 99, f"/ {self.target}", 26, colours["soft"]),
        ]  # fmt: skip
        if turn:
            parts += [self._turn(turn, 420, 14), self._small_dice(turn["dice"], 420, 56, 8, 52)]
            parts.append(text(WIDTH - 52, 42, "last turn", 24, colours["soft"], "end"))
        self.canvas.add(self.canvas.panel(seat, 16, OWN, WIDTH - 32, 122, active, "".join(parts)))
