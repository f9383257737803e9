"""Who wins how much against whom, from the matches played so far, and how hard that makes each opponent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pirate_envs.agents.arena.duplicate import MOST_DEALS
from pirate_envs.agents.arena.statistics import Interval

SPREAD_OF_95 = 1.96  # standard errors on either side


@dataclass(frozen=True)
class Tally:
    """What one of a player won among copies of another: a count of deals, and sums over them."""

    deals: int = 0
    won: float = 0.0
    """Sum of the deals' shares of matches won."""
    squares: float = 0.0
    """Sum of their squares."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.deals + other.deals, self.won + other.won, self.squares + other.squares)

    @classmethod
    def of(cls, shares: np.ndarray) -> Tally:
        """Of the share of matches won on each deal, float64, (deals,)."""
        return cls(len(shares), float(shares.sum()), float((shares**2).sum()))

    def check(self) -> None:
        """Raises ValueError unless some deals can have left it."""
        if type(self.deals) is not int or not 1 <= self.deals <= MOST_DEALS**2:
            raise ValueError(f"a payoff over {self.deals!r} deals")
        if not (0 <= self.squares <= self.won * (1 + 1e-9) and self.won <= self.deals * (1 + 1e-9)):
            raise ValueError(f"a payoff of {self.won!r} over {self.deals} deals")

    @property
    def share(self) -> Interval:
        """The share of matches won, its interval by the spread of the deals' shares (normal approximation)."""
        mean = self.won / self.deals
        spread = max(self.squares / self.deals - mean**2, 0.0) / max(self.deals - 1, 1)
        reach = SPREAD_OF_95 * math.sqrt(spread)
        return Interval(mean, max(0.0, mean - reach), min(1.0, mean + reach))


class PayoffMatrix:
    """Tallies of one of each player among copies of each other; it grows as matches are played."""

    def __init__(self, seats: int) -> None:
        """`seats` at the table."""
        self.seats = seats
        self.tallies: dict[tuple[str, str], Tally] = {}
        """(one, others) -> what the one won."""

    def add(self, one: str, others: str, shares: np.ndarray) -> None:
        """Count deals in: what one `one` among copies of `others` won on each, float64, (deals,)."""
        self._count(one, others, Tally.of(shares))
        if self.seats == 2:  # the same table from the other side
            self._count(others, one, Tally.of(1 - shares))

    def _count(self, one: str, others: str, tally: Tally) -> None:
        self.tallies[one, others] = self.tallies.get((one, others), Tally()) + tally

    def share(self, one: str, others: str) -> Interval | None:
        """Share of matches that one wins among copies of the other; None if they have not met so."""
        tally = self.tallies.get((one, others))
        return None if tally is None else tally.share

    def chance(self, player: str, opponent: str) -> float:
        """The chance that `player` rather than one such opponent wins, where that is smaller: alone among copies of the
        opponent, or as one of the copies among whom the opponent sits. 1/2 is level, and so are players that have not met.
        """
        alone, among = self.share(player, opponent), self.share(opponent, player)
        chances = [] if alone is None else [self._against_one_of(alone.mean)]
        chances += [] if among is None else [1 - self._against_one_of(among.mean)]
        return min(chances, default=0.5)

    def _against_one_of(self, share: float) -> float:
        """Of a share of the win, and what is left for all others: the chance to win rather than a certain one of them."""
        return share / (share + (1 - share) / (self.seats - 1))

    def weights(self, player: str, opponents: Iterable[str], hardness: float) -> dict[str, float]:
        """Prioritised fictitious self-play (Vinyals et al. 2019): (1 - chance to win) ** hardness of each, as shares.

        Opponents that lose every match have none; if all do, all count alike.
        """
        hard = {name: (1 - self.chance(player, name)) ** hardness for name in opponents}
        whole = sum(hard.values())
        return {name: weight / whole if whole > 0 else 1 / len(hard) for name, weight in hard.items()}

    # -- as numbers ----------------------------------------------------------------------------------------------------

    def as_list(self) -> list[list[Any]]:
        """Ready for JSON, in the order of counting."""
        return [[*pair, tally.deals, tally.won, tally.squares] for pair, tally in self.tallies.items()]

    @classmethod
    def of_list(cls, seats: int, rows: Any) -> PayoffMatrix:
        """What `as_list` gave. Raises ValueError or TypeError for what it cannot have given."""
        matrix = cls(seats)
        for one, others, deals, won, squares in rows:
            tally = Tally(deals, float(won), float(squares))
            tally.check()
            matrix.tallies[str(one), str(others)] = tally
        return matrix

    def rows(self) -> list[dict[str, Any]]:
        """A row for each pair: who, among whom, deals, matches and the share won with its interval."""
        return [
            {"one": one, "others": others, "deals": tally.deals, "matches": tally.deals * self.seats, **vars(tally.share)}
            for (one, others), tally in self.tallies.items()
        ]

    def nested(self, names: Iterable[str]) -> Mapping[str, Mapping[str, Interval]]:
        """One -> others -> share, of these players that have met."""
        names = list(names)
        met = {one: {others: self.share(one, others) for others in names if others != one} for one in names}
        return {one: {others: share for others, share in row.items() if share is not None} for one, row in met.items()}
