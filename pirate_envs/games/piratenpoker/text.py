"""Piratenpoker: a view as text for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pirate_envs.core.sentences import labels_of
from pirate_envs.games import load
from pirate_envs.games.piratenpoker.notation import COLOUR_NAMES, SIDE_NAMES


def _cards_text(names: Sequence[str]) -> str:
    """'green 3 5 5 | yellow 8'."""
    groups = []
    for colour in COLOUR_NAMES:
        shown = [name.removeprefix(f"{colour}_") for name in names if name.startswith(colour)]
        if shown:
            groups.append(f"{colour} {' '.join(shown)}")
    return " | ".join(groups) or "-"


def _loot_text(names: Sequence[str]) -> str:
    """Sides without their colours, '+8 shark -4'."""
    return " ".join(sorted((name.split("_")[1] for name in names), key=SIDE_NAMES.index)) or "-"


def _bid_text(bid: Any) -> str:
    return "?" if bid is None else bid if isinstance(bid, str) else _cards_text(bid)


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    mark = ">" if seat == shown["to_move"] else " "
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    hand = shown["hands"][seat]
    cards = labels_of(load("piratenpoker"))("cards", n=hand) if isinstance(hand, int) else _cards_text(hand)
    held = "" if shown["pass_in_hand"][seat] else " (passed)"
    sealed = f"   bids {_bid_text(shown['bids'][seat])}" if shown["bids"][seat] is not None else ""
    return f"{mark} {who:<8} {shown['scores'][seat]:>6}   {_loot_text(shown['displays'][seat]):<32} {cards}{held}{sealed}"


def _stack_text(names: Sequence[str | None]) -> str:
    """The top card and how many lie under it."""
    if not names:
        return "empty"
    return f"{(names[0] or '?').split('_')[-1]} and {len(names) - 1} more"


def _held_text(shown: Mapping[str, Any], seat: int) -> str:
    """What the others hold for certain: all cards held at the reshuffle less the own ones, and less what they staked since."""
    past = shown["reshuffle"]
    held = Counter(past["held"]) + Counter(past["drawn"][seat])  # with the own cards drawn since
    held -= Counter(shown["discard"]) + Counter(shown["hands"][seat])
    return _cards_text(sorted(held.elements()))


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: loot on offer and stacks, the seats (> to move) with displays and hands, the last reveal."""
    doing = "the match is over" if shown["over"] else f"round {shown['round']}, {shown['phase']}"
    stacks = ", ".join(f"{name}: {_stack_text(stack)}" for name, stack in zip(COLOUR_NAMES, shown["stacks"], strict=True))
    lines = [
        f"Piratenpoker, cycle {shown['cycle']}: {doing}",
        f"on offer: {' '.join(shown['offer']) or '-'}   (stacks: {stacks})",
        f"  seat      score   {'loot':<32} hand",
        *(_seat_line(shown, other, seat) for other in range(len(shown["hands"]))),
    ]
    last = shown["last_reveal"]
    if last:
        bids = " · ".join(
            f"{s} {_bid_text(bid)}{'*' if s == last['winner'] else ''}" for s, bid in enumerate(last["bids"]) if bid
        )
        lines.append(f"last reveal (round {last['round']}): {bids}")
    if shown["reshuffle"] and seat is not None:
        lines.append(f"the others hold at least: {_held_text(shown, seat)}")
    return "\n".join(lines)
