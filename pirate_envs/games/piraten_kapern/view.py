"""Piraten Kapern: positions and actions as plain names, back again, and as text."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.errors import IllegalActionError, PositionError
from pirate_envs.core.notation import flag, items, whole
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rng import seed_words
from pirate_envs.games.piraten_kapern import rules
from pirate_envs.games.piraten_kapern.observation import SCORE_LIMIT
from pirate_envs.games.piraten_kapern.rules import (
    CARD_SKULLS,
    CARDS,
    COUNTS,
    DICE,
    FACES,
    IS_BATTLE,
    NOBODY,
    SKULL,
    SORCERESS,
    STOP,
    STORM,
    TREASURE,
    TREASURE_ISLAND,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

ISLAND, BUST, STOPPED = "island", "bust", "stop"  # how a turn ended
MOST_ROLLS = 30_000


# -- actions -----------------------------------------------------------------------------------------------------------


def dice_names(throw: int) -> list[str]:
    """The eight faces of a throw in slot order."""
    return [FACES[face] for face in np.repeat(np.arange(len(FACES)), COUNTS[throw])]


def action_name(g: np.record, action: int) -> str:
    """'stop', 'reroll coin coin sabre'."""
    if action == STOP:
        return "stop"
    names = dice_names(int(g.dice))
    return "reroll " + " ".join(names[slot] for slot in range(DICE) if action >> slot & 1)


def action(g: np.record, name: str) -> int:
    """The action of that name. Raises IllegalActionError if the dice on the table have none."""
    if name == "stop":
        return STOP
    verb, *faces = name.split() if isinstance(name, str) and name else [""]
    on_table = dice_names(int(g.dice))
    if verb != "reroll" or not faces or Counter(faces) - Counter(on_table):
        raise IllegalActionError(f"{name!r} names no action: 'stop', or 'reroll' and some of {' '.join(on_table)}")
    return sum(1 << on_table.index(face) + i for face, count in Counter(faces).items() for i in range(count))


# -- a record in words -------------------------------------------------------------------------------------------------


def _faces_of(packed: int) -> list[str]:
    """Packed counts as faces."""
    return [name for face, name in enumerate(FACES) for _ in range(packed >> 8 * face & 15)]


def _ended_by(card: int, throw: int, island: bool) -> str:
    if island:
        return ISLAND
    return BUST if COUNTS[throw, SKULL] + CARD_SKULLS[card] >= 3 else STOPPED


def _last_turn(g: np.record, seat: int) -> dict[str, Any] | None:
    card, throw = int(g.last_card[seat]), int(g.last_dice[seat])
    if card == NOBODY:
        return None
    return {
        "card": CARDS[card],
        "dice": dice_names(throw),
        "ended_by": _ended_by(card, throw, bool(g.last_island[seat])),
        "points": int(g.last_points[seat]),
        "opponents": -int(g.last_loss[seat]),
    }


def view(g: np.record, seat: int | None) -> dict[str, Any]:
    """The game's own keys of a view (see `Game.view`)."""
    return {
        "phase": "island" if g.island else "turn",
        "turn": int(g.turn),
        "round": int(g.turn) // int(g.players) + 1,
        "turn_of": int(g.to_move),
        "card": CARDS[g.card],
        "dice": dice_names(int(g.dice)),
        "rolls": int(g.rolls),
        "kept": _faces_of(int(g.kept)),
        "sorceress_used": bool(g.sorceress_used),
        "island": bool(g.island),
        "final_round": None if g.trigger < 0 else {"trigger": int(g.trigger), "turns_left": int(g.turns_left)},
        "undrawn": {name: int(count) for name, count in zip(CARDS, g.undrawn, strict=True) if count},
        "last_turns": [_last_turn(g, other) for other in range(int(g.players))],
        "winner": None if g.winner < 0 else int(g.winner),
        "truncated": int(g.over) == TRUNCATED,
        "decisions": int(g.decisions),
    }


# -- words as a record: reading one field ------------------------------------------------------------------------------

OWN_KEYS = (
    *("turn", "round", "turn_of", "card", "dice", "rolls", "kept", "sorceress_used", "island", "final_round", "undrawn"),
    *("last_turns", "winner", "truncated", "decisions"),
)
LAST_TURN_KEYS = {"card", "dice", "ended_by", "points", "opponents"}


def _card(field: str, name: Any) -> int:
    if not isinstance(name, str) or name not in CARDS:
        raise PositionError(f"{field}: unknown card {name!r}; cards: {', '.join(CARDS)}")
    return CARDS.index(name)


def _packed(field: str, names: Any, most: int, exactly: bool = False) -> int:
    """Packed counts of a list of faces."""
    names = items(field, names, most, exactly)
    for name in names:
        if not isinstance(name, str) or name not in FACES:
            raise PositionError(f"{field}: unknown face {name!r}; faces: {', '.join(FACES)}")
    return sum(1 << 8 * FACES.index(name) for name in names)


def _points(field: str, value: Any, low: int, high: int) -> int:
    """Points in low..high: every rule gives and takes hundreds."""
    points = whole(field, value, low, high)
    if points % TREASURE:
        raise PositionError(f"{field}: {points} points are not a multiple of {TREASURE}")
    return points


def _saved_points(throw: int) -> set[int]:
    """What can have been on the treasure island at a bust with this throw: nothing, or any of its dice but skulls (R18)."""
    lying = itertools.product(*(range(count + 1) for count in COUNTS[throw, :SKULL].tolist()))
    return {int(rules.saved(sum(count << 8 * face for face, count in enumerate(counts)))) for counts in lying}


class _Reader:
    """Reads a view's fields in turn into one record."""

    def __init__(self, game: Game, given: Mapping[str, Any], seed: int) -> None:
        self.given = given
        self.players = game.players
        g = self.g = game.empty(1)[0]
        g.seed[:] = seed_words(seed)
        g.trigger = g.winner = NOBODY
        g.last_card[:] = NOBODY

    def get(self, field: str, usual: Any) -> Any:
        value = self.given.get(field)
        return usual if value is None else value

    def seat(self, field: str, usual: int) -> int:
        return whole(field, self.get(field, usual), 0, self.players - 1)

    def read_phase(self) -> None:
        phase, island = self.given.get("phase"), self.given.get("island")
        fits = ("island",) if island is True else ("turn",) if island is False else ("turn", "island")
        if phase is not None and (not isinstance(phase, str) or phase not in fits):
            raise PositionError(f"phase: {phase!r} does not fit; allowed: 'island' on the Island of Skulls, else 'turn'")

    # -- the fields, in the order in which they depend on each other --

    def read(self) -> np.record:
        self.read_phase()
        self.read_turn()
        self.read_scores()
        self.read_end()
        self.read_final_round()
        self.read_last_turns()
        rng.key(self.g.gen, *seed_words(int(self.g.seed[0]) | int(self.g.seed[1]) << 32), int(self.g.turn))
        self.read_cards()
        ended = self.read_dice()
        if not self.g.over:
            rules.settle(self.g, ended)
        return self.g

    def read_turn(self) -> None:
        g, last = self.g, int(self.g.max_turns) - 1
        usual = whole("turn", self.get("turn", 0), 0, last) % self.players
        mover = self.seat("turn_of", self.seat("to_move", usual))
        if self.seat("to_move", mover) != mover:
            raise PositionError(f"turn_of: {mover}, but to_move is {self.given['to_move']}")
        played = whole("round", self.get("round", 1), 1, int(g.max_turns) // self.players) - 1
        turn = whole("turn", self.get("turn", played * self.players + mover), 0, last)
        if self.given.get("round") is not None and turn // self.players != played:
            raise PositionError(f"round: turn {turn} is in round {turn // self.players + 1}, not {played + 1}")
        if (turn < self.players or self.players == 2) and mover != turn % self.players:  # no seat can have been passed over yet
            raise PositionError(f"turn: {turn} is seat {turn % self.players}'s, not seat {mover}'s")
        g.to_move, g.turn = mover, turn
        g.decisions = whole("decisions", self.get("decisions", 0), 0, 2**31 - 2)

    def read_scores(self) -> None:
        scores = items("scores", self.get("scores", [0] * self.players), self.players, exactly=True)
        self.g.scores[: self.players] = [_points("scores", points, -SCORE_LIMIT, SCORE_LIMIT) for points in scores]

    def read_end(self) -> None:
        g = self.g
        over, truncated = flag("over", self.get("over", False)), flag("truncated", self.get("truncated", False))
        if truncated and not over:
            raise PositionError("truncated: True, but the match is not over")
        g.over = TRUNCATED if truncated else FINISHED if over else 0
        if self.given.get("winner") is not None:
            if not over or truncated or not g.nine_identical:
                raise PositionError("winner: a match is won at once at its end only, with nine_identical='win'")
            g.winner = self.seat("winner", 0)

    def read_final_round(self) -> None:
        g, called = self.g, self.given.get("final_round")
        if called is not None:
            if not isinstance(called, Mapping) or not {"trigger"} <= set(called) <= {"trigger", "turns_left"}:
                raise PositionError(f"final_round: {called!r} does not have the keys trigger, turns_left")
            g.trigger = whole("final_round", called["trigger"], 0, self.players - 1)
            if not g.over and g.trigger == g.to_move:
                raise PositionError(f"final_round: seat {int(g.trigger)} called it and has no turn in it")
            done = g.over == FINISHED and g.winner < 0
            usual = 0 if done else (int(g.trigger) - int(g.to_move) - 1) % self.players
            most = 0 if done else self.players - (1 if g.over else 2)
            g.turns_left = whole("final_round", called.get("turns_left", usual), 0, most)
        self.check_target()

    def check_target(self) -> None:
        g, scores = self.g, self.g.scores.tolist()
        at_target = [seat for seat in range(self.players) if scores[seat] >= g.target]
        if g.trigger >= 0 and g.trigger not in at_target:
            raise PositionError(f"final_round: seat {int(g.trigger)} has {scores[g.trigger]} points, not {int(g.target)}")
        if g.trigger < 0 and at_target and g.winner < 0:
            raise PositionError(f"final_round: seat {at_target[0]} has {scores[at_target[0]]} points, but nobody called it")

    def read_last_turns(self) -> None:
        turns = items("last_turns", self.get("last_turns", [None] * self.players), self.players, exactly=True)
        played = int(self.g.turn) + int(self.g.over != 0)
        for seat, turn in enumerate(turns):
            if turn is not None and seat >= played:  # R25: the first turns go round the table
                raise PositionError(f"last_turns: seat {seat} cannot have played yet, {played} turns into the match")
            if turn is not None:
                self.read_last_turn(seat, turn)

    def read_last_turn(self, seat: int, turn: Any) -> None:
        if not isinstance(turn, Mapping) or set(turn) != LAST_TURN_KEYS:
            raise PositionError(f"last_turns: {turn!r} does not have the keys {', '.join(sorted(LAST_TURN_KEYS))}")
        g, past = self.g, self.g.copy()
        past.card = _card("last_turns", turn["card"])
        past.dice = rules.number(_packed("last_turns", turn["dice"], DICE, exactly=True))
        past.island = self.ended_on_island(seat, turn["ended_by"], past)
        loss = int(rules.opponents_loss(past))
        outcome = {
            "ended_by": _ended_by(int(past.card), int(past.dice), bool(past.island)),
            "points": int(rules.own_points(past)),
            "opponents": -loss,
        }
        if past.card == TREASURE_ISLAND and outcome["ended_by"] == BUST:  # what was kept then is not known
            can_be = _saved_points(int(past.dice))
            outcome["points"] = _points("last_turns", turn["points"], 0, max(can_be))
            if outcome["points"] not in can_be:
                raise PositionError(f"last_turns: seat {seat}'s points are {outcome['points']}, not one of {sorted(can_be)}")
        for key, value in outcome.items():
            said = turn[key] if isinstance(value, str) else whole("last_turns", turn[key], -(2**15), 2**15)
            if said != value:
                raise PositionError(f"last_turns: seat {seat}'s {key} is {value!r}, not {turn[key]!r}")
        g.last_card[seat], g.last_dice[seat], g.last_island[seat] = past.card, past.dice, past.island
        g.last_points[seat], g.last_loss[seat] = outcome["points"], loss

    def ended_on_island(self, seat: int, ended_by: Any, past: np.record) -> bool:
        """Was it a visit, and can a visit with this card have ended with these dice? (R22, R23)"""
        if not isinstance(ended_by, str) or ended_by not in (ISLAND, BUST, STOPPED):
            raise PositionError(f"last_turns: seat {seat}'s ended_by is {ended_by!r}; allowed: 'stop', 'bust', 'island'")
        card, skulls = int(past.card), int(COUNTS[past.dice, SKULL] + CARD_SKULLS[past.card])
        if ended_by == ISLAND and not (self.leads_to_island(card) and skulls >= 4 - int(card == SORCERESS)):
            raise PositionError(f"last_turns: seat {seat} was not on the island with {CARDS[card]} and {skulls} skulls")
        return ended_by == ISLAND

    def leads_to_island(self, card: int) -> bool:
        """Can a first roll with this card lead there? (R22, R31)"""
        return not IS_BATTLE[card] or bool(self.g.battle_island)

    def read_cards(self) -> None:
        g = self.g
        card = None if self.given.get("card") is None else _card("card", self.given["card"])
        if card is not None and g.cards[card] == 0:
            raise PositionError(f"card: there is no {CARDS[card]} in the deck")
        g.undrawn[:] = g.cards
        if self.given.get("undrawn") is not None:
            self.read_undrawn()
        elif card is not None:
            g.undrawn[card] -= 1
        g.undrawn_total = g.undrawn.sum()
        if card is None:
            rules.draw_card(g)
        elif g.undrawn[card] == g.cards[card]:
            raise PositionError(f"card: no {CARDS[card]} was drawn, all {int(g.cards[card])} are undrawn")
        else:
            g.card = card

    def read_undrawn(self) -> None:
        g, undrawn = self.g, self.given["undrawn"]
        if not isinstance(undrawn, Mapping):
            raise PositionError(f"undrawn: {undrawn!r} does not name cards and their numbers")
        g.undrawn[:] = 0
        for name, count in undrawn.items():
            card = _card("undrawn", name)
            g.undrawn[card] = whole("undrawn", count, 0, int(g.cards[card]))

    def read_dice(self) -> bool:
        """Read what the dice show and whence; is the turn over with it?"""
        g = self.g
        rolls = whole("rolls", self.get("rolls", 1), 1, MOST_ROLLS)
        if self.given.get("dice") is None:
            flags = [flag(field, self.get(field, False)) for field in ("sorceress_used", "island")]
            if any(flags) or rolls > 1 or _packed("kept", self.get("kept", []), DICE):
                raise PositionError("dice: needed with rolls, kept, sorceress_used, island: they say what was rolled")
            return bool(rules.first_roll(g))
        g.dice = rules.number(_packed("dice", self.given["dice"], DICE, exactly=True))
        g.rolls = rolls
        if rolls > 2 and g.card == STORM:
            raise PositionError(f"rolls: {rolls}, but after the storm there is one re-roll only")
        self.read_sorceress()
        self.read_island()
        self.read_kept()
        skulls = int(COUNTS[g.dice, SKULL])
        return bool(rules.turn_ends(g, skulls, skulls - (int(g.kept) >> 8 * SKULL)))

    def read_sorceress(self) -> None:
        g = self.g
        g.sorceress_used = flag("sorceress_used", self.get("sorceress_used", False))
        if g.sorceress_used and (g.card != SORCERESS or g.rolls == 1):
            raise PositionError(f"sorceress_used: True with the card {CARDS[g.card]} after {int(g.rolls)} rolls")

    def read_island(self) -> None:
        g = self.g
        reached = bool(COUNTS[g.dice, SKULL] + CARD_SKULLS[g.card] >= 4) and self.leads_to_island(int(g.card))
        g.island = flag("island", self.get("island", reached and int(g.rolls) == 1))
        if g.rolls == 1 and g.island != reached:
            raise PositionError(f"island: {bool(g.island)} after a first roll of {' '.join(dice_names(int(g.dice)))}")
        if g.island and not self.leads_to_island(int(g.card)):
            raise PositionError(f"island: True with the card {CARDS[g.card]}")

    def read_kept(self) -> None:
        g = self.g
        g.kept = kept = _packed("kept", self.get("kept", []), DICE)
        counts = kept >> 8 * np.arange(len(FACES)) & 255
        if (counts > COUNTS[g.dice]).any():
            raise PositionError(f"kept: {' '.join(_faces_of(kept))} are not all among the dice")
        if g.rolls == 1:
            if kept:
                raise PositionError("kept: the first roll is of all eight dice")
            return
        if counts.sum() > DICE - (1 if g.sorceress_used and g.sorceress_alone else 2):  # R4, R17, R34
            raise PositionError(f"kept: {counts.sum()} dice, too few were rolled")
        skulls = int(counts[SKULL] + CARD_SKULLS[g.card])
        if g.island and skulls + int(g.sorceress_used) < 4 + int(g.rolls) - 2:  # a new one with every roll but this (R23)
            raise PositionError(f"kept: {skulls} skulls before roll {int(g.rolls)} did not lead to the island")
        if not g.island and skulls > 2:
            raise PositionError(f"kept: {skulls} skulls before this roll had ended the turn")


# -- from a view -------------------------------------------------------------------------------------------------------


def from_view(game: Game, given: Mapping[str, Any], seed: int = 0) -> np.record:
    """The record that a view describes; the manual says how to write one.

    Left out: the match begins, the deck is whole but for the card, the dice were just rolled for the first time, all eight
    of them. A card or dice left out are drawn and rolled by `seed`, which is also the match seed of the turns to come. On
    the Island after a re-roll `kept` is needed. `legal` is not read. Raises PositionError, OptionError for a bad seed.
    """
    return _Reader(game, given, seed).read()


# -- as text -----------------------------------------------------------------------------------------------------------

CARD_NOTES = (
    "kept dice score even at a bust",
    "all points doubled",
    "one skull may be rolled again",
    "monkeys and parrots are one face",
    "one more coin",
    "one more diamond",
    "one skull from the start",
    "two skulls from the start",
    "2 sabres: +300, else -300",
    "3 sabres: +500, else -500",
    "4 sabres: +1000, else -1000",
    "one re-roll; coins and diamonds only, doubled",
    "every sabre costs 1000",
)


def _stop_text(shown: Mapping[str, Any]) -> str:
    """What stopping now would bring."""
    g = np.zeros(1, rules.STATE)[0]
    g.card, g.island = CARDS.index(shown["card"]), shown["island"]
    g.dice = rules.number(_packed("dice", shown["dice"], DICE))
    loss = int(rules.opponents_loss(g))
    return f"{int(rules.own_points(g))} points" + (f", each opponent loses {loss}" if loss else "")


def _turn_text(turn: Mapping[str, Any] | None) -> str:
    if turn is None:
        return ""
    loss = f", others {turn['opponents']}" if turn["opponents"] else ""
    return f"{turn['points']:+d}{loss}  {turn['ended_by']}: {turn['card']}, {_dice_text(turn['dice'])}"


def _dice_text(faces: Sequence[str]) -> str:
    """'3 coin, 5 skull'."""
    return ", ".join(f"{count} {face}" for face, count in Counter(faces).items())


def _table_text(shown: Mapping[str, Any]) -> str:
    skulls = shown["dice"].count(FACES[SKULL]) + int(CARD_SKULLS[CARDS.index(shown["card"])])
    place = " on the Island of Skulls" if shown["island"] else ""
    kept = f", kept {' '.join(shown['kept'])}" if shown["kept"] else ""
    return f"dice:  {' '.join(shown['dice'])}   (roll {shown['rolls']}, skulls {skulls}{place}{kept})"


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    mark = ">" if seat == shown["to_move"] else " "
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    return f"{mark} {who:<8} {shown['scores'][seat]:>6}   {_turn_text(shown['last_turns'][seat])}".rstrip()


def _title(shown: Mapping[str, Any]) -> str:
    if shown["over"]:
        return "the match is over" + (", cut short" if shown["truncated"] else "")
    called = shown["final_round"]
    return f"final round, called by seat {called['trigger']}" if called else f"round {shown['round']}"


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: card, dice and what they are worth, then the seats (> to move) with their last turns."""
    lines = [f"Piraten Kapern: {_title(shown)}"]
    if not shown["over"]:
        note = CARD_NOTES[CARDS.index(shown["card"])]
        lines += [
            f"card:  {shown['card']} ({note}); {sum(shown['undrawn'].values())} cards undrawn",
            _table_text(shown),
            f"stop:  {_stop_text(shown)}",
        ]
    lines.append("  seat      score   last turn")
    lines += [_seat_line(shown, other, seat) for other in range(len(shown["scores"]))]
    return "\n".join(lines)
