"""Piratenpoker: positions read from plain names (notation.py writes them)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.errors import PositionError
from pirate_envs.core.notation import Reader, alike, flag, items, whole
from pirate_envs.core.ranges import MOST_DECISIONS
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.seats import NO_ONE, after
from pirate_envs.games.piratenpoker import rules
from pirate_envs.games.piratenpoker.notation import (
    COLOUR_NAMES,
    LOOT_NAMES,
    PASS_NAME,
    PHASES,
    POKER_NAMES,
    bid_named,
    front_name,
    index_of,
    packed,
)
from pirate_envs.games.piratenpoker.observation import seal_bid
from pirate_envs.games.piratenpoker.past import read_past
from pirate_envs.games.piratenpoker.state import (
    BELOW_DECK,
    BID,
    COLOURS,
    COPIES,
    EMPTY,
    FRONTS,
    GIFT,
    HAND,
    KINDS,
    NOTHING,
    NUMBERS,
    OVERBOARD,
    PASS,
    POKER_CARDS,
    SIDES,
    STACK,
    display_score,
    shown,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

# -- words as a record: reading one field ------------------------------------------------------------------------------

OWN_KEYS: tuple[str, ...] = (
    *("first_seat", "cycle", "round", "offer", "stacks", "hidden", "removed", "hands", "pass_in_hand", "in_cycle", "bids"),
    *("displays", "discard", "pile", "gift_to", "last_reveal", "reshuffle", "truncated", "decisions"),
)
ON_OFFER = {BID: (3, 2, 1), OVERBOARD: (3,), BELOW_DECK: (0, 2), GIFT: (0, 1)}  # loot by phase and round; 0: no such


class _Reader(Reader):
    """Reads a view's fields in turn into one record and keeps count of the cards that are left."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        super().__init__(game, given, seed)
        g = self.g
        rules.deal(g)  # the usual values
        self.key_chance()
        counts = [int(g.full_counts) >> 8 * front & 255 for front in range(len(FRONTS))]
        self.loot = [Counter(dict(enumerate(counts))) for _ in range(COLOURS)]  # by colour and front, not yet placed
        self.poker = Counter({kind: COPIES[kind % NUMBERS] for kind in range(KINDS)})
        self.last_names: list[list[str]] = [[] for _ in self.seats]  # cards staked at the last reveal

    @property
    def new_cycle(self) -> bool:
        """Is it the first round of a cycle, before the reveal?"""
        return self.g.phase == BID and self.g.round_number == 1 and not self.g.over

    def below(self, n: int) -> int:
        return int(rng.below(self.g.gen, n))

    def drawn(self, left: Counter[int]) -> int:
        """A random card of those that are left."""
        cards = sorted(left.elements())
        card = cards[self.below(len(cards))]
        left[card] -= 1
        return card

    def take_loot(self, field: str, colour: int, front: int) -> None:
        if self.loot[colour][front] == 0:
            raise PositionError(f"{field}: no more {front_name(colour, front)} is in the game")
        self.loot[colour][front] -= 1

    def take_poker(self, field: str, names: Any, most: int) -> list[int]:
        kinds = [index_of(field, name, POKER_NAMES) for name in items(field, names, most)]
        for kind in kinds:
            if self.poker[kind] == 0:
                raise PositionError(f"{field}: no more {POKER_NAMES[kind]} is in the game")
            self.poker[kind] -= 1
        return kinds

    # -- the fields, in the order in which they depend on each other --

    def read(self) -> np.record:
        self.read_stage()
        self.read_displays()
        self.read_offer()
        self.read_stacks()
        self.read_last_reveal()
        self.read_passes()
        self.read_discard()
        self.read_hands()
        self.check_stacks()
        if self.g.over:
            self.check_end()
        else:
            self.read_mover()
        return self.g

    def read_stage(self) -> None:
        g = self.g
        g.over = self.ending()
        phase = index_of("phase", self.get("phase", PHASES[BID]), PHASES)
        g.phase = BID if g.over else phase
        usual = {BELOW_DECK: 2, GIFT: 2}.get(int(g.phase), 3 if g.over else 1)
        g.round_number = whole("round", self.get("round", usual), 1, 3)
        if g.round_number > len(ON_OFFER[int(g.phase)]) or not ON_OFFER[int(g.phase)][g.round_number - 1]:
            raise PositionError(f"round: {int(g.round_number)} does not fit phase {PHASES[g.phase]!r}")
        if self.given.get("gift_to") is not None and (g.over or g.phase != GIFT):
            raise PositionError(f"gift_to: {self.given['gift_to']!r}, but nothing is being given away")
        g.cycle = whole("cycle", self.get("cycle", 1), 1, int(g.max_cycles))
        g.first_seat = self.seat("first_seat", 0)
        g.decisions = whole("decisions", self.get("decisions", 0), 0, MOST_DECISIONS)

    def read_displays(self) -> None:
        for seat, display in enumerate(self.per_seat("displays", [])):
            cards = [index_of("displays", name, LOOT_NAMES) for name in items("displays", display, COLOURS * STACK)]
            for card in cards:
                self.take_loot("displays", card // SIDES, card % SIDES % len(FRONTS))
            self.g.displays[seat] = [packed(cards, colour) for colour in range(COLOURS)]
            self.g.scores[seat] = display_score(shown(self.g, seat), self.g.bonus_repeat, self.g.bonus_sides)
            stated, worth = self.per_seat("scores")[seat], int(self.g.scores[seat])
            whole("scores", worth if stated is None else stated, worth, worth)

    def read_offer(self) -> None:
        g = self.g
        needed = 0 if g.over else ON_OFFER[int(g.phase)][g.round_number - 1]
        g.offer[:] = NOTHING
        if self.given.get("offer") is None:
            for _ in range(needed):
                free = [colour for colour in range(COLOURS) if g.offer[colour] < 0 and self.loot[colour].total()]
                if not free:
                    raise PositionError("offer: no loot is left for it")
                colour = free[self.below(len(free))]
                g.offer[colour] = self.drawn(self.loot[colour])
            return
        for name in items("offer", self.given["offer"], needed, exactly=True):
            colour, front = divmod(index_of("offer", name, LOOT_NAMES), SIDES)
            if front >= len(FRONTS) or g.offer[colour] >= 0:
                raise PositionError(f"offer: {name!r} is a back, or a second card of its colour")
            self.take_loot("offer", colour, front)
            g.offer[colour] = front

    def read_stacks(self) -> None:
        """A stack left out is all loot of its colour that is nowhere else; of one given, the rest is out of the game."""
        removed = self.given.get("removed")
        out = [
            divmod(index_of("removed", name, LOOT_NAMES), SIDES) for name in items("removed", removed or [], COLOURS * STACK)
        ]
        for colour, front in out:
            if front >= len(FRONTS):
                raise PositionError(f"removed: {front_name(colour, front)} is a back; fronts are named")
            self.take_loot("removed", colour, front)
        stacks, hidden = self.per_seat("stacks", None, COLOURS), self.per_seat("hidden", None, COLOURS)
        for colour in range(COLOURS):
            self.read_stack(colour, stacks[colour], hidden[colour])
            if removed is not None and self.loot[colour].total():
                raise PositionError(f"removed: {front_name(colour, min(self.loot[colour].elements()))} is nowhere")
            rest = [*self.loot[colour].elements(), *(front for other, front in out if other == colour)]
            self.g.removed[colour] = sum(1 << 8 * front for front in rest)

    def read_stack(self, colour: int, given: Any, hidden: Any) -> None:
        g, left = self.g, self.loot[colour]
        if given is None or isinstance(given, int | np.integer):
            size = left.total() if given is None else whole("stacks", given, 0, left.total())
            names: list[Any] = [None] * size
        else:
            names = items("stacks", given, STACK)
        fronts = [None if name is None else index_of("stacks", name, LOOT_NAMES) - colour * SIDES for name in names]
        for name, front in zip(names, fronts, strict=True):
            if front is not None and not 0 <= front < len(FRONTS):
                raise PositionError(f"stacks: {name!r} is no front of {COLOUR_NAMES[colour]}")
            if front is not None:
                self.take_loot("stacks", colour, front)
        if fronts.count(None) > left.total():
            raise PositionError(f"stacks: {len(fronts)} cards in {COLOUR_NAMES[colour]}, too few loot cards are left for them")
        lowest = max((place for place, front in enumerate(fronts) if front is None), default=0)
        g.hidden[colour] = whole("hidden", lowest if hidden is None else hidden, lowest, max(len(fronts) - 1, 0))
        if hidden is None and any(front is not None for front in fronts[1:lowest]):
            raise PositionError(f"stacks: in {COLOUR_NAMES[colour]} a card that was seen lies over one that was not")
        unknown = [place for place, front in enumerate(fronts) if front is None]
        for place in unknown:
            fronts[place] = self.drawn(left)
        g.stacks[colour] = sum(1 << 4 * place + front for place, front in enumerate(fronts) if front is not None)
        g.stack_sizes[colour] = len(fronts)
        g.unseen[colour] = sum(1 << 8 * front for front in fronts[1 : g.hidden[colour] + 1] if front is not None)

    def read_passes(self) -> None:
        g = self.g
        held = [None if given is None else flag("pass_in_hand", given) for given in self.per_seat("pass_in_hand")]
        inside = [None if given is None else flag("in_cycle", given) for given in self.per_seat("in_cycle")]
        for seat in self.seats:
            if g.pass_effect:
                fits, holds = inside[seat] is not False, held[seat]
            else:
                fits = None in (held[seat], inside[seat]) or held[seat] == inside[seat]
                holds = inside[seat] if held[seat] is None else held[seat]
            if not fits:
                raise PositionError(f"in_cycle: {inside[seat]} does not fit seat {seat}'s pass_in_hand {held[seat]}")
            if holds is False and self.new_cycle:
                raise PositionError(f"pass_in_hand: seat {seat} cannot have passed before the first reveal of a cycle")
            revealed = self.revealed_pass(seat)
            if None not in (holds, revealed) and holds == revealed:
                raise PositionError(f"pass_in_hand: {holds}, but last_reveal tells otherwise of seat {seat}")
            g.passed[seat] = revealed if holds is None and revealed is not None else holds is False

    def revealed_pass(self, seat: int) -> bool | None:
        """Has the seat passed in this cycle, by the last reveal? None: that does not tell (R7, R8)."""
        g = self.g
        if self.new_cycle or g.last_round == 0:
            return None
        if g.standing[seat] <= 0:  # the Pass; or no part, and nobody is left out who has not passed
            return True
        return None if g.pass_effect and g.last_round > 1 else False

    def read_discard(self) -> None:
        """The staked cards of the last reveal lie there, unless a cycle begins with a new pile (R9, R19)."""
        g = self.g
        names = [name for bid in self.last_names for name in bid]
        kinds = self.take_poker("discard", self.get("discard", names), POKER_CARDS)
        g.discard[:] = [packed(kinds, colour) for colour in range(COLOURS)]
        missing = Counter(names) - Counter(POKER_NAMES[kind] for kind in kinds)
        if missing and (kinds or not self.new_cycle):
            raise PositionError(f"last_reveal: {min(missing)} does not lie on the discard")

    def read_hands(self) -> None:
        """Hands, with the sealed bids in them; the rest is the draw pile."""
        g = self.g
        full = HAND if g.cycle == 1 else int(g.refill_to)
        hands = self.per_seat("hands")
        past = self.given.get("reshuffle") is not None
        known = [self.known_cards(seat, hand) for seat, hand in enumerate(hands)]
        for seat, hand in enumerate(hands):
            most = self.most_cards(seat)
            if len(known[seat]) > most:
                raise PositionError(f"hands: seat {seat} holds {len(known[seat])} cards, after last_reveal at most {most}")
            usual = min(max(full + 1 - int(g.round_number), len(known[seat])), most)
            counts = not isinstance(hand, list | tuple)
            size = whole("hands", usual if hand is None else hand, len(known[seat]), most) if counts else len(known[seat])
            if size - len(known[seat]) > self.poker.total():
                raise PositionError(f"hands: too few cards are left for seat {seat}")
            if past and counts and known[seat]:
                raise PositionError(f"bids: seat {seat}'s is told, but not its hand, which a view with reshuffle then needs")
            kinds = known[seat] + [self.drawn(self.poker) for _ in range(0 if past else size - len(known[seat]))]
            g.hands[seat] = sum(kind << 8 * slot for slot, kind in enumerate(sorted(kinds) + [EMPTY] * (HAND - len(kinds))))
            g.sizes[seat] = size
        rest = sorted(self.poker.elements())
        g.pile[:] = [packed(rest, colour) for colour in range(COLOURS)]
        undealt = sum(int(size) for hand, size in zip(hands, g.sizes, strict=False) if not isinstance(hand, list | tuple))
        pile = len(rest) - (undealt if past else 0)
        if pile < 0:
            raise PositionError(f"hands: {undealt} cards that are not told, but only {len(rest)} are left")
        g.pile_size = whole("pile", self.get("pile", pile), pile, pile)
        if past:
            told = [seat for seat, hand in enumerate(hands) if isinstance(hand, list | tuple)]
            read_past(g, self.given["reshuffle"], told, self.new_cycle)

    def most_cards(self, seat: int) -> int:
        """What a seat can hold after the last reveal: none if it had nothing to bid (R8), else six less what it staked."""
        g = self.g
        if self.new_cycle or g.last_round == 0:
            return HAND
        return 0 if g.pass_effect and g.standing[seat] < 0 else HAND - len(self.last_names[seat])

    def known_cards(self, seat: int, hand: Any) -> list[int]:
        """What the view tells of a hand: all of it, or what is in its bid."""
        if isinstance(hand, list | tuple):
            return self.take_poker("hands", hand, HAND)
        bid = self.per_seat("bids")[seat]
        return [] if bid is None or bid == PASS_NAME else self.take_poker("bids", bid, HAND)

    def read_last_reveal(self) -> None:
        g, last = self.g, self.given.get("last_reveal")
        if last is None:
            return
        keys = {"round", "doubled", "bids", "winner"}
        if not isinstance(last, Mapping) or not {"round", "bids"} <= set(last) <= keys:
            raise PositionError(f"last_reveal: {last!r} does not have the keys round, doubled, bids, winner")
        g.last_round = whole("last_reveal", last["round"], 1, 3)
        doubled = last.get("doubled")
        g.last_doubled = NOTHING if doubled is None else index_of("last_reveal", doubled, COLOUR_NAMES)
        if (g.last_round == 3) != (doubled is not None):
            raise PositionError(f"last_reveal: a colour is doubled in round 3 and only there, not {doubled!r}")
        for seat, bid in enumerate(items("last_reveal", last["bids"], self.players, exactly=True)):
            self.read_last_bid(seat, bid)
        for name, count in Counter(name for bid in self.last_names for name in bid).items():
            if count > self.poker[POKER_NAMES.index(name)]:
                raise PositionError(f"last_reveal: {name} is there {count} times, more than there are")
        g.last_winner = rules.best_alone(g.standing) if g.standing.max() > 0 else NO_ONE
        winner = None if g.last_winner < 0 else int(g.last_winner)
        stated = last.get("winner", winner)
        if not alike(stated, winner):
            raise PositionError(f"last_reveal: its winner is {winner}, not {stated!r}")
        self.check_last_round()

    def read_last_bid(self, seat: int, bid: Any) -> None:
        g = self.g
        cards = [] if bid is None or bid == PASS_NAME else items("last_reveal", bid, HAND)
        kinds = [index_of("last_reveal", name, POKER_NAMES) for name in cards]
        if not kinds and bid not in (None, PASS_NAME):
            raise PositionError(f"last_reveal: {bid!r} is no bid of seat {seat}")
        self.last_names[seat] = cards
        standing = sum(int(rules.KEYS[rules.key_row(g, int(g.last_doubled)), kind]) for kind in kinds)
        g.last_bids[seat] = [packed(kinds, colour) for colour in range(COLOURS)]
        g.standing[seat] = NOTHING if bid is None else rules.highest_two(standing) if g.tie_depth else standing

    def check_last_round(self) -> None:
        """Was the last reveal that of this round, or of the one before, or of one that ended a cycle? (R6, R17)"""
        g = self.g
        bids, number, won = g.standing[: self.players], int(g.last_round), g.last_winner >= 0
        if bids.max() < 0 or (number == 1 and bids.min() < 0):
            raise PositionError("last_reveal: somebody bids in each round, in the first one everybody")
        ended = number == 3 or not won or bool(g.pass_effect)  # a spent Pass: nobody may be left who can bid (R8)
        if g.over:
            fits = ended
        elif self.new_cycle:
            fits = ended and g.cycle > 1
        else:
            fits = won and number == g.round_number - (g.phase == BID)
        if not fits:
            to = "the end" if g.over else f"cycle {int(g.cycle)}, round {int(g.round_number)}, phase {PHASES[g.phase]!r}"
            raise PositionError(f"last_reveal: round {number} {'with' if won else 'without'} a winner does not lead to {to}")
        fronts = (1 << 8 * len(FRONTS)) - 1
        if won and number == 3 and not int(g.displays[g.last_winner, g.last_doubled]) & fronts:
            raise PositionError(f"last_reveal: seat {int(g.last_winner)} does not show the loot that it has won")

    def check_stacks(self) -> None:
        """Only the stack of a card sent overboard, or one whose last card is on offer, can be empty in a cycle (R12, R18)."""
        g = self.g
        run_out = g.stack_sizes.min() <= g.match_end
        if g.stack_sizes.min() < g.match_end:
            raise PositionError("stacks: one is empty, but the match would have ended at once before")
        if g.over == FINISHED and not run_out:
            raise PositionError(f"over: stacks of {g.stack_sizes.tolist()} cards do not end the match")
        if g.over == TRUNCATED and (run_out or g.cycle != g.max_cycles):
            raise PositionError(f"truncated: cycle {int(g.cycle)} of {int(g.max_cycles)}, stacks {g.stack_sizes.tolist()}")
        if not g.over and ((g.stack_sizes == 0) & (g.offer < 0)).sum() > 1:
            raise PositionError("stacks: two have neither a card nor one on offer, but one of them got its own below deck")

    def check_end(self) -> None:
        self.g.to_move = self.g.first_seat
        if self.given.get("to_move") is not None:
            raise PositionError(f"to_move: {self.given['to_move']!r}, but the match is over")
        if any(bid is not None for bid in self.per_seat("bids")):
            raise PositionError("bids: none is open when the match is over")

    def read_mover(self) -> None:
        g = self.g
        if g.phase != BID and any(bid is not None for bid in self.per_seat("bids")):
            raise PositionError(f"bids: none is open in phase {PHASES[g.phase]!r}")
        if g.phase == BID:
            self.read_bids()
            return
        g.to_move = self.seat("to_move", max(int(g.last_winner), 0))
        if g.last_round and g.last_winner != g.to_move:
            raise PositionError(f"to_move: seat {int(g.last_winner)} has won the round, not seat {int(g.to_move)}")
        if self.given.get("gift_to") is not None:
            g.gift_to = self.seat("gift_to", 0)
            if not g.gift_limit or g.gift_to == g.to_move or not shown(g, int(g.gift_to)) >> 8 * (len(FRONTS) + 1):
                raise PositionError(f"gift_to: seat {int(g.gift_to)} shows no card that it can have been given of several")
        if g.phase == GIFT and not rules.can_give(g):
            g.gift_to = NO_ONE
            rules.start_round(g, 3)

    def read_bids(self) -> None:
        """Bids made so far; when all are, they are revealed."""
        g = self.g
        bids = self.per_seat("bids")
        order = [after(int(g.first_seat), place, self.players) for place in self.seats]
        asked = [seat for seat in order if rules.takes_part(g, seat)]
        waiting = [seat for seat in asked if bids[seat] is None]
        mover = self.seat("to_move", waiting[0] if waiting else 0) if waiting or self.given.get("to_move") is not None else None
        if mover is not None and mover not in asked:
            raise PositionError(f"to_move: seat {mover} takes no part in this round")
        made = asked[: asked.index(mover)] if mover is not None else asked
        for seat in self.seats:
            if bids[seat] is not None and seat not in made:
                raise PositionError(f"bids: seat {seat} has no bid in this position")
        for seat in made:
            if bids[seat] is None:
                seal_bid(g, seat)
            else:
                self.read_bid(seat, bids[seat])
        if mover is not None:
            g.to_move = mover
        elif asked:
            rules.resolve(g)
        else:
            rules.start_round(g, int(g.round_number))

    def read_bid(self, seat: int, bid: Any) -> None:
        g = self.g
        g.to_move = seat
        slots = PASS if bid == PASS_NAME else bid_named(g, items("bids", bid, HAND))
        if slots is None or not int(rules.legal_bids(g, seat)) >> slots & 1:
            raise PositionError(f"bids: seat {seat} cannot bid {bid!r}")
        g.bids[seat] = slots


# -- from a view -------------------------------------------------------------------------------------------------------


def from_view(game: Game, given: Mapping[str, Any], seed: int = 0) -> np.record:
    """The record that a view describes; the manual says how to write one.

    Left out: the match begins, nobody owns anything, each stack is all the loot of its colour that is nowhere else, the discard
    is empty, the draw pile is the rest, no bid is made. Unknown cards and sealed bids are drawn by `seed`, which is also the
    match seed of the cycles to come. `legal` is not read. Raises PositionError, OptionError for a bad seed.
    """
    return _Reader(game, given, seed).read()
