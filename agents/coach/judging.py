"""Judging decisions: exactly where a game brings a solution, else by playouts of a policy in worlds that all actions share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.beliefs import Beliefs
from pirate_envs.agents.coach import exact, yardsticks
from pirate_envs.agents.coach.choice import POINTS, WIN, Budget, Choice, loss_of
from pirate_envs.agents.coach.ladder import kind_of
from pirate_envs.agents.coach.racing import FIRST, Race
from pirate_envs.agents.names import agent
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.playouts import AT_ONCE, Playouts
from pirate_envs.agents.policy import Policy
from pirate_envs.core import rewards
from pirate_envs.core.errors import OptionError, PositionError, ReplayError, UnknownPlayerError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.rng import MASK
from pirate_envs.engine.replay import Replay
from pirate_envs.search.tree import SWING

STAGE = 1  # a horizon: to the end of the hand, turn or cycle
APART = 0x9E3779B1  # between the seeds of decisions
Prior = dict[int, float | None]  # legal action -> the policy's probability, the likeliest first
PRECISION = 0.002  # share of the win to which a leader's lead is to be known


def judge(game: Game, position: np.record | Replay, seat: int, budget: Budget | None = None) -> list[Choice]:
    """Each legal action of the seat that decides, the best first: see Choice.

    `position`: its record, whole or redacted (what the seat cannot know is not looked at), or the replay that leads to it.

    Raises OptionError for a seat that does not decide here, PositionError after the end, ReplayError for a replay of another
    game, UnknownPlayerError for a game with neither a policy nor a solution.
    """
    return Coach(game, budget).judge(_reached(game, position) if isinstance(position, Replay) else position, seat)


def _reached(game: Game, replay: Replay) -> np.record:
    if replay.load_game().options != game.options or replay.game != game.id:
        raise ReplayError(f"the replay is of {replay.game} with options of its own; needed: {game.id} with {game.options}")
    return replay.play()


def points_for(game: Game, share: float) -> float:
    """Points that are worth this share of the win at even odds, as a search reckons while the match goes on (SWING)."""
    even = 1 / game.players
    return share * SWING * game.scale / (even * (1 - even))


class Coach:
    """Judges decisions of one game within a budget."""

    def __init__(self, game: Game, budget: Budget | None = None, unit: str = WIN) -> None:
        """`unit`: what actions race for in worlds: WIN, if it is known or foretold of every world, or POINTS.

        Raises what `judge` does, OptionError for another unit or what is no budget, and CheckpointError for a policy that does
        not fit.
        """
        if unit not in (WIN, POINTS):
            raise OptionError(f"unit of a coach is {unit!r}; allowed: {WIN!r}, {POINTS!r}")
        if not isinstance(budget, Budget | None):
            raise OptionError(f"budget of a coach is {shown(budget)}; allowed: a Budget, or None for the usual one")
        self.game, self.budget = game, Budget() if budget is None else budget
        self.solutions = exact.solutions(game)
        self.policy = self._policy()
        self.by_win = unit == WIN and self.policy is not None and bool(self.policy.value)
        believes = self.budget.belief and not self.is_exact and self.policy is not None and self.policy.belief
        self.beliefs = Beliefs(game, self.policy) if believes and self.policy is not None else None
        as_measured = self.budget.belief or self.policy is None or not self.policy.belief
        self.levels = yardsticks.levels_of(game, self.policy) if as_measured and not self.is_exact else None

    def _policy(self) -> Policy | None:
        try:
            policy = agent(self.game, self.budget.policy)
        except UnknownPlayerError:
            if self.is_exact and self.budget.policy == Budget.policy:
                return None
            raise
        if not isinstance(policy, Policy):
            raise OptionError(f"policy of a budget is {self.budget.policy!r}; allowed: policy:NAME")
        return policy

    @property
    def is_exact(self) -> bool:
        """Whether points are solved, and no worlds needed."""
        return POINTS in self.solutions

    def judge(self, g: np.record, seat: int) -> list[Choice]:
        """As the function `judge`."""
        seat, mover = self.game.check_seat(seat), self.game.seat_to_move(g)
        if self.game.is_over(g):
            raise PositionError("over: the match has ended; there is nothing to decide")
        if seat != mover:
            raise OptionError(f"seat is {seat}; here seat {mover} decides")
        return self.judge_all([g])[0]

    def judge_all(self, records: Sequence[np.record]) -> list[list[Choice]]:
        """The choices of each decision's mover, from what it knows; many together cost less than one after the other."""
        roots = np.array([self.game.redacted(g, self.game.seat_to_move(g)) for g in records], self.game.state)
        priors = [self._priors(root) for root in roots]
        if self.is_exact:
            return [self._known(root, prior) for root, prior in zip(roots, priors, strict=True)]
        races = self._run(roots, priors)
        judged = zip(roots, priors, races, strict=True)
        return [self._measured(root, prior, race) for root, prior, race in judged]

    def _priors(self, root: np.record) -> Prior:
        """The policy's probability of each legal action, the likeliest first."""
        legal = self.game.legal_actions(root)
        if self.policy is None:
            return dict.fromkeys(legal)
        decision = decisions_of(self.game, root)
        logs = self.policy.log_priors(decision.observations, decision.action_masks)[0]
        return {action: float(np.exp(logs[action])) for action in sorted(legal, key=lambda each: -logs[each])}

    # -- exactly -------------------------------------------------------------------------------------------------------

    def _known(self, root: np.record, prior: Prior) -> list[Choice]:
        points = exact.known(self.solutions[POINTS], root)
        wins = exact.known(self.solutions[WIN], root) if WIN in self.solutions else {}
        of_all = bool(wins) and self.game.players == 2
        choices = []
        for action, probability in prior.items():
            (value, regret), (win, win_regret) = points[action], wins.get(action, (None, None))
            name = self.game.action_name(root, action)
            choices.append(Choice(action, name, probability, regret, win_regret, value, win, 0, 0, True, of_all))
        return sorted(choices, key=lambda choice: loss_of(choice, WIN).mean)

    # -- by worlds -----------------------------------------------------------------------------------------------------

    def _run(self, roots: np.ndarray, priors: list[Prior]) -> list[Race]:
        """A race for each root: FIRST worlds, then twice as many again and again for the actions left."""
        actions = [list(prior) for prior in priors]
        races = [Race.of([probability or 0.0 for probability in prior.values()], self.by_win) for prior in priors]
        precision = PRECISION if self.by_win else points_for(self.game, PRECISION)
        seeds = self.seeds(roots)
        running = list(range(len(races)))
        start, stop = 0, min(FIRST, self.budget.worlds)
        while running and start < stop:
            self._try(roots, actions, seeds, races, running, range(start, stop))
            for number in running:
                races[number].drop()
            running = [number for number in running if not races[number].is_settled(precision)]
            start, stop = stop, min(2 * stop, self.budget.worlds)
        return races

    def _try(
        self,
        roots: np.ndarray,
        actions: list[list[int]],
        seeds: np.ndarray,
        races: list[Race],
        running: list[int],
        numbers: range,
    ) -> None:
        """Play these worlds for every action left of the races that run, AT_ONCE together."""
        tried = [(number, actions[number][place]) for number in running for place in np.flatnonzero(races[number].left)]
        rows, acts = np.array([row for row, _ in tried]), np.array([action for _, action in tried])
        parts = -(-len(tried) * len(numbers) // AT_ONCE)
        worlds = np.zeros((len(roots), len(numbers)), np.int64)
        worlds[running] = self.numbers(roots[running], seeds[running], numbers)
        played = [
            self.play(roots[rows[part]], acts[part], seeds[rows[part]], worlds[rows[part]])
            for part in np.array_split(np.arange(len(tried)), min(parts, len(tried)))
        ]
        worth, shares = (np.concatenate(each) for each in zip(*played, strict=True))
        for number in running:
            races[number].add(worth[rows == number], shares[rows == number])
            if self.beliefs is not None:
                races[number].saw(worlds[number])

    def seeds(self, roots: np.ndarray) -> np.ndarray:
        """Of the worlds of each redacted record, int64, (n,)."""
        return (self.budget.seed + roots["decisions"].astype(np.int64) * APART) & MASK

    def numbers(self, roots: np.ndarray, seeds: np.ndarray, wanted: range) -> np.ndarray:
        """Which worlds of these seeds are looked at, int64, (n, len(wanted)): drawn by belief, or these themselves.

        Those in even places, which choose, and those in odd ones, which measure, are drawn from pools that share no world.
        """
        if self.beliefs is None:
            return np.broadcast_to(np.array(wanted), (len(roots), len(wanted)))
        drawn = np.empty((len(roots), len(wanted)), np.int64)
        middle = wanted.start + (len(wanted) + 1) // 2
        for place, half in enumerate((range(wanted.start, middle), range(middle, wanted.stop))):
            drawn[:, place::2] = self.beliefs.numbers(roots, seeds, half)
        return drawn

    def play(
        self, roots: np.ndarray, actions: np.ndarray, seeds: np.ndarray, numbers: range | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Points and shares of the win of action i in these worlds of redacted record i, at the end of the stage.

        Where the match goes on there, the policy's value head foretells the share; NaN if it has none. float64, (n, worlds of
        each) each; see `Playouts.play`. For games that are judged by worlds.
        """
        assert self.policy is not None
        roots = roots.copy()
        roots["reward"] = rewards.MARGIN
        worlds = Playouts(self.game, self.policy).play(roots, actions, seeds, numbers, STAGE)
        points = worlds.worth(STAGE) * self.game.scale
        shares = worlds.shares(self._foretold)
        return points.reshape(len(actions), -1), shares.reshape(len(actions), -1)

    def _foretold(self, observations: np.ndarray) -> np.ndarray:
        """Shares of the win by the policy's value head."""
        assert self.policy is not None
        return self.policy.values(observations)[:, 0] if self.policy.value else np.full(len(observations), np.nan)

    def correction(self, root: np.record, unit: str, said: float) -> float | None:
        """By how much what worlds say of this decision's actions is off, `said` of the best; None if that is not known."""
        if self.levels is None:
            return None
        return self.levels.correction(unit, kind_of(self.game, root), int(self.game.verbs["stage"](root)), said)

    def _measured(self, root: np.record, prior: Prior, race: Race) -> list[Choice]:
        choices, goes_on = [], np.isnan(race.shares) & ~np.isnan(race.worth)
        for place, (action, probability) in enumerate(prior.items()):
            name, tried, different = self.game.action_name(root, action), race.tried(place), race.different(place)
            value, regret, known = self._level(root, race, place, POINTS)
            unknown = goes_on[[place, race.leader]].any()
            win, win_regret, foretold = (None, None, False) if unknown else self._level(root, race, place, WIN)
            choices.append(Choice(action, name, probability, regret, win_regret, value, win, tried, different, known, foretold))
        best = choices[race.leader]
        unit = WIN if self.by_win else POINTS
        others = sorted((choice for choice in choices if choice is not best), key=lambda choice: loss_of(choice, unit).mean)
        return [best, *others]

    def _level(self, root: np.record, race: Race, place: int, unit: str) -> tuple[Interval, Interval, bool]:
        """What an action comes to, what it loses, and whether the first is corrected."""
        told = race.worth if unit == POINTS else race.shares
        best = race.measured(told, race.leader)[0].mean
        said, regret = race.measured(told, place)
        off = self.correction(root, unit, best)
        # Its own mean would be of fewer worlds than the best's where it dropped out, and differ from that by another loss.
        mean = best - regret.mean + (off or 0.0)
        ends = np.array([mean, mean + said.low - said.mean, mean + said.high - said.mean])
        level = Interval(*(float(end) for end in (ends if unit == POINTS else ends.clip(0, 1))))
        return level, regret, off is not None
