"""Lucky Pirate: a view as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pirate_envs.core.sentences import labels_of
from pirate_envs.games import load


def _heap_text(names: Sequence[str]) -> str:
    """'4 4 captain' as '4 x2, captain'."""
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in Counter(names).items())


def _play_text(play: Mapping[str, Any] | None) -> str:
    if play is None:
        return ""
    flipped = f": {play['flipped']}" if play["flipped"] else ""
    result = "" if play["result"] in ("played", "stopped") or play["action"] == "pick up" else f", {play['result']}"
    return f"{play['action']}{flipped}{result}"


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    mark = ">" if seat == shown["to_move"] else " "
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    table = " ".join(f"{up or '-'}/{down or '-'}" for up, down in zip(shown["ups"][seat], shown["downs"][seat], strict=True))
    hand = shown["hands"][seat]
    cards = _counted(hand) + _told(shown, seat) if isinstance(hand, int) else _heap_text(hand) or "empty"
    return f"{mark} {who:<8} {shown['wins'][seat]:>4}   {table:<36}  {cards}"


def _counted(cards: int) -> str:
    return labels_of(load("lucky_pirate"))("cards", n=cards)


def _told(shown: Mapping[str, Any], seat: int) -> str:
    """What all know of a hand: ' (4 x2; else no captain, kraken)'."""
    known, barred = _heap_text(shown["known"][seat]), ", ".join(shown["cannot_hold"][seat])
    told = [known] * bool(known) + [f"else no {barred}"] * bool(barred)
    return f" ({'; '.join(told)})" if told else ""


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: the pile, then the seats (> to move) with ups/downs and hands, and what each did last."""
    pile, need = shown["pile"], shown["need"]
    doing = "cut short" if shown["truncated"] else "over" if shown["over"] else f"turn {shown['turn'] + 1}"
    asks = {"open": "anything goes", "captain": "captain: first mate, porthole or captain"}.get(need, f"{need} or more")
    top = f"... {' '.join(pile[-8:])}" if len(pile) > 8 else " ".join(pile) or "none"
    lines = [
        f"Lucky Pirate, game {shown['game_number']}: {doing}, to the {'left' if shown['direction'] == 1 else 'right'}",
        f"pile:  {top}   ({_counted(len(pile))}; {asks})",
        f"  seat     wins   {'ups/downs':<36}  hand",
        *(_seat_line(shown, other, seat) for other in range(len(shown["hands"]))),
    ]
    last = [f"{other} {_play_text(play)}" for other, play in enumerate(shown["last_plays"]) if play]
    return "\n".join([*lines, f"last plays: {' · '.join(last)}"] if last else lines)
