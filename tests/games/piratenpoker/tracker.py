"""What all at a table of Piratenpoker can know of the hands, in plain Python, from the views of one seat alone.

When the pile runs out the discard becomes the pile, and every other card is in a hand (R19). `Tracker.allows` says whether
hands agree with all that was seen since: a question of flow. Every old card, one held at that moment, goes to the time at
which it was staked, or to now, then back through the ends of the cycles before, where its seat held so many cards that old
ones were at most as many, to the hand that it was in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

DECK = Counter(
    {f"{colour}_{value}": n for colour in ("green", "red", "yellow") for value, n in enumerate((1, 2, 4, 7, 7, 4, 2, 1), 1)}
)


class Tracker:
    """Follows one seat through a match: `see` gets its view of every position, from the first one on."""

    def __init__(self, view: dict[str, Any], seat: int, refill_to: int) -> None:
        self.seat, self.refill_to = seat, refill_to
        self.before = view
        self.sizes = [len(hand) if isinstance(hand, list) else hand for hand in view["hands"]]
        self.pile = view["pile"]
        self.discard: Counter[str] = Counter()
        self.reshuffled = False

    def see(self, view: dict[str, Any]) -> None:
        before, self.before = self.before, view
        stage, now = ((v["cycle"], v["round"], v["phase"], v["over"]) for v in (before, view))
        if before["phase"] == "bid" and stage != now:
            self.uncover(view["last_reveal"]["bids"])
        if view["cycle"] != before["cycle"]:
            self.refill(view)
        assert self.sizes == [len(hand) if isinstance(hand, list) else hand for hand in view["hands"]]
        assert (self.pile, self.discard) == (view["pile"], Counter(view["discard"]))
        assert (view["reshuffle"] is not None) == self.reshuffled

    def uncover(self, bids: list[Any]) -> None:
        for seat, bid in enumerate(bids):
            cards = bid if isinstance(bid, list) else []
            self.discard.update(cards)
            self.sizes[seat] -= len(cards)
            if self.reshuffled:
                self.staked[-1][seat].update(cards)

    def refill(self, view: dict[str, Any]) -> None:
        """Everybody draws in turn, whoever needs a card when the pile is empty too."""
        if self.reshuffled:
            self.ends.append(list(self.sizes))
            self.staked.append([Counter() for _ in self.sizes])
        new = False
        for seat in range(len(self.sizes)):
            while self.sizes[seat] < self.refill_to:
                if self.pile == 0:
                    self.begin()
                    new = True
                self.sizes[seat] += 1
                self.pile -= 1
        if new:
            self.own = Counter(view["hands"][self.seat]) - Counter(view["reshuffle"]["drawn"][self.seat])
            assert self.own.total() == self.at_first[self.seat]
            assert self.own <= self.held

    def begin(self) -> None:
        self.reshuffled = True
        self.held = DECK - self.discard
        self.at_first = list(self.sizes)
        self.ends: list[list[int]] = []  # sizes of the hands after each cycle since
        self.staked: list[list[Counter[str]]] = [[Counter() for _ in self.sizes]]  # by cycle and seat
        self.pile, self.discard = self.discard.total(), Counter()

    def allows(self, hands: list[list[str]]) -> bool:
        """Can these be the hands of now, the own one being what it is?"""
        capacity: dict[Hashable, dict[Hashable, int]] = defaultdict(lambda: defaultdict(int))
        old = self.held - self.own
        for kind, count in old.items():
            capacity["source"][kind] = count
        found: Counter[str] = Counter()
        for seat in set(range(len(hands))) - {self.seat}:
            times = [*(cycle[seat] for cycle in self.staked), Counter(hands[seat])]
            room = [self.at_first[seat], *(end[seat] for end in self.ends), self.sizes[seat]]
            for time, cards in enumerate(times):
                found += cards
                for kind, count in cards.items():
                    capacity[kind][seat, time] = count
                capacity[seat, time][(seat, time - 1) if time else "sink"] = room[time]
        return found <= DECK - self.own_cards() and flow(capacity) == old.total()

    def own_cards(self) -> Counter[str]:
        """All that the seat has held since."""
        mine = Counter(self.before["hands"][self.seat])
        for cycle in self.staked:
            mine += cycle[self.seat]
        return mine


def flow(capacity: dict[Hashable, dict[Hashable, int]]) -> int:
    """The largest flow from 'source' to 'sink' (Ford and Fulkerson 1956); uses the capacities up."""
    total = 0
    while path := _path(capacity):
        for start, end in path:
            capacity[start][end] -= 1
            capacity[end][start] += 1
        total += 1
    return total


def _path(capacity: dict[Hashable, dict[Hashable, int]]) -> list[tuple[Hashable, Hashable]]:
    came: dict[Hashable, Hashable] = {"source": None}
    waiting: list[Hashable] = ["source"]
    while waiting and "sink" not in came:
        start = waiting.pop()
        for end, room in capacity[start].items():
            if room > 0 and end not in came:
                came[end] = start
                waiting.append(end)
    if "sink" not in came:
        return []
    path, end = [], "sink"
    while end != "source":
        path.append((came[end], end))
        end = came[end]  # type: ignore[assignment]
    return path


# -- all reshuffles ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Window:
    """From one reshuffle to the next."""

    old: Counter[str]
    """Cards that the others held at its beginning."""
    rooms: list[list[int]]
    """Sizes of the hands at its beginning and after each cycle."""
    staked: list[list[Counter[str]]]


@dataclass
class Program:
    """An integer program in the making: is there a solution?"""

    most: list[int] = field(default_factory=list)
    entries: list[tuple[int, int, int]] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)

    def number(self, most: int) -> int:
        """A new unknown from 0 to `most`."""
        self.most.append(most)
        return len(self.most) - 1

    def between(self, low: float, high: float, plus: list[int], minus: int | None = None) -> None:
        """A sum of unknowns, less one, must lie within these bounds."""
        terms = [(at, 1) for at in plus] + ([] if minus is None else [(minus, -1)])
        self.entries += [(len(self.bounds), at, factor) for at, factor in terms]
        self.bounds.append((low, high))

    def has_solution(self) -> bool:
        rows, columns, factors = np.array(self.entries).T
        matrix = coo_array((factors, (rows, columns)), shape=(len(self.bounds), len(self.most))).tocsr()
        count = len(self.most)
        bounds = LinearConstraint(matrix, *np.array(self.bounds).T)
        found = milp(np.zeros(count), constraints=bounds, integrality=np.ones(count), bounds=Bounds(0, self.most))
        assert found.status in (0, 2), found.message
        return bool(found.status == 0)


class LongTracker(Tracker):
    """Asks of hands too whether they agree with what every reshuffle of the match told, not the last one alone.

    For a card that somebody has staked, or holds, the unknowns say how many of its kind have been in that hand since each
    reshuffle: at most as many as since a later one. Together they are all cards that were held at that reshuffle, and none
    passes through a hand that was too small.
    """

    def __init__(self, view: dict[str, Any], seat: int, refill_to: int) -> None:
        super().__init__(view, seat, refill_to)
        self.past: list[Window] = []

    def begin(self) -> None:
        if self.reshuffled:
            self.past.append(self.window())
        super().begin()

    def window(self) -> Window:
        return Window(self.held - self.own, [self.at_first, *self.ends], self.staked)

    def allows_all(self, hands: list[list[str]]) -> bool:
        """Can these be the hands of now, by all that was seen?"""
        return self.allows(hands) and (not self.past or self.program([Counter(hand) for hand in hands]).has_solution())

    def program(self, hands: list[Counter[str]]) -> Program:
        windows = [*self.past, self.window()]
        seats = set(range(len(hands))) - {self.seat}
        program, of_kind, of_seat = Program(), defaultdict[Hashable, list[int]](list), defaultdict[Hashable, list[int]](list)
        for number, window in enumerate(windows):
            times = [*window.staked, hands] if number == len(self.past) else window.staked
            for seat in seats:
                for time, cards in enumerate(times):
                    for kind, count in cards[seat].items():
                        since = [program.number(count) for _ in windows[: number + 1]]
                        for first, at in enumerate(since):
                            of_kind[first, kind].append(at)
                            for room in self.passed(windows, first, number, time):
                                of_seat[first, seat, room].append(at)
                            if first < number:
                                program.between(-np.inf, 0, [at], minus=since[first + 1])
        for first, window in enumerate(windows):
            for kind in DECK:
                program.between(window.old[kind], window.old[kind], of_kind[first, kind])
        for (_, seat, (number, time)), unknowns in of_seat.items():
            program.between(0, windows[number].rooms[time][seat], unknowns)
        return program

    @staticmethod
    def passed(windows: list[Window], first: int, number: int, time: int) -> list[tuple[int, int]]:
        """All moments (window, cycle) from the beginning of a window on at which a card used then was in the hand."""
        moments = [(w, cycle) for w in range(first, number + 1) for cycle in range(len(windows[w].rooms))]
        return [moment for moment in moments if moment <= (number, time)]
