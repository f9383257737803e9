"""Piraten Kapern: a match as an exact account of luck and choices, turn by turn.

What a turn is worth is solved (`turn`): its player's own points, or on the Island of Skulls what each opponent loses. So each
card, each roll and each choice changes a known worth to another, and for every turn, to rounding,

    points = expected + card_luck + dice_luck - lost

`expected` is the worth before the card is drawn, from the cards that are then left (all know them), so that luck has mean 0
whatever has been played; `lost` is what the choices were worse than the solution's. Left out, as the solution leaves it out:
what opponents lose beside with the promo cards (R20, and R21 without sabres). How many turns there are is neither luck nor
choice here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pirate_envs.core.game import Game
from pirate_envs.core.jit import kernel
from pirate_envs.games.piraten_kapern.rules import clear, end_turn, reroll, start_turn
from pirate_envs.games.piraten_kapern.solved.choices import points_outlook
from pirate_envs.games.piraten_kapern.solved.turn import CARDS, ExactTurn, Turn, lands, means, solve, variant_of

# -- what happens within a decision ------------------------------------------------------------------------------------


@kernel
def pass_turns(g, ended, moments, count):
    """Play on from the end of a turn, if it has ended, and keep the record after each end and each first roll."""
    while ended:
        end_turn(g)
        moments[count] = g
        count += 1
        ended = False
        if g.over == 0:
            ended = start_turn(g)
            moments[count] = g
            count += 1
    return count


@kernel
def deal_in_moments(g, moments):
    """`deal`, and the record before the first turn, then as `pass_turns` keeps it; returns how many were kept."""
    clear(g)
    moments[0] = g
    ended = start_turn(g)
    moments[1] = g
    return pass_turns(g, ended, moments, 2)


@kernel
def apply_in_moments(g, action, moments):
    """`apply`, and the record after the roll or stop, then as `pass_turns` keeps it; returns how many were kept."""
    g.decisions += 1
    ended = reroll(g, action)
    moments[0] = g
    return pass_turns(g, ended, moments, 1)


# -- the account -------------------------------------------------------------------------------------------------------


@dataclass
class TurnAccount:
    """One turn: points = expected + card_luck + dice_luck - lost."""

    turn: int
    """Turns before it, of all seats."""
    card: str
    expected: float
    card_luck: float
    dice_luck: float = 0.0
    lost: float = 0.0
    points: float = 0.0
    island: bool = False
    """Whether the points are what each opponent has lost."""


class JudgedTurn(ExactTurn):
    """The exact turn, which tells besides what every action is worth and what of a match was luck."""

    unit = "points"

    def __init__(self, game: Game) -> None:
        """As ExactTurn."""
        super().__init__(game)
        self._game = game
        turns = [solve(card, variant_of(game)) for card in CARDS]
        self._outlooks = [points_outlook(turn) for turn in turns]
        self.means = np.array([mean_of_first_roll(turn) for turn in turns])
        """Worth of a turn with each card before its first roll, the Island's part with it, float64 (cards,)."""

    def worths(self, g: np.record) -> dict[int, float]:
        """Points by each legal action of a decision's record, the turn played on as well as can be."""
        return self._outlooks[g.card].worths(g, int(self._throw[g.dice]), self._game.legal_actions(g))

    def account(self, dealt: np.record, actions: Sequence[int], seat: int) -> list[TurnAccount]:
        """The turns of that seat in a match, from its record as dealt and its actions."""
        turns: list[TurnAccount] = []
        for before, action, moments in in_moments(dealt, actions):
            mover, passed = -1, moments
            if before is not None:
                mover, passed = int(before.to_move), moments[1:]
                if mover == seat:
                    self._choose(turns[-1], before, action, moments)
            for ended, started in itertools.zip_longest(passed[::2], passed[1::2]):
                if mover == seat:
                    turns[-1].points, turns[-1].island = self._end(ended, seat)
                if started is not None:
                    mover = int(started.to_move)
                    if mover == seat:
                        turns.append(self._begin(ended, started))
        return turns

    def _begin(self, before: np.record, g: np.record) -> TurnAccount:
        """A turn after its first roll; `before`: the record before its card was drawn."""
        left = before.undrawn if before.undrawn_total else before.cards
        expected, mean = float(left @ self.means / left.sum()), float(self.means[g.card])
        return TurnAccount(int(g.turn), CARDS[g.card], expected, mean - expected, self._worth(g) - mean)

    def _choose(self, turn: TurnAccount, before: np.record, action: int, moments: np.ndarray) -> None:
        """Enter a choice, and how the dice then fell; `moments`: as of `apply_in_moments`."""
        chosen = self.worths(before)[action]
        after = self._end(moments[1], int(before.to_move))[0] if len(moments) > 1 else self._worth(moments[0])
        turn.lost += self._worth(before) - chosen
        turn.dice_luck += after - chosen

    def _worth(self, g: np.record) -> float:
        return self._outlooks[g.card].worth(g, int(self._throw[g.dice]))

    def _end(self, g: np.record, seat: int) -> tuple[float, bool]:
        """What the seat's last turn, which has just ended, brought; and whether on the Island."""
        if g.last_island[seat]:
            outlook = self._outlooks[g.last_card[seat]]
            return float(outlook.island_ends[self._throw[g.last_dice[seat]]]), True
        return float(g.last_points[seat]), False


def mean_of_first_roll(turn: Turn) -> float:
    """Worth of a turn before its first roll, the Island's part with it."""
    return float(means(np.where(lands(turn.card, turn.variant), turn.island, turn.away[0]))[0])


def in_moments(dealt: np.record, actions: Sequence[int]) -> Iterator[tuple[np.record | None, int, np.ndarray]]:
    """The deal (None, 0, moments), then each decision: the record before it, the action, the moments, (n,)."""
    g = dealt.copy()
    room = np.zeros(2 * int(g.max_turns) + 2, g.dtype)
    yield None, 0, room[: deal_in_moments(g, room)].copy()
    for action in actions:
        before = g.copy()
        yield before, action, room[: apply_in_moments(g, np.int64(action), room)].copy()
