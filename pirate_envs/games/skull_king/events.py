"""Skull King: what happened, told from a viewer's two views (core/events.py)."""

from __future__ import annotations

from typing import Any

from pirate_envs.core.events import Event, View
from pirate_envs.games.skull_king.notation import MARY, PLAYED_NAMES, SUIT_NAMES
from pirate_envs.games.skull_king.options import SkullKingOptions

FOLDED = (
    *("phase", "hand_number", "first_leader", "leader", "bids", "tricks_won", "bonus", "hands", "voids", "trick", "played"),
    *("last_trick", "scores"),
)


def is_sealed(before: View) -> bool:
    """Bids are, unless they are made openly (R4)."""
    return before["phase"] == "bid" and SkullKingOptions.of(**before["options"]).bidding == "sealed"


def events(before: View, mover: int, action: str | None, after: View) -> list[Event]:
    """A bid, and the reveal after the last one; or a card, and the trick, the hand and the deal that it ends or brings."""
    if before["phase"] == "bid":
        made = [{"event": "bid", "seat": mover, "tricks": None if action is None else int(action.removeprefix("bid "))}]
        return made if after["phase"] == "bid" else [*made, {"event": "bids_revealed", "bids": after["bids"]}]
    return [
        _card_played(before, mover, after),
        *_trick_won(before, after),
        *_hand_scored(before, after),
        *_dealt(before, after),
    ]


def _trick_ends(before: View) -> bool:
    return len(before["trick"]) + 1 == len(before["bids"])


def _hand_ends(before: View) -> bool:
    return _trick_ends(before) and sum(before["tricks_won"]) + 1 == before["hand_number"]


def _deals(before: View, after: View) -> bool:
    return _hand_ends(before) and not after["over"]


def _card_played(before: View, mover: int, after: View) -> Event:
    card = after["last_trick"]["cards"][-1] if _trick_ends(before) else after["trick"][-1]
    void = None
    if not _deals(before, after):
        void = next((suit for suit in after["voids"][mover] if suit not in before["voids"][mover]), None)
    return {"event": "card_played", "seat": mover, "card": card, "shows_void": void}


def _trick_won(before: View, after: View) -> list[Event]:
    return [{"event": "trick_won", **after["last_trick"]}] if _trick_ends(before) else []


def _hand_scored(before: View, after: View) -> list[Event]:
    if not _hand_ends(before):
        return []
    last = after["last_trick"]
    points = [now - then for now, then in zip(after["scores"], before["scores"], strict=True)]
    return [
        {
            "event": "hand_scored",
            "hand_number": before["hand_number"],
            "bids": before["bids"],
            "tricks_won": _added(before["tricks_won"], last["winner"], 1),
            "bonus": _added(before["bonus"], last["winner"], last["bonus"]),
            "points": points,
        }
    ]


def _added(numbers: list[int], seat: int, more: int) -> list[int]:
    return [number + (more if other == seat else 0) for other, number in enumerate(numbers)]


def _dealt(before: View, after: View) -> list[Event]:
    if not _deals(before, after):
        return []
    return [{"event": "dealt", **{key: after[key] for key in ("hand_number", "first_leader", "hands")}}]


# -- into a view -------------------------------------------------------------------------------------------------------


def _fold_bid(view: dict[str, Any], event: Event) -> None:
    view["bids"][event["seat"]] = event["tricks"]


def _fold_reveal(view: dict[str, Any], event: Event) -> None:
    view |= {"bids": list(event["bids"]), "phase": "play"}


def _fold_card(view: dict[str, Any], event: Event) -> None:
    seat, card = event["seat"], event["card"]
    held = view["hands"][seat]
    if isinstance(held, int):
        view["hands"][seat] = held - 1
    else:
        held.remove(MARY if card.startswith(MARY) else card)
    if event["shows_void"]:
        view["voids"][seat] = sorted([*view["voids"][seat], event["shows_void"]], key=SUIT_NAMES.index)
    view["trick"].append(card)


def _fold_trick(view: dict[str, Any], event: Event) -> None:
    winner = event["winner"]
    view["tricks_won"][winner] += 1
    view["bonus"][winner] += event["bonus"]
    view["last_trick"] = {key: value for key, value in event.items() if key != "event"}
    view["leader"] = winner
    view["played"] = sorted([*view["played"], *view["trick"]], key=PLAYED_NAMES.index)
    view["trick"] = []


def _fold_score(view: dict[str, Any], event: Event) -> None:
    view["scores"] = [score + more for score, more in zip(view["scores"], event["points"], strict=True)]


def _fold_deal(view: dict[str, Any], event: Event) -> None:
    seats = range(len(event["hands"]))
    view |= {key: value for key, value in event.items() if key != "event"}
    view |= {"phase": "bid", "leader": event["first_leader"], "bids": [None for _ in seats], "voids": [[] for _ in seats]}
    view |= {"tricks_won": [0 for _ in seats], "bonus": [0 for _ in seats], "trick": [], "played": []}


FOLDS = {
    "bid": _fold_bid,
    "bids_revealed": _fold_reveal,
    "card_played": _fold_card,
    "trick_won": _fold_trick,
    "hand_scored": _fold_score,
    "dealt": _fold_deal,
}
