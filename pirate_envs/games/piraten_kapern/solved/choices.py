"""Piraten Kapern: what each legal action of a throw is worth by a solution of the turn.

A solution tells the worth of throws when the turn is played on as well as can be; what a choice of dice is worth is the mean
of that over all ways in which the others can fall. Rule numbers are those of the game's manual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pirate_envs.games.piraten_kapern.solved.turn import (
    CARD_SKULLS,
    FACES,
    FALL,
    LAID,
    NUMBER,
    SKULL,
    THROWS,
    Turn,
    at_bust,
    at_stop,
    means,
    objects,
    on_island,
    skull_chances,
    treasure,
)
from pirate_envs.games.piraten_kapern.state import STOP

STORM, TREASURE = "after_the_storm", "treasure_island"


@dataclass(frozen=True)
class Outlook:
    """What one card's turn is worth, in whatever unit, by throw (1287,) or by dice lying (3003,), float64."""

    card: str
    away: np.ndarray
    """Away from the Island with the turn played on, before and after the sorceress was asked, (2, 1287)."""
    island: np.ndarray
    """On the Island with the turn played on, (1287,)."""
    ends: np.ndarray
    """A turn that ends so away from the Island, (1287,)."""
    island_ends: np.ndarray
    """One that ends so on the Island, (1287,)."""
    saved: np.ndarray
    """What the chance of a bust adds with these dice lying on the treasure island, (3003,)."""

    def worth(self, g: np.record, throw: int) -> float:
        """Of a throw with the turn still to be played on, or of one that has ended it without dice on the treasure island."""
        return float(self.island[throw] if g.island else self.away[int(g.sorceress_used), throw])

    def end(self, g: np.record, throw: int) -> float:
        """Of a stop with this throw."""
        return float((self.island_ends if g.island else self.ends)[throw])

    def worths(self, g: np.record, throw: int, legal: Sequence[int]) -> dict[int, float]:
        """Of each of these legal actions of a decision's record; `throw`: that of its dice, as numbered here."""
        laid = {action: laid_by(throw, action) for action in legal if action != STOP}
        asks = {action: bool(LAID[at, SKULL] < THROWS[throw, SKULL]) for action, at in laid.items()}
        rolled = self._rolled_there if g.island else self._rolled_away
        by_asking = {each: rolled(g, throw, each) for each in set(asks.values())}
        return {STOP: self.end(g, throw)} | {action: float(by_asking[asks[action]][at]) for action, at in laid.items()}

    def _rolled_away(self, g: np.record, throw: int, asks: bool) -> np.ndarray:
        """Of dice left lying away from the Island, (3003,)."""
        if self.card == STORM:  # R20: it is the last roll
            return means(self.ends)
        after = self.away[1 if asks else int(g.sorceress_used)]
        return means(after) + self.saved  # R18

    def _rolled_there(self, g: np.record, throw: int, asks: bool) -> np.ndarray:
        """Of dice left lying on the Island, (3003,): the turn goes on after a new skull, which hers is not (R23)."""
        skulls = int(THROWS[throw, SKULL])
        if not asks:
            return means(self._after_roll(skulls))
        hers = [means(self._after_roll(skulls - int(face != SKULL)))[FALL[:, face]] for face in FACES]
        return np.concatenate([np.mean(hers, axis=0), np.zeros(len(THROWS))])

    def _after_roll(self, skulls: int) -> np.ndarray:
        """By throw, where a turn on the Island goes on with more than so many skulls."""
        goes_on = (THROWS[:, SKULL] > skulls) & (self.card != STORM)
        return np.where(goes_on, self.island, self.island_ends)


def laid_by(throw: int, action: int) -> int:
    """The dice that the game's action leaves lying, a row of LAID: those in the slots whose bits are not set."""
    faces = np.repeat(FACES, THROWS[throw])
    lies = [face for slot, face in enumerate(faces.tolist()) if not action >> slot & 1]
    return NUMBER[tuple(np.bincount(lies, minlength=len(FACES)).tolist())]


def points_outlook(turn: Turn) -> Outlook:
    """In points: own ones, and on the Island what each opponent loses (with the peace card own points there, too)."""
    alive = THROWS[:, SKULL] + CARD_SKULLS.get(turn.card, 0) < 3
    ends = np.where(alive, at_stop(turn.card), at_bust(turn.card, turn.variant))
    saved = np.zeros(len(LAID))
    if turn.card == TREASURE:
        saved = skull_chances() * treasure(objects(turn.card, LAID))
    return Outlook(turn.card, turn.away, turn.island, ends, on_island(turn.card), saved)
