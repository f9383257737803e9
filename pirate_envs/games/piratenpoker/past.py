"""Piratenpoker: the key `reshuffle` of a view, what all know since the discard has become the pile (R19), read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pirate_envs.core.errors import PositionError
from pirate_envs.core.notation import items, whole
from pirate_envs.core.seats import after
from pirate_envs.games.piratenpoker.notation import POKER_NAMES, hand_kinds, index_of, packed
from pirate_envs.games.piratenpoker.reshuffle import deal_hands
from pirate_envs.games.piratenpoker.state import COLOURS, COPIES, HAND, KINDS, NUMBERS, POKER_CARDS, TURN

FIELD = "reshuffle"
Cycle = list[tuple[int, int]]  # seat and kind of each card staked in one cycle, in order


def read_past(g: np.record, told: Any, known: Sequence[int], new_cycle: bool) -> None:
    """Write what it tells into a record of which the hands of `known` seats are there; deal the others.

    Raises PositionError if no match can have led there.
    """
    if not isinstance(told, Mapping) or set(told) != {"held", "drawn", "staked"}:
        raise PositionError(f"{FIELD}: {told!r:.100} does not have the keys held, drawn, staked")
    cycles = _read_staked(g, told["staked"], new_cycle)
    held = _kinds(told["held"])
    g.held[:] = [packed(held, colour) for colour in range(COLOURS)]
    g.reshuffled = 1
    for seat, drawn in enumerate(items(FIELD, told["drawn"], int(g.players), exactly=True)):
        _read_drawn(g, seat, drawn, cycles, seat in known)
    if g.held_sizes.sum() != len(held):
        raise PositionError(f"{FIELD}: {len(held)} cards were held, but the hands had {g.held_sizes.tolist()}")
    if g.cycle == 1 or (g.held_sizes[: g.players] >= g.refill_to).all():
        raise PositionError(f"{FIELD}: nobody needed a card")
    if not deal_hands(g, sum(1 << seat for seat in known)):
        raise PositionError(f"{FIELD}: there are no hands that agree with it")


def _kinds(names: Any) -> list[int]:
    kinds = [index_of(FIELD, name, POKER_NAMES) for name in items(FIELD, names, POKER_CARDS)]
    for kind, count in Counter(kinds).items():
        if count > COPIES[kind % NUMBERS]:
            raise PositionError(f"{FIELD}: {POKER_NAMES[kind]} is there {count} times, more than there are")
    return kinds


def _read_staked(g: np.record, told: Any, new_cycle: bool) -> list[Cycle]:
    """The cards on the discard in the order in which they were staked; the last cycle is that of now."""
    cycles: list[Cycle] = []
    for cycle in items(FIELD, told, POKER_CARDS + 1):
        pairs = [items(FIELD, pair, 2, exactly=True) for pair in items(FIELD, cycle, POKER_CARDS)]
        cycles.append([(whole(FIELD, seat, 0, int(g.players) - 1), index_of(FIELD, name, POKER_NAMES)) for seat, name in pairs])
    staked = [card for cycle in cycles for card in cycle]
    if not cycles or not all(cycles[:-1]) or (new_cycle and cycles[-1]):
        raise PositionError(f"{FIELD}: staked has a list for each cycle in which cards were, and one for this cycle")
    kinds = [kind for _, kind in staked]
    if [packed(kinds, colour) for colour in range(COLOURS)] != g.discard.tolist():
        raise PositionError(f"{FIELD}: the cards staked are not those on the discard")
    last = _last_staked(g)
    if staked[-len(last) :] != last if staked and last else bool(last) and not new_cycle:
        raise PositionError(f"{FIELD}: the cards staked do not end with those of last_reveal")
    places = [after(seat, int(g.players - g.first_seat), int(g.players)) for seat, _ in staked]
    turns = [turn & 1 for turn, cycle in enumerate(cycles) for _ in cycle]
    codes = [kind + KINDS * place + TURN * turn for kind, place, turn in zip(kinds, places, turns, strict=True)]
    g.staked[: len(codes)] = codes
    g.staked_count = len(codes)
    g.staked_turn = (len(cycles) - 1) & 1
    return cycles


def _last_staked(g: np.record) -> Cycle:
    """Seat and kind of each card of the last reveal, in the order in which they go to the discard."""
    seats = [after(int(g.first_seat), place, int(g.players)) for place in range(int(g.players))]
    kinds = range(KINDS - 1, -1, -1)
    return [
        (seat, kind)
        for seat in seats
        for kind in kinds
        for _ in range(int(g.last_bids[seat, kind // NUMBERS]) >> 8 * (kind % NUMBERS) & 255)
    ]


def _read_drawn(g: np.record, seat: int, told: Any, cycles: list[Cycle], known: bool) -> None:
    """What a seat has drawn since, a number if its hand is one."""
    staked = [kind for cycle in cycles for by, kind in cycle if by == seat]
    drawn = _kinds(told) if known else []
    number = len(drawn) if known else whole(FIELD, told, 0, POKER_CARDS)
    g.held_sizes[seat] = whole(FIELD, int(g.sizes[seat]) + len(staked) - number, 0, HAND)
    g.drawn[seat] = [packed(drawn, colour) for colour in range(COLOURS)]
    own = Counter(staked) + Counter(hand_kinds(g, seat)) if known else Counter()
    old = own - Counter(drawn)
    if old + Counter(drawn) != own:
        raise PositionError(f"{FIELD}: seat {seat} has neither staked all that it has drawn nor holds the rest")
    size = fewest = int(g.held_sizes[seat])
    until, before = 0, Counter[int]()
    for cycle in cycles:
        until += max(int(g.refill_to) - size, 0)
        size = max(int(g.refill_to), size)
        now = [kind for by, kind in cycle if by == seat]
        size -= len(now)
        fewest = min(fewest, size)
        before += Counter(now)
        if size < 0 or (known and (before - old).total() > until):
            raise PositionError(f"{FIELD}: seat {seat} has staked a card before it can have drawn it")
    if until != number:
        raise PositionError(f"{FIELD}: seat {seat} has drawn {until} cards, not {number}")
    g.most_old[seat] = fewest
