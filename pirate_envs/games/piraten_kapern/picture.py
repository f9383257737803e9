"""Piraten Kapern: a view as a picture. Card and dice lie in the middle, each seat shows its score and its last turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pirate_envs.core.sentences import Labels
from pirate_envs.core.svg import (
    CARD,
    DIE,
    EDGE,
    INK,
    PAPER,
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
    rows,
    text,
    wide,
)  # fmt: skip
from pirate_envs.games.piraten_kapern.options import PiratenKapernOptions
from pirate_envs.games.piraten_kapern.text import note_of, skulls_shown, stop_worth

FACE_GLYPHS = {"coin": "coin", "diamond": "ruby", "monkey": "monkey", "parrot": "parrot", "sabre": "sabre", "skull": "skull"}
FACE_SUITS = {"coin": "yellow", "diamond": "blue", "monkey": "paper", "parrot": "green", "sabre": "red", "skull": "black"}
CARD_LOOKS = {  # drawing and mark
    "treasure_island": ("chest", ""), "captain": ("captain", "×2"), "sorceress": ("ball", ""),
    "monkey_business": ("monkey", "="), "gold": ("coin", "+1"), "diamond": ("ruby", "+1"), "skulls_1": ("skull", "1"),
    "skulls_2": ("skull", "2"), "sea_battle_2": ("ship", "2"), "sea_battle_3": ("ship", "3"), "sea_battle_4": ("ship", "4"),
    "after_the_storm": ("storm", "×2"), "peace": ("peace", ""),
}  # fmt: skip


@dataclass(frozen=True)
class _Shape:
    """What differs between a wide and a tall picture: where things lie, on the cloth and in the own place."""

    felt: Spot
    note: Spot
    """Around the middle of its line; its height is that of the letters."""
    card: Spot
    dice: Spot
    step: tuple[float, float]
    """From die to die, from row to row."""
    skulls: Spot
    roll: tuple[float, float]
    island: tuple[float, float]
    size: float
    """Of the words on the cloth."""
    stop: Spot
    loss: tuple[float, float]
    undrawn: Spot
    kinds: tuple[int, float, float]
    """Cards still to come: how many in a row, from one to the next, from row to row."""
    own: Spot
    way: tuple[float, float, float]
    """The own progress: left and upper edge, width."""
    turn: tuple[float, float]
    thrown: tuple[float, float, float]
    """The dice of the own last turn: left and upper edge, size."""


PANELS, PANEL, FLAT = 48, 206, 162  # upper edge and height of the others' places, and if all dice lie in one row
TALL_PANELS, TALL_SCALE, IN_A_ROW = 32, 0.6, 260  # the last: width from which all dice lie in one row
_WIDE = _Shape(
    felt=Spot(16, 236, WIDTH - 32, 346), note=Spot(WIDTH / 2, 290, 860, 25), card=Spot(44, 310, *CARD, 1.5),
    dice=Spot(208, 322, DIE, DIE), step=(106, 100), skulls=Spot(652, 318, 270, 40), roll=(652, 398), island=(782, 368),
    size=28, stop=Spot(652, 418, 270, 62), loss=(652, 510), undrawn=Spot(40, 520, 32, 52), kinds=(13, 69, 0),
    own=Spot(16, 590, WIDTH - 32, 122), way=(18, 86, 220), turn=(420, 14), thrown=(420, 56, 52),
)  # fmt: skip
_TALL_OWN = Spot(EDGE, 604, (TALL[0] - 2 * EDGE) / 0.72, 146, 0.72)


def _tall(top: float) -> _Shape:
    """The tall shape, if the others' places end there: what room there is lies between the parts."""
    gap = (_TALL_OWN.y - 12 - top - 316) / 5
    card = top + 30 + gap
    skulls = card + 132 + gap
    stop = skulls + 28 + gap
    left = 2 * EDGE + 2
    return _Shape(
        felt=Spot(EDGE, top - 30, TALL[0] - 2 * EDGE, _TALL_OWN.y - top + 22),
        note=Spot(TALL[0] / 2, top + 22 + gap / 2, 350, 16),
        card=Spot(left, card, *CARD, 1.06), dice=Spot(left + 106, card + 1, DIE, DIE, 60 / DIE), step=(64, 68),
        skulls=Spot(left, skulls, 176, 26), roll=(198, skulls + 20), island=(294, skulls), size=17,
        stop=Spot(left, stop, 212, 48), loss=(244, stop + 30), undrawn=Spot(left + 4, stop + 54 + gap, 32, 52, 0.7),
        kinds=(7, 52, 37), own=_TALL_OWN, way=(18, 68, 340), turn=(18, 96), thrown=(222, 96, 33),
    )  # fmt: skip


def picture(view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> Picture:
    """The table as that seat sees it (None: seat 0 below). Raises OptionError for an unknown theme."""
    return _Table(view, seat, theme, labels, tall).drawn()


class _Table:
    """One view on its canvas."""

    def __init__(self, view: Mapping[str, Any], seat: int | None, theme: str, labels: Labels, tall: bool) -> None:
        self.view, self.seat, self.labels = view, seat, labels
        self.seats = around(len(view["scores"]), seat)
        self.target = view["options"].get("target", PiratenKapernOptions.target)
        self.legal = set(view["legal"] or ())
        best = max(view["scores"])
        won = [s for s, points in enumerate(view["scores"]) if points == best] if view["winner"] is None else [view["winner"]]
        self.winners = won if view["over"] else []
        self.places = self._places(len(self.seats) - 1, tall)
        self.shape = _tall(self.places[-1].bottom) if tall else _WIDE
        self.canvas = Canvas(theme, f"Piraten Kapern, {self._doing()}", self._told(), tall)
        self.colours = self.canvas.colours

    @staticmethod
    def _places(others: int, tall: bool) -> list[Spot]:
        if not tall:
            return columns(others, PANELS, PANEL)
        return rows(others, TALL_PANELS, PANEL if others == 3 else FLAT, TALL_SCALE)

    def drawn(self) -> Picture:
        felt = self.shape.felt
        self.canvas.header()
        self.canvas.add(self.canvas.felt(felt.x, felt.y, felt.width, felt.height, 30 if self.canvas.tall else 60))
        for seat, place in zip(self.seats[1:], self.places, strict=True):
            self._other(seat, place)
        self._own()
        self._card()
        self._dice()
        self._worth()
        self._undrawn()
        return self.canvas.done()

    # -- in words

    def _doing(self) -> str:
        view, say = self.view, self.labels
        if view["over"]:
            return say("won_by", seats=", ".join(map(str, self.winners)), n=len(self.winners))
        called = view["final_round"]
        return say("final_round", n=called["turns_left"]) if called else say("round", round=view["round"])

    def _told(self) -> Iterator[str]:
        view, say = self.view, self.labels
        if not view["over"]:
            yield say("card", seat=view["turn_of"], card=say(view["card"]), note=say(note_of(view)))
            yield say("dice", roll=view["rolls"], dice=say.listed(view["dice"]), kept=say.listed(view["kept"], "no_dice"))
            yield say("skulls", skulls=skulls_shown(view))
            points, loss = stop_worth(view)
            yield say("stopping", points=points, loss=loss)
        for seat in self.seats:
            turn = view["last_turns"][seat]
            last = say("turn", points=turn["points"], end=say(f"by_{turn['ended_by']}"), card=say(turn["card"])) if turn else ""
            yield say("seat", seat=seat, score=view["scores"][seat], target=self.target, last=last)

    # -- the middle

    def _on_felt(self, glyph: str, x: float, y: float, size: float) -> str:
        return self.canvas.glyph(glyph, x, y, size, self.colours["on_felt"], self.colours["felt"])

    def _card(self) -> None:
        """The fortune card, and what it says."""
        view, card, note = self.view, self.view["card"], self.shape.note
        glyph, mark = CARD_LOOKS[card]
        if card == "monkey_business":
            face = self.canvas.printed("paper", CARD, "", ("monkey", 8, 8, 48), ("parrot", 32, 66, 48))
            face += text(10, 92, "=", 34, INK)
        else:
            face = self.canvas.card("paper", mark, glyph)
        if view["sorceress_used"]:
            face += f'<path d="M4 4l80 116" stroke="{self.colours["bad"]}" stroke-width="5"/>'
        place = self.shape.card
        self.canvas.add(self.canvas.group(f"card:{card}", face, at(place.x, place.y, place.scale), told=self.labels(card)))
        words = self.labels(note_of(view))
        self.canvas.add(text(note.x, note.y, words, fitted(words, note.height, note.width), self.colours["on_felt"], "middle"))

    def _dice(self) -> None:
        """Eight dice in slot order; an anchor holds what was not rolled this time, a chest what a treasure island saves."""
        kept, place = Counter(self.view["kept"]), self.shape.dice
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
            x, y = place.x + self.shape.step[0] * (slot % 4), place.y + self.shape.step[1] * (slot // 4)
            self.canvas.add(self.canvas.group(f"die:{slot}", die, at(x, y, place.scale), reroll, self.labels(face)))

    def _worth(self) -> None:
        """Skulls, the roll, and what a stop would bring."""
        view, colours, shape, place = self.view, self.colours, self.shape, self.shape.skulls
        skulls = skulls_shown(view)
        size = min(place.height, place.width / max(3, skulls) - 4)
        for shown in range(max(3, skulls)):
            faint = "" if shown < skulls else ' opacity=".3"'
            self.canvas.add(f"<g{faint}>{self._on_felt('skull', place.x + (size + 6) * shown, place.y, size)}</g>")
        self.canvas.add(text(*shape.roll, self.labels("roll", roll=view["rolls"]), shape.size, colours["on_felt"]))
        if view["island"]:
            (x, y), across, words = shape.island, place.height, self.labels("island")
            size = fitted(words, shape.size, shape.felt.x + shape.felt.width - x - across - 12)
            self.canvas.add(
                self._on_felt("palm", x, y, across), text(x + across + 4, shape.roll[1], words, size, colours["on_felt"])
            )
        if view["over"]:
            if self.canvas.tall:
                self.canvas.add(text(shape.stop.x, shape.stop.y + 32, self._doing(), 22, colours["mark"]))
            return
        points, loss = stop_worth(view)
        words, stop = self.labels("stop_for", points=f"{points:+d}"), shape.stop
        self.canvas.add(
            self.canvas.chip(words, stop.x, stop.y, stop.width, stop.height, "stop" if "stop" in self.legal else None, "stop")
        )
        if loss:
            self.canvas.add(text(*shape.loss, self.labels("others_get", points=-loss), shape.size, colours["mark"]))

    def _undrawn(self) -> None:
        """The fortune cards that are still to come."""
        first, (a_row, across, down) = self.shape.undrawn, self.shape.kinds
        for place, (card, count) in enumerate(self.view["undrawn"].items()):
            glyph, mark = CARD_LOOKS[card]
            shown = text(16, 52, mark, 23, self.colours["mark"], "middle") if glyph in ("skull", "ship") else ""
            shown += self._on_felt(glyph, 0, 0, 32) + text(36, 29, count, 26, self.colours["on_felt"])
            x, y = first.x + across * (place % a_row), first.y + down * (place // a_row)
            self.canvas.add(f"<g {at(x, y, first.scale)}>{shown}</g>")

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

    def _turn(self, turn: Mapping[str, Any], x: float, y: float, width: float) -> str:
        """A turn that is over: its card, and what it brought."""
        c, loss = self.colours, turn["opponents"]
        ended = {"bust": "skull", "island": "palm", "stop": ""}[turn["ended_by"]]
        glyph, mark = CARD_LOOKS[turn["card"]]
        brought = str(loss) if loss else f"{turn['points']:+d}"
        size = fitted(brought, 28 if loss else 30, width - 84 - (27 if loss else 0))
        points = text(x + 84, y + 29, brought, size, c["bad" if loss or turn["points"] < 0 else "ink"])
        if loss:
            points += self.canvas.glyph("waves", x + 89 + wide(brought, size), y + 8, 22, c["bad"], c["panel"])
        small = text(x + 35, y + 31, mark, 22, c["soft"]) if glyph in ("skull", "ship") else ""
        how = self.canvas.glyph(ended, x + 52, y + 3, 28, c["bad"], c["panel"]) if ended else ""
        return self.canvas.glyph(glyph, x, y, 34, c["soft"], c["panel"]) + small + how + points

    def _other(self, seat: int, place: Spot) -> None:
        view, turn, score, width = self.view, self.view["last_turns"][seat], self.view["scores"][seat], place.width
        active, mark = seat == view["turn_of"] and not view["over"], self._mark(seat, 66)
        row = [
            f"<g {at(36, 34)}>{self.canvas.seat(seat, 22, active)}</g>", mark,
            text(width - 14, 46, score, fitted(score, 36, width - (118 if mark else 80)), self.colours["ink"], "end"),
            self._progress(seat, 14, 62, width - 28),
        ]  # fmt: skip
        if turn and self.canvas.tall and width > IN_A_ROW:
            row += [self._turn(turn, 14, 76, width - 22), self._small_dice(turn["dice"], 14, 118, 8, (width - 28) / 8 - 2)]
        elif turn:
            row += [self._turn(turn, 14, 76, width - 22), self._small_dice(turn["dice"], (width - 180) / 2, 114, 4, 43)]
        self.canvas.panel(seat, place, active, "".join(row))

    def _own(self) -> None:
        view, colours, seat, own = self.view, self.colours, self.seats[0], self.shape.own
        turn, active = view["last_turns"][seat], seat == view["turn_of"] and not view["over"]
        words, (x, y, width) = self.labels("score"), self.shape.way
        value, goal = round(120 + wide(words, 26) + 15), f"/ {self.target}"
        parts = [
            f"<g {at(40, 36)}>{self.canvas.seat(seat, 24, active, own=self.seat is not None)}</g>", self._mark(seat, 76),
            text(120, 46, words, 26, colours["soft"]), text(value, 48, view["scores"][seat], 40, colours["ink"]),
            self._progress(seat, x, y, width), text(x + width + 12, y + 13, goal, 26, colours["soft"]),
        ]  # fmt: skip
        if turn:
            left, top, size = self.shape.thrown
            parts += [self._turn(turn, *self.shape.turn, 210), self._small_dice(turn["dice"], left, top, 8, size)]
            if not self.canvas.tall:
                parts.append(text(own.width - 20, 42, self.labels("last_turn"), 24, colours["soft"], "end"))
        self.canvas.panel(seat, own, active, "".join(parts))
