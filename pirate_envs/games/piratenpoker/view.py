"""Piratenpoker: positions and actions as plain names, back again, and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pirate_envs.core.record import TRUNCATED
from pirate_envs.games.piratenpoker.names import (
    COLOUR_NAMES,
    LOOT_NAMES,
    PASS_NAME,
    PHASES,
    POKER_NAMES,
    SIDE_NAMES,
    action,
    action_name,
    front_name,
    hand_kinds,
)
from pirate_envs.games.piratenpoker.position import OWN_KEYS, from_view
from pirate_envs.games.piratenpoker.table import (
    COLOURS,
    NO_BID,
    NUMBERS,
    PASS,
)

__all__ = ["OWN_KEYS", "action", "action_name", "from_view", "render", "view"]

# -- a record in words -------------------------------------------------------------------------------------------------


def _names(packed: np.ndarray, names: Sequence[str]) -> list[str]:
    """The cards of packed counts by colour, eight names a colour."""
    return [name for i, name in enumerate(names) for _ in range(int(packed[i // NUMBERS]) >> 8 * (i % NUMBERS) & 255)]


def _stack_names(g: np.record, colour: int) -> list[str | None]:
    """From the top; None: a card that the record does not hold."""
    bits = [int(g.stacks[colour]) >> 4 * place & 15 for place in range(int(g.stack_sizes[colour]))]
    return [front_name(colour, bit.bit_length() - 1) if bit else None for bit in bits]


def _bid_names(g: np.record, seat: int) -> str | list[str] | None:
    bid = int(g.bids[seat])
    if bid in (NO_BID, PASS):
        return PASS_NAME if bid == PASS else None
    return [POKER_NAMES[kind] for slot, kind in enumerate(hand_kinds(g, seat)) if bid >> slot & 1]


def _last_reveal(g: np.record) -> dict[str, Any] | None:
    if g.last_round == 0:
        return None
    bids: list[Any] = [_names(g.last_bids[seat], POKER_NAMES) for seat in range(int(g.players))]
    for seat, standing in enumerate(g.standing[: g.players]):
        if standing <= 0:
            bids[seat] = PASS_NAME if standing == 0 else None
    return {
        "round": int(g.last_round),
        "doubled": None if g.last_doubled < 0 else COLOUR_NAMES[g.last_doubled],
        "bids": bids,
        "winner": None if g.last_winner < 0 else int(g.last_winner),
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`); `g` is redacted already when it is one seat's."""
    seats, colours = range(int(g.players)), range(COLOURS)
    in_hand = [not g.passed[s] for s in seats]
    return {
        "phase": PHASES[g.phase],
        "first_seat": int(g.first_seat),
        "cycle": int(g.cycle),
        "round": int(g.round_number),
        "offer": [front_name(colour, int(g.offer[colour])) for colour in colours if g.offer[colour] >= 0],
        "stacks": [_stack_names(g, colour) for colour in colours],
        "hidden": [int(number) for number in g.hidden],
        "removed": [
            front_name(c, front) for c in colours for front in range(4) for _ in range(int(g.removed[c]) >> 8 * front & 255)
        ],
        "hands": [[POKER_NAMES[kind] for kind in hand_kinds(g, s)] if seat in (None, s) else int(g.sizes[s]) for s in seats],
        "pass_in_hand": in_hand,
        "in_cycle": [bool(g.pass_effect or held) for held in in_hand],
        "bids": [_bid_names(g, s) for s in seats],
        "displays": [_names(g.displays[s], LOOT_NAMES) for s in seats],
        "discard": _names(g.discard, POKER_NAMES),
        "pile": int(g.pile_size),
        "gift_to": None if g.gift_to < 0 else int(g.gift_to),
        "last_reveal": _last_reveal(g),
        "truncated": int(g.over) == TRUNCATED,
        "decisions": int(g.decisions),
    }


# -- as text -----------------------------------------------------------------------------------------------------------


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
    cards = f"{hand} cards" if isinstance(hand, int) else _cards_text(hand)
    held = "" if shown["pass_in_hand"][seat] else " (passed)"
    sealed = f"   bids {_bid_text(shown['bids'][seat])}" if shown["bids"][seat] is not None else ""
    return f"{mark} {who:<8} {shown['scores'][seat]:>6}   {_loot_text(shown['displays'][seat]):<32} {cards}{held}{sealed}"


def _stack_text(names: Sequence[str | None]) -> str:
    """The top card and how many lie under it."""
    if not names:
        return "empty"
    return f"{(names[0] or '?').split('_')[-1]} and {len(names) - 1} more"


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
    return "\n".join(lines)
