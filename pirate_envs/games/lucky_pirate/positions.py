"""Lucky Pirate: a position from a view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pirate_envs.core import deals
from pirate_envs.core.errors import PositionError
from pirate_envs.core.notation import Reader, flag, items, whole
from pirate_envs.core.ranges import MOST_DECISIONS
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.seats import following
from pirate_envs.games.lucky_pirate.notation import ACTION_IDS, NEED_NAMES, RESULTS, UNKNOWN, names_of, run_shown, zone_name
from pirate_envs.games.lucky_pirate.rules import FITS, NEED_AFTER, clear_table, deal, fitting, has_won, lay
from pirate_envs.games.lucky_pirate.state import (
    CAPTAIN,
    CLEARED,
    EVERY,
    FIRST_MATE,
    FLIP,
    HIDDEN,
    KIND_NAMES,
    KINDS,
    LOCKED,
    MOST_CARDS,
    NO_CARD,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PICKED_UP,
    PLACES,
    PLANK,
    PLAYED,
    STOP,
    STOPPED,
    TABLE_CARDS,
    copies_of,
    heap_of,
    kinds_in,
    size_of,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

PLAY_KEYS = {"action", "flipped", "result"}
OWN_KEYS: tuple[str, ...] = (
    *("pile", "need", "run", "direction", "after_parrot", "hands", "known", "cannot_hold", "ups", "downs", "aside", "cleared"),
    *("turn", "game_number", "dealer", "wins", "last_plays", "truncated", "decisions"),
)


def _kind(field: str, name: Any) -> int:
    if not isinstance(name, str) or name not in KIND_NAMES:
        raise PositionError(f"{field}: unknown card {name!r}; cards: {', '.join(KIND_NAMES)}")
    return KIND_NAMES.index(name)


def _cards(field: str, names: Any) -> list[int]:
    return [_kind(field, name) for name in items(field, names, MOST_CARDS)]


def _heap(kinds: Sequence[int]) -> int:
    return heap_of(kinds.count(kind) for kind in range(KINDS))


class _Told(NamedTuple):
    """A seat's last decision: what it laid (before a stop: the parrot; a pick-up lays nothing), and what became of it."""

    seat: int
    action: int
    kind: int
    copies: int
    result: int


def _may_refuse(g: np.record, heap: int, kind: int, proved: int = EVERY) -> bool:
    """May a pile of cards of this heap ask for what the card (NO_CARD: kinds that are all among `proved`) is not?"""
    for need in range(OPEN + 1, LOCKED + 1):
        asking = {CAPTAIN + 1: (CAPTAIN, FIRST_MATE), LOCKED: (CAPTAIN,)}.get(need, (need - 1,))
        fits = _fitting_kinds(g, need)
        refused = fits & ~proved == 0 if kind == NO_CARD else copies_of(fits, kind) == 0
        if refused and fits != EVERY and all(copies_of(heap, card) for card in asking):
            return True
    return False


def _fitting_kinds(g: np.record, need: int) -> int:
    """One of each kind that goes on a pile that asks for this."""
    return int(FITS[g.table, need]) & EVERY


def _results(g: np.record, action: int, kind: int, copies: int) -> list[int]:
    """What may become of a decision, by its cards alone (R8, R9, R12, R16, R22)."""
    if action >= PICK_UP:
        return [PICKED_UP] if action == PICK_UP else [STOPPED] * int(g.parrot_again)
    on_its_own = copies == 3 or copies_of(int(FITS[g.table, NEED_AFTER[kind, OPEN]]), kind) > 0
    makes_a_run = kind < NUMBERS and on_its_own and copies_of(int(g.whole_deck), kind) >= 3
    results = [CLEARED] if kind == PLANK or makes_a_run else []
    if kind != PLANK and not (kind < NUMBERS and copies == 3):
        results.append(PLAYED)
    if action >= FLIP and _may_refuse(g, int(g.whole_deck) - (1 << 4 * kind), kind):
        results.append(PICKED_UP)
    return results


class _Reader(Reader):
    """Keeps count of the cards that are left."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        super().__init__(game, given, seed)
        deal(self.g)  # the usual values
        clear_table(self.g)
        self.key_chance()
        self.slots = int(TABLE_CARDS[self.players])
        self.left = Counter({kind: copies_of(int(self.g.whole_deck), kind) for kind in range(KINDS)})
        self.usual_size = self.left.total() // int(PLACES[self.players])

    def take(self, field: str, kinds: Sequence[int]) -> list[int]:
        """Take cards out of the deck. Raises PositionError if one is not there (any more)."""
        for kind in kinds:
            if self.left[kind] == 0:
                raise PositionError(f"{field}: no {KIND_NAMES[kind]} is left in the deck")
            self.left[kind] -= 1
        return list(kinds)

    # -- the fields, in the order in which they depend on each other --

    def read(self) -> np.record:
        self.g.over = self.ending()
        self.read_wins()
        self.read_seats()
        self.read_pile()
        self.read_last_plays()
        self.read_turn()
        self.read_cleared()
        self.read_aside()
        self.read_slots()
        self.read_known()
        self.read_cannot_hold()
        self.read_hands()
        self.place_played()
        self.deal_rest()
        self.check_end()
        self.check_last_plays()
        self.same("phase", zone_name(self.g, int(self.g.to_move)))
        return self.g

    def read_wins(self) -> None:
        g = self.g
        wins = self.numbers("wins", 0, int(g.wins_needed))
        if wins.count(int(g.wins_needed)) != (g.over == FINISHED):
            raise PositionError(f"wins: {wins}, but the match is over when one seat, and only one, has {int(g.wins_needed)}")
        self.same("scores", wins)
        g.wins[: self.players] = wins
        fewest = max(sum(wins) + (g.over == 0), 1)
        if fewest > g.most_games:
            raise PositionError(f"wins: {wins} are more games than a match has")
        g.game_number = whole("game_number", self.get("game_number", fewest), fewest, int(g.most_games))

    def read_seats(self) -> None:
        g = self.g
        g.dealer = self.seat("dealer", self.players - 1)
        g.to_move = g.dealer if g.over else self.seat("to_move", following(int(g.dealer), self.players))
        g.direction = whole("direction", self.get("direction", 1), -1, 1)
        if g.direction == 0:
            raise PositionError("direction: 0 is neither 1 nor -1")

    def read_pile(self) -> None:
        """Lay the pile anew, card by card; equal cards after one that fits may have been played with it."""
        g, before, together = self.g, NO_CARD, 0
        for kind in self.take("pile", _cards("pile", self.get("pile", []))):
            if int(fitting(g)) >> 4 * kind & 1:
                together = 1
            elif kind == before and together < 3:
                together += 1
            else:
                raise PositionError(f"pile: {KIND_NAMES[kind]} does not go on what is below it")
            lay(g, kind, 1)
            if kind == PLANK or g.run_length >= 3:
                raise PositionError(f"pile: {KIND_NAMES[kind]} has cleared it")
            before = kind
        self.same("need", NEED_NAMES[g.need])
        self.same("run", run_shown(g))
        g.after_parrot = flag("after_parrot", self.get("after_parrot", False))
        if g.after_parrot and not (g.parrot_again and before == PARROT):
            raise PositionError("after_parrot: needs parrot_again=True and a parrot on top of the pile")

    def read_cleared(self) -> None:
        self.g.cleared = _heap(self.take("cleared", _cards("cleared", self.get("cleared", []))))

    def read_aside(self) -> None:
        """Two players have a hand laid aside: its cards, or their number."""
        g, given = self.g, self.given.get("aside")
        g.aside_size = self.usual_size if self.players == 2 else 0
        known = isinstance(given, list | tuple)
        self.aside = self.take("aside", _cards("aside", given)) if known else None
        if given is not None:
            whole("aside", len(self.aside) if self.aside is not None else given, int(g.aside_size), int(g.aside_size))

    # -- ups and downs --

    def slot_cards(self, field: str, value: Any) -> list[int]:
        """A card, HIDDEN or NO_CARD for each slot."""
        names = items(field, value, self.slots)
        names += [None] * (self.slots - len(names))
        cards = [NO_CARD if name is None else HIDDEN if name == UNKNOWN else _kind(field, name) for name in names]
        self.take(field, [card for card in cards if card not in (NO_CARD, HIDDEN)])
        return cards

    def read_slots(self) -> None:
        g = self.g
        ups, downs = self.per_seat("ups"), self.per_seat("downs")
        for seat in self.seats:
            below = self.slot_cards("downs", [UNKNOWN] * self.slots if downs[seat] is None else downs[seat])
            covered = [slot for slot in range(self.slots) if below[slot] != NO_CARD]
            may_have_ups = g.early_downs or len(covered) == self.slots
            usual = [UNKNOWN if slot in covered and may_have_ups else None for slot in range(self.slots)]
            above = self.slot_cards("ups", usual if ups[seat] is None else ups[seat])
            lying = [slot for slot in range(self.slots) if above[slot] != NO_CARD]
            if lying and not (set(lying) <= set(covered) and may_have_ups):
                raise PositionError(f"ups: seat {seat} has some, but downs are gone that are played after them")
            g.down_cards[seat, : self.slots], g.up_cards[seat, : self.slots] = below, above
            g.downs_left[seat], g.ups_left[seat] = (sum(1 << slot for slot in filled) for filled in (covered, lying))

    # -- hands --

    def read_known(self) -> None:
        for seat, names in zip(self.seats, self.per_seat("known", []), strict=True):
            self.g.known[seat] = self.g.hands[seat] = _heap(self.take("known", _cards("known", names)))

    def read_cannot_hold(self) -> None:
        """Kinds as some pick-ups prove them: all that fit on one pile or another (R8)."""
        g = self.g
        for seat, names in zip(self.seats, self.per_seat("cannot_hold", []), strict=True):
            barred = _heap(_cards("cannot_hold", items("cannot_hold", names, KINDS)))
            proved = 0
            for need in range(OPEN + 1, LOCKED + 1):
                fits = _fitting_kinds(g, need)
                proved |= fits if fits & ~barred == 0 else 0
            if barred != proved:
                raise PositionError(
                    f"cannot_hold: no pick-ups can have proved just {', '.join(names)} of seat {seat}; "
                    f"{', '.join(names_of(proved)) or 'nothing'} would be possible"
                )
            g.cannot_hold[seat] = barred

    def read_hands(self) -> None:
        """Hands given as cards, those of known size as number of cards that are missing, and the others."""
        self.missing = [0] * self.players
        self.open_hands: list[int] = []
        for seat, hand in zip(self.seats, self.per_seat("hands"), strict=True):
            known = Counter(_cards("known", names_of(int(self.g.known[seat]))))
            if hand is None:
                self.open_hands.append(seat)
            elif isinstance(hand, list | tuple):
                held = Counter(_cards("hands", hand))
                if known - held:
                    raise PositionError(f"known: not all of it is in the hand of seat {seat}, {list(hand)}")
                self.give(seat, self.take("hands", list((held - known).elements())))
            else:
                self.missing[seat] = whole("hands", hand, known.total(), MOST_CARDS) - known.total()

    def give(self, seat: int, kinds: Sequence[int]) -> None:
        self.g.hands[seat] += _heap(kinds)

    def deal_rest(self) -> None:
        """Deal the cards that are left to the places that want some: hands, tables, hand laid aside; the rest is cleared."""
        g = self.g
        heap = self.deal_hands()
        for cells in (g.down_cards, g.up_cards):
            cells[cells == HIDDEN] = [heap.pop() for _ in range(int((cells == HIDDEN).sum()))]
        for seat in self.seats:
            g.ups[seat] = _heap([kind for kind in g.up_cards[seat].tolist() if kind != NO_CARD])
        if self.aside is None:
            self.aside = [heap.pop() for _ in range(int(g.aside_size))]
        g.aside = _heap(self.aside)
        if heap and self.given.get("cleared") is not None:
            raise PositionError(f"cleared: {len(heap)} cards of the deck are nowhere")
        g.cleared += _heap(heap)

    def deal_hands(self) -> list[int]:
        """Deal what is missing of the hands; returns the other cards, shuffled. Raises PositionError if there are too few."""
        g = self.g
        self.size_open_hands()
        cards = np.array(sorted(self.left.elements()), np.int8)
        need = np.array([*self.missing, len(cards) - sum(self.missing)], np.int64)
        barred = np.array([*(kinds_in(int(g.cannot_hold[seat])) for seat in self.seats), 0], np.int64)
        try:
            deals.deal(g.gen, cards, need, barred)
        except PositionError:
            raise PositionError("cannot_hold: the cards that are left cannot be dealt like that") from None
        *hands, heap = np.split(cards, np.cumsum(need)[:-1])
        for seat, dealt in zip(self.seats, hands, strict=True):
            self.give(seat, dealt.tolist())
            g.hand_sizes[seat] = size_of(int(g.hands[seat]))
            self.check_cannot_hold(seat)
        return list(heap.tolist())

    def check_cannot_hold(self, seat: int) -> None:
        """It is of the cards that are not known (R8)."""
        unknown, barred = int(self.g.hands[seat]) - int(self.g.known[seat]), int(self.g.cannot_hold[seat])
        held = kinds_in(unknown) & kinds_in(barred)
        if barred and unknown == 0:
            raise PositionError(f"cannot_hold: all of the hand of seat {seat} is known, nothing is left to be told of it")
        if held:
            names = [name for kind, name in enumerate(KIND_NAMES) if held >> kind & 1]
            raise PositionError(f"cannot_hold: the hand of seat {seat} has {', '.join(names)} besides what is known of it")

    def size_open_hands(self) -> None:
        """Hands left out: as many cards as at the beginning if there are; all that are left if the cleared ones are known."""
        g, left = self.g, self.left.total()
        wants = {
            "downs": int((g.down_cards == HIDDEN).sum()), "ups": int((g.up_cards == HIDDEN).sum()),
            "hands": sum(self.missing), "aside": int(g.aside_size) if self.aside is None else 0,
        }  # fmt: skip
        for field, count in wants.items():
            left -= count
            if left < 0:
                raise PositionError(f"{field}: too few cards are left in the deck")
        most = MOST_CARDS if self.given.get("cleared") is not None else self.usual_size - 2 * self.slots
        for _ in range(most):
            for seat in self.open_hands:
                if left > 0 and size_of(int(g.known[seat])) + self.missing[seat] < most:
                    self.missing[seat] += 1
                    left -= 1

    # -- the end --

    def check_end(self) -> None:
        g = self.g
        done = [seat for seat in self.seats if has_won(g, seat)]
        if g.over == FINISHED and (len(done) != 1 or g.wins[done[0]] != g.wins_needed):
            raise PositionError("hands: the winner has no card left, and the others have some")
        if g.over == TRUNCATED and done not in ([], [g.dealer]):  # the last game of a tournament may have been won
            raise PositionError("hands: only the winner of the last game, its dealer to be, can have no card left")
        if g.over == 0 and done:
            raise PositionError(f"hands: seat {done[0]} has no card left and so has won, but the match is not over")

    # -- what was played last; in a tournament's later games that may have been in an earlier one --

    def read_last_plays(self) -> None:
        self.told: list[_Told] = []
        for seat, play in zip(self.seats, self.per_seat("last_plays"), strict=True):
            if play is not None:
                self.told.append(self.read_play(seat, play))

    def read_play(self, seat: int, play: Any) -> _Told:
        """A decision whose cards the deck has, with a result that they can have had."""
        g = self.g
        if not isinstance(play, Mapping) or set(play) != PLAY_KEYS:
            raise PositionError(f"last_plays: {play!r} does not have the keys {', '.join(sorted(PLAY_KEYS))}")
        action = ACTION_IDS.get(play["action"], -1) if isinstance(play["action"], str) else -1
        flips = FLIP <= action < FLIP + self.slots
        if action < 0 or (play["flipped"] is not None) != flips or FLIP + self.slots <= action < PICK_UP:
            raise PositionError(f"last_plays: {play!r} is no play")
        flipped = _kind("last_plays", play["flipped"]) if flips else NO_CARD
        laid = (action // 3, action % 3 + 1) if action < FLIP else (flipped, 1)
        kind, copies = {PICK_UP: (NO_CARD, 0), STOP: (PARROT, 1)}.get(action, laid)
        if copies and copies_of(int(g.whole_deck), kind) < copies:
            raise PositionError(f"last_plays: {play!r}, but the deck has not as many {KIND_NAMES[kind]}")
        results = [RESULTS[result] for result in _results(g, action, kind, copies)]
        if play["result"] not in results:
            raise PositionError(f"last_plays: {play!r} cannot have this result; possible: {', '.join(results) or 'none'}")
        result = RESULTS.index(play["result"])
        g.last_action[seat], g.last_flip[seat], g.last_result[seat] = action, flipped, result
        return _Told(seat, action, kind, copies, result)

    def goes_on(self, play: _Told) -> bool:
        """Did the same seat have to play again, in the same turn (R18, R21)?"""
        freed = play.kind == PARROT and play.result == PLAYED and self.g.parrot_again
        return bool(freed or (play.result == CLEARED and self.g.clear_again))

    def read_turn(self) -> None:
        """Each seat that has played ended a turn, but for one that is to play again."""
        g = self.g
        going_on = g.game_number == 1 and g.over == 0 and any(map(self.goes_on, self.told))
        ended = len(self.told) - going_on if g.game_number == 1 else 0
        most = int(g.max_turns) - (g.over == 0)
        g.turn = whole("turn", self.get("turn", min(ended, most)), 0, most)
        fewest = int(g.turn) + int(g.game_number) - 1  # a turn takes a decision or more, and so does a game
        g.decisions = whole("decisions", self.get("decisions", fewest + going_on), fewest, MOST_DECISIONS)
        if g.turn < ended or g.decisions < fewest + going_on:
            raise PositionError(f"last_plays: they do not fit into {g.turn} turns and {g.decisions} decisions")

    def place_played(self) -> None:
        """Cards played in this game lie on the pile, are known in another's hand or were cleared."""
        g = self.g
        cleared, gone = Counter[int](), Counter[int]()
        for play in self.told if g.game_number == 1 else []:
            if play.result == CLEARED:
                cleared[play.kind] += 3 if play.kind < NUMBERS else play.copies  # no two plays clear the same cards
            elif play.copies and play.result != PICKED_UP:
                known = sum(copies_of(int(g.known[seat]), play.kind) for seat in self.seats if seat != play.seat)
                lying = copies_of(int(g.pile), play.kind) + known
                gone[play.kind] = max(gone[play.kind], play.copies - lying)
        missing = (cleared | gone) - Counter({kind: copies_of(int(g.cleared), kind) for kind in range(KINDS)})
        if missing and self.given.get("cleared") is not None:
            name = KIND_NAMES[min(missing)]
            raise PositionError(
                f"last_plays: {name} was played, but too few are on the pile, known in another's hand or cleared"
            )
        g.cleared += _heap(self.take("last_plays", list(missing.elements())))

    def check_last_plays(self) -> None:
        g = self.g
        mover = int(g.to_move)
        last = next((play for play in self.told if play.seat == mover), None)
        if g.after_parrot and last is not None and (last.kind, last.result) != (PARROT, PLAYED):
            raise PositionError(f"last_plays: after_parrot is True, but seat {mover} has not just played a parrot")
        for play in self.told if g.game_number == 1 else []:
            cleared = play.result == CLEARED
            if self.goes_on(play) and (play.seat != mover or not (g.pile_size == 0 if cleared else g.after_parrot or g.over)):
                raise PositionError(f"last_plays: seat {play.seat} would still be playing its turn")
            if play.result == PICKED_UP and not self.holds_pile(play):
                raise PositionError(f"last_plays: seat {play.seat} has picked up a pile, but none such is known in its hand")
            if FLIP <= play.action < PICK_UP and not self.has_flipped(play):
                raise PositionError(f"last_plays: seat {play.seat} cannot just have flipped that down")
            if play.result == STOPPED and has_won(g, play.seat):
                raise PositionError(f"last_plays: seat {play.seat} has stopped, but has no card left")

    def holds_pile(self, play: _Told) -> bool:
        """Is there a pile among the known cards that could not be played on, or not with the card flipped (R8, R9)?

        If cannot_hold tells anything of the seat, it tells what this pick-up has proved.
        """
        known = int(self.g.known[play.seat])
        if play.copies:
            return copies_of(known, play.kind) > 0 and _may_refuse(self.g, known - (1 << 4 * play.kind), play.kind)
        return _may_refuse(self.g, known, NO_CARD, int(self.g.cannot_hold[play.seat]) or EVERY)

    def has_flipped(self, play: _Told) -> bool:
        """Is the slot empty, and the hand, but for what was picked up then; and the ups, unless some may be left (R9, R24)?"""
        g, seat = self.g, play.seat
        held = size_of(int(g.known[seat])) if play.result == PICKED_UP else 0
        empty = g.down_cards[seat, play.action - FLIP] == NO_CARD and (g.ups_left[seat] == 0 or g.early_downs)
        return bool(empty and g.hand_sizes[seat] == held)


# -- from a view -------------------------------------------------------------------------------------------------------


def from_view(game: Game, given: Mapping[str, Any], seed: int = 0) -> np.record:
    """The record that a view describes; the manual says how to write one.

    Left out: nobody has played or won anything, the last seat has dealt, each slot has a down and an up. What is unknown (a
    hand that is left out, None or a number; '?' in a slot; the hand laid aside) is dealt by `seed`, which is also the match
    seed of the games to come; a hand left out gets as many cards as at the beginning, as far as there are, and what is in no
    place then was cleared, first of all what `last_plays` name. A list of slots may be short: the others are empty. `legal` is
    not read. Raises PositionError, OptionError for a bad seed.
    """
    return _Reader(game, given, seed).read()
