"""Skull King: a view as text."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pirate_envs.core.seats import after
from pirate_envs.core.sentences import labels_of
from pirate_envs.games import load
from pirate_envs.games.skull_king import rules
from pirate_envs.games.skull_king.notation import PLAYED_KINDS, SUIT_NAMES
from pirate_envs.games.skull_king.state import MAX_HAND


def winning(shown: Mapping[str, Any]) -> int:
    """The seat that would win the trick on the table now."""
    return _winning(tuple(shown["options"].items()), shown["leader"], tuple(shown["trick"]))


@functools.lru_cache(1 << 12)
def _winning(options: tuple[tuple[str, Any], ...], leader: int, trick: tuple[str, ...]) -> int:
    g = _empty(options).copy()
    rules.start_trick(g, leader)
    for place, name in enumerate(trick):
        rules.lay_card(g, after(leader, place, int(g.players)), PLAYED_KINDS[name])
    return int(g.winning)


@functools.lru_cache
def _empty(options: tuple[tuple[str, Any], ...]) -> np.record:
    return load("skull_king", **dict(options)).empty(1)[0]


def _cards_in_order(leader: int, names: Sequence[str], players: int, winner: int) -> str:
    """'0 yellow_5 · 1 pirate* · ...', the winner's card starred."""
    seats = [after(leader, place, players) for place in range(len(names))]
    return " · ".join(f"{seat} {name}{'*' if seat == winner else ''}" for seat, name in zip(seats, names, strict=True))


def _hand_text(names: Sequence[str]) -> str:
    """'yellow 3 5 | black 13 | pirate escape escape'."""
    groups = []
    for suit in SUIT_NAMES:
        numbers = [name.removeprefix(f"{suit}_") for name in names if name.startswith(f"{suit}_")]
        if numbers:
            groups.append(f"{suit} {' '.join(numbers)}")
    specials = [name for name in names if not name.startswith(SUIT_NAMES)]
    return " | ".join(groups + ([" ".join(specials)] if specials else [])) or "-"


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    bid, hand = shown["bids"][seat], shown["hands"][seat]
    marks = (">" if seat == shown["to_move"] else " ") + ("L" if seat == shown["leader"] else " ")
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    cards = labels_of(load("skull_king"))("cards", n=hand) if isinstance(hand, int) else _hand_text(hand)
    voids = f"   no {', '.join(shown['voids'][seat])}" if shown["voids"][seat] else ""
    won, bonus, score = (shown[key][seat] for key in ("tricks_won", "bonus", "scores"))
    return f"{marks} {who:<8} {'?' if bid is None else bid:>3} {won:>4} {bonus:>6} {score:>6}   {cards}{voids}"


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: the table of seats (> to move, L leads), the trick on the table (* is winning) and the last one."""
    players, last = len(shown["hands"]), shown["last_trick"]
    doing = "the match is over" if shown["over"] else "bidding" if shown["phase"] == "bid" else "playing"
    lines = [
        f"Skull King, hand {shown['hand_number']} of {shown['options'].get('last_hand', MAX_HAND)}: {doing}",
        "   seat     bid  won  bonus  score   hand",
        *(_seat_line(shown, other, seat) for other in range(players)),
    ]
    if shown["trick"]:
        lines.append(f"trick: {_cards_in_order(shown['leader'], shown['trick'], players, winning(shown))}")
    if last:
        bonus = f", bonus {last['bonus']}" if last["bonus"] else ""
        lines.append(f"last trick: {_cards_in_order(last['leader'], last['cards'], players, last['winner'])}{bonus}")
    return "\n".join(lines)
