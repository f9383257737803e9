"""Lucky Pirate: positions and actions as plain names, back again, and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.errors import IllegalActionError, PositionError
from pirate_envs.core.notation import flag, items, whole
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rng import seed_words
from pirate_envs.games.lucky_pirate import rules
from pirate_envs.games.lucky_pirate.rules import (
    CAPTAIN,
    CLEARED,
    FIRST_MATE,
    FITS,
    FLIP,
    HIDDEN,
    KIND_NAMES,
    KINDS,
    LOCKED,
    MOST_CARDS,
    NEED_AFTER,
    NO_CARD,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PICKED_UP,
    PLACES,
    PLANK,
    PLAYED,
    SLOTS,
    STOP,
    STOPPED,
    TABLE_CARDS,
    copies_of,
    heap_of,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

UNKNOWN = "?"
ACTION_NAMES = [f"play {' '.join([name] * copies)}" for name in KIND_NAMES for copies in (1, 2, 3)]
ACTION_NAMES += [*(f"flip {slot}" for slot in range(SLOTS)), "pick up", "stop"]
ACTIONS = {name: action for action, name in enumerate(ACTION_NAMES)}
NEED_NAMES: list[Any] = ["open", *range(1, LOCKED), "captain"]
RESULTS = ("", "played", "cleared", "picked up", "stopped")
ZONES = ("hand", "ups", "downs")
PLAY_KEYS = {"action", "flipped", "result"}
MOST_DECISIONS = 2**31 - 2
DEEPEST = 4  # lists within lists of a view, no real one has as many


# -- actions -----------------------------------------------------------------------------------------------------------


def action_name(_: np.record, action: int) -> str:
    """'play 5 5', 'flip 2', 'pick up', 'stop'."""
    return ACTION_NAMES[action]


def action(_: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if there is none."""
    if name not in ACTIONS:
        raise IllegalActionError(
            f"{name!r} names no action; names are like 'play 5 5', 'play captain', 'flip 0', 'pick up', 'stop'"
        )
    return ACTIONS[name]


# -- a record in words -------------------------------------------------------------------------------------------------


def _names(heap: int) -> list[str]:
    return [name for kind, name in enumerate(KIND_NAMES) for _ in range(heap >> 4 * kind & 7)]


def _slot_names(cards: np.ndarray) -> list[str | None]:
    return [None if card == NO_CARD else UNKNOWN if card == HIDDEN else KIND_NAMES[card] for card in cards]


def _zone(g: np.record, seat: int) -> str:
    return ZONES[0 if g.hand_sizes[seat] else 1 if g.ups_left[seat] else 2]


def _run(g: np.record) -> list[int] | None:
    """Value and length of the equal numbers on top of the pile."""
    return [int(g.run_value), int(g.run_length)] if g.run_value else None


def _last_play(g: np.record, seat: int) -> dict[str, Any] | None:
    if g.last_action[seat] < 0:
        return None
    flipped = int(g.last_flip[seat])
    return {
        "action": ACTION_NAMES[g.last_action[seat]],
        "flipped": None if flipped == NO_CARD else KIND_NAMES[flipped],
        "result": RESULTS[g.last_result[seat]],
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`); `g` is redacted already when it is one seat's."""
    seats = range(int(g.players))
    slots = int(TABLE_CARDS[g.players])
    return {
        "phase": _zone(g, int(g.to_move)),
        "pile": [KIND_NAMES[kind] for kind in g.pile_cards[: g.pile_size]],
        "need": NEED_NAMES[g.need],
        "run": _run(g),
        "direction": int(g.direction),
        "after_parrot": bool(g.after_parrot),
        "hands": [_names(int(g.hands[s])) if seat in (None, s) else int(g.hand_sizes[s]) for s in seats],
        "known": [_names(int(g.known[s])) for s in seats],
        "ups": [_slot_names(g.up_cards[s, :slots]) for s in seats],
        "downs": [_slot_names(g.down_cards[s, :slots]) for s in seats],
        "aside": _names(int(g.aside)) if seat is None else int(g.aside_size),
        "cleared": _names(int(g.cleared)),
        "turn": int(g.turn),
        "game_number": int(g.game_number),
        "dealer": int(g.dealer),
        "wins": [int(g.wins[s]) for s in seats],
        "last_plays": [_last_play(g, s) for s in seats],
        "truncated": int(g.over) == TRUNCATED,
        "decisions": int(g.decisions),
    }


# -- words as a record: reading one field ------------------------------------------------------------------------------

OWN_KEYS = (
    *("pile", "need", "run", "direction", "after_parrot", "hands", "known", "ups", "downs", "aside", "cleared", "turn"),
    *("game_number", "dealer", "wins", "last_plays", "truncated", "decisions"),
)


def _plain(field: str, value: Any, depth: int = 0) -> Any:
    """The value, if it is one that JSON has, so that it can be compared and shown. Raises PositionError."""
    if isinstance(value, list | tuple | Mapping) and depth < DEEPEST:
        names, entries = (list(value), value.values()) if isinstance(value, Mapping) else ([], value)
        for entry in entries:
            _plain(field, entry, depth + 1)
        if all(isinstance(name, str) for name in names):
            return value
    elif isinstance(value, int | np.integer) and abs(int(value)) >> 63:
        raise PositionError(f"{field}: an integer is not between -2**63 and 2**63")
    elif value is None or isinstance(value, str | int | float | np.number | np.bool_):
        return value
    raise PositionError(f"{field}: a {type(value).__name__} is none of the lists, mappings, names and numbers of a view")


def _alike(given: Any, value: Any) -> bool:
    """Is a field the number, name or list of numbers that it has to be?"""
    if isinstance(value, list):
        return isinstance(given, list) and len(given) == len(value) and all(map(_alike, given, value))
    return isinstance(given, str | int | np.integer) and bool(given == value)


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


def _may_refuse(g: np.record, heap: int, kind: int) -> bool:
    """May a pile of cards of this heap ask for what the card (NO_CARD: some card) is not?"""
    for need in range(OPEN + 1, LOCKED + 1):
        asking = {CAPTAIN + 1: (CAPTAIN, FIRST_MATE), LOCKED: (CAPTAIN,)}.get(need, (need - 1,))
        fits = int(FITS[g.table, need])
        refused = fits != FITS[g.table, OPEN] if kind == NO_CARD else copies_of(fits, kind) == 0
        if refused and all(copies_of(heap, card) for card in asking):
            return True
    return False


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


class _Reader:
    """Reads a view's fields in turn into one record and keeps count of the cards that are left."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        self.given = {field: _plain(field, value) for field, value in given.items() if field != "legal"}
        self.players = game.players
        self.seats = range(game.players)
        self.slots = int(TABLE_CARDS[game.players])
        g = self.g = game.empty(1)[0]
        g.seed[:] = seed_words(seed)
        rules.deal(g)  # the usual values
        rules.clear_table(g)
        rng.key(g.gen, *seed_words(seed), rng.Stream.POSITION)
        self.left = Counter({kind: int(g.whole_deck) >> 4 * kind & 7 for kind in range(KINDS)})
        self.usual_size = self.left.total() // int(PLACES[game.players])

    def get(self, field: str, usual: Any) -> Any:
        value = self.given.get(field)
        return usual if value is None else value

    def per_seat(self, field: str, usual: Any) -> list[Any]:
        return items(field, self.get(field, [usual] * self.players), self.players, exactly=True)

    def seat(self, field: str, usual: int) -> int:
        return whole(field, self.get(field, usual), 0, self.players - 1)

    def same(self, field: str, value: Any) -> None:
        """A field that follows from others, if it is given, says what they say."""
        if self.given.get(field) is not None and not _alike(self.given[field], value):
            raise PositionError(f"{field}: it is {value!r}, not {self.given[field]!r}")

    def take(self, field: str, kinds: Sequence[int]) -> list[int]:
        """Take cards out of the deck. Raises PositionError if one is not there (any more)."""
        for kind in kinds:
            if self.left[kind] == 0:
                raise PositionError(f"{field}: no {KIND_NAMES[kind]} is left in the deck")
            self.left[kind] -= 1
        return list(kinds)

    # -- the fields, in the order in which they depend on each other --

    def read(self) -> np.record:
        self.read_over()
        self.read_wins()
        self.read_seats()
        self.read_pile()
        self.read_last_plays()
        self.read_turn()
        self.read_cleared()
        self.read_aside()
        self.read_slots()
        self.read_known()
        self.read_hands()
        self.place_played()
        self.deal_rest()
        self.check_end()
        self.check_last_plays()
        self.same("phase", _zone(self.g, int(self.g.to_move)))
        return self.g

    def read_over(self) -> None:
        over, truncated = flag("over", self.get("over", False)), flag("truncated", self.get("truncated", False))
        if truncated and not over:
            raise PositionError("truncated: True, but the match is not over")
        self.g.over = TRUNCATED if truncated else FINISHED if over else 0

    def read_wins(self) -> None:
        g = self.g
        wins = [whole("wins", won, 0, int(g.wins_needed)) for won in self.per_seat("wins", 0)]
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
        g.to_move = g.dealer if g.over else self.seat("to_move", (int(g.dealer) + 1) % self.players)
        g.direction = whole("direction", self.get("direction", 1), -1, 1)
        if g.direction == 0:
            raise PositionError("direction: 0 is neither 1 nor -1")

    def read_pile(self) -> None:
        """Lay the pile anew, card by card; equal cards after one that fits may have been played with it."""
        g, before, together = self.g, NO_CARD, 0
        for kind in self.take("pile", _cards("pile", self.get("pile", []))):
            if int(rules.fitting(g)) >> 4 * kind & 1:
                together = 1
            elif kind == before and together < 3:
                together += 1
            else:
                raise PositionError(f"pile: {KIND_NAMES[kind]} does not go on what is below it")
            rules.lay(g, kind, 1)
            if kind == PLANK or g.run_length >= 3:
                raise PositionError(f"pile: {KIND_NAMES[kind]} has cleared it")
            before = kind
        self.same("need", NEED_NAMES[g.need])
        self.same("run", _run(g))
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
        ups, downs = self.per_seat("ups", None), self.per_seat("downs", None)
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

    def read_hands(self) -> None:
        """Hands given as cards, those of known size as number of cards that are missing, and the others."""
        self.short: list[int] = []
        self.open_hands: list[int] = []
        for seat, hand in zip(self.seats, self.per_seat("hands", None), strict=True):
            known = Counter(_cards("known", _names(int(self.g.known[seat]))))
            if hand is None:
                self.open_hands.append(seat)
            elif isinstance(hand, list | tuple):
                held = Counter(_cards("hands", hand))
                if known - held:
                    raise PositionError(f"known: not all of it is in the hand of seat {seat}, {list(hand)}")
                self.give(seat, self.take("hands", list((held - known).elements())))
            else:
                self.short += [seat] * (whole("hands", hand, known.total(), MOST_CARDS) - known.total())

    def give(self, seat: int, kinds: Sequence[int]) -> None:
        self.g.hands[seat] += _heap(kinds)

    def deal_rest(self) -> None:
        """Deal the cards that are left to the places that want some: tables, hand laid aside, hands; the rest is cleared."""
        g = self.g
        cards = np.array(sorted(self.left.elements()), np.int64)
        rng.shuffle(g.gen, cards, len(cards))
        heap = cards.tolist()
        for cells in (g.down_cards, g.up_cards):
            for seat in self.seats:
                for slot in range(self.slots):
                    if cells[seat, slot] == HIDDEN:
                        cells[seat, slot] = self.draw(heap, "downs" if cells is g.down_cards else "ups")
        for seat in self.seats:
            g.ups[seat] = _heap([kind for kind in g.up_cards[seat].tolist() if kind != NO_CARD])
        for seat in self.short:
            self.give(seat, [self.draw(heap, "hands")])
        if self.aside is None:
            self.aside = [self.draw(heap, "aside") for _ in range(int(g.aside_size))]
        g.aside = _heap(self.aside)
        self.deal_open_hands(heap)
        if heap and self.given.get("cleared") is not None:
            raise PositionError(f"cleared: {len(heap)} cards of the deck are nowhere")
        g.cleared += _heap(heap)
        g.hand_sizes[: self.players] = [len(_names(int(g.hands[seat]))) for seat in self.seats]

    def draw(self, heap: list[int], field: str) -> int:
        if not heap:
            raise PositionError(f"{field}: too few cards are left in the deck")
        return heap.pop()

    def deal_open_hands(self, heap: list[int]) -> None:
        """Hands left out: as many cards as at the beginning if there are; all that are left if the cleared ones are known."""
        most = MOST_CARDS if self.given.get("cleared") is not None else self.usual_size - 2 * self.slots
        for _ in range(most):
            for seat in self.open_hands:
                if heap and len(_names(int(self.g.hands[seat]))) < most:
                    self.give(seat, [heap.pop()])

    # -- the end --

    def check_end(self) -> None:
        g = self.g
        done = [seat for seat in self.seats if rules.has_won(g, seat)]
        if g.over == FINISHED and (len(done) != 1 or g.wins[done[0]] != g.wins_needed):
            raise PositionError("hands: the winner has no card left, and the others have some")
        if g.over == TRUNCATED and done not in ([], [g.dealer]):  # the last game of a tournament may have been won
            raise PositionError("hands: only the winner of the last game, its dealer to be, can have no card left")
        if g.over == 0 and done:
            raise PositionError(f"hands: seat {done[0]} has no card left and so has won, but the match is not over")

    # -- what was played last; in a tournament's later games that may have been in an earlier one --

    def read_last_plays(self) -> None:
        self.told: list[_Told] = []
        for seat, play in zip(self.seats, self.per_seat("last_plays", None), strict=True):
            if play is not None:
                self.told.append(self.read_play(seat, play))

    def read_play(self, seat: int, play: Any) -> _Told:
        """A decision whose cards the deck has, with a result that they can have had."""
        g = self.g
        if not isinstance(play, Mapping) or set(play) != PLAY_KEYS:
            raise PositionError(f"last_plays: {play!r} does not have the keys {', '.join(sorted(PLAY_KEYS))}")
        action = ACTIONS.get(play["action"], -1) if isinstance(play["action"], str) else -1
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
            if play.result == STOPPED and rules.has_won(g, play.seat):
                raise PositionError(f"last_plays: seat {play.seat} has stopped, but has no card left")

    def holds_pile(self, play: _Told) -> bool:
        """Is there a pile among the known cards that could not be played on, or not with the card flipped (R8, R9)?"""
        known = int(self.g.known[play.seat])
        if play.copies and copies_of(known, play.kind) == 0:
            return False
        return _may_refuse(self.g, known - (1 << 4 * play.kind if play.copies else 0), play.kind)

    def has_flipped(self, play: _Told) -> bool:
        """Is the slot empty, and the hand, but for what was picked up then; and the ups, unless some may be left (R9, R24)?"""
        g, seat = self.g, play.seat
        held = rules.size_of(int(g.known[seat])) if play.result == PICKED_UP else 0
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


# -- as text -----------------------------------------------------------------------------------------------------------


def _heap_text(names: Sequence[str]) -> str:
    """'4 4 captain' as '4 x2, captain'."""
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in Counter(names).items())


def _play_text(play: Mapping[str, Any] | None) -> str:
    if play is None:
        return ""
    flipped = f": {play['flipped']}" if play["flipped"] else ""
    result = "" if play["result"] in ("played", "stopped") or play["action"] == "pick up" else f", {play['result']}"
    return f"{play['action']}{flipped}{result}"


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    mark = ">" if seat == shown["to_move"] else " "
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    table = " ".join(f"{up or '-'}/{down or '-'}" for up, down in zip(shown["ups"][seat], shown["downs"][seat], strict=True))
    hand, known = shown["hands"][seat], _heap_text(shown["known"][seat])
    cards = f"{hand} cards{f' ({known})' if known else ''}" if isinstance(hand, int) else _heap_text(hand) or "empty"
    return f"{mark} {who:<8} {shown['wins'][seat]:>4}   {table:<36}  {cards}"


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: the pile, then the seats (> to move) with ups/downs and hands, and what each did last."""
    pile, need = shown["pile"], shown["need"]
    doing = "cut short" if shown["truncated"] else "over" if shown["over"] else f"turn {shown['turn'] + 1}"
    asks = {"open": "anything goes", "captain": "captain: first mate, porthole or captain"}.get(need, f"{need} or more")
    top = f"... {' '.join(pile[-8:])}" if len(pile) > 8 else " ".join(pile) or "none"
    lines = [
        f"Lucky Pirate, game {shown['game_number']}: {doing}, to the {'left' if shown['direction'] == 1 else 'right'}",
        f"pile:  {top}   ({len(pile)} cards; {asks})",
        f"  seat     wins   {'ups/downs':<36}  hand",
        *(_seat_line(shown, other, seat) for other in range(len(shown["hands"]))),
    ]
    last = [f"{other} {_play_text(play)}" for other, play in enumerate(shown["last_plays"]) if play]
    return "\n".join([*lines, f"last plays: {' · '.join(last)}"] if last else lines)
