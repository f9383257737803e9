"""Piratenpoker: names of cards and actions, and what a view holds (positions.py reads it)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pirate_envs.core.errors import IllegalActionError, PositionError
from pirate_envs.core.record import TRUNCATED, plain
from pirate_envs.core.seats import after
from pirate_envs.games.piratenpoker.state import (
    ACTIONS,
    BACKS,
    BELOW_ACTION,
    COLOURS,
    EMPTY,
    FRONTS,
    GIVE,
    GIVE_NOTHING,
    HAND,
    KINDS,
    MAX_PLAYERS,
    NO_BID,
    NUMBERS,
    OVERBOARD_ACTION,
    PASS,
    SIDES,
    TURN,
)

COLOUR_NAMES = ("green", "red", "yellow")
POKER_NAMES = [f"{colour}_{number}" for colour in COLOUR_NAMES for number in range(1, NUMBERS + 1)]
SIDE_NAMES = [*(f"+{front}" for front in FRONTS), "shark", *(str(back) for back in BACKS[1:])]
LOOT_NAMES = [f"{colour}_{side}" for colour in COLOUR_NAMES for side in SIDE_NAMES]  # colour * 8 + side
PHASES = ("bid", "overboard", "below", "gift")
PASS_NAME = "pass"


def front_name(colour: int, front: int) -> str:
    """The front of a loot card."""
    return LOOT_NAMES[colour * SIDES + front]


def index_of(field: str, name: Any, names: Sequence[str]) -> int:
    """The place of a name among those that the field may hold. Raises PositionError."""
    if not isinstance(name, str) or name not in names:
        raise PositionError(f"{field}: unknown name {name!r}; names are like {names[len(names) // 2]!r}, {names[-1]!r}")
    return names.index(name)


def packed(kinds: Sequence[int], colour: int) -> int:
    """Packed counts of those cards that are of one colour."""
    return sum(1 << 8 * (kind % NUMBERS) for kind in kinds if kind // NUMBERS == colour)


# -- actions -----------------------------------------------------------------------------------------------------------


def hand_kinds(g: np.record, seat: int) -> list[int]:
    """Kinds of a hand's cards in slot order."""
    return [*_kinds(int(g.hands[seat]))]


@functools.lru_cache(1 << 12)
def _kinds(hand: int) -> tuple[int, ...]:
    kinds = (hand >> 8 * slot & 255 for slot in range(HAND))
    return tuple(kind for kind in kinds if kind != EMPTY)


@functools.lru_cache(1 << 14)
def _bid_name(hand: int, bid: int) -> str:
    return "bid " + " ".join(POKER_NAMES[kind] for slot, kind in enumerate(_kinds(hand)) if bid >> slot & 1)


def _seat_on(g: np.record, steps: int) -> int:
    return (int(g.to_move) + steps) % int(g.players)


def action_name(g: np.record, action: int) -> str:
    """'pass', 'bid green_5 red_4', 'overboard green to 2', 'below green', 'give -4 to 1', 'give nothing'."""
    if action == PASS:
        return "pass"
    if action < OVERBOARD_ACTION:
        return _bid_name(int(g.hands[int(g.to_move)]), action)
    if action < BELOW_ACTION:
        colour, steps = divmod(action - OVERBOARD_ACTION, MAX_PLAYERS)
        return f"overboard {COLOUR_NAMES[colour]} to {_seat_on(g, steps)}"
    if action < GIVE_NOTHING:
        return f"below {COLOUR_NAMES[action - BELOW_ACTION]}"
    if action == GIVE_NOTHING:
        return "give nothing"
    back, steps = divmod(action - GIVE, MAX_PLAYERS - 1)
    return f"give {BACKS[back + 1]} to {_seat_on(g, steps + 1)}"


def bid_named(g: np.record, names: list[str]) -> int | None:
    """The bid of these cards, the lowest slots of each kind; None if the hand does not hold them."""
    held = [POKER_NAMES[kind] for kind in hand_kinds(g, int(g.to_move))]
    slots = 0
    for name in names:
        free = [slot for slot, card in enumerate(held) if card == name and not slots >> slot & 1]
        if not free:
            return None
        slots |= 1 << free[0]
    return slots or None


def _choice_named(g: np.record, words: list[str]) -> int | None:
    """The action of these words but for bids, or None."""
    names = {action_name(g, action): action for action in reversed(range(OVERBOARD_ACTION, ACTIONS))}  # the nearest seat counts
    return names.get(" ".join(words))


def action(g: np.record, name: str) -> int:
    """The id of the action of that name. Raises IllegalActionError if there is none."""
    words = name.split() if isinstance(name, str) else []
    found = PASS if words == ["pass"] else bid_named(g, words[1:]) if words[:1] == ["bid"] else _choice_named(g, words)
    if found is None:
        raise IllegalActionError(
            f"{name!r} names no action here; names are like 'pass', 'bid green_5 red_4' with cards held, 'overboard green "
            "to 2', 'below green', 'give -4 to 1', 'give nothing'"
        )
    return found


# -- a record in words -------------------------------------------------------------------------------------------------


def _names(packed: Sequence[int], names: Sequence[str]) -> list[str]:
    """The cards of packed counts by colour, eight names a colour."""
    return [name for i, name in enumerate(names) for _ in range(packed[i // NUMBERS] >> 8 * (i % NUMBERS) & 255)]


def _stack_names(g: Any, colour: int) -> list[str | None]:
    """From the top; None: a card that the record does not hold."""
    bits = [g.stacks[colour] >> 4 * place & 15 for place in range(g.stack_sizes[colour])]
    return [front_name(colour, bit.bit_length() - 1) if bit else None for bit in bits]


def _bid_names(g: Any, seat: int) -> str | list[str] | None:
    bid = g.bids[seat]
    if bid in (NO_BID, PASS):
        return PASS_NAME if bid == PASS else None
    return [POKER_NAMES[kind] for slot, kind in enumerate(hand_kinds(g, seat)) if bid >> slot & 1]


def _last_reveal(g: Any) -> dict[str, Any] | None:
    if g.last_round == 0:
        return None
    bids: list[Any] = [_names(g.last_bids[seat], POKER_NAMES) for seat in range(g.players)]
    for seat, standing in enumerate(g.standing[: g.players]):
        if standing <= 0:
            bids[seat] = PASS_NAME if standing == 0 else None
    return {
        "round": g.last_round,
        "doubled": None if g.last_doubled < 0 else COLOUR_NAMES[g.last_doubled],
        "bids": bids,
        "winner": None if g.last_winner < 0 else g.last_winner,
    }


def _reshuffle(g: Any, seat: int | None) -> dict[str, Any] | None:
    if g.reshuffled == 0:
        return None
    now, *earlier = (_window(g, seat, window) for window in range(g.reshuffled))
    if g.staked_turn != (len(now["staked"]) - 1) % 2:
        now["staked"].append([])
    return now | {"earlier": earlier} if earlier else now


def _window(g: Any, seat: int | None, window: int) -> dict[str, Any]:
    """What is known of the time from one reshuffle to the next."""
    cycles: list[list[Any]] = [[]]
    ends = [sizes[window - 1] for sizes in g.held_sizes] if window else g.sizes
    drawn: list[Any] = [ends[s] - g.held_sizes[s][window] for s in range(g.players)]
    turn = 0
    for code in g.staked[window][: g.staked_count[window]]:
        if code // TURN != turn:
            cycles.append([])
            turn = code // TURN
        by = after(g.first_seat, code // KINDS % MAX_PLAYERS, g.players)
        cycles[-1].append([by, POKER_NAMES[code % KINDS]])
        drawn[by] += 1
    drawn = [_names(g.drawn[s][window], POKER_NAMES) if seat in (None, s) else number for s, number in enumerate(drawn)]
    return {"held": _names(g.held[window], POKER_NAMES), "drawn": drawn, "staked": cycles}


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`); `g` is redacted already when it is one seat's."""
    g = plain(g)
    seats, colours = range(g.players), range(COLOURS)
    in_hand = [not g.passed[s] for s in seats]
    return {
        "phase": PHASES[g.phase],
        "first_seat": g.first_seat,
        "cycle": g.cycle,
        "round": g.round_number,
        "offer": [front_name(colour, g.offer[colour]) for colour in colours if g.offer[colour] >= 0],
        "stacks": [_stack_names(g, colour) for colour in colours],
        "hidden": g.hidden,
        "removed": [
            front_name(c, front) for c in colours for front in range(4) for _ in range(g.removed[c] >> 8 * front & 255)
        ],
        "hands": [[POKER_NAMES[kind] for kind in hand_kinds(g, s)] if seat in (None, s) else g.sizes[s] for s in seats],
        "pass_in_hand": in_hand,
        "in_cycle": [bool(g.pass_effect or held) for held in in_hand],
        "bids": [_bid_names(g, s) for s in seats],
        "displays": [_names(g.displays[s], LOOT_NAMES) for s in seats],
        "discard": _names(g.discard, POKER_NAMES),
        "pile": g.pile_size,
        "gift_to": None if g.gift_to < 0 else g.gift_to,
        "last_reveal": _last_reveal(g),
        "reshuffle": _reshuffle(g, seat),
        "truncated": g.over == TRUNCATED,
        "decisions": g.decisions,
    }
