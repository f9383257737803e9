"""Skull King: positions and actions as plain names, back again, and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.errors import IllegalActionError, PositionError
from pirate_envs.core.notation import flag, items, whole
from pirate_envs.core.record import FINISHED
from pirate_envs.core.rng import seed_words
from pirate_envs.games.skull_king import laws, rules
from pirate_envs.games.skull_king.observation import hand_size
from pirate_envs.games.skull_king.rules import (
    BIDDING,
    ESCAPE,
    KINDS,
    MARY_ESCAPE,
    MARY_PIRATE,
    MAX_NUMBER,
    MERMAID,
    NO_BID,
    NUMBERS,
    PLAY,
    PLAYING_TRICKS,
    SUITS,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

SUIT_NAMES = ("yellow", "blue", "red", "black")
MARY = "scary_mary"
PLAYED_NAMES = [f"{suit}_{number}" for suit in SUIT_NAMES for number in range(1, MAX_NUMBER + 1)]
PLAYED_NAMES += ["escape", "pirate", "mermaid", "skull_king", f"{MARY}:pirate", f"{MARY}:escape"]
PLAYED_KINDS = {name: kind for kind, name in enumerate(PLAYED_NAMES)}
HELD_KINDS = {name: kind for name, kind in PLAYED_KINDS.items() if not name.startswith(MARY)} | {MARY: MARY_PIRATE}
HELD_NAMES = {kind: name for name, kind in HELD_KINDS.items()}
ACTION_NAMES = [f"bid {tricks}" for tricks in range(PLAY)] + [f"play {name}" for name in PLAYED_NAMES]
ACTIONS = {name: action for action, name in enumerate(ACTION_NAMES)}

SCORE_LIMITS = (-1_000, 15_000)  # what an observation can hold
BONUS_LIMITS = (0, 2_000)


# -- actions -----------------------------------------------------------------------------------------------------------


def action_name(_: np.record, action: int) -> str:
    """'bid 3', 'play yellow_5', 'play scary_mary:pirate'."""
    return ACTION_NAMES[action]


def action(_: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if there is none."""
    if name not in ACTIONS:
        raise IllegalActionError(
            f"{name!r} names no action; names are like 'bid 3', 'play yellow_5', 'play escape', 'play scary_mary:pirate'"
        )
    return ACTIONS[name]


# -- a record in words -------------------------------------------------------------------------------------------------


def _listed(cards: int, counts: int) -> list[int]:
    """The kinds of a set of cards, one entry a card, ascending; Scary Mary in a hand once, as MARY_PIRATE."""
    kinds = []
    for kind in range(KINDS):
        if cards >> kind & 1:
            kinds += [kind] * (rules.copies(counts, kind) if ESCAPE <= kind <= MERMAID else 1)
    return kinds


def _hand_names(g: np.record, seat: int) -> list[str]:
    kinds = _listed(int(g.hands[seat]), int(g.counts[seat]))
    return [HELD_NAMES[kind] for kind in kinds if kind != MARY_ESCAPE]


def _earlier_names(g: np.record) -> list[str]:
    """Cards played in this hand's earlier tricks."""
    cards = Counter(_listed(int(g.gone), int(g.gone_counts)))
    cards.subtract(int(kind) for kind in g.trick[: g.laid])
    return [PLAYED_NAMES[kind] for kind in sorted(cards.elements())]


def _last_trick(g: np.record) -> dict[str, Any] | None:
    if g.last_leader < 0:
        return None
    return {
        "leader": int(g.last_leader),
        "cards": [PLAYED_NAMES[kind] for kind in g.last_trick[: g.players]],
        "winner": int(g.last_winner),
        "bonus": int(g.last_bonus),
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`); `g` is redacted already when it is one seat's."""
    seats = range(int(g.players))
    return {
        "phase": "bid" if g.phase == BIDDING else "play",
        "hand_number": int(g.hand_number),
        "first_leader": int(g.first_leader),
        "leader": int(g.leader),
        "bids": [None if g.bids[s] == NO_BID else int(g.bids[s]) for s in seats],
        "tricks_won": [int(g.tricks_won[s]) for s in seats],
        "bonus": [int(g.bonus[s]) for s in seats],
        "hands": [_hand_names(g, s) if seat in (None, s) else int(hand_size(g, s)) for s in seats],
        "voids": [[name for suit, name in enumerate(SUIT_NAMES) if g.voids[s] >> suit & 1] for s in seats],
        "trick": [PLAYED_NAMES[kind] for kind in g.trick[: g.laid]],
        "played": _earlier_names(g),
        "last_trick": _last_trick(g),
    }


# -- words as a record: reading one field ------------------------------------------------------------------------------

OWN_KEYS = (
    "hand_number", "first_leader", "leader", "bids", "tricks_won", "bonus", "hands", "voids", "trick", "played", "last_trick"
)  # fmt: skip


def _cards(field: str, names: Iterable[Any], kinds: Mapping[str, int]) -> list[int]:
    found = []
    for name in names:
        if not isinstance(name, str) or name not in kinds:
            raise PositionError(f"{field}: unknown card {name!r}; cards are like 'yellow_5', 'pirate', {[*kinds][-1]!r}")
        found.append(kinds[name])
    return found


class _Reader:
    """Reads a view's fields in turn into one record and keeps count of the cards that are left."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        self.given = given
        self.players = game.players
        self.seats = range(game.players)
        g = self.g = game.empty(1)[0]
        g.seed[:] = seed_words(seed)
        rules.deal(g)  # the usual values
        g.hands[:] = 0
        g.counts[:] = 0
        rng.key(g.gen, *seed_words(seed), rng.Stream.POSITION)
        self.left = Counter(int(kind) for kind in rules.DECKS[int(g.highest)] if kind >= 0)
        self.last: list[int] = []  # cards of the last trick, if it was one of this hand
        self.named: Counter[int] = Counter()  # cards of the hand's earlier tricks that `played` names
        self.played: list[int] = []  # and those that are known from it or the last trick

    @property
    def tricks(self) -> int:
        """How many are won in this hand."""
        return int(self.g.hand_number - self.g.tricks_left)

    def get(self, field: str, usual: Any) -> Any:
        value = self.given.get(field)
        return usual if value is None else value

    def per_seat(self, field: str, low: int, high: int) -> list[int]:
        """One integer a seat; left out: zeros."""
        values = items(field, self.get(field, [0] * self.players), self.players, exactly=True)
        return [whole(field, value, low, high) for value in values]

    def seat(self, field: str, usual: int) -> int:
        return whole(field, self.get(field, usual), 0, self.players - 1)

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
        won = self.per_seat("tricks_won", 0, int(g.hand_number))
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
        order = [(first + i) % self.players for i in self.seats]
        return next((seat for seat in order if self.g.tricks_won[seat] > 0), first)

    def read_bids(self) -> None:
        g = self.g
        known = items("bids", self.get("bids", [None] * self.players), self.players, exactly=True)
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
        order = [(int(g.first_leader) + i) % self.players for i in self.seats]
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
        g.scores[: self.players] = self.per_seat("scores", *SCORE_LIMITS)
        g.bonus[: self.players] = self.per_seat("bonus", *BONUS_LIMITS)
        if self.last and self.given.get("bonus") is None:
            g.bonus[g.last_winner] = g.last_bonus
        voids = items("voids", self.get("voids", [[]] * self.players), self.players, exactly=True)
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
            if isinstance(last.get(key), bool) or last.get(key, value) != value:
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
            rules.lay_card(table, (leader + place) % self.players, kind)
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
                seat = (int(leader) + place) % self.players
                if kind < NUMBERS and voids[seat] >> kind // MAX_NUMBER & 1:
                    raise PositionError(f"voids: seat {seat} played {PLAYED_NAMES[kind]} but had shown not to hold its suit")
        g.voids |= table.voids

    def check_bonus(self) -> None:
        cards = Counter(self.played)
        if len(self.played) < self.players * self.tricks:
            cards += self.left
        if (seat := laws.cannot_earn(self.g, cards, self.last)) is not None:
            raise PositionError(f"bonus: seat {seat} cannot have won {int(self.g.bonus[seat])} with these tricks and cards")

    def read_hands(self, trick: list[int]) -> None:
        """Hands as they are now, then the cards of the trick put back into them: `lay` plays these anew."""
        g = self.g
        hands = items("hands", self.get("hands", [None] * self.players), self.players, exactly=True)
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
        for seat, kind in zip(hidden, self.dealt(hidden), strict=True):
            rules.add_card(g, seat, kind)
        for place, kind in enumerate(trick):
            rules.add_card(g, (int(g.leader) + place) % self.players, kind)

    def hold(self, seat: int, kinds: list[int]) -> None:
        self.take("hands", kinds)
        for kind in kinds:
            if not self.may_hold(seat, kind):
                raise PositionError(f"voids: seat {seat} holds {HELD_NAMES[kind]} but has shown not to hold its suit")
            rules.add_card(self.g, seat, kind)

    def may_hold(self, seat: int, kind: int) -> bool:
        return kind >= NUMBERS or not self.g.voids[seat] >> kind // MAX_NUMBER & 1

    def dealt(self, owners: list[int]) -> list[int]:
        """A random card that is left for each owner, respecting the voids (augmenting paths)."""
        deck = np.array(sorted(self.left.elements()), np.int64)
        rng.shuffle(self.g.gen, deck, len(deck))
        place_of: dict[int, int] = {}  # index in deck -> index in owners

        def settle(place: int, tried: set[int]) -> bool:
            fitting = [i for i, kind in enumerate(deck) if self.may_hold(owners[place], int(kind))]
            for i in sorted(fitting, key=place_of.__contains__):  # free cards first
                if i not in tried:
                    tried.add(i)
                    if i not in place_of or settle(place_of[i], tried):
                        place_of[i] = place
                        return True
            return False

        for place, seat in enumerate(owners):
            if not settle(place, set()):
                raise PositionError(f"hands: too few cards are left for seat {seat} and its voids")
        card_of = {place: int(deck[i]) for i, place in place_of.items()}
        return [card_of[place] for place in range(len(owners))]

    def read_over(self) -> None:
        g, over = self.g, flag("over", self.get("over", False))
        if over and (g.hand_number != g.last_hand or g.tricks_left > 0):
            raise PositionError("over: the last trick of the last hand is not played")
        g.over = FINISHED if over else 0

    def decisions(self) -> int:
        """How many were made before the trick on the table, had this position come from the first deal."""
        g = self.g
        earlier = sum(self.players * (1 + size) for size in range(int(g.first_hand), int(g.hand_number)))
        bids = sum(int(g.bids[seat]) != NO_BID for seat in self.seats)
        return earlier + bids + self.players * int(g.hand_number - g.tricks_left)

    def lay(self, trick: list[int]) -> None:
        """Play the trick on the table anew, and whatever needs no decision after it."""
        g = self.g
        mover = (int(g.to_move) + len(trick)) % self.players
        waits = not g.over and g.tricks_left > 0 and len(trick) < self.players
        if self.seat("to_move", mover) != mover and waits:
            raise PositionError(f"to_move: it is seat {mover}, not {self.given['to_move']!r}")
        for kind in trick:
            if not rules.playable(int(g.hands[g.to_move]), int(g.led_suit)) >> kind & 1:
                raise PositionError(f"trick: seat {int(g.to_move)} may not play {PLAYED_NAMES[kind]}, it can follow suit")
            rules.apply(g, PLAY + kind)
        if g.tricks_left == 0 and not g.over and not trick:
            rules.end_hand(g)


# -- from a view -------------------------------------------------------------------------------------------------------


def from_view(game: Game, given: Mapping[str, Any], seed: int = 0) -> np.record:
    """The record that a view describes; the manual says how to write one.

    Left out: the hand is the first, nobody has bid, won or scored anything, the hands are unknown; in `play` bids are 0 and
    earlier cards unseen. Unknown hands (left out, None or a number) and hidden sealed bids are drawn by `seed`, which is also
    the match seed of the hands to come. `legal` is not read. Raises PositionError, OptionError for a bad seed.
    """
    return _Reader(game, given, seed).read()


# -- as text -----------------------------------------------------------------------------------------------------------


def _winning(shown: Mapping[str, Any]) -> int:
    """The seat that would win the trick on the table now."""
    g = np.zeros(1, rules.STATE)[0]
    g.players = len(shown["hands"])
    g.character_lead_frees_trick = shown["options"].get("character_lead_frees_trick", False)
    rules.start_trick(g, shown["leader"])
    for place, name in enumerate(shown["trick"]):
        rules.lay_card(g, (shown["leader"] + place) % int(g.players), PLAYED_KINDS[name])
    return int(g.winning)


def _cards_in_order(leader: int, names: Sequence[str], players: int, winner: int) -> str:
    """'0 yellow_5 · 1 pirate* · ...', the winner's card starred."""
    seats = [(leader + place) % players for place in range(len(names))]
    return " · ".join(f"{seat} {name}{'*' if seat == winner else ''}" for seat, name in zip(seats, names, strict=True))


def _hand_text(names: Sequence[str]) -> str:
    """'yellow 3 5 | black 13 | pirate escape escape'."""
    groups = []
    for suit in SUIT_NAMES:
        numbers = [name.removeprefix(f"{suit}_") for name in names if name.startswith(f"{suit}_")]
        if numbers:
            groups.append(f"{suit} {' '.join(numbers)}")
    specials = [name for name in names if not name.startswith(SUIT_NAMES)]
    return " | ".join(groups + ([" ".join(specials)] if specials else [])) or "-"


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    bid, hand = shown["bids"][seat], shown["hands"][seat]
    marks = (">" if seat == shown["to_move"] else " ") + ("L" if seat == shown["leader"] else " ")
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    cards = f"{hand} cards" if isinstance(hand, int) else _hand_text(hand)
    voids = f"   no {', '.join(shown['voids'][seat])}" if shown["voids"][seat] else ""
    won, bonus, score = (shown[key][seat] for key in ("tricks_won", "bonus", "scores"))
    return f"{marks} {who:<8} {'?' if bid is None else bid:>3} {won:>4} {bonus:>6} {score:>6}   {cards}{voids}"


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: the table of seats (> to move, L leads), the trick on the table (* is winning) and the last one."""
    players, last = len(shown["hands"]), shown["last_trick"]
    doing = "the match is over" if shown["over"] else "bidding" if shown["phase"] == "bid" else "playing"
    lines = [
        f"Skull King, hand {shown['hand_number']} of {shown['options'].get('last_hand', rules.MAX_HAND)}: {doing}",
        "   seat     bid  won  bonus  score   hand",
        *(_seat_line(shown, other, seat) for other in range(players)),
    ]
    if shown["trick"]:
        lines.append(f"trick: {_cards_in_order(shown['leader'], shown['trick'], players, _winning(shown))}")
    if last:
        bonus = f", bonus {last['bonus']}" if last["bonus"] else ""
        lines.append(f"last trick: {_cards_in_order(last['leader'], last['cards'], players, last['winner'])}{bonus}")
    return "\n".join(lines)
