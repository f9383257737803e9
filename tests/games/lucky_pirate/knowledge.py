"""What all know of the hands of Lucky Pirate, worked out in plain Python from what all have seen, by the referee's rules.

A card in a hand has been dealt to it, or all have seen it go there. Of a hand's dealt cards nothing is known but their number,
and, after its player has picked up a pile, that none of them went on it: a card of theirs would have had to be played.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import factorial, prod
from typing import Any

from tests.games.lucky_pirate.referee import CARDS, Options, fits, need_of

View = Mapping[str, Any]


class Watcher:
    """Sees views, of which it reads what everybody may, and the names of the actions between them."""

    def __init__(self, players: int, options: Options) -> None:
        self.players, self.options = players, options
        self.forget()

    def forget(self) -> None:
        """New hands are dealt."""
        self.seen: list[Counter[str]] = [Counter() for _ in range(self.players)]
        self.ruled_out: list[set[str]] = [set() for _ in range(self.players)]

    def watch(self, before: View, action: str, after: View) -> None:
        seat = before["to_move"]
        flipped = after["last_plays"][seat]["flipped"]
        if after["game_number"] != before["game_number"]:
            self.forget()
        elif action.startswith("play ") and before["phase"] == "hand":
            self.seen[seat] -= Counter(action.split()[1:])
        elif after["last_plays"][seat]["result"] == "picked up":
            if before["phase"] == "hand":
                self.ruled_out[seat] |= self.fitting(before["pile"])
            self.seen[seat] += Counter([*before["pile"], *([flipped] if flipped else [])])

    def fitting(self, pile: Sequence[str]) -> set[str]:
        """The cards that go on this pile."""
        need = need_of([CARDS.index(card) for card in pile])
        return {card for kind, card in enumerate(CARDS) if fits(kind, need, self.options)}

    def tells(self, hands: Sequence[Sequence[str]]) -> bool:
        """Is anything ruled out of cards that are still in a hand?"""
        return any(out and len(hand) > seen.total() for out, hand, seen in zip(self.ruled_out, hands, self.seen, strict=True))

    def contradicted_by(self, hands: Sequence[Sequence[str]]) -> bool:
        """Can nobody who has watched believe these hands?"""
        for hand, seen, ruled_out in zip(hands, self.seen, self.ruled_out, strict=True):
            held = Counter(hand)
            if seen - held or ruled_out & set(held - seen):
                return True
        return False


World = tuple[tuple[str, ...], ...]
"""The cards of each place, ascending."""


def worlds(hidden: Iterable[str], sizes: Sequence[int], ruled_out: Sequence[set[str]]) -> dict[World, int]:
    """All ways to lay these cards into places of these sizes, none where it is ruled out; of how many deals each comes.

    Kind by kind: its copies are told apart in dealing, but not in a place.
    """
    found: dict[World, int] = {tuple(() for _ in sizes): 1}
    for card, count in sorted(Counter(hidden).items()):
        longer: dict[World, int] = {}
        for places, deals in found.items():
            room = [
                size - len(place) if card not in out else 0 for size, place, out in zip(sizes, places, ruled_out, strict=True)
            ]
            for copies in itertools.product(*(range(min(count, free) + 1) for free in room)):
                if sum(copies) == count:
                    laid = tuple(place + (card,) * more for place, more in zip(places, copies, strict=True))
                    longer[laid] = deals * factorial(count) // prod(map(factorial, copies))
        found = longer
    return found


def watched(game: Any, seed: int, choose: Any) -> Iterator[tuple[Any, Watcher, list[str]]]:
    """A match with the seat to move choosing an action by `choose(game, g)`: each position, a watcher, and what was played."""
    options = {name: getattr(game.options, name) for name in Options.__dataclass_fields__}
    g, watcher, played = game.new(seed), Watcher(game.players, Options(**options)), []
    while not game.is_over(g):
        yield g, watcher, played
        onlooker = (game.seat_to_move(g) + 1) % game.players
        before, action = game.view(g, onlooker), choose(game, g)
        played.append(game.action_name(g, action))
        game.apply(g, action)
        watcher.watch(before, played[-1], game.view(g, onlooker))
