"""Skull King: the record that a view describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pirate_envs.core import deals, rng
from pirate_envs.core.errors import PositionError
from pirate_envs.core.notation import Reader, alike, items, whole
from pirate_envs.core.seats import after
from pirate_envs.games.skull_king import laws, rules
from pirate_envs.games.skull_king.notation import HELD_KINDS, HELD_NAMES, PLAYED_KINDS, PLAYED_NAMES, SUIT_NAMES
from pirate_envs.games.skull_king.state import (
    BIDDING,
    DECKS,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    NO_BID,
    NUMBERS,
    PLAY,
    PLAYING_TRICKS,
    SUITS,
    VOID_CARDS,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

OWN_KEYS: tuple[str, ...] = (
    "hand_number", "first_leader", "leader", "bids", "tricks_won", "bonus", "hands", "voids", "trick", "played", "last_trick"
)  # fmt: skip
SCORE_LIMITS = (-1_000, 15_000)  # what an observation can hold
BONUS_LIMITS = (0, 2_000)
DEALT_ANEW = 500  # times, in search of hands without the cards that bonuses came from


def _cards(field: str, names: Iterable[Any], kinds: Mapping[str, int]) -> list[int]:
    found = []
    for name in names:
        if not isinstance(name, str) or name not in kinds:
            raise PositionError(f"{field}: unknown card {name!r}; cards are like 'yellow_5', 'pirate', {[*kinds][-1]!r}")
        found.append(kinds[name])
    return found


class _Reader(Reader):
    """Reads a view's fields in turn into one record and keeps count of the cards that are left."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        super().__init__(game, given, seed)
        g = self.g
        rules.deal(g)  # the usual values
        g.hands[:] = 0
        g.counts[:] = 0
        self.key_chance()
        self.left = Counter(int(kind) for kind in DECKS[int(g.highest)] if kind >= 0)
        self.last: list[int] = []  # cards of the last trick, if it was one of this hand
        self.named: Counter[int] = Counter()  # cards of the hand's earlier tricks that `played` names
        self.played: list[int] = []  # and those that are known from it or the last trick

    @property
    def tricks(self) -> int:
        """How many are won in this hand."""
        return int(self.g.hand_number - self.g.tricks_left)

    def take(self, field: str, kinds: Iterable[int]) -> None:
        """Take cards out of the deck. Raises PositionError if one is not there (any more)."""
        for kind in kinds:
            card = MARY_PIRATE if kind == MARY_ESCAPE else kind
            if self.left[card] == 0:
                raise PositionError(f"{field}: no {HELD_NAMES[card]} is left in the deck")
            self.left[card] -= 1

    # -- the fields, in the order in which they depend on each other --

    def read(self) -> np.record:
        self.read_hand()
        self.read_last_trick()
        self.read_leaders()
        self.read_bids()
        self.read_seats()
        self.read_played()
        trick = self.read_trick()
        self.read_hands(trick)
        self.read_over()
        self.g.decisions = self.decisions()
        self.lay(trick)
        return self.g

    def read_hand(self) -> None:
        g = self.g
        g.hand_number = whole("hand_number", self.get("hand_number", int(g.first_hand)), int(g.first_hand), int(g.last_hand))
        won = self.numbers("tricks_won", 0, int(g.hand_number))
        if sum(won) > g.hand_number:
            raise PositionError(f"tricks_won: {sum(won)} tricks in a hand of {int(g.hand_number)}")
        g.tricks_won[: self.players] = won
        g.tricks_left = g.hand_number - sum(won)

    def read_leaders(self) -> None:
        g = self.g
        usual = int(g.hand_number - g.first_hand) % self.players  # R6
        leader = self.seat("leader", self.usual_leader(self.seat("first_leader", usual)))
        opener = leader if self.tricks == 0 else int(g.last_leader) if self.tricks == 1 and self.last else usual
        first = self.seat("first_leader", opener)
        if self.tricks == 0 and leader != first:
            raise PositionError(f"first_leader: {first} is not the leader ({leader}) of the hand's first trick")
        if self.tricks > 0 and g.tricks_won[leader] == 0:
            raise PositionError(f"leader: {leader} has won no trick, so it does not lead")  # R15
        g.first_leader = first
        rules.start_trick(g, leader)
        if self.last and g.last_winner != leader:
            raise PositionError(f"last_trick: seat {int(g.last_winner)} won it, but seat {leader} leads")
        if not laws.may_have_led(g):
            raise PositionError(f"last_trick: seat {int(g.last_leader)} cannot have led it")

    def usual_leader(self, first: int) -> int:
        """Winner of the last trick; if that is not told, the first seat that has won one, or that leads the hand."""
        if self.last:
            return int(self.g.last_winner)
        order = [after(first, i, self.players) for i in self.seats]
        return next((seat for seat in order if self.g.tricks_won[seat] > 0), first)

    def read_bids(self) -> None:
        g = self.g
        known = self.per_seat("bids")
        bids = [NO_BID if bid is None else whole("bids", bid, 0, int(g.hand_number)) for bid in known]
        usual = "bid" if NO_BID in bids and not (self.given.get("trick") or self.given.get("played")) else "play"
        phase = self.get("phase", usual)
        if phase not in ("bid", "play"):
            raise PositionError(f"phase: {phase!r} is neither 'bid' nor 'play'")
        if phase == "bid":
            self.check_no_play()
            bids = self.guess_hidden(bids)
        elif "bids" not in self.given:
            bids = [0] * self.players
        elif NO_BID in bids:
            raise PositionError(f"bids: seat {bids.index(NO_BID)} has none, but the tricks have begun")
        g.bids[: self.players] = bids
        g.phase = BIDDING if NO_BID in bids else PLAYING_TRICKS

    def check_no_play(self) -> None:
        for field in ("tricks_won", "trick", "played", "bonus", "voids"):
            value = self.given.get(field)
            if isinstance(value, Sequence) and any(value):
                raise PositionError(f"{field}: {value!r} while bids are asked for")

    def guess_hidden(self, bids: list[int]) -> list[int]:
        """Bids are in from the first leader up to the seat to move; those that are hidden are drawn (R4)."""
        g = self.g
        order = [after(int(g.first_leader), i, self.players) for i in self.seats]
        made = sum(bid != NO_BID for bid in bids)
        if made < self.players and self.given.get("to_move") is not None:
            made = order.index(self.seat("to_move", 0))
        for place, seat in enumerate(order):
            if place >= made and bids[seat] != NO_BID:
                raise PositionError(f"bids: seat {seat} has bid before its turn")
            if place < made and bids[seat] == NO_BID:
                bids[seat] = int(rng.below(g.gen, int(g.hand_number) + 1))
        if made < self.players:
            g.to_move = order[made]
        return bids

    def read_seats(self) -> None:
        g = self.g
        g.scores[: self.players] = self.numbers("scores", *SCORE_LIMITS)
        g.bonus[: self.players] = self.numbers("bonus", *BONUS_LIMITS)
        if self.last and self.given.get("bonus") is None:
            g.bonus[g.last_winner] = g.last_bonus
        voids = self.per_seat("voids", [])
        for seat, names in zip(self.seats, voids, strict=True):
            for name in items("voids", names, SUITS):
                if name not in SUIT_NAMES:
                    raise PositionError(f"voids: unknown suit {name!r}; suits are {', '.join(SUIT_NAMES)}")
                g.voids[seat] |= 1 << SUIT_NAMES.index(name)
        if self.last:
            g.voids |= self.table_with(int(g.last_leader), self.last).voids

    def read_last_trick(self) -> None:
        g, last = self.g, self.given.get("last_trick")
        if last is None:
            return
        if not isinstance(last, Mapping) or not {"leader", "cards"} <= set(last) <= {"leader", "cards", "winner", "bonus"}:
            raise PositionError(f"last_trick: {last!r} does not have the keys leader, cards, winner, bonus")
        if self.tricks == 0 and g.hand_number == g.first_hand:
            raise PositionError("last_trick: no trick of the match has been played")
        kinds = _cards("last_trick", items("last_trick", last["cards"], self.players, exactly=True), PLAYED_KINDS)
        deck = self.left.copy()
        self.take("last_trick", kinds)
        self.left = deck  # `read_hands` takes those of them that are of this hand
        table = self.table_with(whole("last_trick", last["leader"], 0, self.players - 1), kinds)
        for key, value in (outcome := {"winner": int(table.winning), "bonus": int(rules.trick_bonus(table))}).items():
            if not alike(last.get(key, value), value):
                raise PositionError(f"last_trick: its {key} is {value}, not {last[key]!r}")
        g.last_leader, g.last_winner, g.last_bonus = table.leader, outcome["winner"], outcome["bonus"]
        g.last_trick[: self.players] = kinds
        if self.tricks > 0:
            self.last = kinds

    def table_with(self, leader: int, kinds: list[int]) -> np.record:
        """A table of its own with these cards on it; its voids are what they tell."""
        table = self.g.copy()
        table.voids[:] = 0
        rules.start_trick(table, leader)
        for place, kind in enumerate(kinds):
            rules.lay_card(table, after(leader, place, self.players), kind)
        return table

    def read_played(self) -> None:
        """Cards of earlier tricks; fewer than were played may be named."""
        most = self.players * self.tricks
        named = _cards("played", items("played", self.get("played", []), most), PLAYED_KINDS)
        self.take("played", named)
        self.named = Counter(named)
        self.played = list((self.named | Counter(self.last)).elements())
        if len(self.played) > most:
            raise PositionError(f"last_trick: not all its cards are among the {most} played")
        for kind in self.played:
            rules.note_gone(self.g, kind)

    def read_trick(self) -> list[int]:
        most = self.players if self.g.tricks_left > 0 else 0
        kinds = _cards("trick", items("trick", self.get("trick", []), most), PLAYED_KINDS)
        self.take("trick", kinds)
        return kinds

    def note_voids(self, trick: list[int]) -> None:
        """What the trick on the table tells of its players (R8); no card of it or of the last one breaks an earlier void."""
        g, table = self.g, self.table_with(int(self.g.leader), trick)
        for leader, kinds, voids in ((g.last_leader, self.last, g.voids & ~table.voids), (g.leader, trick, g.voids)):
            for place, kind in enumerate(kinds):
                seat = after(int(leader), place, self.players)
                if kind < NUMBERS and voids[seat] >> kind // MAX_NUMBER & 1:
                    raise PositionError(f"voids: seat {seat} played {PLAYED_NAMES[kind]} but had shown not to hold its suit")
        g.voids |= table.voids

    def check_bonus(self) -> None:
        if (seat := self.unpaid(self.left)) is not None:
            raise PositionError(f"bonus: seat {seat} cannot have won {int(self.g.bonus[seat])} with these tricks and cards")

    def unpaid(self, left: Counter[int]) -> int | None:
        """A seat whose bonus what was played cannot have brought; `left`: what may have been, where that is not told."""
        cards = Counter(self.played)
        if len(self.played) < self.players * self.tricks:
            cards += left
        return laws.cannot_earn(self.g, cards, self.last)

    def read_hands(self, trick: list[int]) -> None:
        """Hands as they are now, then the cards of the trick put back into them: `lay` plays these anew."""
        g = self.g
        hands = self.per_seat("hands")
        hidden: list[int] = []
        for seat, hand in zip(self.seats, hands, strict=True):
            size = int(g.tricks_left) - ((seat - int(g.leader)) % self.players < len(trick))
            if isinstance(hand, list | tuple) and len(hand) == size:
                self.hold(seat, _cards("hands", hand, HELD_KINDS))
            elif isinstance(hand, list | tuple):
                raise PositionError(f"hands: seat {seat} has {hand!r}; needed: {size} cards, or that number")
            else:
                hidden += [seat] * whole("hands", size if hand is None else hand, size, size)
        self.note_voids(trick)
        self.take("last_trick", (Counter(self.last) - self.named).elements())
        self.check_bonus()
        for seat, kind in zip(hidden, self.dealt_beside_bonus(hidden), strict=True):
            rules.add_card(g, seat, kind)
        for place, kind in enumerate(trick):
            rules.add_card(g, after(int(g.leader), place, self.players), kind)

    def hold(self, seat: int, kinds: list[int]) -> None:
        self.take("hands", kinds)
        for kind in kinds:
            if not self.may_hold(seat, kind):
                raise PositionError(f"voids: seat {seat} holds {HELD_NAMES[kind]} but has shown not to hold its suit")
            rules.add_card(self.g, seat, kind)

    def may_hold(self, seat: int, kind: int) -> bool:
        return not VOID_CARDS[self.g.voids[seat]] >> kind & 1

    def dealt_beside_bonus(self, owners: list[int]) -> list[int]:
        """As `dealt`, such that the bonuses may have come from cards that nobody holds then."""
        for _ in range(DEALT_ANEW):
            cards = self.dealt(owners)
            if self.unpaid(self.left - Counter(cards)) is None:
                return cards
        raise PositionError("bonus: none of many deals leaves the cards that it may have come from; name those in `played`")

    def dealt(self, owners: list[int]) -> list[int]:
        """A random card that is left for each owner (in the order of the seats), respecting the voids."""
        deck = np.array(sorted(self.left.elements()), np.int8)
        need = np.array([owners.count(seat) for seat in self.seats], np.int64)
        try:
            deals.deal(self.g.gen, deck, need, VOID_CARDS[self.g.voids[: self.players]])
        except PositionError:
            raise PositionError("hands: too few cards are left for the seats and their voids") from None
        return [int(kind) for kind in deck[: len(owners)]]

    def read_over(self) -> None:
        g = self.g
        g.over = self.ending()
        if g.over and (g.hand_number != g.last_hand or g.tricks_left > 0):
            raise PositionError("over: the last trick of the last hand is not played")

    def decisions(self) -> int:
        """How many were made before the trick on the table, had this position come from the first deal."""
        g = self.g
        earlier = sum(self.players * (1 + size) for size in range(int(g.first_hand), int(g.hand_number)))
        bids = sum(int(g.bids[seat]) != NO_BID for seat in self.seats)
        return earlier + bids + self.players * int(g.hand_number - g.tricks_left)

    def lay(self, trick: list[int]) -> None:
        """Play the trick on the table anew, and whatever needs no decision after it."""
        g = self.g
        mover = after(int(g.to_move), len(trick), self.players)
        waits = not g.over and g.tricks_left > 0 and len(trick) < self.players
        self.seat("to_move", mover)
        if waits:
            self.same("to_move", mover)
        for kind in trick:
            if not rules.playable(int(g.hands[g.to_move]), int(g.led_suit)) >> kind & 1:
                raise PositionError(f"trick: seat {int(g.to_move)} may not play {PLAYED_NAMES[kind]}, it can follow suit")
            rules.apply(g, PLAY + kind)
        if g.tricks_left == 0 and not g.over and not trick:
            rules.end_hand(g)


def from_view(game: Game, given: Mapping[str, Any], seed: int = 0) -> np.record:
    """The record that a view describes; the manual says how to write one.

    Left out: the hand is the first, nobody has bid, won or scored anything, the hands are unknown; in `play` bids are 0 and
    earlier cards unseen. Unknown hands (left out, None or a number) and hidden sealed bids are drawn by `seed`, which is also
    the match seed of the hands to come. `legal` is not read. Raises PositionError, OptionError for a bad seed.
    """
    return _Reader(game, given, seed).read()
