"""Piraten Kapern: a view back as the record that it describes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.errors import PositionError
from pirate_envs.core.notation import Reader, flag, items, whole
from pirate_envs.core.ranges import MOST_DECISIONS
from pirate_envs.core.record import FINISHED
from pirate_envs.core.seats import NO_ONE
from pirate_envs.games.piraten_kapern import rules
from pirate_envs.games.piraten_kapern.notation import BUST, ISLAND, STOPPED, dice_names, ended_by, face_names, packed_counts
from pirate_envs.games.piraten_kapern.observation import SCORE_LIMIT
from pirate_envs.games.piraten_kapern.soundness import BEST, WORST
from pirate_envs.games.piraten_kapern.state import (
    CARD_SKULLS,
    CARDS,
    COUNTS,
    DICE,
    FACES,
    IS_BATTLE,
    MOST_ROLLS,
    NO_CARD,
    SKULL,
    SORCERESS,
    STORM,
    TREASURE_ISLAND,
    number,
)

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

OWN_KEYS: tuple[str, ...] = (
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
    return packed_counts(names)


def _points(field: str, value: Any, low: int, high: int) -> int:
    """Points in low..high: every rule gives and takes hundreds."""
    points = whole(field, value, low, high)
    if points % rules.TREASURE:
        raise PositionError(f"{field}: {points} points are not a multiple of {rules.TREASURE}")
    return points


def _saved_points(throw: int) -> set[int]:
    """What can have been on the treasure island at a bust with this throw: nothing, or any of its dice but skulls (R18)."""
    lying = itertools.product(*(range(count + 1) for count in COUNTS[throw, :SKULL].tolist()))
    return {int(rules.saved(sum(count << 8 * face for face, count in enumerate(counts)))) for counts in lying}


class _Reader(Reader):
    """Reads a view's fields in turn into one record."""

    def read(self) -> np.record:
        """Every field, in the order in which they depend on each other."""
        self.g.trigger = self.g.winner = NO_ONE
        self.g.last_card[:] = NO_CARD
        self.read_phase()
        self.read_turn()
        self.read_scores()
        self.read_end()
        self.read_final_round()
        self.read_last_turns()
        rng.key(self.g.gen, *self.g.seed.tolist(), int(self.g.turn))  # as the turn itself would begin
        self.read_cards()
        ended = self.read_dice()
        if not self.g.over:
            rules.settle(self.g, ended)
        return self.g

    def read_phase(self) -> None:
        phase, island = self.given.get("phase"), self.given.get("island")
        fits = ("island",) if island is True else ("turn",) if island is False else ("turn", "island")
        if phase is not None and (not isinstance(phase, str) or phase not in fits):
            raise PositionError(f"phase: {phase!r} does not fit; allowed: 'island' on the Island of Skulls, else 'turn'")

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
        g.decisions = whole("decisions", self.get("decisions", 0), 0, MOST_DECISIONS)

    def read_scores(self) -> None:
        scores = self.per_seat("scores", 0)
        turns = int(self.g.turn)
        low, high = turns * WORST - SCORE_LIMIT, turns * BEST + SCORE_LIMIT
        self.g.scores[: self.players] = [_points("scores", points, low, high) for points in scores]

    def read_end(self) -> None:
        g = self.g
        g.over = self.ending()
        if self.given.get("winner") is not None:
            if g.over != FINISHED or not g.nine_identical:
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
        at_target = [seat for seat in self.seats if scores[seat] >= g.target]
        if g.trigger >= 0 and g.trigger not in at_target:
            raise PositionError(f"final_round: seat {int(g.trigger)} has {scores[g.trigger]} points, not {int(g.target)}")
        if g.trigger < 0 and at_target and g.winner < 0:
            raise PositionError(f"final_round: seat {at_target[0]} has {scores[at_target[0]]} points, but nobody called it")

    def read_last_turns(self) -> None:
        played = int(self.g.turn) + int(self.g.over != 0)
        for seat, turn in enumerate(self.per_seat("last_turns")):
            if turn is not None and seat >= played:  # R25: the first turns go round the table
                raise PositionError(f"last_turns: seat {seat} cannot have played yet, {played} turns into the match")
            if turn is not None:
                self.read_last_turn(seat, turn)

    def read_last_turn(self, seat: int, turn: Any) -> None:
        if not isinstance(turn, Mapping) or set(turn) != LAST_TURN_KEYS:
            raise PositionError(f"last_turns: {turn!r} does not have the keys {', '.join(sorted(LAST_TURN_KEYS))}")
        g, past = self.g, self.g.copy()
        past.card = _card("last_turns", turn["card"])
        past.dice = number(_packed("last_turns", turn["dice"], DICE, exactly=True))
        past.island = self.ended_on_island(seat, turn["ended_by"], past)
        loss = int(rules.opponents_loss(past))
        outcome = {
            "ended_by": ended_by(int(past.card), int(past.dice), bool(past.island)),
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

    def ended_on_island(self, seat: int, ending: Any, past: np.record) -> bool:
        """Was it a visit, and can a visit with this card have ended with these dice? (R22, R23)"""
        if not isinstance(ending, str) or ending not in (ISLAND, BUST, STOPPED):
            raise PositionError(f"last_turns: seat {seat}'s ended_by is {ending!r}; allowed: 'stop', 'bust', 'island'")
        card, skulls = int(past.card), int(COUNTS[past.dice, SKULL] + CARD_SKULLS[past.card])
        if ending == ISLAND and not (self.leads_to_island(card) and skulls >= 4 - int(card == SORCERESS)):
            raise PositionError(f"last_turns: seat {seat} was not on the island with {CARDS[card]} and {skulls} skulls")
        return ending == ISLAND

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
        g.dice = number(_packed("dice", self.given["dice"], DICE, exactly=True))
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
            raise PositionError(f"kept: {' '.join(face_names(kept))} are not all among the dice")
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


def from_view(game: Game, given: Mapping[str, Any], seed: int = 0) -> np.record:
    """The record that a view describes; the manual says how to write one.

    Left out: the match begins, the deck is whole but for the card, the dice were just rolled for the first time, all eight
    of them. A card or dice left out are drawn and rolled by `seed`, which is also the match seed of the turns to come. On
    the Island after a re-roll `kept` is needed. `legal` is not read. Raises PositionError, OptionError for a bad seed.
    """
    return _Reader(game, given, seed).read()
