"""Piratenpoker: the key `reshuffle` of a view, what all know since the discard has become the pile (R19), read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pirate_envs.core.errors import PositionError
from pirate_envs.core.notation import items, whole
from pirate_envs.core.seats import after
from pirate_envs.games.piratenpoker.notation import POKER_NAMES, hand_kinds, index_of, packed
from pirate_envs.games.piratenpoker.reshuffle import deal_hands
from pirate_envs.games.piratenpoker.state import COLOURS, COPIES, DECK, HAND, KINDS, NUMBERS, POKER_CARDS, TURN, WINDOWS

FIELD = "reshuffle"
KEYS = {"held", "drawn", "staked"}
Cycle = list[tuple[int, int]]  # seat and kind of each card staked in one cycle, in order


@dataclass
class _Hand:
    """A hand when a window ends; reading the window makes it what it was when the window began."""

    size: int
    cards: Counter[int]
    known: bool


def read_past(g: np.record, told: Any, known: Sequence[int], new_cycle: bool) -> None:
    """Write what it tells into a record of which the hands of `known` seats are there; deal the others.

    Raises PositionError if no match can have led there.
    """
    windows = _windows(told)
    g.reshuffled = len(windows)
    hands = [_Hand(int(g.sizes[seat]), Counter(hand_kinds(g, seat)), seat in known) for seat in range(int(g.players))]
    for window, one in enumerate(windows):
        _read_window(g, window, one, hands, new_cycle)
    if g.cycle <= len(windows):
        raise PositionError(f"{FIELD}: {len(windows)} of them, but this is cycle {int(g.cycle)}")
    if not deal_hands(g, sum(1 << seat for seat in known)):
        raise PositionError(f"{FIELD}: there are no hands that agree with it")


def _windows(told: Any) -> list[Mapping[str, Any]]:
    """What is told of each, the latest first."""
    if not isinstance(told, Mapping) or not KEYS <= set(told) <= KEYS | {"earlier"}:
        raise PositionError(f"{FIELD}: {told!r:.100} does not have the keys held, drawn, staked (and earlier)")
    earlier = items(FIELD, told.get("earlier", []), WINDOWS - 1)
    for one in earlier:
        if not isinstance(one, Mapping) or set(one) != KEYS:
            raise PositionError(f"{FIELD}: {one!r:.100} in earlier does not have the keys held, drawn, staked")
    return [told, *earlier]


def _read_window(g: np.record, window: int, told: Mapping[str, Any], hands: list[_Hand], new_cycle: bool) -> None:
    cycles = _read_staked(g, window, told["staked"], new_cycle)
    held = _kinds(told["held"])
    g.held[window] = [packed(held, colour) for colour in range(COLOURS)]
    ends = [hand.size for hand in hands]
    drawn = enumerate(items(FIELD, told["drawn"], int(g.players), exactly=True))
    told_of = [_read_drawn(g, window, seat, cards, cycles, hands[seat]) for seat, cards in drawn]
    sizes = [hand.size for hand in hands]
    g.held_sizes[: g.players, window] = sizes
    if sum(sizes) != len(held):
        raise PositionError(f"{FIELD}: {len(held)} cards were held, but the hands had {sizes}")
    if min(sizes) >= g.refill_to:
        raise PositionError(f"{FIELD}: nobody needed a card")
    fewest = [least for least, _ in told_of]
    if window == 0:
        g.most_old[: g.players] = fewest
    elif not any(fewest) or not _drew_in_turn(g, [last for _, last in told_of], ends):
        raise PositionError(f"{FIELD}: in earlier what is told does not lead to hands of {ends}, or nothing of it matters")


def _drew_in_turn(g: np.record, before: list[int], ends: list[int]) -> bool:
    """Did everybody draw after the cycle, one after the other, until one needed a card that was not there?"""
    first = int(g.first_seat)
    before, ends = before[first:] + before[:first], ends[first:] + ends[:first]
    short = next(place for place, size in enumerate(ends) if size < g.refill_to)
    full = [max(size, int(g.refill_to)) for size in before]
    return ends[:short] == full[:short] and before[short] <= ends[short] and ends[short + 1 :] == before[short + 1 :]


def _kinds(names: Any) -> list[int]:
    kinds = [index_of(FIELD, name, POKER_NAMES) for name in items(FIELD, names, POKER_CARDS)]
    for kind, count in Counter(kinds).items():
        if count > COPIES[kind % NUMBERS]:
            raise PositionError(f"{FIELD}: {POKER_NAMES[kind]} is there {count} times, more than there are")
    return kinds


def _read_staked(g: np.record, window: int, told: Any, new_cycle: bool) -> list[Cycle]:
    """The cards on the discard in the order in which they were staked; the last cycle of window 0 is that of now."""
    cycles: list[Cycle] = []
    for cycle in items(FIELD, told, POKER_CARDS + 1):
        pairs = [items(FIELD, pair, 2, exactly=True) for pair in items(FIELD, cycle, POKER_CARDS)]
        cycles.append([(whole(FIELD, seat, 0, int(g.players) - 1), index_of(FIELD, name, POKER_NAMES)) for seat, name in pairs])
    staked = [card for cycle in cycles for card in cycle]
    over = cycles if window else cycles[:-1]
    if not cycles or not all(over) or (window == 0 and new_cycle and cycles[-1]):
        raise PositionError(f"{FIELD}: staked has a list for each cycle in which cards were, and one for this cycle")
    kinds = [kind for _, kind in staked]
    lay = DECK - g.held[window - 1] if window else g.discard
    if [packed(kinds, colour) for colour in range(COLOURS)] != lay.tolist():
        raise PositionError(f"{FIELD}: the cards staked are not those on the discard")
    _check_last(g, window, staked, new_cycle)
    places = [after(seat, int(g.players - g.first_seat), int(g.players)) for seat, _ in staked]
    turns = [turn & 1 for turn, cycle in enumerate(cycles) for _ in cycle]
    codes = [kind + KINDS * place + TURN * turn for kind, place, turn in zip(kinds, places, turns, strict=True)]
    g.staked[window, : len(codes)] = codes
    g.staked_count[window] = len(codes)
    if window == 0:
        g.staked_turn = (len(cycles) - 1) & 1
    return cycles


def _check_last(g: np.record, window: int, staked: Cycle, new_cycle: bool) -> None:
    """The last cards staked are those of the last reveal; a new pile can have been made since."""
    last = _last_staked(g)
    if g.staked_count[:window].any() or not last:
        return
    if staked[-len(last) :] != last if staked else not new_cycle:
        raise PositionError(f"{FIELD}: the cards staked do not end with those of last_reveal")


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


def _read_drawn(g: np.record, window: int, seat: int, told: Any, cycles: list[Cycle], hand: _Hand) -> tuple[int, int]:
    """What a seat has drawn in a window, a number if its hand is one; returns the fewest and the last cards it then held."""
    staked = [kind for cycle in cycles for by, kind in cycle if by == seat]
    drawn = _kinds(told) if hand.known else []
    number = len(drawn) if hand.known else whole(FIELD, told, 0, POKER_CARDS)
    size = fewest = whole(FIELD, hand.size + len(staked) - number, 0, HAND)
    g.drawn[seat, window] = [packed(drawn, colour) for colour in range(COLOURS)]
    own = Counter(staked) + hand.cards if hand.known else Counter()
    old = own - Counter(drawn)
    if old + Counter(drawn) != own:
        raise PositionError(f"{FIELD}: seat {seat} has neither staked all that it has drawn nor holds the rest")
    begun, until, before = size, 0, Counter[int]()
    for cycle in cycles:
        until += max(int(g.refill_to) - size, 0)
        size = max(int(g.refill_to), size)
        now = [kind for by, kind in cycle if by == seat]
        size -= len(now)
        fewest = min(fewest, size)
        before += Counter(now)
        if size < 0 or (hand.known and (before - old).total() > until):
            raise PositionError(f"{FIELD}: seat {seat} has staked a card before it can have drawn it")
    if until > number if window else until != number:
        raise PositionError(f"{FIELD}: seat {seat} has drawn {until} cards, not {number}")
    hand.size, hand.cards = begun, old
    return fewest, size
