"""Guided search: a policy names the candidates, plays out worlds that agree with what the seat knows, and breaks near ties.

search:guided:128                       128 playouts a decision, by the policy that comes with the game
search:guided:50ms                      50 milliseconds a decision
search:guided:128:policy=FOLDER         by that policy
search:guided:128:horizon=2             judge worlds after two hands, turns or cycles; horizon=match: at the end
search:guided:128:value                 judge them there by the policy's value head: what that stage brings of the win
search:guided:128:belief                worlds as likely as the policy's belief head says (agents/beliefs.py), not all alike
search:guided:128:drawn                 play them out with the policy's actions drawn, not always the likeliest
search:guided:128:bfloat16              play them out, and judge them, in that precision, by torch: faster on some processors
search:guided:128:rules=strongest       in every second world the other seats play by that rule player, not by the policy

The CANDIDATES of the highest prior share the playouts by sequential halving (Karnin, Koren and Somekh 2013; as a step of policy
improvement: Danihelka et al. 2022): in every round each candidate left is tried in the same new worlds, in one at least, then
the worse half is dropped. So 128 playouts of six candidates see 42 worlds, all of them the last two candidates, a first part
of them the others. Every seat plays the policy's likeliest action, unless the name says otherwise. A candidate's score is the
mean of its worlds, plus the logarithm of its prior times a weight that grows with the noise of the means, so that what the
worlds cannot tell is left to the policy.

Networks cost far more than rules, so the worlds of all decisions that are asked for at once are played in lockstep.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pirate_envs.agents.beliefs import Beliefs
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.playouts import AT_ONCE, Playouts
from pirate_envs.agents.policy import Policy
from pirate_envs.core.game import Game

CANDIDATES = 6
SURE = 0.998  # a prior from which on nothing is searched
PRIOR, NOISE = 0.005, 0.5  # weight of a prior's logarithm: so much, and so many standard errors of the means
SLICE = 8  # worlds a candidate between two looks at the clock, at most
BELIEVED = 32  # worlds that are chosen by belief at once, by the clock


class GuidedSearch(Agent):
    """Chooses the candidate with the best score. Deterministic but for a budget in milliseconds."""

    wants_records = True

    def __init__(
        self,
        game: Game,
        name: str,
        policy: Policy,
        playouts: int | None,
        milliseconds: int | None = None,
        horizon: int = 1,
        *,
        by_value: bool = False,
        by_belief: bool = False,
        drawn: bool = False,
        others: int | None = None,
        playing: Policy | None = None,
    ) -> None:
        """`playouts` of a decision, or None: by the clock. `horizon`: stages, this one included, or search.tree.TO_MATCH_END.
        `drawn`: worlds are played out with the policy's actions drawn by their probabilities. `others`: the number of the
        rule player that the other seats play by in every second world. `playing`: the same policy as it plays worlds out
        and judges them, in another precision perhaps; None: as it is.

        Raises CheckpointError if worlds are to be judged by the policy's value head, or drawn by its belief head, and it lacks
        that.
        """
        if by_value:
            policy.check_value()
        self.game, self.name, self.learned = game, name, policy.learned
        self._policy, self._playouts = policy, Playouts(game, playing or policy, others, drawn=drawn)
        self._horizon, self._by_value = horizon, by_value
        self._budget, self._milliseconds = playouts, milliseconds
        self._beliefs = Beliefs(game, policy) if by_belief else None

    def act(self, decisions: Decisions) -> np.ndarray:
        return self.search(decisions).chosen

    def search(self, decisions: Decisions) -> Searched:
        """What it chooses, and what its worlds say of every candidate."""
        priors = self._policy.log_priors(decisions.observations, decisions.action_masks)
        found = Searched.unsearched(priors)
        records = self.records_of(decisions)
        seeds = (decisions.chances * (1 << 32)).astype(np.int64)
        candidates = np.minimum(np.isfinite(priors).sum(axis=1), CANDIDATES)
        candidates[priors.max(axis=1) >= np.log(SURE)] = 1
        for count in np.unique(candidates[candidates > 1]):  # those of as many candidates step by step together
            rows = np.flatnonzero(candidates == count)
            for part in np.array_split(rows, min(len(rows), self._parts(len(rows)))):
                found.note(part, self._tried(records[part], priors[part], seeds[part]))
        return found

    def _parts(self, decisions: int) -> int:
        """By the clock each decision is alone; else as many at once as AT_ONCE allows."""
        return decisions if self._budget is None else -(-decisions * self._budget // AT_ONCE)

    def _tried(self, roots: np.ndarray, priors: np.ndarray, seeds: np.ndarray) -> Trial:
        """Decisions of as many candidates, searched until one is left of each."""
        trial = Trial.of(priors, seeds)
        start, rounds = time.perf_counter(), (trial.width - 1).bit_length()
        for number in range(rounds):
            if self._budget is None:
                end = start + (self._milliseconds or 0) / 1000 * (number + 1) / rounds
                self._try(roots, trial, trial.slice)
                while time.perf_counter() < end:
                    self._try(roots, trial, trial.slice)
            else:
                self._try(roots, trial, max(1, self._budget // (rounds * trial.width)))
            trial.halve()
        return trial

    def _try(self, roots: np.ndarray, trial: Trial, share: int) -> None:
        """Try each candidate left of each root in the same `share` new worlds."""
        row, place = np.nonzero(trial.left)
        numbers, first = self._next(roots, trial, share), trial.seen
        worlds = self._playouts.play(
            roots[row], trial.actions[row, place], trial.seeds[row], numbers[row], self._horizon, first
        )
        worth = worlds.shares(self._share) if self._by_value else worlds.worth(self._horizon)
        trial.add(row, place, worth.reshape(len(row), share))

    def _next(self, roots: np.ndarray, trial: Trial, share: int) -> np.ndarray:
        """The numbers of the next `share` worlds of each root, int64, (n, share)."""
        end = trial.seen + share
        if self._beliefs is None:
            return np.broadcast_to(np.arange(trial.seen, end), (len(roots), share))
        most = BELIEVED if self._budget is None else max(SLICE, 2 * self._budget // trial.width)  # all that it will see
        while (have := trial.believed.shape[1]) < end:
            more = self._beliefs.numbers(roots, trial.seeds, range(have, have + most))
            trial.believed = np.concatenate([trial.believed, more], axis=1)
        return trial.believed[:, trial.seen : end]

    def _share(self, observations: np.ndarray) -> np.ndarray:
        return self._playouts.policy.values(observations)[:, 0]


@dataclass
class Trial:
    """The candidates of n decisions, up to k each, and what the worlds of each were worth so far."""

    seeds: np.ndarray
    """Of the worlds, int64, (n,)."""
    actions: np.ndarray
    """int64, (n, k), the likeliest first."""
    priors: np.ndarray
    """Logarithms, float, (n, k)."""
    left: np.ndarray
    """Not dropped yet, bool, (n, k); as many of each decision."""
    worth: np.ndarray
    """float64, (n, k, worlds seen): a candidate left has been tried in all worlds, in the same ones as the others."""
    tried: np.ndarray
    """In how many worlds, the first ones, int64, (n, k)."""
    believed: np.ndarray
    """Which worlds to see, where they are chosen by belief, as far as they have been chosen: int64, (n, m)."""

    @classmethod
    def of(cls, priors: np.ndarray, seeds: np.ndarray) -> Trial:
        """`priors`: logarithms, float, (n, actions), -inf where illegal, in as many places for each; `seeds`: int64, (n,)."""
        actions = np.argsort(-priors, axis=1, kind="stable")[:, :CANDIDATES]
        chosen = np.take_along_axis(priors, actions, axis=1).astype(np.float64)
        there = np.isfinite(chosen)
        nothing, none = np.zeros((*chosen.shape, 0)), np.zeros((len(seeds), 0), np.int64)
        return cls(seeds, actions, np.where(there, chosen, 0), there, nothing, np.zeros(chosen.shape, np.int64), none)

    @property
    def width(self) -> int:
        """Candidates left of each decision."""
        return int(self.left[0].sum())

    @property
    def seen(self) -> int:
        return self.worth.shape[2]

    @property
    def slice(self) -> int:
        """How many worlds come before the next look at the clock: one, then as many as were seen, up to SLICE."""
        return min(SLICE, max(1, self.seen))

    def add(self, row: np.ndarray, place: np.ndarray, outcomes: np.ndarray) -> None:
        """Note what new worlds were worth to the candidates left, float64, (their number, new worlds)."""
        new = np.zeros((*self.left.shape, outcomes.shape[1]))
        new[row, place] = outcomes
        self.tried += outcomes.shape[1] * self.left
        self.worth = np.concatenate([self.worth, new], axis=2)

    def scores(self) -> np.ndarray:
        """How much better each candidate is than the likeliest one left, less what its lower prior asks for; float, (n, k).

        One world has no spread and a few may agree by chance, so each lead's spread is that around its mean and a little more.
        """
        likeliest = self.left.argmax(axis=1)[:, None]
        ahead = self.worth - np.take_along_axis(self.worth, likeliest[..., None], axis=1)
        mean = ahead.mean(axis=2)
        spread = (self.seen * ahead.var(axis=2) + mean**2) / (self.seen + 1)  # as if one more world knew no difference
        error = np.sqrt(spread / self.seen)
        behind = np.take_along_axis(self.priors, likeliest, axis=1) - self.priors
        return np.where(self.left, mean - behind * (PRIOR + NOISE * error), -np.inf)

    def halve(self) -> None:
        """Drop the worse half of each decision's candidates."""
        rank = np.argsort(np.argsort(-self.scores(), axis=1, kind="stable"), axis=1)
        self.left = rank < (self.width + 1) // 2

    def best(self) -> np.ndarray:
        """The one candidate left of each decision, int64, (n,)."""
        return np.take_along_axis(self.actions, self.left.argmax(axis=1)[:, None], axis=1)[:, 0]

    def leads(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How much better each candidate was than the likeliest one in the worlds that both were tried in.

        Mean and standard deviation over those worlds, float64, (n, k), and their number, int64, (n, k).
        """
        both = np.minimum(self.tried, self.tried[:, :1])
        ahead = self.worth - self.worth[:, :1]
        mean, spread = np.zeros(both.shape), np.zeros(both.shape)
        for count in np.unique(both[both > 0]):
            here = both == count
            mean[here], spread[here] = ahead[here, :count].mean(axis=1), ahead[here, :count].std(axis=1)
        return mean, spread, both


@dataclass
class Searched:
    """What guided search found at n decisions, of up to CANDIDATES actions each, the likeliest first."""

    chosen: np.ndarray
    """int64, (n,)."""
    actions: np.ndarray
    """int64, (n, CANDIDATES)."""
    priors: np.ndarray
    """Logarithms, float32, (n, CANDIDATES); -inf where there are fewer."""
    leads: np.ndarray
    """By how much each was better than the likeliest one, in units of the reward, float32, (n, CANDIDATES)."""
    spreads: np.ndarray
    """Standard deviation of that over worlds, float32, (n, CANDIDATES)."""
    worlds: np.ndarray
    """In how many worlds both were tried, int64, (n, CANDIDATES); 0: not searched."""

    @classmethod
    def unsearched(cls, priors: np.ndarray) -> Searched:
        """The likeliest actions, chosen without a look. `priors`: logarithms, float, (n, actions), -inf where illegal."""
        actions = np.argsort(-priors, axis=1, kind="stable")[:, :CANDIDATES]
        nothing = np.zeros(actions.shape, np.float32)
        logs = np.take_along_axis(priors, actions, axis=1)
        return cls(actions[:, 0].copy(), actions, logs, nothing, nothing.copy(), np.zeros(actions.shape, np.int64))

    def note(self, rows: np.ndarray, trial: Trial) -> None:
        """Take over what a trial of these rows, of the same candidates, found."""
        self.chosen[rows] = trial.best()
        self.leads[rows], self.spreads[rows], self.worlds[rows] = trial.leads()
