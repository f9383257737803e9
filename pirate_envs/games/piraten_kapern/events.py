"""Piraten Kapern: what happened, told from a viewer's two views (core/events.py). All is open; one decision may end many turns.

A view keeps each seat's last turn only. Where so many turns end at their first roll that one of these is overwritten, the
turns are told as one event, `turns_passed`, with what they have changed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pirate_envs.core.events import Event, View
from pirate_envs.core.seats import NO_ONE
from pirate_envs.games import load
from pirate_envs.games.piraten_kapern import rules
from pirate_envs.games.piraten_kapern.notation import ISLAND
from pirate_envs.games.piraten_kapern.state import CARDS, FACES, SKULL

FOLDED = (
    *("phase", "turn", "round", "turn_of", "card", "dice", "rolls", "kept", "sorceress_used", "island", "final_round"),
    *("undrawn", "last_turns", "winner", "scores"),
)
ON_THE_TABLE = ("phase", "round", "turn_of", "card", "dice", "rolls", "kept", "sorceress_used", "island")


def is_sealed(_: View) -> bool:
    """Nothing is."""
    return False


def events(before: View, mover: int, action: str | None, after: View) -> list[Event]:
    """The dice rolled; if the turn ends, its end, every turn that ends at its first roll, and the beginning of the next one."""
    ended = after["turn"] - before["turn"] + int(after["over"])
    rerolled = (action or "").split()[1:]
    if ended == 0:
        return _rolled_again(before, mover, rerolled, after["dice"])
    table = _Table(before)
    told = _rolled_again(before, mover, rerolled, after["last_turns"][mover]["dice"])
    turns = [table.turn(number, after) for number in range(ended)]
    if table.is_at(after):
        told += [event for turn in turns for event in turn]
    else:
        told = [_passed(ended, after)]
        table.undrawn = Counter(told[0]["undrawn"])
    return told if after["over"] else [*told, *table.begun(after["turn_of"], after["card"], after["dice"], after["island"])]


def _rolled_again(before: View, mover: int, rerolled: list[str], dice: list[str]) -> list[Event]:
    if not rerolled:
        return []
    left = Counter[str](before["dice"]) - Counter(rerolled)
    kept = [face for face in FACES for _ in range(left[face])]
    rescued = [{"event": "skull_rescued", "seat": mover}] if FACES[SKULL] in rerolled else []
    rolled = {"seat": mover, "rerolled": rerolled, "kept": kept, "dice": dice, "rolls": before["rolls"] + 1}
    return [*rescued, {"event": "dice_rolled", **rolled}]


def _passed(ended: int, after: View) -> Event:
    """Turns that nobody could follow. The turn that begins has not drawn its card yet; the last one of all lies there."""
    undrawn, final = dict(after["undrawn"]), after["final_round"]
    if not after["over"]:
        undrawn[after["card"]] = undrawn.get(after["card"], 0) + 1
        final = final and {**final, "turns_left": final["turns_left"] + 1}
    changed = {key: after[key] for key in ("last_turns", "winner", "scores", *(ON_THE_TABLE if after["over"] else ()))}
    return {"event": "turns_passed", "turns": ended, "undrawn": undrawn, "final_round": final, **changed}


class _Table:
    """Goes through the turns that end, by what each seat's last one tells and the rules of the final round (R26 to R29)."""

    def __init__(self, before: View) -> None:
        game = load("piraten_kapern", **before["options"])
        self.deck = dict(zip(CARDS, game.options.counts, strict=True))  # type: ignore[attr-defined]
        self.undrawn = Counter[str](before["undrawn"])
        self.seen: list[int] = []
        self.g = game.empty(1)[0]
        self.g.scores[: game.players] = before["scores"]
        self.g.turn, self.g.to_move, self.g.winner = before["turn"], before["turn_of"], NO_ONE
        final = before["final_round"] or {"trigger": NO_ONE, "turns_left": 0}
        self.g.trigger, self.g.turns_left = final["trigger"], final["turns_left"]

    def is_at(self, after: View) -> bool:
        """Have the turns led here, each seat's one at most?"""
        arrived = self.g.scores[: self.g.players].tolist() == after["scores"] and self.g.to_move == after["turn_of"]
        return arrived and len(set(self.seen)) == len(self.seen)

    def turn(self, number: int, after: View) -> list[Event]:
        """The next turn to end, from its card on; the first one (number 0) had begun before."""
        g, seat = self.g, int(self.g.to_move)
        self.seen.append(seat)
        last = after["last_turns"][seat] or {"card": after["card"], "dice": [], "ended_by": "", "points": 0, "opponents": 0}
        told = self.begun(seat, last["card"], last["dice"], last["ended_by"] == ISLAND) if number else []
        g.scores[: g.players] += last["opponents"]
        g.scores[seat] += last["points"] - last["opponents"]
        wins = after["winner"] == seat
        told.append({"event": "turn_ended", "seat": seat, **last, "wins_at_once": wins})
        trigger, turns_left = int(g.trigger), int(g.turns_left)
        if not wins:
            rules.check_final_round(g)
            if (g.trigger, g.turns_left) != (trigger, turns_left):
                called = None if g.trigger == NO_ONE else int(g.trigger)
                told.append({"event": "final_round", "trigger": called, "turns_left": int(g.turns_left)})
            rules.pass_dice(g)
        return told

    def begun(self, seat: int, card: str, dice: list[str], island: bool) -> list[Event]:
        """A turn's card and first roll."""
        shuffled = None if self.undrawn.total() else self.deck
        self.undrawn = self.undrawn or Counter(self.deck)
        self.undrawn -= Counter([card])
        return [
            {"event": "card_drawn", "seat": seat, "card": card, "shuffled": shuffled},
            {"event": "dice_rolled", "seat": seat, "rerolled": [], "kept": [], "dice": dice, "rolls": 1},
            *([{"event": "island_entered", "seat": seat}] if island else []),
        ]


# -- into a view -------------------------------------------------------------------------------------------------------


def _fold_card(view: dict[str, Any], event: Event) -> None:
    view["turn"] += 1
    view["round"] = view["turn"] // len(view["scores"]) + 1
    if view["final_round"]:
        view["final_round"]["turns_left"] -= 1
    left = Counter[str](event["shuffled"] or view["undrawn"]) - Counter[str]([event["card"]])
    view["undrawn"] = {card: left[card] for card in CARDS if left[card]}
    view |= {"turn_of": event["seat"], "card": event["card"], "sorceress_used": False, "island": False, "phase": "turn"}


def _fold_dice(view: dict[str, Any], event: Event) -> None:
    view |= {key: event[key] for key in ("dice", "kept", "rolls")}


def _fold_rescue(view: dict[str, Any], _: Event) -> None:
    view["sorceress_used"] = True


def _fold_island(view: dict[str, Any], _: Event) -> None:
    view |= {"island": True, "phase": "island"}


def _fold_turn(view: dict[str, Any], event: Event) -> None:
    seat = event["seat"]
    view["last_turns"][seat] = {key: event[key] for key in ("card", "dice", "ended_by", "points", "opponents")}
    changes = [event["points" if other == seat else "opponents"] for other in range(len(view["scores"]))]
    view["scores"] = [score + change for score, change in zip(view["scores"], changes, strict=True)]
    if event["wins_at_once"]:
        view["winner"] = seat


def _fold_final_round(view: dict[str, Any], event: Event) -> None:
    told = {key: event[key] for key in ("trigger", "turns_left")}
    view["final_round"] = None if event["trigger"] is None else told


def _fold_passed(view: dict[str, Any], event: Event) -> None:
    view |= {key: value for key, value in event.items() if key not in ("event", "turns")}
    view["turn"] += event["turns"] - 1


FOLDS = {
    "card_drawn": _fold_card,
    "dice_rolled": _fold_dice,
    "skull_rescued": _fold_rescue,
    "island_entered": _fold_island,
    "turn_ended": _fold_turn,
    "final_round": _fold_final_round,
    "turns_passed": _fold_passed,
}
