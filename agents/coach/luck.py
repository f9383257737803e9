"""Luck where a game is not solved: what chance changed, less what it changes on average (AIVAT).

After Burch, Schmid, Moravcik, Morrill and Bowling 2018 (AIVAT) and White and Bowling 2009 (MIVAT). A moment of chance is a
deal, or a decision of a seat whose policy is known to draw its actions. There the worth of what came is compared with the mean
worth of what might have come: of all legal actions by their probabilities; or of OTHER_DEALS more on the same past, by other
seeds. What came is one draw of what might have, so the mean of every term is 0, whoever plays the seat and however wrong the
worths are: they decide only how much of the chance is told.

A worth is made of two estimates for a policy that goes on: what the seat sees less what the others see (the policy's value head
on its view, less the mean of it on theirs), and what the cards as they lie bring to the end of the hand, turn or cycle (the
policy plays them out). How much of each is taken is fitted to other matches and comes with the coach (yardsticks.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pirate_envs.agents.coach.yardsticks import ESTIMATES, LuckWeights
from pirate_envs.agents.lockstep import Lockstep, stages_in
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game
from pirate_envs.search.tree import TO_MATCH_END
from pirate_envs.search.worlds import apply_all, look_as, score_all

STAGE = 1  # a horizon: to the end of the hand, turn or cycle
OTHER_DEALS = 32
CARDS, CHOICE = "cards", "choice"


@dataclass(frozen=True)
class Stroke:
    """What chance brought the reviewed seat at one moment; its mean over all that might have come is 0."""

    at: int
    """Decisions of the match before it; 0: the first deal."""
    kind: str
    """"cards": dealt by the game; "choice": drawn by a seat whose policy is known."""
    points: float
    """Of the margin at the match's end: own points less the mean of the others'."""
    win: float
    """Of the share of the win."""


@dataclass(frozen=True)
class LuckTerm:
    """A stroke before its estimates are weighed."""

    at: int
    kind: str
    changes: np.ndarray
    """What came less the mean of what might have, float64, (2, ESTIMATES): the points' estimates, then those of the win."""

    def stroke(self, weights: LuckWeights) -> Stroke:
        """With the estimates weighed."""
        points, win = (self.changes * weights.of(self.kind)).sum(axis=1)
        return Stroke(self.at, self.kind, float(points), float(win))


class LuckMeter:
    """Finds the moments of chance of a match, for one seat."""

    def __init__(self, game: Game, policy: Policy, seat: int, seed: int = 0) -> None:
        """`policy`: who goes on; it needs a value head (CheckpointError). `seed`: of the deals that might have come."""
        policy.check_value()
        self.game, self.policy, self.seat = game, policy.drawing(greedy=True), seat
        self._chance = np.random.default_rng([seed, seat])

    def moments(
        self, positions: Sequence[np.record], actions: Sequence[int], known: Mapping[int, Policy] | None = None
    ) -> list[LuckTerm]:
        """Of a match from its first position to its end, in order; `known`: who draws on other seats."""
        moments = [*self._deals(positions, actions), *self._choices(positions, actions, known or {})]
        return sorted(moments, key=lambda moment: (moment.at, moment.kind == CHOICE))

    # -- deals ---------------------------------------------------------------------------------------------------------

    def _deals(self, positions: Sequence[np.record], actions: Sequence[int]) -> list[LuckTerm]:
        stages = stages_in(self._rows(positions))
        starts = [at for at in range(len(actions)) if at == 0 or stages[at] != stages[at - 1]]
        records = np.concatenate([self._dealt(positions, actions, at) for at in starts])
        worths = self._worths(records, stages_in(records))
        worths = worths.reshape(len(starts), 1 + OTHER_DEALS, 2, ESTIMATES)
        changes = worths[:, 0] - worths[:, 1:].mean(axis=1)
        return [LuckTerm(at, CARDS, change) for at, change in zip(starts, changes, strict=True)]

    def _dealt(self, positions: Sequence[np.record], actions: Sequence[int], at: int) -> np.ndarray:
        """The position after a deal, then those after other deals on the same past."""
        if at == 0:
            others = np.array(
                [self.game.new(int(seed)) for seed in self._chance.integers(0, 1 << 63, OTHER_DEALS)], self.game.state
            )
        else:
            others = self._after(np.repeat(self._rows([positions[at - 1]]), OTHER_DEALS), np.full(OTHER_DEALS, actions[at - 1]))
        return np.concatenate([self._rows([positions[at]]), others])

    def _after(self, records: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """The records after these actions; what chance then brings is drawn by new seeds."""
        records["seed"] = self._chance.integers(0, 1 << 32, records["seed"].shape)
        size = len(records)
        apply_all(
            records, np.arange(size), actions.astype(np.int64), np.zeros(size, np.int64), TO_MATCH_END, np.zeros(size, bool)
        )
        return records

    # -- drawn decisions -----------------------------------------------------------------------------------------------

    def _choices(self, positions: Sequence[np.record], actions: Sequence[int], known: Mapping[int, Policy]) -> list[LuckTerm]:
        """Of the seats that draw their actions by these policies."""
        drawing = {seat: policy for seat, policy in known.items() if not policy.greedy}
        seats = [self.game.seat_to_move(positions[at]) for at in range(len(actions))]
        legal = {at: self.game.legal_actions(positions[at]) for at, seat in enumerate(seats) if seat in drawing}
        free = [at for at, each in legal.items() if len(each) > 1]
        if not free:
            return []
        worths = self._worths_after([positions[at] for at in free], [legal[at] for at in free])
        moments = []
        for at, each in zip(free, worths, strict=True):
            mean = np.tensordot(_chances(self.game, drawing[seats[at]], positions[at], legal[at]), each, 1)
            moments.append(LuckTerm(at, CHOICE, each[legal[at].index(actions[at])] - mean))
        return moments

    def _worths_after(self, records: Sequence[np.record], legal: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Of each action of each record, float64, (actions, 2, ESTIMATES); where it ends a stage the mean over next deals."""
        counts = [len(each) for each in legal]
        before, actions = np.repeat(self._rows(records), counts), np.concatenate(legal)
        stages = stages_in(before)
        after = self._after(before.copy(), actions)
        worths = self._worths(after, stages)
        ended = np.flatnonzero((after["over"] == 0) & (stages_in(after) != stages))
        dealt = self._after(np.repeat(before[ended], OTHER_DEALS), np.repeat(actions[ended], OTHER_DEALS))
        over_deals = self._worths(dealt, np.repeat(stages[ended], OTHER_DEALS)).reshape(len(ended), OTHER_DEALS, 2, ESTIMATES)
        worths[ended] = over_deals.mean(axis=1)
        return np.split(worths, np.cumsum(counts)[:-1])

    # -- worths --------------------------------------------------------------------------------------------------------

    def _worths(self, records: np.ndarray, stages: np.ndarray) -> np.ndarray:
        """The estimates of each position, float64, (n, 2, ESTIMATES). Playing out stops where `stages` (int64, (n,)) end."""
        size, players = len(records), self.game.players
        views = np.zeros((size * players, self.game.layout.size), np.float32)
        look_as(records, np.repeat(np.arange(size), players), np.tile(np.arange(players), size), views)
        seen = self.policy.values(views).astype(np.float64).reshape(size, players, 2)[..., ::-1]  # margin, then share
        over = records["over"] != 0
        seen[over] = self._outcomes(records[over])
        own, others = seen[:, self.seat], (seen.sum(axis=1) - seen[:, self.seat]) / (players - 1)
        played = Lockstep(self.game, self.policy, records.copy())
        for _ in played.moves(STAGE, stages_in(records) == stages):
            pass
        margin = self._outcomes(played.records)[:, self.seat, :1].repeat(2, axis=1)
        return np.stack([own - others, margin], axis=2)

    def _outcomes(self, records: np.ndarray) -> np.ndarray:
        """Every seat's margin and share of the win (or of the lead) as it stands, float64, (n, players, 2)."""
        players = self.game.players
        points, winners = np.zeros((len(records), players), np.int64), np.zeros(len(records), np.int64)
        score_all(records, points, winners)
        won = winners[:, None] >> np.arange(players) & 1
        margins = points - (points.sum(axis=1, keepdims=True) - points) / (players - 1)
        return np.stack([margins, won / won.sum(axis=1, keepdims=True)], axis=2)

    def _rows(self, records: Sequence[np.record]) -> np.ndarray:
        return np.array(records, self.game.state)


def _chances(game: Game, policy: Policy, g: np.record, legal: Sequence[int]) -> np.ndarray:
    """The policy's probabilities of these actions, float64."""
    decision = decisions_of(game, g)
    return np.exp(policy.log_priors(decision.observations, decision.action_masks)[0, list(legal)].astype(np.float64))
