"""Finding puzzles: decisions of many matches, cheaply sieved, then judged by worlds and by a second judge that is another one.

A position is kept if one action is better than every other one by a gap that matters, and it is neither what the strongest rule
player does nor likely to the policy. Where a game brings itself solved its values are exact. Elsewhere

- a quick search by rule players sieves;
- the policy plays out, in other worlds than before, as many as are asked for, of every legal action: the best must be ahead of
  each other one by the gap in the mean and by STANDARD_ERRORS; worlds are drawn by belief where the policy has a belief head;
- a longer search, by rule players in worlds that are all alike, must choose the same action.

One puzzle at most comes from a match. Equal seeds bring equal puzzles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pirate_envs.agents import sheets
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach import exact
from pirate_envs.agents.coach.choice import POINTS, WIN, Budget
from pirate_envs.agents.coach.judging import STAGE, Coach
from pirate_envs.agents.coach.puzzles.puzzle import Puzzle, Worth, brief
from pirate_envs.agents.coach.puzzles.themes import Lesson, theme_of
from pirate_envs.agents.names import agent, usual_field
from pirate_envs.agents.player import Agent, decisions_of
from pirate_envs.agents.playouts import AT_ONCE, Playouts
from pirate_envs.agents.policy import Policy
from pirate_envs.core import rewards
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game
from pirate_envs.search.worlds import score_all

STANDARD_ERRORS = 5.0
LIKELY = 0.3  # from this probability on an action is no surprise to the policy
QUICK, SECOND = "search:ismcts:300", "search:ismcts:4000"  # the sieve, and the second judge
SIEVE = 128  # worlds of an action before it is judged by all of them
TOGETHER = 512  # worlds of an action between two looks whether it is still a puzzle
MOST_ACTIONS = 32  # legal ones; where there are more, several are as good
FRESH = 1 << 30  # from the seeds of the sieve to those of the judge
Z95 = 1.959964


@dataclass(frozen=True)
class Quarry:
    """What is looked for."""

    game: str
    players: int
    unit: str
    """"points" or "win"."""
    gap: float
    """Between the best and every other action, in the unit."""
    worlds: int
    """Of every action; 0: the game is solved."""


QUARRIES = {
    "skull_king": Quarry("skull_king", 4, POINTS, 8.0, 4096),
    "piratenpoker": Quarry("piratenpoker", 4, POINTS, 1.0, 2048),
    "lucky_pirate": Quarry("lucky_pirate", 4, WIN, 0.06, 2048),
    "piraten_kapern": Quarry("piraten_kapern", 2, WIN, 0.02, 0),
}


class Confirmed(NamedTuple):
    """A position that passed, before it is told as a puzzle: `g` is redacted."""

    g: np.record
    values: dict[int, Worth]
    rose: dict[int, float]
    """Action -> share of the worlds in which the seat's own points rise to the end of the stage."""


class Mine:
    """Looks for puzzles of one kind."""

    def __init__(self, game: Game, quarry: Quarry) -> None:
        """Raises OptionError for a game without rule players, or one that is neither solved nor has a policy."""
        if not game.rule_players:
            raise OptionError(f"{game.id} has no rule players: there is nobody whom a puzzle surprises")
        self.game, self.quarry = game, quarry
        self.coach = Coach(game, Budget(SIEVE), self.quarry.unit)
        if self.coach.policy is None:
            raise OptionError(f"{game.id} has no policy of its own, whom a puzzle surprises")
        self.policy: Policy = self.coach.policy
        paid = {"reward": "margin"} if quarry.unit == POINTS else {}
        self.searched = game.with_options(**{**game.options.changed(), **paid})
        self.quick, self.second = agent(self.searched, QUICK), agent(self.searched, SECOND)
        self.tables = [[agent(game, name) for name in names] for names in line_ups(game)]
        self.ladder = [agent(game, name) for name in ("random", *usual_field(game))]

    def match(self, seed: int) -> Puzzle | None:
        """A puzzle from the match of that seed, if there is one in it."""
        positions = self._positions(seed)
        order = np.random.default_rng(seed).permutation(len(positions))
        for place in order:
            found = self._confirmed(positions[place], seed)
            if found is not None:
                return self._told(found)
        return None

    def _positions(self, seed: int) -> list[np.record]:
        """The decisions with a choice, not too many, of a match between players who sit down by its seed."""
        chance, g, found = np.random.default_rng(seed), self.game.new(seed), []
        line_up = self.tables[seed % len(self.tables)]
        line_up = [line_up[place] for place in chance.permutation(len(line_up))]
        while not self.game.is_over(g):
            seat, legal = self.game.seat_to_move(g), len(self.game.legal_actions(g))
            if legal > 1 and (legal <= MOST_ACTIONS or not self.quarry.worlds):
                found.append(self.game.redacted(g, seat))
            self.game.apply(g, int(line_up[seat].act(decisions_of(self.game, g, chance.random()))[0]))
        return found

    def _confirmed(self, g: np.record, seed: int) -> Confirmed | None:
        surprising = self._surprises(g)
        if not surprising:
            return None
        if not self.quarry.worlds:
            return self._solved(g, surprising)
        root = g.copy()
        if self.quarry.unit == POINTS:
            root.reward = rewards.MARGIN
        best = _asked(self.searched, self.quick, root, seed)
        if best not in surprising or _asked(self.searched, self.second, root, seed) != best:
            return None
        choices = replaced(self.coach, seed).judge(g, self.game.seat_to_move(g))
        unit_regret = [choice.win_regret if self.quarry.unit == WIN else choice.regret for choice in choices[1:]]
        if choices[0].action != best or any(each is None or each.mean < self.quarry.gap / 2 for each in unit_regret):
            return None
        return self._judged(g, best, seed)

    def _surprises(self, g: np.record) -> set[int]:
        """The legal actions that neither the strongest rule player nor, likely, the policy chooses."""
        probabilities = likely(self.game, self.policy, g)
        return {action for action, share in probabilities.items() if share < LIKELY} - {self.game.rule_action(g)}

    # -- exactly -------------------------------------------------------------------------------------------------------

    def _solved(self, g: np.record, surprising: set[int]) -> Confirmed | None:
        worths = exact.known(self.coach.solutions[self.quarry.unit], g)
        best, second = sorted(worths, key=lambda action: -worths[action][0].mean)[:2]
        if best not in surprising or worths[second][1].mean < self.quarry.gap:
            return None
        return Confirmed(g, {action: Worth(value.mean, 0.0, 0.0) for action, (value, _) in worths.items()}, {})

    # -- by worlds -----------------------------------------------------------------------------------------------------

    def _judged(self, g: np.record, best: int, seed: int) -> Confirmed | None:
        """Every action in the worlds of a fresh seed, if the best stays ahead of all others for sure."""
        actions = [best, *(action for action in self.game.legal_actions(g) if action != best)]
        for sample in samples(self.coach, g, actions, FRESH + seed, self.quarry.worlds):
            if self.quarry.unit == POINTS and np.isfinite(sample.shares).any():
                return None  # some worlds end the match: points are not all that counts
            if self.quarry.unit == WIN and not np.isfinite(sample.shares).all():
                return None  # some worlds go on
            worth = sample.points if self.quarry.unit == POINTS else sample.shares
            leads = [weighed(worth[0] - row, sample.weights) for row in worth[1:]]
            if any(lead.mean + STANDARD_ERRORS * _error(lead) < self.quarry.gap for lead in leads):
                return None
        if any(lead.mean < max(self.quarry.gap, STANDARD_ERRORS * _error(lead)) for lead in leads):
            return None
        values = [weighed(row, sample.weights) for row in worth]
        behind = [0.0, *(Z95 * _error(lead) for lead in leads)]
        found = {
            action: Worth(value.mean, Z95 * _error(value), reach)
            for action, value, reach in zip(actions, values, behind, strict=True)
        }
        rose = np.average(sample.gains > 0, axis=1, weights=sample.weights)
        return Confirmed(g, found, dict(zip(actions, rose.tolist(), strict=True)))

    # -- telling -------------------------------------------------------------------------------------------------------

    def _told(self, found: Confirmed) -> Puzzle:
        game, g = self.game, found.g
        order = sorted(found.values, key=lambda action: -found.values[action].value)
        best, probabilities = order[0], likely(self.game, self.policy, g)
        tempting = next(action for action in probabilities if action != best)
        names = {action: game.action_name(g, action) for action in order}
        theme, facts = theme_of(Lesson(game, g, names[best], names[tempting], self.policy, self.coach.solutions.get(POINTS)))
        if found.rose:
            facts |= {"rises": found.rose[best], "rises_tempting": found.rose[tempting]}
        values = {names[action]: _rounded(found.values[action], self.quarry.unit) for action in order}
        rating = float(np.mean([solves(game, player, g, best) for player in self.ladder]))
        told = {name: round(fact, 3) for name, fact in facts.items()}
        return Puzzle(brief(game, g), names[best], names[tempting], values, theme, told, round(rating, 3))


def line_ups(game: Game) -> list[list[str]]:
    """Who sits at the tables that are looked at: the policy alone, and among rule players and the sheet."""
    size, policy = game.players, "policy:pretrained"
    others = [f"rules:{name}" for name in game.rule_players[::-1]] + ([sheets.NAME] if sheets.has_sheet(game) else [])
    mixed = (
        [[policy, policy, *([other] * size)][:size] for other in others] if size > 2 else [[policy, each] for each in others]
    )
    return [[policy] * size, [policy, *others, *[policy] * size][:size], *mixed]


def replaced(coach: Coach, seed: int) -> Coach:
    """The same coach by other worlds."""
    coach.budget = replace(coach.budget, seed=seed)
    return coach


def likely(game: Game, policy: Policy, g: np.record) -> dict[int, float]:
    """Legal action -> the policy's probability, the likeliest first."""
    decision = decisions_of(game, g)
    logs = policy.log_priors(decision.observations, decision.action_masks)[0]
    return {action: float(np.exp(logs[action])) for action in sorted(game.legal_actions(g), key=lambda each: -logs[each])}


def solves(game: Game, player: Agent, g: np.record, best: int) -> float:
    """Whether the player does the best, 0 or 1; the chance of it where the player draws."""
    if isinstance(player, Policy):
        return likely(game, player, g)[best]
    if player.name == "random":
        return 1 / len(game.legal_actions(g))
    return float(_asked(game, player, g, 0) == best)


def _asked(game: Game, player: Agent, g: np.record, seed: int) -> int:
    chance = float(np.random.default_rng(seed).random())
    return int(player.act(decisions_of(game, g, chance))[0])


def _rounded(worth: Worth, unit: str) -> Worth:
    digits = 4 if unit == WIN else 2
    return Worth(*(round(number, digits) for number in (worth.value, worth.reach, worth.behind)))


# -- worlds ------------------------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """What actions came to in worlds that they share."""

    points: np.ndarray
    """Above the others' mean, float64, (actions, worlds)."""
    shares: np.ndarray
    """Of the win, likewise; NaN where the match goes on."""
    gains: np.ndarray
    """Own points, likewise."""
    weights: np.ndarray
    """How often each world was drawn, (worlds,)."""


def samples(coach: Coach, g: np.record, actions: Sequence[int], seed: int, worlds: int) -> Iterator[Sample]:
    """More and more worlds of a redacted record, up to as many as asked for; one that belief draws again counts again."""
    assert coach.policy is not None
    playouts, size = Playouts(coach.game, coach.policy), max(1, min(TOGETHER, AT_ONCE // len(actions)))
    found: list[Sample] = []
    for start in range(0, worlds, size):
        wanted = range(start, min(start + size, worlds))
        numbers: np.ndarray = np.array(wanted)
        weights: np.ndarray = np.ones(len(wanted))
        if coach.beliefs is not None:
            drawn = coach.beliefs.numbers(np.array([g], coach.game.state), np.array([seed]), wanted)[0]
            numbers, weights = np.unique(drawn, return_counts=True)
        found.append(_played(playouts, g, actions, seed, numbers, weights))
        yield Sample(*(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)))


def _played(
    playouts: Playouts, g: np.record, actions: Sequence[int], seed: int, numbers: np.ndarray, weights: np.ndarray
) -> Sample:
    game, seat = playouts.game, playouts.game.seat_to_move(g)
    roots = np.repeat(np.array([g], game.state), len(actions))
    roots["reward"] = rewards.MARGIN
    worlds = playouts.play(roots, np.array(actions), np.full(len(actions), seed), numbers, STAGE)
    points, ahead = np.zeros((len(worlds.records), game.players), np.int64), np.zeros(len(worlds.records), np.int64)
    score_all(worlds.records, points, ahead)
    margins = worlds.worth(STAGE) * game.scale
    worlds.records["reward"] = rewards.WIN
    shares = np.where(worlds.records["over"] != 0, worlds.worth(STAGE), np.nan)
    gains = points[:, seat] - game.payoffs(g)[seat]
    margins, shares, gains = (each.reshape(len(actions), -1) for each in (margins, shares, gains))
    return Sample(margins, shares, gains, weights)


def weighed(values: np.ndarray, weights: np.ndarray) -> Interval:
    """The mean of worlds that count so often, and its 95 % interval: worlds that were drawn again are no new ones."""
    mean = float(np.average(values, weights=weights))
    reach = Z95 * float(np.sqrt((weights**2 * (values - mean) ** 2).sum()) / weights.sum())
    return Interval(mean, mean - reach, mean + reach)


def _error(told: Interval) -> float:
    """A standard error."""
    return (told.high - told.low) / 2 / Z95
