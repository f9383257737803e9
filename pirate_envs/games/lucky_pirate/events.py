"""Lucky Pirate: what happened, told from a viewer's two views (core/events.py)."""

from __future__ import annotations

from typing import Any

from pirate_envs.core.events import Event, View
from pirate_envs.games.lucky_pirate.notation import NEED_NAMES
from pirate_envs.games.lucky_pirate.rules import need_after
from pirate_envs.games.lucky_pirate.state import KIND_NAMES, NUMBERS, OPEN, SKIP

FOLDED = (
    *("pile", "need", "run", "direction", "after_parrot", "hands", "known", "cannot_hold", "ups", "downs", "aside", "cleared"),
    *("turn", "game_number", "dealer", "wins", "last_plays", "scores"),
)
DEALT = ("game_number", "dealer", "hands", "ups", "downs", "aside")


def is_sealed(_: View) -> bool:
    """Nothing is."""
    return False


def events(before: View, mover: int, action: str | None, after: View) -> list[Event]:
    """What was played, flipped or picked up; what that did to the pile and the turns; the game's end and the next deal."""
    verb, *words = (action or "").split()
    again = before["game_number"] == after["game_number"] and before["turn"] == after["turn"] and not after["over"]
    told, laid = _cards(before, mover, verb, words, after)
    if again:
        return [*told, {"event": "played_on", "seat": mover, "may_stop": after["after_parrot"]}]
    over = after["over"] or before["game_number"] != after["game_number"]
    told += _turned(before, after) if after["over"] else [] if over else _order(before, mover, laid, after)
    told.append({"event": "turn_ended", "seat": mover})
    if over:
        won = after["wins"][mover] > before["wins"][mover]
        told.append({"event": "game_won", "seat": mover} if won else {"event": "game_cut_short"})
    if over and not after["over"]:
        told.append({"event": "dealt", **{key: after[key] for key in DEALT}})
    return told


def _order(before: View, mover: int, laid: list[str], after: View) -> list[Event]:
    """What the cards did to the order of the seats (R19, R20)."""
    direction, players, skips = after["direction"], len(after["wins"]), laid.count(KIND_NAMES[SKIP])
    seats = [(mover + direction * (1 + skip)) % players for skip in range(skips)]
    return [*_turned(before, after), *([{"event": "skipped", "seats": seats}] if skips else [])]


def _turned(before: View, after: View) -> list[Event]:
    direction = after["direction"]
    return [{"event": "direction_turned", "direction": direction}] if direction != before["direction"] else []


def _cards(before: View, mover: int, verb: str, words: list[str], after: View) -> tuple[list[Event], list[str]]:
    """What the mover did with cards, and those that lie on the pile for it."""
    last = after["last_plays"][mover]
    flipped = last["flipped"]
    result = last["result"]
    laid = words if verb == "play" else [flipped] if flipped and result != "picked up" else []
    told: list[Event] = []
    if verb == "stop":
        told.append({"event": "stopped", "seat": mover})
    if verb == "play":
        told.append({"event": "cards_played", "seat": mover, "cards": words, "from": before["phase"]})
    if verb == "flip":
        told.append({"event": "flipped", "seat": mover, "slot": int(words[0]), "card": flipped, "fits": bool(laid)})
    if result == "cleared":
        told.append({"event": "pile_cleared", "seat": mover, "cards": [*before["pile"], *laid]})
    if result == "picked up":
        cards = [*before["pile"], *([flipped] if flipped else [])]
        told.append({"event": "picked_up", "seat": mover, "cards": cards, "proves": _proved(before, mover, after)})
    return told, laid


def _proved(before: View, mover: int, after: View) -> list[str]:
    """Cards that the rest of the hand is now known not to hold; those known before if a new game hides it."""
    told = after if before["game_number"] == after["game_number"] else before
    return list(told["cannot_hold"][mover])


# -- into a view -------------------------------------------------------------------------------------------------------


def _in_order(cards: list[str]) -> list[str]:
    return sorted(cards, key=KIND_NAMES.index)


def _lay(view: dict[str, Any], cards: list[str]) -> None:
    kind = KIND_NAMES.index(cards[0])
    value, length = view["run"] or (0, 0)
    view["run"] = None if kind >= NUMBERS else [kind + 1, len(cards) + (length if value == kind + 1 else 0)]
    view["need"] = NEED_NAMES[need_after(kind, NEED_NAMES.index(view["need"]))]
    view["pile"] = [*view["pile"], *cards]


def _open_pile(view: dict[str, Any]) -> None:
    view |= {"pile": [], "need": NEED_NAMES[OPEN], "run": None}


def _size(hand: list[str] | int) -> int:
    return hand if isinstance(hand, int) else len(hand)


def _fold_play(view: dict[str, Any], event: Event) -> None:
    view["after_parrot"] = False
    seat, cards = event["seat"], event["cards"]
    view["last_plays"][seat] = {"action": f"play {' '.join(cards)}", "flipped": None, "result": "played"}
    if event["from"] == "ups":
        for card in cards:
            view["ups"][seat][view["ups"][seat].index(card)] = None
    else:
        _take_from_hand(view, seat, cards)
    _lay(view, cards)


def _take_from_hand(view: dict[str, Any], seat: int, cards: list[str]) -> None:
    hand, known = view["hands"][seat], view["known"][seat]
    for card in cards:
        if card in known:
            known.remove(card)
        if not isinstance(hand, int):
            hand.remove(card)
    if isinstance(hand, int):
        view["hands"][seat] = hand - len(cards)
    if _size(view["hands"][seat]) == len(known):
        view["cannot_hold"][seat] = []


def _fold_flip(view: dict[str, Any], event: Event) -> None:
    view["after_parrot"] = False
    seat, card = event["seat"], event["card"]
    view["downs"][seat][event["slot"]] = None
    result = "played" if event["fits"] else "picked up"
    view["last_plays"][seat] = {"action": f"flip {event['slot']}", "flipped": card, "result": result}
    if event["fits"]:
        _lay(view, [card])


def _fold_clear(view: dict[str, Any], event: Event) -> None:
    view["cleared"] = _in_order([*view["cleared"], *event["cards"]])
    view["last_plays"][event["seat"]]["result"] = "cleared"
    _open_pile(view)


def _fold_pick_up(view: dict[str, Any], event: Event) -> None:
    view["after_parrot"] = False
    seat, cards = event["seat"], event["cards"]
    if len(cards) == len(view["pile"]):  # nothing was flipped before
        view["last_plays"][seat] = {"action": "pick up", "flipped": None, "result": "picked up"}
    hand = view["hands"][seat]
    view["hands"][seat] = hand + len(cards) if isinstance(hand, int) else _in_order([*hand, *cards])
    view["known"][seat] = _in_order([*view["known"][seat], *cards])
    view["cannot_hold"][seat] = event["proves"]
    _open_pile(view)


def _fold_stop(view: dict[str, Any], event: Event) -> None:
    view["after_parrot"] = False
    view["last_plays"][event["seat"]] = {"action": "stop", "flipped": None, "result": "stopped"}


def _fold_play_on(view: dict[str, Any], event: Event) -> None:
    view["after_parrot"] = event["may_stop"]


def _fold_direction(view: dict[str, Any], event: Event) -> None:
    view["direction"] = event["direction"]


def _fold_turn(view: dict[str, Any], _: Event) -> None:
    view["turn"] += 1


def _fold_win(view: dict[str, Any], event: Event) -> None:
    view["wins"][event["seat"]] += 1
    view["scores"] = list(view["wins"])
    view["dealer"] = event["seat"]


def _fold_deal(view: dict[str, Any], event: Event) -> None:
    seats = range(len(event["hands"]))
    _open_pile(view)
    view |= {key: event[key] for key in DEALT}
    view |= {"known": [[] for _ in seats], "cannot_hold": [[] for _ in seats], "cleared": [], "turn": 0, "direction": 1}


def _nothing(*_: Any) -> None:
    pass


FOLDS = {
    "cards_played": _fold_play,
    "flipped": _fold_flip,
    "pile_cleared": _fold_clear,
    "picked_up": _fold_pick_up,
    "stopped": _fold_stop,
    "played_on": _fold_play_on,
    "direction_turned": _fold_direction,
    "skipped": _nothing,
    "turn_ended": _fold_turn,
    "game_won": _fold_win,
    "game_cut_short": _nothing,
    "dealt": _fold_deal,
}
